"""The bounded spring: its well, its cutoff and its internal friction, in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.model import Model
from repose.sim.laws import bounded_spring
from repose.sim.registry import integrators

from tests.random_contacts import head_on
from tests.small_worlds import Bench

STIFFNESS, PULL, CUTOFF, RADIUS, MASS = 500.0, 0.4, 2e-3, 5e-3, 1e-3
BOUND_BY = 2.0 / 3.0 * PULL * CUTOFF
"""Energy that parts two particles at rest [J]."""


def numbers(viscosity: float = 0.0) -> tuple:
    return bounded_spring.BoundedSpring(STIFFNESS, viscosity, PULL, CUTOFF)


def pair(viscosity: float, gap: float, speed: float, steps: int, dt: float = 1e-5) -> Bench:
    """Two particles with a gap, parting at a speed, after some steps."""
    world = empty_world(2, 0, levels=3, skin=1e-3)
    across = 2.0 * RADIUS + gap
    world = add_spheres(
        world, [(0.0, 0.0), (across, 0.0)], RADIUS, MASS, velocity=[(-speed / 2, 0.0), (speed / 2, 0.0)]
    )
    bench = Bench(world, Model(bounded_spring.BOUND, integrators()["velocity_verlet"]), numbers(viscosity), dt)
    bench.loop(world, bench.numbers, bench.gravity, 0.0, 1, bench.further)  # accelerations to begin with
    bench.advance(steps)
    return bench


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_pull_is_a_parabola_across_the_gap_with_the_attraction_at_half_the_cutoff(share: float) -> None:
    answer = bounded_spring.force(numbers(), head_on((), -share * CUTOFF, 0.0, 0.0))
    assert answer.normal_force == pytest.approx(-4.0 * PULL * share * (1.0 - share), rel=1e-12)
    assert bounded_spring.force(numbers(), head_on((), -share * CUTOFF, 0.0, 1.0)).normal_force == 0.0


def test_stored_energy_is_the_work_against_the_pull_and_ends_at_the_cutoff() -> None:
    gaps = np.linspace(0.0, CUTOFF, 2001)
    pulls = [-bounded_spring.force(numbers(), head_on((), -float(s), 0.0, 0.0)).normal_force for s in gaps]
    at_touch = bounded_spring.energy(numbers(), head_on((), 0.0, 0.0, 0.0))[0]
    assert at_touch == pytest.approx(-BOUND_BY, rel=1e-12)
    assert np.trapezoid(pulls, gaps) == pytest.approx(BOUND_BY, rel=1e-6)
    assert bounded_spring.energy(numbers(), head_on((), -CUTOFF, 0.0, 0.0))[0] == 0.0


@pytest.mark.parametrize(("share", "parts"), [(0.9, False), (1.1, True)])
def test_two_particles_part_only_above_the_speed_of_escape(share: float, parts: bool) -> None:
    # In the frame of the centre of mass the energy of the relative motion is (m/2) v²/2.
    escape = math.sqrt(4.0 * BOUND_BY / MASS)
    bench = pair(0.0, 0.0, share * escape, 1000)
    apart = bench.position[1, 0] - bench.position[0, 0] - 2.0 * RADIUS
    assert (apart > CUTOFF) == parts
    if parts:
        left = bench.velocity[1, 0] - bench.velocity[0, 0]
        assert left == pytest.approx(escape * math.sqrt(share**2 - 1.0), rel=1e-3)


def test_internal_friction_is_that_of_the_rate_of_the_distance_and_its_heat_closes_the_ledger() -> None:
    answer = bounded_spring.force(numbers(0.3), head_on((), 1e-4, -0.2, 0.0))
    assert answer.normal_force == pytest.approx(STIFFNESS * 1e-4 + 0.3 * 0.2, rel=1e-12)
    assert answer.damping_power == pytest.approx(0.3 * 0.2**2, rel=1e-12)
    bench = pair(0.05, 0.2 * CUTOFF, 0.3, 600)
    energy = bench.energy()
    first = 0.5 * 2.0 * MASS * 0.15**2 - BOUND_BY * 0.8**2 * 1.4
    assert energy.mechanical + energy.damping == pytest.approx(first, abs=1e-3 * energy.damping)
    assert energy.damping > 0.05 * BOUND_BY
