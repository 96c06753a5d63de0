"""Records: the tables of a world, passed to compiled code by address.

A world has a hundred tables. Passed as arguments, they would be some 450 numbers at every call. A record is an array in
memory with the addresses and shapes of all tables. Compiled code gets the address of the record and loads the tables
that it reads. The type of a world is therefore the same for all models.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Self

import numpy as np
from numba import typeof, types
from numpy.typing import NDArray
from repose.sim.engine.builder import empty_world
from repose.sim.engine.compiler import TablesAt, as_dtype
from repose.sim.engine.world import World, empty_bodies, empty_bonds


def tables_type(tables: Any) -> TablesAt:
    """The type of the records of named tuples of tables like these."""
    kinds = {name: tables_type(item) if isinstance(item, tuple) else typeof(item) for name, item in _items(tables)}
    return TablesAt(type(tables), kinds)


def _items(tables: Any) -> Iterator[tuple[str, Any]]:
    """Names and items of a named tuple of tables; a world also has a workspace."""
    yield from zip(getattr(tables, "_fields", ()), tables)  # an empty tuple stands for absent tables
    if isinstance(tables, World):
        yield "workspace", tables.workspace


class Record:
    """Addresses and shapes of tables, valid while this object and the tables exist."""

    def __init__(self, tables: Any, kind: TablesAt) -> None:
        """`tables` is a named tuple of arrays; raises TypeError if compiled code would misread one of them."""
        words: list[int] = []
        for number, (table, (dtype, ndim)) in enumerate(zip(_arrays(tables), _expected(kind), strict=True)):
            flags = table.flags
            # numba's typeof makes the same checks and takes a hundred times as long.
            if table.dtype != dtype or table.ndim != ndim or not (flags.c_contiguous and flags.behaved):
                name, expected = list(_names(tables))[number], list(_kinds(kind))[number]
                raise TypeError(f"The step reads {name} as {expected}: it is {typeof(table)}.")
            words += (table.__array_interface__["data"][0], *table.shape)
        self._keep(words, kind)

    @classmethod
    def of_words(cls, words: Sequence[int], kind: TablesAt) -> Self:
        """The record with these addresses and shapes, of tables that have just been made and need no check."""
        record = cls.__new__(cls)
        record._keep(words, kind)
        return record

    def _keep(self, words: Sequence[int], kind: TablesAt) -> None:
        self._numba_type_ = kind
        self.memory = np.array(words, np.int64)
        self.address = int(self.memory.__array_interface__["data"][0])


@cache
def _expected(kind: TablesAt) -> list[tuple[np.dtype[Any], int]]:
    """Element type and number of dimensions of each table; every table is writable and in C order."""
    return [(as_dtype(table.dtype), table.ndim) for table in _kinds(kind)]


def _arrays(tables: Any) -> list[NDArray[Any]]:
    """All tables of a named tuple in order; its items are tables or named tuples of tables."""
    found: list[NDArray[Any]] = []
    for _, item in _items(tables):
        if isinstance(item, tuple):
            found += _arrays(item)
        else:
            found.append(item)
    return found


def _kinds(kind: Any) -> Iterator[Any]:
    for item in kind.kinds.values():
        if isinstance(item, types.Array):
            yield item
        else:
            yield from _kinds(item)


def _names(tables: Any) -> Iterator[str]:
    for name, item in _items(tables):
        if isinstance(item, tuple):
            yield from (f"{name}.{inner}" for inner in _names(item))
        else:
            yield name


@cache
def world_type() -> TablesAt:
    """The type of the records of all worlds: with or without rotation, bonds and bodies, in the plane or in space."""
    return tables_type(_complete(empty_world()))


NO_BONDS, NO_BODIES = empty_bonds(0, 0, 0), empty_bodies(2, 1, 3)


def _complete(world: World) -> World:
    """The world with empty tables of bonds and bodies if it has none."""
    return world._replace(bonds=world.bonds or NO_BONDS, bodies=world.bodies or NO_BODIES)


_records: dict[tuple[int, ...], tuple[Record, list[Any]]] = {}
"""Records of worlds by the identities of their tables, with weak references that remove the record with a table."""


def record_of(world: World) -> Record:
    """The record of a world, made once: a table can be replaced but its memory never moves."""
    if world.record is None:
        world.record = _record_of(world)
    record: Record = world.record
    return record


def _record_of(world: World) -> Record:
    """The record of worlds with the same tables."""
    tables = _arrays(world)
    identities = tuple(map(id, tables))
    entry = _records.get(identities)
    if entry is None:
        references = [weakref.ref(table, lambda _: _records.pop(identities, None)) for table in tables]
        entry = _records[identities] = Record(_complete(world), world_type()), references
    return entry[0]
