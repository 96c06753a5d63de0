"""The window follows the direction of the scene: colour, plot and speed, until the user chooses something else."""

from __future__ import annotations

from dataclasses import dataclass

from repose.app.render.colours import AUTOMATIC
from repose.app.ui.panels import large_plot, plots
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward
from repose.sim.direction import Direction


@dataclass
class Followed:
    """The direction that the window follows."""

    scene: str = ""
    direction: Direction | None = None
    """None before the first experiment."""
    plot: str = ""
    """The plot that opens as soon as the scene has it; empty once it is open, or the user has chosen one."""
    tab: str = ""
    """The tab that was chosen when the scene began."""


def see(ui: Ui) -> None:
    """One frame: begin the direction of another scene, or follow the present one into another phase. A lecture has
    directions of its own."""
    run, followed = ui.snapshot.run, ui.states[Followed]
    if ui.mode.lecture.on or ui.mode.lecture.kept is not None or not ui.snapshot.serial:
        return
    if (run.scene, run.direction) != (followed.scene, followed.direction):
        begin(ui, keeps_colour=followed.direction is None)
    if ui.control.transport.directed is not None:
        ui.control.transport.follow(run.direction.speed_in(run.phase.name))
    _open_plot(ui, followed)


def begin(ui: Ui, keeps_colour: bool = False) -> None:
    """Follow the direction of the scene in the window; what was chosen for the scene before ends. The colours of the
    last session stay if the window begins with the preset of that session (`keeps_colour`)."""
    run, followed = ui.snapshot.run, ui.states[Followed]
    followed.scene, followed.direction = run.scene, run.direction
    followed.plot, followed.tab = run.direction.plot, ui.settings.choices.tabs.get(plots.ROW, "")
    if not keeps_colour:
        ui.view.colour_by = AUTOMATIC
    ui.control.transport.follow(run.direction.speed_in(run.phase.name))


def _open_plot(ui: Ui, followed: Followed) -> None:
    """Open the plot of the scene; it can appear later than the scene, and the user can choose another one before."""
    if not followed.plot:
        return
    if ui.settings.choices.tabs.get(plots.ROW, "") != followed.tab:
        followed.plot = ""
    elif any(tab.name == followed.plot for tab in plots.tabs_of(ui)):
        for row in (plots.ROW, large_plot.ROW):
            bring_forward(ui, row, followed.plot)
        followed.plot = ""
