"""Carry out an action of the scene, requested by a key or a button."""

from __future__ import annotations

from repose.app.lectures.course import RUN_ALL
from repose.app.ui.toasts import tell
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act
from repose.sim.experiment.snapshot import Action
from repose.sim.message import Message

RESET = "reset"
"""Name of the action that returns to the beginning."""


def act(ui: Ui, action: Action) -> None:
    """Request an action. *Run all* continues a paused run, because it promises the whole experiment without further
    keys. While the engine is compiled the action waits, and a message says so."""
    if action.name == RUN_ALL and ui.transport.paused:
        ui.transport.pause(False)
    ui.send(Act(action.name))
    if ui.snapshot.compiling:
        tell(ui, Message("{label}: as soon as the engine is ready.", label=action.label))
