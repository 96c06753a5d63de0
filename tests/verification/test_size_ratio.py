"""Static friction at a size ratio of ten: chocks hold a large sphere on a slope with every integrator.

A small sphere between the slope and a large sphere is locked if the friction angle exceeds half the angle between the
two tangents, mu > tan((90° - asin((R - r)/(R + r)))/2) = 0.32 for R/r = 10. Springs of both contacts are then loaded.
With velocities half a step away from positions static friction fails at ratios above 3 (Vyas, Ottino, Lueptow &
Umbanhowar, arXiv:2410.14798).
"""

from __future__ import annotations

import itertools
from math import asin, cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.timestep.stable_step import stability_limit
from repose.sim.laws.materials import Material
from repose.sim.registry import integrators, laws

from tests.small_worlds import Bench, model_of, world_of
from tests.tiers import tiered

LARGE, SMALL, DENSITY, GRAVITY, SLOPE = 5e-3, 5e-4, 2500.0, 9.81, radians(10.0)
STIFFNESS = 5e3
"""Of normal and friction springs [N/m]."""
LOCKING = tan(0.5 * (0.5 * pi - asin((LARGE - SMALL) / (LARGE + SMALL))))
"""Friction coefficient above which the chocks hold [-]."""


def chocked(integrator: str, dimension: int, friction: float) -> Bench:
    """A large sphere on a slope above one chock in the plane, or two in space."""
    law, glass = laws()["voigt"], Material(1e7, 0.25, DENSITY, 0.05, friction)
    springs = {"normal_stiffness": STIFFNESS, "shear_stiffness": STIFFNESS}
    model, numbers = model_of(integrator, dimension, True, law, (glass, glass), **springs)
    reach = 2.0 * sqrt(LARGE * SMALL)  # along the slope, of two spheres that touch each other and the slope
    position = np.zeros((dimension, dimension))
    position[:, -1] = SMALL
    position[0, -1] = LARGE
    for row, angle in enumerate([0.0] if dimension == 2 else radians(30.0) * np.array([-1.0, 1.0]), 1):
        position[row, 0] = reach * cos(angle)
        if dimension == 3:
            position[row, 1] = reach * sin(angle)
    radius = np.array([LARGE] + [SMALL] * (dimension - 1))
    mass = DENSITY * 4.0 / 3.0 * pi * radius**3
    omega = sqrt(2.0 * 3.5 * STIFFNESS / mass.min())
    dt = 0.25 * stability_limit(integrators()[integrator], 1.0) / omega
    gravity = np.zeros(dimension)
    gravity[0], gravity[-1] = GRAVITY * sin(SLOPE), -GRAVITY * cos(SLOPE)
    up = np.eye(dimension)[-1]
    world = world_of(model, position, radius, mass, skin=SMALL)
    world = set_walls(world, [PLANE], [[0.0 * up, up, 0.0 * up]], material=1)
    return Bench(world, model, numbers, dt, tuple(gravity), compiled=True)


@pytest.mark.parametrize(
    ("integrator", "dimension"),
    tiered(
        itertools.product(integrators(), (2, 3)),
        fast={("leapfrog", 2), ("leapfrog", 3), ("velocity_verlet", 3), ("rk4", 2), ("gear5", 2)},
    ),
)
def test_chocks_of_a_tenth_of_the_size_hold_a_sphere_on_a_slope(integrator: str, dimension: int) -> None:
    bench = chocked(integrator, dimension, 0.5)
    bench.advance(round(0.2 / bench.dt))
    position = bench.position
    assert bench.energy().shear > 0.01 * bench.energy().elastic  # friction bears
    bench.advance(round(0.4 / bench.dt))
    assert np.abs(bench.position - position).max() < 1e-5 * SMALL
    assert np.abs(bench.velocity).max() < 1e-5 * sqrt(GRAVITY * SMALL)


def test_the_control_chocks_with_too_little_friction_slip_away() -> None:
    bench = chocked("velocity_verlet", 2, 0.8 * LOCKING)
    position = bench.position
    bench.advance(round(0.4 / bench.dt))
    assert (bench.position - position)[0, 0] > LARGE
