"""Rows of spheres for eight pairs at a time: a row of the quantities that contacts read, and a row of force sums.

In the tables of a world the quantities of a sphere are at up to ten places; two thirds of the time of a contact went
into reading and adding them one by one. A row is read as one or two vectors, and eight rows are transposed in
registers. The rows are filled from the tables at each evaluation, which costs little because neighbouring spheres are
filled together. Each function also exists in plain Python, for runs without numba.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from repose.sim.engine import arrays, lanes, vector
from repose.sim.engine.jit import compilable, overload
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


def read_row(table, at, like):
    """The vector at index `at` of a flat table."""
    return tuple(table[at + np.uint64(c)] for c in range(len(like)))


def write_row(table, at, a):
    """Write a vector to the place from which `read_row` reads it."""
    for c, x in enumerate(a):
        table[at + np.uint64(c)] = x


def fill_rows(table, width, first, columns, factor, rates, begin, end):
    """Write columns of the spheres begin to end - 1 to their rows, from entry `first` on. `factor` times a column of
    `rates` is added to each of the last len(rates) columns."""
    plain = len(columns) - len(rates)
    for i in range(begin, end):
        row = arrays.at(columns, i)
        changed = vector.add(row[plain:], vector.scale(factor, arrays.at(rates, i)))
        write_row(table, entry(i, width, first), row[:plain] + changed)


def fill_gravity(table, width, mass, gravity, spin_like, begin, end):
    """Write mass times gravity, and a torque of zero, to the rows of sums of the spheres begin to end - 1."""
    for i in range(begin, end):
        write_row(table, entry(i, width, 0), (*vector.scale(mass[i], gravity), *(0.0,) * (width - len(gravity))))


def rows_to_columns(table, width, first, columns, begin, end):
    """Copy entries of the rows of the spheres begin to end - 1 to columns: the inverse of `fill_rows`."""
    for i in range(begin, end):
        arrays.write_at(columns, i, read_row(table, entry(i, width, first), columns))


def gather_differences(buffer, column, like, table, width, first, rows_i, rows_j):
    """Fill columns of a block with len(like) entries of the rows of i minus those of the rows of j."""
    for k in range(rows_i.size):
        a = read_row(table, entry(rows_i[k], width, first), like)
        b = read_row(table, entry(rows_j[k], width, first), like)
        arrays.write_block(buffer, column, BLOCK, k, vector.sub(a, b))


def gather_rows(buffer, column, like, table, width, first, rows):
    """Fill columns of a block with len(like) entries of these rows."""
    for k in range(rows.size):
        arrays.write_block(buffer, column, BLOCK, k, read_row(table, entry(rows[k], width, first), like))


def copy_to_block(buffer, columns, sources, first, last):
    """Copy the entries first to last - 1 of each of these tables to the beginning of a column of the block."""
    for column, source in zip(columns, sources, strict=True):
        buffer[column * BLOCK : column * BLOCK + last - first] = source[first:last]


def return_listed(targets, columns, buffer, first, last, overlap, smaller, limit):
    """Copy columns of the block to the entries first to last - 1 of these tables; a table of bytes gets 1 for a
    positive number, else 0. Returns whether a number of the column `overlap` exceeds `limit` times the one of
    `smaller`."""
    for target, column in zip(targets, columns, strict=True):
        numbers = buffer[column * BLOCK : column * BLOCK + last - first]
        target[first:last] = numbers > 0.0 if target.dtype == np.uint8 else numbers
    return bool(np.any(buffer[overlap * BLOCK : overlap * BLOCK + last - first] > limit * smaller[first:last]))


def choose_near(chosen, count, pairs, radius_sum, table, like, reach_like, reach, span):
    """Write the pairs span[0] to span[1] - 1 that are within reach of each other to `chosen` (Threads.chosen) from
    entry `count` on; returns the new count. All other pairs are marked as not touching; all normal forces are set to
    zero. `radius_sum` is that of all pairs.

    For a law that acts at a distance (`reach_like` of length 1), pairs within its reach and pairs that it remembers are
    chosen too: the end of the memory is booked.
    """
    width = row_width(len(like), True)
    for p in range(*span):
        i, j = pairs.i[p], pairs.j[p]
        branch = vector.sub(read_row(table, entry(i, width, 0), like), read_row(table, entry(j, width, 0), like))
        close = radius_sum[p] + (reach if len(reach_like) > 0 else 0.0)
        near = vector.dot(branch, branch) < close * close or (len(reach_like) > 0 and pairs.touching[p] > 0)
        chosen[0, count], chosen[1, count], chosen[2, count] = p, i, j
        count += int(near)
        pairs.touching[p] &= int(near)
        pairs.normal_force[p] = 0.0
    return count


def split_velocity(columns):
    """The components of a velocity that are in the first group of a row, beside the position, and those after it."""
    beside = GROUP - len(columns)
    return columns[:beside], columns[beside:]


def with_radius(spins, radius):
    """The radius followed by a spin; empty without rotation."""
    return (radius, *spins) if len(spins) > 0 else ()


def add_forces_of_pairs(table, width, like, spin_like, rows_i, rows_j, buffer, columns):
    """Add forces and torques of a block to rows of sums; `columns` are the first ones of the force on i and of the
    torques on i and on j. The force on j is the opposite of the force on i.

    In a sorted list every pair of a sphere as j precedes its pairs as i: sums have the same order for any number of
    pairs at a time of which all j are treated before all i.
    """
    for k in range(rows_i.size):
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


def _wide(like):
    """Length of the vector register for a vector like `like`: 2 or 4 numbers."""
    return 2 if len(like) <= 2 else GROUP


def _data(context, builder, signature, args, *which):
    """Pointers to the entries of these arguments, which are contiguous tables."""
    return [context.make_array(signature.args[k])(context, builder, args[k]).data for k in which]


def _row_pointers(builder, table, rows, width, first):
    """Pointers to entry `first` of LANES rows."""
    numbers = [builder.zext(builder.load(builder.gep(rows, [lanes.SHORT(lane)])), lanes.LONG) for lane in range(LANES)]
    return [builder.gep(table, [builder.add(builder.mul(number, width), first)]) for number in numbers]


def _zeros():
    return ir.Constant(ir.VectorType(lanes.REAL, LANES), [0.0] * LANES)


def _filled(columns, wide):
    """`wide` vectors of LANES numbers: the columns, then zeros."""
    return [*columns, *[_zeros()] * (wide - len(columns))]


INDEX = types.uint64
TWO = np.uint64(2)


def _write_eight_rows(builder, table, width, first, begin, columns):
    """Write columns of eight numbers to the rows of eight neighbouring spheres, from entry `first` on."""
    wide = len(columns)
    begin = builder.gep(table, [builder.add(builder.mul(begin, width), first)])
    # Rows without a gap are written together; this is decided when the caller is compiled.
    with builder.if_else(builder.icmp_unsigned("==", width, lanes.LONG(wide))) as (together, apart):
        with together:
            for k, eight in enumerate(lanes.packed_rows(builder, columns)):
                lanes.store(builder, eight, builder.gep(begin, [lanes.LONG(k * LANES)]))
        with apart:
            for lane, row in enumerate(lanes.rows_of_columns(builder, columns)):
                lanes.store(builder, row, builder.gep(begin, [builder.mul(lanes.LONG(lane), width)]))


@intrinsic
def _eight_columns_to_rows(typing, table, width, first, columns, factor, rates, begin):
    """Eight steps of `fill_rows`, for eight neighbouring spheres."""

    def generate(context, builder, signature, args):
        (flat,) = _data(context, builder, signature, args, 0)

        def loaded(kind, which):
            sources = [context.make_array(kind.dtype)(context, builder, a).data for a in _items(builder, which)]
            return [lanes.load(builder, builder.gep(source, [args[6]]), lanes.REAL) for source in sources]

        values = loaded(columns, args[3])
        if len(rates) > 0:
            times = lanes.splat(builder, args[4])
            more = [builder.fmul(times, rate) for rate in loaded(rates, args[5])]
            values[-len(rates) :] = [builder.fadd(a, b) for a, b in zip(values[-len(rates) :], more, strict=True)]
        _write_eight_rows(builder, flat, args[1], args[2], args[6], _filled(values, _wide(columns)))
        return context.get_dummy_value()

    return types.void(table, INDEX, INDEX, columns, types.float64, rates, INDEX), generate


@intrinsic
def _eight_weights(typing, table, width, mass, gravity, spin_like, begin):
    """Eight steps of `fill_gravity`, for eight neighbouring spheres."""

    def generate(context, builder, signature, args):
        flat, column = _data(context, builder, signature, args, 0, 2)
        masses = lanes.load(builder, builder.gep(column, [args[5]]), lanes.REAL)
        weights = [builder.fmul(masses, lanes.splat(builder, g)) for g in _items(builder, args[3])]
        wide = _wide(gravity)
        _write_eight_rows(builder, flat, args[1], lanes.LONG(0), args[5], _filled(weights, wide))
        if len(spin_like) > 0:
            _write_eight_rows(builder, flat, args[1], lanes.LONG(wide), args[5], _filled((), wide))
        return context.get_dummy_value()

    return types.void(table, INDEX, mass, gravity, spin_like, INDEX), generate


@intrinsic
def _eight_rows_to_columns(typing, table, width, first, columns, begin):
    """Eight steps of `rows_to_columns`."""

    def generate(context, builder, signature, args):
        (flat,) = _data(context, builder, signature, args, 0)
        targets = [context.make_array(columns.dtype)(context, builder, a).data for a in _items(builder, args[3])]
        wide = _wide(columns)
        start = builder.gep(flat, [builder.add(builder.mul(args[4], args[1]), args[2])])

        def write(read):
            for target, column in zip(targets, read, strict=False):
                lanes.store(builder, column, builder.gep(target, [args[4]]))

        def one_by_one():
            places = [builder.gep(start, [builder.mul(lanes.LONG(lane), args[1])]) for lane in range(LANES)]
            return lanes.columns_of_rows(builder, [lanes.load(builder, at, lanes.REAL, wide) for at in places])

        if wide > 2:
            write(one_by_one())
        else:
            with builder.if_else(builder.icmp_unsigned("==", args[1], lanes.LONG(wide))) as (together, apart):
                with together:  # rows without a gap; decided when the caller is compiled
                    places = [builder.gep(start, [lanes.LONG(k * LANES)]) for k in range(wide)]
                    read = [lanes.load(builder, address, lanes.REAL) for address in places]
                    write(lanes.columns_of_joined(builder, read))
                with apart:
                    write(one_by_one())
        return context.get_dummy_value()

    return types.void(table, INDEX, INDEX, columns, INDEX), generate


def _items(builder, value):
    return cgutils.unpack_tuple(builder, value)


@intrinsic
def _gather_eight(typing, buffer, position, like, table, width, first, lists, k):
    """Eight steps of `gather_rows`, or of `gather_differences` with two lists; `position` is in the first column."""

    def generate(context, builder, signature, args):
        target, source = _data(context, builder, signature, args, 0, 3)
        rows = [context.make_array(lists.dtype)(context, builder, a).data for a in _items(builder, args[6])]
        read = []
        for row in rows:
            pointers = _row_pointers(builder, source, builder.gep(row, [args[7]]), args[4], args[5])
            read.append([lanes.load(builder, pointer, lanes.REAL, _wide(like)) for pointer in pointers])
        entries = [lanes.joined_rows(builder, of_one) for of_one in read]
        joined = entries[0] if len(rows) == 1 else [builder.fsub(a, b) for a, b in zip(*entries, strict=True)]
        for c, column in enumerate(lanes.columns_of_joined(builder, joined)[: len(like)]):
            lanes.store(builder, column, builder.gep(target, [builder.add(args[1], lanes.LONG(c * BLOCK))]))
        return context.get_dummy_value()

    return types.void(buffer, INDEX, like, table, INDEX, INDEX, lists, INDEX), generate


def _each(context, builder, signature, args, tables):
    """Pointers to the entries of a tuple of contiguous tables that may differ in type; `tables` is its position."""
    kinds = signature.args[tables].types
    items = _items(builder, args[tables])
    return [context.make_array(kind)(context, builder, item).data for kind, item in zip(kinds, items, strict=True)]


def _to_block(width):
    @intrinsic
    def copy(typing, buffer, columns, sources, k, p):
        """`width` steps of `copy_to_block`, from entry k of the columns and from entry p of the tables on."""

        def generate(context, builder, signature, args):
            (block,) = _data(context, builder, signature, args, 0)
            places = _places_in_block(builder, block, args[1], args[3])
            for address, source in zip(places, _each(context, builder, signature, args, 2), strict=True):
                kind = source.type.pointee
                numbers = lanes.load(builder, builder.gep(source, [args[4]]), kind, width)
                if isinstance(kind, ir.IntType):
                    numbers = builder.uitofp(numbers, ir.VectorType(lanes.REAL, width))
                lanes.store(builder, numbers, address)
            return context.get_dummy_value()

        return types.void(buffer, columns, sources, types.int64, types.int64), generate

    return copy


def _from_block(width):
    @intrinsic
    def copy(typing, targets, columns, buffer, k, p):
        """`width` steps of `return_listed`, from entry k of the columns and from entry p of the tables on."""

        def generate(context, builder, signature, args):
            (block,) = _data(context, builder, signature, args, 2)
            places = _places_in_block(builder, block, args[1], args[3])
            for address, target in zip(places, _each(context, builder, signature, args, 0), strict=True):
                kind = target.type.pointee
                numbers = lanes.load(builder, address, lanes.REAL, width)
                if isinstance(kind, ir.IntType):
                    positive = builder.fcmp_ordered(">", numbers, ir.Constant(numbers.type, [0.0] * width))
                    numbers = builder.zext(positive, ir.VectorType(kind, width))
                lanes.store(builder, numbers, builder.gep(target, [args[4]]))
            return context.get_dummy_value()

        return types.void(targets, columns, buffer, types.int64, types.int64), generate

    return copy


def _places_in_block(builder, block, columns, k):
    """Pointers to entry k of each of these columns."""
    starts = [builder.mul(column, lanes.LONG(BLOCK)) for column in _items(builder, columns)]
    return [builder.gep(block, [builder.add(start, k)]) for start in starts]


_eight_to_block, _one_to_block = _to_block(LANES), _to_block(1)
_eight_from_block, _one_from_block = _from_block(LANES), _from_block(1)


def _rows_of_block(builder, block, address, like):
    """Eight vectors whose components are in neighbouring columns of a block, the first from `address` on."""
    return lanes.rows_of_columns(builder, _filled(_columns_at(builder, block, address, like), _wide(like)))


def _columns_at(builder, block, address, like):
    """Vectors of eight numbers from neighbouring columns of a block, the first from `address` on."""
    places = [builder.gep(block, [builder.add(address, lanes.LONG(c * BLOCK))]) for c in range(len(like))]
    return [lanes.load(builder, at, lanes.REAL) for at in places]


def _joined(builder, left, right):
    """Eight rows, each a vector of `left` followed by one of `right`."""
    return [lanes.shuffle(builder, a, b, range(2 * a.type.count)) for a, b in zip(left, right, strict=True)]


@intrinsic
def _push_eight(typing, table, width, like, spin_like, lists, k, buffer, columns):
    """Eight steps of `add_forces_of_pairs`."""

    def generate(context, builder, signature, args):
        target, source = _data(context, builder, signature, args, 0, 6)
        rows = [context.make_array(lists.dtype)(context, builder, a).data for a in _items(builder, args[4])]
        places = [builder.add(builder.mul(c, lanes.LONG(BLOCK)), args[5]) for c in _items(builder, args[7])]
        force = _rows_of_block(builder, source, places[0], like)
        added = subtracted = force
        if len(spin_like) > 0:
            turns = [_columns_at(builder, source, address, spin_like) for address in places[1:]]
            turns[1] = [builder.fneg(column) for column in turns[1]]
            on_i, less_j = (lanes.rows_of_columns(builder, _filled(turn, _wide(like))) for turn in turns)
            added, subtracted = _joined(builder, force, on_i), _joined(builder, force, less_j)
        for row, change, entries in ((rows[1], builder.fsub, subtracted), (rows[0], builder.fadd, added)):
            pointers = _row_pointers(builder, target, builder.gep(row, [args[5]]), args[1], lanes.LONG(0))
            for pointer, more in zip(pointers, entries, strict=True):
                total = lanes.load(builder, pointer, lanes.REAL, more.type.count)
                lanes.store(builder, change(total, more), pointer)
        return context.get_dummy_value()

    return types.void(table, INDEX, like, spin_like, lists, INDEX, buffer, columns), generate


@overload(read_row)
def _read_row(table, at, like):
    if len(like) > 2:
        return lambda table, at, like: read_row(table, at, like[:2]) + read_row(table, at + TWO, like[2:])
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
        write_row(table, at + TWO, a[2:])

    return (write0, write1, write2)[len(a)] if len(a) <= 2 else write_more


@overload(fill_rows, forceinline=True)
def _fill_rows(table, width, first, columns, factor, rates, begin, end):
    plain = len(columns) - len(rates)

    def fill(table, width, first, columns, factor, rates, begin, end):
        full = begin + (end - begin) // LANES * LANES
        for i in range(begin, full, LANES):
            _eight_columns_to_rows(table, np.uint64(width), np.uint64(first), columns, factor, rates, np.uint64(i))
        for i in range(full, end):
            at = entry(i, width, first)
            write_row(table, at, arrays.at(columns[:plain], i))
            changed = vector.add(arrays.at(columns[plain:], i), vector.scale(factor, arrays.at(rates, i)))
            write_row(table, at + np.uint64(plain), changed)

    return fill if len(columns) > 0 else lambda table, width, first, columns, factor, rates, begin, end: None


@overload(fill_gravity, forceinline=True)
def _fill_weights(table, width, mass, gravity, spin_like, begin, end):
    def fill(table, width, mass, gravity, spin_like, begin, end):
        full = begin + (end - begin) // LANES * LANES
        wide = np.uint64(width)
        for i in range(begin, full, LANES):
            _eight_weights(table, wide, mass, gravity, spin_like, np.uint64(i))
        for i in range(full, end):
            write_row(table, entry(i, width, 0), vector.scale(mass[i], gravity))
            for c in range(len(gravity), width):  # padding too: it is added to, and a rebuild leaves other tables there
                table[entry(i, width, c)] = 0.0

    return fill


@overload(rows_to_columns, forceinline=True)
def _rows_to_columns(table, width, first, columns, begin, end):
    def copy(table, width, first, columns, begin, end):
        full = begin + (end - begin) // LANES * LANES
        for i in range(begin, full, LANES):
            _eight_rows_to_columns(table, np.uint64(width), np.uint64(first), columns, np.uint64(i))
        for i in range(full, end):
            arrays.write_at(columns, i, read_row(table, entry(i, width, first), columns))

    return copy if len(columns) > 0 else lambda table, width, first, columns, begin, end: None


@overload(gather_differences, forceinline=True)
def _gather_differences(buffer, column, like, table, width, first, rows_i, rows_j):
    def gather(buffer, column, like, table, width, first, rows_i, rows_j):
        full = rows_i.size // LANES * LANES
        lists = (rows_i, rows_j)
        for k in range(0, full, LANES):
            address = arrays.index(column, BLOCK, k)
            _gather_eight(buffer, address, like, table, np.uint64(width), np.uint64(first), lists, np.uint64(k))
        for k in range(full, rows_i.size):
            i, j = entry(rows_i[k], width, first), entry(rows_j[k], width, first)
            a, b = read_row(table, i, like[:2]), read_row(table, j, like[:2])
            arrays.write_block(buffer, column, BLOCK, k, vector.sub(a, b))
            c, d = read_row(table, i + TWO, like[2:]), read_row(table, j + TWO, like[2:])
            arrays.write_block(buffer, column + 2, BLOCK, k, vector.sub(c, d))

    return gather if len(like) > 0 else lambda buffer, column, like, table, width, first, rows_i, rows_j: None


@overload(gather_rows, forceinline=True)
def _gather_rows(buffer, column, like, table, width, first, rows):
    def gather(buffer, column, like, table, width, first, rows):
        full = rows.size // LANES * LANES
        for k in range(0, full, LANES):
            address = arrays.index(column, BLOCK, k)
            _gather_eight(buffer, address, like, table, np.uint64(width), np.uint64(first), (rows,), np.uint64(k))
        for k in range(full, rows.size):
            arrays.write_block(buffer, column, BLOCK, k, read_row(table, entry(rows[k], width, first), like))

    return gather if len(like) > 0 else lambda buffer, column, like, table, width, first, rows: None


@overload(add_forces_of_pairs, forceinline=True)
def _add_pushes(table, width, like, spin_like, rows_i, rows_j, buffer, columns):
    def add(table, width, like, spin_like, rows_i, rows_j, buffer, columns):
        full = rows_i.size // LANES * LANES
        lists = (rows_i, rows_j)
        for k in range(0, full, LANES):
            _push_eight(table, np.uint64(width), like, spin_like, lists, np.uint64(k), buffer, columns)
        for k in range(full, rows_i.size):
            add_forces_of_pair(table, width, like, spin_like, (rows_i[k], rows_j[k]), buffer, columns, k)

    return add


@overload(copy_to_block, forceinline=True)
def _copy_to_block(buffer, columns, sources, first, last):
    def copy(buffer, columns, sources, first, last):
        full = first + (last - first) // LANES * LANES
        for p in range(first, full, LANES):
            _eight_to_block(buffer, columns, sources, p - first, p)
        for p in range(full, last):
            _one_to_block(buffer, columns, sources, p - first, p)

    return copy


@intrinsic
def _eight_larger(typing, buffer, column, k, limits, p, factor):
    """A positive number if one of eight numbers of a column, from entry k on, exceeds `factor` times a number of the
    table `limits`, from entry p on, else 0."""

    def generate(context, builder, signature, args):
        block, table = _data(context, builder, signature, args, 0, 3)
        address = builder.gep(block, [builder.add(builder.mul(args[1], lanes.LONG(BLOCK)), args[2])])
        single = ir.VectorType(ir.FloatType(), LANES)
        pointer = builder.bitcast(builder.gep(table, [args[4]]), single.as_pointer())
        most = builder.fpext(builder.load(pointer, align=4), ir.VectorType(lanes.REAL, LANES))
        most = builder.fmul(most, lanes.splat(builder, args[5]))
        larger = builder.fcmp_ordered(">", lanes.load(builder, address, lanes.REAL), most)
        return builder.zext(builder.bitcast(larger, ir.IntType(LANES)), lanes.LONG)

    return types.int64(buffer, types.int64, types.int64, limits, types.int64, types.float64), generate


@overload(return_listed, forceinline=True)
def _return_listed(targets, columns, buffer, first, last, overlap, smaller, limit):
    def give_back(targets, columns, buffer, first, last, overlap, smaller, limit):
        larger = 0
        full = first + (last - first) // LANES * LANES
        for p in range(first, full, LANES):
            _eight_from_block(targets, columns, buffer, p - first, p)
            larger |= _eight_larger(buffer, overlap, p - first, smaller, p, limit)
        for p in range(full, last):
            _one_from_block(targets, columns, buffer, p - first, p)
            larger |= 1 if buffer[arrays.index(overlap, BLOCK, p - first)] > limit * smaller[p] else 0
        return larger != 0

    return give_back


@overload(split_velocity)
def _split_velocity(columns):
    if len(columns) == 2:
        return lambda columns: (columns, ())
    return lambda columns: (columns[:1], columns[1:])


@overload(with_radius)
def _with_radius(spins, radius):
    return (lambda spins, radius: (radius,) + spins) if len(spins) > 0 else (lambda spins, radius: ())  # noqa: RUF005


@intrinsic
def _choose_eight(typing, chosen, count, lists, columns, p, table, like, reach):
    """Eight steps of `choose_near`: pairs p to p + 7. `lists` are the lists of all i and of all j, `columns` sum of
    radii, mark of a contact and normal force of all pairs, `table` the rows of spheres and their width, `reach` the
    distance at which the law acts and `reach_like`."""

    def generate(context, builder, signature, args):
        (target,) = _data(context, builder, signature, args, 0)
        sums, marks, forces = _each(context, builder, signature, args, 3)
        p, (source, width) = args[4], _items(builder, args[5])
        source = context.make_array(table.types[0])(context, builder, source).data
        distance, _ = _items(builder, args[7])
        rows = [context.make_array(lists.dtype)(context, builder, a).data for a in _items(builder, args[2])]
        rows = [builder.gep(row, [p]) for row in rows]
        places = [_row_pointers(builder, source, row, width, lanes.LONG(0)) for row in rows]
        read = [[lanes.load(builder, address, lanes.REAL, _wide(like)) for address in of_one] for of_one in places]
        branch = lanes.columns_of_rows(builder, [builder.fsub(a, b) for a, b in zip(*read, strict=True)])[: len(like)]
        square = builder.fmul(branch[0], branch[0])
        for x in branch[1:]:
            square = builder.fadd(square, builder.fmul(x, x))
        close = lanes.load(builder, builder.gep(sums, [p]), lanes.REAL)
        close = builder.fadd(close, lanes.splat(builder, distance))
        near = builder.fcmp_ordered("<", square, builder.fmul(close, close))
        mark = builder.gep(marks, [p])
        byte = ir.IntType(8)
        known = lanes.load(builder, mark, byte)
        if len(reach.types[1]) > 0:
            near = builder.or_(near, builder.icmp_unsigned(">", known, ir.Constant(known.type, [0] * LANES)))
        lanes.store(builder, builder.and_(known, builder.zext(near, known.type)), mark)
        lanes.store(builder, _zeros(), builder.gep(forces, [p]))
        steps = ir.Constant(ir.VectorType(lanes.SHORT, LANES), list(range(LANES)))
        numbers = builder.add(lanes.splat(builder, builder.trunc(p, lanes.SHORT)), steps)
        for c, entries in enumerate([numbers, *[lanes.load(builder, row, lanes.SHORT) for row in rows]]):
            address = builder.gep(target, [builder.add(args[1], lanes.LONG(c * BLOCK))])
            lanes.store(builder, lanes.compress(builder, entries, near), address)
        return builder.add(args[1], lanes.count(builder, near))

    whole = types.int64
    return whole(chosen, whole, lists, columns, whole, table, like, reach), generate


@overload(choose_near, forceinline=True)
def _choose_near(chosen, count, pairs, radius_sum, table, like, reach_like, reach, span):
    at_distance = len(reach_like) > 0

    def choose(chosen, count, pairs, radius_sum, table, like, reach_like, reach, span):
        first, last = span
        width = row_width(len(like), True)
        added = reach if at_distance else 0.0
        lists, rows = (pairs.i, pairs.j), (table, np.uint64(width))
        columns = radius_sum, pairs.touching, pairs.normal_force
        full = first + (last - first) // LANES * LANES
        for p in range(first, full, LANES):
            count = _choose_eight(chosen, count, lists, columns, p, rows, like, (added, reach_like))
        for p in range(full, last):
            i, j = pairs.i[p], pairs.j[p]
            branch = vector.sub(read_row(table, entry(i, width, 0), like), read_row(table, entry(j, width, 0), like))
            close = radius_sum[p] + added
            near = vector.dot(branch, branch) < close * close or (at_distance and pairs.touching[p] > 0)
            at = np.uint64(count)
            chosen[0, at], chosen[1, at], chosen[2, at] = p, i, j
            hit = 1 if near else 0
            count += hit
            pairs.touching[p] &= hit
            pairs.normal_force[p] = 0.0
        return count

    return choose
