"""The window follows the direction of the scene: colour, plot and speed, until the user chooses something else."""

from __future__ import annotations

from dataclasses import dataclass, field

from repose.app.render.colours import AUTOMATIC
from repose.app.render.passes import all_switches
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
    switched: dict[str, bool] = field(default_factory=dict)
    """The switches that the direction has turned on, as they were before."""


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
    _turn_switches(ui, followed)
    ui.control.transport.follow(run.direction.speed_in(run.phase.name))


def _turn_switches(ui: Ui, followed: Followed) -> None:
    """Turn on what the scene shows, and back what the scene before has turned on, unless the user has turned it."""
    switches = {switch.name: switch for switch in all_switches()}
    for name, before in followed.switched.items():
        switches[name].set(ui.view, before)
    shown = [switches[name] for name in ui.snapshot.run.direction.show if name in switches]
    followed.switched = {switch.name: switch.is_on(ui.view) for switch in shown}
    for switch in shown:
        switch.set(ui.view, True)
    ui.settings.directed = followed.switched


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
