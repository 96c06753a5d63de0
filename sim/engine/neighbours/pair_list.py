"""Rebuild the pair list: search cells, sort by (i, j), copy contact history.

Threads share the spheres in the order of their cells to find pairs, each with a section of the second buffer, and in
the order of their rows for the rest: each collects the pairs of its rows from all sections. The old list is sorted
like the new one, so that contact history is copied in one pass along both.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import shared_inertia
from repose.sim.engine.jit import compilable
from repose.sim.engine.neighbours.cell_list import bucket_of
from repose.sim.engine.threads import share
from repose.sim.engine.workspace import FOUND
from repose.sim.engine.world import MATERIAL_COUNT


class Section(NamedTuple):
    """The pairs of one thread's rows while the list is rebuilt."""

    first: int
    last: int
    """Its spheres are the rows first to last - 1."""
    offset: int
    """Where its pairs begin in `PairBuffer.sorted_j`."""
    kept: int
    """Number of its pairs."""
    before: int
    """Number of pairs of the rows before, which is where its pairs begin in the new list."""


@compilable
def find_pairs(search, pair_buffer, position_like, first, last, section, end):
    """Write the pairs closer than touching + reach of the law + skin of the spheres in these slots with all in later
    slots, from entry `section` on; returns how many, or -1 if they do not fit before `end`. Where two cells share a
    bucket a pair may occur twice."""
    cell = search.cell
    start = search.bucket_start
    mask = start.size - 2
    deep = len(position_like) == 3
    found = section
    for slot in range(first, last):
        i = search.order[slot]
        x, y, z = cell[0, i], cell[1, i], cell[2, i] if deep else 0
        # The rest of its own cell and the next one, then whole rows of three on one side.
        for row in range(5 if deep else 2):
            beside = y + 1 if row < 2 else y + row - 3
            left = bucket_of(x if row == 0 else x - 1, y if row == 0 else beside, z if row < 2 else z + 1, mask)
            wide = 2 if row == 0 else 3
            over = left + wide - 1 - mask  # number of cells at the beginning of the table
            for turn in range(2 if over > 0 else 1):
                low = 0 if turn == 1 else slot + 1 if row == 0 else start[left]
                high = start[over] if turn == 1 else start[mask + 1 if over > 0 else left + wide]
                found = search_slots(search, pair_buffer, position_like, slot, low, high, found, end)
        if found >= end:
            return -1
    return found - section


@compilable(forceinline=True)
def search_slots(search, pair_buffer, position_like, slot, low, high, found, end):
    """Write the spheres of these slots that are within reach of one; returns the next free entry.

    No branch depends on a candidate: a fifth of them would be predicted wrongly, which costs more than the test. At
    `end` all are written to the last entry, which the caller takes for a full section.
    """
    order = search.order
    rows_i = pair_buffer.i
    rows_j = pair_buffer.j
    place = arrays.rows(search.place, position_like)
    radius = search.place[len(position_like)]
    here = arrays.at(place, slot)
    reach = radius[slot] + search.reach[0] + search.skin[0]
    i = order[slot]
    for candidate in range(low, high):
        j = order[candidate]
        branch = vector.sub(here, arrays.at(place, candidate))
        close = reach + radius[candidate]
        at = min(found, end - 1)
        rows_i[at] = min(i, j)
        rows_j[at] = max(i, j)
        found += 1 if vector.dot(branch, branch) <= close * close else 0
    return found


@compilable
def sort_pairs(begin, pair_buffer, thread_status, inverse_mass, body, thread):
    """Collect the pairs of this thread's rows from all sections, sorted by i and j, each once; returns their offset in
    `PairBuffer.sorted_j`, the number of pairs found for the rows before, and how many there are.

    `begin`, of `Search`, counts from that offset. Pairs of two fixed spheres, and of two members of one body, are left
    out.
    """
    capacity = pair_buffer.i.size
    rows_i = pair_buffer.i
    rows_j = pair_buffer.j
    sorted_j = pair_buffer.sorted_j
    first = thread.first
    last = thread.last
    for i in range(first, last):
        begin[i] = 0
    base = 0
    for other in range(thread.total):
        section, _ = share(capacity, other, thread.total)
        for p in range(section, section + thread_status[other, FOUND]):
            i = rows_i[p]
            base += 1 if i < first else 0
            if first <= i < last:
                begin[i] += 1
    at = base
    for i in range(first, last):
        at += begin[i]
        begin[i] = at
    # From the end of each sphere's pairs backwards, so that `begin` ends up at the first.
    for other in range(thread.total):
        section, _ = share(capacity, other, thread.total)
        for p in range(section, section + thread_status[other, FOUND]):
            i = rows_i[p]
            if first <= i < last:
                begin[i] -= 1
                sorted_j[begin[i]] = rows_j[p]
    kept = base
    for i in range(first, last):
        low = begin[i]
        high = begin[i + 1] if i + 1 < last else at
        begin[i] = kept - base
        sort_few(sorted_j, low, high)
        fixed = inverse_mass[i] == 0.0
        previous = i
        for p in range(low, high):
            j = sorted_j[p]
            sorted_j[kept] = j
            apart = not (fixed and inverse_mass[j] == 0.0) and (body[i] < 0 or body[i] != body[j])
            kept += 1 if j != previous and apart else 0
            previous = j
    return base, kept - base


