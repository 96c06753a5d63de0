"""Carry out an action of the scene, requested by a key or a button."""

from __future__ import annotations

from dataclasses import replace

from repose.app.lectures.step_course import RUN_ALL
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import Action
from repose.sim.message import Message, _, joined
from repose.sim.study.run_length import expected

RESET = "reset"
"""Name of the action that returns to the beginning."""
CONTINUES = _("Continue the paused run to its end, as Space does.")
"""Help of *Run all* while a press only continues the run."""


def only_continues(ui: Ui, action: Action) -> bool:
    """Whether a press of this action only continues the run: *Run all* of a run that is paused on its way, which is not
    begun once more."""
    if action.name != RUN_ALL or not ui.control.transport.paused:
        return False
    runs = ui.beside.runs or (ui.snapshot,)
    begun = not any(entry.name == RUN_ALL and entry.enabled for shot in runs for entry in shot.run.actions)
    return begun and all(run.messages.fault is None for run in runs)


def as_offered(ui: Ui) -> tuple[Action, ...]:
    """The actions of the scene as their buttons offer them: *Run all* is also possible while it only continues, and
    says how long it will take."""
    return tuple(
        replace(action, enabled=True, help=CONTINUES) if only_continues(ui, action) else _with_length(ui, action)
        for action in ui.snapshot.run.actions
    )


def _with_length(ui: Ui, action: Action) -> Action:
    """The action, with the length of the run in its help if it is the run from its beginning."""
    run = ui.snapshot.run
    parameters = parameters_of(run) if action.name == RUN_ALL and action.enabled and not ui.beside.runs else None
    length = expected(run.scene, parameters) if parameters is not None else None
    if length is None:
        return action
    words = Message("As fast as possible it takes {words}.", words=length.words)
    return replace(action, help=joined((action.help, words), " "))


def act(ui: Ui, action: Action) -> None:
    """Request an action. *Run all* continues a paused run, because it promises the whole experiment without further
    keys. While the engine is compiled the action waits, and a message says so."""
    continues = only_continues(ui, action)
    if action.name == RUN_ALL and ui.control.transport.paused:
        ui.control.transport.pause(False)
    if continues:
        return
    ui.control.send(Act(action.name))
    if ui.snapshot.engine.compiling:
        show_toast(ui, Message("{label}: as soon as the engine is ready.", label=action.label))
