"""The signed distance to the surface of a body, at the nodes of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import ParameterError

ShowProgress = Callable[[Message, float], None]
"""Called between two parts of long work with the name of the work and its completed fraction, 0 to 1; an exception in
the function ends the work."""

MARGIN = 3
"""Nodes of a grid beyond the box of its body, on each side."""
FEWEST_CELLS, MOST_CELLS = 8, 500
"""Bounds of the number of cells along the longest edge of a body."""
MOST_NODES = 20_000_000
"""Largest number of nodes of a grid; each takes up to 40 bytes while distances are computed."""
TRIANGLES_PER_CALL = 20_000
"""Triangles between two calls of `ShowProgress`."""


def silent(words: Message, share: float) -> None:
    """A `ShowProgress` without effect."""


def part_of(show_progress: ShowProgress, first: float, last: float) -> ShowProgress:
    """The `ShowProgress` of a part of the work, from the fraction `first` to `last` of the whole [-]."""
    return lambda words, share: show_progress(words, first + (last - first) * share)


class DistanceField(NamedTuple):
    """Node (i, j, k) is at origin + step (i, j, k)."""

    depth: Floats
    """Distance to the surface, positive inside [m], shape (nodes in x, in y, in z)."""
    origin: Floats
    """Position of node (0, 0, 0) [m], shape (3,)."""
    step: float
    """[m]."""


class DistanceGrid(NamedTuple):
    """Nodes around a body."""

    origin: Floats
    """[m], shape (3,)."""
    step: float
    """[m]."""
    shape: tuple[int, int, int]


def grid_around(low: Floats, high: Floats, cells: int) -> DistanceGrid:
    """The grid with `cells` cells along the longest edge of the box from low to high [m], and `MARGIN` nodes around it.

    Raises `ParameterError` for a grid that is too coarse or takes too much memory.
    """
    if not FEWEST_CELLS <= cells <= MOST_CELLS:
        raise ParameterError(
            plural(
                "A grid of {count} cell along the longest edge is refused; choose {fewest_cells} to {most_cells}.",
                "A grid of {count} cells along the longest edge is refused; choose {fewest_cells} to {most_cells}.",
                count=cells,
                fewest_cells=FEWEST_CELLS,
                most_cells=MOST_CELLS,
            )
        )
    step = float((high - low).max()) / cells
    shape = 2 * np.ceil((high - low) / (2.0 * step) - 1e-9).astype(int) + 1 + 2 * MARGIN  # a node is at the centre
    require_memory(shape)
    origin = 0.5 * (low + high) - 0.5 * step * (shape - 1)
    return DistanceGrid(origin, step, (int(shape[0]), int(shape[1]), int(shape[2])))


FEWER_CELLS = _("choose fewer cells")


def require_memory(shape: NDArray[np.int64], remedy: Message = FEWER_CELLS) -> None:
    """Raise `ParameterError` for a grid with too many nodes."""
    nodes = int(np.prod(np.asarray(shape, np.int64)))
    if nodes > MOST_NODES:
        size = " × ".join(str(int(edge)) for edge in shape)
        raise ParameterError(
            Message(
                "A grid of {size} = {nodes} million nodes takes too much memory; at most {most_nodes} "
                "million are possible: {remedy}.",
                size=size,
                nodes=Number(nodes / 1000000.0, format=".0f"),
                most_nodes=Number(MOST_NODES / 1000000.0, format=".0f"),
                remedy=remedy,
            )
        )


def nodes_of(grid: DistanceGrid) -> tuple[Floats, Floats, Floats]:
    """Coordinates x, y, z of the nodes [m], in shapes that broadcast to that of the grid."""
    x, y, z = (grid.origin[c] + grid.step * np.arange(grid.shape[c]) for c in range(3))
    return x[:, None, None], y[None, :, None], z[None, None, :]


def field_of_triangles(
    triangles: Floats, grid: DistanceGrid, inside: NDArray[np.bool_], show_progress: ShowProgress = silent
) -> DistanceField:
    """The field of a closed surface: triangles [m], shape (triangles, 3, 3); `inside` is True for nodes inside."""
    from repose.sim.clumps.grid_loops import near_triangles, sweep

    triangles = np.ascontiguousarray(triangles, float)
    squared = np.full(grid.shape, np.inf)
    closest = np.full(grid.shape, -1, np.int32)
    for first in range(0, len(triangles), TRIANGLES_PER_CALL):
        show_progress(_("distances near the surface"), 0.3 * first / len(triangles))
        last = min(len(triangles), first + TRIANGLES_PER_CALL)
        near_triangles(triangles, grid.origin, grid.step, squared, closest, first, last)
    directions = [(di, dj, dk) for di in (1, -1) for dj in (1, -1) for dk in (1, -1)]
    for number, direction in enumerate(directions):
        show_progress(_("distances on the grid"), 0.3 + 0.7 * number / len(directions))
        sweep(triangles, grid.origin, grid.step, squared, closest, *direction)
    del closest
    depth = np.sqrt(squared, out=squared)
    np.negative(depth, out=depth, where=~inside)
    return DistanceField(depth, grid.origin, grid.step)


def winding_around(triangles: Floats, grid: DistanceGrid) -> NDArray[np.int16]:
    """Winding number of closed triangles [m], shape (triangles, 3, 3), around each node: 0 outside, 1 inside a surface
    that is anticlockwise seen from outside, 2 in the overlap of two such bodies."""
    from repose.sim.clumps.grid_loops import crossings

    crossed = np.zeros(grid.shape, np.int16)
    crossings(np.ascontiguousarray(triangles, float), grid.origin, grid.step, crossed)
    winding: NDArray[np.int16] = np.cumsum(crossed, axis=2, dtype=np.int16, out=crossed)
    return winding


def field_of_voxels(filled: NDArray[np.bool_], step: float) -> DistanceField:
    """The field of a body of voxels of edge `step` [m], with one node at the centre of each voxel: the distance to the
    nearest centre on the other side of the surface, minus half a voxel. The origin is the centre of the array."""
    from scipy.ndimage import distance_transform_edt

    require_memory(np.array(filled.shape) + 2 * MARGIN)
    padded = np.pad(filled, MARGIN)
    depth = distance_transform_edt(padded)
    outside = distance_transform_edt(~padded)
    depth = step * np.where(padded, depth - 0.5, 0.5 - outside)
    return DistanceField(depth, -0.5 * step * (np.array(padded.shape) - 1.0), step)


def iso_surface(field: DistanceField, level: float = 0.0) -> Floats:
    """Triangles [m], shape (triangles, 3, 3), where the depth is `level` [m]: marching cubes (Lewiner et al. 2003)."""
    points, corners = iso_points(field, level)
    triangles: Floats = points[corners]
    return triangles


def iso_points(field: DistanceField, level: float = 0.0) -> tuple[Floats, NDArray[np.int32]]:
    """Points [m], shape (points, 3), and triangles, as rows of points, of the surface at the depth `level` [m]; empty
    if no point of the body is as deep."""
    from skimage.measure import marching_cubes

    if not field.depth.min() < level < field.depth.max():
        return np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    points, corners, _, _ = marching_cubes(field.depth, level, spacing=(field.step,) * 3, gradient_direction="ascent")
    return field.origin + points.astype(float), corners


def depth_on(field: DistanceField, x: Floats, y: Floats, z: Floats) -> Floats:
    """Depth [m] at the nodes of a grid with these coordinates [m], interpolated linearly, shape (x, y, z); outside the
    field the depth at its edge."""
    depth = field.depth
    for axis, places in enumerate((x, y, z)):
        last = depth.shape[axis] - 1
        position = np.clip((places - field.origin[axis]) / field.step, 0.0, last)
        low = np.minimum(position.astype(int), last - 1)
        share = (position - low).reshape([-1 if c == axis else 1 for c in range(3)])
        depth = (1.0 - share) * np.take(depth, low, axis) + share * np.take(depth, low + 1, axis)
    return depth


def depth_at(field: DistanceField, points: Floats) -> Floats:
    """Depth of points [m], shape (points, 3), interpolated linearly; outside the grid the depth at its edge."""
    from repose.sim.clumps.grid_loops import interpolated

    depths = np.empty(len(points))
    interpolated(field.depth, field.origin, field.step, np.ascontiguousarray(points, float), depths)
    return depths
