"""Runs of scripts: calls at equal times, series by name, present values by name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim import Material, ParameterError, Plane, Setup, Simulation, Spheres

from tests.small_worlds import use_plain_engine

GLASS = Material(young=1e6, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)


def falling(dt: float = 1e-5) -> Simulation:
    """A sphere that falls on a floor and bounces."""
    setup = Setup(Spheres([[0.0, 0.0, 1.05e-3]], 1e-3, GLASS), walls=[Plane((0, 0, 0), (0, 0, 1))])
    return Simulation(setup, {"dt": dt})


def test_a_function_is_called_at_equal_times_and_changes_no_bit() -> None:
    plain, watched = falling(), falling()
    times: list[float] = []
    plain.run(6e-3)
    watched.run(6e-3, every=7.3e-4, call=lambda simulation: times.append(simulation.time))
    assert watched.state_hash() == plain.state_hash()
    expected = 7.3e-4 * np.arange(9)
    assert len(times) == len(expected)
    assert all(due - 1e-8 <= time < due + 1e-5 for time, due in zip(times, expected))


def test_times_between_calls_do_not_add_up_errors_and_may_be_shorter_than_a_step() -> None:
    simulation = falling()
    times: list[float] = []
    simulation.run(1e-2, every=1e-4, call=lambda simulation: times.append(simulation.time))
    assert times == pytest.approx(1e-4 * np.arange(101))
    steps: list[int] = []
    simulation.run(1e-2 + 1e-4, every=1e-6, call=lambda simulation: steps.append(simulation.experiment.step))
    assert steps == list(range(1000, 1011))


def test_a_function_can_end_the_run_and_carry_out_commands() -> None:
    simulation = falling()
    simulation.run(1.0, every=1e-4, call=lambda simulation: np.bool_(simulation.time > 5e-4))
    assert simulation.time == pytest.approx(6e-4)
    simulation.run(8e-4, every=1e-4, call=lambda simulation: simulation.set(gravity=1.0))
    assert simulation.experiment.parameters.gravity == 1.0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"every": 0.1}, "every and call belong together"),
        ({"call": print}, "every and call belong together"),
        ({"every": 0.0, "call": print}, "every = 0.0 s is refused"),
        ({"every": math.nan, "call": print}, "every = nan s is refused"),
        ({"every": 0.1, "call": 3}, "call = 3 is refused: give a function"),
    ],
)
def test_calls_that_cannot_be_are_refused(given: dict, words: str) -> None:
    simulation = falling()
    with pytest.raises(ParameterError, match=words):
        simulation.run(1e-3, **given)
    assert simulation.time == 0.0


def test_series_have_times_values_and_a_unit() -> None:
    simulation = Simulation(Setup(Spheres([[0.0, 0.0, 1.0]], 1e-3, GLASS)), {"dt": 1e-4})
    simulation.run(0.06)
    energy = simulation.series("kinetic_energy")
    assert energy.unit == "J"
    assert energy.time.shape == energy.values.shape
    assert len(energy.time) >= 5
    assert (np.diff(energy.time) > 0.0).all()
    assert energy.values[-1] != energy.values[0]
    assert simulation.series("time").values == pytest.approx(energy.time)
    assert simulation.series("time").unit == "s"
    assert (simulation.series("pressure").unit, simulation.series("angle").unit) == ("Pa", "rad")
    energy.values[:] = 0.0  # a copy
    assert simulation.series("kinetic_energy").values.any()
    with pytest.raises(ParameterError, match="Unknown measurement 'kinetic': did you mean 'kinetic_energy'"):
        simulation.series("kinetic")


def test_present_values_have_names() -> None:
    simulation = falling()
    simulation.step(10)
    mass, speed = float(simulation.world.mass[0]), simulation.velocity[0, 2]
    assert simulation.measure("kinetic_energy") == pytest.approx(0.5 * mass * speed**2)
    assert simulation.measure("coordination") == 0.0
    assert math.isnan(simulation.measure("angle"))
    assert simulation.measure() is None
    with pytest.raises(ParameterError, match="Unknown measurement 'temperature'"):
        simulation.measure("temperature")
