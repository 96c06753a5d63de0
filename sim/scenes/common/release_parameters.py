"""Parameters of the scenes that release spheres to verify a law."""

from __future__ import annotations

from typing import Annotated

from repose.sim.message import _
from repose.sim.parameters import length, number, switch

# fmt: off
SphereRadius = Annotated[float, length(..., 1e-3, 0.1, _("radius"), "R", effect="restart", group=_("Spheres"),
    help=_("Of every sphere. Takes effect at the next start."))]
Repeat = Annotated[bool, switch(..., _("repeat"), group=_("Experiment"),
    help=_("The run starts again after a short pause. Without it the end stays in view."))]
SphereMass = Annotated[float, number(..., 1e-5, 10.0, _("mass"), "m", "g", effect="restart", group=_("Spheres"),
    help=_("Of every sphere. Takes effect at the next start."))]
# fmt: on