@compilable(forceinline=True)
def sort_few(rows, first, last):
    """Sort by insertion."""
    for k in range(first + 1, last):
        row = rows[k]
        at = k
        while at > first and rows[at - 1] > row:
            rows[at] = rows[at - 1]
            at -= 1
        rows[at] = row


@compilable
def first_pair_of(pairs, count, i):
    """First pair of sphere i or a later one in a sorted list."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if pairs.i[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low


@compilable
def copy_history(pairs, pair_buffer, begin, count, section):
    """Copy the contact history of the old list, of `count` pairs, to the same pairs of the new one, in the buffer."""
    old = first_pair_of(pairs, count, section.first)
    for i in range(section.first, section.last):
        end = begin[i + 1] if i + 1 < section.last else section.kept
        while old < count and pairs.i[old] < i:
            old += 1
        for k in range(begin[i], end):
            j = pair_buffer.sorted_j[section.offset + k]
            while old < count and pairs.i[old] == i and pairs.j[old] < j:
                old += 1
            new = section.before + k
            pair_buffer.touching[new] = 0
            if old < count and pairs.i[old] == i and pairs.j[old] == j and pairs.touching[old] > 0:
                pair_buffer.touching[new] = 1
                pair_buffer.normal_force[new] = pairs.normal_force[old]
                for c in range(pair_buffer.shear_spring.shape[0]):
                    pair_buffer.shear_spring[c, new] = pairs.shear_spring[c, old]


@compilable
def write_pairs(world, section, needs_material):
    """Write the pairs of a section to their rows of the list."""
    pairs = world.pairs
    pair_buffer = world.pair_buffer
    begin = world.search.begin
    radius = world.radius
    mass = world.mass
    inverse_mass = world.inverse_mass[0]
    inverse_inertia = world.inverse_mass[world.inverse_mass.shape[0] - 1]
    turning = world.inverse_mass.shape[0] > pair_buffer.shear_spring.shape[0]
    for i in range(section.first, section.last):
        end = begin[i + 1] if i + 1 < section.last else section.kept
        for k in range(begin[i], end):
            row = section.before + k
            j = pair_buffer.sorted_j[section.offset + k]
            pairs.i[row] = i
            pairs.j[row] = j
            pairs.radius_sum[row] = radius[i] + radius[j]
            pairs.effective_mass[row] = mass[i] * mass[j] / (mass[i] + mass[j])
            if needs_material:
                pairs.kind[row] = world.material[i] * world.counters[MATERIAL_COUNT] + world.material[j]
            if turning:
                pairs.effective_inertia[row] = shared_inertia(inverse_inertia[i] + inverse_inertia[j])
            pairs.fixed[row] = 1 if inverse_mass[i] == 0.0 or inverse_mass[j] == 0.0 else 0
        begin[i] += section.before
    stop = section.before + section.kept
    for row in range(section.before, stop):
        touched = pair_buffer.touching[row]
        pairs.touching[row] = touched
        pairs.normal_force[row] = pair_buffer.normal_force[row] if touched else 0.0
    for c in range(pair_buffer.shear_spring.shape[0]):
        for row in range(section.before, stop):
            pairs.shear_spring[c, row] = pair_buffer.shear_spring[c, row] if pair_buffer.touching[row] else 0.0


@compilable
def index_by_j(threads, rows_j, first, last, count):
    """List for the spheres of these rows the pairs in which they are j, in the order of the pair list."""
    begin = threads.other_begin
    other = threads.other
    for j in range(first, last):
        begin[j] = 0
    before = 0
    for p in range(count):
        j = rows_j[p]
        before += 1 if j < first else 0
        if first <= j < last:
            begin[j] += 1
    at = before
    for j in range(first, last):
        number = begin[j]
        begin[j] = at
        at += number
    for p in range(count):
        j = rows_j[p]
        if first <= j < last:
            other[begin[j]] = p
            begin[j] += 1
    # Each begin has advanced to that of the next sphere: shift back by one.
    for step in range(last - first):
        j = last - 1 - step
        begin[j] = begin[j - 1] if j > first else before
    if last == begin.size - 1:
        begin[last] = count
