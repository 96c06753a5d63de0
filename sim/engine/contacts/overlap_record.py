"""The largest overlap of a run, with time and position, recorded at every evaluation: an impact lasts a few steps.

Each thread records the largest overlap of its own contacts, the first in list order if several are equal. One thread
then takes the largest of all threads in list order. The result does not depend on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.sphere_rows import entry, read_row
from repose.sim.engine.jit import compilable
from repose.sim.engine.workspace import (
    BLOCK,
    OVERLAP_FIRST,
    OVERLAP_POINT,
    OVERLAP_RATIO,
    OVERLAP_SECOND,
    OVERLAP_STEP,
    OVERLAP_WALL,
    row_width,
)

ALMOST = 1.0 - 1e-6
"""Factor below 1 that exceeds the rounding of `PairColumns.smaller_radius` [-]."""


@compilable
def start_search(candidates, known, thread_id):
    """Initialise the record of this thread with the largest overlap known: only larger overlaps are recorded."""
    for where in range(candidates.shape[0]):
        candidates[where, thread_id, OVERLAP_RATIO] = known[OVERLAP_RATIO]


@compilable(forceinline=True)
def any_larger(buffer, at, one, other, size, limit):
    """Whether the overlap of one of the first `size` contacts of the block exceeds `limit` times the smaller one of its
    two radii, which are in the columns `one` and `other`.

    The loop counts, because a count compiles to wide registers and a maximum does not.
    """
    overlap = buffer[at.overlap * BLOCK : at.overlap * BLOCK + size]
    one = buffer[one * BLOCK : one * BLOCK + size]
    other = buffer[other * BLOCK : other * BLOCK + size]
    count = 0
    for k in range(overlap.size):
        count += 1 if overlap[k] > limit * min(one[k], other[k]) else 0
    return count > 0


@compilable
def search_pairs(largest_overlap, world, buffer, at, places, rows_i, rows_j):
    """Record the pair of a block with the largest overlap, if it exceeds the recorded one. `places` are the rows of
    spheres (repose.sim.engine.contacts.sphere_rows), which begin with the position, and a vector like a position."""
    radii = world.radius
    table, like = places
    width = row_width(len(like), world.motion.shape[0] > len(like))
    for k in range(rows_i.size):
        overlap = buffer[arrays.index(at.overlap, BLOCK, k)]
        i = rows_i[k]
        j = rows_j[k]
        if overlap <= ALMOST * largest_overlap[OVERLAP_RATIO] * min(radii[i], radii[j]):
            continue
        size_i = radii[i] if world.inverse_mass[0, i] > 0.0 else np.inf
        size_j = radii[j] if world.inverse_mass[0, j] > 0.0 else np.inf
        ratio = overlap / min(size_i, size_j)
        if ratio > largest_overlap[OVERLAP_RATIO]:
            here = read_row(table, entry(i, width, 0), like)
            branch = arrays.read_block(buffer, at.branch, BLOCK, k, here)
            distance = math.sqrt(vector.dot(branch, branch))
            point = vector.sub(here, vector.scale((radii[i] - 0.5 * overlap) / distance, branch))
            set_largest(largest_overlap, ratio, point, world.sphere_id[i], world.sphere_id[j], -1)


@compilable
def search_walls(largest_overlap, world, buffer, at, positions, normals, entries):
    """Record the entry of `WallContacts` in a block with the largest overlap, if it exceeds the recorded one."""
    for k in range(entries.size):
        t = entries[k]
        i = world.wall_contacts.sphere[t]
        ratio = buffer[arrays.index(at.overlap, BLOCK, k)] / world.radius[i]
        if ratio > largest_overlap[OVERLAP_RATIO]:
            reach = vector.scale(world.workspace.wall_contacts.gap[t], arrays.at(normals, t))
            point = vector.sub(arrays.at(positions, i), reach)
            set_largest(largest_overlap, ratio, point, world.sphere_id[i], -1, world.wall_contacts.wall[t])


@compilable
def set_largest(largest_overlap, ratio, point, first, second, wall):
    """Record one contact as the one of largest overlap; the step is set when all threads have finished."""
    largest_overlap[OVERLAP_RATIO] = ratio
    for c in range(len(point)):
        largest_overlap[OVERLAP_POINT + c] = point[c]
    largest_overlap[OVERLAP_FIRST] = first
    largest_overlap[OVERLAP_SECOND] = second
    largest_overlap[OVERLAP_WALL] = wall


@compilable
def record_largest_overlap(known, candidates, step):
    """Record the contact of largest overlap of all threads, if it exceeds the known one, with the step `step`."""
    for where in range(candidates.shape[0]):
        for thread in range(candidates.shape[1]):
            if candidates[where, thread, OVERLAP_RATIO] > known[OVERLAP_RATIO]:
                for entry in range(known.size):
                    known[entry] = candidates[where, thread, entry]
                known[OVERLAP_STEP] = step
