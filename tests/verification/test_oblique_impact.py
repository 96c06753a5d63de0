"""Oblique impacts: what must be conserved, and the closed form of an impact that slides throughout.

Conservation: linear momentum always; angular momentum (orbital, and spin where spheres rotate) as well, because both
lever arms add up to the branch. A kick-and-drift scheme keeps it to rounding; Gear to its truncation error,
which falls with dt.

Gross sliding (Coulomb impulse, mu times the normal one) of a sphere on a fixed plane, with approach speeds v_n, v_t and
restitution e (Chung & Ooi, Granular Matter 13 (2011) 643, test 4):

    v_t' = v_t - mu (1 + e) v_n,     R w' = q mu (1 + e) v_n,     q = m R² / I: 5/2 for a sphere, 2 for a disc.

The plane is a fixed sphere of 1 km radius.
"""

from __future__ import annotations

from math import cos, log, pi, radians, sin, sqrt, tan

import numpy as np
import pytest

from tests.small_worlds import Bench, angular_momentum, model_of, momentum, world_of

SPINS = np.array([[300.0, -200.0, 100.0], [-50.0, 400.0, 250.0]])
VELOCITIES = np.array([[0.9, 0.25, -0.3], [-0.4, -0.1, 0.35]])
CENTRES = np.array([[-1.0e-3, 0.3e-3, 0.1e-3], [1.2e-3, -0.2e-3, 0.2e-3]])
RADII, MASSES = np.array([1.0e-3, 1.3e-3]), np.array([1.0e-3, 2.197e-3])


def crash(integrator: str, rotation: bool, dt: float, **values: object) -> tuple:
    """An oblique impact in space; returns the bench after it and both momenta before it."""
    model, numbers = model_of(integrator, dimension=3, rotation=rotation, **values)
    spin = SPINS if rotation else 0.0
    bench = Bench(world_of(model, CENTRES, RADII, MASSES, velocity=VELOCITIES, spin=spin), model, numbers, dt)
    # Momenta at the moment of the positions: in free flight, before leap-frog's first kick, velocities are constant.
    before = momentum(bench), angular_momentum(bench)
    touched = 0
    for _ in range(round(1.6e-3 / dt)):
        bench.advance()
        touched += bench.touching
    assert touched > 20
    assert not bench.touching
    return bench, *before


def sizes(bench: Bench) -> tuple[float, float]:
    """Summed sizes of the momenta, for relative errors."""
    linear = np.abs(MASSES[:, None] * VELOCITIES).sum()
    return linear, linear * np.abs(CENTRES).max() + np.abs(0.4 * (MASSES * RADII**2)[:, None] * SPINS).sum()


FRICTIONS = [
    {"friction": 0.4, "shear_stiffness": 5e4},
    {"friction": 0.4, "shear_stiffness": 5e4, "anchor": "cundall-strack", "coulomb_cap": "total"},
]


@pytest.mark.parametrize("friction", FRICTIONS, ids=["lee-herrmann", "cundall-strack"])
def test_impact_in_space_without_rotation_keeps_linear_momentum(friction) -> None:
    bench, linear, _ = crash("gear5", rotation=False, dt=2e-6, **friction)
    assert momentum(bench) == pytest.approx(linear, abs=1e-12 * sizes(bench)[0])
    # It was no mere graze: the impact has turned both velocities out of their planes.
    assert np.abs(bench.velocity - VELOCITIES).min() > 1e-3


def test_frictionless_impact_in_space_keeps_angular_momentum() -> None:
    smooth = {"friction": 0.0, "shear_damping": 0.0, "shear_stiffness": 0.0}
    bench, linear, angular = crash("leapfrog", rotation=False, dt=2e-6, **smooth)
    assert momentum(bench) == pytest.approx(linear, abs=1e-12 * sizes(bench)[0])
    assert angular_momentum(bench) == pytest.approx(angular, abs=1e-10 * np.abs(angular).sum())


@pytest.mark.parametrize("friction", FRICTIONS, ids=["lee-herrmann", "cundall-strack"])
@pytest.mark.parametrize("integrator", ["leapfrog", "velocity_verlet"])
def test_impact_in_space_with_rotation_keeps_both_momenta(integrator: str, friction) -> None:
    bench, linear, angular = crash(integrator, rotation=True, dt=2e-6, **friction)
    assert momentum(bench) == pytest.approx(linear, abs=1e-12 * sizes(bench)[0])
    assert angular_momentum(bench) == pytest.approx(angular, abs=1e-10 * sizes(bench)[1])
    assert np.abs(bench.spin - SPINS).min() > 1.0


