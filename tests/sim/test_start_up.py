"""The Runge-Kutta start-up finds the derivatives of a smooth contact."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repose.sim.engine.body_builder import add_bodies, shape_of_spheres
from repose.sim.engine.builder import empty_world, fitted, with_threads
from repose.sim.engine.fields import FieldForce, Sphere
from repose.sim.engine.model import BoundField, Coefficients
from repose.sim.engine.world import copy_world, motions
from repose.sim.integrators.start_up import higher_derivatives
from repose.sim.registry import laws

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
    (higher,) = higher_derivatives(bench.world, model, numbers, (0.0, 0.0), dt)
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
        found += higher_derivatives(world, bench.model, bench.numbers, bench.gravity, bench.dt)
    assert np.abs(found[0][:, 1:]).max() > 0.0
    assert np.array_equal(found[1], found[0])
    assert np.array_equal(found[2], found[0])


@pytest.mark.parametrize("dimension", [2, 3])
def test_start_up_finds_the_derivatives_of_a_body_that_oscillates_and_swings(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_plain_engine(monkeypatch)
    # A dumbbell of arms a at the angle t from the x axis, each sphere pulled by -k x along x. Its centre obeys
    # X'' = -w² X with w² = 2 k/m; its angle t'' = c sin 2t with c = k a²/I. Tolerances as above.
    k, arm, angle, omega = 0.01, 1e-3, 0.4, 30.0

    def along_x(params: tuple, sphere: Sphere, time: float) -> FieldForce:
        pull = tuple(-params[0] * x if axis == 0 else 0.0 for axis, x in enumerate(sphere.position))
        return FieldForce(pull, tuple(0.0 for _ in sphere.spin), 0.0, 0.0)

    model, numbers = model_of("gear5", dimension, True, laws()["voigt"])
    model = replace(model, bodies=True, fields=(BoundField(along_x),))
    shape = shape_of_spheres(np.outer([-arm, arm], np.eye(dimension)[0]), 0.5e-3, 1e-6)
    along = np.array([np.cos(angle), np.sin(angle), 0.0])[:dimension]
    blank = empty_world(dimension, model.spin_length, model.integrator.levels, 1e-4, materials=2)
    position, speed = np.array([[3e-4, 0.0, 0.0]]), np.array([[0.02, 0.01, 0.0]])
    spin = omega if dimension == 2 else np.array([0.0, 0.0, omega])
    turn = {"orientation": [angle] if dimension == 2 else [(np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))]}
    world = add_bodies(blank, shape, position[:, :dimension], velocity=speed[:, :dimension], spin=spin, **turn)
    bench = Bench(world, model, numbers, 1e-12, (0.0,) * dimension, further=Coefficients(fields=((k,),)))
    bench.advance(1)
    bodies = bench.world.bodies
    now = bench.world.workspace.bodies
    arms = now.arm[:, 1] - now.arm[:, 0]
    assert abs(arms @ along) == pytest.approx(2.0 * arm)
    dt, mass = 1e-3, 1.0 / bodies.inverse_mass[0, 0]
    inertia = float(shape.moments.max())
    untouched = copy_world(bench.world)
    higher = higher_derivatives(bench.world, model, numbers, bench.gravity, dt, bench.further)
    w_square, c = 2.0 * k / mass, k * arm**2 / inertia
    x, v = position[0, 0], speed[0, 0]
    linear = [-w_square * x, -w_square * v, w_square**2 * x]
    for found, expected, tolerance in zip(higher[1][0, :3, 0], linear, (1e-5, 1e-4, 1e-3), strict=True):
        assert found == pytest.approx(expected, rel=tolerance)
    bend = c * np.sin(2.0 * angle)
    jerk = 2.0 * c * np.cos(2.0 * angle) * omega
    snap = 2.0 * c * np.cos(2.0 * angle) * bend - 4.0 * bend * omega**2
    stored = inertia * bodies.inverse_mass[-1, 0]  # moment of inertia over that of reference
    for found, expected, tolerance in zip(higher[1][-1, :3, 0], (bend, jerk, snap), (1e-5, 1e-4, 1e-3), strict=True):
        assert found == pytest.approx(stored * expected, rel=tolerance)
    assert not higher[0].any()
    for now, before in zip(motions(bench.world), motions(untouched), strict=True):
        assert np.array_equal(now, before)
    assert np.array_equal(bodies.reference, untouched.bodies.reference)
