"""How long a run will take: from recorded runs and a trial, with a bound."""

from __future__ import annotations

import math

import pytest
from repose.sim.registry import scenes
from repose.sim.study import run_length
from repose.sim.study.run_length import (
    OTHER,
    OTHER_MACHINE,
    SAME,
    TRIAL_STEPS,
    UNKNOWN,
    RunLength,
    Trial,
    estimated,
    expected,
    nearest,
    recorded_runs,
    try_out,
    try_out_once,
    work_until,
)

SLOPE = scenes()["slope"].parameters


def trial_of(scene: str, cost: float = 1.0) -> Trial:
    """A trial of the first recorded run of a scene on a machine that takes `cost` times as long for a step."""
    recorded = recorded_runs(scene)[0].trial
    return Trial(recorded.step_cost * cost, recorded.dt, None, 0.0)


def test_every_record_rises_in_time_steps_and_work() -> None:
    for scene in scenes():
        for run in recorded_runs(scene):
            for earlier, later in zip(run.rows, run.rows[1:], strict=False):
                assert all(a <= b for a, b in zip(earlier, later, strict=True)), run.preset


def test_a_recorded_run_takes_its_time_in_proportion_to_the_cost_of_a_step() -> None:
    run = recorded_runs("slope")[0]
    length = estimated(trial_of("slope", 3.0), "slope", SLOPE.checked({}))
    assert length.simulated == run.rows[-1][0]
    assert length.seconds == pytest.approx(3.0 * run.trial.step_cost * run.rows[-1][2])
    assert length.factor == SAME


def test_a_run_that_is_stopped_earlier_takes_a_part() -> None:
    whole = estimated(trial_of("slope"), "slope", SLOPE.checked({}))
    half = estimated(trial_of("slope"), "slope", SLOPE.checked({}), until=0.5 * whole.simulated)
    assert half.simulated == 0.5 * whole.simulated
    assert half.seconds == pytest.approx(0.5 * whole.seconds, rel=0.3)
    assert work_until([(1.0, 10, 20.0), (3.0, 30, 80.0)], 2.0) == 50.0
    assert work_until([(1.0, 10, 20.0), (3.0, 30, 80.0)], math.inf) == 80.0


def test_other_parameters_widen_the_bound_and_scale_the_time() -> None:
    usual = estimated(trial_of("slope"), "slope", SLOPE.checked({}))
    longer = estimated(trial_of("slope"), "slope", SLOPE.checked({"duration": 2.0 * usual.simulated}))
    assert longer.factor == OTHER
    assert longer.simulated == pytest.approx(2.0 * usual.simulated, rel=0.01)
    assert longer.seconds == pytest.approx(2.0 * usual.seconds, rel=0.01)
    finer = Trial(trial_of("slope").step_cost, 0.5 * trial_of("slope").dt, None, 0.0)
    assert estimated(finer, "slope", SLOPE.checked({})).seconds == pytest.approx(2.0 * usual.seconds)


def test_a_scene_without_a_record_has_a_wide_bound() -> None:
    name = next((scene for scene in scenes() if not recorded_runs(scene)), None)
    if name is not None:
        made = estimated(Trial(1e-5, 1e-5, None, 0.0), name, scenes()[name].parameters.checked({}))
        assert made.factor == UNKNOWN
        assert expected(name, scenes()[name].parameters.checked({})) is None


def test_without_a_trial_the_bound_contains_other_machines() -> None:
    length = expected("slope", SLOPE.checked({}))
    assert length is not None
    assert length.factor == SAME * OTHER_MACHINE
    assert nearest("slope", SLOPE.checked({"friction_1": 0.7}))[1] == {"friction_1"}


def test_a_trial_measures_the_first_steps_only() -> None:
    trial, experiment = try_out("slope", {}, 1)
    assert trial.ended is None
    assert 0.0 < trial.step_cost < 0.1
    assert experiment.step <= TRIAL_STEPS


def test_the_trial_of_median_cost_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    _, experiment = try_out_once("slope", {}, 1)
    costs = iter((3e-6, 9e-6, 4e-6))
    monkeypatch.setattr(run_length, "try_out_once", lambda *_: (Trial(next(costs), 1e-5, None, 0.1), experiment))
    assert try_out("slope", {}, 1)[0].step_cost == 4e-6


def test_the_words_name_the_bound_and_nothing_finer_than_seconds() -> None:
    assert str(RunLength(5.0, 100.0, 1.25).words) == "about 100 s (80 s to 2 min) for 5 s of simulated time"
    assert str(RunLength(5.0, 0.1, 1.25).words) == "less than 3 s for 5 s of simulated time"
