"""Mean pressure inside each grain."""

from __future__ import annotations

from repose.sim.colours.colour import GrainColour
from repose.sim.colours.ranges import to_round
from repose.sim.measure.stress import STRESS_UNIT, grain_pressure
from repose.sim.message import _

COLOUR = GrainColour(
    "pressure",
    _("pressure"),
    "P",
    STRESS_UNIT,
    lambda grains: grain_pressure(grains.world.radius, grains.pushes.force, grains.dimension),
    fixed=to_round,
    of_contacts=True,
    legend=_("Pressure on the grain"),
    exported=False,  # follows from "normal force" and "radius"
    order=30,
)
