"""Rebuild the pair list: search cells, sort by (i, j), copy contact history.

Each thread searches the cells around the spheres of its rows, one after the other, for spheres in later rows, and sorts
the few rows that it finds: the pairs are then sorted by i and j. The contact history of a pair is looked up in the old
list, where the pairs of a sphere are contiguous. Threads collect the new list in sections of a buffer, and write it
when all threads have read the old list.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.boundaries import inverse_period, nearest
from repose.sim.engine.contacts.kinematics import shared_mass
from repose.sim.engine.contacts.pair_blocks import copy_column
from repose.sim.engine.images import image_is_near, image_of, is_near_border, point_in_cell
from repose.sim.engine.jit import compilable
from repose.sim.engine.neighbours.candidate_lanes import (
    copy_few,
    count_less,
    repeat_few,
    sort_few,
    write_listed,
    write_near,
)
from repose.sim.engine.neighbours.cell_list import bucket_of
from repose.sim.engine.workspace import LANES, LISTED
from repose.sim.engine.world import MATERIAL_COUNT, PERIOD

MOST_COUNTED = 32
"""Number of old neighbours of a sphere up to which one is found by counting smaller rows."""

FEWEST_MEMBERS = 4
"""Members of a body from which on their neighbours are searched together."""
SLACK = 1.0 + 1e-6
"""Factor of the distance within which spheres around a body are listed: more than its rounding [-]."""


class Section(NamedTuple):
    """The pairs of one thread's spheres during a rebuild."""

    first: int
    last: int
    """The spheres are the rows first to last - 1."""
    offset: int
    """First pair in the buffer."""
    kept: int
    """Number of pairs after sorting."""
    before: int
    """Number of pairs of earlier rows: the first pair in the new list."""


class Around(NamedTuple):
    """Where later rows are searched."""

    i: int
    """Row of the sphere around which they are searched."""
    centre: tuple[float, ...]
    """Its centre [m]."""
    reach: float
    """Largest distance of the centre of a listed sphere, less the radius of this sphere [m]."""


@compilable
def find_pairs(world, cells, position_like, periodic_like, thread, section, end):
    """Write the second spheres of all pairs whose first sphere is one of this thread's and that are closer than
    touching + reach of the law + skin, to `PairBuffer.candidate` from entry `section` on; returns the number of pairs,
    or -1 if they do not fit before `end`.

    Afterwards `SearchTables.new_begin` is the first pair of each sphere. A pair may occur twice if two cells share a
    bucket.
    """
    search = world.workspace.search
    radius = world.radius
    rows = world.workspace.pair_buffer.candidate
    positions = arrays.level(world.motion, 0, 0, position_like)
    gap = world.search.reach[0] + world.search.skin[0]
    filled = section
    number = -1  # of spheres around the present body; -1 if they are not listed
    stop = thread.first  # row after the last member of this body; in periodic worlds each member is searched alone
    together = 0
    for i in range(thread.first, thread.last):
        search.new_begin[i] = filled
        around = Around(i, point_in_cell(arrays.at(positions, i), world.boundary, periodic_like), radius[i] + gap)
        if i >= stop:
            stop = end_of_members(search.body, i, thread.last)
            number = -1
            if stop - i >= FEWEST_MEMBERS and len(periodic_like) == 0:
                number = list_around(world, cells, positions, thread, (i, stop))
                together += 1
        if number < 0:
            filled = find_later(search, cells, rows, radius[i], around, filled, end)
            if filled >= 0 and len(periodic_like) > 0:
                filled = find_beyond_border(world, cells, rows, around, around.centre, filled, end)
        else:
            filled = choose_around(world, rows, thread, number, around, filled, end)
        if filled < 0:
            return -1
    if together > 0:  # contacts that pad a block are evaluated with these numbers, which must be positive
        arrays.fill_row(world.workspace.threads.buffer[thread.id], 0, LISTED * (len(position_like) + 1), 1.0)
    return filled - section


