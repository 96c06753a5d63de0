"""The clock may stop while nothing moves until a command, and goes on with every command."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.experiment import rest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.rest import REST_TIME
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, at_rest, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.measure.unbalanced_force import unbalanced_force
from repose.sim.registry import scenes
from repose.sim.scenes.lecture.disc_scene import lies_in_balance

from tests.sim.experiment.test_runner import until

SMALL = {"grain_count": 40, "width": 0.015}


def shown_at_rest(experiment: Experiment) -> bool:
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot.run.at_rest


MOVES_ALL = {"drum", "silo"}
"""Scenes whose course moves all grains at once, so that it does not wait for one that rolls on."""


@pytest.mark.parametrize(
    ("scene", "action", "phase"),
    [
        ("heap", "run", "rested"),
        pytest.param("heap3d", "run", "rested", marks=pytest.mark.slow),
        pytest.param("clumps", "run", "rested", marks=pytest.mark.slow),
        ("joined", "run", "rested"),
        ("vessel", "run", "rested"),
        ("hourglass_glass", "", "filled"),
        ("drum", "", "filled"),
        ("silo", "", "filled"),
    ],
)
def test_grains_rest_by_one_rule_in_every_scene(scene: str, action: str, phase: str) -> None:
    experiment = new_experiment(scene, scenes()[scene].test_values)
    if action:
        apply(experiment, Act(action))
    moved, count = 0.0, 0
    while experiment.phase != phase:
        advance(experiment, CHECK_STEPS)
        world = experiment.run.world
        if not rest.is_slow(experiment) or world.sphere_count != count:
            moved, count = experiment.time, world.sphere_count
    quiet = experiment.time - moved
    assert quiet >= REST_TIME - 1e-9
    balanced = unbalanced_force(experiment.run.world) < rest.BALANCED
    assert balanced or quiet >= rest.PATIENCE * REST_TIME - 1e-9
    still = rest.still_time(experiment) >= REST_TIME - 1e-9 or quiet >= rest.ROLLS * REST_TIME - 1e-9
    assert still or (balanced and scene in MOVES_ALL)
    assert results_of(experiment)["rule_of_rest"]["no_grain_left_for"] == REST_TIME


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_grain_leaves_the_default_heap_after_the_rule_of_rest(seed: int) -> None:
    """At the first mean speed below the settle speed 16 and 27 grains still leave (seeds 1 and 2)."""
    experiment = new_experiment("heap", ready="column", seed=seed)
    result = run_experiment(experiment)
    left, began = result["grains_left"], experiment.time
    while experiment.time < began + 3.0:
        advance(experiment, CHECK_STEPS)
    assert experiment.phase == "rested"
    assert experiment.scene.course.results(experiment)["grains_left"] == left


def test_the_clock_does_not_stop_in_a_pause_of_the_motion() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        advance(experiment, 200)
    apply(experiment, Act("open"))
    while not at_rest(experiment):
        advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    world.motion[0, 1, ~world.fixed] = 2.0 * experiment.parameters.settle_speed
    advance(experiment, CHECK_STEPS - experiment.step % CHECK_STEPS)
    moved = experiment.time
    while not at_rest(experiment):
        if not rest.is_slow(experiment):
            moved = experiment.time
        advance(experiment, CHECK_STEPS)
    assert experiment.time - moved >= REST_TIME - 1e-9


def test_one_grain_that_moves_slowly_is_not_at_rest_although_the_means_are() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    while not is_finished(experiment) or not at_rest(experiment):
        advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    assert rest.all_still(world)
    quiet = experiment.run.state.quiet_since
    (highest,) = np.flatnonzero(world.motion[1, 0] == world.motion[1, 0, ~world.fixed].max())
    radius = world.radius[highest]
    for path, still in ((1.1, False), (0.9, True)):
        world.motion[0, 1, highest] = path * rest.STILL * radius / REST_TIME
        assert rest.is_slow(experiment)
        assert rest.all_still(world) == still
    world.motion[0, 1, highest] = 2.0 * rest.STILL * radius / REST_TIME
    rest.note_motion(experiment)
    assert (experiment.run.state.quiet_since, experiment.run.state.still_since) == (quiet, experiment.time)
    assert not rest.rests(experiment, 0.0)
    assert not at_rest(experiment)
    assert rest.is_at_rest(world, 0.3) != rest.is_at_rest(world, 0.3, still=0.2)
    assert rest.is_at_rest(world, 1.01 * rest.ROLLS * REST_TIME, still=0.0), "a grain that rolls without end"


@pytest.mark.parametrize("scene", ["silo", "brazil_nut", "janssen"])
def test_the_clock_does_not_stop_while_a_grain_falls_after_the_end_of_a_course(scene: str) -> None:
    experiment = new_experiment(scene, scenes()[scene].test_values)
    apply(experiment, Act("run"))
    while not at_rest(experiment):
        advance(experiment, CHECK_STEPS)
    world, gravity = experiment.run.world, np.linalg.norm(experiment.engine.gravity)
    acceleration = np.linalg.norm(world.motion[: world.dimension, 2, ~world.fixed], axis=0)
    assert acceleration.max() < rest.FALLS * gravity
    highest = np.flatnonzero(~world.fixed)[np.argmax(world.motion[1, 0, ~world.fixed])]
    world.motion[:2, 2, highest] = experiment.engine.gravity  # put into the air, where it begins to fall
    world.motion[1, 0, highest] += 4.0 * world.radius[highest]
    forget_neighbours(world)
    reset_displacements(world)
    assert rest.is_slow(experiment)
    assert not at_rest(experiment)
    fallen = world.motion[1, 0, highest]
    while not at_rest(experiment):
        advance(experiment, CHECK_STEPS)
    assert experiment.run.world.motion[1, 0, highest] < fallen - world.radius[highest]


@pytest.mark.parametrize("scene", ["silo", "drum", "brazil_nut"])
def test_a_course_does_not_begin_while_one_of_many_grains_falls(scene: str) -> None:
    experiment = new_experiment(scene)  # with its stored packing
    while not lies_in_balance(experiment, 0.0):
        advance(experiment, CHECK_STEPS)
    world = experiment.run.world
    highest = np.flatnonzero(~world.fixed)[np.argmax(world.motion[1, 0, ~world.fixed])]
    world.motion[:2, 2, highest] = experiment.engine.gravity
    assert rest.is_slow(experiment)
    assert not lies_in_balance(experiment, 0.0)


def test_a_prepared_column_is_at_rest_until_its_wall_is_opened() -> None:
    experiment = new_experiment("heap", ready="column")
    assert at_rest(experiment)
    assert shown_at_rest(experiment)
    apply(experiment, Act("open"))
    assert not at_rest(experiment)
    assert not shown_at_rest(experiment)


def test_a_reset_column_is_at_rest_as_at_the_beginning() -> None:
    experiment = new_experiment("heap", ready="column")
    apply(experiment, Act("open"))
    advance(experiment, 100)
    apply(experiment, Act("reset"))
    assert experiment.time == 0.0
    assert at_rest(experiment), "the clock runs although nothing moves"


def test_grains_that_are_filled_come_to_rest_and_a_tilt_lets_the_clock_run_again() -> None:
    experiment = new_experiment("heap", SMALL)
    assert at_rest(experiment)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        assert not at_rest(experiment)
        advance(experiment, 200)
    while not at_rest(experiment):
        assert experiment.time < 10.0
        advance(experiment, 100)
    apply(experiment, SetParameters({"tilt": math.radians(1.0)}))
    assert not at_rest(experiment)
    began = experiment.time
    while not at_rest(experiment):
        advance(experiment, 100)
    assert experiment.time - began >= REST_TIME - 1e-9


def test_grains_that_drift_without_weight_are_not_at_rest() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("run"))
    while not is_finished(experiment):
        advance(experiment, 200)
    assert experiment.phase == "rested"
    assert str(experiment.scene.course.describe(experiment)[1]).startswith("at rest: ")
    apply(experiment, SetParameters({"gravity": 0.0}))
    began = experiment.time
    while experiment.time < began + 4.0 * REST_TIME:
        advance(experiment, 100)
    assert experiment.phase == "rested"
    assert 0.0 < mean_speed(experiment.run.world) < experiment.parameters.settle_speed
    assert not at_rest(experiment)
    assert str(experiment.scene.course.describe(experiment)[1]).startswith("drifting: ")


def test_the_runner_stops_at_rest_except_for_single_steps_and_continues_after_a_command() -> None:
    runner = Runner(lambda: new_experiment("heap", SMALL))
    runner.stop_at_rest(True)
    runner.start()
    try:
        until(lambda: not runner.latest().engine.compiling and runner.latest().serial > 5)
        assert (runner.latest().run.step, runner.latest().run.at_rest, runner.latest().engine.paused) == (
            0,
            True,
            False,
        )
        runner.single_step(3)
        until(lambda: runner.latest().run.step == 3)
        runner.pause(False)
        runner.send(Act("fill"))
        until(lambda: runner.latest().run.step > 100)
        assert not runner.latest().run.at_rest
    finally:
        runner.stop()


@pytest.mark.parametrize("watched", [0, 50, 137])
def test_run_all_begins_at_step_0_however_long_the_container_was_watched(watched: int) -> None:
    for values, ready in (({**SMALL, "friction": 0.3}, None), ({"friction": 0.3}, "column")):
        lecturer = new_experiment("heap", {**values, "friction": 0.1}, ready=ready)
        advance(lecturer, watched)
        apply(lecturer, SetParameters({"friction": 0.3}))
        advance(lecturer, watched)
        headless = new_experiment("heap", values, ready=ready)
        for experiment in (lecturer, headless):
            assert not apply(experiment, Act("run"))
            assert experiment.step == 0
            advance(experiment, 150)
        assert state_hash(lecturer.run) == state_hash(headless.run)


def test_a_column_that_was_poured_is_kept_when_the_rest_runs_by_itself() -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, Act("fill"))
    while not is_finished(experiment):
        advance(experiment, 200)
    filled = experiment.step
    apply(experiment, Act("run"))
    assert (experiment.phase, experiment.step) == ("flowing", filled)


@pytest.mark.parametrize("batch", [7, 61, 1000])
def test_the_clock_stops_at_a_step_that_does_not_depend_on_the_size_of_batches(batch: int) -> None:
    experiment = new_experiment("heap", SMALL)
    apply(experiment, SetParameters({"tilt": math.radians(1.0)}))
    while advance(experiment, batch, to_rest=True) == batch:
        pass
    checks = math.ceil(REST_TIME / experiment.dt / CHECK_STEPS - 1e-9)
    assert experiment.step == checks * CHECK_STEPS


def test_the_runner_stops_the_clock_at_a_step_that_depends_on_the_run_only() -> None:
    runner = Runner(lambda: new_experiment("heap", SMALL))
    runner.stop_at_rest(True)
    runner.start()
    try:
        until(lambda: not runner.latest().engine.compiling and runner.latest().serial > 5)
        runner.send(SetParameters({"tilt": math.radians(1.0)}))
        until(lambda: runner.latest().run.step > 0 and runner.latest().run.at_rest)
        dt = runner.latest().run.dt
        assert runner.latest().run.step == math.ceil(REST_TIME / dt / CHECK_STEPS - 1e-9) * CHECK_STEPS
    finally:
        runner.stop()
