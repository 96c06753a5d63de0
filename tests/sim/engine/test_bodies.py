"""Rigid bodies against closed forms: free rotation, flips about the middle axis, impacts, and the bits of a sphere."""

from __future__ import annotations

from dataclasses import replace
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.body_builder import BodyShape, add_bodies, body_shape, shape_of_spheres
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, keep_spheres, set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.orientation import body_spins, matrices
from repose.sim.engine.world import NOT_FINITE, PAIR_COUNT, TOO_FAST
from repose.sim.measure.energy import Booked
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws

from tests.small_worlds import Bench, contacts_of, look, model_of

SCHEMES = ("gear5", "leapfrog", "velocity_verlet", "rk4")
STEEL = 7800.0


def bench_of(
    shape: BodyShape, dt: float, scheme: str = "velocity_verlet", *, gravity: Any = (), law: Any = None, **given: Any
) -> Bench:
    """Bodies of one shape; words of `add_bodies`, and parameters of the law."""
    dimension = shape.offset.shape[1]
    words = {key: given.pop(key) for key in ("position", "orientation", "velocity", "spin") if key in given}
    group = SphereGroup(fixed=given.pop("fixed", False))
    model, numbers = model_of(scheme, dimension, True, law or laws()["voigt"], **given)
    model = replace(model, bodies=True)
    blank = empty_world(dimension, model.spin_length, model.integrator.levels, 1e-4, materials=2)
    world = add_bodies(blank, shape, words.pop("position", np.zeros((1, dimension))), group, **words)
    return Bench(world, model, numbers, dt, gravity, compiled=True)


def unequal(moments: Any = (1.0, 2.0, 2.5), size: float = 1e-3) -> BodyShape:
    """Two spheres on each axis stand for a body with these moments [relative to 1e-9 kg m²]."""
    position = size * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], float)
    return body_shape(position, 0.3 * size, 1e-3, 1e-9 * np.diag(moments), np.zeros(3))


def spin_of(bench: Bench) -> np.ndarray:
    """Angular velocity of the first body in space [rad/s]."""
    return body_spins(bench.world.bodies, bench.world.bodies.motion[bench.model.dimension :, 1])[:, 0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_free_body_keeps_its_angular_momentum_and_its_energy(scheme: str) -> None:
    shape, spin, dt = unequal(), np.array([20.0, 30.0, -10.0]), 2e-3
    bench = bench_of(shape, dt, scheme, spin=spin)
    moments = 1e-9 * np.array([1.0, 2.0, 2.5])
    momentum, energy = moments * spin, 0.5 * np.sum(moments * spin**2)
    assert bench.energy().rotational == pytest.approx(energy, rel=1e-12)
    seen, deviation = [], []
    for _ in range(20):
        bench.advance(20)
        turn = matrices(bench.world.bodies.reference.T)[0]
        spin_now = spin_of(bench)
        assert turn @ (moments * (turn.T @ spin_now)) == pytest.approx(momentum, rel=1e-12)
        seen.append(spin_now)
        deviation.append(bench.energy().rotational / energy - 1.0)
    assert np.ptp(np.array(seen), axis=0).max() > 10.0  # it tumbles
    # The energy oscillates by less than (w dt)^4, w = 37/s, and has no drift: the second half is like the first.
    size = (37.0 * dt) ** 4
    assert np.abs(deviation).max() < 0.5 * size
    assert abs(np.mean(deviation[10:]) - np.mean(deviation[:10])) < 0.1 * size


def period_of_flip(moments: np.ndarray, spin: np.ndarray) -> float:
    """Time after which the spin has the same components in the frame of the body (Landau & Lifshitz, Mechanics, § 37):
    4 K(k)/rate, with the complete elliptic integral by the arithmetic-geometric mean."""
    first, second, third = moments
    twice_energy, square = np.sum(moments * spin**2), np.sum((moments * spin) ** 2)
    if square < twice_energy * second:  # the other axis is circled
        first, third = third, first
    rate = sqrt((third - second) * (square - twice_energy * first) / (first * second * third))
    k_square = (second - first) * (twice_energy * third - square) / ((third - second) * (square - twice_energy * first))
    a, b = 1.0, sqrt(1.0 - k_square)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), sqrt(a * b)
    return 4.0 * (0.5 * pi / a) / rate


