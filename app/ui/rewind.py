"""Seeking in the history of the run: to checkpoints, or by single steps; the run is paused meanwhile."""

from __future__ import annotations

import bisect

from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Rewind
from repose.sim.message import Message, Number


def places(ui: Ui) -> list[int]:
    """Steps of the checkpoints, and the last step reached."""
    steps = [at for at, _ in ui.snapshot.history.moments]
    return steps if steps and steps[-1] == ui.snapshot.history.log_end else [*steps, ui.snapshot.history.log_end]


def go_to(ui: Ui, at: int) -> None:
    """Pause at a step; later states remain until the run continues from here."""
    if not (ui.snapshot.engine.paused and ui.control.transport.paused):
        ui.control.transport.pause(True)
    ui.control.send(Rewind(at))


def step_back(ui: Ui) -> None:
    """To the previous step."""
    go_to(ui, max(0, ui.snapshot.history.at - 1))


def step_forward(ui: Ui) -> None:
    """One step; at an earlier step, along the recorded history."""
    transport = ui.control.transport
    if ui.snapshot.history.at < ui.snapshot.history.log_end and (transport.paused or transport.held):
        go_to(ui, ui.snapshot.history.at + 1)
    else:
        transport.step()


def earlier(ui: Ui) -> None:
    """To the previous checkpoint."""
    steps = places(ui)
    go_to(ui, steps[max(0, bisect.bisect_left(steps, ui.snapshot.history.at) - 1)])


def later(ui: Ui) -> None:
    """To the next checkpoint, or to the last step reached."""
    steps = places(ui)
    go_to(ui, steps[min(len(steps) - 1, bisect.bisect_right(steps, ui.snapshot.history.at))])


def memory(ui: Ui) -> Message:
    """Memory used by the checkpoints, and the limit, in words."""
    snapshot = ui.snapshot
    return Message(
        "{moments_bytes} of {moments_budget} MB",
        moments_bytes=Number(snapshot.history.moments_bytes / 1000000.0, format=".1f"),
        moments_budget=Number(snapshot.history.moments_budget / 1000000.0, format=".0f"),
    )


def nearest(ui: Ui, share: float) -> int:
    """The checkpoint nearest to a fraction of the whole history, 0 to 1."""
    wanted = share * ui.snapshot.history.log_end
    return min(places(ui), key=lambda at: abs(at - wanted))
