"""Walls that keep a force: approach, stability and energy ledger of columns of spheres against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim import Plane, Setup, Simulation, Spheres
from repose.sim.engine.contacts.servo import MARGIN
from repose.sim.engine.world import SERVO_VISCOSITY
from repose.sim.experiment import servo_walls

from tests.small_worlds import use_plain_engine

R, COUNT, STIFFNESS, FORCE = 1e-3, 4, 1e3, 0.02  # m, spheres, N/m, N
DENSITY = 2500.0  # kg/m³
MASS = DENSITY * 4.0 / 3.0 * math.pi * R**3  # kg
OMEGA = math.sqrt(STIFFNESS / MASS)  # 1/s, of one contact
TOP = 1


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def column(omega_dt: float = 0.1, damping: float = 0.0, **values: Any) -> Simulation:
    """Touching spheres above each other between two planes; linear springs of equal stiffness, no weight."""
    position = [(0.0, (2 * k + 1) * R) for k in range(COUNT)]
    walls = [Plane((0.0, 0.0), (0.0, 1.0)), Plane((0.0, 2.0 * COUNT * R), (0.0, -1.0))]
    linear = {
        "exponent": "linear",
        "normal_stiffness": STIFFNESS,
        "wall_stiffness_factor": 1.0,
        "normal_damping": damping,
    }
    setup = Setup(Spheres(position, R, mass=MASS), walls=walls, law="lee_herrmann", rotation=False)
    return Simulation(setup, {"gravity": 0.0, "dt": omega_dt / OMEGA, **linear, **values})


DAMPING = 0.3
"""Damping ratio of the contacts in the closed form: without damping, oscillations of neighbours against each other last
longer than the approach."""


def slowest_rate() -> float:
    """Decay rate of the excess of the column below a wall with the viscosity c [1/s]: the smallest eigenvalue of
    M x'' = −K x − D x' for the spheres, and c v = k (x_N − x) + η (x'_N − v) for the wall; real: no oscillation."""
    eta = 2.0 * DAMPING * OMEGA * MASS  # at the wall; half of it between two spheres, whose effective mass is m/2
    chain = 2.0 * np.eye(COUNT) - np.eye(COUNT, k=1) - np.eye(COUNT, k=-1)
    dampers = 0.5 * eta * chain
    dampers[[0, -1], [0, -1]] += 0.5 * eta
    viscosity = MARGIN * (math.sqrt(STIFFNESS * MASS) + eta)
    x, v = np.eye(2 * COUNT + 1)[:COUNT], np.eye(2 * COUNT + 1)[COUNT : 2 * COUNT]
    wall = np.eye(2 * COUNT + 1)[-1]
    wall_speed = (STIFFNESS * (x[-1] - wall) + eta * v[-1]) / (viscosity + eta)
    pull = -STIFFNESS * chain @ x - dampers @ v
    pull[-1] += STIFFNESS * wall + eta * wall_speed
    rates = np.linalg.eigvals(np.vstack([v, pull / MASS, wall_speed]))
    slowest = rates[np.argmax(rates.real)]
    assert slowest.imag == 0.0
    return -float(slowest.real)


def test_an_elastic_column_comes_to_the_force_at_the_rate_of_the_derivation() -> None:
    simulation, rate = column(0.1, damping=2.0 * DAMPING * OMEGA), slowest_rate()
    simulation.servo_wall(TOP, force=FORCE)
    times, excess = [], []
    while simulation.time < 6.0 / rate:
        simulation.step(25)
        times.append(simulation.time)
        excess.append(float(simulation.wall_force[TOP, 1]) / FORCE - 1.0)
    eta = 2.0 * DAMPING * OMEGA * MASS
    least = math.sqrt(STIFFNESS * MASS) + eta
    assert simulation.world.walls.servo[TOP, SERVO_VISCOSITY] == pytest.approx(MARGIN * least)
    late = np.array(times) > 2.0 / rate
    measured = -np.polyfit(np.array(times)[late], np.log(-np.array(excess)[late]), 1)[0]
    # The force is one step old, which is a relative error of η/c · rate dt, and faster modes leave e^-4 of themselves.
    assert measured == pytest.approx(rate, rel=0.02)
    # A continuous column of impedance √(k m) and N + 1/2 spheres: artanh(Z/c)/T; the viscosity at the wall adds η to c.
    continuous = math.atanh(math.sqrt(STIFFNESS * MASS) / (MARGIN * least + eta)) * OMEGA / (COUNT + 0.5)
    assert measured == pytest.approx(continuous, rel=1.0 / COUNT)
    assert abs(excess[-1]) < 1.5 * math.exp(-6.0)


@pytest.mark.parametrize(("damping", "omega_dt"), [(0.0, 0.4), (0.0, 0.2), (DAMPING, 0.1)])
def test_the_ledger_closes_to_the_error_of_the_scheme(damping: float, omega_dt: float) -> None:
    simulation = column(omega_dt, damping=2.0 * damping * OMEGA)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(round(100.0 / omega_dt))
    energy = simulation.results()["energy"]
    if damping:  # at rest: N + 1 springs
        assert energy["elastic"] == pytest.approx(0.5 * FORCE**2 * (COUNT + 1) / STIFFNESS, rel=0.01)
    # The work of the force before each displacement alone, or after it, differs by k dt/2c = ω dt/4 of what is stored.
    assert abs(energy["gap"]) < omega_dt**2 / 12.0 * energy["work"]


@pytest.mark.parametrize("speed", [0.002, 0.005])
def test_a_wall_that_is_pushed_away_bears_its_viscosity_times_its_speed_more(speed: float) -> None:
    """The lower wall pushes the column up at the speed u: F = F_0 + MARGIN (√(k m) + η) u for the one contact."""
    simulation = column(0.1, damping=2.0 * DAMPING * OMEGA)
    simulation.servo_wall(TOP, force=FORCE, speed=1.0)
    simulation.move_wall(0, (0.0, speed))
    simulation.step(round(8.0 / slowest_rate() / simulation.dt))
    viscosity = MARGIN * (math.sqrt(STIFFNESS * MASS) + 2.0 * DAMPING * OMEGA * MASS)
    excess = float(simulation.wall_force[TOP, 1]) - FORCE
    # What is left of the approach from the force 0 is exp(−8) of the force, times 1.5 for faster modes.
    left = 1.5 * math.exp(-8.0) * (FORCE + viscosity * speed)
    assert excess == pytest.approx(viscosity * speed, abs=left)
    assert simulation.world.walls.velocity[TOP, 1] == pytest.approx(speed, abs=left / viscosity)
    assert left < 0.1 * viscosity * speed


OMEGA_DT = {"velocity_verlet": 0.2, "leapfrog": 0.2, "gear5": 0.08, "rk4": 0.4}
"""Time steps that each scheme bears [1/ω]."""


@pytest.mark.parametrize("integrator", OMEGA_DT)
def test_a_column_under_a_servo_comes_to_rest_with_every_scheme(integrator: str) -> None:
    simulation = column(OMEGA_DT[integrator], damping=2.0 * DAMPING * OMEGA, integrator=integrator)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(round(5.0 / slowest_rate() / simulation.dt))
    assert simulation.wall_force[TOP, 1] == pytest.approx(FORCE, rel=1.5 * math.exp(-5.0))


def test_a_viscosity_below_the_derived_one_is_not_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servo_walls, "MARGIN", 0.3)  # b > 1 for this damping
    simulation = column(0.25, damping=1.2 * OMEGA)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(600)
    forces = []
    for _ in range(20):
        simulation.step(1)
        forces.append(float(simulation.wall_force[TOP, 1]))
    assert np.ptp(forces) > 0.5 * FORCE


def test_a_force_that_is_changed_is_kept_too() -> None:
    simulation = column(0.1, damping=2.0 * DAMPING * OMEGA)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(400)
    before = simulation.wall_force[TOP, 1]
    simulation.servo_wall(TOP, force=0.5 * before)
    simulation.step(400)
    assert 0.45 * before < simulation.wall_force[TOP, 1] < 0.75 * before
    simulation.move_wall(TOP, (0.0, 0.0))
    at = simulation.world.walls.moved[TOP, 1]
    simulation.step(50)
    assert simulation.world.walls.moved[TOP, 1] == at


def test_a_wall_lifts_what_weighs_less_than_its_force_and_not_faster_than_its_speed() -> None:
    simulation = column(0.25, damping=OMEGA, gravity=9.81)
    simulation.servo_wall(0, force=2.0 * COUNT * MASS * 9.81, speed=1e-3)
    simulation.step(200)
    assert 0.0 < simulation.world.walls.velocity[0, 1] <= 1e-3