BOX = np.array([5.0, 10.0, 13.0])
"""Moments of inertia of a box of sides 1 : 2 : 3, relative to each other."""
NEEDLE = np.array([0.05, 1.0, 1.02])


@pytest.mark.parametrize(
    ("scheme", "moments", "beside"),
    [*((scheme, BOX, 1e-2) for scheme in SCHEMES), ("leapfrog", BOX, 1e-4), ("leapfrog", NEEDLE, 0.1)],
)
def test_a_body_near_its_middle_axis_flips_with_the_period_of_the_closed_form(
    scheme: str, moments: np.ndarray, beside: float
) -> None:
    # The period grows with the logarithm of the distance from the axis: a scheme that loses energy shortens it, the
    # fourth-order Runge-Kutta scheme by 9 % at a distance of 0.01 rad/s and by 37 % at 0.0001 rad/s.
    spin = np.array([beside, 60.0, beside])
    dt = 0.06 / 60.0
    bench = bench_of(unequal(moments), dt, scheme, spin=spin)
    period = period_of_flip(moments, spin)

    def middle() -> float:
        return float((matrices(bench.world.bodies.reference.T)[0].T @ spin_of(bench))[1])

    now, passed = middle(), []
    for step in range(1, round(1.1 * period / dt)):
        bench.advance(1)
        last, now = now, middle()
        if last * now < 0.0:
            passed.append((step - now / (now - last)) * dt)
        if len(passed) == 2:
            break
    assert passed[1] - passed[0] == pytest.approx(0.5 * period, rel=1e-3)  # downwards and upwards


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_rotation_of_a_free_body_is_of_fourth_order(scheme: str) -> None:
    def end(steps: int) -> np.ndarray:
        bench = bench_of(unequal(), 0.05 / steps, scheme, spin=np.array([30.0, 40.0, -20.0]))
        bench.advance(steps)
        return matrices(bench.world.bodies.reference.T)[0]

    coarse, middle, fine = map(end, (25, 50, 100))
    assert np.abs(coarse - middle).max() / np.abs(middle - fine).max() == pytest.approx(16.0, rel=0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_body_of_one_member_gives_the_bits_of_a_sphere(scheme: str, dimension: int) -> None:
    radius, mass = 1e-3, 1e-5
    up = np.eye(dimension)[-1]
    spin = np.array([5.0, -3.0, 20.0])[-(2 * dimension - 3) :]
    position, speed = np.array([[0.0, 0.0, 1.1e-3], [0.3e-3, 0.1e-3, 3.2e-3]])[:, -dimension:], -0.4 * up
    model, numbers = model_of(scheme, dimension, True, laws()["voigt"], friction=0.3, rolling_friction=0.05)
    shape = shape_of_spheres(np.zeros((1, dimension)), radius, mass)
    blank = empty_world(dimension, model.spin_length, model.integrator.levels, 1e-4, materials=2)
    floor = [PLANE], [(0.0 * up, up, 0.0 * up)]
    gravity = tuple(-9.81 * up)
    benches, met = [], []
    for bodies in (False, True):
        if bodies:
            world = add_bodies(blank, shape, position, velocity=speed, spin=spin)
        else:
            world = add_spheres(blank, position, radius, mass, velocity=speed, spin=spin)
        world = set_walls(world, *floor, material=1)
        bench = Bench(world, replace(model, bodies=bodies), numbers, 1e-5, gravity)
        touched = False
        for _ in range(20):
            assert bench.advance(3) == 3
            touched |= bool(bench.world.pairs.touching.any())
        met.append(touched)
        benches.append(bench)
    sphere, body = benches
    assert sphere.world.ledger.any()
    assert met == [True, True]
    assert np.array_equal(sphere.world.motion[:, :2], body.world.bodies.motion[:, :2])
    assert np.array_equal(sphere.world.motion[:dimension, :2], body.world.motion[:dimension, :2])
    assert np.array_equal(sphere.world.motion[dimension:, 1], body.world.motion[dimension:, 1])
    assert np.array_equal(sphere.world.ledger, body.world.ledger)
    # The lever arm |s| + R bounds what a sphere's own R states: both are the same here, and so is the stable step.
    assert look(body).stable_dt <= look(sphere).stable_dt


def dumbbell(dimension: int, gap: float = 0.0) -> BodyShape:
    radius, position = 1e-3, np.zeros((2, dimension))
    position[:, 0] = [-1e-3 - gap, 1e-3 + gap]
    return shape_of_spheres(position, radius, 1e-5)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_dumbbell_rebounds_from_a_plane_as_the_closed_form_says(dimension: int) -> None:
    # Frictionless and undamped, one member hits a plane: with the lever arm a across the normal the impulse is
    # P = 2 v/(1/M + a²/I), the velocity of the centre changes by P/M and the spin by a P/I. Both hold for an impact so
    # short that nothing turns meanwhile.
    shape, tilt, speed = dumbbell(dimension), 0.5, 0.2
    height = 1e-3 + 1e-3 * np.sin(tilt) + 1e-7
    centre = np.zeros((1, dimension))
    centre[0, -1] = height
    up = np.eye(dimension)[-1]
    if dimension == 2:
        orientation: Any = [tilt]
    else:
        axes = np.eye(3)
        world_axes = shape.axes  # principal axes in the frame the shape was given in
        turn = np.array([[np.cos(tilt), 0, -np.sin(tilt)], [0, 1, 0], [np.sin(tilt), 0, np.cos(tilt)]]) @ world_axes
        orientation = [quaternion_of(turn @ axes)]
    stiff = {"normal_stiffness": 1e6, "friction": 0.0, "wall_friction": 0.0, "restitution": 1.0, "shear_stiffness": 0.0}
    bench = bench_of(shape, 2e-7, orientation=orientation, position=centre, velocity=-speed * up, **stiff)
    bench.world = set_walls(bench.world, [PLANE], [(0.0 * up, up, 0.0 * up)])
    before = bench.energy().mechanical
    touched = False
    for _ in range(400):
        assert bench.advance(1) == 1
        touched |= bench.touching
        if touched and not bench.touching:
            break
    assert touched
    moment = shape.moments.max() if dimension == 3 else shape.moments[0]
    arm = 1e-3 * np.cos(tilt)
    impulse = 2.0 * speed / (1.0 / shape.mass + arm**2 / moment)
    rise = bench.world.bodies.motion[dimension - 1, 1, 0]
    assert rise == pytest.approx(-speed + impulse / shape.mass, rel=5e-3)
    assert np.linalg.norm(spin_of(bench)) == pytest.approx(arm * impulse / moment, rel=5e-3)
    assert bench.energy().mechanical == pytest.approx(before, rel=1e-3)


def quaternion_of(turn: np.ndarray) -> np.ndarray:
    """Unit quaternion of a rotation matrix."""
    k = np.array(
        [
            [turn[0, 0] - turn[1, 1] - turn[2, 2], 0, 0, 0],
            [turn[1, 0] + turn[0, 1], turn[1, 1] - turn[0, 0] - turn[2, 2], 0, 0],
            [turn[2, 0] + turn[0, 2], turn[2, 1] + turn[1, 2], turn[2, 2] - turn[0, 0] - turn[1, 1], 0],
            [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1], np.trace(turn)],
        ]
    )
    _, vectors = np.linalg.eigh(k, UPLO="L")
    x, y, z, w = vectors[:, -1]
    return np.array([w, x, y, z])


