"""Vectors in tables: read from and written to arrays that hold one component per row or column.

A vector is a tuple, as in `repose.sim.engine.vector`; `like` tells its length and is not read otherwise. The six numbers of a row of
`repose.sim.laws.materials.pair_table` are loaded and saved as a vector too.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable


@register_jitable(forceinline=True)
def spot(row, width, k):
    """Where column k of a row of that width stands in a flat buffer.

    Unsigned: compiled code looks at every signed index for being negative, which costs more than the access.
    """
    return np.uint64(row * width + k)


def load(buffer, row, width, k, like):
    """The vector whose components stand `width` apart in a flat buffer, from `row` on, at column k."""
    return tuple(buffer[spot(row + c, width, k)] for c in range(len(like)))


def save(buffer, row, width, k, a):
    """Write a vector where `load` would read it."""
    for c, x in enumerate(a):
        buffer[spot(row + c, width, k)] = x


def rows(table, like):
    """The rows of a 2D table as a tuple of 1D arrays, one per component."""
    return tuple(table[c] for c in range(len(like)))


def level(motion, first, which, like):
    """One level of the coordinates from `first` on, as in `rows`; each is a row without gaps, as a cut through all of
    `motion` would not be."""
    return tuple(motion[first + c, which] for c in range(len(like)))


def entry(table, place, like):
    """The vector at `place`, a tuple of two indices, of a 3D array of vectors; without a view of the array, which costs
    more than reading it."""
    return tuple(table[place[0], place[1], c] for c in range(len(like)))


def stretch(table, row, column, like):
    """The vector in one row of a 2D array, from a column on."""
    return tuple(table[row, column + c] for c in range(len(like)))


def lay(table, row, column, a):
    """Write a vector where `stretch` would read it."""
    for c, x in enumerate(a):
        table[row, column + c] = x


@register_jitable
def row_at(table, row, like):
    """The vector in one row of a 2D array of vectors."""
    return stretch(table, row, 0, like)


def between(columns, first, last):
    """The same columns from entry `first` to `last` - 1."""
    return tuple(column[first:last] for column in columns)


def at(columns, k):
    """The vector at index k of a tuple of 1D arrays."""
    return tuple(column[k] for column in columns)


def put(columns, k, a):
    """Write a vector at index k of a tuple of 1D arrays."""
    for column, x in zip(columns, a, strict=True):
        column[k] = x


def deposit(columns, k, a):
    """Add a vector to the entry at index k of a tuple of 1D arrays."""
    for column, x in zip(columns, a, strict=True):
        column[k] += x


@overload(load)
def _load(buffer, row, width, k, like):
    return (
        lambda buffer, row, width, k, like: (),
        lambda buffer, row, width, k, like: (buffer[spot(row, width, k)],),
        lambda buffer, row, width, k, like: (buffer[spot(row, width, k)], buffer[spot(row + 1, width, k)]),
        lambda buffer, row, width, k, like: (
            buffer[spot(row, width, k)],
            buffer[spot(row + 1, width, k)],
            buffer[spot(row + 2, width, k)],
        ),
        None,
        None,
        lambda buffer, row, width, k, like: (
            buffer[spot(row, width, k)],
            buffer[spot(row + 1, width, k)],
            buffer[spot(row + 2, width, k)],
            buffer[spot(row + 3, width, k)],
            buffer[spot(row + 4, width, k)],
            buffer[spot(row + 5, width, k)],
        ),
    )[len(like)]


@overload(save)
def _save(buffer, row, width, k, a):
    def save0(buffer, row, width, k, a):
        pass

    def save1(buffer, row, width, k, a):
        buffer[spot(row, width, k)] = a[0]

    def save2(buffer, row, width, k, a):
        buffer[spot(row, width, k)] = a[0]
        buffer[spot(row + 1, width, k)] = a[1]

    @register_jitable
    def save3(buffer, row, width, k, a):
        buffer[spot(row, width, k)] = a[0]
        buffer[spot(row + 1, width, k)] = a[1]
        buffer[spot(row + 2, width, k)] = a[2]

    def save6(buffer, row, width, k, a):
        save3(buffer, row, width, k, (a[0], a[1], a[2]))
        save3(buffer, row + 3, width, k, (a[3], a[4], a[5]))

    return (save0, save1, save2, save3, None, None, save6)[len(a)]


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


@overload(entry)
def _entry(table, place, like):
    return {
        2: lambda table, place, like: (table[place[0], place[1], 0], table[place[0], place[1], 1]),
        3: lambda table, place, like: (
            table[place[0], place[1], 0],
            table[place[0], place[1], 1],
            table[place[0], place[1], 2],
        ),
    }[len(like)]


@overload(stretch)
def _stretch(table, row, column, like):
    return (
        lambda table, row, column, like: (),
        lambda table, row, column, like: (table[row, column],),
        lambda table, row, column, like: (table[row, column], table[row, column + 1]),
        lambda table, row, column, like: (table[row, column], table[row, column + 1], table[row, column + 2]),
    )[len(like)]


@overload(lay)
def _lay(table, row, column, a):
    def lay0(table, row, column, a):
        pass

    def lay1(table, row, column, a):
        table[row, column] = a[0]

    def lay2(table, row, column, a):
        table[row, column] = a[0]
        table[row, column + 1] = a[1]

    def lay3(table, row, column, a):
        table[row, column] = a[0]
        table[row, column + 1] = a[1]
        table[row, column + 2] = a[2]

    return (lay0, lay1, lay2, lay3)[len(a)]


@overload(between)
def _between(columns, first, last):
    return {
        2: lambda columns, first, last: (columns[0][first:last], columns[1][first:last]),
        3: lambda columns, first, last: (columns[0][first:last], columns[1][first:last], columns[2][first:last]),
    }[len(columns)]


@overload(at)
def _at(columns, k):
    return (
        lambda columns, k: (),
        lambda columns, k: (columns[0][k],),
        lambda columns, k: (columns[0][k], columns[1][k]),
        lambda columns, k: (columns[0][k], columns[1][k], columns[2][k]),
    )[len(columns)]


@overload(put)
def _put(columns, k, a):
    def put0(columns, k, a):
        pass

    def put1(columns, k, a):
        columns[0][k] = a[0]

    def put2(columns, k, a):
        columns[0][k] = a[0]
        columns[1][k] = a[1]

    def put3(columns, k, a):
        columns[0][k] = a[0]
        columns[1][k] = a[1]
        columns[2][k] = a[2]

    return (put0, put1, put2, put3)[len(a)]


@overload(deposit)
def _deposit(columns, k, a):
    def deposit0(columns, k, a):
        pass

    def deposit1(columns, k, a):
        columns[0][k] += a[0]

    def deposit2(columns, k, a):
        columns[0][k] += a[0]
        columns[1][k] += a[1]

    def deposit3(columns, k, a):
        columns[0][k] += a[0]
        columns[1][k] += a[1]
        columns[2][k] += a[2]

    return (deposit0, deposit1, deposit2, deposit3)[len(a)]
