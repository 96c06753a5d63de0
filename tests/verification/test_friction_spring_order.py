"""Friction springs and bonds follow positions: each scheme keeps its order and its conservation of energy.

The deformation of a spring that does not slide is a function of the positions alone. A spring that is stretched by the
velocity at the end of a step times dt is a first-order integral: the force leads by half a step, which acts like a
dashpot of viscosity K dt/2.
"""

from __future__ import annotations

import itertools
from math import hypot, pi, prod, sqrt

import numpy as np
import pytest
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_geometry import PLANE
from repose.sim.engine.timestep.stable_step import AUTO_SHARE, amplification, stability_limit
from repose.sim.laws.materials import Material
from repose.sim.registry import integrators, laws

from tests.small_worlds import Bench, model_of, world_of

SCHEMES = tuple(integrators())
SYMPLECTIC = ("leapfrog", "velocity_verlet")
RADIUS, DENSITY, SPEED = 2.5e-3, 2700.0, 3.9
MASS = 4.0 / 3.0 * pi * RADIUS**3 * DENSITY
ALUMINIUM = Material(70e9, 0.33, DENSITY, 1.0, 0.3)
STIFFNESS = 70e9 / (1.0 - 0.33**2)
"""E* of a sphere on a rigid plane of the same material, doubled [Pa]."""
OVERLAP = (15.0 * MASS * SPEED**2 / (16.0 * 0.5 * STIFFNESS * sqrt(RADIUS))) ** 0.4
DURATION = 2.94392 * OVERLAP / SPEED
"""Hertz [m, s]."""
PHASES = 12
"""Times within a step at which the sphere touches the plane."""


def on_plane(bench: Bench) -> Bench:
    """The bench with a plane of the second material at z = 0."""
    bench.world = set_walls(bench.world, [PLANE], [[[0, 0, 0], [0, 0, 1], [0, 0, 0]]], material=1)
    return bench


def rebound(integrator: str, steps: int, phase: float) -> np.ndarray:
    """Velocity and surface speed of the spin [m/s] after an oblique, elastic impact of a spinning sphere on a plane.

    The contact lasts `steps` steps; the sphere touches the plane `phase` steps after the beginning.
    """
    law = laws()["hertz_mindlin"]
    model, numbers = model_of(integrator, 3, True, law, (ALUMINIUM, ALUMINIUM))
    dt = DURATION / steps
    position = [[0.0, 0.0, RADIUS + phase * SPEED * dt]]
    spin = [[500.0, -200.0, 300.0]]
    world = world_of(model, position, RADIUS, MASS, velocity=[2.0, 1.0, -SPEED], spin=spin)
    bench = on_plane(Bench(world, model, numbers, dt, compiled=True))
    bench.advance(round(1.3 * steps + phase) + 12)
    assert not bench.touching
    return np.concatenate([bench.velocity[0], RADIUS * bench.spin[0]])


@pytest.mark.parametrize("integrator", SCHEMES)
def test_an_oblique_impact_of_a_spinning_sphere_converges_at_second_order(integrator: str) -> None:
    # Begin and end of the contact and of its sliding lie anywhere within a step: the error of one impact is a random
    # number times dt², hence the root mean square over phases and the mean ratio over three halvings of the step.
    reference = rebound("rk4", 12800, 0.0)
    errors = [
        sqrt(np.mean([np.sum((rebound(integrator, steps, k / PHASES) - reference) ** 2) for k in range(PHASES)]))
        for steps in (50, 100, 200, 400)
    ]
    ratios = [coarse / fine for coarse, fine in itertools.pairwise(errors)]
    assert prod(ratios) ** (1.0 / len(ratios)) > 3.5
    assert errors[0] < 1e-3 * hypot(2.0, 1.0, SPEED)


def rocking(integrator: str, law: str, share: float, **values: object) -> tuple[Bench, float, float]:
    """A sphere at rest on a plane, without damping, that gets a slow tangential velocity: it rocks and never slides.

    Returns the bench with time steps of `share` of the stable one, the frequency [1/s], and the velocity [m/s]."""
    rotates = law != "lee_herrmann"
    mass, gravity, along, across, speed = 1e-3, 9.81, 1e4, 8e3, 1e-6
    materials = (Material(1e9, 0.3, 2500.0, 1.0, 1.0),) * 2 if rotates else ()
    springs = {"normal_stiffness": along, "shear_stiffness": across}
    if not rotates:
        springs |= {"exponent": "linear", "normal_damping": 0.0, "shear_damping": 0.0, "wall_stiffness_factor": 1.0}
        springs |= {"friction": 1.0}
    model, numbers = model_of(integrator, 3, rotates, laws()[law], materials, **springs, **values)
    omega = sqrt((3.5 if rotates else 1.0) * across / mass)
    stiffest = max(omega, sqrt(along / mass))
    dt = share * stability_limit(integrators()[integrator], 0.0) / stiffest
    position = [[0.0, 0.0, 1e-3 - mass * gravity / along]]
    world = world_of(model, position, 1e-3, mass, velocity=[speed, 0.0, 0.0])
    bench = on_plane(Bench(world, model, numbers, 0.0, (0.0, 0.0, -gravity), compiled=True))
    bench.advance()  # accelerations of the present forces
    bench.dt = dt
    bench.world.motion[:, 1] += model.integrator.velocity_lead * dt * bench.world.motion[:, 2]
    return bench, omega, speed


