"""Outline of the box around a scene in 3D that has no walls of its own."""

from __future__ import annotations

import itertools

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.sim.experiment.snapshot import Floats

WIDTH, ALPHA = 1.0, 0.4
"""Of an edge [units of line width], [-]."""


def instances(frame: Frame) -> Floats | None:
    """The twelve edges of the box."""
    if len(frame.snapshot.facets):
        return None
    low, high = frame.snapshot.box
    corners = np.array(list(itertools.product(*zip(low, high))))
    pairs = [(i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit]
    rows = np.zeros((len(pairs), 12), np.float32)
    rows[:, 0:6] = corners[np.array(pairs)].reshape(-1, 6)
    rows[:, 7] = WIDTH * frame.scale
    rows[:, 8:11] = to_linear(frame.palette.faint)
    rows[:, 11] = ALPHA
    return rows


PASS = Pass(
    "outline",
    order=54,
    shader="strokes",
    attributes=(3, 3, 2, 4),
    instances=instances,
    dimensions=(3,),
    depth="tested",
    switch=CONTAINER,
)