def test_two_clumps_collide_and_conserve_momentum_angular_momentum_and_energy() -> None:
    shape = unequal()
    position = np.array([(0.0, 0.0, 0.0), (2.6e-3, 0.2e-3, 0.1e-3)])
    velocity = np.array([(0.2, 0.0, 0.0), (-0.2, 0.0, 0.05)])
    spin = np.array([(10.0, 40.0, 0.0), (0.0, -20.0, 30.0)])
    bench = bench_of(shape, 2e-6, "leapfrog", position=position, velocity=velocity, spin=spin, restitution=0.7)

    def state() -> tuple[np.ndarray, np.ndarray]:
        bodies = bench.world.bodies
        speed = bodies.motion[:, 1] - 0.5 * bench.dt * bodies.motion[:, 2]
        momentum = shape.mass * speed[:3]
        orbital = np.cross(bodies.motion[:3, 0].T, momentum.T).sum(axis=0)
        return momentum.sum(axis=1), orbital + shape.moments.mean() * speed[3:].sum(axis=1)

    before, poured = state(), bench.energy().mechanical
    touched = False
    for _ in range(60):
        bench.advance(20)
        touched |= bench.touching
    assert touched
    after = state()
    assert after[0] == pytest.approx(before[0], abs=1e-9 * 0.2 * shape.mass)
    size = np.abs(before[1]).max()
    assert after[1] == pytest.approx(before[1], abs=1e-3 * size)
    energy = bench.energy(Booked(poured=poured))
    assert energy.damping > 0.01 * poured
    assert abs(energy.gap) < 0.02 * energy.damping


