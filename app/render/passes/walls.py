"""Walls in 2D other than those of fixed grains, as lines."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.sim.experiment.snapshot import Floats

WIDTH = 3.0
"""Width of a line [units of line width]."""


def instances(frame: Frame) -> Floats | None:
    """One line per wall."""
    facets = frame.snapshot.geometry.facets
    if not len(facets) or facets.shape[1:] != (2, 2):
        return None
    rows = np.empty((len(facets), 9), np.float32)
    rows[:, 0:4] = facets.reshape(-1, 4)
    rows[:, 4] = WIDTH * frame.scale
    rows[:, 5:8] = to_linear(frame.palette.fixed)
    rows[:, 8] = 1.0
    return rows[np.isfinite(rows).all(axis=1)]


PASS = Pass(
    "walls", order=15, shader="lines", attributes=(4, 1, 4), instances=instances, dimensions=(2,), switch=CONTAINER
)
