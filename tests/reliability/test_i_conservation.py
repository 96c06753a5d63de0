"""I01 to I05, I15 to I17, I24: conserved sums, the energy ledger, and errors that decrease with the step."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.measure.booked import Booked
from repose.sim.registry import integrators, laws

from tests.reliability.random_clusters import DT, Cluster, clusters, examples
from tests.sim.engine.test_step import cluster as moving_crowd
from tests.small_worlds import Bench, angular_momentum, look, model_of, momentum, world_of
from tests.tiers import tiered
from tests.verification.test_hertz_impact import ELASTIC, closed_form

VOIGT = laws()["voigt"]


def moments(where: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Torques of forces about the origin [N m], shape (1 or 3, grains)."""
    if len(where) == 2:
        return (where[0] * force[1] - where[1] * force[0])[None]
    return np.cross(where.T, force.T).T


@examples()
@given(clusters())
def test_i01_contact_forces_and_torques_cancel(cluster: Cluster) -> None:
    bench = cluster.bench("leapfrog")  # which leaves positions where the forces were found
    bench.advance(3)
    force, torque = np.split(bench.world.force, [cluster.dimension])
    assert np.abs(force.sum(axis=1)).max() <= 1e-12 * np.abs(force).sum()
    if cluster.rotation:
        orbital = moments(bench.position.T, force)
        size = np.abs(orbital).sum() + np.abs(torque).sum()
        assert np.abs(orbital.sum(axis=1) + torque.sum(axis=1)).max() <= 1e-12 * size


def test_i02_linear_momentum_is_conserved_for_ten_thousand_steps() -> None:
    crowd = moving_crowd(compiled=True)
    world = world_of(crowd.model, crowd.position, crowd.world.radius, crowd.world.mass, velocity=crowd.velocity)
    bench = Bench(world, crowd.model, crowd.numbers, DT, compiled=True)
    before, size = momentum(bench), (bench.world.mass[:, None] * np.abs(bench.velocity)).sum()
    assert bench.advance(10_000) == 10_000
    assert momentum(bench) == pytest.approx(before, abs=1e-12 * size)


@examples(0.25)
@given(clusters(rotation=True))
def test_i03_angular_momentum_of_motion_and_spin_is_conserved(cluster: Cluster) -> None:
    bench = cluster.bench("velocity_verlet")
    before = angular_momentum(bench)
    size = np.abs(moments(cluster.position.T, (bench.world.mass[:, None] * cluster.velocity).T)).sum()
    assert bench.advance(50) == 50
    assert angular_momentum(bench) == pytest.approx(before, abs=1e-10 * size)


@examples(0.25)
@given(clusters(most=4), st.sampled_from([0.5, 1.0, 2.0]))
def test_i04_energy_does_not_grow_and_the_gap_of_the_ledger_is_of_first_order(cluster: Cluster, share: float) -> None:
    # Damping sets in with a jump, and its work is booked with the velocity at one end of the step: a step's decay.
    bench = cluster.bench("velocity_verlet", coulomb_cap="total", dt=0.0)
    bench.advance(1)  # finds the contacts there are
    bench.dt, energy, decay = share * DT, bench.energy(), 0.0
    booked, before = Booked(poured=energy.mechanical, shear=energy.shear), energy.mechanical
    for _ in range(10):
        bench.advance(round(3.0 / share))
        now, found = bench.energy(booked), look(bench)
        decay = max(decay, 2.0 * found.damping_ratio * found.omega * bench.dt)
        assert now.mechanical <= before * (1.0 + 1e-6)
        before = now.mechanical
    assert abs(now.gap) <= (decay + 1e-9) * booked.poured


@examples()
@given(st.floats(0.1, 1.0), st.floats(0.01, 5.0), st.floats(0.2, 5.0))
def test_i05_the_measured_restitution_is_that_of_the_parameter(restitution: float, speed: float, ratio: float) -> None:
    # The loop of the bouncing spheres. Damping sets in and ends with a jump, late by up to a step of some 4000.
    stiffness, radius, masses = 1e5, 0.01, np.array([0.01, 0.01 * ratio])
    values = {"restitution": restitution, "normal_stiffness": stiffness, "stiffness_from": "given"}
    model, numbers = model_of("gear5", 3, law=VOIGT, **values)
    effective = masses.prod() / masses.sum()
    duration = np.hypot(pi, np.log(restitution)) * sqrt(effective / stiffness)
    position, velocity = [(0.0, 0.0, 0.0), (2.0 * radius, 0.0, 0.0)], [(speed, 0.0, 0.0), (0.0, 0.0, 0.0)]
    world = world_of(model, position, radius, masses, velocity=velocity)
    bench = Bench(world, model, numbers, duration / 4000, compiled=True)
    bench.advance(6000)
    assert not bench.touching
    parting = float(bench.velocity[1, 0] - bench.velocity[0, 0])
    assert parting / speed == pytest.approx(restitution, rel=1e-3)


@pytest.mark.parametrize("integrator", tiered(integrators(), fast={"gear5", "leapfrog", "velocity_verlet"}))
def test_i17_the_error_of_an_impact_decreases_with_the_step(integrator: str) -> None:
    k, mass, speed, errors = 1e6, 0.5e-3, 1.0, []
    duration = closed_form(k, mass, speed)[2]
    for steps in (40, 80, 160, 320):
        dt = duration / steps
        model, numbers = model_of(integrator, **ELASTIC)
        apart = 1e-3 + 0.5 * speed * dt  # touch is at the same share of a step each time
        velocity = [(speed / 2, 0), (-speed / 2, 0)]
        bench = Bench(world_of(model, [(-apart, 0), (1e-3, 0)], 1e-3, 1e-3, velocity=velocity), model, numbers, dt)
        bench.advance(round(1.2 * steps))
        assert not bench.touching
        errors.append(abs(bench.velocity[1, 0] - speed / 2))
    assert errors == sorted(errors, reverse=True)
    # A contact is smooth to the order of the law's exponent only: every scheme ends at least of second order.
    assert errors[-1] < errors[0] * (40 / 320) ** 2


def test_i24_the_force_on_a_floor_is_the_weight_of_the_grains() -> None:
    radius, mass, g = 0.01, 0.01, 9.81
    values = {"normal_stiffness": 1e5, "shear_stiffness": 5e4, "restitution": 0.2}
    model, numbers = model_of("velocity_verlet", 2, law=VOIGT, **values)
    position = [(0.0, (2 * k + 1) * 0.9999 * radius) for k in range(4)]
    world = set_walls(world_of(model, position, radius, mass, skin=0.2 * radius), [PLANE], [[(0, 0), (0, 1), (0, 0)]])
    bench = Bench(world, model, numbers, 4e-5, (0.0, -g))
    bench.advance(1500)
    assert np.abs(bench.velocity).max() < 1e-6
    assert -bench.world.walls.force[0, 1] == pytest.approx(4 * mass * g, rel=1e-4)