def test_members_of_one_body_do_not_touch_each_other_but_those_of_others() -> None:
    shape = dumbbell(2, gap=-0.3e-3)  # overlapping members
    bench = bench_of(shape, 1e-6, position=[(0.0, 0.0), (0.0, 1.95e-3)])
    bench.advance(1)
    listed = [tuple(map(int, pair)) for pair in zip(bench.world.pairs.i, bench.world.pairs.j)]
    assert (0, 1) not in listed[: bench.world.counters[PAIR_COUNT]]
    assert {tuple(sorted(pair)) for pair in zip(*contacts_of(bench)[:2])} == {(0, 2), (1, 3)}


@pytest.mark.parametrize("scheme", ["leapfrog", "gear5"])
def test_a_body_at_rest_on_a_plane_stays_at_rest(scheme: str) -> None:
    shape = dumbbell(2)
    bench = bench_of(shape, 4e-6, scheme, gravity=(0.0, -9.81), position=[(0.0, 1e-3 - 9.81e-9)])
    bench.world = set_walls(bench.world, [PLANE], [((0.0, 0.0), (0.0, 1.0), (0.0, 0.0))])
    bench.advance(300)
    assert np.abs(bench.world.bodies.motion[:, 1]).max() < 4e-4
    assert abs(bench.world.bodies.motion[2, 0, 0]) < 1e-9  # both members bear the same
    supported = contacts_of(bench).force[1].sum()
    assert supported == pytest.approx(2e-5 * 9.81, rel=0.01)
    stable = look(bench).stable_dt
    # A dumbbell on two springs: heave 2k/M, rock 2 k a²/I; the bound lies below both.
    stiffness = 1e4
    assert stable < 2.0 / sqrt(2.0 * stiffness / shape.mass)
    assert stable < 2.0 / sqrt(2.0 * stiffness * 1e-6 / shape.moments[0])


def test_the_stable_step_of_a_body_is_never_too_large() -> None:
    shape = dumbbell(2)
    bench = bench_of(shape, 1e-6, "leapfrog", position=[(0.0, 0.99e-3)], restitution=1.0, friction=0.0)
    bench.world = set_walls(bench.world, [PLANE], [((0.0, 0.0), (0.0, 1.0), (0.0, 0.0))])
    bench.advance(1)
    bench.dt = 0.99 * look(bench).stable_dt
    bench.world.bodies.motion[:, 1] = 0.0
    before = bench.energy().mechanical
    for _ in range(30):
        bench.advance(10)
        assert bench.energy().mechanical < 4.0 * before


