"""The ground under a scene in 3D: it fades into the background and shows the soft shadow of the packing."""

from __future__ import annotations

import numpy as np
from repose.app.render.ambient_occlusion import AmbientOcclusion
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.sim.experiment.snapshot import Floats

SHADED = 0.16
"""Fraction of the light where neither the lamp nor the sky is visible [-]."""
LAMP_SHARE = 0.6
"""Fraction of the light on the ground that comes from the lamp; the rest comes from the sky [-]."""
REACH = 1.0
"""Distance beyond the box at which the ground has faded [half sides of the box]."""

MOST_CELLS, MARGIN_CELLS = 36, 7
"""Largest number of cells along a side of the box, and number of cells beyond each side."""


def instances(frame: Frame) -> Floats | None:
    """One rectangle per cell of the ground; none if the eye is below the ground."""
    low, high = (np.asarray(corner, np.float64) for corner in frame.snapshot.geometry.box)
    if frame.orbit.eye()[2] <= low[2]:
        return None
    lamp, sky = np.moveaxis(frame.ambient_occlusion.ground, -1, 0)
    reach = REACH * float((high - low)[:2].max()) / 2
    x, y, light = _extend(frame.ambient_occlusion, LAMP_SHARE * lamp + (1.0 - LAMP_SHARE) * sky, reach)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    distance = np.hypot(
        np.maximum(np.abs(x - middle[0]) / half[0] - 1.0, 0.0)[:, None] * half[0],
        np.maximum(np.abs(y - middle[1]) / half[1] - 1.0, 0.0)[None, :] * half[1],
    ) / max(reach, 1e-12)
    alpha = np.clip(1.0 - distance**2, 0.0, 1.0) ** 3
    brightness = SHADED + (1.0 - SHADED) * light
    count = (len(x) - 1) * (len(y) - 1)
    rows = np.empty((count, 16), np.float32)
    rows[:, 0], rows[:, 1] = (v.ravel() for v in np.meshgrid(x[:-1], y[:-1], indexing="ij"))
    rows[:, 2], rows[:, 3] = (v.ravel() for v in np.meshgrid(x[1:], y[1:], indexing="ij"))
    rows[:, 4] = low[2]
    rows[:, 5:8] = to_linear(frame.palette.solid)
    for first, corners in ((8, brightness), (12, alpha)):
        rows[:, first] = corners[:-1, :-1].ravel()
        rows[:, first + 1] = corners[1:, :-1].ravel()
        rows[:, first + 2] = corners[:-1, 1:].ravel()
        rows[:, first + 3] = corners[1:, 1:].ravel()
    visible: Floats = rows[rows[:, 12:].max(axis=1) > 0.0]
    return visible


def _extend(occlusion: AmbientOcclusion, light: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """Corners of the cells along x and y [m] to `reach` [m] beyond those of `occlusion`, and the light there."""
    stride = -(-max(light.shape) // MOST_CELLS)
    coordinates, indices = [], []
    for start, count in zip(occlusion.origin, light.shape):
        index = np.r_[np.arange(0, count - 1, stride), count - 1]
        inner = start + occlusion.cell * index
        outer = reach * (np.arange(1, MARGIN_CELLS + 1) / MARGIN_CELLS)
        coordinates.append(np.r_[inner[0] - outer[::-1], inner, inner[-1] + outer])
        indices.append(np.r_[np.zeros(MARGIN_CELLS, np.intp), index, np.full(MARGIN_CELLS, count - 1)])
    return coordinates[0], coordinates[1], light[np.ix_(*indices)]


PASS = Pass(
    "ground",
    order=5,
    shader="ground",
    attributes=(4, 1, 3, 4, 4),
    instances=instances,
    dimensions=(3,),
    switch=CONTAINER,
)
