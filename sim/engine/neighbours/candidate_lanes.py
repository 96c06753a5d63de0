"""Eight numbers at once: candidates compared with a sphere, rows sorted and compared with rows.

Each function also exists in plain Python, for runs without numba.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import overload
from repose.sim.engine.lanes import LONG, REAL, SHORT, compress, count, first_lanes, load, shuffle, splat, store
from repose.sim.engine.workspace import LANES


def write_near(rows, filled, search, slots, around):
    """Write the rows of near spheres from entry `filled` on; returns the next free entry.

    Candidates are the spheres in the slots slots[0] to slots[1] - 1, at most LANES of them. Written are rows later than
    `around.i` whose centre is within `around.reach` + radius of `around.centre` [m]. LANES entries of `rows` may be
    overwritten.
    """
    here = around.centre
    for slot in range(slots[0], min(slots[1], slots[0] + LANES)):
        branch = vector.sub(here, arrays.at(search.position[: len(here)], slot))
        close = around.reach + search.position[len(here), slot]
        if vector.dot(branch, branch) <= close * close and search.order[slot] > around.i:
            rows[filled] = search.order[slot]
            filled += 1
    return filled


def count_less(table, first, number, limit):
    """Number of entries less than `limit` among `number` (up to LANES) entries of a table from `first` on."""
    return sum(int(entry) < limit for entry in table[first : first + number])


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


def sort_few(rows, first, number, ordered, to):
    """Write `number` (up to LANES) entries in order from entry `to` on; returns whether they are all different. LANES
    entries of `ordered` may be overwritten."""
    in_order = np.sort(rows[first : first + number])
    ordered[to : to + number] = in_order
    return bool(np.all(in_order[1:] > in_order[:-1]))


def copy_few(pairs, pair_buffer, like, old, number, first, last):
    """Copy the contact history of up to LANES pairs, entries first to last - 1 of the buffer, from `number` (up to
    LANES) old pairs of the same sphere, which begin at entry `old`; new pairs have no history. LANES entries of the
    buffer may be overwritten."""
    for k in range(first, last):
        pair_buffer.touching[k] = 0
        pair_buffer.shear_spring[:, k] = 0.0
        for p in range(old, old + number):
            if pairs.j[p] == pair_buffer.j[k] and pairs.touching[p] > 0:
                pair_buffer.touching[k] = 1
                pair_buffer.shear_spring[:, k] = pairs.shear_spring[:, p]


def repeat_few(table, first, last, number):
    """Write the number to up to LANES entries, first to last - 1. LANES entries of the table may be overwritten."""
    table[first:last] = number


def _constant(number):
    return ir.Constant(ir.VectorType(SHORT, LANES), [number] * LANES)


def _exchanged(builder, vector, layer):
    """A vector after the comparisons of one layer: the smaller number is in the lane named first."""
    partner, kept = list(range(LANES)), list(range(LANES))
    for low, high in layer:
        partner[low], partner[high] = high, low
        kept[high] += LANES
    other = shuffle(builder, vector, vector, partner)
    less = builder.icmp_unsigned("<", vector, other)
    smaller, larger = builder.select(less, vector, other), builder.select(less, other, vector)
    return shuffle(builder, smaller, larger, kept)


@intrinsic
def _sort_few(typing, rows, first, number, ordered, to):
    def generate(context, builder, signature, args):
        source, target = (context.make_array(signature.args[k])(context, builder, args[k]).data for k in (0, 3))
        given = load(builder, builder.gep(source, [args[1]]), SHORT)
        in_order = builder.select(first_lanes(builder, args[2]), given, _constant(NO_ROW))
        for layer in LAYERS:
            in_order = _exchanged(builder, in_order, layer)
        store(builder, in_order, builder.gep(target, [args[4]]))
        following = shuffle(builder, in_order, in_order, [*range(1, LANES), LANES - 1])
        alike = builder.icmp_unsigned("==", in_order, following)
        alike = builder.and_(alike, first_lanes(builder, builder.sub(args[2], LONG(1))))
        return builder.icmp_unsigned("==", builder.bitcast(alike, ir.IntType(LANES)), ir.IntType(LANES)(0))

    whole = types.int64
    return types.boolean(rows, whole, whole, ordered, whole), generate


@intrinsic
def _repeat_few(typing, table, first, number):
    def generate(context, builder, signature, args):
        target = context.make_array(signature.args[0])(context, builder, args[0]).data
        store(builder, splat(builder, builder.trunc(args[2], SHORT)), builder.gep(target, [args[1]]))
        return context.get_dummy_value()

    return types.void(table, types.int64, types.int64), generate


@intrinsic
def _copy_few(typing, lists, marks, springs, like, old, number, first):
    """`lists`, `marks` and `springs` are tables of the old list and of the buffer."""

    def generate(context, builder, signature, args):
        (before, now), (known, touched), (kept, copied) = (
            [context.make_array(kind)(context, builder, item) for item in cgutils.unpack_tuple(builder, both)]
            for kind, both in zip((kind.dtype for kind in signature.args[:3]), args[:3], strict=True)
        )
        old, number, first = args[4:]
        byte = ir.VectorType(ir.IntType(8), LANES)
        touching = builder.icmp_unsigned(">", load(builder, builder.gep(known.data, [old]), byte.element), byte(None))
        touching = builder.and_(touching, first_lanes(builder, number))
        rows = builder.select(touching, load(builder, builder.gep(before.data, [old]), SHORT), _constant(OTHER))
        new_rows = load(builder, builder.gep(now.data, [first]), SHORT)
        same = [builder.icmp_unsigned("==", new_rows, shuffle(builder, rows, rows, [k] * LANES)) for k in range(LANES)]
        marked = same[0]
        for one in same[1:]:
            marked = builder.or_(marked, one)
        store(builder, builder.zext(marked, byte), builder.gep(touched.data, [first]))
        width, new_width = (cgutils.unpack_tuple(builder, table.shape)[1] for table in (kept, copied))
        for c in range(len(like)):
            start = builder.add(builder.mul(width, LONG(c)), old)
            column = ir.Constant(ir.VectorType(REAL, LANES), [0.0] * LANES)
            for k, one in enumerate(same):
                spring = builder.load(builder.gep(kept.data, [builder.add(start, LONG(k))]), align=8)
                column = builder.select(one, splat(builder, spring), column)
            store(builder, column, builder.gep(copied.data, [builder.add(builder.mul(new_width, LONG(c)), first)]))
        return context.get_dummy_value()

    whole = types.int64
    return types.void(lists, marks, springs, like, whole, whole, whole), generate


@intrinsic
def _write_near(typing, rows, filled, position, order, slots, around):
    """`around` is (i, centre, reach)."""

    def generate(context, builder, signature, args):
        written, table, order = (context.make_array(signature.args[k])(context, builder, args[k]) for k in (0, 2, 3))
        slot, end = cgutils.unpack_tuple(builder, args[4])
        i, centre, reach = cgutils.unpack_tuple(builder, args[5])
        width = cgutils.unpack_tuple(builder, table.shape)[1]
        center = cgutils.unpack_tuple(builder, centre)
        columns = [
            load(builder, builder.gep(table.data, [builder.add(slot, builder.mul(width, LONG(c)))]), REAL)
            for c in range(len(center) + 1)
        ]
        branch = [builder.fsub(splat(builder, x), column) for x, column in zip(center, columns)]
        square = builder.fmul(branch[0], branch[0])
        for x in branch[1:]:
            square = builder.fadd(square, builder.fmul(x, x))
        close = builder.fadd(splat(builder, reach), columns[-1])
        rows = load(builder, builder.gep(order.data, [slot]), SHORT)
        chosen = builder.fcmp_ordered("<=", square, builder.fmul(close, close))
        chosen = builder.and_(chosen, builder.icmp_unsigned(">", rows, splat(builder, builder.trunc(i, SHORT))))
        chosen = builder.and_(chosen, first_lanes(builder, builder.sub(end, slot)))
        store(builder, compress(builder, rows, chosen), builder.gep(written.data, [args[1]]))
        return builder.add(args[1], count(builder, chosen))

    whole = types.int64
    return whole(rows, whole, position, order, slots, around), generate


@intrinsic
def _count_less(typing, table, first, number, limit):
    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        (size,) = cgutils.unpack_tuple(builder, array.shape)
        # A load must not pass the end of the table: near the end it begins earlier and skips lanes.
        last = builder.sub(size, LONG(LANES))
        begin = builder.select(builder.icmp_signed("<", args[1], last), args[1], last)
        row = splat(builder, builder.trunc(args[3], SHORT))
        skipped = builder.sub(args[1], begin)
        less = builder.icmp_unsigned("<", load(builder, builder.gep(array.data, [begin]), SHORT), row)
        less = builder.and_(less, first_lanes(builder, builder.add(skipped, args[2])))
        less = builder.and_(less, builder.not_(first_lanes(builder, skipped)))
        return count(builder, less)

    return types.int64(table, types.int64, types.int64, types.int64), generate


@overload(write_near)
def _write_near_compiled(rows, filled, search, slots, around):
    def write(rows, filled, search, slots, around):
        limits = np.int64(slots[0]), np.int64(slots[1])
        centre = np.int64(around.i), around.centre, around.reach
        return _write_near(rows, filled, search.position, search.order, limits, centre)

    return write


@overload(count_less)
def _count_less_compiled(table, first, number, limit):
    return lambda table, first, number, limit: _count_less(table, first, number, limit)


@overload(sort_few)
def _sort_few_compiled(rows, first, number, ordered, to):
    return lambda rows, first, number, ordered, to: _sort_few(rows, first, number, ordered, to)


@overload(copy_few)
def _copy_few_compiled(pairs, pair_buffer, like, old, number, first, last):
    def copy(pairs, pair_buffer, like, old, number, first, last):
        marks, springs = (pairs.touching, pair_buffer.touching), (pairs.shear_spring, pair_buffer.shear_spring)
        _copy_few((pairs.j, pair_buffer.j), marks, springs, like, old, number, first)

    return copy


@overload(repeat_few)
def _repeat_few_compiled(table, first, last, number):
    return lambda table, first, last, number: _repeat_few(table, first, number)
