"""Phones of the audience as the window has them: the server, the rounds of answers, what is shown of them.

This module is the only writer of `Audience`. Once per frame `see` takes what has arrived, enters it in the rounds or
carries it out as a button would (`repose.app.ui.remote`), keeps the answers with the run, and publishes the question.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from repose.app.audience.exchange import AskedQuestion, Exchange, RemotePicture
from repose.app.audience.interfaces import LOOPBACK
from repose.app.audience.rounds import MOST_ROUNDS, Round, take, write_table
from repose.app.audience.server import Server
from repose.app.lectures.lecture_file import GuessQuestion
from repose.app.storage.paths import runs_folder
from repose.app.ui import remote
from repose.app.ui.lecture_mode import awaits_run, guess_now
from repose.app.ui.questions import ask
from repose.app.ui.replay_control import Replay
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import KeepGuesses
from repose.sim.measure.display import Answer, AudienceGuesses, Guess
from repose.sim.message import EMPTY, Message, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

KEEP = 2.0
"""Wall time between two times at which new answers are kept with the run [s]."""
NEWS = 0.25
"""Wall time between two states of the window that the remote gets [s]."""
PICTURES = 0.33
"""Wall time between two pictures for the remote [s]."""
WATCHED = 2.0
"""Time for which pictures are drawn after one was asked for [s]."""


@dataclass
class Audience:
    """The phones, and what they have answered."""

    server: Server | None = None
    """The server; None while it is off."""
    exchange: Exchange = field(default_factory=Exchange)
    address: str = ""
    port: int | None = None
    """Where the server is switched on; an empty address and None are chosen automatically."""
    trouble: Message = EMPTY
    """Why it is not on, in a sentence."""
    rounds: list[Round] = field(default_factory=list)
    """The questions of the session, the latest last."""
    asked: bool = False
    """Whether the latest round is the present question."""
    shown: bool = False
    """Whether the audience sees the answers of the latest round."""
    number: int = 0
    """Number of the latest round."""
    exported: list[Round] = field(default_factory=list)
    """The rounds with answers as they were exported last."""
    kept: AudienceGuesses | None = None
    """What was kept with the run last."""
    kept_at: float = 0.0
    told_at: float = 0.0
    """When answers were kept, and when the remote got the state of the window [s, clock of `time.monotonic`]."""
    since: float = 0.0
    """When the server was switched on [s, same clock]."""


def switch_on(ui: Ui, address: str = "", port: int | None = None) -> None:
    """Let phones connect, at this address and port if they are given; without a network or a free port, say why not."""
    audience = ui.states[Audience]
    if audience.server is not None:
        return
    audience.address, audience.port = address or audience.address, port or audience.port
    audience.exchange = Exchange()  # nothing of an earlier server acts any more
    try:
        audience.server = Server(audience.exchange, audience.address, audience.port)
    except ParameterError as error:
        audience.trouble = message_of(error)
        show_toast(ui, audience.trouble, bad=True)
        return
    audience.trouble, audience.since = EMPTY, time.monotonic()


def switch_off(ui: Ui) -> None:
    """Close the socket and all connections; the answers stay."""
    audience = ui.states[Audience]
    if audience.server is not None:
        audience.server.stop()
        audience.server = None
        take(audience.rounds, audience.exchange.take()[0])  # what has arrived since the last frame


def new_remote(ui: Ui) -> None:
    """Give the remote a new code; a remote that is connected ends."""
    server = ui.states[Audience].server
    if server is not None:
        server.renew_lecturer()


def choose_address(ui: Ui, address: str) -> None:
    """Use the interface with this address; a server that is on begins anew there, with other codes."""
    audience = ui.states[Audience]
    audience.address = address
    if audience.server is not None:
        switch_off(ui)
        switch_on(ui)


def show(ui: Ui, shown: bool) -> None:
    """Show the answers to the audience, or hide them."""
    ui.states[Audience].shown = shown


def present(ui: Ui) -> Round | None:
    """The round of the question that the window asks now; None without a server and without answers."""
    audience = ui.states[Audience]
    return (
        audience.rounds[-1] if audience.asked and (audience.server is not None or audience.rounds[-1].values) else None
    )


def ask_to_delete(ui: Ui) -> None:
    """Delete all answers of the session after the user agrees."""
    count = sum(len(entry.values) for entry in ui.states[Audience].rounds)
    text = plural(
        "Delete the {count} answer of this session? It cannot be restored.",
        "Delete all {count} answers of this session? They cannot be restored.",
        count=count,
    )
    ask(ui, text, _("Delete"), partial(_delete, ui))


def _delete(ui: Ui) -> None:
    audience = ui.states[Audience]
    for guess in {entry.question.guess for entry in audience.rounds}:
        ui.control.send(KeepGuesses(AudienceGuesses(guess, ())))
    audience.rounds.clear()
    audience.asked, audience.shown, audience.kept = False, False, None


def export(ui: Ui) -> None:
    """Write the answers of the session as CSV in the folder of the runs."""
    audience = ui.states[Audience]
    audience.exported = _given(audience)
    ui.work.run_saver.save_files(
        _("Answers"), runs_folder(), "answers", {".csv": partial(write_table, audience.exported)}
    )


def end(ui: Ui) -> None:
    """Switch off before the window closes, and export what was not: nobody can ask for the answers afterwards."""
    audience = ui.states[Audience]
    switch_off(ui)
    given = _given(audience)
    if given and given != audience.exported:
        export(ui)


def _given(audience: Audience) -> list[Round]:
    """A copy of the rounds that have answers, of this moment."""
    return [replace(entry, values=dict(entry.values)) for entry in audience.rounds if entry.values]


def see(ui: Ui) -> None:
    """Take what has arrived, and publish what is asked; call it once per frame, after the lecture."""
    audience = ui.states[Audience]
    server, exchange = audience.server, audience.exchange
    if server is None and not audience.rounds:
        return
    if server is not None and not server.is_on:
        audience.trouble, audience.server, server = exchange.trouble or EMPTY, None, None
        show_toast(ui, audience.trouble, bad=True)
    _follow_question(ui, audience)
    answers, actions = exchange.take()
    take(audience.rounds, answers)
    for action in actions:
        remote.carry_out(ui, action, partial(show, ui))
    _keep(ui, audience)
    if server is None:
        return
    now = time.monotonic()
    if exchange.remotes and now >= audience.told_at + NEWS:
        audience.told_at = now
        latest = present(ui)
        told = {"count": len(latest.values), "shown": audience.shown} if latest is not None else None
        exchange.publish(_question(audience), remote.state(ui, audience.since) | {"answers": told})
    else:
        exchange.publish(_question(audience), exchange.remote)


def _question(audience: Audience) -> AskedQuestion | None:
    return audience.rounds[-1].question if audience.asked else None


def _follow_question(ui: Ui, audience: Audience) -> None:
    """Begin a round with each new question, and close it when the run has answered."""
    if ui.snapshot.serial == 0:
        return
    # While a step of a lecture waits for its run, the answers of the step before would stand at its own question.
    asked = None if awaits_run(ui) else guess_now(ui)
    latest = audience.rounds[-1] if audience.rounds else None
    if asked is None:
        audience.asked = False
        return
    name, guess, answer = asked
    key = name, guess.unit, guess.low, guess.high
    earlier = ui.states[Replay].on or ui.snapshot.history.at < ui.snapshot.history.log_end
    if latest is None or latest.key != key or (answer is None and not latest.question.is_open and not earlier):
        _begin_round(ui, audience, key, guess)
    audience.asked = True
    latest = audience.rounds[-1]
    if answer is not None and latest.question.is_open:
        latest.question = replace(latest.question, is_open=False)
        latest.result = _result(answer)


def _begin_round(ui: Ui, audience: Audience, key: object, guess: Guess) -> None:
    step = ui.mode.lecture.step if ui.mode.lecture.on else None
    own = step.guess if step is not None and isinstance(step.guess, GuessQuestion) else None
    words, choices = (own.words, own.choices) if own is not None else ({}, ())
    audience.number += 1
    audience.rounds.append(Round(AskedQuestion(audience.number, guess, words, choices), key))
    del audience.rounds[:-MOST_ROUNDS]
    audience.shown, audience.kept = False, None
    if any(entry.question.guess == guess and entry.values for entry in audience.rounds[:-1]):
        ui.control.send(
            KeepGuesses(AudienceGuesses(guess, ()))
        )  # those of an earlier run would be in a film of this one


def _result(answer: Answer) -> float | None:
    return answer.value if math.isfinite(answer.value) else None


def _keep(ui: Ui, audience: Audience) -> None:
    """Keep new answers with the run: soon, and at once when they are shown or the run has answered."""
    if not audience.asked or not audience.rounds[-1].values:
        return
    now, before = audience.rounds[-1].as_kept(audience.shown), audience.kept
    if now == before:
        return
    at_once = before is None or (now.shown, now.result) != (before.shown, before.result)
    if at_once or time.monotonic() >= audience.kept_at + KEEP:
        audience.kept, audience.kept_at = now, time.monotonic()
        ui.control.send(KeepGuesses(now))


def give_picture(ui: Ui, read: Callable[[], tuple[int, int, bytes]]) -> None:
    """Give the remote a picture of the window (width, height, rows of pixels from the foot on), if it looks."""
    audience, now = ui.states[Audience], time.monotonic()
    if audience.server is None or now > audience.exchange.watched + WATCHED:
        return
    last = audience.exchange.picture
    if last is None or now >= last.at + PICTURES:
        audience.exchange.picture = RemotePicture(1 if last is None else last.serial + 1, now, *read())


def described(ui: Ui) -> dict[str, Any]:
    """What a program that drives the window asks for."""
    audience = ui.states[Audience]
    server, latest = audience.server, present(ui)
    return {
        "host": "" if server is None else server.host,
        "codes": [] if server is None else [server.audience, server.lecturer],
        "connected": audience.exchange.connected,
        "answers": 0 if latest is None else len(latest.values),
        "shown": audience.shown,
        "trouble": audience.trouble,
    }


def is_loopback(audience: Audience) -> bool:
    """Whether only this machine can reach the server."""
    return audience.server is not None and audience.server.address == LOOPBACK
