"""Vectors of eight numbers: load, store, select, compress, transpose and arithmetic.

A body of `repose.sim.engine.simd.vectorised` is written with these functions and with operators. In plain Python a
table is an array of numpy and a vector a short array. While the body is compiled, a table is a `Table` and a vector or
a number a `Value`: each operation then writes the generic vector instruction of LLVM, which compiles to the
instructions of any processor. numba's loops over eight numbers would stay scalar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils
from repose.sim.engine.workspace import LANES

REAL, SHORT, LONG, BIT = ir.DoubleType(), ir.IntType(32), ir.IntType(64), ir.IntType(1)


class Value:
    """A number, a mask or a vector of them while a body is compiled; whole numbers are of 64 bits, unless loaded."""

    def __init__(self, builder: Any, made: Any) -> None:
        """`made` is LLVM's value."""
        self.builder, self.ir = builder, made

    @property
    def element(self) -> Any:
        """LLVM's type of one number."""
        return self.ir.type.element if isinstance(self.ir.type, ir.VectorType) else self.ir.type

    @property
    def size(self) -> int:
        """Number of lanes; 0 for a number that is no vector."""
        return self.ir.type.count if isinstance(self.ir.type, ir.VectorType) else 0

    @property
    def is_real(self) -> bool:
        """Whether the numbers are of floating point."""
        return not isinstance(self.element, ir.IntType)

    def like(self, other: Any) -> Any:
        """LLVM's value of a number, as a vector if this one is a vector, of the same type of numbers."""
        if not isinstance(other, Value):
            number = float(other) if self.is_real else int(other)
            return ir.Constant(self.ir.type, [number] * self.size if self.size else number)
        made = other.ir
        if not other.is_real and other.element.width > self.element.width:
            made = self.builder.trunc(made, self.element)
        return splat(self.builder, made, self.size) if self.size and not other.size else made

    def made(self, real: str, whole: str, other: Any, swapped: bool = False) -> Value:
        """The result of the instruction `real` or `whole` of this value and another one, or the other way round."""
        if isinstance(other, Value) and other.size and not self.size:
            return other.made(real, whole, self, not swapped)
        one, two = self.ir, self.like(other)
        write = getattr(self.builder, real if self.is_real else whole)
        return Value(self.builder, write(two, one) if swapped else write(one, two))

    def compared(self, sign: str, other: Any) -> Value:
        """The mask of a comparison; whole numbers of a table are unsigned, others signed."""
        if isinstance(other, Value) and other.size and not self.size:
            return other.compared({"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign), self)
        kind = "fcmp_ordered" if self.is_real else "icmp_unsigned" if self.element.width < LONG.width else "icmp_signed"
        return Value(self.builder, getattr(self.builder, kind)(sign, self.ir, self.like(other)))

    def __add__(self, other: Any) -> Value:
        return self.made("fadd", "add", other)

    def __radd__(self, other: Any) -> Value:
        return self.made("fadd", "add", other, swapped=True)

    def __sub__(self, other: Any) -> Value:
        return self.made("fsub", "sub", other)

    def __mul__(self, other: Any) -> Value:
        return self.made("fmul", "mul", other)

    def __rmul__(self, other: Any) -> Value:
        return self.made("fmul", "mul", other, swapped=True)

    def __truediv__(self, other: Any) -> Value:
        return self.made("fdiv", "sdiv", other)

    def __neg__(self) -> Value:
        return Value(self.builder, self.builder.fneg(self.ir))

    def __and__(self, other: Any) -> Value:
        return self.made("and_", "and_", other)

    def __or__(self, other: Any) -> Value:
        return self.made("or_", "or_", other)

    def __invert__(self) -> Value:
        return Value(self.builder, self.builder.not_(self.ir))

    def __lt__(self, other: Any) -> Value:
        return self.compared("<", other)

    def __le__(self, other: Any) -> Value:
        return self.compared("<=", other)

    def __gt__(self, other: Any) -> Value:
        return self.compared(">", other)

    def __eq__(self, other: object) -> Any:
        return self.compared("==", other)

    def __bool__(self) -> bool:
        """Refuse a branch that depends on a number, which is not known yet."""
        raise TypeError("A vectorised body has no `if` or `and` of a number: use `select` or `branch`.")


class Table:
    """A contiguous table while a body is compiled; `table[k]` is row k."""

    def __init__(self, builder: Any, data: Any, shape: Sequence[Any]) -> None:
        """`data` is LLVM's pointer to the first number."""
        self.builder, self.data, self.shape = builder, data, shape

    def __getitem__(self, row: Any) -> Table:
        if len(self.shape) == 1:
            raise TypeError("One number of a table is read by `number_at`.")
        size = self.shape[1]
        for length in self.shape[2:]:
            size = self.builder.mul(size, length)
        return Table(self.builder, self.at(Value(self.builder, size) * row), self.shape[1:])

    def at(self, entry: Any) -> Any:
        """LLVM's pointer to this entry."""
        return self.builder.gep(self.data, [entry.ir if isinstance(entry, Value) else LONG(int(entry))])


def splat(builder: Any, number: Any, size: int) -> Any:
    """LLVM's vector with the same number in all lanes."""
    one = builder.insert_element(ir.Constant(ir.VectorType(number.type, size), ir.Undefined), number, SHORT(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(SHORT, size), [0] * size))


def _bytes(kind: Any) -> int:
    """Size of a number in a table [bytes]."""
    if isinstance(kind, ir.IntType):
        return int(kind.width) // 8
    return 4 if isinstance(kind, ir.FloatType) else 8


def load(table: Any, first: Any, size: int = LANES) -> Any:
    """The vector of `size` entries of a table from `first` on. Compiled code reads past the end of the table, where
    plain Python reads zeros."""
    if isinstance(table, Table):
        kind = table.data.type.pointee
        pointer = table.builder.bitcast(table.at(first), ir.VectorType(kind, size).as_pointer())
        return Value(table.builder, table.builder.load(pointer, align=_bytes(kind)))
    found = np.zeros(size, table.dtype)
    present = table[int(first) : int(first) + size]
    found[: present.size] = present
    return found


def store(table: Any, first: Any, vector: Any) -> None:
    """Write a vector, or a mask as ones and zeros, to the entries of a table from `first` on."""
    if not isinstance(table, Table):
        target = table[int(first) : int(first) + vector.size]
        target[:] = vector[: target.size]
        return
    kind, made = table.data.type.pointee, vector.ir
    if vector.element == BIT:
        made = table.builder.zext(made, ir.VectorType(kind, vector.size))
    pointer = table.builder.bitcast(table.at(first), made.type.as_pointer())
    table.builder.store(made, pointer, align=_bytes(kind))


def number_at(table: Any, entry: Any) -> Any:
    """One number of a table; a whole number as one of 64 bits. Plain Python reads zero past the end."""
    if not isinstance(table, Table):
        number = table[int(entry)] if int(entry) < table.size else 0
        return int(number) if table.dtype.kind in "iu" else number
    kind = table.data.type.pointee
    number = table.builder.load(table.at(entry), align=_bytes(kind))
    narrow = isinstance(kind, ir.IntType) and kind.width < LONG.width
    return Value(table.builder, table.builder.zext(number, LONG) if narrow else number)


def beginning(table: Any, entry: Any) -> Any:
    """The entries of a row from this one on."""
    return Table(table.builder, table.at(entry), (None,)) if isinstance(table, Table) else table[int(entry) :]


def flat(table: Any) -> Any:
    """The table as one row."""
    return Table(table.builder, table.data, (None,)) if isinstance(table, Table) else table.reshape(-1)


def size_of(table: Any) -> Any:
    """Number of entries of a row."""
    return Value(table.builder, table.shape[0]) if isinstance(table, Table) else table.size


def holds_whole_numbers(table: Any) -> bool:
    """Whether the entries of a table are whole numbers."""
    if isinstance(table, Table):
        return isinstance(table.data.type.pointee, ir.IntType)
    return bool(table.dtype.kind in "iu")


def as_real(vector: Any) -> Any:
    """The same numbers in double precision."""
    if not isinstance(vector, Value):
        return vector.astype(np.float64)
    if vector.element == REAL:
        return vector
    change = vector.builder.fpext if vector.is_real else vector.builder.uitofp
    return Value(vector.builder, change(vector.ir, ir.VectorType(REAL, vector.size)))


def select(mask: Any, vector: Any, other: Any) -> Any:
    """The numbers of `vector` where the mask is true, else those of `other`; one of the two may be a number."""
    if not isinstance(mask, Value):
        like = vector if isinstance(vector, np.ndarray) else other
        return np.where(mask, vector, other).astype(like.dtype)
    like = vector if isinstance(vector, Value) and vector.size else other
    return Value(mask.builder, mask.builder.select(mask.ir, like.like(vector), like.like(other)))


def smaller(one: Any, other: Any) -> Any:
    """The smaller of two whole numbers."""
    if not isinstance(one, Value):
        return min(one, other)
    return Value(one.builder, one.builder.select((one < other).ir, one.ir, one.like(other)))


def absolute(vector: Any) -> Any:
    """The absolute values of a vector of numbers in double precision."""
    if not isinstance(vector, Value):
        return np.abs(vector)
    kind = ir.FunctionType(vector.ir.type, (vector.ir.type,))
    function = cgutils.get_or_insert_function(vector.builder.module, kind, f"llvm.fabs.v{vector.size}f64")
    return Value(vector.builder, vector.builder.call(function, (vector.ir,)))


def compress(vector: Any, mask: Any) -> Any:
    """The numbers of 32 bits where the mask is true, moved to the first lanes."""
    if not isinstance(vector, Value):
        moved = np.zeros_like(vector)
        moved[: mask.sum()] = vector[mask]
        return moved
    kind = ir.FunctionType(vector.ir.type, (vector.ir.type, mask.ir.type, vector.ir.type))
    name = f"llvm.experimental.vector.compress.v{vector.size}i32"
    function = cgutils.get_or_insert_function(vector.builder.module, kind, name)
    rest = ir.Constant(vector.ir.type, ir.Undefined)
    return Value(vector.builder, vector.builder.call(function, (vector.ir, mask.ir, rest)))


def count(mask: Any) -> Any:
    """Number of true lanes."""
    if not isinstance(mask, Value):
        return int(mask.sum())
    bits = mask.builder.bitcast(mask.ir, ir.IntType(mask.size))
    return Value(mask.builder, mask.builder.zext(mask.builder.ctpop(bits), LONG))


def bits_of(mask: Any) -> Any:
    """The mask as a whole number: 0 if no lane is true."""
    if not isinstance(mask, Value):
        return int(mask @ (1 << np.arange(mask.size)))
    bits = mask.builder.bitcast(mask.ir, ir.IntType(mask.size))
    return Value(mask.builder, mask.builder.zext(bits, LONG))


def rows_from(first: Any) -> Any:
    """The rows `first`, `first` + 1 and so on, of LANES spheres or pairs."""
    if not isinstance(first, Value):
        return np.arange(first, first + LANES, dtype=np.uint32)
    steps = Value(first.builder, ir.Constant(ir.VectorType(SHORT, LANES), list(range(LANES))))
    return Value(first.builder, steps.like(first)) + steps


def first_lanes(number: Any) -> Any:
    """A mask of LANES that is true in the first `number` lanes, none for a negative number."""
    if not isinstance(number, Value):
        return np.arange(LANES) < number
    steps = Value(number.builder, ir.Constant(ir.VectorType(SHORT, LANES), list(range(LANES))))
    return Value(number.builder, number.builder.icmp_signed("<", steps.ir, steps.like(number)))


def all_lanes(number: Any, table: Any) -> Any:
    """A vector of LANES with the same number everywhere, of the type of the entries of a table."""
    if not isinstance(table, Table):
        return np.full(LANES, number, table.dtype)
    like = Value(table.builder, ir.Constant(ir.VectorType(table.data.type.pointee, LANES), ir.Undefined))
    return Value(table.builder, like.like(number))


def branch(condition: Any, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Do one or the other; where the condition is a constant of the caller, compiled code contains one of them."""
    if not isinstance(condition, Value):
        (then if condition else otherwise)()
        return
    with condition.builder.if_else(condition.ir) as (yes, no):
        with yes:
            then()
        with no:
            otherwise()


def shuffle(one: Any, other: Any, entries: Sequence[int]) -> Any:
    """The vector of the given entries of `one` followed by `other`."""
    if not isinstance(one, Value):
        return np.concatenate([one, other])[list(entries)]
    chosen = ir.Constant(ir.VectorType(SHORT, len(entries)), list(entries))
    return Value(one.builder, one.builder.shuffle_vector(one.ir, other.ir, chosen))


def joined(one: Any, other: Any) -> Any:
    """A vector followed by another one of the same length."""
    return shuffle(one, other, range(2 * one.size))


def columns_of_rows(rows: Sequence[Any]) -> list[Any]:
    """Transpose eight vectors of two or four numbers into two or four vectors of eight."""
    return columns_of_joined(joined_rows(rows))


def joined_rows(rows: Sequence[Any]) -> list[Any]:
    """Eight vectors of two or four numbers in two or four vectors of eight, as `columns_of_joined` reads them."""
    if rows[0].size == 2:
        halves = [shuffle(rows[k], rows[k + 1], range(4)) for k in (0, 2, 4, 6)]
        return [shuffle(halves[k], halves[k + 1], range(8)) for k in (0, 2)]
    return [shuffle(rows[k], rows[k + 2], range(8)) for k in (0, 1, 4, 5)]


def columns_of_joined(joined: Sequence[Any]) -> list[Any]:
    """The two or four columns of eight numbers of rows from `joined_rows`."""
    if len(joined) == 2:
        return [shuffle(joined[0], joined[1], range(c, 2 * LANES, 2)) for c in (0, 1)]
    even, odd = (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)
    a, b = shuffle(joined[0], joined[1], even), shuffle(joined[0], joined[1], odd)
    c, d = shuffle(joined[2], joined[3], even), shuffle(joined[2], joined[3], odd)
    first, second = (0, 1, 4, 5, 8, 9, 12, 13), (2, 3, 6, 7, 10, 11, 14, 15)
    return [shuffle(x, y, entries) for entries in (first, second) for x, y in ((a, c), (b, d))]


def rows_of_columns(columns: Sequence[Any]) -> list[Any]:
    """Transpose two or four vectors of eight numbers into eight vectors of two or four."""
    low, high = (0, 8, 1, 9, 2, 10, 3, 11), (4, 12, 5, 13, 6, 14, 7, 15)
    a = [shuffle(columns[0], columns[1], entries) for entries in (low, high)]
    if len(columns) == 2:
        return [shuffle(a[k // 4], a[k // 4], [k % 4 * 2 + c for c in (0, 1)]) for k in range(LANES)]
    b = [shuffle(columns[2], columns[3], entries) for entries in (low, high)]
    return [shuffle(a[k // 4], b[k // 4], [k % 4 * 2 + c for c in (0, 1, 8, 9)]) for k in range(LANES)]


def packed_rows(columns: Sequence[Any]) -> list[Any]:
    """`rows_of_columns` for rows that follow each other without a gap: vectors of LANES numbers."""
    low, high = (0, 8, 1, 9, 2, 10, 3, 11), (4, 12, 5, 13, 6, 14, 7, 15)
    a = [shuffle(columns[0], columns[1], entries) for entries in (low, high)]
    if len(columns) == 2:
        return a
    b = [shuffle(columns[2], columns[3], entries) for entries in (low, high)]
    first, second = (0, 1, 8, 9, 2, 3, 10, 11), (4, 5, 12, 13, 6, 7, 14, 15)
    return [shuffle(x, y, entries) for x, y in zip(a, b, strict=True) for entries in (first, second)]
