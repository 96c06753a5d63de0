"""The clock may stop while nothing moves until a command, and goes on with every command."""

from __future__ import annotations

import math

from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import REST_TIME, advance, at_rest, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.sim.experiment.test_runner import until

SMALL = {"grain_count": 40, "width": 0.015}


def shown_at_rest(experiment: Experiment) -> bool:
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot.at_rest


def test_a_prepared_column_is_at_rest_until_its_wall_is_opened() -> None:
    experiment = new_experiment("heap", ready="column")
    assert at_rest(experiment)
    assert shown_at_rest(experiment)
    apply(experiment, Act("open"))
    assert not at_rest(experiment)
    assert not shown_at_rest(experiment)


def test_grains_that_are_filled_come_to_rest_and_a_tilt_lets_the_clock_run_again() -> None:
    experiment = new_experiment("heap", SMALL)
    assert at_rest(experiment)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        assert not at_rest(experiment)
        advance(experiment, 200)
    advance(experiment, 100)
    assert at_rest(experiment)
    apply(experiment, SetParameters({"tilt": math.radians(1.0)}))
    assert not at_rest(experiment)
    began = experiment.time
    while not at_rest(experiment):
        advance(experiment, 100)
    assert experiment.time - began >= REST_TIME - 1e-9


def test_the_runner_stops_at_rest_except_for_single_steps_and_continues_after_a_command() -> None:
    runner = Runner(lambda: new_experiment("heap", SMALL))
    runner.stop_at_rest(True)
    runner.start()
    try:
        until(lambda: not runner.latest().compiling and runner.latest().serial > 5)
        assert (runner.latest().step, runner.latest().at_rest, runner.latest().paused) == (0, True, False)
        runner.single_step(3)
        until(lambda: runner.latest().step == 3)
        runner.pause(False)
        runner.send(Act("fill"))
        until(lambda: runner.latest().step > 100)
        assert not runner.latest().at_rest
    finally:
        runner.stop()
