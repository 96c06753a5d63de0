"""A change of the time step while grains move: its error is at most that of the integrator."""

from __future__ import annotations

from math import cos, sin, sqrt

import pytest
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.stepping import advance
from repose.sim.registry import integrators

from tests.reliability.runs import changed
from tests.small_worlds import use_plain_engine

G = 9.81


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine as plain Python: every scheme without waiting for the compiler."""
    use_plain_engine(monkeypatch)


def dropped(integrator: str, **values: object) -> Experiment:
    """Three spheres released above a plane, the last one elastic."""
    simulation = new_experiment("bounce", {"integrator": integrator, "dt": 1e-5} | values)
    assert apply(simulation, Act("run")) == ""
    return simulation


def moment(simulation: Experiment) -> tuple[float, float]:
    """Height [m] and velocity [m/s] of the elastic sphere at one moment."""
    place, velocity, acceleration = simulation.run.world.motion[2, :3, 2]
    return float(place), float(
        velocity - simulation.engine.model.integrator.velocity_lead * simulation.dt * acceleration
    )


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", integrators())
def test_free_fall_is_a_parabola_for_any_changes_of_the_step(integrator: str) -> None:
    simulation = dropped(integrator, drop_height=1.0)
    start = simulation.run.world.motion[2, 0].copy()
    time = 0.0
    for dt, steps in ((1e-4, 50), (1e-6, 3), (1e-3, 40), (5e-4, 30), (1e-8, 3), (1e-3, 60)):
        changed(simulation, dt=dt)
        assert advance(simulation, steps) == steps
        time += steps * dt
    assert simulation.time == pytest.approx(time, rel=1e-12)
    # All schemes are exact for a constant force, but for rounding: of the place in every step, and what the
    # smallest step divides by dt comes back multiplied by a thousand times the largest.
    fallen = start - simulation.run.world.motion[2, 0]
    assert fallen == pytest.approx(0.5 * G * time**2, rel=1e-11)
    lead = simulation.engine.model.integrator.velocity_lead * simulation.dt
    assert simulation.run.world.motion[2, 1] == pytest.approx(-G * (time + lead), rel=1e-10)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("integrator", integrators())
def test_an_elastic_impact_is_harmonic_for_any_changes_of_the_step(integrator: str) -> None:
    simulation = dropped(integrator, restitution_high=1.0, drop_height=1e-3)
    while moment(simulation)[0] >= 0.009999:
        advance(simulation, 1)
    built = simulation.run.built
    omega = sqrt(built.normal_stiffness / built.mass)
    rest = built.radius - G / omega**2
    place, velocity = moment(simulation)
    swung = 0.0
    for dt, steps in ((1e-5, 10), (2e-6, 50), (1e-5, 10), (2.5e-6, 30), (1.5e-5, 14), (1e-5, 10)):
        changed(simulation, dt=dt)
        assert advance(simulation, steps) == steps
        swung += omega * steps * dt
        found = moment(simulation)
        expected = rest + (place - rest) * cos(swung) + velocity / omega * sin(swung)
        # Second order: (w dt)²/24 of the phase a step of Verlet, and what a scheme begun anew adds is of third.
        assert found[0] == pytest.approx(expected, abs=(1.5e-5 * omega) ** 2 / 8 * abs(velocity) / omega)
        expected = velocity * cos(swung) - (place - rest) * omega * sin(swung)
        assert found[1] == pytest.approx(expected, abs=(1.5e-5 * omega) ** 2 / 8 * abs(velocity))
    assert swung > 1.5


@pytest.mark.parametrize("tiny", [1e-8, 1e-7, 1e-6])
def test_gear_continues_accurately_after_three_very_small_steps(tiny: float) -> None:
    # Rounding and damping leave e in an acceleration; of the fifth derivative that is e/dt³, and a prediction with a
    # step 2,500 times larger once made ten billion times as much of it: the grains flew apart without a fault.
    simulation = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    assert apply(simulation, Act("fill")) == ""
    while simulation.phase == "filling":
        assert advance(simulation, 500) == 500
    before, automatic, untouched = energy_of(simulation), simulation.dt, resumed_experiment(saved_copy(simulation))
    changed(simulation, dt=tiny)
    advance(simulation, 3)
    changed(simulation, dt="auto")
    assert simulation.dt == automatic
    for run in (simulation, untouched):
        advance(run, 100)
    # The tiny steps come to an eighth of one at most: both are at the same moment, up to that.
    after, expected = energy_of(simulation), energy_of(untouched)
    assert after.kinetic == pytest.approx(expected.kinetic, rel=0.02)
    assert abs(after.gap - before.gap) < 1.1 * abs(expected.gap - before.gap)
