"""One world with bodies, bonds, fields, a law with reach, walls and moving walls at once.

It gives the same bits for any number of threads, for any batch, in another workspace, after a restart, and from a file.
"""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import (
    SphereGroup,
    add_bonds,
    add_spheres,
    empty_world,
    set_walls,
    with_new_workspace,
    with_threads,
)
from repose.sim.engine.contacts.wall_forces import FACET, PLANE
from repose.sim.engine.model import Coefficients, Model
from repose.sim.engine.world import REBUILD_COUNT, State, World, copied_state
from repose.sim.fields.target import Target
from repose.sim.io import archive
from repose.sim.io.world_tables import packed, tables_of, unpacked, world_of
from repose.sim.message import plain
from repose.sim.registry import bonds, fields, integrators, laws

from tests.small_worlds import Bench

R, MASS = 1e-3, 1e-5
DT = 1e-5
STEPS = 400


def everything() -> tuple[Bench, World]:
    """A bench with the compiled loop, and the world it begins with."""
    generator = np.random.default_rng(7)
    law, bond = laws()["capillary"], bonds()["beam"]
    values = {"normal_stiffness": 1e3, "friction": 0.4, "pull_off_force": 5e-4, "rupture_distance": 2e-4}
    parameters = law.parameters.checked(values)
    cement = bond.parameters.checked({"bond_young": 1e7, "bond_lag": 1e-5, "tensile_strength": 1e6})
    named = [fields()[name] for name in ("liquid", "central_gravity", "target")]

    class Given:
        liquid_level, liquid_density, liquid_viscosity, drag_coefficient = 3e-3, 500.0, 1e-3, 0.4
        attraction, softening = 1e-5, 2e-3

        def gravity_vector(self, dimension: int) -> tuple[float, ...]:
            return (0.0, 0.0, -9.81)

    numbers = Coefficients(
        (
            named[0].coefficients(Given(), 3),
            named[1].coefficients(Given(), 3),
            Target((0.0, 0.0, 8e-3), 30, 5.0, 1e-3, 3e-4),
        ),
        bond.coefficients(cement),
    )
    model_fields = tuple(field.bind(None) for field in named)
    model = replace(
        Model(law.bind(parameters), integrators()["velocity_verlet"], 3, True),
        fields=model_fields,
        bond=bond.bind(cement),
        bodies=True,
    )
    world = empty_world(3, 3, 3, skin=3e-4)
    position = 2.3 * R * np.array([(x, y, z) for z in range(3) for y in range(4) for x in range(4)], float)
    position += generator.uniform(-1.0, 1.0, position.shape) * 0.1 * R + np.array([-3.5 * R, -3.5 * R, 1.2 * R])
    chain = [(2.0 * R * k - 5.0 * R, 0.0, 12.5 * R) for k in range(6)]
    world = add_spheres(world, position[:24], R, MASS, velocity=generator.normal(0.0, 0.05, (24, 3)))
    world = add_spheres(world, chain, R, MASS, SphereGroup(first_id=24))
    world = add_bonds(world, np.arange(24, 29), np.arange(25, 30), [4e-4])
    shape = shape_of_spheres([(-0.8 * R, 0.0, 0.0), (0.8 * R, 0.0, 0.0), (0.0, 0.9 * R, 0.3 * R)], 0.7 * R, 4e-6)
    turns = generator.normal(size=(24, 4))
    middle = position[24:] + np.array([0.0, 0.0, 5.0 * R])
    world = add_bodies(
        world, shape, middle, SphereGroup(first_id=30), orientation=turns, spin=generator.normal(0.0, 20.0, (24, 3))
    )
    box = 6.0 * R
    corner = [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0,) * 3),
        ((-box, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0,) * 3),
        ((box, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0,) * 3),
        ((0.0, -box, 0.0), (0.0, 1.0, 0.0), (0.0,) * 3),
        ((0.0, box, 0.0), (0.0, -1.0, 0.0), (0.0,) * 3),
        ((-box, -box, 14.0 * R), (3 * box, -box, 14.0 * R), (-box, 3 * box, 14.0 * R)),
    ]
    velocity = np.zeros((6, 3))
    velocity[2, 0], velocity[5, 2] = -0.2, -0.5
    world = set_walls(world, [PLANE] * 5 + [FACET], corner, velocity=velocity)
    bench = Bench(world, model, law.coefficients(parameters), DT, (0.0, 0.0, -9.81), compiled=True, further=numbers)
    return bench, world


def state(world: World) -> dict[str, bytes]:
    """Every table that a file holds, except the capacity of lists."""
    return {name: table.tobytes() for name, table in tables_of(world).items()}


@pytest.fixture(scope="module")
def reference() -> tuple[Bench, World, dict[str, bytes]]:
    """The bench, its first world, and what one thread makes of it in one batch."""
    bench, first = everything()
    bench.world = unpacked(packed(first))
    assert bench.advance(STEPS) == STEPS
    return bench, first, state(bench.world)


