"""Angle of a heap's flank in space, from the radius of the heap at each height.

The averaged profile of `angle_of_repose_3d` suits a cone. A heap of interlocking bodies has a flat top and a steep
flank: there the distance from the axis is fitted as a function of the height.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.measure.angle_of_repose_3d import SECTORS

TOP = 0.98
"""Share of the volume below the height of a heap [-]."""
FROM, TO = 0.15, 0.85
"""Fitted part of the height [-]: foot and top are rounded, and single grains lie around the foot."""
LAYERS = 8
"""Number of layers in this part."""
FEWEST, FEWEST_LAYERS = 3, 4
"""Least number of spheres per layer, and of layers, for a fit."""
STEEPEST = 0.01
"""Least loss of radius per height [-]: a vertical or overhanging flank counts as one of 89.4°."""


class FlankAngle(NamedTuple):
    """One measurement of the flank of a heap about the vertical axis through the origin."""

    angle: float
    """[rad]."""
    standard_error: float
    """Standard error of the angle, from the scatter of the sectors [rad]."""
    distance: Floats
    """Radius of the heap in each layer [m], shape (layers,)."""
    height: Floats
    """Mean height of each layer [m], shape (layers,)."""
    intercept: float
    """Height of the fitted line at the axis [m]."""
    fitted: tuple[float, float]
    """Radius of the heap at the ends of the fitted line, smaller first [m]."""
    used_ids: NDArray[np.int64]
    """Identity of each sphere in the layers that is at the line or outside it, shape (used,)."""
    grains_left: int


def measure_flank(position: Floats, radius: Floats, sphere_id: NDArray[np.int64]) -> FlankAngle | None:
    """The flank of a heap of spheres, position (n, 3) [m], or None for too few of them.

    The radius of the heap in a layer is that of a disc with the same mean square distance from the axis.
    """
    if radius.size < FEWEST * LAYERS:
        return None
    volume, height = radius**3, position[:, 2]
    order = np.argsort(height)
    below = np.cumsum(volume[order])
    high = float(height[order][np.searchsorted(below, TOP * below[-1])])
    layer = np.floor((height / high - FROM) / (TO - FROM) * LAYERS) if high > 0.0 else np.full(height.size, -1.0)
    squared = (position[:, :2] ** 2).sum(axis=1)

    def radii(rows: list[NDArray[np.intp]]) -> Floats:
        """Height and radius of the heap in each layer that has enough of these spheres, shape (2, layers)."""
        entries = [
            (np.average(height[part], weights=volume[part]), 2.0 * np.average(squared[part], weights=volume[part]))
            for part in rows
            if part.size >= FEWEST
        ]
        both = np.array(entries).reshape(-1, 2).T
        return np.stack([both[0], np.sqrt(both[1])])

    in_layer = [np.flatnonzero(layer == number) for number in range(LAYERS)]
    whole = radii(in_layer)
    if whole.shape[1] < FEWEST_LAYERS:
        return None
    loss, at_plate = (float(number) for number in np.polyfit(whole[0], whole[1], 1))
    loss = max(-loss, STEEPEST)
    at_plate = float((whole[1] + loss * whole[0]).mean())
    bearing = np.arctan2(position[:, 1], position[:, 0])
    sector = np.floor((bearing + np.pi) / (2.0 * np.pi) * SECTORS).astype(np.int64) % SECTORS
    parts = [radii([rows[sector[rows] == number] for rows in in_layer]) for number in range(SECTORS)]
    angles = [np.arctan2(1.0, -np.polyfit(part[0], part[1], 1)[0]) for part in parts if part.shape[1] >= FEWEST_LAYERS]
    error = float(np.std(angles, ddof=1) / np.sqrt(len(angles))) if len(angles) > 1 else float("nan")
    ends = at_plate - loss * whole[0][[-1, 0]]
    fitted = (layer >= 0.0) & (layer < LAYERS)
    return FlankAngle(
        angle=float(np.arctan(1.0 / loss)),
        standard_error=error,
        distance=whole[1],
        height=whole[0],
        intercept=at_plate / loss,
        fitted=(float(ends[0]), float(ends[1])),
        used_ids=sphere_id[fitted & (np.sqrt(squared) + radius > at_plate - loss * height)],
        grains_left=int(radius.size),
    )
