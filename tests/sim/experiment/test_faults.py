"""Instability: detected in the same batch, the last good state restored, grain, parameter and remedies named."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from repose.sim import Material, place_spheres
from repose.sim.engine.world import PAIR_COUNT
from repose.sim.experiment import faults
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Recover, SetParameters, Start
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.message import time_text

from tests.sim.experiment.test_activation import few
from tests.small_worlds import use_plain_engine

SMALL = {"grain_count": 40, "width": 0.015}
LONG_STEP = 4e-5
"""A step that is stable with the default stiffness and at least 1.7 times too long with a thousand times of it [s]. The
stiffer grains move apart first: the few contacts that they keep are stable up to 12 to 23 µs, depending on rounding."""


def pressed(**values: object) -> Experiment:
    """A small container just filled, grains pressing on each other."""
    experiment = new_experiment("heap", SMALL | values)
    apply(experiment, Act("fill"))
    while experiment.phase == "filling":
        assert advance(experiment, 500) == 500
    assert survey_contacts(experiment).contacts > 10
    return experiment


def test_a_stiffness_a_thousand_times_larger_stops_with_grain_parameter_and_remedies() -> None:
    experiment = pressed(dt=LONG_STEP)
    before = state_hash(experiment.run)
    assert not apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    advance(experiment, 200)
    fault = experiment.fault
    assert fault is not None
    assert fault.parameter == "normal_stiffness"
    assert fault.previous == 1e6
    assert fault.sphere_id in experiment.run.world.sphere_id
    assert "40 µs" in str(fault.message)
    sphere = fault.sphere_id
    assert re.search(rf"Grain {sphere} at \([\d.]+, [\d.]+\) mm has contacts", str(fault.message))
    assert f"at {time_text(experiment.time)}" in str(fault.message)
    assert "Likely cause: the change of normal stiffness from 1e+06 N/m^1.5 to 1e+09 N/m^1.5." in str(fault.message)
    advice = re.search(
        r"Undo normal stiffness = 1e\+09 N/m\^1.5 \(it was 1e\+06 N/m\^1.5\), lower the time step to ([\d.]+) µs, "
        rf"let the program choose the time step \('auto'\) or remove grain {sphere}\.",
        str(fault.message),
    )
    assert advice is not None
    halvings = math.log2(40.0 / float(advice[1]))
    # Stable steps go with the root of the stiffness: halved often enough for a thousand times, and not much oftener.
    assert halvings == pytest.approx(round(halvings), abs=1e-3)
    assert 3 <= round(halvings) <= 6
    assert experiment.message == fault.message
    # The last good state is the one before the change, bit by bit, and nothing moves on from it.
    assert state_hash(experiment.run) == before
    assert advance(experiment, 1_000) == 0
    assert state_hash(experiment.run) == before


@pytest.mark.parametrize("command", [SetParameters({"normal_stiffness": 1e6}), Recover({"normal_stiffness": 1e6})])
def test_a_run_continues_after_undo_with_the_bits_of_an_unchanged_run(command) -> None:
    experiment, untouched = pressed(dt=LONG_STEP), pressed(dt=LONG_STEP)
    apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    advance(experiment, 200)
    assert not apply(experiment, command)
    assert experiment.fault is None
    for one in (experiment, untouched):
        assert advance(one, 2_000) == 2_000
    assert state_hash(experiment.run) == state_hash(untouched.run)
    # What the change put in, its undoing took out: the ledger is as closed as before.
    assert energy_of(experiment).gap == pytest.approx(energy_of(untouched).gap, abs=1e-14)


def test_an_automatic_step_keeps_the_stiffness() -> None:
    experiment = pressed(dt=LONG_STEP)
    gap = energy_of(experiment).gap
    apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    advance(experiment, 200)
    assert experiment.fault is not None
    assert not apply(experiment, Recover({"dt": "auto"}))
    assert experiment.fault is None
    assert experiment.parameters.normal_stiffness == 1e9
    assert experiment.dt < 1e-5
    assert energy_of(experiment).gap == pytest.approx(gap, abs=1e-14)
    assert advance(experiment, 2_000) == 2_000
    assert experiment.fault is None


def test_a_thousandfold_stiffness_causes_no_fault_with_an_automatic_step() -> None:
    experiment = pressed()
    assert not apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    assert experiment.dt < 1e-6
    assert advance(experiment, 2_000) == 2_000
    assert experiment.fault is None


def test_a_whole_drag_of_a_slider_is_undone_not_its_last_step() -> None:
    experiment = pressed(dt=LONG_STEP)
    before = state_hash(experiment.run)
    for stiffness in (1.1e6, 1.3e6, 1e7, 1e9):
        apply(experiment, SetParameters({"normal_stiffness": stiffness}))
        advance(experiment, 50)
    assert experiment.fault is not None
    assert experiment.fault.previous == 1e6
    assert state_hash(experiment.run) == before


def test_a_refused_remedy_does_not_clear_the_fault() -> None:
    experiment = pressed(dt=LONG_STEP)
    apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    fault, state = experiment.fault, state_hash(experiment.run)
    assert fault is not None
    for command in (
        Recover({"normal_stiffness": -1.0}),
        SetParameters({"dt": float("nan")}),
        Act("explode"),
        Act("open_sesame"),
    ):
        assert apply(experiment, command)
        assert experiment.fault is fault
        assert state_hash(experiment.run) == state


@pytest.mark.parametrize(("level", "value"), [(0, np.nan), (1, np.nan), (0, np.inf), (1, -np.inf)])
def test_a_number_that_is_not_finite_is_found_at_once_and_its_grain_named(level: int, value: float) -> None:
    experiment = pressed()
    advance(experiment, 2_000 - experiment.step % 2_000)  # a good state has just been kept
    good = state_hash(experiment.run)
    row = int(np.flatnonzero(~experiment.run.world.fixed)[7])
    sphere = int(experiment.run.world.sphere_id[row])
    experiment.run.world.motion[1, level, row] = value
    assert advance(experiment, 10) == 0
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == sphere
    words = rf"Grain {sphere} has a position that is not a finite number at .*; its position was \("
    assert re.search(words, str(experiment.fault.message))
    assert experiment.fault.parameter is None
    assert state_hash(experiment.run) == good
    assert np.isfinite(experiment.run.world.motion).all()
    assert not apply(experiment, Recover({"dt": "auto"}))
    assert advance(experiment, 100) == 100


def test_a_power_that_is_not_finite_stops_the_run_with_the_likely_cause() -> None:
    experiment = pressed()
    advance(experiment, 2_000 - experiment.step % 2_000)  # a good state has just been kept
    good = state_hash(experiment.run)
    experiment.run.world.ledger[0, 3] = np.nan  # what the sum over a block is after a law has divided by zero
    advance(experiment, 50)
    assert experiment.fault is not None
    words = (
        "The energy that contacts lose is not a finite number at .*: stopped at the last good state, .*law returns a"
    )
    assert re.search(words, str(experiment.fault.message))
    assert state_hash(experiment.run) == good
    assert np.isfinite(experiment.run.world.ledger).all()


def test_a_grain_that_is_too_fast_is_named() -> None:
    experiment = pressed(dt=LONG_STEP)
    row = int(np.flatnonzero(~experiment.run.world.fixed)[3])
    experiment.run.world.motion[0, 1, row] = 500.0
    advance(experiment, 50)
    assert experiment.fault is not None
    assert experiment.fault.sphere_id == int(experiment.run.world.sphere_id[row])
    assert "moves at 500 m/s" in str(experiment.fault.message)


@pytest.mark.parametrize("ready", [None, "column"])
def test_a_step_that_is_too_large_from_the_beginning_is_a_fault_not_a_crash(ready: str | None) -> None:
    experiment = new_experiment("heap", {"dt": 1e-3}, ready=ready)
    if ready is None:
        apply(experiment, Act("fill"))
    advance(experiment, 2_000)
    assert experiment.fault is not None
    assert "1000 µs" in str(experiment.fault.message)
    assert not apply(experiment, SetParameters({"dt": "auto"}))
    assert experiment.fault is None
    assert advance(experiment, 200) == 200


def test_a_fault_ends_with_a_new_start() -> None:
    experiment = pressed(dt=LONG_STEP)
    apply(experiment, SetParameters({"normal_stiffness": 1e9}))
    assert experiment.fault is not None
    assert not apply(experiment, Start("heap", SMALL, 3))
    assert experiment.fault is None
    assert (experiment.step, experiment.phase) == (0, "empty")


def test_undo_of_a_failed_change_of_integrator_restores_the_velocities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Leap-frog is stable with this step and Gear is not: the state restored is leap-frog's, with velocities half a step
    # ahead.
    use_plain_engine(monkeypatch)
    experiment = few(integrator="leapfrog", normal_stiffness=2e8)
    while survey_contacts(experiment).stable_dt > 2.5 * experiment.dt:
        assert advance(experiment, 1) == 1
    gap, kinetic = energy_of(experiment).gap, energy_of(experiment).kinetic
    assert not apply(experiment, SetParameters({"integrator": "gear5"}))
    assert experiment.fault is not None
    assert experiment.fault.parameter == "integrator"
    assert energy_of(experiment).gap == pytest.approx(gap, abs=1e-12)
    assert not apply(experiment, Recover({"integrator": "leapfrog"}))
    assert energy_of(experiment).gap == pytest.approx(gap, abs=1e-12)
    assert energy_of(experiment).kinetic == pytest.approx(kinetic, rel=1e-9)
    assert experiment.fault is None


def test_the_message_gives_a_duration_only_for_ramped_parameters() -> None:
    experiment = pressed(dt=2e-6)
    apply(experiment, SetParameters({"normal_stiffness": 2e6}))
    assert ", over " in str(experiment.message)
    advance(experiment, 1)
    apply(experiment, SetParameters({"dt": 1e-6}))
    assert experiment.run.ramp is not None
    assert "over" not in str(experiment.message)


def test_the_quick_look_overlooks_no_fault_and_finds_none_in_a_sound_state() -> None:
    experiment = pressed()
    world = experiment.run.world
    assert faults._plainly_sound(world, 2, experiment.dt)
    last = int(world.counters[PAIR_COUNT]) - 1
    places = (world.motion, (1, 0, 3)), (world.motion, (0, 1, -1)), (world.pairs.shear_spring, (1, last))
    for table, entry in places:
        before = table[entry]
        for value in (math.nan, math.inf, -math.inf, *((1e300, -1e300) if table is world.motion else ())):
            table[entry] = value
            assert not faults._plainly_sound(world, 2, experiment.dt)
        table[entry] = before
    assert faults._plainly_sound(world, 2, experiment.dt)


def test_two_grains_at_exactly_the_same_place_are_named_and_not_left_without_a_force() -> None:
    glass = Material(young=1e8, poisson=0.25, density=2500.0, restitution=0.8, friction=0.4)
    experiment = place_spheres([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0021]], 1e-3, glass, gravity=0.0, dt=1e-7)
    experiment.world.motion[2, 0, 1] = experiment.world.motion[2, 0, 0]
    assert experiment.step(100, on_fault="return") == 50
    fault = experiment.experiment.fault
    assert fault is not None
    assert fault.sphere_id == 0
    assert "is at exactly the same place as grain 1 at 5 µs" in str(fault.message)
