"""Parameters that follow curves, against closed forms: gravity, tilt, friction, and their energy balance."""

from __future__ import annotations

import math

import pytest
from repose.sim import Plane, Setup, Simulation, Spheres
from repose.sim.experiment.experiment import CHECK_STEPS

RADIUS, MASS = 0.01, 0.01
DT, STIFF = 1e-5, 1e4
HOLD = CHECK_STEPS * DT
"""Time for which a driven parameter keeps its value [s]."""
FLOOR = Plane((0.0, 0.0), (0.0, 1.0))


def block(values: dict[str, object], above: float = 0.0, walls: tuple[Plane, ...] = (FLOOR,)) -> Simulation:
    """A disc that cannot rotate, at rest on the floor of the plane or above it."""
    height = RADIUS * (1.0 - 1e-4) + above
    one = Spheres([[0.0, height]], RADIUS, mass=MASS)
    fixed = {"dt": DT, "normal_stiffness": STIFF, "shear_stiffness": STIFF, "wall_stiffness_factor": 1.0}
    fixed |= {"normal_damping": 200.0, "shear_damping": 200.0}
    fixed |= {"exponent": "linear", "coulomb_cap": "total", "anchor": "cundall-strack"}
    return Simulation(Setup([one], walls=walls, law="lee_herrmann", rotation=False), fixed | values)


def test_a_body_falls_by_the_integral_of_an_oscillating_gravity() -> None:
    """v = -∫ g(t) dt with g = 10 + 5 sin(ωt), ω = 2π 4 Hz. Each held value is that in the middle of its time, except
    the first, which is g(0): its error is at most 5 ω HOLD²/2; that of the middle rule is 5 (ω HOLD)²/24 of the time.
    Velocity Verlet kicks with the mean of the old and the new acceleration: a change of g acts dt/2 late."""
    simulation, omega, until = block({"gravity": "sine 10 5 4"}, above=10.0, walls=()), math.tau * 4.0, 0.3
    simulation.step(round(until / DT))
    expected = 10.0 * until + 5.0 / omega * (1.0 - math.cos(omega * until))
    bound = 5.0 * omega * HOLD**2 / 2.0 + 5.0 * (omega * HOLD) ** 2 / 24.0 * until + 5.0 * DT / 2.0
    assert -simulation.velocity[0, 1] == pytest.approx(expected, abs=bound)
    assert abs(expected - 10.0 * until) > 100.0 * bound, "a constant gravity fails"


def test_the_work_of_a_changing_gravity_is_booked() -> None:
    """Work of the agent that changes g: ∫ m h dg, of a body in balance at the height h = R - m g/k. Each of the 200
    changes acts HOLD/2 early or late, on a height that differs by at most (m/k) 5/200 meanwhile."""
    simulation = block({"gravity": "ramp 10 5 0.05 0.15"})
    simulation.step(25_000)
    assert simulation.position[0, 1] == pytest.approx(RADIUS - MASS * 5.0 / STIFF, rel=1e-6)
    expected = MASS * RADIUS * (5.0 - 10.0) - MASS**2 * (5.0**2 - 10.0**2) / (2.0 * STIFF)
    assert simulation.energy().work == pytest.approx(expected, abs=MASS * 5.0 * MASS / STIFF * 5.0 / 200.0)
    assert simulation.energy().gap == pytest.approx(0.0, abs=1e-3 * MASS * 10.0 * RADIUS)


def test_a_tilted_table_books_the_work_of_gravity() -> None:
    """A body that sticks at x = 0 on a table turned to α: its height over the origin falls from h to h cos α, and the
    potential energy m g h (cos α - 1) is what the table does."""
    simulation = block({"tilt": "ramp 0 0.3 0.05 0.25", "friction": 2.0, "gravity": 10.0})
    simulation.step(35_000)
    height = simulation.position[0, 1]
    assert simulation.experiment.parameters.tilt == 0.3
    expected = MASS * 10.0 * height * (math.cos(0.3) - 1.0)
    spring = MASS * 10.0 * 2.0 * 1e-5 * RADIUS  # what the contact stores is far less than m g h
    assert simulation.energy().work == pytest.approx(expected, rel=0.01, abs=spring)
    assert simulation.energy().gap == pytest.approx(0.0, abs=0.01 * abs(expected))


def test_a_block_slips_when_the_friction_falls_to_the_tangent_of_the_slope() -> None:
    """μ falls from 0.5 to 0.1 in 0.4 s from 0.1 s on, on a slope of tan α = 0.3: the block slips at 0.3 s, at a value
    that is held for HOLD; the spring that holds it relaxes within some oscillations of √(m/k_t) = 1 ms."""
    simulation = block({"friction": "ramp 0.5 0.1 0.1 0.5", "tilt": math.atan(0.3), "gravity": 10.0})
    slip = None
    while simulation.time < 0.4 and slip is None:
        simulation.step(50)
        if simulation.time > 0.15 and simulation.energy().sliding > 1e-9:
            slip = simulation.time
    assert slip == pytest.approx(0.3, abs=HOLD + 0.005)


def test_driven_friction_gives_the_sliding_speed_of_its_integral() -> None:
    """a = g cos α (tan α - μ(t)) while it slides: with μ = 0.2 (1 - t/s) from the beginning, v = g cos α (t tan α -
    0.2 t + 0.1 t²)."""
    slope, until = math.atan(0.5), 0.5
    simulation = block({"friction": "ramp 0.2 0.0 0 1", "tilt": slope, "gravity": 10.0})
    simulation.step(round(until / DT))
    along = 10.0 * math.cos(slope)
    expected = along * (0.5 * until - 0.2 * until + 0.1 * until**2)
    # the normal force settles within m*/γ = 10 ms of the start, during which μN differs by at most itself
    assert simulation.velocity[0, 0] == pytest.approx(expected, abs=along * 0.2 * 0.005)
    assert abs(expected - along * 0.3 * until) > 10 * along * 0.2 * 0.005, "a constant friction fails"
