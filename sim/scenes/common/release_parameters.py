"""Parameters of the scenes that release spheres to verify a law."""

from __future__ import annotations

from typing import Annotated

from repose.sim.parameters import length, number, switch

# fmt: off
SphereRadius = Annotated[float, length(..., 1e-3, 0.1, "radius", "R", effect="restart", group="Spheres",
    help="Of every sphere. Takes effect at the next start.")]
Repeat = Annotated[bool, switch(..., "repeat", group="Experiment",
    help="The run starts again after a short pause. Without it the end stays in view.")]
SphereMass = Annotated[float, number(..., 1e-5, 10.0, "mass", "m", "g", effect="restart", group="Spheres",
    help="Of every sphere. Takes effect at the next start.")]
# fmt: on