def test_a_body_leaves_as_a_whole() -> None:
    shape = dumbbell(2)
    bench = bench_of(shape, 1e-6, position=[(0.0, 0.0), (0.01, 0.0), (0.02, 0.0)])
    world = add_spheres(bench.world, [(0.03, 0.0)], 1e-3, 1e-5, SphereGroup(first_id=6))
    world = keep_spheres(world, np.array([True, True, True, False, True, True, True]))
    assert world.sphere_id.tolist() == [0, 1, 4, 5, 6]
    assert world.bodies.member.tolist() == [0, 1, 2, 3]
    assert world.bodies.motion[0, 0].tolist() == [0.0, 0.02]
    assert world.body.tolist() == [0, 0, 1, 1, -1]
    assert world.bodies.own_mass == pytest.approx(np.full(5, 1e-5))
    assert world.mass == pytest.approx([2e-5, 2e-5, 2e-5, 2e-5, 1e-5])
    without_bodies = keep_spheres(world, np.array([False, True, False, True, True]))
    assert without_bodies.sphere_id.tolist() == [6]
    assert keep_spheres(without_bodies, np.array([False])).sphere_count == 0


@pytest.mark.parametrize(
    ("mass", "moments", "said"),
    [
        (-1.0, (1, 1, 1), "mass = -1.0 kg is refused: it must be a number above 0 kg"),
        (1.0, (1, 1, 3), "exceeds the sum"),
        (1.0, (1, -1, 1), r"moment of inertia\[0\] = -1.0 kg m² is refused"),
        (1.0, (1, np.nan, 1), r"inertia\[1, 1\] = nan kg m² is refused: it must be a finite number"),
    ],
)
def test_shapes_that_no_body_has_are_refused(mass: float, moments: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        body_shape(np.eye(3), 1.0, mass, np.diag(moments).astype(float), np.zeros(3))


def test_a_shape_has_the_inertia_of_its_spheres() -> None:
    shape = dumbbell(3)
    along, across = 2 * 0.4 * 1e-11, 2 * (0.4 * 1e-11 + 1e-11)
    assert np.sort(shape.moments) == pytest.approx([along, across, across], rel=1e-12)
    assert np.linalg.norm(shape.offset, axis=1) == pytest.approx([1e-3, 1e-3])
    assert np.linalg.det(shape.axes) == pytest.approx(1.0)


def test_a_body_that_is_lost_or_too_fast_is_a_fault() -> None:
    bench = bench_of(dumbbell(2), 1e-4, velocity=(0.01, 0.0))
    bench.world.bodies.motion[2, 1] = 2e3  # 2 m/s at the members in a step of 0.1 ms: a fifth of a radius
    assert bench.advance(1) == 1
    bench.world.bodies.motion[2, 1] = 2e4
    assert bench.advance(1) == 0
    assert bench.status == TOO_FAST
    bench.world.bodies.motion[2, 1] = np.nan
    assert bench.advance(1) == 0
    assert bench.status == NOT_FINITE


def test_weight_exerts_no_torque_on_a_body_whatever_its_shares_are() -> None:
    shape = dumbbell(2)._replace(share=np.array([0.9, 0.1]))
    bench = bench_of(shape, 1e-4, gravity=(0.0, -9.81), orientation=[0.4])
    bench.advance(50)
    assert bench.world.bodies.motion[2, 1, 0] == 0.0
    assert bench.world.bodies.motion[1, 1, 0] == pytest.approx(-9.81 * 50e-4, rel=0.03)
    assert bench.energy().mechanical == pytest.approx(0.0, abs=1e-11)  # it begins without acceleration


def test_scene_and_export_see_the_mass_of_members_once() -> None:
    bench = bench_of(dumbbell(2), 1e-4, position=[(0.0, 0.0), (0.01, 0.0)])
    assert bench.world.own_mass.sum() == pytest.approx(4e-5)
    # A force at a member turns the body as well: 1/m = 1/M + s²/I.
    inertia = bench.world.bodies.inverse_mass[2, 0]
    assert bench.world.movable_mass == pytest.approx(np.full(4, 1.0 / (1.0 / 2e-5 + 1e-6 * inertia)))
