"""Cells: cubes hashed into a table whose size depends on the number of spheres only.

A sphere far away costs no memory. Two cells may share a bucket: the search for spheres near walls compares cell
coordinates, the search for pairs removes duplicates afterwards. Cells adjacent in x lie in adjacent buckets: a row of
three is one search, except at the end of the table.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.jit import compilable
from repose.sim.engine.world import Floats

PRIMES = (19349663, 83492791)
"""Teschner et al. 2003."""


def in_order_of_place(place: Floats, size: float) -> NDArray[np.intp]:
    """Rows in the order of cells of this size [m], bottom up: neighbours in space are then near each other in the
    tables, and in the processor's cache; place [m], shape (n, dimension)."""
    cell = np.floor(place / size).T
    return np.lexsort((place[:, 0], *cell[1:]))


@compilable
def bucket_of(x, y, z, mask):
    """Bucket of a cell; in the plane z is 0."""
    return (x + (y * PRIMES[0] ^ z * PRIMES[1])) & mask


@compilable
def bucket_of_sphere(cell, i, mask):
    """Bucket of the cell sphere i lies in."""
    return bucket_of(cell[0, i], cell[1, i], cell[2, i] if cell.shape[0] == 3 else 0, mask)


@compilable
def find_cells(cell, motion, cell_size, first, last):
    """Cell coordinates of the spheres in these rows."""
    for c in range(cell.shape[0]):
        for i in range(first, last):
            cell[c, i] = np.int64(math.floor(motion[c, 0, i] / cell_size))


@compilable
def sort_into_cells(search, motion, radius):
    """Fill the rows sorted by bucket (counting sort, stable), their positions and radii."""
    cell = search.cell
    start = search.bucket_start
    order = search.order
    place = search.place
    mask = start.size - 2
    start[:] = 0
    for i in range(cell.shape[1]):
        start[bucket_of_sphere(cell, i, mask) + 1] += 1
    for b in range(start.size - 1):
        start[b + 1] += start[b]
    for step in range(cell.shape[1]):
        i = cell.shape[1] - 1 - step
        b = bucket_of_sphere(cell, i, mask)
        start[b + 1] -= 1
        order[start[b + 1]] = i
    # The backward pass has shifted every start by one bucket: start[b + 1] is now where bucket b begins.
    for b in range(start.size - 1):
        start[b] = start[b + 1]
    start[start.size - 1] = cell.shape[1]
    for c in range(cell.shape[0]):
        for slot in range(order.size):
            place[c, slot] = motion[c, 0, order[slot]]
    for slot in range(order.size):
        place[cell.shape[0], slot] = radius[order[slot]]
