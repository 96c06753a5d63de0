"""Verlet list: every pair closer than touching + skin, valid for many steps.

When a sphere or a wall has moved half the skin, the lists of pairs and of contacts with walls are rebuilt from cells
(repose.sim.engine.neighbours.cell_list), which are as wide as the largest distance at which two spheres are listed.
Every function here runs in all threads, each with its share of the spheres.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.pair_blocks import copy_column
from repose.sim.engine.contacts.partial_sums import divide_pairs, note_partial_sums, own_ranges
from repose.sim.engine.jit import call, compilable
from repose.sim.engine.model import Share, Thread
from repose.sim.engine.neighbours.cell_list import cells_for, find_cells, sort_into_cells
from repose.sim.engine.neighbours.pair_list import Section, find_pairs, sort_pairs, write_gliding_columns, write_pairs
from repose.sim.engine.neighbours.wall_list import wall_listing
from repose.sim.engine.threads import wait
from repose.sim.engine.workspace import (
    CULPRIT,
    FOUND,
    KEPT,
    LANES,
    LINE,
    MOVED,
    SPARING,
    STATUS,
    SUMS_FULL,
    WALL_LIST_FITS,
    sum_width,
)
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
    World,
)

LARGEST_STEP = 0.5
"""Largest displacement of a sphere in one step, in units of its radius [-]; a faster one could pass through a wall."""

SHORT_LIVED, LONG_LIVED = 15, 60
"""Steps between two rebuilds below which the skin is widened, and above which it is narrowed."""

NARROWEST_SKIN, WIDEST_SKIN = 0.1, 1.0
"""Range of the skin in units of the mean radius of moving spheres [-]."""


@compilable
def farther(now, then, limit, first, last):
    """True if a sphere of these rows is farther than `limit` [m] from its reference position, or not finite."""
    square = limit * limit
    count = 0
    now = arrays.slices(now, first, last)
    then = arrays.slices(then, first, last)
    for i in range(last - first):
        step = vector.sub(arrays.at(now, i), arrays.at(then, i))
        # This form of the comparison counts a NaN as moved.
        count += 0 if vector.dot(step, step) <= square else 1
    return count > 0


@compilable
def free_farther(now, then, body, limit, first, last):
    """`farther` for the spheres that are members of no body."""
    for i in range(first, last):
        if body[i] < 0:
            step = vector.sub(arrays.at(now, i), arrays.at(then, i))
            if not vector.dot(step, step) <= limit * limit:
                return True
    return False


@compilable
def walls_moved(now, then, skin):
    """True if a wall has moved more than half the skin."""
    limit = (0.5 * skin[0]) ** 2
    count = 0
    for w in range(now.shape[0]):
        path = 0.0
        for c in range(now.shape[1]):
            path += (now[w, c] - then[w, c]) ** 2
        count += 0 if path <= limit else 1
    return count > 0


@compilable(forceinline=True)
def moved_too_far(tables, position_like):
    """1 if a sphere or wall has moved so far that a pair outside the list may touch, else 0; `tables` is a `Share`.
    Members of bodies count if all are placed."""
    world = tables.world
    search = world.search
    thread = tables.thread
    now = arrays.level(world.motion, 0, 0, position_like)
    then = arrays.rows(search.reference, position_like)
    limit = 0.5 * search.skin[0]
    if world.workspace.threads.thread_status[thread.id, SPARING] > 0:  # members are not in their places
        if free_farther(now, then, world.workspace.search.body, limit, thread.first, thread.last):
            return 1
    elif farther(now, then, limit, thread.first, thread.last):
        return 1
    # Thread 0 moves the walls and checks them.
    return 1 if thread.id == 0 and walls_moved(world.walls.moved, search.wall_reference, search.skin) else 0


@compilable
def check_motion(motion, radius, inverse_mass, position_like, dt):
    """Status and row of the first sphere whose motion is not finite or too fast for its radius."""
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
    # Slices: with indices, which may be negative, LLVM gathers and scatters eight numbers at a time.
    for c in range(reference.shape[0]):
        copy_column(reference[c][first:last], motion[c, 0][first:last])


@compilable
def forget_jumps(world, first, last):
    """Set the previous positions of spheres of these rows that have moved farther than in one step to the present ones:
    they were put elsewhere between two calls, which is no slip."""
    previous = world.previous
    for i in range(first, last):
        square = 0.0
        for c in range(world.search.reference.shape[0]):
            square += (world.motion[c, 0, i] - previous[c, i]) ** 2
        if not square <= (1.02 * LARGEST_STEP * world.radius[i]) ** 2:
            for c in range(previous.shape[0]):
                previous[c, i] = world.motion[c, 0, i]


@compilable
def store_walls(reference, moved):
    """Store the displacements of the walls as reference, number by number: an assignment of whole arrays takes seconds
    to compile."""
    for w in range(moved.shape[0]):
        for c in range(moved.shape[1]):
            reference[w, c] = moved[w, c]


@compilable
def tune_skin(search, radius, inverse_mass, counters):
    """Widen the skin if the last list was valid for few steps, narrow it if for many: a wide skin saves rebuilds and
    costs candidates.

    The skin depends on the simulated state only; a run does not depend on the machine.
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
    """Set the reach of the law [m] that the lists allow for; a larger reach than before forces a rebuild.

    Called by one thread while all others are at the barrier.
    """
    if reach > search.reach[0]:
        for c in range(search.reference.shape[0]):
            for i in range(search.reference.shape[1]):
                search.reference[c, i] = math.inf
    search.reach[0] = reach


