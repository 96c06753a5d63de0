"""Verlet list: every pair closer than touching + skin, kept for many steps.

Once a sphere or a wall has moved half the skin, the lists of pairs and of contacts with walls are rebuilt from cells
(repose.sim.engine.neighbours.cell_list) that are as wide as the largest distance at which two spheres are listed. Cells
that share a bucket may give a pair twice; sorting removes the duplicate. Every function here runs in all threads, each
with its share of the spheres.
"""

from __future__ import annotations

import math

from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import compilable
from repose.sim.engine.neighbours.cell_list import find_cells, sort_into_cells
from repose.sim.engine.neighbours.pair_list import (
    Section,
    copy_history,
    find_pairs,
    index_by_j,
    sort_pairs,
    write_pairs,
)
from repose.sim.engine.neighbours.wall_list import refresh_wall_list
from repose.sim.engine.threads import share, wait
from repose.sim.engine.workspace import CULPRIT, FOUND, KEPT, MOVED, STATUS, WALL_LIST_FITS
from repose.sim.engine.world import (
    NOT_FINITE,
    OK,
    PAIR_COUNT,
    PAIRS_FULL,
    REBUILD_COUNT,
    REBUILT_AT,
    STEP_COUNT,
    THREAD_MISSING,
    TOO_FAST,
)

LARGEST_STEP = 0.5
"""Largest displacement of a sphere in one step, in units of its radius [-]; beyond it could pass through a wall."""

SHORT_LIVED, LONG_LIVED = 15, 60
"""Steps between two rebuilds below which the skin is widened, and above which it is narrowed."""

NARROWEST_SKIN, WIDEST_SKIN = 0.1, 1.0
"""Range of the skin in units of the mean radius of moving spheres [-]."""


@compilable
def farther(now, then, limit, first, last):
    """True if any sphere of these rows is farther than `limit` [m] from its reference position, or is not finite."""
    square = limit * limit
    count = 0
    now = arrays.slices(now, first, last)
    then = arrays.slices(then, first, last)
    for i in range(last - first):
        step = vector.sub(arrays.at(now, i), arrays.at(then, i))
        # Written so that a NaN counts as moved.
        count += 0 if vector.dot(step, step) <= square else 1
    return count > 0


@compilable
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


@compilable(forceinline=True)
def moved_too_far(world, position_like, thread):
    """True if something has moved so far that a pair that is not listed may touch."""
    now = arrays.level(world.motion, 0, 0, position_like)
    then = arrays.rows(world.search.reference, position_like)
    # Walls are moved and checked by the same thread.
    return farther(now, then, 0.5 * world.search.skin[0], thread.first, thread.last) or (
        thread.id == 0 and walls_moved(world.walls, world.search)
    )


@compilable
def check_motion(motion, radius, inverse_mass, position_like, dt):
    """Status and row of the first sphere whose motion is not finite or too fast for its size."""
    for i in range(radius.size):
        size = 0.0
        speed = 0.0
        for c in range(len(position_like)):
            size += abs(motion[c, 0, i])
            speed += motion[c, 1, i] * motion[c, 1, i]
        if not (math.isfinite(size) and math.isfinite(speed)):
            return NOT_FINITE, i
        if math.sqrt(speed) * dt > LARGEST_STEP * radius[i] and inverse_mass[0, i] > 0.0:
            return TOO_FAST, i
    return OK, -1


@compilable
def store_positions(reference, motion, first, last):
    """Store the positions of the spheres of these rows as reference."""
    for c in range(reference.shape[0]):
        for i in range(first, last):
            reference[c, i] = motion[c, 0, i]


@compilable
def store_walls(reference, moved):
    """Store the displacement of the walls as reference; number by number: assigning whole arrays takes seconds to
    compile."""
    for w in range(moved.shape[0]):
        for c in range(moved.shape[1]):
            reference[w, c] = moved[w, c]


@compilable
def tune_skin(search, radius, inverse_mass, counters):
    """Widen the skin after few steps with a list, narrow it after many: rebuilds cost against candidates.

    Depends on the simulated state only, so that a run does not depend on the machine it runs on.
    """
    total = 0.0
    moving = 0
    for i in range(radius.size):
        if inverse_mass[0, i] > 0.0:
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


@compilable
def list_as_far(search, reach):
    """Let the lists allow for a law that acts at this distance [m]; a larger one than before has them rebuilt.

    For one thread, while all others are at the barrier.
    """
    if reach > search.reach[0]:
        for c in range(search.reference.shape[0]):
            for i in range(search.reference.shape[1]):
                search.reference[c, i] = math.inf
    search.reach[0] = reach


