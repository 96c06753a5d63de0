"""Fields against closed forms: what each force does to one sphere, what it books, and the step it bears."""

from __future__ import annotations

from dataclasses import replace
from math import asin, exp, pi, sqrt
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.model import Coefficients
from repose.sim.fields.central_gravity import CentralGravity
from repose.sim.fields.liquid import Liquid
from repose.sim.fields.target import Target
from repose.sim.measure.energy import Booked
from repose.sim.registry import fields

from tests.small_worlds import Bench, look, model_of, world_of

G = 9.81
RADIUS = 1e-3
VOLUME = 4.0 / 3.0 * pi * RADIUS**3
STEEL = 7800.0


def alone(
    field: str, numbers: tuple, dt: float, scheme: str = "velocity_verlet", place: Any = (0.0, 0.0), **sphere: Any
) -> Bench:
    """One sphere in the plane, or as many as `place` has rows, in one field, with its first accelerations."""
    model, law = model_of(scheme, rotation=sphere.pop("rotation", False))
    model = replace(model, fields=(fields()[field].bind(None),))
    density, gravity = sphere.pop("density", STEEL), sphere.pop("gravity", 0.0)
    world = world_of(model, place, sphere.pop("radius", RADIUS), density * VOLUME, **sphere)
    bench = Bench(world, model, law, 0.0, (0.0, -gravity), further=Coefficients((numbers,)))
    go(bench, 1)
    bench.dt = dt
    return bench


def go(bench: Bench, steps: int) -> None:
    """Advance, and make sure that no fault stops it."""
    assert bench.advance(steps) == steps


def glycerol(level: float = 1.0, coefficient: float = 0.0, viscosity: float = 1.0, density: float = 1260.0) -> Liquid:
    return Liquid(level, density * G, viscosity, 0.5 * density * coefficient)


def test_a_sphere_sinks_with_the_velocity_of_stokes() -> None:
    terminal = 2.0 / 9.0 * (STEEL - 1260.0) * G * RADIUS**2 / 1.0
    lasting = STEEL * VOLUME / (6.0 * pi * 1.0 * RADIUS)
    share = 0.02
    bench = alone("liquid", glycerol(), share * lasting, gravity=G)
    for steps in (25, 25, 50):
        go(bench, steps)
        passed = bench.world.counters[2] * share
        # The scheme multiplies the distance to the terminal velocity by a root of r² - (1 - 3s/2) r - s/2 in a step,
        # which is 1 - s + s²/2 + s³/4 and errs by 5/12 s³.
        error = 5.0 / 12.0 * share**2 * passed * exp(-passed) * 1.1
        assert bench.velocity[0, 1] == pytest.approx(-terminal * (1.0 - exp(-passed)), abs=error * terminal)
    go(bench, 1900)
    assert bench.velocity[0, 1] == pytest.approx(-terminal, rel=1e-12)


def test_a_fast_sphere_sinks_with_the_velocity_of_newton() -> None:
    terminal = sqrt(8.0 / 3.0 * RADIUS * (STEEL - 1000.0) * G / (0.44 * 1000.0))
    water = Liquid(100.0, 1000.0 * G, 0.0, 0.5 * 1000.0 * 0.44)
    bench = alone("liquid", water, 3e-4, gravity=G, velocity=(0.0, -2.0 * terminal))
    go(bench, 2500)
    assert bench.velocity[0] == pytest.approx([0.0, -terminal], rel=1e-8)


@pytest.mark.parametrize("submerged", [0.2, 0.5, 0.9])
def test_a_light_sphere_floats_where_it_displaces_its_weight(submerged: float) -> None:
    bench = alone(
        "liquid", glycerol(0.0, viscosity=0.03), 1e-3, density=1260.0 * submerged, gravity=G, place=(0.0, 0.5 * RADIUS)
    )
    go(bench, 1000)
    depth = RADIUS - bench.position[0, 1]
    assert depth**2 * (3.0 * RADIUS - depth) / (4.0 * RADIUS**3) == pytest.approx(submerged, rel=1e-9)
    assert abs(bench.velocity[0, 1]) < 1e-12


def test_a_spinning_sphere_is_slowed_by_the_liquid_and_its_heat_is_booked() -> None:
    bench = alone("liquid", glycerol(), dt := 2e-6, density=1260.0, gravity=G, rotation=True, spin=100.0)
    inertia = 0.5 * 1260.0 * VOLUME * RADIUS**2
    rate = 8.0 * pi * 1.0 * RADIUS**3 / inertia
    go(bench, 200)
    assert bench.spin[0, 0] == pytest.approx(100.0 * exp(-rate * 200 * dt), rel=(rate * dt) ** 2 * rate * 200 * dt)
    energy = bench.energy(Booked(poured=0.5 * inertia * 100.0**2 + bench.energy().potential))
    assert abs(energy.gap) < 1.2 * rate * dt * energy.damping  # the power is that at the end of a step