class Renewal(NamedTuple):
    """Arguments of `renew_lists`."""

    world: World
    dt: float
    """Time step of the present step [s]."""
    thread: Thread
    needs_material: int
    """1 if the pairs need their pair of materials, else 0."""
    list_walls: Any
    """The part that lists spheres near walls (repose.sim.engine.parts)."""


@compilable(forceinline=True)
def renewal(world, dt, thread, needs_material, list_walls):
    """The argument of `renew_lists`."""
    return Renewal(world, dt, thread, needs_material, list_walls)


@compilable
def room_in_buffer(begin, capacity, thread):
    """First entry and last entry + 1 of the new list, out of `capacity`, for one thread's spheres.

    Each thread gets entries in proportion to its number of pairs in the old list, whose pairs begin at `begin`: a pair
    belongs to the earlier of its two rows, so the first thread finds far more pairs than the last. Each row counts as
    one additional pair; larger tables therefore give every thread more entries.
    """
    count = begin.size - 1
    total = max(begin[count] + count, 1)
    low = capacity * np.int64(begin[thread.first] + thread.first) // total
    return low, capacity * np.int64(begin[thread.last] + thread.last) // total


@compilable
def rebuild(tables, position_like, periodic_like):
    """Rebuild both lists: search cells, sort by (i, j), copy contact history; returns a status.

    If a list does not fit, the pairs in contact stay listed with their history: the rebuild can be repeated after the
    tables have been enlarged. If only the rows of sums are too few, the new list is valid and is not made again.
    """
    world = tables.world
    motion = world.motion
    radius = world.radius
    threads = world.workspace.threads
    thread_status = threads.thread_status
    search = world.workspace.search
    listed = world.search
    pairs = world.pairs
    counters = world.counters
    thread = tables.thread
    if thread.id == 0:
        thread_status[0, SUMS_FULL] = 0
    cells = cells_for(search, radius, listed.reach[0] + listed.skin[0])  # the largest gap of a listed pair
    find_cells(search.cell, world, cells, periodic_like, thread.first, thread.last)
    if not wait(threads):
        return THREAD_MISSING
    if thread.id == 0:
        sort_into_cells(world, cells, periodic_like)
    if not wait(threads):
        return THREAD_MISSING
    if thread.id == 0:
        fits = 1
        if world.walls.shape.size > 0:
            fits = call(tables.list_walls, wall_listing(world, cells))
        thread_status[0, WALL_LIST_FITS] = fits
    low, high = room_in_buffer(search.begin, pairs.i.size, thread)
    offset = low + LANES * thread.id
    end = high + LANES * thread.id
    filled = find_pairs(world, cells, position_like, periodic_like, thread, offset, end)
    kept = 0
    if filled > 0:
        kept = sort_pairs(world, position_like, thread, offset, filled)
    thread_status[thread.id, FOUND] = filled
    thread_status[thread.id, KEPT] = kept
    if not wait(threads):  # no thread needs the old list any more
        return THREAD_MISSING
    all_fit = thread_status[0, WALL_LIST_FITS] == 1
    before = 0
    total = 0
    for other in range(thread.total):
        all_fit &= thread_status[other, FOUND] >= 0
        before += thread_status[other, KEPT] if other < thread.id else 0
        total += thread_status[other, KEPT]
    if not all_fit:
        return PAIRS_FULL
    section = Section(thread.first, thread.last, offset, kept, before)
    write_pairs(world, section, tables.needs_material)
    store_positions(listed.reference, motion, thread.first, thread.last)
    if thread.id == 0:
        store_walls(listed.wall_reference, world.walls.moved)
        counters[PAIR_COUNT] = total
        counters[REBUILT_AT] = counters[STEP_COUNT]
        counters[REBUILD_COUNT] += 1
        search.begin[radius.size] = total
    if not wait(threads):  # no thread needs the buffer any more
        return THREAD_MISSING
    write_gliding_columns(world, section)
    if thread.id == 0:
        width = sum_width(len(position_like), world.inverse_mass.shape[0] > len(position_like))
        needed = width * divide_pairs(threads, pairs.i, pairs.j, total, radius.size) + LINE
        thread_status[0, SUMS_FULL] = 1 if needed > threads.sums.size else 0
    if not wait(threads):
        return THREAD_MISSING
    if thread_status[0, SUMS_FULL] == 1:
        return PAIRS_FULL
    begin, end = own_ranges(threads, thread)
    note_partial_sums(threads, pairs.i, pairs.j, begin, end)
    return OK


