"""Neighbours: a spatial hash finds candidate pairs, a Verlet list with a skin keeps them for many steps.

The list holds every pair closer than touching + skin; once some sphere has moved half the skin, it is made anew. Cells
(repose.sim.engine.neighbours.cell_list) are one largest reach wide. A candidate counts only if its cell is the one looked for, so no pair is found
twice and none is missed. Every function here is run by all threads of the crew, each with its share of the spheres.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.barrier import meet, share
from repose.sim.engine.neighbours.cell_list import find_cells, sort_into_cells
from repose.sim.engine.neighbours.pair_list import carry_over, find_pairs, list_others, sort_pairs, write_list
from repose.sim.engine.neighbours.wall_list import refresh_touches
from repose.sim.engine.workspace import CULPRIT, FOUND, KEPT, MOVED, STATUS, TOUCHES
from repose.sim.engine.world import MATERIAL_COUNT, PAIR_COUNT, REBUILD_COUNT, REBUILT_AT, STEP_COUNT

OK, PAIRS_FULL, NOT_FINITE, TOO_FAST, THREAD_MISSING = range(5)
"""What a step may report; anything but OK stops the batch, and a missing thread leaves the world unfit for use."""

LARGEST_STEP = 0.5
"""A sphere may move this share of its radius in one step; beyond it, it could pass through a wall."""

SHORT_LIVED, LONG_LIVED = 15, 60
"""The skin is widened when a list has lasted fewer steps, narrowed when it has lasted more."""

NARROWEST_SKIN, WIDEST_SKIN = 0.1, 1.0
"""Range the skin is tuned in, in units of the mean radius of moving spheres."""


@register_jitable
def farther(now, then, limit, first, last):
    """True if any sphere of these rows is farther than `limit` [m] from where it was, or is not finite."""
    square = limit * limit
    count = 0
    now = arrays.between(now, first, last)
    then = arrays.between(then, first, last)
    for i in range(last - first):
        step = vector.sub(arrays.at(now, i), arrays.at(then, i))
        # Written so that a NaN counts as moved.
        count += 0 if vector.dot(step, step) <= square else 1
    return count > 0


@register_jitable
def walls_moved(walls, search):
    """True if some wall moved half the skin."""
    limit = (0.5 * search.skin[0]) ** 2
    count = 0
    for w in range(walls.shape.size):
        path = 0.0
        for c in range(walls.moved.shape[1]):
            path += (walls.moved[w, c] - search.wall_reference[w, c]) ** 2
        count += 0 if path <= limit else 1
    return count > 0


@register_jitable
def moved_too_far(motion, search, walls, position_like, first, last, part):
    """True if something moved so far that a pair may touch that is not listed."""
    now = arrays.level(motion, 0, 0, position_like)
    then = arrays.rows(search.reference, position_like)
    # Walls are moved and looked at by the same thread.
    return farther(now, then, 0.5 * search.skin[0], first, last) or (part == 0 and walls_moved(walls, search))


@register_jitable
def check_motion(motion, radius, mobility, position_like, dt):
    """The status of the worst sphere and its row: not finite, or moving too fast for its size."""
    for i in range(radius.size):
        size = 0.0
        speed = 0.0
        for c in range(len(position_like)):
            size += abs(motion[c, 0, i])
            speed += motion[c, 1, i] * motion[c, 1, i]
        if not (math.isfinite(size) and math.isfinite(speed)):
            return NOT_FINITE, i
        if math.sqrt(speed) * dt > LARGEST_STEP * radius[i] and mobility[0, i] > 0.0:
            return TOO_FAST, i
    return OK, -1


@register_jitable
def remember_places(reference, motion, first, last):
    """Note where the spheres of these rows are."""
    for c in range(reference.shape[0]):
        for i in range(first, last):
            reference[c, i] = motion[c, 0, i]


@register_jitable
def remember_walls(reference, moved):
    """Note where the walls are; number by number, as an assignment of whole arrays takes seconds to compile."""
    for w in range(moved.shape[0]):
        for c in range(moved.shape[1]):
            reference[w, c] = moved[w, c]


@register_jitable
def tune_skin(search, radius, mobility, counters):
    """Widen the skin when the list was short-lived, narrow it when it lasted: rebuilds against candidates.

    Depends on the simulated state only, so that a run does not depend on the machine it runs on.
    """
    total = 0.0
    moving = 0
    for i in range(radius.size):
        if mobility[0, i] > 0.0:
            total += radius[i]
            moving += 1
    mean = total / max(moving, 1) if moving > 0 else 1e-3
    lasted = counters[STEP_COUNT] - counters[REBUILT_AT]
    skin = search.skin[0]
    if lasted < SHORT_LIVED:
        skin *= 1.25
    elif lasted > LONG_LIVED:
        skin *= 0.8
    search.skin[0] = min(max(skin, NARROWEST_SKIN * mean), WIDEST_SKIN * mean)


@register_jitable
def rebuild(world, position_like, needs_material, part):
    """Make the list of pairs and that of spheres near walls anew; returns a status.

    If either does not fit, the pairs in contact stay listed with what they remember, so that it is safe to repeat
    after the tables have been enlarged.
    """
    crew = world.crew
    tally = crew.tally
    parts = tally.shape[0]
    first, last = share(world.radius.size, part, parts)
    largest = 0.0
    for i in range(world.radius.size):
        largest = max(largest, world.radius[i])
    cell_size = 2.0 * largest + world.search.skin[0]
    find_cells(world.search.cell, world.motion, cell_size, first, last)
    if not meet(crew):
        return THREAD_MISSING
    if part == 0:
        sort_into_cells(world.search, world.motion, world.radius)
    if not meet(crew):
        return THREAD_MISSING
    if part == 0:
        fits = world.walls.shape.size == 0 or refresh_touches(
            world.touches,
            world.memory,
            world.counters,
            world.walls,
            world.search,
            world.motion,
            world.radius,
            world.mobility,
            position_like,
            cell_size,
            largest,
        )
        tally[0, TOUCHES] = 1 if fits else 0
    section, end = share(world.pairs.i.size, part, parts)
    tally[part, FOUND] = find_pairs(world.search, world.aside, position_like, first, last, section, end)
    if not meet(crew):
        return THREAD_MISSING
    fits = tally[0, TOUCHES] == 1
    for p in range(parts):
        fits &= tally[p, FOUND] >= 0
    if not fits:
        return PAIRS_FULL
    base, kept = sort_pairs(world.search.begin, world.aside, tally, world.mobility[0], first, last)
    tally[part, KEPT] = kept
    if not meet(crew):
        return THREAD_MISSING
    before = 0
    found = 0
    for p in range(parts):
        before += tally[p, KEPT] if p < part else 0
        found += tally[p, KEPT]
    begin = world.search.begin
    carry_over(world.pairs, world.aside, begin, world.counters[PAIR_COUNT], first, last, base, kept, before)
    if not meet(crew):  # nobody needs the old list any more
        return THREAD_MISSING
    write_list(
        world.pairs,
        world.aside,
        begin,
        world.radius,
        world.mass,
        world.mobility,
        world.material,
        world.counters[MATERIAL_COUNT],
        first,
        last,
        base,
        kept,
        before,
        needs_material,
    )
    remember_places(world.search.reference, world.motion, first, last)
    if part == 0:
        remember_walls(world.search.wall_reference, world.walls.moved)
        world.counters[PAIR_COUNT] = found
        world.counters[REBUILT_AT] = world.counters[STEP_COUNT]
        world.counters[REBUILD_COUNT] += 1
        begin[world.radius.size] = found
    if not meet(crew):
        return THREAD_MISSING
    if parts > 1:
        list_others(crew, world.pairs.j, first, last, found)
    return OK


@register_jitable
def refresh(world, position_like, needs_material, dt, part):
    """Have every pair that touches in the list; returns a status and the row of the culprit."""
    tally = world.crew.tally
    parts = tally.shape[0]
    first, last = share(world.radius.size, part, parts)
    moved = moved_too_far(world.motion, world.search, world.walls, position_like, first, last, part)
    tally[part, MOVED] = 1 if moved else 0
    if not meet(world.crew):
        return THREAD_MISSING, -1
    movers = 0
    for p in range(parts):
        movers += tally[p, MOVED]
    if movers == 0:
        return OK, -1
    skin = world.search.skin[0]
    if not meet(world.crew):  # all have read
        return THREAD_MISSING, -1
    if part == 0:
        status, culprit = check_motion(world.motion, world.radius, world.mobility, position_like, dt)
        tally[0, STATUS] = status
        tally[0, CULPRIT] = culprit
        if tally[0, STATUS] == OK:
            tune_skin(world.search, world.radius, world.mobility, world.counters)
    if not meet(world.crew):
        return THREAD_MISSING, -1
    if tally[0, STATUS] != OK:
        return tally[0, STATUS], tally[0, CULPRIT]
    status = rebuild(world, position_like, needs_material, part)
    if status == PAIRS_FULL:
        if not meet(world.crew):
            return THREAD_MISSING, -1
        world.search.skin[0] = skin  # tuned once only, however often the tables must grow
    return status, -1
