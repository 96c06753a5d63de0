"""Parameters of the scenes that release spheres to verify a law."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.parameters import Quantity

SphereRadius = Annotated[
    float,
    Ge(1e-3),
    Le(0.1),
    Quantity("radius", "R", "mm", scale=1e-3, effect="restart", group="Spheres"),
    Field(description="Of every sphere. Takes effect at the next start."),
]
Repeat = Annotated[
    bool,
    Quantity("repeat", "", group="Experiment"),
    Field(description="The run starts again after a short pause. Without it the end stays in view."),
]
SphereMass = Annotated[
    float,
    Ge(1e-5),
    Le(10.0),
    Quantity("mass", "m", "g", scale=1e-3, effect="restart", group="Spheres"),
    Field(description="Of every sphere. Takes effect at the next start."),
]
DURATION = Quantity("duration", "T", "s", effect="restart", group="Experiment")
DURATION_FIELD = Field(description="How long the spheres are observed. Takes effect at the next start.")
