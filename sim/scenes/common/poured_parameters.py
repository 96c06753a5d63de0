"""Numbers of grains that are poured, declared once for the scenes that pour them."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.parameters import Quantity

GrainCount = Annotated[
    int,
    Ge(1),
    Le(20_000),
    Quantity("grains", "N", effect="restart", group="Grains"),
    Field(description="How many spheres are poured. Takes effect at the next start."),
]
MeanRadius = Annotated[
    float,
    Ge(5e-4),
    Le(0.05),
    Quantity("mean radius", "R", "mm", scale=1e-3, effect="restart", group="Grains"),
    Field(description="Mean radius of the spheres. Takes effect at the next start."),
]
SizeSpread = Annotated[
    float,
    Ge(0.0),
    Le(0.5),
    Quantity("size spread", "", effect="restart", group="Grains"),
    Field(description="Radii are uniform within this share of the mean. Takes effect at the next start."),
]
SpeedAtRest = Annotated[
    float,
    Ge(1e-5),
    Le(1.0),
    Quantity("settle speed", "v_min", "mm/s", scale=1e-3, log=True, group="Experiment"),
]
SettleSpeed = Annotated[
    SpeedAtRest,
    Field(description="The heap counts as at rest once the mean speed stays below this."),
]
