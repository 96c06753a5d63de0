"""The ground under a scene in 3D: a pool of light that fades into the background, with the scene's soft shadow."""

from __future__ import annotations

import numpy as np
from repose.app.render.ambient_occlusion import AmbientOcclusion
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.sim.experiment.snapshot import Floats

SHADED = 0.16
"""Share of light left where neither lamp nor sky reaches."""
LAMP_SHARE = 0.6
"""Of the light on the ground; the sky gives the rest."""
REACH = 1.0
"""How far the ground goes beyond the box before it has faded [half sides of the box]."""

MOST_CELLS, MARGIN_CELLS = 36, 7
"""Cells along a side of the ground, and beyond each end of it: the shadow is soft, the rest smooth."""


def instances(frame: Frame) -> Floats | None:
    """One rectangle per cell of the occlusion on the ground; none when it would be seen from below."""
    low, high = (np.asarray(corner, np.float64) for corner in frame.snapshot.box)
    if frame.orbit.eye()[2] <= low[2]:
        return None
    lamp, sky = np.moveaxis(frame.ambient_occlusion.ground, -1, 0)
    reach = REACH * float((high - low)[:2].max()) / 2
    x, y, light = _widen(frame.ambient_occlusion, LAMP_SHARE * lamp + (1.0 - LAMP_SHARE) * sky, reach)
    middle, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    beyond = np.hypot(
        np.maximum(np.abs(x - middle[0]) / half[0] - 1.0, 0.0)[:, None] * half[0],
        np.maximum(np.abs(y - middle[1]) / half[1] - 1.0, 0.0)[None, :] * half[1],
    ) / max(reach, 1e-12)
    alpha = np.clip(1.0 - beyond**2, 0.0, 1.0) ** 3
    lit = SHADED + (1.0 - SHADED) * light
    count = (len(x) - 1) * (len(y) - 1)
    rows = np.empty((count, 16), np.float32)
    rows[:, 0], rows[:, 1] = (v.ravel() for v in np.meshgrid(x[:-1], y[:-1], indexing="ij"))
    rows[:, 2], rows[:, 3] = (v.ravel() for v in np.meshgrid(x[1:], y[1:], indexing="ij"))
    rows[:, 4] = low[2]
    rows[:, 5:8] = to_linear(frame.palette.solid)
    for first, corners in ((8, lit), (12, alpha)):
        rows[:, first] = corners[:-1, :-1].ravel()
        rows[:, first + 1] = corners[1:, :-1].ravel()
        rows[:, first + 2] = corners[:-1, 1:].ravel()
        rows[:, first + 3] = corners[1:, 1:].ravel()
    there: Floats = rows[rows[:, 12:].max(axis=1) > 0.0]
    return there


def _widen(occlusion: AmbientOcclusion, light: Floats, reach: float) -> tuple[Floats, Floats, Floats]:
    """Corners of cells along x and y [m] and the light on them, to `reach` [m] beyond those of `occlusion`."""
    stride = -(-max(light.shape) // MOST_CELLS)
    lines, picks = [], []
    for start, count in zip(occlusion.origin, light.shape):
        pick = np.r_[np.arange(0, count - 1, stride), count - 1]
        inner = start + occlusion.cell * pick
        outer = reach * (np.arange(1, MARGIN_CELLS + 1) / MARGIN_CELLS)
        lines.append(np.r_[inner[0] - outer[::-1], inner, inner[-1] + outer])
        picks.append(np.r_[np.zeros(MARGIN_CELLS, np.intp), pick, np.full(MARGIN_CELLS, count - 1)])
    return lines[0], lines[1], light[np.ix_(*picks)]


PASS = Pass(
    "ground",
    order=5,
    shader="ground",
    attributes=(4, 1, 3, 4, 4),
    instances=instances,
    dimensions=(3,),
    switch=CONTAINER,
)
