"""Grains that a pull or push holds are neither judged to be at rest nor measured, in any scene and by no command."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim import Pull, Release, Simulation
from repose.sim.experiment import rest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Push
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, at_rest
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

from tests.english import english
from tests.reliability.runs import resumed, saved
from tests.tiers import tiered

SMALL = {"grain_count": 40, "width": 0.015}
LONG = rest.PATIENCE * rest.REST_TIME + 0.1
"""Time after which even slow grains with unbalanced forces rest [s]."""


def done(experiment: Experiment, *commands: Any) -> Experiment:
    for command in commands:
        assert not apply(experiment, command)
    return experiment


def wait(experiment: Experiment, time: float) -> None:
    end = experiment.time + time
    while experiment.time < end:
        advance(experiment, CHECK_STEPS)
        assert experiment.fault is None


def wait_for_rest(experiment: Experiment) -> None:
    """Wait until the heap rests, after its last avalanche for `LONG` at most."""
    end = experiment.time + 5.0 * LONG
    while experiment.phase != "rested" and experiment.time < end:
        wait(experiment, 0.1)


def lifted(experiment: Experiment, by: float) -> Pull:
    """The command that pulls the highest movable grain up by a height [m]."""
    world, up = experiment.run.world, experiment.scene.model.dimension - 1
    row = int(np.where(world.fixed, -np.inf, world.motion[up, 0]).argmax())
    position = world.motion[: up + 1, 0, row].copy()
    position[up] += by
    return Pull(int(world.sphere_id[row]), tuple(map(float, position)), 10.0)


def heap_in_flow() -> Experiment:
    """A heap whose wall was opened a while ago."""
    experiment = done(new_experiment("heap", SMALL), Act("fill"))
    while experiment.phase == "filling":
        advance(experiment, CHECK_STEPS)
    done(experiment, Act("open"))
    wait(experiment, 0.1)
    assert experiment.phase == "flowing"
    return experiment


def shown(experiment: Experiment) -> Snapshot:
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot


@pytest.mark.parametrize(
    "scene",
    tiered(
        ["heap", "heap3d", "clumps", "joined", "vessel", "hourglass_glass", "silo"],
        fast={"heap", "hourglass_glass"},
    ),
)
def test_a_phase_that_ends_at_rest_goes_on_while_a_grain_is_held(scene: str) -> None:
    """Every scene waits for rest by the rule or at most for a longest wait; neither ends while the hand holds."""
    experiment = new_experiment(scene, scenes()[scene].test_values)
    last = {"hourglass_glass": "filling", "silo": "filling"}.get(scene, "flowing")
    if last == "flowing":
        done(experiment, Act("run"))
    while experiment.phase != last or not rest.is_slow(experiment):
        advance(experiment, CHECK_STEPS)
    done(experiment, lifted(experiment, 3.0 * float(experiment.run.world.radius.max())))
    wait(experiment, 4.0)  # longer than every longest wait of these scenes
    assert experiment.phase == last
    assert not at_rest(experiment)
    before = experiment.run.state.waits_cut_short
    done(experiment, Release())
    began = experiment.time
    while experiment.phase == last:
        advance(experiment, CHECK_STEPS)
    assert experiment.time - began >= rest.REST_TIME - CHECK_STEPS * experiment.dt
    assert experiment.run.state.waits_cut_short == before


@pytest.mark.parametrize("kind", ["pull", "push"])
def test_a_heap_that_is_held_is_not_measured_by_any_means(kind: str) -> None:
    experiment = heap_in_flow()
    command = lifted(experiment, 0.02)
    if kind == "push":
        command = Push((0.0, 0.004), 0.003, 50.0, 1.0, True)
    done(experiment, command)
    assert holds(experiment.run)
    wait(experiment, LONG)
    assert experiment.phase == "flowing"
    refusal = apply(experiment, Act("measure"))
    assert str(refusal) == "The hand still holds grains: let them go, then 'Measure' is possible."
    now = shown(experiment)
    (measure,) = (action for action in now.run.actions if action.name == "measure")
    assert (measure.enabled, measure.obstacle) == (False, refusal)
    assert now.results.slope is None
    assert math.isnan(experiment.run.series.last("angle"))
    done(experiment, Release(), Act("measure"))
    wait(experiment, LONG)
    assert experiment.phase == "rested"
    assert math.isfinite(experiment.run.series.last("angle"))


def test_a_heap_at_rest_whose_grain_is_lifted_is_not_said_to_be_at_rest() -> None:
    experiment = heap_in_flow()
    wait_for_rest(experiment)
    assert str(shown(experiment).run.phase_label).startswith("at rest: ")
    world = experiment.run.world
    command = lifted(experiment, 0.0)
    for height in np.linspace(0.0, 0.01, 30):  # so slowly that the mean speed stays below that of a heap that moves
        position = (command.position[0], command.position[1] + float(height))
        done(experiment, Pull(command.sphere_id, position, command.limit))
        wait(experiment, 0.05)
    assert experiment.phase == "rested"
    now = shown(experiment)
    assert english((now.run.phase_label, now.run.at_rest)) == (
        f"moved by hand: {int((~world.fixed).sum())} grains left",
        False,
    )
    assert {action.name for action in now.run.actions if action.obstacle} == {"tilt", "trickle", "measure"}
    assert "let them go" in str(apply(experiment, Act("tilt")))
    done(experiment, Release())
    wait_for_rest(experiment)  # the grain that falls back can set others in motion
    assert str(shown(experiment).run.phase_label).startswith("at rest: ")
    assert not any(action.obstacle for action in shown(experiment).run.actions)


def test_scripts_measure_nothing_while_they_pull_and_are_told_that_a_run_has_no_end() -> None:
    experiment = Simulation("heap", SMALL)
    experiment.experiment = heap_in_flow()
    assert experiment.measure() is not None
    experiment.apply(lifted(experiment.experiment, 0.02))
    assert experiment.measure() is None
    assert experiment.results()["measurements"]["angle"] is None
    until = experiment.time + LONG
    assert experiment.run(until=until)["phase"] == "flowing"
    with pytest.raises(ParameterError, match=r"the hand still holds grains: apply Release\(\) first, or give a time"):
        experiment.run()
    experiment.apply(Release())
    assert experiment.run()["phase"] == "rested"
    assert experiment.measure() is not None


def test_grains_that_are_added_one_by_one_wait_for_the_hand() -> None:
    experiment = new_experiment("heap", {**SMALL, "trickle_count": 3})
    done(experiment, Act("run"))
    while experiment.phase != "rested":
        advance(experiment, CHECK_STEPS)
    done(experiment, Act("trickle"))
    wait(experiment, 0.02)
    done(experiment, lifted(experiment, 0.02))
    wait(experiment, 3.0)
    assert (experiment.phase, experiment.run.state.other.trickled) == ("trickling", 1)
    done(experiment, Release())
    wait(experiment, 0.01)
    assert experiment.run.state.other.trickled == 1, "the grain that was let go still falls"
    while experiment.phase == "trickling":
        advance(experiment, CHECK_STEPS)
    assert experiment.run.state.other.trickled == 3


def test_the_time_of_the_hand_is_part_of_a_saved_run() -> None:
    experiment = heap_in_flow()
    done(experiment, lifted(experiment, 0.02))
    wait(experiment, 0.3)
    done(experiment, Release())
    wait(experiment, 0.05)
    again = resumed(saved(experiment))
    assert again.run.held_until == experiment.run.held_until > 0.0
    for run in (experiment, again):
        while run.phase == "flowing":
            advance(run, CHECK_STEPS)
    assert again.step == experiment.step
