"""Elastic head-on impact of two spheres with the Hertz exponent, against its closed form.

With F = k overlap^(3/2), effective mass m* and approach speed v, energy conservation gives

    greatest overlap  d = (5 m* v² / (4 k))^(2/5),    greatest force  F = k d^(3/2),
    contact time      t_c = 2 d/v  integral_0^1 dx / sqrt(1 - x^(5/2)) = (4/5) sqrt(pi) Gamma(2/5) / Gamma(9/10) d/v.

(With k = (4/3) E* sqrt(R*) these are the formulas of Johnson, Contact Mechanics (1985), 11.4.) Every scheme is at least
second order through a contact, whose stiffest frequency is w² = (3/2) k sqrt(d) / m*, so (w dt)² bounds the
relative error of every quantity; half a step's sampling of the maximum is part of it.
"""

from __future__ import annotations

from math import gamma, pi, sqrt

import numpy as np
import pytest
from repose.sim.registry import integrators

from tests.small_worlds import Bench, model_of, momentum, world_of

CONTACT_TIME = 0.8 * sqrt(pi) * gamma(0.4) / gamma(0.9)
ELASTIC = {"friction": 0.0, "normal_damping": 0.0, "shear_damping": 0.0}


def closed_form(k: float, mass: float, speed: float) -> tuple[float, float, float, float]:
    """Greatest overlap [m], greatest force [N], contact time [s], stiffest frequency [1/s]."""
    overlap = (5.0 * mass * speed**2 / (4.0 * k)) ** 0.4
    return overlap, k * overlap**1.5, CONTACT_TIME * overlap / speed, sqrt(1.5 * k * sqrt(overlap) / mass)


def impact(bench: Bench, steps: int) -> tuple[float, float, float]:
    """Greatest overlap [m], greatest force [N] and contact time [s] of the first two spheres of a world."""
    radius_sum = bench.world.radius[:2].sum()
    overlap, force = [], []
    for _ in range(steps):
        bench.advance()
        overlap.append(radius_sum - np.linalg.norm(bench.position[0] - bench.position[1]))
        force.append(bench.world.pairs.normal_force[0])
    overlap = np.array(overlap)
    during = np.flatnonzero(overlap > 0.0)
    # First and last touch by straight lines through the samples on either side.
    began = during[0] - overlap[during[0]] / (overlap[during[0]] - overlap[during[0] - 1])
    ended = during[-1] + overlap[during[-1]] / (overlap[during[-1]] - overlap[during[-1] + 1])
    return overlap.max(), max(force), (ended - began) * bench.dt


@pytest.mark.parametrize("integrator", list(integrators()))
@pytest.mark.parametrize("steps_per_contact", [100, 200])
def test_hertz_impact_of_two_grains(integrator: str, steps_per_contact: int) -> None:
    k, mass, speed = 1e6, 0.5e-3, 1.0
    overlap, force, duration, omega = closed_form(k, mass, speed)
    dt = duration / steps_per_contact
    model, numbers = model_of(integrator, **ELASTIC)
    gap = 1.65 * speed * dt
    world = world_of(model, [(-1e-3 - gap, 0), (1e-3, 0)], 1e-3, 1e-3, velocity=[(speed / 2, 0), (-speed / 2, 0)])
    bench = Bench(world, model, numbers, dt, compiled=True)
    found = impact(bench, int(1.05 * steps_per_contact) + 5)
    assert found == pytest.approx((overlap, force, duration), rel=(omega * dt) ** 2)
    # The rebound of a head-on impact of equal grains exchanges their velocities.
    assert bench.velocity[:, 0] == pytest.approx([-speed / 2, speed / 2], rel=(omega * dt) ** 2)
    assert not bench.touching


