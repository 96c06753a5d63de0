"""Cell list: cells hashed into a table whose size depends on the number of spheres only.

A distant sphere costs no memory. Two cells may share a bucket: the search for spheres near walls compares cell
coordinates, and the search for pairs removes duplicates afterwards. Cells adjacent in x are in adjacent buckets: a row
of three cells is one search, except at the end of the table.

Spheres much larger than most have cells and a table of their own; otherwise one large sphere would enlarge the cells of
all others. Spheres of either kind are searched in both tables.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.images import coordinate_in_cell
from repose.sim.engine.jit import compilable
from repose.sim.engine.world import Floats

PRIMES = (19349663, 83492791)
"""Factors of the hash function (Teschner et al. 2003)."""


def in_order_of_place(position: Floats, size: float) -> NDArray[np.intp]:
    """Rows in the order of cells of this size [m], bottom up; place [m], shape (n, dimension). Spheres that are
    neighbours in space are then neighbours in the tables and in the processor's cache."""
    cell = np.floor(position / size).T
    return np.lexsort((position[:, 0], *cell[1:]))


@compilable
def bucket_of(x, y, z, mask):
    """Bucket of a cell; in the plane z is 0."""
    return (x + (y * PRIMES[0] ^ z * PRIMES[1])) & mask


class Cells(NamedTuple):
    """Cells of this rebuild: of spheres up to the radius `limit`, and of larger ones."""

    kinds: int
    """Number of kinds: 2 if larger spheres may exist, else 1."""
    limit: float
    """Radius above which a sphere counts as large [m]."""
    largest: tuple[float, float]
    """Largest radius of each kind [m]."""
    size: tuple[float, float]
    """Width of the cells of each kind: the largest distance at which two spheres of the kind are listed [m]."""


@compilable
def cells_for(search, radius, gap):
    """The cells for these spheres; `gap` is the largest one of a listed pair [m]."""
    kinds = 2 if search.large_start.size > 1 else 1
    limit = search.large[0] if kinds == 2 else math.inf
    most = 0.0
    rest = 0.0
    for i in range(radius.size):
        most = max(most, radius[i] if radius[i] <= limit else 0.0)
        rest = max(rest, radius[i] if radius[i] > limit else 0.0)
    return Cells(kinds, limit, (most, rest), (2.0 * most + gap, 2.0 * rest + gap))


@compilable
def bucket_of_sphere(cell, i, mask):
    """Bucket of the cell in which sphere i lies."""
    return bucket_of(cell[0, i], cell[1, i], cell[2, i] if cell.shape[0] == 3 else 0, mask)


@compilable
def find_cells(cell, world, cells, periodic_like, first, last):
    """Compute the cell coordinates of the spheres first to last - 1."""
    motion, radius, boundary = world.motion, world.radius, world.boundary
    for c in range(cell.shape[0]):
        for i in range(first, last):
            size = cells.size[0] if radius[i] <= cells.limit else cells.size[1]
            cell[c, i] = np.int64(math.floor(coordinate_in_cell(motion[c, 0, i], boundary, c, periodic_like) / size))


@compilable
def sort_into_cells(world, cells, periodic_like):
    """Sort the rows of all spheres by kind and bucket, and write their positions and radii in this order."""
    search, motion, radius = world.workspace.search, world.motion, world.radius
    cell = search.cell
    order = search.order
    position = search.position
    count = cell.shape[1]
    slots = sort_kind(search, radius, 0.0, cells.limit, search.bucket_start, 0)
    if cells.kinds == 2:
        sort_kind(search, radius, cells.limit, math.inf, search.large_start, slots)
    for c in range(cell.shape[0]):
        for slot in range(count):
            position[c, slot] = coordinate_in_cell(motion[c, 0, order[slot]], world.boundary, c, periodic_like)
    for slot in range(count):
        position[cell.shape[0], slot] = radius[order[slot]]


@compilable
def sort_kind(search, radius, smallest, largest, start, first):
    """Write the rows of spheres with radii above `smallest` and up to `largest`, sorted by bucket, from slot `first` on
    (counting sort, stable); returns the next free slot."""
    cell = search.cell
    order = search.order
    mask = start.size - 2
    start[:] = 0
    start[0] = first
    for i in range(radius.size):
        if smallest < radius[i] <= largest:
            start[bucket_of_sphere(cell, i, mask) + 1] += 1
    for b in range(start.size - 1):
        start[b + 1] += start[b]
    end = start[start.size - 1]
    for step in range(radius.size):
        i = radius.size - 1 - step
        if smallest < radius[i] <= largest:
            b = bucket_of_sphere(cell, i, mask)
            start[b + 1] -= 1
            order[start[b + 1]] = i
    # The backward pass has shifted every start by one bucket: bucket b now begins at start[b + 1].
    for b in range(start.size - 1):
        start[b] = start[b + 1]
    start[start.size - 1] = end
    return end
