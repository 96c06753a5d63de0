"""Rotation with the Voigt law on planes: rolling stop, sliding into rolling, rolling down a slope; what is conserved.

A sphere (q = 5/2, disc q = 2) that rolls against a rolling friction mu_r, torque mu_r R N, slows down by
q/(1+q) mu_r g: 5/7 and 2/3. The friction spring swings at w² = (1+q) K_t/m and is carried along by mu N / K_t at most.
"""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from repose.sim.engine import orientation
from repose.sim.engine.builder import add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.measure.booked import Booked
from repose.sim.registry import laws

from tests.small_worlds import Bench, angular_momentum, model_of, momentum, world_of

VOIGT = laws()["voigt"]
G, RADIUS, MASS, K, DT = 9.81, 0.01, 0.01, 1e5, 4e-5
SHARE = {2: 2.0, 3: 2.5}
EVERY_DIMENSION = pytest.mark.parametrize("dimension", [2, 3])


def lying(dimension: int, alpha: float = 0.0, *, speed: float = 0.0, spin: float = 0.0, **values: float) -> Bench:
    """A sphere that lies on a plane tilted by alpha, with a speed along it [m/s] and a forward spin [rad/s]."""
    fitting = {"normal_stiffness": K, "shear_stiffness": K, "restitution": 0.3} | values
    model, numbers = model_of("velocity_verlet", dimension, rotation=True, law=VOIGT, **fitting)
    position, velocity, up = np.zeros((1, dimension)), np.zeros((1, dimension)), np.zeros(dimension)
    up[-1], velocity[0, 0] = 1.0, speed
    position[0, -1] = RADIUS - MASS * G * cos(alpha) / K
    turning = np.zeros((1, model.spin_length))
    turning[0, 0 if dimension == 2 else 1] = -spin if dimension == 2 else spin
    world = world_of(model, position, RADIUS, MASS, velocity=velocity, spin=turning, skin=RADIUS)
    world = set_walls(world, [PLANE], [[np.zeros(dimension), up, np.zeros(dimension)]], material=1)
    gravity = np.zeros(dimension)
    gravity[0], gravity[-1] = G * sin(alpha), -G * cos(alpha)
    return Bench(world, model, numbers, DT, tuple(gravity), compiled=True)


def rolling_speed(bench: Bench) -> float:
    """R w, forward positive [m/s]."""
    return RADIUS * float(-bench.spin[0, 0] if bench.model.dimension == 2 else bench.spin[0, 1])


def lag(deceleration: float, share: float) -> float:
    """What one swing of the friction spring may change of a speed [m/s]."""
    return deceleration / sqrt((1.0 + share) * K / MASS) + deceleration * DT


@EVERY_DIMENSION
def test_rolling_friction_stops_a_rolling_sphere(dimension: int) -> None:
    share, speed, rolling = SHARE[dimension], 0.5, 0.1
    bench = lying(
        dimension, speed=speed, spin=speed / RADIUS, friction=0.5, wall_friction=0.5, rolling_friction=rolling
    )
    bench.advance(1000)
    slower = share / (1.0 + share) * rolling * G
    assert bench.velocity[0, 0] == pytest.approx(speed - slower * 1000 * DT, abs=lag(slower, share))
    assert rolling_speed(bench) == pytest.approx(bench.velocity[0, 0], abs=share * lag(slower, share))


@EVERY_DIMENSION
def test_a_sliding_sphere_ends_rolling(dimension: int) -> None:
    share, speed, friction = SHARE[dimension], 0.3, 0.5
    bench = lying(dimension, speed=speed, friction=friction, wall_friction=friction)
    bench.advance(round(2.0 * speed / (friction * G * (1.0 + share)) / DT))
    assert bench.velocity[0, 0] == pytest.approx(share / (1.0 + share) * speed, abs=lag(friction * G, share))
    assert rolling_speed(bench) == pytest.approx(bench.velocity[0, 0], abs=share * lag(friction * G, share))


@EVERY_DIMENSION
@pytest.mark.parametrize("side", [0.0, 0.9, 1.1])
def test_critical_friction_of_a_slope(dimension: int, side: float) -> None:
    alpha, share = radians(45.0), SHARE[dimension]
    friction = side * tan(alpha) / (1.0 + share)
    bench = lying(dimension, alpha, friction=friction, wall_friction=friction)
    bench.advance(1000)
    expected = G * (sin(alpha) - friction * cos(alpha)) if side < 1.0 else share / (1.0 + share) * G * sin(alpha)
    slip = expected * 1000 * DT - share * friction * G * cos(alpha) * 1000 * DT if side < 1.0 else 0.0
    bound = (1.0 + share) * lag(G * sin(alpha), share)
    assert bench.velocity[0, 0] == pytest.approx(expected * 1000 * DT, abs=bound)
    assert bench.velocity[0, 0] - rolling_speed(bench) == pytest.approx(slip, abs=bound)


