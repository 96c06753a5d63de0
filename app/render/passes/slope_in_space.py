"""The measured slope of a heap in 3D: fitted cone, its angle from the horizontal, and the number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.measured_slope import SLOPE, label_extent, write_label
from repose.sim.measure.surface_slope import SurfaceSlope

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

ARC = 0.42
"""Radius of the arc [lengths of the slope]."""
LEVEL = 1.15
"""Length of the level line [radii of the arc]."""
ROUND = 64
"""Number of line segments of a circle."""
RING, FAR_RING = 0.9, 0.3
"""Opacity of the circles at the ends of the fitted interval: in front of the heap, and behind it."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the cone z = intercept + slope r about the vertical axis of the heap, and its outline for the eye."""
    measurement = frame.snapshot.results.slope
    if measurement is None or not math.isfinite(measurement.angle):
        return
    near, far = measurement.x_range
    ends = np.array([(r, measurement.intercept + measurement.slope * r) for r in (near, far)])
    for distance, height in ends:
        _draw_ring(frame, canvas, distance, height)
    for side in (-1.0, 1.0):
        _draw_flank(frame, canvas, ends, side)
    _write_angle(frame, canvas, measurement, float(ends[0, 1]))


def _draw_ring(frame: Frame, canvas: Canvas, distance: float, height: float) -> None:
    """Draw a circle about the axis, fainter behind the heap."""
    turn = np.linspace(0.0, math.tau, ROUND + 1)
    back = frame.orbit.axes()[2]
    towards = math.atan2(back[1], back[0])
    circle = _axis(frame) + distance * np.column_stack((np.cos(towards + turn), np.sin(towards + turn)))
    line = frame.orbit.world_to_pixel(np.column_stack((circle, np.full(len(circle), height))), frame.size)
    if not np.isfinite(line).all():
        return
    quarter = ROUND // 4
    front = np.concatenate((line[-quarter - 1 :], line[1 : quarter + 1]))
    behind = line[quarter:-quarter]
    for part, alpha in ((behind, FAR_RING), (front, RING)):
        canvas.polyline(part, frame.palette.background, 4.0, alpha=0.5 * alpha)
        canvas.polyline(part, frame.palette.mark, 1.5, alpha=alpha)


def _draw_flank(frame: Frame, canvas: Canvas, ends: NDArray[np.float64], side: float) -> None:
    """Draw fitted line, horizontal line and the arc between them on one side of the axis."""
    top, foot = ends
    reach = ARC * float(np.hypot(*(top - foot)))
    tilt = math.atan2(top[1] - foot[1], foot[0] - top[0])
    turn = np.linspace(0.0, tilt, 25)
    arc = foot + reach * np.column_stack((-np.cos(turn), np.sin(turn)))
    level = np.array((foot, foot - (LEVEL * reach, 0.0)))
    lines = [(_project(frame, line, side), width) for line, width in ((ends, 2.6), (level, 1.4), (arc, 2.2))]
    if not all(np.isfinite(line).all() for line, _ in lines):
        return
    for line, width in lines:
        canvas.polyline(line, frame.palette.background, width + 3.0, alpha=0.65)
    for line, width in lines:
        canvas.polyline(line, frame.palette.mark, width)


def _write_angle(frame: Frame, canvas: Canvas, measurement: SurfaceSlope, top: float) -> None:
    """Draw the number above the highest grain of the heap and the upper end `top` of the fitted interval [m], inside
    the part of the picture without panels. The extended line meets the axis far above a steep heap."""
    snapshot = frame.snapshot
    moving = ~snapshot.grains.fixed
    tops = snapshot.grains.position[moving].astype(np.float64)
    tops[:, 2] += snapshot.grains.radius[moving]
    seen = frame.orbit.world_to_pixel(tops, frame.size)[:, 1]
    peak = frame.orbit.world_to_pixel(np.array((*_axis(frame), top)), frame.size)
    if not np.isfinite(peak).all():
        return
    height = label_extent(frame, canvas, measurement)[1]
    highest = min(float(np.nanmin(seen, initial=math.inf)), peak[1])
    write_label(frame, canvas, measurement, float(peak[0]), highest - 10.0 * frame.scale - height)


def _axis(frame: Frame) -> NDArray[np.float64]:
    """Intersection of the vertical axis of the heap and the ground [m], shape (2,)."""
    low, high = (np.asarray(corner, np.float64) for corner in frame.snapshot.geometry.box)
    axis: NDArray[np.float64] = (low + high)[:2] / 2
    return axis


def _project(frame: Frame, profile: NDArray[np.float64], side: float) -> NDArray[np.float64]:
    """Pixels of points (distance from the axis, height) [m], shape (n, 2), to the left or right of the axis."""
    right = frame.orbit.axes()[0]
    points = np.column_stack((_axis(frame) + side * profile[:, :1] * right[:2], profile[:, 1]))
    return frame.orbit.world_to_pixel(points, frame.size)


PASS = Pass("slope_in_space", order=40, overlay=overlay, dimensions=(3,), switch=SLOPE)
