"""Cells: space cut into cubes, hashed into a table whose size depends on the number of spheres only.

A sphere far away costs no memory. Two cells may share a bucket: whoever looks into one compares cell coordinates.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

PRIMES = (73856093, 19349663, 83492791)
"""Teschner et al. 2003."""


@register_jitable
def bucket_of(x, y, z, mask):
    """Bucket of a cell; in the plane z is 0."""
    return (x * PRIMES[0] ^ y * PRIMES[1] ^ z * PRIMES[2]) & mask


@register_jitable
def bucket_of_sphere(cell, i, mask):
    """Bucket of the cell sphere i lies in."""
    return bucket_of(cell[0, i], cell[1, i], cell[2, i] if cell.shape[0] == 3 else 0, mask)


@register_jitable
def sort_into_cells(world, cell_size):
    """Fill cell coordinates and the rows sorted by bucket (counting sort, stable)."""
    cell = world.search.cell
    start = world.search.bucket_start
    order = world.search.order
    mask = start.size - 2
    for c in range(cell.shape[0]):
        for i in range(cell.shape[1]):
            cell[c, i] = np.int64(math.floor(world.motion[c, 0, i] / cell_size))
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
    # The backward pass has moved every start one bucket down: start[b + 1] is now where bucket b begins.
    for b in range(start.size - 1):
        start[b] = start[b + 1]
    start[start.size - 1] = cell.shape[1]
