"""Questions to the user before something is lost: shown once over the picture; the action needs a yes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from imgui_bundle import imgui
from repose.app.storage.run_saver import SavedState
from repose.app.ui.ui import Ui
from repose.sim.message import Capital, Message, _, joined, plain, plural
from repose.sim.parameters import Parameter, Value


@dataclass(frozen=True)
class Question:
    """The question, the label of the button that continues, and the function that continues."""

    text: Message
    yes: Message
    act: Callable[[], object]
    at: tuple[float, float] | None = None
    """Where the click was that it follows [px of the window]; None after a key."""


@dataclass
class OpenQuestion:
    """The question that waits for an answer."""

    question: Question | None = None


def ask(ui: Ui, text: Message, yes: Message, act: Callable[[], object], here: bool = True) -> None:
    """Ask before `act` is called; a later question replaces an open one. The question is where the click was, unless it
    is not to be `here`."""
    ui.states[OpenQuestion].question = Question(text, yes, act, _clicked() if here else None)


def _clicked() -> tuple[float, float] | None:
    """Where the mouse was clicked in this frame [px of the window]; None if it was not."""
    if imgui.get_current_context() is None or not imgui.is_mouse_released(0):
        return None
    at = imgui.get_mouse_pos()
    return at.x, at.y


def open_question(ui: Ui) -> Question | None:
    """The question that waits for an answer, if any."""
    return ui.states[OpenQuestion].question


def answer(ui: Ui, yes: bool) -> None:
    """Close the open question; after a yes, continue."""
    question, ui.states[OpenQuestion].question = open_question(ui), None
    if question is not None and yes:
        question.act()


def request(ui: Ui, parameter: Parameter, value: Value, gesture: object = None) -> None:
    """Request a value of a parameter; if the change removes the present grains, only after the user agrees."""
    name, grains = parameter.name, ui.snapshot.grains.moving_count
    if parameter.quantity.effect != "anew" or not grains or value == ui.control.edits.value(name):
        ui.control.edits.set({name: value}, gesture)
        return
    before, after = _in_words(parameter, ui.control.edits.value(name)), _in_words(parameter, value)
    change = joined((joined((Capital(parameter.quantity.label), before), " "), after), " → ")
    text = plural(
        "{change} restarts the experiment without its {count} grain; undo restores it.",
        "{change} restarts the experiment without its {count} grains; undo restores them.",
        change=change,
        count=grains,
    )
    # Not over the slider, which is changed again or typed into instead of an answer.
    ask(ui, text, _("Restart"), partial(ui.control.edits.set, {name: value}), here=False)


def _in_words(parameter: Parameter, value: Value) -> Message:
    """The value with its unit; a typed text unchanged; of a path only the name of the file."""
    if parameter.kind == "path" and value:
        return plain(Path(str(value)).name)
    typed = isinstance(value, str) and parameter.kind in ("float", "int")
    return plain(str(value)) if typed else parameter.shown(value)


def is_losing(ui: Ui) -> bool:
    """Whether the run in the window is under way or changed by the user, and not saved."""
    snapshot = ui.snapshot
    under_way = snapshot.run.step > 0 and snapshot.run.progress is not None
    state = SavedState(snapshot.run.scene, snapshot.run.seed, snapshot.history.log_end, snapshot.history.commands)
    return (under_way or snapshot.history.commands > 0) and state != ui.work.run_saver.safe


def replace_run(ui: Ui, words: Message, yes: Message, act: Callable[[], object]) -> None:
    """Replace the run in the window by another one; if something would be lost, only after the user agrees."""
    if is_losing(ui):
        ask(ui, Message("{words} It replaces the run in the window.", words=words), yes, act)
    else:
        act()
