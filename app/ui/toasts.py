"""Messages: short sentences over the picture about recent events that disappear by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from imgui_bundle import imgui
from repose.app.sound.speaker import Speaker
from repose.app.storage.recorder import names_of
from repose.app.ui.replay_control import Replay
from repose.app.ui.ui import Ui
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.message import EMPTY, Message, Number, _, replaced
from repose.sim.parameters import Value, changes_in

MESSAGE = "message"
"""Source of what the experiment says."""
LONG, SHORT = 9.0, 5.0
"""Time for which a refusal, and any other sentence, is shown [s]."""
WHOLE = _("Another process films the whole run; Ctrl+Shift+V ends this film.")
MOST = 3
"""Largest number of sentences at a time; the oldest disappear first."""


@dataclass
class Toast:
    """One sentence, its source, and the time at which it disappears [s, clock of ImGui]."""

    source: object
    text: Message
    bad: bool
    until: float


@dataclass
class Toasts:
    """The sentences over the picture."""

    shown: list[Toast] = field(default_factory=list)
    """The newest last."""
    seen: dict[str, object] = field(default_factory=dict)
    """The latest sentence of each source."""


def current_toasts(ui: Ui) -> list[Toast]:
    """The sentences to show now, the newest last."""
    toasts, seen = ui.states[Toasts].shown, ui.states[Toasts].seen
    first, now = not seen, imgui.get_time()
    for source, sign, text, bad in _sources(ui):
        if seen.get(source) == sign or (source == MESSAGE and ui.states[Replay].on):
            continue  # what is shown once more was said before
        seen[source] = sign
        if text or source == MESSAGE:  # a run that begins has no message yet: that of the last one is not about it
            toasts[:] = [toast for toast in toasts if toast.source != source]
        if text and not (first and not bad):
            toasts.append(Toast(source, text, bad, now + (LONG if bad else SHORT)))
    toasts[:] = [toast for toast in toasts if toast.until > now][-MOST:]
    return toasts


def show_toast(ui: Ui, text: Message, bad: bool = False) -> None:
    """Show a sentence of the window, once even if its cause is repeated."""
    shown = ui.states[Toasts].shown
    shown[:] = [toast for toast in shown if toast.source != text]
    shown.append(Toast(text, text, bad, imgui.get_time() + (LONG if bad else SHORT)))


def _sources(ui: Ui) -> list[tuple[str, object, Message, bool]]:
    """Sources of sentences: name, a value that changes with a new sentence, the sentence, and whether it is a
    refusal."""
    snapshot, film, saver = ui.snapshot, ui.work.film, ui.work.run_saver
    quiet = snapshot.messages.fault is not None or snapshot.messages.repeats
    refused = next(iter(ui.control.edits.refusals.values()), EMPTY)
    busy = film.running or film.finishing
    ended = (
        Message(
            "The film is saved: {path}, {seconds} s.",
            path=names_of(film.path, film.parts),
            seconds=Number(film.seconds, format=".1f"),
        )
        if film.path and film.frames and not busy
        else EMPTY
    )
    return [
        (
            MESSAGE,
            (snapshot.messages.count, snapshot.messages.latest, snapshot.history.cuts),
            EMPTY if quiet else whole_change(ui),
            False,
        ),
        ("refusal", snapshot.messages.refusals, snapshot.messages.refusal, not snapshot.messages.refused_action),
        ("edit", ui.control.edits.refused, refused, True),
        ("preset", ui.work.preset_library.trouble, ui.work.preset_library.trouble, True),
        ("threads", snapshot.engine.threads_crowded, snapshot.engine.threads_crowded, False),
        ("saved", saver.message, saver.message, False),
        ("not saved", saver.trouble, saver.trouble, True),
        (
            "recording",
            film.running,
            Message("Recording to {path}.", path=str(film.path)) if film.running else EMPTY,
            False,
        ),
        ("recorded", busy, ended, False),
        ("filming", ui.work.whole_film.running, WHOLE if ui.work.whole_film.running else EMPTY, False),
        ("filmed", ui.work.whole_film.message, ui.work.whole_film.message, False),
        ("not filmed", ui.work.whole_film.trouble, ui.work.whole_film.trouble, True),
        ("page", ui.work.page.message, ui.work.page.message, False),
        ("no page", ui.work.page.trouble, ui.work.page.trouble, True),
        ("no sound", ui.states[Speaker].trouble, ui.states[Speaker].trouble, True),
    ]


def whole_change(ui: Ui) -> Message:
    """The last message; after a drag, with the value before the whole drag instead of the last increment."""
    message, marks, parameters = ui.snapshot.messages.latest, ui.control.edits.marks, parameters_of(ui.snapshot.run)
    if not marks or len(marks[-1].before) != 1 or parameters is None:
        return message
    ((name, before),) = marks[-1].before.items()
    declared = parameters.in_units().get(name)
    if declared is None or {name: parameters.given(name)} not in marks[-1].requested:
        return message  # it is about an earlier change: the latest one has not acted yet
    now: Value = parameters.given(name)
    change = changes_in(message).get(name)
    return message if change is None else replaced(message, change, declared.change(before, now))
