"""Neighbours: a spatial hash finds candidate pairs, a Verlet list with a skin keeps them for many steps.

The list holds every pair closer than touching + skin; it stays valid until some sphere has moved half the
skin. Cells (sim.cells) are one largest reach wide. A candidate counts only if its cell is the one looked for, so no
pair is found twice and none is missed.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from sim import tables, vec
from sim.cells import bucket_of, sort_into_cells
from sim.memory import carry_over, restore, set_aside
from sim.state import MATERIAL_COUNT, PAIR_COUNT, REBUILD_COUNT, REBUILT_AT, STEP_COUNT
from sim.touches import refresh_touches

OK, PAIRS_FULL, NOT_FINITE, TOO_FAST = range(4)
"""What a step may report; anything but OK stops the batch."""

LARGEST_STEP = 0.5
"""A sphere may move this share of its radius in one step; beyond it, it could pass through a wall."""

NARROWEST_SKIN, WIDEST_SKIN = 0.1, 1.0
"""Range the skin is tuned in, in units of the mean radius of moving spheres."""

FORWARD_CELLS = {
    2: np.array([(0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)], np.int64),
    3: np.array(
        [(0, 0, 0), (1, 0, 0), (-1, 1, 0), (0, 1, 0), (1, 1, 0)]
        + [(x, y, 1) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (0,)],
        np.int64,
    ),
}
"""A cell and half of its neighbours: every pair of adjacent cells is visited from one side."""


@register_jitable
def moved_too_far(world, position_like):
    """True if some sphere or wall moved more than half the skin since the last rebuild, or is not finite."""
    now = tables.rows(world.motion[:, 0], position_like)
    then = tables.rows(world.search.reference, position_like)
    limit = 0.25 * world.search.skin[0] * world.search.skin[0]
    count = 0
    for i in range(world.radius.size):
        step = vec.sub(tables.at(now, i), tables.at(then, i))
        # Written so that a NaN counts as moved.
        count += 0 if vec.dot(step, step) <= limit else 1
    for w in range(world.walls.shape.size):
        path = 0.0
        for c in range(len(position_like)):
            path += (world.walls.moved[w, c] - world.search.wall_reference[w, c]) ** 2
        count += 0 if path <= limit else 1
    return count > 0


@register_jitable
def check_motion(world, position_like, dt):
    """The status of the worst sphere and its row: not finite, or moving too fast for its size."""
    for i in range(world.radius.size):
        size = 0.0
        speed = 0.0
        for c in range(len(position_like)):
            size += abs(world.motion[c, 0, i])
            speed += world.motion[c, 1, i] * world.motion[c, 1, i]
        if not (math.isfinite(size) and math.isfinite(speed)):
            return NOT_FINITE, i
        if math.sqrt(speed) * dt > LARGEST_STEP * world.radius[i] and world.mobility[0, i] > 0.0:
            return TOO_FAST, i
    return OK, -1


@register_jitable
def list_pairs(world, position_like, forward_cells, needs_material):
    """Write all pairs closer than touching + skin; returns how many there are, or -1 if they do not fit."""
    pairs = world.pairs
    cell = world.search.cell
    start = world.search.bucket_start
    order = world.search.order
    skin = world.search.skin[0]
    mask = start.size - 2
    capacity = pairs.i.size
    position = tables.rows(world.motion[:, 0], position_like)
    found = 0
    for first in range(cell.shape[1]):
        for n in range(forward_cells.shape[0]):
            x = cell[0, first] + forward_cells[n, 0]
            y = cell[1, first] + forward_cells[n, 1]
            z = cell[2, first] + forward_cells[n, 2] if cell.shape[0] == 3 else 0
            b = bucket_of(x, y, z, mask)
            for slot in range(start[b], start[b + 1]):
                second = order[slot]
                if n == 0 and second <= first:
                    continue
                # Distance first: it rules out nearly all candidates, and cheaply.
                branch = vec.sub(tables.at(position, first), tables.at(position, second))
                radius_sum = world.radius[first] + world.radius[second]
                reach = radius_sum + skin
                if vec.dot(branch, branch) > reach * reach:
                    continue
                same = world.mobility[0, first] > 0.0 or world.mobility[0, second] > 0.0
                same &= cell[0, second] == x and cell[1, second] == y
                if cell.shape[0] == 3:
                    same &= cell[2, second] == z
                if not same:
                    continue
                if found == capacity:
                    return -1
                i = min(first, second)
                j = max(first, second)
                pairs.i[found] = i
                pairs.j[found] = j
                pairs.radius_sum[found] = radius_sum
                pairs.effective_mass[found] = world.mass[i] * world.mass[j] / (world.mass[i] + world.mass[j])
                if needs_material:
                    pairs.effective_radius[found] = world.radius[i] * world.radius[j] / radius_sum
                    pairs.kind[found] = world.material[i] * world.counters[MATERIAL_COUNT] + world.material[j]
                pairs.held[found] = 1 if world.mobility[0, i] == 0.0 or world.mobility[0, j] == 0.0 else 0
                found += 1
    return found


@register_jitable
def tune_skin(world):
    """Widen the skin when the list was short-lived, narrow it when it lasted: rebuilds against candidates.

    Depends on the simulated state only, so that a run does not depend on the machine it runs on.
    """
    radius = 0.0
    moving = 0
    for i in range(world.radius.size):
        if world.mobility[0, i] > 0.0:
            radius += world.radius[i]
            moving += 1
    mean = radius / max(moving, 1) if moving > 0 else 1e-3
    lasted = world.counters[STEP_COUNT] - world.counters[REBUILT_AT]
    skin = world.search.skin[0]
    if lasted < 15:
        skin *= 1.25
    elif lasted > 60:
        skin *= 0.8
    world.search.skin[0] = min(max(skin, NARROWEST_SKIN * mean), WIDEST_SKIN * mean)


@register_jitable
def rebuild(world, position_like, forward_cells, needs_material):
    """Make the list of pairs and that of spheres near walls anew; returns a status.

    If either does not fit, the pairs in contact stay listed with what they remember, so that it is safe to repeat
    after the tables have been enlarged.
    """
    pairs = world.pairs
    memory = world.memory
    largest = 0.0
    for i in range(world.radius.size):
        largest = max(largest, world.radius[i])
    cell_size = 2.0 * largest + world.search.skin[0]
    sort_into_cells(world, cell_size)
    if world.walls.shape.size > 0 and not refresh_touches(world, position_like, cell_size, largest):
        return PAIRS_FULL
    kept = set_aside(memory, world.counters[PAIR_COUNT], pairs.i, pairs.j, pairs)
    found = list_pairs(world, position_like, forward_cells, needs_material)
    if found < 0:
        world.counters[PAIR_COUNT] = restore(memory, kept, pairs.i, pairs.j, pairs)
        return PAIRS_FULL
    world.counters[PAIR_COUNT] = found
    carry_over(memory, kept, found, pairs.i, pairs.j, pairs)
    for c in range(world.search.reference.shape[0]):
        for i in range(world.radius.size):
            world.search.reference[c, i] = world.motion[c, 0, i]
    world.search.wall_reference[:] = world.walls.moved
    world.counters[REBUILT_AT] = world.counters[STEP_COUNT]
    world.counters[REBUILD_COUNT] += 1
    return OK


@register_jitable
def refresh(world, position_like, forward_cells, needs_material, dt):
    """Rebuild the list if some sphere moved half the skin; returns a status and the row of the culprit."""
    if not moved_too_far(world, position_like):
        return OK, -1
    status, culprit = check_motion(world, position_like, dt)
    if status != OK:
        return status, culprit
    skin = world.search.skin[0]
    tune_skin(world)
    status = rebuild(world, position_like, forward_cells, needs_material)
    if status != OK:
        world.search.skin[0] = skin  # tuned once only, however often the tables must grow
    return status, -1