@pytest.mark.parametrize("rolling", [0.01, 1.0])
@pytest.mark.parametrize("axis", [0, 2])
def test_rolling_and_twisting_friction_never_reverse_a_spin(rolling: float, axis: int) -> None:
    # Without sliding friction nothing else acts on the spin. The torque may be far more than would stop it in a step.
    smooth = {"friction": 0.0, "wall_friction": 0.0, "rolling_friction": rolling, "twisting_friction": rolling}
    bench = lying(3, **smooth)
    bench.world.motion[3 + axis, 1, 0] = 2.0
    torque = rolling * RADIUS * MASS * G / (0.4 * MASS * RADIUS**2)
    spins = [2.0]
    for _ in range(200):
        bench.advance()
        spins.append(float(bench.spin[0, axis]))
    assert min(spins) >= 0.0
    assert (np.diff(spins) <= 0.0).all()
    assert spins[200] == pytest.approx(max(0.0, 2.0 - torque * 200 * DT), abs=torque * 30 * DT * (rolling > 0.5) + 1e-3)
    assert not np.any(bench.spin[0, [k for k in range(3) if k != axis]])


RADII, MASSES = np.array([0.01, 0.013]), np.array([0.01, 0.02197])
CENTRES = np.array([[-0.0118, 0.002, 0.001], [0.0118, -0.002, 0.001]])
VELOCITIES = np.array([[0.9, 0.25, -0.3], [-0.4, -0.1, 0.35]])
SPINS = np.array([[30.0, -20.0, 10.0], [-5.0, 40.0, 25.0]])


def crash(law: str, integrator: str, dt: float) -> tuple[Bench, np.ndarray, np.ndarray, float]:
    """An oblique impact of two free spheres that roll and twist on each other; momenta and energy before it."""
    values = {"friction": 0.4, "rolling_friction": 0.05, "twisting_friction": 0.05, "restitution": 0.7, "young": 1e8}
    if law == "voigt":
        values |= {"normal_stiffness": K, "shear_stiffness": K}
    model, numbers = model_of(integrator, 3, rotation=True, law=laws()[law], **values)
    world = world_of(model, CENTRES, RADII, MASSES, velocity=VELOCITIES, spin=SPINS, skin=0.01)
    bench = Bench(world, model, numbers, dt, compiled=True)
    before = momentum(bench), angular_momentum(bench), bench.energy().mechanical
    bench.advance(round(4e-3 / dt))
    assert not bench.touching
    assert np.abs(bench.spin - SPINS).min() > 1e-3
    return bench, *before


@pytest.mark.case("I03")
@pytest.mark.parametrize("law", ["voigt", "hertz_mindlin"])
def test_linear_and_angular_momentum_are_conserved(law: str) -> None:
    bench, linear, angular, _ = crash(law, "leapfrog", 1e-5)
    assert momentum(bench) == pytest.approx(linear, abs=1e-12 * np.abs(MASSES[:, None] * VELOCITIES).sum())
    assert angular_momentum(bench) == pytest.approx(angular, abs=1e-10 * np.abs(angular).sum())


@pytest.mark.case("I04")
@pytest.mark.parametrize("law", ["voigt", "hertz_mindlin"])
def test_the_energy_ledger_closes_with_rotation(law: str) -> None:
    gaps = []
    for dt in (8e-6, 2e-6):
        bench, _, _, mechanical = crash(law, "velocity_verlet", dt)
        found = bench.energy(Booked(poured=mechanical))
        assert found.damping > 0.0
        assert found.sliding > 0.0
        gaps.append(abs(found.gap) / found.dissipated)
    omega = sqrt(K * (1.0 / MASSES).sum())
    # First order where friction and damping set in with a jump; a quarter of the step shrinks it at least by half.
    assert gaps[0] < omega * 8e-6
    assert gaps[1] < max(0.5 * gaps[0], 1e-5)


def test_orientation_after_a_known_rotation() -> None:
    model, numbers = model_of("velocity_verlet", 3, rotation=True, law=VOIGT)
    spin = np.array([30.0, -40.0, 120.0])
    world = add_spheres(empty_world(3, 3, model.integrator.levels), [(0, 0, 0)], RADIUS, MASS, spin=spin)
    bench = Bench(world, model, numbers, 1e-4)
    for _ in range(20):
        bench.advance(10)
        orientation.update(bench.world)
    angle = np.linalg.norm(spin) * 200 * 1e-4
    expected = np.concatenate([[cos(angle / 2)], sin(angle / 2) * spin / np.linalg.norm(spin)])
    assert bench.world.orientation[:, 0] == pytest.approx(expected, abs=1e-12)


def test_two_quarter_turns_about_different_axes_are_done_in_order() -> None:
    model, numbers = model_of("velocity_verlet", 3, rotation=True, law=VOIGT)
    world = add_spheres(empty_world(3, 3, model.integrator.levels), [(0, 0, 0)], RADIUS, MASS)
    bench = Bench(world, model, numbers, 1e-3)
    for spin in ((0.0, 0.0, 500.0 * pi), (500.0 * pi, 0.0, 0.0)):
        bench.world.motion[3:, 1, 0] = spin
        bench.advance(1)
        orientation.update(bench.world)
    # First about z, then about the x axis of the room: (1, 1, 0, 0)/sqrt 2 times (1, 0, 0, 1)/sqrt 2.
    assert bench.world.orientation[:, 0] == pytest.approx([0.5, 0.5, -0.5, 0.5], abs=1e-12)


def test_orientation_in_the_plane_is_an_angle() -> None:
    model, numbers = model_of("velocity_verlet", 2, rotation=True, law=VOIGT)
    world = add_spheres(empty_world(2, 1, model.integrator.levels), [(0, 0)], RADIUS, MASS, spin=[[50.0]])
    bench = Bench(world, model, numbers, 1e-3)
    bench.advance(300)
    orientation.update(bench.world)
    assert bench.world.orientation[0, 0] == pytest.approx(15.0 % (2.0 * pi), abs=1e-12)
