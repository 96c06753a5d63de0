"""Sum of the normal forces on each grain."""

from __future__ import annotations

from repose.sim.colours.colour import GrainColour
from repose.sim.colours.ranges import to_round
from repose.sim.message import _

COLOUR = GrainColour(
    "force",
    _("contact force"),
    "ΣF",
    "N",
    lambda grains: grains.pushes.force,
    fixed=to_round,
    of_contacts=True,
    legend=_("Normal force, sum"),
    exported=False,  # as "normal force"
    order=20,
)
