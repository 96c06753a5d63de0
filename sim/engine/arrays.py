"""Vectors in tables: functions that read and write arrays with one vector component per row or column.

A vector is a tuple, as in `repose.sim.engine.vector`. `like` is a vector of the same length; its values are not read.
Rows of properties of two materials are also read and written as vectors, of any length.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.jit import compilable, overload


@compilable(forceinline=True)
def index(row, width, k):
    """Index of column k of a row of `width` numbers in a flat buffer.

    The index is unsigned: compiled code tests every signed index for being negative, at a higher cost than the access.
    """
    return np.uint64(row * width + k)


def read_block(buffer, row, width, k, like):
    """The vector at column k of a flat buffer of rows of `width` numbers; its components are in rows from `row` on."""
    return tuple(buffer[index(row + c, width, k)] for c in range(len(like)))


def write_block(buffer, row, width, k, a):
    """Write a vector to the place from which `read_block` reads it."""
    for c, x in enumerate(a):
        buffer[index(row + c, width, k)] = x


def fill_row(buffer, row, width, number):
    """Write the number to all columns of a row of a flat buffer."""
    buffer[row * width : (row + 1) * width] = number


def rows(table, like):
    """The rows of a 2D table as a tuple of 1D arrays, one per component."""
    return tuple(table[c] for c in range(len(like)))


def level(motion, first, which, like):
    """One level of the coordinates from `first` on, as in `rows`. Each row is contiguous; a slice through all of
    `motion` would not be."""
    return tuple(motion[first + c, which] for c in range(len(like)))


def read_entry(table, position, like):
    """The vector at `position` (two indices) of a 3D array of vectors. No view of the array is made, which would cost
    more than reading."""
    return tuple(table[position[0], position[1], c] for c in range(len(like)))


def read_part_of_row(table, row, column, like):
    """The vector in one row of a 2D array, from `column` on."""
    return tuple(table[row, column + c] for c in range(len(like)))


def write_row(table, row, column, a):
    """Write a vector to the place from which `read_part_of_row` reads it."""
    for c, x in enumerate(a):
        table[row, column + c] = x


@compilable
def read_row(table, row, like):
    """The vector in one row of a 2D array of vectors."""
    return read_part_of_row(table, row, 0, like)


def read_column(table, k, like):
    """The first len(like) numbers in column k of a 2D array."""
    return tuple(table[c, k] for c in range(len(like)))


def slices(columns, first, last):
    """The entries `first` to `last` - 1 of each column."""
    return tuple(column[first:last] for column in columns)


def at(columns, k):
    """The vector at index k of a tuple of 1D arrays."""
    return tuple(column[k] for column in columns)


def write_at(columns, k, a):
    """Write a vector at index k of a tuple of 1D arrays."""
    for column, x in zip(columns, a, strict=True):
        column[k] = x


def add_at(columns, k, a):
    """Add a vector to the entry at index k of a tuple of 1D arrays."""
    for column, x in zip(columns, a, strict=True):
        column[k] += x


@overload(read_block)
def _read_block(buffer, row, width, k, like):
    if len(like) > 3:
        return lambda buffer, row, width, k, like: (
            read_block(buffer, row, width, k, like[:3]) + read_block(buffer, row + 3, width, k, like[3:])
        )
    return (
        lambda buffer, row, width, k, like: (),
        lambda buffer, row, width, k, like: (buffer[index(row, width, k)],),
        lambda buffer, row, width, k, like: (buffer[index(row, width, k)], buffer[index(row + 1, width, k)]),
        lambda buffer, row, width, k, like: (
            buffer[index(row, width, k)],
            buffer[index(row + 1, width, k)],
            buffer[index(row + 2, width, k)],
        ),
    )[len(like)]


@overload(write_block)
def _write_block(buffer, row, width, k, a):
    def write0(buffer, row, width, k, a):
        pass

    def write1(buffer, row, width, k, a):
        buffer[index(row, width, k)] = a[0]

    def write2(buffer, row, width, k, a):
        buffer[index(row, width, k)] = a[0]
        buffer[index(row + 1, width, k)] = a[1]

    def write3(buffer, row, width, k, a):
        buffer[index(row, width, k)] = a[0]
        buffer[index(row + 1, width, k)] = a[1]
        buffer[index(row + 2, width, k)] = a[2]

    def write_more(buffer, row, width, k, a):
        write_block(buffer, row, width, k, a[:3])
        write_block(buffer, row + 3, width, k, a[3:])

    return (write0, write1, write2, write3)[len(a)] if len(a) <= 3 else write_more


@overload(fill_row, forceinline=True)
def _fill_row(buffer, row, width, number):
    def fill(buffer, row, width, number):
        for k in range(width):
            buffer[index(row, width, k)] = number

    return fill


@overload(rows)
def _rows(table, like):
    return (
        lambda table, like: (),
        lambda table, like: (table[0],),
        lambda table, like: (table[0], table[1]),
        lambda table, like: (table[0], table[1], table[2]),
    )[len(like)]


@overload(level)
def _level(motion, first, which, like):
    return (
        lambda motion, first, which, like: (),
        lambda motion, first, which, like: (motion[first, which],),
        lambda motion, first, which, like: (motion[first, which], motion[first + 1, which]),
        lambda motion, first, which, like: (
            motion[first, which],
            motion[first + 1, which],
            motion[first + 2, which],
        ),
    )[len(like)]


@overload(read_entry)
def _read_entry(table, position, like):
    return {
        2: lambda table, position, like: (table[position[0], position[1], 0], table[position[0], position[1], 1]),
        3: lambda table, position, like: (
            table[position[0], position[1], 0],
            table[position[0], position[1], 1],
            table[position[0], position[1], 2],
        ),
    }[len(like)]


@overload(read_part_of_row)
def _read_part_of_row(table, row, column, like):
    return (
        lambda table, row, column, like: (),
        lambda table, row, column, like: (table[row, column],),
        lambda table, row, column, like: (table[row, column], table[row, column + 1]),
        lambda table, row, column, like: (table[row, column], table[row, column + 1], table[row, column + 2]),
    )[len(like)]


@overload(write_row)
def _write_row(table, row, column, a):
    def write_row0(table, row, column, a):
        pass

    def write_row1(table, row, column, a):
        table[row, column] = a[0]

    def write_row2(table, row, column, a):
        table[row, column] = a[0]
        table[row, column + 1] = a[1]

    def write_row3(table, row, column, a):
        table[row, column] = a[0]
        table[row, column + 1] = a[1]
        table[row, column + 2] = a[2]

    return (write_row0, write_row1, write_row2, write_row3)[len(a)]


@overload(read_column)
def _read_column(table, k, like):
    if len(like) > 3:
        return lambda table, k, like: read_column(table, k, like[:3]) + read_column(table[3:], k, like[3:])
    return (
        lambda table, k, like: (),
        lambda table, k, like: (table[0, k],),
        lambda table, k, like: (table[0, k], table[1, k]),
        lambda table, k, like: (table[0, k], table[1, k], table[2, k]),
    )[len(like)]


@overload(slices)
def _slices(columns, first, last):
    return {
        2: lambda columns, first, last: (columns[0][first:last], columns[1][first:last]),
        3: lambda columns, first, last: (columns[0][first:last], columns[1][first:last], columns[2][first:last]),
    }[len(columns)]


@overload(at)
def _at(columns, k):
    if len(columns) > 3:
        return lambda columns, k: at(columns[:3], k) + at(columns[3:], k)
    return (
        lambda columns, k: (),
        lambda columns, k: (columns[0][k],),
        lambda columns, k: (columns[0][k], columns[1][k]),
        lambda columns, k: (columns[0][k], columns[1][k], columns[2][k]),
    )[len(columns)]


@overload(write_at)
def _write_at(columns, k, a):
    def write_at0(columns, k, a):
        pass

    def write_at1(columns, k, a):
        columns[0][k] = a[0]

    def write_at2(columns, k, a):
        columns[0][k] = a[0]
        columns[1][k] = a[1]

    def write_at3(columns, k, a):
        columns[0][k] = a[0]
        columns[1][k] = a[1]
        columns[2][k] = a[2]

    def write_more(columns, k, a):
        write_at(columns[:3], k, a[:3])
        write_at(columns[3:], k, a[3:])

    return (write_at0, write_at1, write_at2, write_at3)[len(a)] if len(a) <= 3 else write_more


@overload(add_at)
def _add_at(columns, k, a):
    def add_at0(columns, k, a):
        pass

    def add_at1(columns, k, a):
        columns[0][k] += a[0]

    def add_at2(columns, k, a):
        columns[0][k] += a[0]
        columns[1][k] += a[1]

    def add_at3(columns, k, a):
        columns[0][k] += a[0]
        columns[1][k] += a[1]
        columns[2][k] += a[2]

    return (add_at0, add_at1, add_at2, add_at3)[len(a)]
