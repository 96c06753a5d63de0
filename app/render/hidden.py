"""Test for spheres that are hidden behind others and need not be drawn.

In a dense packing most spheres are hidden, and a software renderer would shade all of them. The test is on the safe
side: a sphere counts as hidden only if opaque spheres in front of it cover its whole outline. The picture therefore
stays the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import Size
from repose.app.render.orbit import Camera3D
from repose.sim.experiment.snapshot import Floats

FINE = 2.0
"""Cells per radius of a typical sphere."""
LEAST = 3
"""Smallest width of a cell [pixel]."""
EDGE = 1.5
"""Width of the blended edge of a sphere, on either side [pixel]."""


def seen_from(camera: Camera3D, size: Size, position: Floats, radius: Floats) -> NDArray[np.bool_]:
    """Whether a sphere may be seen, shape (n,), of opaque spheres at `position` (n, 3) [m] with `radius` (n,) [m].

    The disc through the middle of a sphere, across the line of sight, is inside the sphere: its outline is a circle
    that the sphere covers, no deeper than its middle.
    """
    right, up, back = camera.axes().astype(np.float32)
    place = np.asarray(position, np.float32) - camera.eye().astype(np.float32)
    depth, focal = -(place @ back), np.float32(camera.focal(size))
    ahead = depth > np.float32(camera.near) + radius
    depth = np.where(ahead, depth, np.float32(1.0)).astype(np.float32)
    x, y = (place @ right) / depth, (place @ up) / depth
    middle = np.stack((focal * x + size[0] / 2 + camera.offset[0], size[1] / 2 + camera.offset[1] - focal * y))
    inner = (focal * radius / depth).astype(np.float32) - np.float32(EDGE)
    near = np.where(ahead, depth - radius, np.float32(1.0)).astype(np.float32)
    # A point of the sphere is at most one radius off in each direction, and not nearer than `near`.
    outer = focal * radius / near * (1.0 + np.abs(np.stack((x, y)))) + np.float32(EDGE)
    low, high = middle - outer, middle + outer
    within: NDArray[np.bool_] = (
        ahead & (high > 0.0).all(axis=0) & (low < np.array(size, np.float32)[:, None]).all(axis=0)
    )
    if not within.any():
        return within
    cell = max(LEAST, int(np.median(inner[within]) / FINE))
    covered = _covered_depth(size, cell, middle[:, within], inner[within], depth[within])
    hidden = _is_behind(covered, cell, low[:, within], high[:, within], near[within])
    within[within] = ~hidden
    return within


def _covered_depth(size: Size, cell: int, middle: Floats, inner: Floats, depth: Floats) -> Floats:
    """Depth at which each cell of the picture is wholly covered [m], infinite elsewhere, shape (rows, columns)."""
    columns, rows = -(-size[0] // cell), -(-size[1] // cell)
    deepest = np.full((rows, columns), np.inf, np.float32)
    order = np.argsort(-depth)  # of several values for one cell, the last one is kept: the nearest
    x, y, inner = (values[order] / np.float32(cell) for values in (middle[0], middle[1], inner))
    first = np.clip(np.ceil(y - inner), 0, rows).astype(np.int32)
    last = np.clip(np.floor(y + inner), 0, rows).astype(np.int32)
    sphere, row = _spans(first, last)
    off = np.maximum(np.abs(row - y[sphere]), np.abs(row + 1 - y[sphere]))
    half = np.sqrt(np.maximum(inner[sphere] ** 2 - off**2, 0.0))
    first = np.clip(np.ceil(x[sphere] - half), 0, columns).astype(np.int32)
    last = np.clip(np.floor(x[sphere] + half), 0, columns).astype(np.int32)
    strip, column = _spans(first, last)
    deepest[row[strip], column] = depth[order][sphere[strip]]
    return deepest


def _is_behind(covered: Floats, cell: int, low: Floats, high: Floats, near: Floats) -> NDArray[np.bool_]:
    """Whether all cells from `low` to `high` [pixel] are covered before the depth `near` [m].

    The deepest cell of a rectangle is that of four squares at its corners, which overlap; their sides are powers of 2.
    """
    ends = np.array(covered.shape[::-1])[:, None]
    first = np.clip(np.floor(low / cell), 0, ends - 1).astype(np.int32)
    last = np.clip(np.ceil(high / cell), 1, ends).astype(np.int32)
    width, height = last - first
    level = np.log2(np.minimum(width, height)).astype(np.int32)
    # Longer rectangles count as seen: an outline is nearly as high as wide.
    hidden: NDArray[np.bool_] = np.maximum(width, height) <= 2 << level
    deepest = covered
    for at in range(int(level.max(initial=0)) + 1):
        these = np.flatnonzero(hidden & (level == at))
        side = 1 << at
        left, top = first[:, these]
        right, bottom = last[:, these] - side
        corners = (deepest[y, x] for y in (top, bottom) for x in (left, right))
        hidden[these] = np.logical_and.reduce([corner < near[these] for corner in corners])
        for axis in (0, 1):  # to the maximum over squares of twice the side
            shifted = deepest[side:] if axis == 0 else deepest[:, side:]
            kept = deepest[:-side] if axis == 0 else deepest[:, :-side]
            deepest = np.maximum(kept, shifted)
    return hidden


def _spans(first: NDArray[np.int32], last: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The whole numbers from `first` to `last` - 1, one span after the other: which span, and the number."""
    lengths = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), lengths)
    begins = np.cumsum(lengths) - lengths
    return which, np.arange(len(which)) - (begins - first)[which]
