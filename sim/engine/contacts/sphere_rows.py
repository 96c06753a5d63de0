"""Rows of spheres for eight pairs at a time: a row of the quantities that contacts read, and a row of force sums.

In the tables of a world the quantities of a sphere are at up to ten places; two thirds of the time of a contact went
into reading and adding them one by one. A row is read as one or two vectors, and eight rows are transposed in
registers. The rows are filled from the tables at each evaluation, which costs little because neighbouring spheres are
filled together. What remains after the last eight is done one by one.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.boundaries import nearest
from repose.sim.engine.images import nearest_of_periods
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.simd.lanes import (
    all_lanes,
    as_real,
    beginning,
    bits_of,
    branch,
    columns_of_joined,
    columns_of_rows,
    compress,
    count,
    flat,
    holds_whole_numbers,
    joined,
    joined_rows,
    load,
    number_at,
    packed_rows,
    rows_from,
    rows_of_columns,
    select,
    store,
)
from repose.sim.engine.simd.vectorised import vectorised
from repose.sim.engine.workspace import (
    BLOCK,
    GROUP,
    LANES,
    displacement_at,
    rotation_at,
    row_width,
    spin_at,
    sum_width,
)

for length in (row_width, sum_width, displacement_at, spin_at, rotation_at):
    compilable(length, forceinline=True)


@compilable(forceinline=True)
def entry(row, width, first):
    """Index of an entry of a row in a flat table; unsigned, as in `arrays.index`."""
    return np.uint64(row) * np.uint64(width) + np.uint64(first)


@compilable(forceinline=True)
def whole_groups(first, last):
    """The end of the last eight whole entries from `first` on, before `last`."""
    return first + (last - first) // LANES * LANES


def read_row(table, at, like):
    """The vector at index `at` of a flat table."""
    return tuple(table[at + np.uint64(c)] for c in range(len(like)))


def write_row(table, at, a):
    """Write a vector to the place from which `read_row` reads it."""
    for c, x in enumerate(a):
        table[at + np.uint64(c)] = x


def wide(like):
    """Length of the vector register for a vector like `like`: 2 or 4 numbers."""
    return 2 if len(like) <= 2 else GROUP


def padded(columns, width, table):
    """`width` vectors of LANES numbers: the columns, then zeros of the type of the table."""
    return [*columns, *[all_lanes(0.0, table)] * (width - len(columns))]


def write_eight_rows(table, width, first, begin, columns):
    """Write columns of eight numbers to the rows of eight neighbouring spheres, from entry `first` on."""
    start = beginning(table, begin * width + first)

    def together():
        for k, eight in enumerate(packed_rows(columns)):
            store(start, k * LANES, eight)

    def apart():
        for lane, row in enumerate(rows_of_columns(columns)):
            store(start, width * lane, row)

    branch(width == len(columns), together, apart)  # decided when the caller is compiled


def columns_to_rows(lanes):
    """The function that writes columns of `lanes` neighbouring spheres to their rows: 8 or 1."""

    @vectorised
    def to_rows(table, width, first, columns, factor, rates, begin):
        values = [load(column, begin, lanes) for column in columns]
        plain = len(columns) - len(rates)
        for k, rate in enumerate(rates):
            values[plain + k] = values[plain + k] + factor * load(rate, begin, lanes)
        if lanes == LANES and len(columns) > 0:
            write_eight_rows(table, width, first, begin, padded(values, wide(columns), table))
        elif len(columns) > 0:
            start = beginning(table, begin * width + first)
            for c, value in enumerate(values):
                store(start, c, value)

    return to_rows


eight_to_rows, one_to_row = columns_to_rows(LANES), columns_to_rows(1)


@compilable(forceinline=True)
def fill_rows(table, width, first, columns, factor, rates, begin, end):
    """Write columns of the spheres begin to end - 1 to their rows, from entry `first` on. `factor` times a column of
    `rates` is added to each of the last len(rates) columns."""
    full = whole_groups(begin, end)
    for i in range(begin, full, LANES):
        eight_to_rows(table, np.uint64(width), np.uint64(first), columns, factor, rates, np.uint64(i))
    for i in range(full, end):
        one_to_row(table, np.uint64(width), np.uint64(first), columns, factor, rates, np.uint64(i))


@vectorised
def eight_weights(table, width, mass, gravity, spin_like, begin):
    """Eight steps of `fill_gravity`, for eight neighbouring spheres."""
    masses, group = load(mass, begin), wide(gravity)
    write_eight_rows(table, width, 0, begin, padded([masses * g for g in gravity], group, table))
    if len(spin_like) > 0:
        write_eight_rows(table, width, group, begin, padded([], group, table))


@compilable(forceinline=True)
def fill_gravity(table, width, mass, gravity, spin_like, begin, end):
    """Write mass times gravity, and a torque of zero, to the rows of sums of the spheres begin to end - 1."""
    full = whole_groups(begin, end)
    for i in range(begin, full, LANES):
        eight_weights(table, np.uint64(width), mass, gravity, spin_like, np.uint64(i))
    for i in range(full, end):
        write_row(table, entry(i, width, 0), vector.scale(mass[i], gravity))
        for c in range(len(gravity), width):  # padding too: it is added to, and a rebuild leaves other tables there
            table[entry(i, width, c)] = 0.0


def rows_back(lanes):
    """The function that copies entries of `lanes` neighbouring rows to columns: 8 or 1."""

    @vectorised
    def to_columns(table, width, first, columns, begin):
        start, group = beginning(table, begin * width + first), wide(columns)

        def write(read):
            for target, column in zip(columns, read):
                store(target, begin, column)

        def together():
            write(columns_of_joined([load(start, k * LANES) for k in range(group)]))

        def apart():
            write(columns_of_rows([load(start, width * lane, group) for lane in range(LANES)]))

        if lanes == 1:
            write([load(start, c, 1) for c in range(len(columns))])
        elif group == 2 and len(columns) > 0:
            branch(width == group, together, apart)  # decided when the caller is compiled
        elif len(columns) > 0:
            apart()

    return to_columns


eight_back, one_back = rows_back(LANES), rows_back(1)


@compilable(forceinline=True)
def rows_to_columns(table, width, first, columns, begin, end):
    """Copy entries of the rows of the spheres begin to end - 1 to columns: the inverse of `fill_rows`."""
    full = whole_groups(begin, end)
    for i in range(begin, full, LANES):
        eight_back(table, np.uint64(width), np.uint64(first), columns, np.uint64(i))
    for i in range(full, end):
        one_back(table, np.uint64(width), np.uint64(first), columns, np.uint64(i))


def starts_of(rows, k, width, first):
    """Entry `first` of the LANES rows that a list names from its entry k on."""
    numbers = [number_at(rows, k + lane) for lane in range(LANES)]
    return [number * width + first for number in numbers]


def gathered(lanes):
    """The function that fills `lanes` entries, 8 or 1, of columns of a block with entries of the rows of one list, or
    with differences of two; `position` is in the first column."""

    @vectorised
    def gather(buffer, position, like, table, width, first, lists, k):
        group = wide(like)
        if lanes == 1:
            starts = [number_at(rows, k) * width + first for rows in lists]
            read = [[load(table, start + c, 1) for c in range(len(like))] for start in starts]
            columns = read[0] if len(lists) == 1 else [a - b for a, b in zip(*read)]
        elif len(like) > 0:
            starts = [starts_of(rows, k, width, first) for rows in lists]
            read = [joined_rows([load(table, start, group) for start in of_one]) for of_one in starts]
            columns = columns_of_joined(read[0] if len(lists) == 1 else [a - b for a, b in zip(*read)])
        for c in range(len(like)):
            store(buffer, position + c * BLOCK, columns[c])

    return gather


gather_eight, gather_one = gathered(LANES), gathered(1)


@compilable(forceinline=True)
def gather_differences(buffer, column, like, table, width, first, rows_i, rows_j):
    """Fill columns of a block with len(like) entries of the rows of i minus those of the rows of j."""
    full = whole_groups(0, rows_i.size)
    lists = (rows_i, rows_j)
    for k in range(0, full, LANES):
        at = arrays.index(column, BLOCK, k)
        gather_eight(buffer, at, like, table, np.uint64(width), np.uint64(first), lists, np.uint64(k))
    for k in range(full, rows_i.size):
        at = arrays.index(column, BLOCK, k)
        gather_one(buffer, at, like, table, np.uint64(width), np.uint64(first), lists, np.uint64(k))


@compilable(forceinline=True)
def gather_rows(buffer, column, like, table, width, first, rows):
    """Fill columns of a block with len(like) entries of these rows."""
    full = whole_groups(0, rows.size)
    for k in range(0, full, LANES):
        at = arrays.index(column, BLOCK, k)
        gather_eight(buffer, at, like, table, np.uint64(width), np.uint64(first), (rows,), np.uint64(k))
    for k in range(full, rows.size):
        at = arrays.index(column, BLOCK, k)
        gather_one(buffer, at, like, table, np.uint64(width), np.uint64(first), (rows,), np.uint64(k))


def into_block(lanes):
    """The function that copies `lanes` entries, 8 or 1, of tables from entry p on to columns of a block from k on."""

    @vectorised
    def to_block(buffer, columns, sources, k, p):
        for column, source in zip(columns, sources):
            store(buffer, column * BLOCK + k, as_real(load(source, p, lanes)))

    return to_block


def out_of_block(lanes):
    """The function that copies `lanes` entries, 8 or 1, of columns of a block from k on to tables from entry p on."""

    @vectorised
    def from_block(targets, columns, buffer, k, p):
        for column, target in zip(columns, targets):
            numbers = load(buffer, column * BLOCK + k, lanes)
            store(target, p, numbers > 0.0 if holds_whole_numbers(target) else numbers)

    return from_block


eight_to_block, one_to_block = into_block(LANES), into_block(1)
eight_from_block, one_from_block = out_of_block(LANES), out_of_block(1)


@compilable(forceinline=True)
def copy_to_block(buffer, columns, sources, first, last):
    """Copy the entries first to last - 1 of each of these tables to the beginning of a column of the block."""
    full = whole_groups(first, last)
    for p in range(first, full, LANES):
        eight_to_block(buffer, columns, sources, p - first, p)
    for p in range(full, last):
        one_to_block(buffer, columns, sources, p - first, p)


@vectorised(answer=int)
def eight_larger(buffer, column, k, limits, p, factor):
    """A positive number if one of eight numbers of a column, from entry k on, exceeds `factor` times a number of the
    table `limits`, from entry p on, else 0."""
    return bits_of(load(buffer, column * BLOCK + k) > as_real(load(limits, p)) * factor)


@compilable(forceinline=True)
def return_listed(targets, columns, buffer, first, last, overlap, smaller, limit):
    """Copy columns of the block to the entries first to last - 1 of these tables; a table of bytes gets 1 for a
    positive number, else 0. Returns whether a number of the column `overlap` exceeds `limit` times the one of
    `smaller`."""
    larger = 0
    full = whole_groups(first, last)
    for p in range(first, full, LANES):
        eight_from_block(targets, columns, buffer, p - first, p)
        larger |= eight_larger(buffer, overlap, p - first, smaller, p, limit)
    for p in range(full, last):
        one_from_block(targets, columns, buffer, p - first, p)
        larger |= 1 if buffer[arrays.index(overlap, BLOCK, p - first)] > limit * smaller[p] else 0
    return larger != 0


@vectorised(answer=int)
def choose_eight(target, lists, columns, p, spheres, like, reach, reach_like):
    """Eight steps of `choose_near`: pairs p to p + 7. `target` is `chosen` and its number of entries, `lists` are the
    lists of all i and of all j, `columns` sum of radii, mark of a contact and normal force of all pairs, `spheres` the
    rows of spheres, their width, and `periods_of` the world (repose.sim.engine.boundaries)."""
    chosen, filled = target
    table, width, periods = spheres
    sums, marks, forces = columns
    read = [[load(table, start, wide(like)) for start in starts_of(rows, p, width, 0)] for rows in lists]
    differences = columns_of_rows([a - b for a, b in zip(*read)])[: len(like)]
    if len(periods) > 0:
        differences = [nearest(x, *lengths) for x, *lengths in zip(differences, *periods)]
    square = differences[0] * differences[0]
    for x in differences[1:]:
        square = square + x * x
    close = load(sums, p) + reach
    near = square < close * close
    known = load(marks, p)
    if len(reach_like) > 0:
        near = near | (known > 0)
    store(marks, p, select(near, known, 0))
    store(forces, p, all_lanes(0.0, forces))
    rows = flat(chosen)
    for c, entries in enumerate([rows_from(p), *[load(one, p) for one in lists]]):
        store(rows, filled + c * BLOCK, compress(entries, near))
    return filled + count(near)


@compilable(forceinline=True)
def choose_near(chosen, count, listed, table, like, reach_like, reach, span):
    """Write the pairs span[0] to span[1] - 1 that are within reach of each other to `chosen` (Threads.chosen) from
    entry `count` on; returns the new count. All other pairs are marked as not touching; all normal forces are set to
    zero. `listed` are the pairs, the sums of radii of all of them, and the periods of the world.

    For a law that acts at a distance (`reach_like` of length 1), pairs within its reach and pairs that it remembers are
    chosen too: the end of the memory is booked.
    """
    pairs, radius_sum, periods = listed
    at_distance = len(reach_like) > 0
    first, last = span
    width = row_width(len(like), True)
    added = reach if at_distance else 0.0
    lists, columns = (pairs.i, pairs.j), (radius_sum, pairs.touching, pairs.normal_force)
    full = whole_groups(first, last)
    for p in range(first, full, LANES):
        spheres = (table, np.uint64(width), periods)
        count = choose_eight((chosen, count), lists, columns, p, spheres, like, added, reach_like)
    for p in range(full, last):
        i, j = pairs.i[p], pairs.j[p]
        branch = vector.sub(read_row(table, entry(i, width, 0), like), read_row(table, entry(j, width, 0), like))
        branch = nearest_of_periods(branch, periods)
        close = radius_sum[p] + added
        near = vector.dot(branch, branch) < close * close or (at_distance and pairs.touching[p] > 0)
        at = np.uint64(count)
        chosen[0, at], chosen[1, at], chosen[2, at] = p, i, j
        hit = 1 if near else 0
        count += hit
        pairs.touching[p] &= hit
        pairs.normal_force[p] = 0.0
    return count


def split_velocity(columns):
    """The components of a velocity that are in the first group of a row, beside the position, and those after it."""
    beside = GROUP - len(columns)
    return columns[:beside], columns[beside:]


def with_radius(spins, radius):
    """The radius followed by a spin; empty without rotation."""
    return (radius, *spins) if len(spins) > 0 else ()


def columns_at(block, first, like):
    """Vectors of eight numbers from neighbouring columns of a block, the first from entry `first` on."""
    return [load(block, first + c * BLOCK) for c in range(len(like))]


@vectorised
def push_eight(table, width, like, spin_like, lists, k, buffer, columns):
    """Eight steps of `add_forces_of_pairs`."""
    places = [column * BLOCK + k for column in columns]
    group = wide(like)
    force = rows_of_columns(padded(columns_at(buffer, places[0], like), group, buffer))
    added = subtracted = force
    if len(spin_like) > 0:
        on_i = rows_of_columns(padded(columns_at(buffer, places[1], spin_like), group, buffer))
        less_j = [-column for column in columns_at(buffer, places[2], spin_like)]
        less_j = rows_of_columns(padded(less_j, group, buffer))
        added = [joined(a, b) for a, b in zip(force, on_i)]
        subtracted = [joined(a, b) for a, b in zip(force, less_j)]
    for start, less in zip(starts_of(lists[1], k, width, 0), subtracted):
        store(table, start, load(table, start, less.size) - less)
    for start, more in zip(starts_of(lists[0], k, width, 0), added):
        store(table, start, load(table, start, more.size) + more)


@compilable(forceinline=True)
def add_forces_of_pairs(table, width, like, spin_like, rows_i, rows_j, buffer, columns):
    """Add forces and torques of a block to rows of sums; `columns` are the first ones of the force on i and of the
    torques on i and on j. The force on j is the opposite of the force on i.

    In a sorted list every pair of a sphere as j precedes its pairs as i: sums have the same order for any number of
    pairs at a time of which all j are treated before all i.
    """
    full = whole_groups(0, rows_i.size)
    lists = (rows_i, rows_j)
    for k in range(0, full, LANES):
        push_eight(table, np.uint64(width), like, spin_like, lists, np.uint64(k), buffer, columns)
    for k in range(full, rows_i.size):
        add_forces_of_pair(table, width, like, spin_like, (rows_i[k], rows_j[k]), buffer, columns, k)


@compilable(forceinline=True)
def add_forces_of_pair(table, width, like, spin_like, ends, buffer, columns, k):
    """One step of `add_forces_of_pairs`; `ends` are the rows of spheres i and j."""
    force, torque_i, torque_j = columns
    i, j = entry(ends[0], width, 0), entry(ends[1], width, 0)
    push = arrays.read_block(buffer, force, BLOCK, k, like)
    torque_on_i = arrays.read_block(buffer, torque_i, BLOCK, k, spin_like)
    torque_on_j = arrays.read_block(buffer, torque_j, BLOCK, k, spin_like)
    add_force_and_torque(table, j, width, vector.scale(-1.0, push), torque_on_j)
    add_force_and_torque(table, i, width, push, torque_on_i)


@compilable(forceinline=True)
def add_force_and_torque(table, at, width, push, turn):
    """Add a force and a torque to the row of sums that begins at index `at`."""
    write_row(table, at, vector.add(read_row(table, at, push), push))
    half = at + np.uint64(width // 2)
    write_row(table, half, vector.add(read_row(table, half, turn), turn))


@overload(read_row)
def _read_row(table, at, like):
    if len(like) > 2:
        return lambda table, at, like: read_row(table, at, like[:2]) + read_row(table, at + np.uint64(2), like[2:])
    return (
        lambda table, at, like: (),
        lambda table, at, like: (table[at],),
        lambda table, at, like: (table[at], table[at + np.uint64(1)]),
    )[len(like)]


@overload(write_row)
def _write_row(table, at, a):
    def write0(table, at, a):
        pass

    def write1(table, at, a):
        table[at] = a[0]

    def write2(table, at, a):
        table[at] = a[0]
        table[at + np.uint64(1)] = a[1]

    def write_more(table, at, a):
        write_row(table, at, a[:2])
        write_row(table, at + np.uint64(2), a[2:])

    return (write0, write1, write2)[len(a)] if len(a) <= 2 else write_more


@overload(split_velocity)
def _split_velocity(columns):
    if len(columns) == 2:
        return lambda columns: (columns, ())
    return lambda columns: (columns[:1], columns[1:])


@overload(with_radius)
def _with_radius(spins, radius):
    return (lambda spins, radius: (radius,) + spins) if len(spins) > 0 else (lambda spins, radius: ())  # noqa: RUF005
