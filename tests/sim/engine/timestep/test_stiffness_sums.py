"""The frequency bound of a packing of rigid bodies against the exact one of the whole network of contacts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repose.sim.engine.body_builder import BodyShape, add_bodies, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import PLANE, wall_contact
from repose.sim.engine.orientation import matrices
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT
from repose.sim.registry import laws

from tests.small_worlds import Bench, look, model_of


def rod(members: int, dimension: int) -> BodyShape:
    position = np.zeros((members, dimension))
    position[:, 0] = 1.5e-3 * np.arange(members)
    return shape_of_spheres(position, 1e-3, np.full(members, 1e-5))


def packing(dimension: int, seed: int) -> Bench:
    """Rods thrown on top of each other on a plane, with some loose spheres, all of them overlapping here and there."""
    generator = np.random.default_rng([dimension, seed])
    model, numbers = model_of("leapfrog", dimension, True, laws()["voigt"], friction=0.5)
    model = replace(model, bodies=True)
    world = empty_world(dimension, model.spin_length, model.integrator.levels, 1e-4, materials=2)
    world = add_spheres(world, generator.uniform(0.5e-3, 6e-3, (4, dimension)), 1e-3, 1e-5)
    position = generator.uniform(0.8e-3, 6e-3, (5, dimension))
    turned = generator.uniform(0.0, 6.0, 5) if dimension == 2 else generator.normal(0.0, 1.0, (5, 4))
    world = add_bodies(world, rod(4, dimension), position, SphereGroup(first_id=4), orientation=turned)
    corner = np.zeros((1, 3, dimension))
    corner[0, 1, -1] = 1.0
    bench = Bench(set_walls(world, [PLANE], corner), model, numbers, 1e-9)
    bench.advance(1)
    return bench


def exact(bench: Bench) -> float:
    """Largest frequency of the network of contacts [1/s]: all degrees of freedom of bodies and spheres at once."""
    world, model = bench.world, bench.model
    d, spin = model.dimension, model.spin_length
    law, material = model.law, model.law.material(bench.numbers, 0)
    loose = np.flatnonzero(world.body < 0)
    size = d + spin
    owners = {int(row): k for k, row in enumerate(loose)}
    count = len(loose) + world.bodies.begin.size - 1
    turns = matrices(world.bodies.reference.T) if d == 3 else None
    stiffness = np.zeros((count * size, count * size))

    def moved(row: int, side: float, normal: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """How all coordinates, scaled by the roots of their inertia, move the surface of a sphere along a direction."""
        found = np.zeros(count * size)
        arm = -side * world.radius[row] * normal
        body = int(world.body[row])
        if body < 0:
            first, light = owners[row] * size, world.inverse_mass[0, row]
            inertia = world.inverse_mass[d, row] * np.eye(spin)
        else:
            first, light = (len(loose) + body) * size, world.bodies.inverse_mass[0, body]
            arm = arm + world.motion[:d, 0, row] - world.bodies.motion[:d, 0, body]
            inertia = world.bodies.inverse_mass[d, body] * np.eye(spin)
            if d == 3:
                turn = turns[body]
                inertia = inertia @ turn @ np.diag(1.0 + world.bodies.unequal[:, body]) @ turn.T
        torque = np.atleast_1d(np.cross(arm, direction) if d == 3 else arm[0] * direction[1] - arm[1] * direction[0])
        values, axes = np.linalg.eigh(inertia)
        found[first : first + d] = np.sqrt(light) * direction
        found[first + d : first + size] = axes @ (np.sqrt(values) * (axes.T @ torque))
        return side * found

    def add(contact: object, ends: list[tuple[int, float]]) -> None:
        normal = np.array(contact.normal)
        along, across, *_ = law.stiffness(bench.numbers, contact)
        for direction in np.linalg.svd(normal[None])[2]:
            k = along if abs(direction @ normal) > 0.5 else across
            shift = sum(moved(row, side, normal, direction) for row, side in ends)
            stiffness[:] += k * np.outer(shift, shift)

    for p in range(int(world.counters[PAIR_COUNT])):
        contact = pair_contact(world, p, material, model.shapes)
        if contact.overlap > 0.0:
            add(contact, [(int(world.pairs.i[p]), 1.0), (int(world.pairs.j[p]), -1.0)])
    for t in range(int(world.counters[WALL_CONTACT_COUNT])):
        contact = wall_contact(world, t, material, model.shapes)
        if contact.overlap > 0.0:
            add(contact, [(int(world.wall_contacts.sphere[t]), 1.0)])
    return float(np.sqrt(np.linalg.eigvalsh(stiffness)[-1]))


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_frequency_bound_of_bodies_is_never_too_low_and_hardly_too_high(dimension: int) -> None:
    ratios = []
    for seed in range(12):
        bench = packing(dimension, seed)
        found = look(bench)
        assert found.contacts > 4
        ratios.append(found.omega / exact(bench))
    assert min(ratios) >= 1.0 - 1e-9
    assert np.median(ratios) < 1.5
