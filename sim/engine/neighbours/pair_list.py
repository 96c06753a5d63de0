"""The list of pairs made anew: found cell by cell, sorted by row, given what contacts remember, put in its place.

Threads share the spheres in the order of their cells to find pairs, each with a section of the table of its own, and
in the order of their rows for the rest: each collects from all sections the pairs of its rows. The old list is sorted
as the new one, so that the memory of contacts is carried over by going along both.
"""

from __future__ import annotations

from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import shared_inertia
from repose.sim.engine.neighbours.cell_list import bucket_of
from repose.sim.engine.workspace import FOUND


@register_jitable
def find_pairs(search, aside, position_like, first, last, section, end):
    """Write down the pairs closer than touching + skin of the spheres in these slots and all further on, from `section`
    on; returns how many, or -1 if they do not fit before `end`. Where two cells share a bucket a pair may be
    there twice."""
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
            over = left + wide - 1 - mask  # so many cells stand at the beginning of the table
            for turn in range(2 if over > 0 else 1):
                low = 0 if turn == 1 else slot + 1 if row == 0 else start[left]
                high = start[over] if turn == 1 else start[mask + 1 if over > 0 else left + wide]
                found = look_along(search, aside, position_like, slot, low, high, found, end)
        if found >= end:
            return -1
    return found - section


@register_jitable(forceinline=True)
def look_along(search, aside, position_like, slot, low, high, found, end):
    """Write down which spheres of these slots are within reach of one; returns where the next one goes.

    No branch depends on a candidate: a fifth of them would be guessed wrongly, which costs more than the look. At `end`
    all are written to the last entry, which the caller takes for a full section.
    """
    order = search.order
    rows_i = aside.i
    rows_j = aside.j
    place = arrays.rows(search.place, position_like)
    radius = search.place[len(position_like)]
    here = arrays.at(place, slot)
    reach = radius[slot] + search.skin[0]
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


@register_jitable
def sort_pairs(begin, aside, tally, mobility, first, last):
    """Collect the pairs of these rows from all sections, sorted by i and j, each once; returns how many.

    They stand in `Aside.sorted_j` from where as many were found for the rows before; `Search.begin` counts from there.
    """
    parts = tally.shape[0]
    capacity = aside.i.size
    rows_i = aside.i
    rows_j = aside.j
    sorted_j = aside.sorted_j
    for i in range(first, last):
        begin[i] = 0
    base = 0
    for part in range(parts):
        section = capacity * part // parts
        for p in range(section, section + tally[part, FOUND]):
            i = rows_i[p]
            base += 1 if i < first else 0
            if first <= i < last:
                begin[i] += 1
    at = base
    for i in range(first, last):
        at += begin[i]
        begin[i] = at
    # From the end of each sphere's stretch backwards, so that `begin` ends up at its beginning.
    for part in range(parts):
        section = capacity * part // parts
        for p in range(section, section + tally[part, FOUND]):
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
        held = mobility[i] == 0.0
        previous = i
        for p in range(low, high):
            j = sorted_j[p]
            sorted_j[kept] = j
            kept += 1 if j != previous and not (held and mobility[j] == 0.0) else 0
            previous = j
    return base, kept - base


@register_jitable(forceinline=True)
def sort_few(rows, first, last):
    """Sort by insertion."""
    for k in range(first + 1, last):
        row = rows[k]
        at = k
        while at > first and rows[at - 1] > row:
            rows[at] = rows[at - 1]
            at -= 1
        rows[at] = row


@register_jitable
def first_pair_of(pairs, count, i):
    """Where the pairs of sphere i and those after it begin in a sorted list."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) // 2
        if pairs.i[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low


@register_jitable
def carry_over(pairs, aside, begin, count, first, last, base, found, before):
    """Give every pair of these rows what the same pair of the old list remembers; `before` pairs stand before them."""
    old = first_pair_of(pairs, count, first)
    for i in range(first, last):
        end = begin[i + 1] if i + 1 < last else found
        while old < count and pairs.i[old] < i:
            old += 1
        for k in range(begin[i], end):
            j = aside.sorted_j[base + k]
            while old < count and pairs.i[old] == i and pairs.j[old] < j:
                old += 1
            new = before + k
            aside.touching[new] = 0
            if old < count and pairs.i[old] == i and pairs.j[old] == j and pairs.touching[old] > 0:
                aside.touching[new] = 1
                aside.normal_force[new] = pairs.normal_force[old]
                for c in range(aside.anchor.shape[0]):
                    aside.anchor[c, new] = pairs.anchor[c, old]


@register_jitable
def write_list(
    pairs,
    aside,
    begin,
    radius,
    mass,
    mobility,
    material,
    kinds,
    first,
    last,
    base,
    found,
    before,
    needs_material,
):
    """Write the pairs of these rows to where they belong in the list."""
    held = mobility[0]
    yielding = mobility[mobility.shape[0] - 1]
    turning = mobility.shape[0] > aside.anchor.shape[0]
    for i in range(first, last):
        end = begin[i + 1] if i + 1 < last else found
        for k in range(begin[i], end):
            row = before + k
            j = aside.sorted_j[base + k]
            pairs.i[row] = i
            pairs.j[row] = j
            pairs.radius_sum[row] = radius[i] + radius[j]
            pairs.effective_mass[row] = mass[i] * mass[j] / (mass[i] + mass[j])
            if needs_material:
                pairs.kind[row] = material[i] * kinds + material[j]
            if turning:
                pairs.effective_inertia[row] = shared_inertia(yielding[i] + yielding[j])
            pairs.held[row] = 1 if held[i] == 0.0 or held[j] == 0.0 else 0
        begin[i] += before
    for row in range(before, before + found):
        touched = aside.touching[row]
        pairs.touching[row] = touched
        pairs.normal_force[row] = aside.normal_force[row] if touched else 0.0
    for c in range(aside.anchor.shape[0]):
        for row in range(before, before + found):
            pairs.anchor[c, row] = aside.anchor[c, row] if aside.touching[row] else 0.0


@register_jitable
def list_others(crew, rows_j, first, last, count):
    """Note for the spheres of these rows in which pairs they are j, in the order of the list."""
    begin = crew.other_begin
    other = crew.other
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
        held = begin[j]
        begin[j] = at
        at += held
    for p in range(count):
        j = rows_j[p]
        if first <= j < last:
            other[begin[j]] = p
            begin[j] += 1
    # Each begin has moved on to where the next sphere's begin: one down again.
    for step in range(last - first):
        j = last - 1 - step
        begin[j] = begin[j - 1] if j > first else before
    if last == begin.size - 1:
        begin[last] = count
