"""Vectors of eight numbers: generic vector operations, which compile to the instructions of any processor.

The functions build LLVM's instructions for the intrinsics of `neighbours.lanes` and `contacts.sphere_rows`: numba's
loops over eight numbers would stay scalar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from repose.sim.engine.workspace import LANES

REAL, SHORT, LONG = ir.DoubleType(), ir.IntType(32), ir.IntType(64)


def load(builder: Any, pointer: Any, kind: Any, lanes: int = LANES) -> Any:
    """`lanes` neighbouring entries of a table as one vector."""
    size = kind.width // 8 if isinstance(kind, ir.IntType) else 8
    return builder.load(builder.bitcast(pointer, ir.VectorType(kind, lanes).as_pointer()), align=size)


def store(builder: Any, vector: Any, pointer: Any) -> None:
    """Write a vector to neighbouring entries of a table."""
    kind = vector.type.element
    size = kind.width // 8 if isinstance(kind, ir.IntType) else 8
    builder.store(vector, builder.bitcast(pointer, vector.type.as_pointer()), align=size)


def compress(builder: Any, vector: Any, chosen: Any) -> Any:
    """The chosen numbers of a vector of LANES 32-bit integers, moved to the first lanes."""
    kind = ir.FunctionType(vector.type, (vector.type, chosen.type, vector.type))
    name = f"llvm.experimental.vector.compress.v{LANES}i32"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, (vector, chosen, ir.Constant(vector.type, ir.Undefined)))


def splat(builder: Any, value: Any) -> Any:
    """A vector with the same number in all LANES."""
    kind = ir.VectorType(value.type, LANES)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, SHORT(0))
    return shuffle(builder, one, one, [0] * LANES)


def first_lanes(builder: Any, number: Any) -> Any:
    """A mask of LANES that is true in the first `number` lanes."""
    kind = ir.VectorType(SHORT, LANES)
    return builder.icmp_signed("<", ir.Constant(kind, list(range(LANES))), splat(builder, builder.trunc(number, SHORT)))


def count(builder: Any, lanes: Any) -> Any:
    """Number of true lanes of a mask."""
    return builder.zext(builder.ctpop(builder.bitcast(lanes, ir.IntType(LANES))), LONG)


def shuffle(builder: Any, a: Any, b: Any, entries: Sequence[int]) -> Any:
    """The vector of the given entries of a followed by b."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(SHORT, len(entries)), list(entries)))


def columns_of_rows(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """Transpose eight vectors of two or four numbers into two or four vectors of eight."""
    return columns_of_joined(builder, joined_rows(builder, rows))


def joined_rows(builder: Any, rows: Sequence[Any]) -> list[Any]:
    """Eight vectors of two or four numbers in two or four vectors of eight, as `columns_of_joined` reads them."""
    if rows[0].type.count == 2:
        halves = [shuffle(builder, rows[k], rows[k + 1], range(4)) for k in (0, 2, 4, 6)]
        return [shuffle(builder, halves[k], halves[k + 1], range(8)) for k in (0, 2)]
    return [shuffle(builder, rows[k], rows[k + 2], range(8)) for k in (0, 1, 4, 5)]


def columns_of_joined(builder: Any, joined: Sequence[Any]) -> list[Any]:
    """The two or four columns of eight numbers of rows from `joined_rows`."""
    if len(joined) == 2:
        return [shuffle(builder, joined[0], joined[1], range(c, 2 * LANES, 2)) for c in (0, 1)]
    even, odd = (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)
    a, b = shuffle(builder, joined[0], joined[1], even), shuffle(builder, joined[0], joined[1], odd)
    c, d = shuffle(builder, joined[2], joined[3], even), shuffle(builder, joined[2], joined[3], odd)
    first, second = (0, 1, 4, 5, 8, 9, 12, 13), (2, 3, 6, 7, 10, 11, 14, 15)
    return [shuffle(builder, x, y, entries) for entries in (first, second) for x, y in ((a, c), (b, d))]


def rows_of_columns(builder: Any, columns: Sequence[Any]) -> list[Any]:
    """Transpose two or four vectors of eight numbers into eight vectors of two or four."""
    low, high = (0, 8, 1, 9, 2, 10, 3, 11), (4, 12, 5, 13, 6, 14, 7, 15)
    a = [shuffle(builder, columns[0], columns[1], entries) for entries in (low, high)]
    if len(columns) == 2:
        return [shuffle(builder, a[k // 4], a[k // 4], [k % 4 * 2 + c for c in (0, 1)]) for k in range(LANES)]
    b = [shuffle(builder, columns[2], columns[3], entries) for entries in (low, high)]
    return [shuffle(builder, a[k // 4], b[k // 4], [k % 4 * 2 + c for c in (0, 1, 8, 9)]) for k in range(LANES)]


def packed_rows(builder: Any, columns: Sequence[Any]) -> list[Any]:
    """`rows_of_columns` for rows that follow each other without a gap: vectors of LANES numbers."""
    low, high = (0, 8, 1, 9, 2, 10, 3, 11), (4, 12, 5, 13, 6, 14, 7, 15)
    a = [shuffle(builder, columns[0], columns[1], entries) for entries in (low, high)]
    if len(columns) == 2:
        return a
    b = [shuffle(builder, columns[2], columns[3], entries) for entries in (low, high)]
    first, second = (0, 1, 8, 9, 2, 3, 10, 11), (4, 5, 12, 13, 6, 7, 14, 15)
    return [shuffle(builder, x, y, entries) for x, y in zip(a, b, strict=True) for entries in (first, second)]
