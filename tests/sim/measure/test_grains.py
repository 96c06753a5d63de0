"""Rigid bodies in measurements: members that overlap count once, forces act at the centre of the body."""

from __future__ import annotations

from dataclasses import replace
from math import acos, pi, sqrt

import numpy as np
import pytest
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.clump import mass_properties
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.engine.body_builder import BodyShape, add_bodies, body_shape, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import World
from repose.sim.measure.bulk import measure_bulk
from repose.sim.measure.grains import grain_radii, own_shares
from repose.sim.measure.packing import Box, box_in_packing
from repose.sim.measure.stress import mean_stress
from repose.sim.registry import laws

from tests.small_worlds import Bench, contacts_of, model_of

R, APART = 1e-3, 1.2e-3
"""Radius of both members of a dumbbell, and distance of their centres [m]."""


def dumbbell(dimension: int, radius: float = R) -> BodyShape:
    position = np.zeros((2, dimension))
    position[:, 0] = -0.5 * APART * radius / R, 0.5 * APART * radius / R
    inertia = 1e-12 if dimension == 2 else 1e-12 * np.eye(3)
    return body_shape(position, radius, 1e-5, inertia, np.zeros(dimension))


def size_of_dumbbell(dimension: int) -> float:
    """Two discs or balls less the lens in which they overlap [m² or m³]."""
    if dimension == 2:
        return 2.0 * pi * R**2 - (2.0 * R**2 * acos(0.5 * APART / R) - 0.5 * APART * sqrt(4.0 * R**2 - APART**2))
    return 8.0 / 3.0 * pi * R**3 - pi / 12.0 * (4.0 * R + APART) * (2.0 * R - APART) ** 2


def world_of(dimension: int) -> World:
    return empty_world(dimension, 2 * dimension - 3, 3, 1e-4, materials=2)


@pytest.mark.parametrize("dimension", [2, 3])
def test_members_that_overlap_are_counted_once_in_a_packing_fraction(dimension: int) -> None:
    world = add_bodies(world_of(dimension), dumbbell(dimension), np.zeros((1, dimension)), orientation=None)
    loose = add_spheres(world, [np.full(dimension, 0.01)], R, 1e-5, SphereGroup(first_id=9))
    box = Box(np.full(dimension, -0.02), np.full(dimension, 0.02))
    bench = Bench(loose, *model_of("velocity_verlet", dimension, True, laws()["voigt"]), 1e-7)
    ball = {2: pi * R**2, 3: 4.0 / 3.0 * pi * R**3}[dimension]
    measured = measure_bulk(loose, contacts_of(bench), box).packing_fraction
    assert measured * 0.04**dimension == pytest.approx(size_of_dumbbell(dimension) + ball, rel=1e-3)


def test_shares_follow_the_shape_and_not_the_size() -> None:
    world = add_bodies(world_of(2), dumbbell(2), np.zeros((1, 2)))
    world = add_bodies(world, dumbbell(2, 2.0 * R), [(0.02, 0.0)], SphereGroup(first_id=5))
    world = add_spheres(world, [(0.05, 0.0)], R, 1e-5, SphereGroup(first_id=9))
    share = own_shares(world)
    assert share[:4] == pytest.approx(np.full(4, 0.5 * size_of_dumbbell(2) / (pi * R**2)), rel=2e-3)
    assert share[4] == 1.0
    assert grain_radii(world)[0] == pytest.approx(R)
    assert grain_radii(world)[1:] == pytest.approx(sqrt(size_of_dumbbell(2) / pi) * np.array([1.0, 2.0]), rel=1e-3)


def test_shares_of_a_clump_add_up_to_the_volume_of_its_file() -> None:
    body = body_of_shape("tetrapod", 48, 0.01)
    clump = fitted_clump(body, 15)
    mass = mass_properties(clump, body.field.step)
    shape = body_shape(clump.centre, clump.radius, 2500.0 * mass.volume, 2500.0 * mass.inertia, mass.centre)
    world = add_bodies(world_of(3), shape, np.zeros((1, 3)))
    ball = 4.0 / 3.0 * pi * clump.radius**3
    assert ball.sum() > 1.2 * mass.volume
    assert (own_shares(world) * ball).sum() == pytest.approx(mass.volume, rel=3e-3)


def test_the_box_in_a_packing_of_bodies_is_that_of_a_packing_of_grains() -> None:
    position = np.stack(np.meshgrid(3.25e-3 * np.arange(12), 2.05e-3 * np.arange(19), indexing="ij"), -1).reshape(-1, 2)
    world = add_bodies(world_of(2), dumbbell(2), position)
    box = box_in_packing(world)
    assert box is not None
    cells = (box.upper - box.lower) / (2.0 * sqrt(size_of_dumbbell(2) / pi))
    assert cells == pytest.approx(np.round(cells), abs=0.01)  # one of a grain, not of a member, in each cell
    bench = Bench(world, *model_of("velocity_verlet", 2, True, laws()["voigt"]), 1e-7)
    fraction = size_of_dumbbell(2) / (3.25e-3 * 2.05e-3)
    assert measure_bulk(world, contacts_of(bench), box).packing_fraction == pytest.approx(fraction, rel=0.05)


def test_a_rod_between_two_planes_carries_the_force_over_its_whole_length() -> None:
    # Three discs in a row, squeezed by 1 % of R at both ends: force over the height of the box, whatever the members.
    stiffness, half = 1e5, 2.99 * R
    model, numbers = model_of(
        "velocity_verlet", 2, True, laws()["voigt"], normal_stiffness=stiffness, restitution=1.0, friction=0.0
    )
    shape = shape_of_spheres([(-2.0 * R, 0.0), (0.0, 0.0), (2.0 * R, 0.0)], R, 1e-5)
    world = add_bodies(empty_world(2, 1, model.integrator.levels, 1e-4, materials=2), shape, [(0.0, 0.0)])
    corners = [[(-half, 0.0), (1.0, 0.0), (0.0, 0.0)], [(half, 0.0), (-1.0, 0.0), (0.0, 0.0)]]
    bench = Bench(set_walls(world, [PLANE] * 2, corners, material=1), replace(model, bodies=True), numbers, 1e-13)
    bench.advance(1)
    found = mean_stress(bench.world, contacts_of(bench), (-half, -R), (half, R))
    assert found.contacts[0, 0] == pytest.approx(stiffness * 0.01 * R / (2.0 * R), rel=1e-6)