@compilable
def renew_lists(tables, position_like, periodic_like):
    """Check the motion, tune the skin and rebuild both lists; returns a status. `Threads.thread_status` has the row of
    the sphere concerned."""
    world = tables.world
    search = world.search
    threads = world.workspace.threads
    thread_status = threads.thread_status
    skin = search.skin[0]
    if not wait(threads):  # all threads have read `Threads.thread_status`
        return THREAD_MISSING
    if tables.thread.id == 0:
        status, culprit = check_motion(world.motion, world.radius, world.inverse_mass, position_like, tables.dt)
        thread_status[0, STATUS] = status
        thread_status[0, CULPRIT] = culprit
        if thread_status[0, STATUS] == OK:
            tune_skin(search, world.radius, world.inverse_mass, world.counters)
    if not wait(threads):
        return THREAD_MISSING
    if thread_status[0, STATUS] != OK:
        return thread_status[0, STATUS]
    status = rebuild(tables, position_like, periodic_like)
    if status == PAIRS_FULL and thread_status[0, SUMS_FULL] == 0:
        if not wait(threads):
            return THREAD_MISSING
        search.skin[0] = skin  # the skin is tuned once, also if the tables are enlarged repeatedly
    return status


@compilable(forceinline=True)
def refresh_lists(world, dt, thread, parts):
    """Rebuild the lists if a pair outside them may touch; returns a status, which is also in `Threads.thread_status`
    with the row of the sphere concerned."""
    moved = count_moved(world, 0, thread, parts)
    if moved < 0:
        return THREAD_MISSING
    return renew(world, dt, thread, parts) if moved > 0 else OK


@compilable(forceinline=True)
def count_moved(world, members, thread, parts):
    """Number of threads with spheres that have moved so far that a pair outside the lists may touch; -1 if a thread is
    missing. `members`: 1 if members of bodies that are not placed have moved so far, else 0."""
    thread_status = world.workspace.threads.thread_status
    thread_status[thread.id, MOVED] = call(parts.moved_too_far, Share(world, thread)) | members
    if not wait(world.workspace.threads):
        return -1
    moved = 0
    for other in range(thread.total):
        moved += thread_status[other, MOVED]
    return moved


@compilable(forceinline=True)
def renew(world, dt, thread, parts):
    """Rebuild the lists; returns a status as `refresh_lists`."""
    status = call(parts.renew_lists, renewal(world, dt, thread, parts.needs_material, parts.list_walls))
    world.workspace.threads.thread_status[thread.id, STATUS] = status
    return status
