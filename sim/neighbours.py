"""Neighbours: a spatial hash finds candidate pairs, a Verlet list with a skin keeps them for many steps.

The list holds every pair closer than touching + skin. Only its front is evaluated, the pairs that may touch soon; once
some sphere has moved half their distance the front is told anew, and once one has moved about half the skin, the
whole list. Cells (sim.cells) are one largest reach wide. A candidate counts only if its cell is the one looked for, so
no pair is found twice and none is missed.
"""

from __future__ import annotations

import math

import numpy as np
from numba.extending import register_jitable

from sim import tables, vec
from sim.cells import bucket_of, sort_into_cells
from sim.memory import carry_over, restore, set_aside
from sim.state import MATERIAL_COUNT, NEAR_COUNT, PAIR_COUNT, REBUILD_COUNT, REBUILT_AT, STEP_COUNT
from sim.touches import refresh_touches

OK, PAIRS_FULL, NOT_FINITE, TOO_FAST = range(4)
"""What a step may report; anything but OK stops the batch."""

LARGEST_STEP = 0.5
"""A sphere may move this share of its radius in one step; beyond it, it could pass through a wall."""

NEAR_LASTS = 5
"""The front of the list should last so many steps: a look at all pairs costs a tenth of making the list anew."""
SHORT_LIVED, LONG_LIVED = 12, 60
"""A list that lasts fewer or more steps is all front: looks at it would be too many, or spare too little."""

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
def farther(now, then, limit):
    """True if any sphere is farther than `limit` [m] from where it was, or is not finite."""
    square = limit * limit
    count = 0
    for i in range(now[0].size):
        step = vec.sub(tables.at(now, i), tables.at(then, i))
        # Written so that a NaN counts as moved.
        count += 0 if vec.dot(step, step) <= square else 1
    return count > 0


@register_jitable
def list_limit(world):
    """How far a sphere may move until the list is made anew [m]: near pairs are told apart in time until then."""
    return 0.5 * (world.search.skin[0] - world.search.skin[1])


@register_jitable
def walls_moved(world):
    """True if some wall moved so far that the list must be made anew."""
    limit = list_limit(world) ** 2
    count = 0
    for w in range(world.walls.shape.size):
        path = 0.0
        for c in range(world.walls.moved.shape[1]):
            path += (world.walls.moved[w, c] - world.search.wall_reference[w, c]) ** 2
        count += 0 if path <= limit else 1
    return count > 0


@register_jitable
def moved_too_far(world, position_like):
    """True if something moved so far that another pair may touch than those at the front of the list."""
    now = tables.rows(world.motion[:, 0], position_like)
    then = tables.rows(world.search.near_reference, position_like)
    return farther(now, then, 0.5 * world.search.skin[1]) or walls_moved(world)


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
    """Write all pairs closer than touching + skin, near ones first; returns how many there are, or -1 if they do not
    fit, and how many are near."""
    pairs = world.pairs
    cell = world.search.cell
    start = world.search.bucket_start
    order = world.search.order
    skin = world.search.skin[0]
    mask = start.size - 2
    capacity = pairs.i.size
    position = tables.rows(world.motion[:, 0], position_like)
    near = 0
    far = 0  # written from the end of the table, then moved up to the near ones
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
                if near + far == capacity:
                    return -1, 0
                close = radius_sum + world.search.skin[1]
                if vec.dot(branch, branch) <= close * close:
                    row = near
                    near += 1
                else:
                    far += 1
                    row = capacity - far
                i = min(first, second)
                j = max(first, second)
                pairs.i[row] = i
                pairs.j[row] = j
                pairs.radius_sum[row] = radius_sum
                pairs.effective_mass[row] = world.mass[i] * world.mass[j] / (world.mass[i] + world.mass[j])
                if needs_material:
                    pairs.effective_radius[row] = world.radius[i] * world.radius[j] / radius_sum
                    pairs.kind[row] = world.material[i] * world.counters[MATERIAL_COUNT] + world.material[j]
                pairs.held[row] = 1 if world.mobility[0, i] == 0.0 or world.mobility[0, j] == 0.0 else 0
    for k in range(far):
        move_pair(pairs, capacity - far + k, near + k)
    return near + far, near