def test_what_a_sphere_loses_in_the_liquid_is_booked() -> None:
    def gap(dt: float) -> float:
        bench = alone("liquid", glycerol(0.0, 0.44, 0.1), dt, gravity=G, place=(0.0, 3e-3), velocity=(0.1, 0.0))
        before = bench.energy()
        go(bench, round(0.05 / dt))
        energy = bench.energy(Booked(poured=before.mechanical))
        assert energy.damping > 0.1 * before.kinetic
        assert bench.position[0, 1] < -RADIUS
        return abs(energy.gap) / energy.damping

    assert gap(1e-4) < 0.02
    assert gap(2.5e-5) < 0.3 * gap(1e-4)


def test_leapfrog_keeps_a_circular_orbit_exactly_at_the_period_of_the_scheme() -> None:
    omega, radius, steps = 2.0, 3.0, 90
    dt = 2.0 * np.sin(pi / steps) / omega  # in a step it turns by 2 asin(omega dt/2), here by 360°/steps
    assert 2.0 * asin(0.5 * omega * dt) == pytest.approx(2.0 * pi / steps)
    pull = CentralGravity((0.0, 0.0), omega**2 * radius**3, 0.0)
    half = pi / steps
    start = radius * omega * np.array([-np.sin(half), np.cos(half)])
    bench = alone("central_gravity", pull, dt, "leapfrog", place=(radius, 0.0), velocity=start, radius=1.0)
    bench.world.motion[:, 1, 0] = start  # at the end of half a step
    go(bench, steps // 6)
    assert bench.position[0] == pytest.approx(radius * np.array([0.5, sqrt(0.75)]), abs=1e-11)
    go(bench, steps - steps // 6)
    assert bench.position[0] == pytest.approx([radius, 0.0], abs=1e-10)


def test_an_eccentric_orbit_closes_with_the_order_of_the_scheme() -> None:
    def miss(steps: int) -> float:
        eccentricity, axis = 0.5, 1.0
        period = 2.0 * pi
        pull = CentralGravity((0.0, 0.0), 1.0, 0.0)
        start = (axis * (1.0 - eccentricity), 0.0)
        speed = sqrt((1.0 + eccentricity) / (1.0 - eccentricity))
        bench = alone("central_gravity", pull, period / steps, "rk4", place=start, velocity=(0.0, speed), radius=0.2)
        energy = bench.energy().mechanical
        assert energy == pytest.approx(-0.5 * STEEL * VOLUME, rel=1e-12)
        go(bench, steps)
        assert bench.energy().mechanical == pytest.approx(energy, rel=1e3 * (period / steps) ** 5)
        return float(np.hypot(*(bench.position[0] - start)))

    assert miss(200) / miss(400) == pytest.approx(16.0, rel=0.4)


def test_a_target_pulls_its_sphere_only_with_a_limited_force_and_its_work_is_booked() -> None:
    target = Target((1.0, 0.0), 1, 100.0, 0.0, 2e-4)
    bench = alone("target", target, 1e-4, place=[(0.0, 0.0), (0.0, 0.1)])
    go(bench, 1000)
    mass = STEEL * VOLUME
    away = np.array([1.0, -0.1]) / sqrt(1.01)
    assert bench.position[0] == pytest.approx([0.0, 0.0])
    assert bench.velocity[1] == pytest.approx(2e-4 / mass * 0.1 * away, rel=1e-3)  # its direction turns a little
    energy = bench.energy()
    assert energy.work > 0.0
    assert energy.work == pytest.approx(energy.kinetic, rel=1.1e-3)  # half a step's work


def test_the_stable_step_follows_a_stiff_field() -> None:
    mass = STEEL * VOLUME
    bench = alone("target", Target((0.0, 0.0), 0, 100.0, 0.0, 1.0), 1e-5, "leapfrog")
    assert look(bench).stable_dt == pytest.approx(2.0 * sqrt(mass / 100.0), rel=1e-6)
    slow = alone("target", Target((0.0, 0.0), 0, 100.0, 5.0, 1.0), 1e-5, "leapfrog")
    assert look(slow).stable_dt < look(bench).stable_dt
    free = alone("target", Target((0.0, 0.0), 7, 100.0, 0.0, 1.0), 1e-5, "leapfrog")
    assert look(free).stable_dt == np.inf


def test_fields_add_up() -> None:
    one, other = Target((1.0, 0.0), 0, 1.0, 0.0, 1e-3), CentralGravity((0.0, -2.0), 3.0, 0.5)
    model, law = model_of("velocity_verlet")
    bound = {name: fields()[name].bind(None) for name in ("target", "central_gravity")}

    def acceleration(names: tuple[str, ...], numbers: tuple) -> np.ndarray:
        both = replace(model, fields=tuple(bound[name] for name in names))
        bench = Bench(world_of(both, (0.0, 0.0), RADIUS, 1e-5), both, law, 0.0, further=Coefficients(numbers))
        bench.advance()
        return bench.world.motion[:, 2, 0].copy()

    whole = acceleration(("target", "central_gravity"), (one, other))
    parts = acceleration(("target",), (one,)) + acceleration(("central_gravity",), (other,))
    assert whole == pytest.approx(parts, rel=1e-13)
    assert np.any(parts)


def test_a_sphere_that_cannot_move_costs_no_energy() -> None:
    bench = alone("liquid", glycerol(), 1e-4, gravity=G, fixed=True)
    go(bench, 3)
    assert not bench.world.ledger.any()
    assert look(bench).field_energy == 0.0