def invariant(bench: Bench, omega: float) -> float:
    """The quadratic form that a symplectic scheme conserves for the oscillation of the contact point, over its first
    value up to a factor: u²/2 + w² (1 - (w dt)²/4) s²/2, with the velocity u and the displacement s of that point."""
    motion = bench.world.motion
    spins = motion[3:] if bench.model.rotation else np.zeros_like(motion)
    lead = bench.model.integrator.velocity_lead * bench.dt
    motion = motion[0] - (1e-3 - 9.81e-7) * spins[1]  # the lever arm of the force
    speed, position = motion[1, 0] - lead * motion[2, 0], motion[0, 0]
    return 0.5 * speed**2 + 0.5 * omega**2 * (1.0 - 0.25 * (omega * bench.dt) ** 2) * position**2


LAWS = [
    ("voigt", {}),
    ("lee_herrmann", {"anchor": "lee-herrmann"}),
    ("lee_herrmann", {"anchor": "cundall-strack"}),
]


def mean_over_a_period(bench: Bench, omega: float) -> float:
    """The mean of `invariant` over about one period, at 40 times of it."""
    period = 2.0 * pi / omega / bench.dt
    found = []
    for k in range(40):
        bench.advance(max(1, round((k + 1) * period / 40) - round(k * period / 40)))
        found.append(invariant(bench, omega))
    return float(np.mean(found))


@pytest.mark.parametrize(("law", "values"), LAWS)
@pytest.mark.parametrize("integrator", SYMPLECTIC)
def test_a_stuck_sphere_keeps_its_oscillation_for_a_thousand_periods(integrator: str, law: str, values: dict) -> None:
    bench, omega, speed = rocking(integrator, law, AUTO_SHARE, **values)
    before = mean_over_a_period(bench, omega)
    bench.advance(round(1000 * 2.0 * pi / (omega * bench.dt)))
    assert mean_over_a_period(bench, omega) == pytest.approx(before, rel=1e-6)
    assert abs(bench.energy().sliding) < 1e-11 * 0.5 * 1e-3 * speed**2


@pytest.mark.parametrize(("law", "values"), LAWS)
@pytest.mark.parametrize("integrator", SCHEMES)
def test_a_contact_that_never_slides_books_no_heat(integrator: str, law: str, values: dict) -> None:
    for share in (AUTO_SHARE, 0.05 * AUTO_SHARE):
        bench, omega, speed = rocking(integrator, law, share, **values)
        bench.advance(min(4000, round(37 * 2.0 * pi / (omega * bench.dt))))
        energy = bench.energy()
        # Rounding of the shear energy, of which each step adds a rounded change.
        assert abs(energy.sliding) < 1e-11 * 0.5 * 1e-3 * speed**2
        assert energy.damping == 0.0


@pytest.mark.parametrize(("integrator", "share"), [("rk4", 0.1), ("gear3", 0.2), ("gear5", 0.8)])
def test_a_stuck_sphere_loses_what_the_scheme_loses_on_any_spring(integrator: str, share: float) -> None:
    # These schemes damp an oscillator by themselves, by the largest eigenvalue of their amplification matrix.
    bench, omega, _ = rocking(integrator, "lee_herrmann", share)
    values = np.linalg.eigvals(amplification(bench.model.integrator, omega * bench.dt, 0.0))
    factor = max(abs(value) for value in values if abs(value.imag) > 1e-8)
    before = mean_over_a_period(bench, omega)
    steps = round(-0.02 / np.log(factor))  # 4 % of the energy
    period = 2.0 * pi / omega / bench.dt
    steps = round(round(steps / period) * period)
    bench.advance(steps)
    lost = 1.0 - mean_over_a_period(bench, omega) / before
    assert lost == pytest.approx(1.0 - factor ** (2 * (steps + period)), rel=0.05)


def test_the_control_a_spring_stretched_by_the_velocity_at_the_end_of_a_step_is_damped() -> None:
    # x'' = -w² s with s += dt v at the new velocity: the lag of half a step, by which the checks above would fail.
    omega_dt, position, velocity, stretch = 0.05, 0.0, 1.0, 0.0
    for _ in range(round(37 * 2.0 * pi / omega_dt)):
        acceleration = -(omega_dt**2) * stretch
        position += velocity + 0.5 * acceleration
        stretch += velocity + acceleration
        velocity += 0.5 * (acceleration - omega_dt**2 * stretch)
    assert velocity**2 + omega_dt**2 * stretch**2 < 0.01