@register_jitable
def move_pair(pairs, source, target):
    """Copy what a pair is, without what it remembers."""
    pairs.i[target] = pairs.i[source]
    pairs.j[target] = pairs.j[source]
    pairs.radius_sum[target] = pairs.radius_sum[source]
    pairs.effective_mass[target] = pairs.effective_mass[source]
    pairs.effective_radius[target] = pairs.effective_radius[source]
    pairs.kind[target] = pairs.kind[source]
    pairs.held[target] = pairs.held[source]


@register_jitable
def swap(column, a, b):
    """Exchange two entries."""
    kept = column[a]
    column[a] = column[b]
    column[b] = kept


@register_jitable
def swap_pairs(pairs, a, b):
    """Exchange two rows of the list."""
    swap(pairs.i, a, b)
    swap(pairs.j, a, b)
    swap(pairs.radius_sum, a, b)
    swap(pairs.effective_mass, a, b)
    swap(pairs.effective_radius, a, b)
    swap(pairs.kind, a, b)
    swap(pairs.held, a, b)
    swap(pairs.touching, a, b)
    swap(pairs.normal_force, a, b)
    for c in range(pairs.anchor.shape[0]):
        kept = pairs.anchor[c, a]
        pairs.anchor[c, a] = pairs.anchor[c, b]
        pairs.anchor[c, b] = kept


@register_jitable
def tell_near_pairs(world, position_like):
    """Bring the pairs that are near now to the front of the list; those behind it do not touch."""
    pairs = world.pairs
    position = tables.rows(world.motion[:, 0], position_like)
    reach = world.search.skin[1]
    front = 0
    end = world.counters[PAIR_COUNT]
    while front < end:
        branch = vec.sub(tables.at(position, pairs.i[front]), tables.at(position, pairs.j[front]))
        close = pairs.radius_sum[front] + reach
        if vec.dot(branch, branch) <= close * close:
            front += 1
            continue
        pairs.touching[front] = 0
        pairs.normal_force[front] = 0.0
        end -= 1
        swap_pairs(pairs, front, end)
    world.counters[NEAR_COUNT] = front
    remember_places(world.search.near_reference, world.motion)


@register_jitable
def remember_places(reference, motion):
    """Note where all spheres are."""
    for c in range(reference.shape[0]):
        for i in range(reference.shape[1]):
            reference[c, i] = motion[c, 0, i]


@register_jitable
def tune_skin(world):
    """Widen the skin when the list was short-lived, narrow it when it lasted: rebuilds against candidates; and the same
    for its front.

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
    share = NEAR_LASTS / (NEAR_LASTS + lasted) if SHORT_LIVED <= lasted <= LONG_LIVED else 1.0
    world.search.skin[1] = share * world.search.skin[0]


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
    found, near = list_pairs(world, position_like, forward_cells, needs_material)
    if found < 0:
        world.counters[PAIR_COUNT] = restore(memory, kept, pairs.i, pairs.j, pairs)
        return PAIRS_FULL
    world.counters[PAIR_COUNT] = found
    world.counters[NEAR_COUNT] = near
    carry_over(memory, kept, found, pairs.i, pairs.j, pairs)
    for p in range(near, found):
        pairs.touching[p] = 0
        pairs.normal_force[p] = 0.0
    remember_places(world.search.reference, world.motion)
    remember_places(world.search.near_reference, world.motion)
    world.search.wall_reference[:] = world.walls.moved
    world.counters[REBUILT_AT] = world.counters[STEP_COUNT]
    world.counters[REBUILD_COUNT] += 1
    return OK


@register_jitable
def refresh(world, position_like, forward_cells, needs_material, dt):
    """Have every pair that touches at the front of the list; returns a status and the row of the culprit."""
    if not moved_too_far(world, position_like):
        return OK, -1
    status, culprit = check_motion(world, position_like, dt)
    if status != OK:
        return status, culprit
    now = tables.rows(world.motion[:, 0], position_like)
    then = tables.rows(world.search.reference, position_like)
    if not farther(now, then, list_limit(world)) and not walls_moved(world):
        tell_near_pairs(world, position_like)
        return OK, -1
    skin, near = world.search.skin[0], world.search.skin[1]
    tune_skin(world)
    status = rebuild(world, position_like, forward_cells, needs_material)
    if status != OK:
        # Tuned once only, however often the tables must grow.
        world.search.skin[0], world.search.skin[1] = skin, near
    return status, -1