@compilable
def rebuild(world, shapes, needs_material, thread):
    """Rebuild both lists: search cells, sort by (i, j), copy contact history; returns a status.

    If either list does not fit, the pairs in contact stay listed with their history, so that the rebuild can be
    repeated after the tables have been enlarged.
    """
    threads = world.threads
    thread_status = threads.thread_status
    search = world.search
    largest = 0.0
    for i in range(world.radius.size):
        largest = max(largest, world.radius[i])
    cell_size = 2.0 * largest + search.reach[0] + search.skin[0]
    find_cells(search.cell, world.motion, cell_size, thread.first, thread.last)
    if not wait(threads):
        return THREAD_MISSING
    if thread.id == 0:
        sort_into_cells(search, world.motion, world.radius)
    if not wait(threads):
        return THREAD_MISSING
    if thread.id == 0:
        fits = world.walls.shape.size == 0 or refresh_wall_list(world, shapes.position, cell_size, largest)
        thread_status[0, WALL_LIST_FITS] = 1 if fits else 0
    begin, end = share(world.pairs.i.size, thread.id, thread.total)
    pair_buffer = world.pair_buffer
    found = find_pairs(search, pair_buffer, shapes.position, thread.first, thread.last, begin, end)
    thread_status[thread.id, FOUND] = found
    if not wait(threads):
        return THREAD_MISSING
    fits = thread_status[0, WALL_LIST_FITS] == 1
    for other in range(thread.total):
        fits &= thread_status[other, FOUND] >= 0
    if not fits:
        return PAIRS_FULL
    offset, kept = sort_pairs(search.begin, pair_buffer, thread_status, world.inverse_mass[0], search.body, thread)
    thread_status[thread.id, KEPT] = kept
    if not wait(threads):
        return THREAD_MISSING
    before = 0
    total = 0
    for other in range(thread.total):
        before += thread_status[other, KEPT] if other < thread.id else 0
        total += thread_status[other, KEPT]
    section = Section(thread.first, thread.last, offset, kept, before)
    copy_history(world.pairs, pair_buffer, search.begin, world.counters[PAIR_COUNT], section)
    if not wait(threads):  # no thread needs the old list any more
        return THREAD_MISSING
    write_pairs(world, section, needs_material)
    store_positions(search.reference, world.motion, thread.first, thread.last)
    if thread.id == 0:
        store_walls(search.wall_reference, world.walls.moved)
        world.counters[PAIR_COUNT] = total
        world.counters[REBUILT_AT] = world.counters[STEP_COUNT]
        world.counters[REBUILD_COUNT] += 1
        search.begin[world.radius.size] = total
    if not wait(threads):
        return THREAD_MISSING
    if thread.total > 1:
        index_by_j(threads, world.pairs.j, thread.first, thread.last, total)
    return OK


@compilable
def refresh_neighbours(world, shapes, needs_material, dt, thread):
    """Rebuild the lists if a pair that is not listed may touch; returns a status and the row of the sphere
    concerned."""
    thread_status = world.threads.thread_status
    thread_status[thread.id, MOVED] = 1 if moved_too_far(world, shapes.position, thread) else 0
    if not wait(world.threads):
        return THREAD_MISSING, -1
    moved = 0
    for other in range(thread.total):
        moved += thread_status[other, MOVED]
    if moved == 0:
        return OK, -1
    skin = world.search.skin[0]
    if not wait(world.threads):  # all have read
        return THREAD_MISSING, -1
    if thread.id == 0:
        status, culprit = check_motion(world.motion, world.radius, world.inverse_mass, shapes.position, dt)
        thread_status[0, STATUS] = status
        thread_status[0, CULPRIT] = culprit
        if thread_status[0, STATUS] == OK:
            tune_skin(world.search, world.radius, world.inverse_mass, world.counters)
    if not wait(world.threads):
        return THREAD_MISSING, -1
    if thread_status[0, STATUS] != OK:
        return thread_status[0, STATUS], thread_status[0, CULPRIT]
    status = rebuild(world, shapes, needs_material, thread)
    if status == PAIRS_FULL:
        if not wait(world.threads):
            return THREAD_MISSING, -1
        world.search.skin[0] = skin  # tuned only once, however often the tables are enlarged
    return status, -1
