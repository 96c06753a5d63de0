"""Walls that keep a force: approach, stability and energy ledger of columns of spheres against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim import Plane, Setup, Simulation, Spheres
from repose.sim.engine.contacts.servo import MARGIN
from repose.sim.engine.world import SERVO_VISCOSITY
from repose.sim.experiment import servo

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


def slowest_rate() -> float:
    """Decay rate of the excess of the column below a wall with the viscosity c [1/s]: the slowest eigenvalue of M x'' =
    −K x for the spheres, and c x' = k (x_N − x) for the wall; real, because the approach has no oscillation."""
    chain = STIFFNESS * (2.0 * np.eye(COUNT) - np.eye(COUNT, k=1) - np.eye(COUNT, k=-1))
    viscosity = MARGIN * math.sqrt(STIFFNESS * MASS)
    system = np.zeros((2 * COUNT + 1,) * 2)
    system[:COUNT, COUNT : 2 * COUNT] = np.eye(COUNT)
    system[COUNT : 2 * COUNT, :COUNT] = -chain / MASS
    system[2 * COUNT - 1, -1] = STIFFNESS / MASS
    system[-1, COUNT - 1], system[-1, -1] = STIFFNESS / viscosity, -STIFFNESS / viscosity
    rates = np.linalg.eigvals(system)
    slowest = rates[np.argmax(rates.real)]
    assert slowest.imag == 0.0
    return -float(slowest.real)


def test_an_elastic_column_comes_to_the_force_at_the_rate_of_the_derivation() -> None:
    simulation = column(omega_dt=0.1)
    simulation.servo_wall(TOP, force=FORCE)
    times, excess = [], []
    while simulation.time < 5.0 / slowest_rate():
        simulation.step(25)
        times.append(simulation.time)
        excess.append(float(simulation.wall_force[TOP, 1]) / FORCE - 1.0)
    assert simulation.world.walls.servo[TOP, SERVO_VISCOSITY] == pytest.approx(MARGIN * math.sqrt(STIFFNESS * MASS))
    late = np.array(times) > 2.0 / slowest_rate()
    rate = -np.polyfit(np.array(times)[late], np.log(-np.array(excess)[late]), 1)[0]
    # The force is one step old, and the schemes are of second order: relative errors rate dt and (ω dt)²/12.
    assert rate == pytest.approx(slowest_rate(), rel=0.02)
    # A continuous column of impedance √(k m) and N + 1/2 spheres: artanh(Z/c)/T.
    assert rate == pytest.approx(math.atanh(1.0 / MARGIN) * OMEGA / (COUNT + 0.5), rel=1.0 / COUNT)
    assert abs(excess[-1]) < 1.5 * math.exp(-5.0)


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_the_ledger_closes_at_second_order_of_the_step(damping: float) -> None:
    def gap(omega_dt: float) -> float:
        simulation = column(omega_dt, damping=2.0 * damping * OMEGA)
        simulation.servo_wall(TOP, force=FORCE)
        simulation.step(round(60.0 / omega_dt))
        energy = simulation.results()["energy"]
        # Between the forces 0 and F the springs of the column take up F²/2K, and the wall as much again is not given.
        assert energy["elastic"] == pytest.approx(0.5 * FORCE**2 * (COUNT + 1) / STIFFNESS, rel=0.02)
        assert energy["work"] == pytest.approx(
            energy["elastic"] + energy["damping"] + energy["translational"], rel=0.02
        )
        return abs(float(energy["gap"])) / float(energy["work"])

    coarse, fine = gap(0.4), gap(0.1)
    assert coarse < 0.02
    assert fine < (coarse / 8.0 if damping == 0.0 else coarse / 3.0)


@pytest.mark.parametrize("integrator", ["velocity_verlet", "leapfrog", "gear5", "rk4"])
@pytest.mark.parametrize("damping", [0.1, 0.6])
def test_a_column_under_a_servo_comes_to_rest_with_every_scheme(integrator: str, damping: float) -> None:
    simulation = column(0.25, damping=2.0 * damping * OMEGA, integrator=integrator)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(600)
    assert simulation.wall_force[TOP, 1] == pytest.approx(FORCE, rel=1e-3)
    assert abs(simulation.world.walls.velocity[TOP, 1]) < 1e-3 * FORCE / math.sqrt(STIFFNESS * MASS)


def test_a_viscosity_below_the_derived_one_is_not_stable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servo, "MARGIN", 0.3)  # b > 1 for this damping
    simulation = column(0.25, damping=1.2 * OMEGA)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(600)
    forces = []
    for _ in range(20):
        simulation.step(1)
        forces.append(float(simulation.wall_force[TOP, 1]))
    assert np.ptp(forces) > 0.5 * FORCE


def test_a_force_that_is_changed_is_kept_too() -> None:
    simulation = column(0.25, damping=OMEGA)
    simulation.servo_wall(TOP, force=FORCE)
    simulation.step(400)
    simulation.servo_wall(TOP, force=0.5 * FORCE)
    simulation.step(400)
    assert simulation.wall_force[TOP, 1] == pytest.approx(0.5 * FORCE, rel=0.01)
    simulation.move_wall(TOP, (0.0, 0.0))
    at = simulation.world.walls.moved[TOP, 1]
    simulation.step(50)
    assert simulation.world.walls.moved[TOP, 1] == at


def test_a_wall_lifts_what_weighs_less_than_its_force_and_not_faster_than_its_speed() -> None:
    simulation = column(0.25, damping=OMEGA, gravity=9.81)
    simulation.servo_wall(0, force=2.0 * COUNT * MASS * 9.81, speed=1e-3)
    simulation.step(200)
    assert 0.0 < simulation.world.walls.velocity[0, 1] <= 1e-3
