"""Stir the grains with a rod that follows the pointer at a limited speed: a disc in the plane, a sphere in space."""

from __future__ import annotations

from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import abandon_drag, begin_drag, drag_on, end_drag, grain_radius, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import PUSHED, Push
from repose.sim.numbers import with_prefix

LIMIT = 1e4
"""Largest acceleration that the rod gives a grain [m/s²]: a thousand weights on the Earth."""


def command(ui: Ui, place: tuple[float, ...]) -> Push:
    """The rod on its way to a place [m] with the present settings."""
    choices = ui.settings.choices
    return Push(place, choices.rod_size * grain_radius(ui.snapshot), LIMIT, choices.rod_speed, True)


def press(ui: Ui, at: Pixel) -> bool:
    """Let the rod appear where the pointer is; it grows out of a point."""
    return begin_drag(ui, at, PUSHED, lambda place: command(ui, place))


def hold(ui: Ui, at: Pixel) -> bool:
    """Let it follow the pointer; False once it is refused."""
    return drag_on(ui, at)


def release(ui: Ui) -> None:
    """Take it away."""
    end_drag(ui)


def options(ui: Ui) -> None:
    """Radius and speed, on logarithmic scales."""
    choices = ui.settings.choices
    texts = (f"radius {choices.rod_size:.2g} grains", f"{choices.rod_size:.2g} grains")
    choices.rod_size = slide_log(ui, "tool.rod_size", texts, choices.rod_size, (0.5, 50.0))
    tooltip("Radius of the rod, in mean radii of the grains.")
    speed = with_prefix(choices.rod_speed, "m/s", 3)
    choices.rod_speed = slide_log(ui, "tool.rod_speed", (f"up to {speed}", speed), choices.rod_speed, (1e-3, 10.0))
    tooltip("Largest speed of the rod in simulated time, and the speed at which it grows out of a point.")


TOOL = Tool(
    "stir",
    "Stir",
    14,
    "K",
    "Press and drag: a rod follows the pointer at a limited speed and moves the grains. The arrow shows their force.",
    press,
    hold,
    release,
    abandon_drag,
    options=options,
)
