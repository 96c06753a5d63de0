"""Bodies in 3D: opaque triangles in the light of the spheres."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.sim.experiment.snapshot import Floats


def instances(frame: Frame) -> Floats | None:
    """One triangle per row."""
    solid = frame.snapshot.geometry.solid
    if not len(solid):
        return None
    rows = np.empty((len(solid), 21), np.float32)
    rows[:, :18] = solid.reshape(-1, 18)
    rows[:, 18:] = to_linear(frame.palette.fixed)
    return rows


PASS = Pass(
    "solids",
    order=15,
    shader="solids",
    attributes=(3, 3, 3, 3, 3, 3, 3),
    instances=instances,
    dimensions=(3,),
    depth="kept",
)
