"""Going back in time: to the moments kept, or by single steps; physics stands still meanwhile."""

from __future__ import annotations

import bisect

from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Rewind


def places(ui: Ui) -> list[int]:
    """Steps of the moments one can go to at once, the last one reached included."""
    kept = [at for at, _ in ui.snapshot.moments]
    return kept if kept and kept[-1] == ui.snapshot.log_end else [*kept, ui.snapshot.log_end]


def go_to(ui: Ui, at: int) -> None:
    """Stand still at a step; what came after it stays until the run goes on."""
    if not (ui.snapshot.paused and ui.transport.paused):
        ui.transport.pause(True)
    ui.send(Rewind(at))


def step_back(ui: Ui) -> None:
    """To the step before this one."""
    go_to(ui, max(0, ui.snapshot.at - 1))


def step_forward(ui: Ui) -> None:
    """One step, in the past along what has happened there."""
    if ui.snapshot.at < ui.snapshot.log_end and ui.transport.paused:
        go_to(ui, ui.snapshot.at + 1)
    else:
        ui.transport.step()


def earlier(ui: Ui) -> None:
    """To the moment kept before this one."""
    kept = places(ui)
    go_to(ui, kept[max(0, bisect.bisect_left(kept, ui.snapshot.at) - 1)])


def later(ui: Ui) -> None:
    """To the moment kept after this one, at last to where the run had got to."""
    kept = places(ui)
    go_to(ui, kept[min(len(kept) - 1, bisect.bisect_right(kept, ui.snapshot.at))])


def memory(ui: Ui) -> str:
    """What the moments kept take, and may take, in words."""
    snapshot = ui.snapshot
    return f"{snapshot.moments_bytes / 1e6:.1f} of {snapshot.moments_budget / 1e6:.0f} MB"


def nearest(ui: Ui, share: float) -> int:
    """The moment kept nearest to a share of the whole history, 0 to 1."""
    wanted = share * ui.snapshot.log_end
    return min(places(ui), key=lambda at: abs(at - wanted))