@compilable
def find_beyond_border(world, cells, rows, around, centre, filled, end):
    """Write the later rows within reach of the images of a sphere that are beside the cell of the world; returns the
    next free entry, or -1 if the buffer is full. `centre` as in `find_other_kind`."""
    search, motion, boundary = world.workspace.search, world.motion, world.boundary
    across = around.reach + max(cells.largest[0], cells.largest[1])
    if not is_near_border(motion, around.i, boundary, across):
        return filled
    for image in range(3 ** len(centre)):
        if image_is_near(motion, around.i, boundary, image, across):
            here = Around(around.i, image_of(centre, boundary, image), around.reach)
            for kind in range(cells.kinds):
                filled = find_other_kind(search, cells, rows, kind, here, here.centre, filled, end)
                if filled < 0:
                    return -1
    return filled


@compilable
def end_of_members(body, first, last):
    """Row after the members of one body from row `first` on, at most `last`; first + 1 for a sphere of no body."""
    stop = first + 1
    while stop < last and body[first] >= 0 and body[stop] == body[first]:
        stop += 1
    return stop


@compilable
def list_around(world, cells, positions, thread, members):
    """List the spheres in later rows that may be near one of the members members[0] to members[1] - 1 of a body;
    returns their number, or -1 if they are too many.

    All members together are searched like one large sphere: most candidates of a member belong to its own body or are
    far from the body. Rows are written to `Threads.listed`, positions and radii to `Threads.buffer`.
    """
    search = world.workspace.search
    threads = world.workspace.threads
    first, stop = members
    rows = threads.listed[thread.id]
    radius = world.radius
    centre = vector.scale(0.0, arrays.at(positions, first))
    for i in range(first, stop):
        centre = vector.add(centre, vector.scale(1.0 / (stop - first), arrays.at(positions, i)))
    size = 0.0
    for i in range(first, stop):
        branch = vector.sub(arrays.at(positions, i), centre)
        size = max(size, math.sqrt(vector.dot(branch, branch)) + radius[i])
    reach = SLACK * (size + world.search.reach[0] + world.search.skin[0])
    around = Around(stop - 1, centre, reach)
    number = 0
    for kind in range(cells.kinds):
        number = find_other_kind(search, cells, rows, kind, around, centre, number, LISTED - LANES)
        if number < 0:
            return -1
    buffer = threads.buffer[thread.id]
    for k in range(number):
        row = rows[k]
        arrays.write_block(buffer, 0, LISTED, k, arrays.at(positions, row))
        buffer[arrays.index(len(centre), LISTED, k)] = radius[row]
    return number


@compilable(forceinline=True)
def choose_around(world, rows, thread, number, around, filled, end):
    """`find_later` among the first `number` rows of `list_around`."""
    threads = world.workspace.threads
    listed = threads.listed[thread.id]
    buffer = threads.buffer[thread.id]
    for k in range(0, number, LANES):
        filled = write_listed(rows, filled, listed, buffer, (k, number), around)
        if filled > end:
            return -1
    return filled


@compilable
def sort_pairs(world, position_like, thread, section, count):
    """Sort the pairs of this thread's spheres, `count` pairs from entry `section` on, and copy their contact history;
    returns the number of pairs kept. Duplicates, pairs of fixed spheres and pairs of members of one body are removed.

    This pass is separate from the search: vector loads would wait for entries that have just been written one by one.
    """
    pairs = world.pairs
    pair_buffer = world.workspace.pair_buffer
    search = world.workspace.search
    inverse_mass = world.inverse_mass[0]
    begin = search.begin
    new_begin = search.new_begin
    kept = section
    low = section
    for i in range(thread.first, thread.last):
        high = new_begin[i + 1] if i + 1 < thread.last else section + count
        new_begin[i] = kept
        end = drop_fixed(pair_buffer.candidate, inverse_mass, low, high) if inverse_mass[i] == 0.0 else high
        end = drop_joined(pair_buffer.candidate, search.body, i, low, end) if search.body[i] >= 0 else end
        end = sort_rows(pair_buffer.candidate, pair_buffer.j, low, end, kept)
        old = begin[i]
        old_end = begin[i + 1]
        if end - kept <= LANES and old_end - old <= LANES and old + LANES <= pairs.j.size:
            copy_few(pairs, pair_buffer, position_like, old, old_end - old, kept, end)
        else:
            copy_history(pairs, pair_buffer, old, old_end, kept, end)
        kept = end
        low = high
    return kept - section


