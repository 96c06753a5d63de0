"""The table of contact forces: the forces of the step loop on every grain, separated by contacts."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.contact_table import contact_table
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import copy_world
from repose.sim.registry import laws

from tests.small_worlds import Bench, contacts_of, model_of, world_of


def cluster(dimension: int, law: str, rotation: bool, **values: object) -> Bench:
    """Overlapping grains on a plane that have slid past each other for some steps, without damping."""
    generator = np.random.default_rng([3, dimension])
    model, numbers = model_of("velocity_verlet", dimension, rotation=rotation, law=laws()[law], **values)
    side = 1.72e-3 * np.arange({2: 4.0, 3: 3.0}[dimension])
    grid = np.stack(np.meshgrid(*[side] * dimension), axis=-1).reshape(-1, dimension)
    position = grid + generator.normal(0.0, 5e-5, grid.shape)
    position[:, -1] += 0.75e-3
    velocity = generator.normal(0.0, 0.2, grid.shape)
    world = world_of(model, position, generator.uniform(0.8e-3, 1e-3, len(grid)), 1e-3, velocity=velocity)
    floor = np.zeros((1, 3, dimension))
    floor[0, 1, -1] = 1.0
    bench = Bench(set_walls(world, [PLANE], floor, material=0), model, numbers, 1e-6)
    bench.advance(20)
    return bench


UNDAMPED = [
    pytest.param(
        2, "lee_herrmann", False, {"normal_damping": 0.0, "shear_damping": 0.0, "shear_stiffness": 1e5}, id="discs"
    ),
    pytest.param(2, "voigt", True, {"restitution": 1.0}, id="turning-discs"),
    pytest.param(3, "voigt", True, {"restitution": 1.0}, id="turning-spheres"),
]


@pytest.mark.parametrize(("dimension", "law", "rotation", "values"), UNDAMPED)
def test_the_forces_of_the_table_add_up_to_those_of_the_step(dimension, law, rotation, values) -> None:
    # Velocity Verlet leaves positions where the forces were taken, and without damping they depend on nothing else.
    bench = cluster(dimension, law, rotation, **values)
    table = contacts_of(bench)
    at_pairs, at_walls = table.j >= 0, table.j < 0
    assert at_pairs.sum() > 10
    assert at_walls.sum() > 1
    total = np.zeros((dimension, bench.world.sphere_count))
    np.add.at(total, (slice(None), table.i), table.force)
    np.add.at(total, (slice(None), table.j[at_pairs]), -table.force[:, at_pairs])
    expected = bench.world.force[:dimension]
    assert total == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    walls = bench.world.walls.force.sum(axis=0)
    assert -table.force[:, at_walls].sum(axis=1) == pytest.approx(walls, abs=1e-9 * np.abs(walls).max())
    along = np.sum(table.force * table.branch, axis=0) / np.linalg.norm(table.branch, axis=0)
    assert (np.linalg.norm(table.force, axis=0) > 1.003 * np.abs(along)).any(), "no shear force to speak of"


def test_branches_start_at_the_other_centre_or_the_wall_and_the_world_does_not_change() -> None:
    bench = cluster(2, "voigt", True)
    before = copy_world(bench.world)
    table = contacts_of(bench)
    pairs = table.j >= 0
    position = bench.position.T
    assert table.branch[:, pairs] == pytest.approx(position[:, table.i[pairs]] - position[:, table.j[pairs]], abs=1e-15)
    assert table.branch[:, ~pairs] == pytest.approx(position[:, table.i[~pairs]] * [[0.0], [1.0]], abs=1e-15)
    for name in ("motion", "force", "ledger", "counters"):
        assert np.array_equal(getattr(bench.world, name), getattr(before, name)), name
    assert np.array_equal(bench.world.pairs.shear_spring, before.pairs.shear_spring)
    assert np.array_equal(bench.world.wall_contacts.shear_spring, before.wall_contacts.shear_spring)


def test_the_compiled_force_table_equals_the_plain_one() -> None:
    bench = cluster(3, "voigt", True)
    for fast, slow in zip(contact_table(bench.model)(bench.world, bench.numbers), contacts_of(bench), strict=True):
        assert fast == pytest.approx(slow, rel=1e-12)
