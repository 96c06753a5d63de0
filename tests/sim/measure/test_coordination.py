"""Contacts per grain of constructed states."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import keep_spheres
from repose.sim.measure.coordination import contacts_per_sphere, coordination_number

from tests.small_worlds import Bench, look, model_of, world_of


def square_lattice(overlap: float, size: int = 4) -> Bench:
    """size x size equal grains in contact with their neighbours in rows and columns."""
    model, numbers = model_of()
    side = (2e-3 - overlap) * np.arange(size)
    position = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    bench = Bench(world_of(model, position, 1e-3, 1e-3), model, numbers, 1e-12)
    bench.advance(1)
    return bench


def test_coordination_number_of_a_square_lattice() -> None:
    bench = square_lattice(1e-5)
    # 24 contacts among 16 grains: four inside have four, eight at the edge three, the corners two.
    assert coordination_number(bench.world).mean == 2.0 * 24 / 16
    assert sorted(contacts_per_sphere(bench.world).tolist()) == [2.0] * 4 + [3.0] * 8 + [4.0] * 4
    assert look(bench).contacts == 24
    assert look(bench).largest_overlap == pytest.approx(1e-2, rel=1e-6)


def test_grains_that_nearly_touch_have_no_contacts() -> None:
    assert coordination_number(square_lattice(-1e-6).world).mean == 0.0


def test_contacts_with_fixed_spheres_count_for_those_that_move() -> None:
    bench = square_lattice(1e-5)
    bench.world.inverse_mass[:, :4] = 0.0  # the lowest row is a floor
    assert coordination_number(bench.world).mean == (2 * 24 - (2 + 3 + 3 + 2)) / 12
    # Taking the floor away leaves nine contacts in columns less, and those within the floor.
    rest = keep_spheres(bench.world, ~bench.world.fixed)
    assert coordination_number(rest).mean == 2.0 * 17 / 12


def test_rattlers_are_told_apart() -> None:
    # Three in a row and one alone: 1, 2, 1 and 0 contacts, and only the middle one is held.
    model, numbers = model_of()
    position = [(0.0, 0.0), (1.99e-3, 0.0), (3.98e-3, 0.0), (9e-3, 0.0)]
    bench = Bench(world_of(model, position, 1e-3, 1e-3), model, numbers, 1e-12)
    bench.advance(1)
    found = coordination_number(bench.world)
    assert (found.mean, found.without_rattlers, found.rattlers) == (1.0, 2.0, 0.75)
    assert found.distribution.tolist() == [0.25, 0.5, 0.25]


def test_without_moving_grains_the_coordination_is_zero() -> None:
    bench = square_lattice(1e-5)
    bench.world.inverse_mass[:] = 0.0
    found = coordination_number(bench.world)
    assert (found.mean, found.rattlers, found.distribution.sum()) == (0.0, 0.0, 0.0)
    assert found.without_rattlers is None
