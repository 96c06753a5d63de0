"""Stir the grains with a rod that follows the pointer at a limited speed: a disc in the plane, a sphere in space."""

from __future__ import annotations

import math

from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.tools.pointer import abandon_drag, begin_drag, drag_on, end_drag, grain_radius, slide_log
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.experiment.commands import PUSHED, Push
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message, Number, _, with_prefix

WEAKEST, STRONGEST = 200.0, 1e4
"""Bounds of the largest acceleration of a grain by the rod [m/s²]: 20 and a thousand weights on the Earth."""
OVERLAP = 0.04
"""Overlap of a contact that carries the whole force of the rod [radii of the grains]."""


def limit_of(snapshot: Snapshot, size: float) -> float:
    """Largest acceleration of a grain [m/s²] by a rod of radius `size` [mean radii of the grains].

    A contact of frequency ω between grains of mass m has the overlap F / (m ω²). All grains before the rod can press on
    one contact: in the plane about π (s + 1) / 2 of them are on half the rim of a rod of s radii, in space about
    2 (s + 1)² on half its surface.
    """
    if not snapshot.stability.omega_dt > 0.0 or not snapshot.run.dt > 0.0:
        return STRONGEST
    grains = 0.5 * math.pi * (size + 1.0) if snapshot.grains.position.shape[1] == 2 else 2.0 * (size + 1.0) ** 2
    wanted = OVERLAP * grain_radius(snapshot) * (snapshot.stability.omega_dt / snapshot.run.dt) ** 2 / grains
    return min(max(wanted, WEAKEST), STRONGEST)


def press(ui: Ui, at: Pixel) -> bool:
    """Insert the rod at the pointer; the rod grows out of a point."""
    choices, snapshot = ui.settings.choices, ui.snapshot
    radius, limit = choices.rod_size * grain_radius(snapshot), limit_of(snapshot, choices.rod_size)
    return begin_drag(ui, at, PUSHED, lambda position: Push(position, radius, limit, choices.rod_speed, True))


def options(ui: Ui) -> None:
    """Radius and speed, on logarithmic scales."""
    choices = ui.settings.choices
    texts = (
        Message("radius {rod_size} grains", rod_size=Number(choices.rod_size, format=".2g")),
        Message("{radius} grains", radius=Number(choices.rod_size, format=".2g")),
    )
    choices.rod_size = slide_log(ui, "tool.rod_size", texts, choices.rod_size, (0.5, 50.0))
    tooltip(ui, _("Radius of the rod, in mean radii of the grains."))
    speed = with_prefix(choices.rod_speed, "m/s", 3)
    choices.rod_speed = slide_log(
        ui, "tool.rod_speed", (Message("up to {speed}", speed=speed), speed), choices.rod_speed, (1e-3, 10.0)
    )
    tooltip(ui, _("Largest speed of the rod in simulated time, and the speed at which it grows out of a point."))


TOOL = Tool(
    "stir",
    _("Stir"),
    14,
    "K",
    _(
        "Press and drag: a rod follows the pointer at a limited speed and moves the grains. The arrow "
        "shows their force."
    ),
    press,
    drag_on,
    end_drag,
    abandon_drag,
    options=options,
)
