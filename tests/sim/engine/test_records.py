"""Records: compiled code reads and writes the tables of a world at the address it gets."""

from __future__ import annotations

import copy
import gc

import numba
import numpy as np
import pytest
from repose.sim.engine import records
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.records import record_of
from repose.sim.engine.world import World, copy_world, empty_bodies, empty_bonds


@numba.njit(**OPTIONS)
def shift(world, path):
    """Move all spheres along the last coordinate, count them in a counter, and return what was found on the way."""
    last = world.motion.shape[0] - 1
    for i in range(world.radius.size):
        world.motion[last, 0, i] += path * world.search.skin[0]
    world.counters[0] += world.radius.size
    where = world.motion[last, 0]
    empty = world.bonds.i.size + world.bodies.body_id.size + world.wall_contacts.shear_spring.size
    return where.sum(), world.motion.size, world.search.reference.shape, world.workspace.search.body[:2].sum(), empty


def world_in(dimension: int, spin_length: int) -> World:
    position = np.arange(5.0 * dimension).reshape(5, dimension)
    return add_spheres(empty_world(dimension, spin_length, skin=0.5), position, np.ones(5), np.ones(5))


@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (3, 3)])
def test_compiled_code_reads_and_writes_the_tables_themselves(dimension: int, spin_length: int) -> None:
    world = world_in(dimension, spin_length)
    before = world.motion[-1, 0].copy()
    total, size, shape, bodies, empty = shift(record_of(world), 4.0)
    assert np.array_equal(world.motion[-1, 0], before + 2.0)
    assert total == world.motion[-1, 0].sum()
    assert (size, shape) == (world.motion.size, world.search.reference.shape)
    assert (world.counters[0], bodies, empty) == (5, -2, 0)
    assert len(shift.signatures) == 1  # of the plane and of space


def test_bonds_and_bodies_are_read_where_a_world_has_them() -> None:
    world = world_in(2, 1)._replace(bonds=empty_bonds(7, 1, 1), bodies=empty_bodies(2, 1, 3, 4, 5))
    assert shift(record_of(world), 0.0)[-1] == 7 + 4


def test_a_world_has_one_record_as_long_as_its_tables_are_the_same() -> None:
    world = world_in(2, 0)
    record = record_of(world)
    assert record_of(World.of(world.state, world.workspace)) is record
    for other in (copy_world(world), world._replace(radius=world.radius.copy())):
        assert record_of(other) is not record
    assert record_of(world) is record


def test_the_record_of_a_world_that_is_gone_is_forgotten() -> None:
    gc.collect()
    before = set(records._records)
    world = world_in(2, 0)
    record_of(world)
    assert len(set(records._records) - before) == 1
    del world
    gc.collect()
    assert not set(records._records) - before


def test_a_world_keeps_its_record_for_the_next_step_and_gives_it_to_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_in(2, 0)
    record = record_of(world)
    other = copy.deepcopy(world)
    assert other.record is None
    assert world.__reduce__()[1] == (world.state, world.workspace)  # nothing but the tables is copied or pickled
    assert record_of(other) is not record
    monkeypatch.setattr(records, "_arrays", None)  # looking through the tables took longer than a step
    assert record_of(world) is record


@pytest.mark.parametrize("motion", [np.zeros((2, 6, 5), order="F"), np.zeros((2, 6, 5), np.float32), np.zeros((2, 5))])
def test_a_table_that_compiled_code_would_misread_is_refused(motion: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"The step reads motion as .*float64, 3d, C.*: it is "):
        record_of(world_in(2, 0)._replace(motion=motion))


def test_a_table_that_cannot_be_written_to_is_refused() -> None:
    world = world_in(2, 0)
    world.search.skin.flags.writeable = False
    with pytest.raises(TypeError, match=r"The step reads search\.skin as "):
        record_of(world)