def test_everything_is_at_work(reference: tuple[Bench, World, dict[str, bytes]]) -> None:
    bench = reference[0]
    world = bench.world
    assert bench.status == 0
    assert world.counters[REBUILD_COUNT] > 2
    body = world.body
    touching = world.pairs.touching > 0
    i, j = world.pairs.i[touching], world.pairs.j[touching]
    assert ((body[i] >= 0) & (body[j] >= 0)).any()
    assert ((body[i] >= 0) != (body[j] >= 0)).any()
    assert not ((body[i] >= 0) & (body[i] == body[j])).any()
    assert 0 < world.bonds.intact.sum() < world.bonds.intact.size
    assert world.bonds.lost[0] > 0.0
    assert world.workspace.threads.field_power.any(axis=1).all()
    assert world.walls.force.any(axis=1).sum() >= 4
    assert np.isfinite(world.motion).all()


def test_compiled_code_does_what_plain_python_does(reference) -> None:
    bench, first, _ = reference
    ends = []
    for compiled in (False, True):
        one = Bench(unpacked(packed(first)), bench.model, bench.numbers, DT, bench.gravity, compiled, bench.further)
        assert one.advance(12) == 12
        ends.append(one.world)
    plain, fast = ends
    for ours, theirs in ((plain.motion, fast.motion), (plain.bodies.motion, fast.bodies.motion)):
        for level in range(2):
            scale = np.abs(theirs[:, level]).max()
            assert ours[:, level] == pytest.approx(theirs[:, level], rel=1e-9, abs=1e-9 * scale)
    assert plain.bonds.memory == pytest.approx(fast.bonds.memory, rel=1e-6, abs=1e-12)
    assert plain.bodies.reference == pytest.approx(fast.bodies.reference, abs=1e-11)


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(reference, threads: int) -> None:
    bench, first, expected = reference
    bench.world = with_threads(unpacked(packed(first)), threads)
    assert bench.advance(STEPS) == STEPS
    assert state(with_threads(bench.world, 1)) == expected


@pytest.mark.parametrize("batch", [1, 37])
def test_any_batch_gives_the_same_bits(reference, batch: int) -> None:
    bench, first, expected = reference
    bench.world = unpacked(packed(first))
    done = 0
    while done < STEPS:
        done += bench.advance(min(batch, STEPS - done))
    assert state(bench.world) == expected


def copied_after(reference, steps: int) -> tuple[Bench, State]:
    """The bench, and a copy of the state after so many steps; ten more steps do not change the copy."""
    bench, first, _ = reference
    bench.world = unpacked(packed(first))
    assert bench.advance(steps) == steps
    copy = copied_state(bench.world)
    assert bench.advance(10) == 10
    return bench, copy


@pytest.mark.parametrize(("steps", "threads"), [(1, 1), (50, 2), (137, 1), (211, 3)])
def test_a_copy_of_the_state_continues_bit_by_bit_in_a_workspace_made_from_it_alone(
    reference, steps: int, threads: int
) -> None:
    bench, copy = copied_after(reference, steps)
    bench.world = with_new_workspace(copy, threads)
    assert bench.advance(STEPS - steps) == STEPS - steps
    assert state(bench.world) == reference[2]


@pytest.mark.parametrize(
    ("part", "column"),
    [("", "previous"), ("pairs", "touching"), ("pairs", "shear_spring"), ("bonds", "memory"), ("search", "reference")],
)
def test_a_state_without_one_of_its_tables_continues_with_other_bits(reference, part: str, column: str) -> None:
    bench, copy = copied_after(reference, 137)
    getattr(getattr(copy, part) if part else copy, column)[:] = 0
    bench.world = with_new_workspace(copy)
    bench.advance(STEPS - 137)
    assert state(bench.world) != reference[2]


def test_a_state_and_its_workspace_share_no_memory(reference) -> None:
    bench, copy = copied_after(reference, 1)

    def tables(part) -> list[np.ndarray]:
        return [part] if isinstance(part, np.ndarray) else [table for inner in part for table in tables(inner)]

    own, other = tables(bench.world.state), tables(bench.world.workspace)
    assert not [1 for one in own for two in other if np.shares_memory(one, two)]
    assert not [1 for one in own for two in tables(copy) if np.shares_memory(one, two)]
    assert type(copy) is State


def test_a_restart_and_a_file_continue_bit_by_bit(reference) -> None:
    bench, first, expected = reference
    bench.world = unpacked(packed(first))
    bench.advance(STEPS // 2)
    point, blob = packed(bench.world), io.BytesIO()
    archive.write(blob, {"kind": "test"}, tables_of(bench.world))
    bench.world = unpacked(point)
    bench.advance(STEPS - STEPS // 2)
    assert state(bench.world) == expected
    blob.seek(0)
    bench.world = world_of(archive.read(blob, plain("a world"))[1])
    bench.advance(STEPS - STEPS // 2)
    assert state(bench.world) == expected


@pytest.mark.parametrize(
    ("table", "value"),
    [
        ("bonds.i", 10_000),
        ("bonds.rest_length", -1.0),
        ("bodies.member", 10_000),
        ("bodies.reference", 3.0),
        ("bodies.unequal", -2.0),
        ("bodies.motion", np.nan),
    ],
)
def test_tables_of_bonds_and_bodies_that_cannot_be_are_refused(reference, table: str, value: float) -> None:
    tables = {name: found.copy() for name, found in tables_of(reference[1]).items()}
    tables[table].flat[0] = value
    with pytest.raises(archive.ArchiveError, match="damaged"):
        world_of(tables)
    del tables[table]
    with pytest.raises(archive.ArchiveError, match="damaged"):
        world_of(tables)
