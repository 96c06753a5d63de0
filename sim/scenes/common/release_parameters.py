"""Parameters of the scenes that release spheres to verify a law."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.message import _
from repose.sim.parameters import Quantity

SphereRadius = Annotated[
    float,
    Ge(1e-3),
    Le(0.1),
    Quantity(_("radius"), "R", "mm", scale=1e-3, effect="restart", group=_("Spheres")),
    Field(description=_("Of every sphere. Takes effect at the next start.")),
]
Repeat = Annotated[
    bool,
    Quantity(_("repeat"), "", group=_("Experiment")),
    Field(description=_("The run starts again after a short pause. Without it the end stays in view.")),
]
SphereMass = Annotated[
    float,
    Ge(1e-5),
    Le(10.0),
    Quantity(_("mass"), "m", "g", scale=1e-3, effect="restart", group=_("Spheres")),
    Field(description=_("Of every sphere. Takes effect at the next start.")),
]
DURATION = Quantity(_("duration"), "T", "s", effect="restart", group=_("Experiment"))
DURATION_FIELD = Field(description=_("How long the spheres are observed. Takes effect at the next start."))
