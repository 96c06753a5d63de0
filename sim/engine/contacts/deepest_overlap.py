"""The largest overlap of a run, with when and where, taken where the law is evaluated: an impact lasts a few steps.

Each thread keeps the largest of its own contacts, the first in the list where several are equal, and one thread takes
the largest of all in the order of the list: the same contact whoever evaluates it.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.workspace import BLOCK, DEEP_FIRST, DEEP_PLACE, DEEP_RATIO, DEEP_SECOND, DEEP_STEP, DEEP_WALL


@register_jitable
def begin_deepest(found, known, part):
    """Have this thread look for what is deeper than all that is known."""
    for where in range(found.shape[0]):
        found[where, part, DEEP_RATIO] = known[DEEP_RATIO]


@register_jitable(forceinline=True)
def any_deeper(buffer, at, size, deepest, unequal):
    """Whether one of the first `size` contacts of the block may be deeper than the deepest.

    `unequal` bounds the share of the smaller radius by that of the sum of both (Search.unequal). A count, as it
    compiles to wide registers, which a maximum does not.
    """
    limit = deepest[DEEP_RATIO] / unequal
    depth = buffer[at.depth * BLOCK : at.depth * BLOCK + size]
    count = 0
    for k in range(depth.size):
        count += 1 if depth[k] > limit else 0
    return count > 0


@register_jitable
def note_deepest(deepest, world, buffer, at, positions, rows_i, rows_j):
    """Write down the deepest pair of a block, if it is deeper than what stands there."""
    radii = world.radius
    limit = deepest[DEEP_RATIO] / world.search.unequal[0]
    for k in range(rows_i.size):
        depth = buffer[arrays.spot(at.depth, BLOCK, k)]
        if depth <= limit:
            continue
        i = rows_i[k]
        j = rows_j[k]
        overlap = depth * (radii[i] + radii[j])
        size_i = radii[i] if world.mobility[0, i] > 0.0 else np.inf
        size_j = radii[j] if world.mobility[0, j] > 0.0 else np.inf
        ratio = overlap / min(size_i, size_j)
        if ratio > deepest[DEEP_RATIO]:
            here = arrays.at(positions, i)
            branch = vector.sub(here, arrays.at(positions, j))
            distance = math.sqrt(vector.dot(branch, branch))
            point = vector.sub(here, vector.scale((radii[i] - 0.5 * overlap) / distance, branch))
            write_down(deepest, ratio, point, world.sphere_id[i], world.sphere_id[j], -1)


@register_jitable
def note_deepest_at_walls(deepest, world, buffer, at, positions, normals, entries):
    """The same for a block of spheres at walls, entries of `Touches`."""
    for k in range(entries.size):
        ratio = buffer[arrays.spot(at.depth, BLOCK, k)]
        if ratio > deepest[DEEP_RATIO]:
            t = entries[k]
            i = world.touches.sphere[t]
            point = vector.sub(arrays.at(positions, i), vector.scale(world.touches.gap[t], arrays.at(normals, t)))
            write_down(deepest, ratio, point, world.sphere_id[i], -1, world.touches.wall[t])


@register_jitable
def write_down(deepest, ratio, point, first, second, wall):
    """One contact as the deepest; the step follows when all threads have found theirs."""
    deepest[DEEP_RATIO] = ratio
    for c in range(len(point)):
        deepest[DEEP_PLACE + c] = point[c]
    deepest[DEEP_FIRST] = first
    deepest[DEEP_SECOND] = second
    deepest[DEEP_WALL] = wall


@register_jitable
def book_deepest(known, found, step):
    """Take the deepest contact of all threads, if it is deeper than those before; it stands for the end of `step`."""
    for where in range(found.shape[0]):
        for part in range(found.shape[1]):
            if found[where, part, DEEP_RATIO] > known[DEEP_RATIO]:
                for entry in range(known.size):
                    known[entry] = found[where, part, entry]
                known[DEEP_STEP] = step