def test_hertz_impact_in_space_along_any_direction_with_unequal_grains() -> None:
    radii, masses = np.array([0.8e-3, 1.4e-3]), np.array([0.512e-3, 2.744e-3])
    k, speed, effective = 2e6, 0.7, masses.prod() / masses.sum()
    overlap, force, duration, omega = closed_form(k, effective, speed)
    dt = duration / 200
    model, numbers = model_of("gear5", dimension=3, normal_stiffness=k, **ELASTIC)
    along = np.array([2.0, -3.0, 6.0]) / 7.0
    start = np.outer([0.0, radii.sum() + 1.65 * speed * dt], along)
    world = world_of(model, start, radii, masses, velocity=np.outer([speed, 0.0], along))
    bench = Bench(world, model, numbers, dt)
    before = momentum(bench)
    found = impact(bench, 215)
    assert found == pytest.approx((overlap, force, duration), rel=(omega * dt) ** 2)
    assert momentum(bench) == pytest.approx(before, abs=1e-12 * np.abs(before).max())
    # Elastic impact in the frame of the second grain: v_i' = v (m_i - m_j) / (m_i + m_j), v_j' = 2 v m_i / (m_i + m_j).
    after = speed * np.array([masses[0] - masses[1], 2.0 * masses[0]]) / masses.sum()
    assert bench.velocity @ along == pytest.approx(after, rel=(omega * dt) ** 2)
    assert bench.velocity - np.outer(bench.velocity @ along, along) == pytest.approx(0.0, abs=1e-12)


# Chung & Ooi, Granular Matter 13 (2011) 643, tests 1 and 2. Young's modulus [Pa], Poisson's ratio, density [kg/m³],
# radius [m], approach speed [m/s], how many of the two yield, and greatest force [N], overlap [m], contact time [s].
PUBLISHED = [
    pytest.param(48e9, 0.20, 2800.0, 0.010, 20.0, 2, (10.697e3, 274.1e-6, 40.35e-6), id="two-glass-spheres"),
    pytest.param(20e9, 0.25, 2500.0, 0.010, 20.0, 2, (7.108e3, 368.3e-6, 54.21e-6), id="two-limestone-spheres"),
    pytest.param(70e9, 0.30, 2699.0, 0.100, 0.2, 1, (11.370e3, 49.72e-6, 731.8e-6), id="aluminium-on-a-plane"),
    pytest.param(40e9, 0.35, 1800.0, 0.100, 0.2, 1, (7.233e3, 52.12e-6, 767.2e-6), id="magnesium-on-a-plane"),
]


@pytest.mark.parametrize(("young", "poisson", "density", "radius", "speed", "yielding", "published"), PUBLISHED)
def test_published_elastic_impacts(young, poisson, density, radius, speed, yielding, published) -> None:
    # Two equal spheres: E* = E / (2 (1 - nu²)), R* = R/2. Sphere on a rigid plane: E* = E / (1 - nu²), R* = R.
    stiffness = 4.0 / 3.0 * young / (yielding * (1.0 - poisson**2)) * sqrt(radius / yielding)
    mass = density * 4.0 / 3.0 * pi * radius**3
    duration = closed_form(stiffness, mass / yielding, speed)[2]
    omega = closed_form(stiffness, mass / yielding, speed)[3]
    dt = duration / 200
    model, numbers = model_of("gear5", wall_stiffness_factor=1.0, **ELASTIC)
    # The law takes k_n from 1e3 to 1e9 N/m^1.5; metals are stiffer, and numbers are numbers.
    numbers = numbers._replace(normal_stiffness=stiffness)
    world = world_of(
        model,
        [(0.0, 0.0), (2.0 * radius + 1.65 * speed * dt, 0.0)],
        radius,
        mass,
        velocity=[(speed, 0.0), (0.0, 0.0)],
        fixed=[False, yielding == 1],
    )
    bench = Bench(world, model, numbers, dt, compiled=True)
    overlap, force, time = impact(bench, 215)
    rounding = 0.05 / 274.1  # half a unit of the last digit printed, in the least precise figure
    assert (force, overlap, time) == pytest.approx(published, rel=(omega * dt) ** 2 + rounding)
