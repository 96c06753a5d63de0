"""Allocation of tables that begin at a cache line.

A vector of eight numbers that crosses two cache lines costs two accesses. Arrays of numpy begin at any multiple of 16
bytes: with them every vector of a column crosses two lines, and a step takes a tenth longer.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE_BYTES = 64
"""Length of a cache line [bytes]."""
SHORT = 512
"""Length below which a table begins anywhere [bytes]: its position makes no difference."""
MAPPED = 2**20
"""Length from which a table has pages of its own [bytes], which go back to the system at once when it is discarded: the
allocator of C keeps most of the memory of tables up to 32 MB, of a million grains a gigabyte."""
HUGE = 2**22
"""Length from which the system may use pages of two megabytes for a table, as for an array of numpy [bytes]."""
LONG_ROW = 2**18
"""Length from which a row of zeros is not written in a copy [bytes]: it then takes no memory."""

Shape = int | tuple[int, ...]


def zeros(shape: Shape, kind: DTypeLike = np.float64) -> NDArray[Any]:
    """A table of zeros that begins at a cache line."""
    return _placed(np.zeros, shape, kind)


def filled(shape: Shape, value: float, kind: DTypeLike = np.float64) -> NDArray[Any]:
    """A table with the same value everywhere that begins at a cache line."""
    table = _placed(np.empty, shape, kind)
    table[...] = value
    return table


def copied(table: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins at a cache line. Long rows of zeros take no memory in it until they are written: in a restart
    point that is a third of the motion of spheres that have not turned."""
    if table.ndim == 0 or table.shape[-1] * table.itemsize < LONG_ROW:
        copy = _placed(np.empty, table.shape, table.dtype)
        copy[...] = table
        return copy
    copy = zeros(table.shape, table.dtype)
    for row in np.ndindex(table.shape[:-1]):
        if bits(table[row]).any():
            copy[row] = table[row]
    return copy


def bits(row: NDArray[Any]) -> NDArray[Any]:
    """The row as whole numbers of equal bits: -0.0 is not zero there, and equal numbers are equal."""
    return row.view(np.int64) if row.dtype == np.float64 else row


def same_bits(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two tables have equal types, shapes and bits."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    rows = ((bits(one[row]), bits(other[row])) for row in np.ndindex(one.shape[:-1]))
    return all(np.array_equal(a[:LINE_BYTES], b[:LINE_BYTES]) and np.array_equal(a, b) for a, b in rows)


def taken(table: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """A copy of the entries `rows` of the last axis, which begins at a cache line."""
    # mode="clip" writes directly to `out`; mode="raise" would write to a buffer first.
    out = _placed(np.empty, (*table.shape[:-1], rows.size), table.dtype)
    return np.take(table, rows, axis=-1, out=out, mode="clip")


def joined(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Both tables one after the other along the last axis, beginning at a cache line."""
    out = _placed(np.empty, (*first.shape[:-1], first.shape[-1] + second.shape[-1]), first.dtype)
    return np.concatenate([first, second], axis=-1, out=out)


def _placed(make: Callable[..., NDArray[Any]], shape: Shape, kind: DTypeLike) -> NDArray[Any]:
    """A table made by `np.zeros` or `np.empty`, at a cache line if it is not short."""
    size = (shape if isinstance(shape, int) else math.prod(shape)) * np.dtype(kind).itemsize
    if size < SHORT:
        return make(shape, kind)
    if size >= MAPPED and hasattr(mmap, "MAP_ANONYMOUS"):  # not on Windows
        return np.frombuffer(_mapped(size), kind).reshape(shape)
    storage = make(size + LINE_BYTES, np.uint8)
    begin = -storage.ctypes.data % LINE_BYTES
    return storage[begin : begin + size].view(kind).reshape(shape)


def _mapped(size: int) -> mmap.mmap:
    """Pages of zeros that begin at a cache line."""
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a system without such pages
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
