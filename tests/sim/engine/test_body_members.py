"""Members of bodies: those in no list are left out between the ends of a batch, and every bit stays the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.body_builder import BodyShape, add_bodies, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls, with_threads
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.workspace import NOTED, SPARING
from repose.sim.engine.world import PAIR_COUNT, REBUILD_COUNT, WALL_CONTACT_COUNT, World
from repose.sim.registry import laws

from tests.small_worlds import Bench, model_of
from tests.tiers import tiered

STEPS, SMALL_STEPS = 1200, 4000


def star(dimension: int) -> BodyShape:
    """Members on a ring that overlap, one in the middle, which touches nothing, and one on an arm."""
    angle = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    place = np.zeros((10, dimension))
    place[:8, :2], place[9, 0] = 1.5e-3 * ring, 3e-3
    return shape_of_spheres(place, [1e-3] * 8 + [4e-4, 6e-4], 1e-5)


def poured(scheme: str, dimension: int) -> Bench:
    """Bodies and loose spheres in several layers, which fall on a plane."""
    model, numbers = model_of(scheme, dimension, True, laws()["voigt"])
    world = empty_world(dimension, model.spin_length, model.integrator.levels, 3e-4, materials=2)
    generator = np.random.default_rng(7)
    for layer in range(3):
        place = np.zeros((4, dimension))
        place[:, 0] = 7.5e-3 * np.arange(4) + generator.uniform(0.0, 1e-3, 4)
        place[:, -1] = 5e-3 + 9e-3 * layer + generator.uniform(0.0, 1e-3, 4)
        group = SphereGroup(first_id=world.sphere_count)
        turned = {
            "spin": generator.normal(0.0, 40.0, (4, model.spin_length)),
            "velocity": (0.0,) * (dimension - 1) + (-0.4,),
        }
        world = add_bodies(world, star(dimension), place, group, **turned)
        place[:, -1] += 4.5e-3
        world = add_spheres(world, place, 1e-3, 1e-5, SphereGroup(first_id=world.sphere_count))
    up = np.eye(dimension)[-1]
    world = set_walls(world, [PLANE], [(0.0 * up, up, 0.0 * up)])
    dt = 5e-6 if scheme == "gear5" else 2e-5  # which is stable
    return Bench(world, replace(model, bodies=True), numbers, dt, tuple(-9.81 * up), compiled=True)


def tables_of(world: World) -> dict[str, Any]:
    """All numbers of a state that a step reads or a user sees, as bytes."""
    pairs, at_walls = int(world.counters[PAIR_COUNT]), int(world.counters[WALL_CONTACT_COUNT])
    found = {
        name: getattr(world, name)
        for name in ("motion", "previous", "force", "ledger", "stiffening", "largest_overlap", "counters")
    }
    found |= {f"search.{name}": table for name, table in world.search._asdict().items()}
    found |= {f"bodies.{name}": table for name, table in world.bodies._asdict().items()}
    found |= {f"pairs.{name}": table[..., :pairs] for name, table in world.pairs._asdict().items()}
    found |= {f"walls.{name}": table[..., :at_walls] for name, table in world.wall_contacts._asdict().items()}
    return {name: np.ascontiguousarray(table).tobytes() for name, table in found.items()}


@pytest.mark.parametrize(
    ("scheme", "dimension", "threads"),
    tiered(
        [("velocity_verlet", 3, 1), ("velocity_verlet", 3, 3), ("leapfrog", 2, 2), ("gear5", 3, 1), ("rk4", 2, 1)],
        fast={("velocity_verlet", 3, 3), ("leapfrog", 2, 2)},
    ),
)
def test_members_that_are_left_out_during_a_batch_change_no_bit(scheme: str, dimension: int, threads: int) -> None:
    single, batches = poured(scheme, dimension), poured(scheme, dimension)
    batches.world = with_threads(batches.world, threads)
    left_out, touched, touched_wall = 0, False, False
    for size in (37, 1, 2, 3, 50, 200, (SMALL_STEPS if scheme == "gear5" else STEPS) - 293):
        for _ in range(size):
            assert single.advance(1) == 1
            touched |= bool(single.world.pairs.touching.any())
            touched_wall |= bool(single.world.wall_contacts.touching.any())
        assert batches.advance(size) == size
        of_threads = batches.world.workspace.threads.thread_status
        assert not of_threads[:, SPARING].any()  # the last evaluation of a batch places all
        left_out = max(left_out, int((batches.world.body >= 0).sum() - of_threads[:, NOTED].sum()))
        expected, found = tables_of(single.world), tables_of(batches.world)
        assert [name for name in expected if expected[name] != found[name]] == []
    assert left_out > 20
    assert batches.world.counters[REBUILD_COUNT] > 10
    assert touched
    assert touched_wall
    assert batches.world.largest_overlap[0] > 0.0
