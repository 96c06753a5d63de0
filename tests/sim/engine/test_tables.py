"""Long tables begin at cache lines, wherever their world comes from."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.engine import tables
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, keep_spheres, with_levels, with_threads
from repose.sim.engine.tables import LINE_BYTES, SHORT, copied, filled, joined, same_bits, taken, zeros
from repose.sim.engine.world import World, copy_world
from repose.sim.experiment.checkpoints import bytes_of
from repose.sim.io.world_tables import packed, tables_of, unpacked, world_of

COUNT = 203


def built() -> World:
    """Spheres in space that rotate, in two steps."""
    position = 3e-3 * np.stack([np.arange(COUNT), np.zeros(COUNT), np.zeros(COUNT)], axis=1)
    world = add_spheres(empty_world(3, 3), position[:100], 1e-3, 1e-5)
    return add_spheres(world, position[100:], 1e-3, 1e-5, SphereGroup(first_id=100))


WORLDS = {
    "built": lambda world: world,
    "copied": copy_world,
    "without some spheres": lambda world: keep_spheres(world, np.arange(COUNT) % 7 > 0),
    "for another integrator": lambda world: with_levels(world, 3),
    "for two threads": lambda world: with_threads(world, 2),
    "from a restart point": lambda world: unpacked(packed(world)),
    "from a file": lambda world: world_of(tables_of(world)),
}


def long_tables(tables: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """All tables of a named tuple that are not short, with their names."""
    workspace = {"workspace": tables.workspace} if isinstance(tables, World) else {}
    for key, item in (tables._asdict() | workspace).items():
        if isinstance(item, tuple):
            yield from long_tables(item, f"{key}.") if item else ()
        elif item.nbytes >= SHORT:
            yield name + key, item


@pytest.mark.parametrize("way", WORLDS)
def test_every_column_of_numbers_of_a_world_begins_at_a_cache_line(way: str) -> None:
    world = WORLDS[way](built())
    begins = {name: table.ctypes.data % LINE_BYTES for name, table in long_tables(world) if table.dtype == float}
    assert len(begins) > 15
    assert {name for name, begin in begins.items() if begin} == set()
    assert world.pairs.i.size * 8 % LINE_BYTES == 0, "then the second component of a spring begins at a line too"


def test_tables_have_their_shape_type_and_values() -> None:
    assert np.array_equal(zeros((2, 300), np.int32), np.zeros((2, 300), np.int32))
    assert np.array_equal(filled(300, np.inf), np.full(300, np.inf))
    numbers = np.arange(600.0).reshape(2, 300)
    copy = copied(numbers)
    assert np.array_equal(copy, numbers)
    assert not np.shares_memory(copy, numbers)
    rows = np.array([5, 299, 0, 5])
    assert np.array_equal(taken(numbers, rows), numbers[:, rows])
    assert np.array_equal(joined(numbers, numbers[:, :7]), np.concatenate([numbers, numbers[:, :7]], axis=1))
    assert zeros((3, 0)).shape == (3, 0)


def test_a_copy_with_long_rows_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LONG_ROW", 800)
    table = np.zeros((2, 4, 100))
    table[0, 0], table[1, 2], table[1, 3] = np.arange(100.0), -0.0, np.nan
    for original in (table, table.swapaxes(0, 1), table[..., :0], np.arange(500)):
        copy = copied(original)
        assert copy.dtype == original.dtype
        assert copy.tobytes() == original.tobytes()
        assert not np.shares_memory(copy, original)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the memory of a process is read as on Linux")
def test_the_memory_of_long_tables_goes_back_to_the_system_at_once() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE

    before, size = resident(), 8 * 2**20
    kept = [filled((2, size // 16), 1.0) for _ in range(16)]
    assert resident() - before > 15 * size
    assert sum(map(bytes_of, kept)) >= 16 * size
    assert all(table.ctypes.data % LINE_BYTES == 0 for table in kept)
    del kept[:-1]  # the allocator of C would keep the others below the last
    assert resident() - before < 3 * size
    assert (kept[0] == 1.0).all()


def test_tables_are_equal_only_if_all_bits_are() -> None:
    table = np.zeros((2, 3, 500))
    table[1, 2, 499] = np.nan
    assert same_bits(table, table.copy())
    for at, value in (((0, 0, 0), -0.0), ((1, 2, 400), 1e-300), ((1, 2, 499), 0.0)):
        other = table.copy()
        other[at] = value
        assert not same_bits(table, other), at
    assert not same_bits(table, table[..., :499])
    assert not same_bits(np.arange(3), np.arange(3, dtype=np.int32))
