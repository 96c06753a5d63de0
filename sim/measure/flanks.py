"""Both flanks of a heap from its profile alone, in the same way for a computed heap and for one in a picture."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.measure.angle_of_repose import measure_angle
from repose.sim.measure.angle_of_repose_3d import FOOT, TIP
from repose.sim.measure.surface_slope import SurfaceSlope

STRIPS = 24
"""Number of points of a fitted flank: the mean height in as many strips, each wider than a grain, whose deviations from
the line are nearly independent."""
FEWEST = 8
"""Least number of strips with points for a flank."""
TOP = 0.85
"""The apex is the middle of the parts of the profile above this share of the height [-]."""
ENDS = 0.05
"""A flank ends where the profile first falls below this share of the height [-]."""
SHORT = 0.2
"""A flank shorter than this share of the other one is none [-]: the heap leans against a wall there."""


class Flanks(NamedTuple):
    """The flanks of one profile y(x)."""

    left: SurfaceSlope | None
    """Slope of the left flank, in the coordinate -x; None if the heap has no such flank."""
    right: SurfaceSlope | None
    apex: float
    """x of the apex [m]."""
    feet: tuple[float, float]
    """x of the left and the right foot [m]."""
    height: float
    """[m]."""

    @property
    def measured(self) -> tuple[SurfaceSlope, ...]:
        """The flanks that exist."""
        return tuple(flank for flank in (self.left, self.right) if flank is not None)

    @property
    def angle(self) -> float:
        """Mean angle of the flanks [rad]; of a heap with two flanks an error of the horizon cancels in it."""
        return float(np.mean([flank.angle for flank in self.measured])) if self.measured else math.nan

    @property
    def standard_error(self) -> float:
        """Standard error of the mean angle, from the scatter about both lines [rad]."""
        errors = [flank.standard_error for flank in self.measured]
        return math.hypot(*errors) / len(errors) if errors else math.nan


def measure_flanks(x: Floats, y: Floats) -> Flanks | None:
    """The flanks of the profile y(x) [m] above the table, or None for a profile that is not above it.

    x ascending, shape (n,). Tip and foot are rounded and left out, as of a heap in space: the line is fitted by
    `measure_angle` between `TIP` and `FOOT` of the distance from the apex to the foot.
    """
    height = float(y.max(initial=0.0))
    if not height > 0.0:
        return None
    apex = float(x[y >= TOP * height].mean())
    feet = _foot(-x[::-1], y[::-1], -apex, height), _foot(x, y, apex, height)
    left, right = (
        _flank(sign * x, y, sign * apex, foot) if foot - sign * apex >= SHORT * (sum(feet)) else None
        for sign, foot in zip((-1.0, 1.0), feet)
    )
    return Flanks(left, right, apex, (-feet[0], feet[1]), height)


def _foot(x: Floats, y: Floats, apex: float, height: float) -> float:
    """x at which a profile that falls to the right first falls below `ENDS` of the height; its end if it does not."""
    low = np.flatnonzero((x > apex) & (y < ENDS * height))
    return float(x[low[0]] if low.size else x[-1])


def _flank(x: Floats, y: Floats, apex: float, foot: float) -> SurfaceSlope | None:
    """The slope of a flank that falls to the right, or None with too few points."""
    first, last = apex + TIP * (foot - apex), apex + FOOT * (foot - apex)
    width = (last - first) / STRIPS
    strip = np.floor((x - first) / width).astype(np.int64)
    inside = (strip >= 0) & (strip < STRIPS)
    counts = np.bincount(strip[inside], minlength=STRIPS)
    filled = np.flatnonzero(counts)
    if filled.size < FEWEST:
        return None
    heights = np.bincount(strip[inside], y[inside], STRIPS)[filled] / counts[filled]
    places = np.bincount(strip[inside], x[inside], STRIPS)[filled] / counts[filled]
    points = np.column_stack([places, heights])
    return measure_angle(points, np.full(filled.size, 0.5 * width), filled, x_range=(first, last), highest=1)
