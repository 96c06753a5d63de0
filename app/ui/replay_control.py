"""Replay: what has happened is shown once more, along the history of the run, in space from another side.

The run stays as it is: a replay goes to recorded steps (`repose.app.ui.rewind`), and its end is the last step. What
the user asks for meanwhile (an action, a change, a file of the run, another run) ends the replay and is carried out at
the last step, because at an earlier one it would delete, or leave out, what came after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Command, From, KeepGuesses, KeepMeasured, Rewind, UseThreads

LEAST, MOST = 5.0, 20.0
"""Limits of the duration [s]."""


@dataclass
class Replay:
    """A replay that is under way."""

    on: bool = False
    begun: bool = False
    """Whether the first step is shown."""
    ends: bool = False
    """Whether it waits until the last step is shown again."""
    first: int = 0
    shown: int = 0
    last: int = 0
    """Steps since the log began: the beginning and the end of the motion that is shown, and the end of the run."""
    run: int = 0
    """Number of the run, of those side by side, whose steps these are."""
    seconds: float = LEAST
    """Duration on a machine that is fast enough [s]."""
    share: float = 0.0
    """Share that has been asked for [-]."""
    asked: Rewind | None = None
    """The latest step that the replay itself has asked for."""
    waiting: list[Callable[[], object]] = field(default_factory=list)
    """What has been asked for since, to be carried out at the last step."""
    logs: int = 0
    """`ShownHistory.logs` at the beginning."""
    seen: float = 0.0
    """Wall time of the last frame [s]."""


def is_possible(ui: Ui) -> bool:
    """Whether the run, or every run side by side, has come to its end, and is not shown at an earlier step."""
    shots = ui.beside.runs or (ui.snapshot,)
    ended = all(shot.run.phase.ends and 0 < shot.history.at == shot.history.log_end for shot in shots)
    return ended and not ui.mode.lecture.on


def start_or_stop(ui: Ui) -> None:
    """Begin a replay of the last phase that ran; or end it at the last step."""
    replay = ui.states[Replay]
    if replay.on:
        stop(ui)
    elif is_possible(ui):
        _start(ui, replay)


def _start(ui: Ui, replay: Replay) -> None:
    history, run = ui.snapshot.history, ui.snapshot.run
    phases = [event for event in ui.events.shown if event.kind == "phase"]
    moved = next((number for number in reversed(range(len(phases))) if not phases[number].ends), None)
    ended = [event.at for event in phases[0 if moved is None else moved + 1 :]]
    replay.first, replay.last = (0 if moved is None else phases[moved].at), history.log_end
    replay.shown = ended[0] if ended else history.log_end  # a run that is filmed continues after its end
    replay.run = ui.beside.chosen
    speed = min(run.direction.speed, *run.direction.speeds.values(), math.inf) * run.time_scale
    replay.seconds = min(max((replay.shown - replay.first) * run.dt / speed, LEAST), MOST)
    replay.on, replay.begun, replay.ends, replay.share, replay.logs = True, False, False, 0.0, history.logs
    ui.control.transport.hold()
    _go_to(ui, replay, replay.first)
    ui.control.actions["look_aside"]()


def stop(ui: Ui) -> None:
    """Return to the last step and to the view of the user; once it is shown, the run is as it was before."""
    replay = ui.states[Replay]
    replay.ends = True
    _go_to(ui, replay, replay.last)
    ui.control.actions["look_back"]()


def end_now(ui: Ui) -> None:
    """Return to the last step without waiting for its picture, because the window closes."""
    replay = ui.states[Replay]
    if replay.on:
        stop(ui)
        _end(ui, replay)


def holds(ui: Ui, command: Command, carry_out: Callable[[Command], None]) -> bool:
    """Whether a command has to wait for the end of the replay, which it then ends; `carry_out` sends it to the run. A
    step that the user chooses ends the replay there."""
    replay = ui.states[Replay]
    plain = command.command if isinstance(command, From) else command
    if not replay.on or plain is replay.asked or isinstance(plain, UseThreads | KeepMeasured | KeepGuesses):
        return False
    if isinstance(plain, Rewind) and not replay.waiting:
        _end(ui, replay)
        return False
    _wait(ui, replay, partial(carry_out, command))
    return True


def defers(ui: Ui, act: Callable[[], object]) -> bool:
    """Whether a change of the user, with what is known of it for undo, has to wait for the end of the replay, which it
    then ends: the step that is shown is an earlier one, at which later changes are not made yet."""
    replay = ui.states[Replay]
    if replay.on:
        _wait(ui, replay, act)
    return replay.on


def _wait(ui: Ui, replay: Replay, act: Callable[[], object]) -> None:
    replay.waiting.append(act)
    if not replay.ends:
        stop(ui)


def follow(ui: Ui, now: float) -> None:
    """One frame at the wall time `now` [s]: ask for the next step once the last one is shown, so that a slow machine
    shows all of it, later."""
    replay, history = ui.states[Replay], ui.snapshot.history
    elapsed, replay.seen = now - replay.seen, now
    if not replay.on:
        return
    if ui.beside.runs and ui.beside.chosen != replay.run:  # whose steps have other numbers
        replay.run, replay.last, replay.logs = ui.beside.chosen, history.log_end, history.logs
        stop(ui)
    if history.logs != replay.logs or history.log_end != replay.last:
        replay.waiting.clear()  # it was meant for the run that another one has replaced
        _end(ui, replay)
        return
    if replay.ends:
        if history.at == replay.last:
            _end(ui, replay)
        return
    # Runs side by side go to the next step at which they are at equal times, and wait there until it is due.
    replay.begun = replay.begun or history.at <= replay.first
    if not replay.begun or history.at < _at(replay):
        return
    if replay.share >= 1.0:
        stop(ui)
        return
    replay.share = min(replay.share + min(elapsed, 0.1) / replay.seconds, 1.0)
    if _at(replay) > history.at:
        _go_to(ui, replay, _at(replay))


def _go_to(ui: Ui, replay: Replay, at: int) -> None:
    replay.asked = Rewind(at)
    ui.control.send(replay.asked)


def _end(ui: Ui, replay: Replay) -> None:
    """Pause or continue as the user wants it, and carry out what has waited."""
    waiting, replay.waiting, replay.on = replay.waiting, [], False
    ui.control.actions["look_back"]()
    for act in waiting:
        act()
    ui.control.transport.let_go()


def _at(replay: Replay) -> int:
    return replay.first + round(replay.share * (replay.shown - replay.first))