def test_gear_keeps_both_momenta_the_better_the_smaller_the_step() -> None:
    errors = []
    for dt in (4e-6, 2e-6, 1e-6):
        bench, linear, angular = crash("gear5", rotation=True, dt=dt, **FRICTIONS[0])
        assert momentum(bench) == pytest.approx(linear, abs=1e-12 * sizes(bench)[0])
        errors.append(np.abs(angular_momentum(bench) - angular).max() / sizes(bench)[1])
    # Damping and friction set in with a jump, so no scheme beats first order there: halving dt halves the error.
    assert errors[1] < 0.75 * errors[0]
    assert errors[2] < 0.75 * errors[1]
    omega_squared = 1.5e6 * sqrt(1e-4) * (1.0 / MASSES).sum()  # overlap of at most 0.1 mm
    assert errors[2] < omega_squared * (1e-6) ** 2


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("degrees", [40.0, 60.0, 80.0])
def test_impact_that_slides_throughout(dimension: int, degrees: float) -> None:
    # Chung & Ooi test 4, aluminium oxide: R = 2.5 mm, 3.9 m/s, mu = 0.092, e = 0.98; slides for tan > 3.5 mu (1 + e).
    restitution, friction, radius, speed, mass, k = 0.98, 0.092, 2.5e-3, 3.9, 2.6e-4, 1e6
    share = 2.5 if dimension == 3 else 2.0
    assert tan(radians(degrees)) > (1.0 + share) * friction * (1.0 + restitution)
    v_n, v_t = speed * cos(radians(degrees)), speed * sin(radians(degrees))
    omega = sqrt(k / mass)
    # The plane is so heavy that the effective mass is the sphere's.
    damping = -2.0 * log(restitution) * omega / sqrt(pi**2 + log(restitution) ** 2)
    dt = pi / omega / 200
    model, numbers = model_of(
        "velocity_verlet",
        dimension,
        rotation=True,
        exponent="linear",
        friction=friction,
        normal_stiffness=k,
        shear_stiffness=1e6,
        normal_damping=damping,
        shear_damping=0.0,
        wall_stiffness_factor=1.0,
    )
    position, velocity = np.zeros((2, dimension)), np.zeros((2, dimension))
    position[1, -1] = -1e3
    position[0, -1] = radius + 1.4 * v_n * dt
    velocity[0, 0], velocity[0, -1] = v_t, -v_n
    world = world_of(model, position, [radius, 1e3], [mass, 1e12], velocity=velocity, fixed=[False, True])
    bench = Bench(world, model, numbers, dt)
    bench.advance(230)
    assert not bench.touching
    impulse = friction * (1.0 + restitution) * v_n
    # Scheme (w dt)², jumps of the damping force g dt, and the moment at the end when damping pulls: no friction then.
    bound = (omega * dt) ** 2 + damping * dt + (0.5 * damping / omega) ** 2
    rolling = np.abs(bench.spin[0]).max() * radius
    assert bench.velocity[0, -1] == pytest.approx(restitution * v_n, rel=bound)
    assert bench.velocity[0, 0] == pytest.approx(v_t - impulse, abs=bound * impulse)
    assert rolling == pytest.approx(share * impulse, rel=bound)
    # Rolls forward: about z in the plane (clockwise is negative), about y in space with z up.
    assert (bench.spin[0, 0] < 0.0) if dimension == 2 else (bench.spin[0, 1] > 0.0)


def test_published_rebound_of_a_sliding_impact() -> None:
    # The figures of Chung & Ooi test 4 follow from the closed form the test above holds the engine to.
    for degrees, ratio, spin in ((40.0, 0.783, 544.0), (60.0, 0.895, 355.0), (80.0, 0.968, 123.0)):
        impulse = 0.092 * 1.98 * 3.9 * cos(radians(degrees))
        assert 1.0 - impulse / (3.9 * sin(radians(degrees))) == pytest.approx(ratio, abs=0.5e-3)
        assert 2.5 * impulse / 2.5e-3 == pytest.approx(spin, abs=1.0)
