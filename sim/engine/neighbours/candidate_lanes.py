"""Eight numbers at once: candidates compared with a sphere, rows sorted and compared with rows."""

from __future__ import annotations

from repose.sim.engine.simd.lanes import (
    all_lanes,
    bits_of,
    compress,
    count,
    first_lanes,
    load,
    number_at,
    select,
    shuffle,
    size_of,
    smaller,
    store,
)
from repose.sim.engine.simd.vectorised import vectorised
from repose.sim.engine.workspace import LANES


@vectorised(answer=int)
def write_near(rows, filled, search, slots, around):
    """Write the rows of near spheres from entry `filled` on; returns the next free entry.

    Candidates are the spheres in the slots slots[0] to slots[1] - 1, at most LANES of them. Written are rows later than
    `around.i` whose centre is within `around.reach` + radius of `around.centre` [m]. LANES entries of `rows` may be
    overwritten.
    """
    slot, end = slots
    columns = [load(search.position[c], slot) for c in range(len(around.centre) + 1)]
    branch = [x - column for x, column in zip(around.centre, columns)]
    square = branch[0] * branch[0]
    for x in branch[1:]:
        square = square + x * x
    close = around.reach + columns[-1]
    candidates = load(search.order, slot)
    near = (square <= close * close) & (candidates > around.i) & first_lanes(end - slot)
    store(rows, filled, compress(candidates, near))
    return filled + count(near)


@vectorised(answer=int)
def write_listed(rows, filled, listed, columns, entries, around):
    """`write_near` for the entries entries[0] to entries[1] - 1 of a list of rows, at most LANES of them. `columns` has
    their positions and radii, each as long as the list."""
    first, end = entries
    table, size = columns, size_of(listed)
    read = [load(table, size * c + first) for c in range(len(around.centre) + 1)]
    branch = [x - column for x, column in zip(around.centre, read)]
    square = branch[0] * branch[0]
    for x in branch[1:]:
        square = square + x * x
    close = around.reach + read[-1]
    near = (square <= close * close) & first_lanes(end - first)
    store(rows, filled, compress(load(listed, first), near))
    return filled + count(near)


@vectorised(answer=int)
def count_less(table, first, number, limit):
    """Number of entries less than `limit` among `number` (up to LANES) entries of a table from `first` on."""
    # A load must not pass the end of the table: near the end it begins earlier and skips lanes.
    begin = smaller(first, size_of(table) - LANES)
    skipped = first - begin
    return count((load(table, begin) < limit) & first_lanes(skipped + number) & ~first_lanes(skipped))


LAYERS = (
    ((0, 1), (2, 3), (4, 5), (6, 7)),
    ((0, 2), (1, 3), (4, 6), (5, 7)),
    ((1, 2), (5, 6)),
    ((0, 4), (1, 5), (2, 6), (3, 7)),
    ((2, 4), (3, 5)),
    ((1, 2), (3, 4), (5, 6)),
)
"""Lanes that are compared and exchanged, layer by layer: Batcher's odd-even merge sort of eight numbers."""

NO_ROW, OTHER = 0xFFFFFFFF, 0xFFFFFFFE
"""Numbers that are no row of a sphere."""


@vectorised(answer=bool)
def sort_few(rows, first, number, ordered, to):
    """Write `number` (up to LANES) entries in order from entry `to` on; returns whether they are all different. LANES
    entries of `ordered` may be overwritten."""
    in_order = select(first_lanes(number), load(rows, first), NO_ROW)
    for layer in LAYERS:
        in_order = exchanged(in_order, layer)
    store(ordered, to, in_order)
    following = shuffle(in_order, in_order, [*range(1, LANES), LANES - 1])
    return bits_of((in_order == following) & first_lanes(number - 1)) == 0


def exchanged(vector, layer):
    """A vector after the comparisons of one layer: the smaller number is in the lane named first."""
    partner, kept = list(range(LANES)), list(range(LANES))
    for low, high in layer:
        partner[low], partner[high] = high, low
        kept[high] += LANES
    other = shuffle(vector, vector, partner)
    less = vector < other
    return shuffle(select(less, vector, other), select(less, other, vector), kept)


@vectorised
def copy_few(pairs, pair_buffer, like, old, number, first, last):
    """Copy the contact history of up to LANES pairs, entries first to last - 1 of the buffer, from `number` (up to
    LANES) old pairs of the same sphere, which begin at entry `old`; new pairs have no history. LANES entries of the
    buffer may be overwritten."""
    touching = (load(pairs.touching, old) > 0) & first_lanes(number)
    rows = select(touching, load(pairs.j, old), OTHER)
    new_rows = load(pair_buffer.j, first)
    same = [new_rows == shuffle(rows, rows, [k] * LANES) for k in range(LANES)]
    marked = same[0]
    for one in same[1:]:
        marked = marked | one
    store(pair_buffer.touching, first, marked)
    for c in range(len(like)):
        springs, copied = pairs.shear_spring[c], pair_buffer.shear_spring[c]
        column = all_lanes(0.0, springs)
        for k, one in enumerate(same):
            column = select(one, number_at(springs, old + k), column)
        store(copied, first, column)


@vectorised
def repeat_few(table, first, last, number):
    """Write the number to up to LANES entries, first to last - 1. LANES entries of the table may be overwritten."""
    store(table, first, all_lanes(number, table))
