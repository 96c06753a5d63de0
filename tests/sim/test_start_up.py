"""The Runge-Kutta start-up finds the derivatives of a smooth contact."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.engine.builder import fitted, with_threads
from repose.sim.engine.world import copy_world
from repose.sim.integrators.start_up import higher_derivatives

from tests.sim.engine.test_step import cluster
from tests.small_worlds import Bench, model_of, use_plain_engine, world_of


def test_start_up_finds_the_derivatives_of_a_spring(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    # Two equal spheres in an undamped linear contact, moving apart at u: the overlap d obeys d'' = -w² d with
    # w² = 2 k/m, so sphere 1 has a = k d/m, a' = -2 k u/m ... : x''' = -(w²) v exactly, and x'''' = -w² a.
    # Central differences over h = dt/130 with w dt = 0.1 err by (w h)² = 6e-7 of the value.
    k, mass, overlap, speed = 1e4, 1e-3, 1e-5, 0.02
    model, numbers = model_of(
        "gear5", exponent="linear", normal_stiffness=k, normal_damping=0.0, shear_damping=0.0, friction=0.0
    )
    world = world_of(model, [(0.0, 0.0), (2e-3 - overlap, 0.0)], 1e-3, mass, velocity=[(-speed, 0.0), (speed, 0.0)])
    bench = Bench(world, model, numbers, dt=1e-12)
    bench.advance(1)  # sets accelerations and contacts, moves by 2e-14 m
    omega_squared = 2.0 * k / mass
    dt = 0.1 / np.sqrt(omega_squared)
    untouched = copy_world(bench.world)
    higher = higher_derivatives(bench.world, model, numbers, (0.0, 0.0), dt)
    velocity = bench.world.motion[0, 1]
    acceleration = np.array([-k * overlap / mass, k * overlap / mass])
    np.testing.assert_allclose(higher[0, 0], acceleration, rtol=1e-5)
    np.testing.assert_allclose(higher[0, 1], -omega_squared * velocity, rtol=1e-4)
    np.testing.assert_allclose(higher[0, 2], -omega_squared * acceleration, rtol=5e-2)
    assert (bench.world.motion == untouched.motion).all()
    assert (bench.world.pairs.shear_spring == untouched.pairs.shear_spring).all()


def test_start_up_depends_neither_on_the_capacity_of_the_lists_nor_on_threads() -> None:
    found = []
    for capacity, threads in ((10_000, 1), (1, 1), (1, 3)):
        bench = cluster()
        world = with_threads(fitted(bench.world, bench.world.pairs, capacity), threads)
        found.append(higher_derivatives(world, bench.model, bench.numbers, bench.gravity, bench.dt))
    assert np.abs(found[0][:, 1:]).max() > 0.0
    assert np.array_equal(found[1], found[0])
    assert np.array_equal(found[2], found[0])
