"""The measured slope of a heap in 3D: fitted line on its left and right flank as seen, angle with its error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.measurement import SLOPE, label_extent, write_label

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

ARC = 0.42
"""Radius of the arc [lengths of the slope]."""
LEVEL = 1.15
"""Length of the level line [radii of the arc]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """The line z = intercept + slope r, r from the vertical axis of the heap, in 2D that faces the eye."""
    measurement = frame.snapshot.measurement
    if measurement is None or not math.isfinite(measurement.angle):
        return
    near, far = measurement.x_range
    ends = np.array([(r, measurement.intercept + measurement.slope * r) for r in (near, far)])
    for side in (-1.0, 1.0):
        _draw_flank(frame, canvas, ends, side)
    top = _project(frame, np.array(((0.0, measurement.intercept),)), 1.0)[0]
    if not np.isfinite(top).all():
        return
    width, height = label_extent(canvas, measurement)
    left, above, right, below = frame.inset
    pad = 10.0 * frame.scale
    x = min(max(top[0], left + pad + width / 2), frame.size[0] - right - pad - width / 2)
    y = min(max(top[1] - 2.0 * pad - height, above + pad), frame.size[1] - below - pad - height)
    write_label(frame, canvas, measurement, x, y)


def _draw_flank(frame: Frame, canvas: Canvas, ends: NDArray[np.float64], side: float) -> None:
    """Slope, level line and the arc between them, on one side."""
    top, foot = ends
    reach = ARC * float(np.hypot(*(top - foot)))
    tilt = math.atan2(top[1] - foot[1], foot[0] - top[0])
    turn = np.linspace(0.0, tilt, 25)
    arc = foot + reach * np.column_stack((-np.cos(turn), np.sin(turn)))
    level = np.array((foot, foot - (LEVEL * reach, 0.0)))
    lines = [(_project(frame, line, side), width) for line, width in ((ends, 2.2), (level, 1.4), (arc, 2.2))]
    if not all(np.isfinite(line).all() for line, _ in lines):
        return
    for line, width in lines:
        canvas.polyline(line, frame.palette.background, width + 3.0, alpha=0.65)
    for line, width in lines:
        canvas.polyline(line, frame.palette.mark, width)


def _project(frame: Frame, profile: NDArray[np.float64], side: float) -> NDArray[np.float64]:
    """Pixels of points (distance from the axis, height) [m], shape (n, 2), to the left or right of the axis."""
    low, high = (np.asarray(corner, np.float64) for corner in frame.snapshot.box)
    axis = (low + high)[:2] / 2
    right = frame.orbit.axes()[0]
    points = np.column_stack((axis + side * profile[:, :1] * right[:2], profile[:, 1]))
    return frame.orbit.world_to_pixel(points, frame.size)


PASS = Pass("slope_in_space", order=40, overlay=overlay, dimensions=(3,), switch=SLOPE)
