"""Eight numbers compared at once: candidates with a sphere, rows with a row.

As generic vector operations, which compile to the instructions of any processor; numba's loops over so few numbers stay
scalar. Each function is written a second time as plain Python, which Python runs.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import overload
from repose.sim.engine.workspace import LANES

REAL, SHORT, LONG = ir.DoubleType(), ir.IntType(32), ir.IntType(64)


def write_near(rows, found, search, slots, here, reach, i):
    """Write the rows later than i of the spheres in `slots`, first and last + 1 of up to LANES, that are within `reach`
    plus their radius of `here`, from entry `found` on; returns the next free entry. LANES entries are overwritten."""
    for slot in range(slots[0], min(slots[1], slots[0] + LANES)):
        branch = vector.sub(here, arrays.at(search.place[: len(here)], slot))
        close = reach + search.place[len(here), slot]
        if vector.dot(branch, branch) <= close * close and search.order[slot] > i:
            rows[found] = search.order[slot]
            found += 1
    return found


def count_less(table, first, number, limit):
    """How many of up to LANES entries of a table of at least LANES, `number` from `first` on, are less than `limit`."""
    return sum(int(entry) < limit for entry in table[first : first + number])


def _load(builder, array, entry, kind):
    """LANES entries of a table from `entry` on."""
    pointer = builder.gep(array.data, [entry])
    size = kind.width // 8 if isinstance(kind, ir.IntType) else 8
    return builder.load(builder.bitcast(pointer, ir.VectorType(kind, LANES).as_pointer()), align=size)


def _splat(builder, value):
    """A vector of LANES times the same number."""
    kind = ir.VectorType(value.type, LANES)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, SHORT(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(SHORT, LANES), [0] * LANES))


def _first_lanes(builder, number):
    """Which of LANES are among the first so many."""
    kind = ir.VectorType(SHORT, LANES)
    return builder.icmp_signed(
        "<", ir.Constant(kind, list(range(LANES))), _splat(builder, builder.trunc(number, SHORT))
    )


def _count(builder, lanes):
    """Number of true conditions among LANES."""
    return builder.zext(builder.ctpop(builder.bitcast(lanes, ir.IntType(LANES))), LONG)


@intrinsic
def _write_near(typing, rows, found, place, order, slot, end, here, reach, i):
    def generate(context, builder, signature, args):
        written, table, order = (context.make_array(signature.args[k])(context, builder, args[k]) for k in (0, 2, 3))
        slot, reach = args[4], args[7]
        width = cgutils.unpack_tuple(builder, table.shape)[1]
        center = cgutils.unpack_tuple(builder, args[6])
        columns = [
            _load(builder, table, builder.add(slot, builder.mul(width, LONG(c))), REAL) for c in range(len(center) + 1)
        ]
        branch = [builder.fsub(_splat(builder, x), column) for x, column in zip(center, columns)]
        square = builder.fmul(branch[0], branch[0])
        for x in branch[1:]:
            square = builder.fadd(square, builder.fmul(x, x))
        close = builder.fadd(_splat(builder, reach), columns[-1])
        rows = _load(builder, order, slot, SHORT)
        chosen = builder.fcmp_ordered("<=", square, builder.fmul(close, close))
        chosen = builder.and_(chosen, builder.icmp_unsigned(">", rows, _splat(builder, builder.trunc(args[8], SHORT))))
        chosen = builder.and_(chosen, _first_lanes(builder, builder.sub(args[5], slot)))
        kind = ir.FunctionType(rows.type, (rows.type, chosen.type, rows.type))
        compress = cgutils.get_or_insert_function(
            builder.module, kind, f"llvm.experimental.vector.compress.v{LANES}i32"
        )
        pointer = builder.bitcast(builder.gep(written.data, [args[1]]), rows.type.as_pointer())
        undefined = ir.Constant(rows.type, ir.Undefined)
        builder.store(builder.call(compress, (rows, chosen, undefined)), pointer, align=4)
        return builder.add(args[1], _count(builder, chosen))

    whole = types.int64
    return whole(rows, whole, place, order, whole, whole, here, types.float64, whole), generate


@intrinsic
def _count_less(typing, table, first, number, limit):
    def generate(context, builder, signature, args):
        array = context.make_array(signature.args[0])(context, builder, args[0])
        (size,) = cgutils.unpack_tuple(builder, array.shape)
        # Not beyond the end of the table: then from further to the front.
        last = builder.sub(size, LONG(LANES))
        begin = builder.select(builder.icmp_signed("<", args[1], last), args[1], last)
        row = _splat(builder, builder.trunc(args[3], SHORT))
        skipped = builder.sub(args[1], begin)
        less = builder.icmp_unsigned("<", _load(builder, array, begin, SHORT), row)
        less = builder.and_(less, _first_lanes(builder, builder.add(skipped, args[2])))
        less = builder.and_(less, builder.not_(_first_lanes(builder, skipped)))
        return _count(builder, less)

    return types.int64(table, types.int64, types.int64, types.int64), generate


@overload(write_near)
def _write_near_compiled(rows, found, search, slots, here, reach, i):
    def write(rows, found, search, slots, here, reach, i):
        return _write_near(rows, found, search.place, search.order, slots[0], slots[1], here, reach, i)

    return write


@overload(count_less)
def _count_less_compiled(table, first, number, limit):
    return lambda table, first, number, limit: _count_less(table, first, number, limit)