@compilable(forceinline=True)
def find_later(search, cells, rows, radius, around, first, end):
    """Write the later rows within reach of a sphere of this radius from entry `first` on; returns the next free entry,
    or -1 if the buffer is full. A row may occur twice if two cells share a bucket."""
    cell = search.cell
    i = around.i
    deep = len(around.centre) == 3
    kind = 0 if radius <= cells.limit else 1
    start = search.bucket_start if kind == 0 else search.large_start
    mask = start.size - 2
    x, y, z = cell[0, i] - 1, cell[1, i] - 1, cell[2, i] - 1 if deep else 0
    filled = first
    for row in range(9 if deep else 3):
        left = bucket_of(x, y + row % 3, z + row // 3, mask)
        filled = search_row(search, start, rows, left, 3, around, filled, end)
        if filled < 0:
            return -1
    if cells.kinds == 2:
        return find_other_kind(search, cells, rows, 1 - kind, around, around.centre, filled, end)
    return filled


@compilable(forceinline=True)
def search_row(search, start, rows, left, wide, around, filled, end):
    """Write the later rows within reach of a point in `wide` buckets from `left` on; returns the next free entry, or -1
    if the buffer is full.

    No branch depends on a candidate: a fifth of such branches would be predicted wrongly, which costs more than the
    test. Up to LANES entries after the last one are overwritten.
    """
    mask = start.size - 2
    over = left + wide - 1 - mask  # number of buckets at the beginning of the table
    for turn in range(2 if over > 0 else 1):
        low = start[0] if turn == 1 else start[left]
        high = start[over] if turn == 1 else start[mask + 1 if over > 0 else left + wide]
        for slot in range(low, high, LANES):
            filled = write_near(rows, filled, search, (slot, high), around)
            if filled > end:
                return -1
    return filled


@compilable
def find_other_kind(search, cells, rows, kind, around, here, filled, end):
    """`find_later` among the spheres of one kind, in all cells that the reach covers. `here` is the
    centre: numba drops the branch for three dimensions only if the length is that of an argument."""
    start = search.bucket_start if kind == 0 else search.large_start
    mask = start.size - 2
    across = around.reach + cells.largest[kind]
    size = cells.size[kind]
    x, wide = cells_within(here[0], across, size)
    y, high = cells_within(here[1], across, size)
    z, far = cells_within(here[2], across, size) if len(here) == 3 else (0, 1)
    if wide > mask or high * far > search.order.size:  # all spheres of this kind
        return search_row(search, start, rows, 0, mask + 1, around, filled, end)
    for over_z in range(far):
        for over_y in range(high):
            left = bucket_of(x, y + over_y, z + over_z, mask)
            filled = search_row(search, start, rows, left, wide, around, filled, end)
            if filled < 0:
                return -1
    return filled


@compilable
def cells_within(here, across, size):
    """First cell within `across` [m] of a coordinate, and the number of such cells."""
    first = math.floor((here - across) / size)
    number = math.floor((here + across) / size) - first + 1.0
    return np.int64(first), np.int64(min(number, 1e9))


@compilable
def drop_fixed(rows, inverse_mass, first, last):
    """Remove fixed spheres from these entries; returns their new end."""
    kept = first
    for k in range(first, last):
        rows[kept] = rows[k]
        kept += 1 if inverse_mass[rows[k]] > 0.0 else 0
    return kept


@compilable
def drop_joined(rows, body, i, first, last):
    """Remove members of the body of sphere i from these entries; returns their new end."""
    kept = first
    for k in range(first, last):
        rows[kept] = rows[k]
        kept += 1 if body[rows[k]] != body[i] else 0
    return kept


@compilable(forceinline=True)
def sort_rows(rows, ordered, first, last, to):
    """Write these entries in order and without duplicates from entry `to` on; returns their end."""
    number = last - first
    if number <= LANES and sort_few(rows, first, number, ordered, to):
        return to + number
    return sort_unequal(rows, ordered, first, last, to)


@compilable
def sort_unequal(rows, ordered, first, last, to):
    """`sort_rows` for many entries or for entries with duplicates (Shell's sort)."""
    gap = 1
    while gap < last - first:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(first + gap, last):
            row = rows[k]
            at = k
            while at >= first + gap and rows[at - gap] > row:
                rows[at] = rows[at - gap]
                at -= gap
            rows[at] = row
        gap //= 3
    end = to
    for k in range(first, last):
        if k == first or rows[k] != rows[k - 1]:
            ordered[end] = rows[k]
            end += 1
    return end


@compilable(forceinline=True)
def copy_history(pairs, pair_buffer, old, old_end, first, last):
    """Copy the contact history of a sphere's pairs from the old list to the buffer; new pairs have no history."""
    for k in range(first, last):
        j = pair_buffer.j[k]
        same = old
        stop = old_end
        while stop - same > MOST_COUNTED:
            middle = (same + stop) // 2
            if pairs.j[middle] < j:
                same = middle + 1
            else:
                stop = middle
        for block in range(same, stop, LANES):
            same += count_less(pairs.j, block, min(stop - block, LANES), j)
        same = min(same, pairs.j.size - 1)
        touched = same < old_end and pairs.j[same] == j and pairs.touching[same] > 0
        pair_buffer.touching[k] = 1 if touched else 0
        for c in range(pair_buffer.shear_spring.shape[0]):
            pair_buffer.shear_spring[c, k] = pairs.shear_spring[c, same] if touched else 0.0


@compilable
def note_branches(pairs, last_branch, previous, boundary, first, last):
    """Write the branches at the last evaluation of the pairs first to last - 1, from the positions at that time; with
    rotation the table has no entries. The table `boundary` of an open world is empty."""
    for c in range(last_branch.shape[0]):
        for row in range(first, min(last, last_branch.shape[1])):
            last_branch[c, row] = previous[c, pairs.i[row]] - previous[c, pairs.j[row]]
    for c in range(boundary.shape[1]):
        period, inverse = boundary[PERIOD, c], inverse_period(boundary[PERIOD, c])
        for row in range(first, min(last, last_branch.shape[1])):
            last_branch[c, row] = nearest(last_branch[c, row], period, inverse)


@compilable
def write_pairs(world, section, needs_material):
    """Write the pairs of a section to their rows of the list; with their pair of materials if `needs_material` is 1 and
    there are several."""
    pairs = world.pairs
    columns = world.workspace.pairs
    pair_buffer = world.workspace.pair_buffer
    begin = world.workspace.search.begin
    new_begin = world.workspace.search.new_begin
    from_buffer = section.offset - section.before
    radius = world.radius
    material = world.material
    materials = world.counters[MATERIAL_COUNT]
    inverse_mass = world.inverse_mass[0]
    stop = section.before + section.kept
    for i in range(section.first, section.last):
        first = new_begin[i] - from_buffer
        begin[i] = first
        last = new_begin[i + 1] - from_buffer if i + 1 < section.last else stop
        if last == first:
            continue
        if last - first <= LANES and first + LANES <= stop:
            repeat_few(pairs.i, first, last, i)
        else:
            for row in range(first, last):
                pairs.i[row] = i
    for row in range(section.before, stop):
        i = pairs.i[row]
        j = pair_buffer.j[from_buffer + row]
        pairs.j[row] = j
        columns.radius_sum[row] = radius[i] + radius[j]
        columns.fixed[row] = 1 if inverse_mass[i] == 0.0 or inverse_mass[j] == 0.0 else 0
    if needs_material > 0 and materials > 1:
        for row in range(section.before, stop):
            columns.material_pair[row] = material[pairs.i[row]] * materials + material[pairs.j[row]]
    first, end = section.offset, section.offset + section.kept
    copy_column(pairs.touching[section.before : stop], pair_buffer.touching[first:end])
    for c in range(pair_buffer.shear_spring.shape[0]):
        copy_column(pairs.shear_spring[c][section.before : stop], pair_buffer.shear_spring[c][first:end])


@compilable
def write_gliding_columns(world, section):
    """Compute the columns of a section that only pairs without rotation have. They lie in the memory of `PairBuffer`,
    which all threads have read by now."""
    pairs = world.pairs
    columns = world.workspace.pairs
    radius = world.radius
    mass = world.mass
    stop = section.before + section.kept
    for row in range(section.before, min(stop, columns.effective_mass.size)):
        i = pairs.i[row]
        j = pairs.j[row]
        columns.effective_mass[row] = shared_mass(mass[i], mass[j])
        columns.smaller_radius[row] = min(radius[i], radius[j])
    note_branches(pairs, columns.last_branch, world.previous, world.boundary, section.before, stop)
