"""Comparisons of eight numbers at once: candidates with a sphere, rows with a row.

Each function also exists in plain Python, for runs without numba.
"""

from __future__ import annotations

from numba.core import cgutils, types
from numba.extending import intrinsic
from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import overload
from repose.sim.engine.lanes import LONG, REAL, SHORT, compress, count, first_lanes, load, splat, store
from repose.sim.engine.workspace import LANES


def write_near(rows, found, search, slots, here, reach, i):
    """Write the rows of near spheres from entry `found` on; returns the next free entry.

    Candidates are the spheres in the slots slots[0] to slots[1] - 1, at most LANES of them. Written are rows later than
    i whose centre is within `reach` + radius of `here` [m]. LANES entries of `rows` may be overwritten.
    """
    for slot in range(slots[0], min(slots[1], slots[0] + LANES)):
        branch = vector.sub(here, arrays.at(search.place[: len(here)], slot))
        close = reach + search.place[len(here), slot]
        if vector.dot(branch, branch) <= close * close and search.order[slot] > i:
            rows[found] = search.order[slot]
            found += 1
    return found


def count_less(table, first, number, limit):
    """Number of entries less than `limit` among `number` (up to LANES) entries of a table from `first` on."""
    return sum(int(entry) < limit for entry in table[first : first + number])


@intrinsic
def _write_near(typing, rows, found, place, order, slot, end, here, reach, i):
    def generate(context, builder, signature, args):
        written, table, order = (context.make_array(signature.args[k])(context, builder, args[k]) for k in (0, 2, 3))
        slot, reach = args[4], args[7]
        width = cgutils.unpack_tuple(builder, table.shape)[1]
        center = cgutils.unpack_tuple(builder, args[6])
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
        chosen = builder.and_(chosen, builder.icmp_unsigned(">", rows, splat(builder, builder.trunc(args[8], SHORT))))
        chosen = builder.and_(chosen, first_lanes(builder, builder.sub(args[5], slot)))
        store(builder, compress(builder, rows, chosen), builder.gep(written.data, [args[1]]))
        return builder.add(args[1], count(builder, chosen))

    whole = types.int64
    return whole(rows, whole, place, order, whole, whole, here, types.float64, whole), generate


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
def _write_near_compiled(rows, found, search, slots, here, reach, i):
    def write(rows, found, search, slots, here, reach, i):
        return _write_near(rows, found, search.place, search.order, slots[0], slots[1], here, reach, i)

    return write


@overload(count_less)
def _count_less_compiled(table, first, number, limit):
    return lambda table, first, number, limit: _count_less(table, first, number, limit)
