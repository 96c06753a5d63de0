"""Snapshots are data: another process reads them without the program that made them."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.parameter_values import parameters_of, values_of
from repose.sim.experiment.snapshot import NO_PARAMETERS, ShownRun, Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.registry import scenes

from tests.small_worlds import use_plain_engine
from tests.snapshots import not_data

READ = """
import pickle, sys
import repose.sim.experiment
snapshots = pickle.load(sys.stdin.buffer)
foreign = [name for name in sys.modules if name.startswith(("repose.sim.scenes", "repose.app", "numba"))]
print(sorted((shot.run.scene, len(shot.grains.position), str(shot.run.phase_label)) for shot in snapshots), foreign)
"""


@pytest.fixture(scope="module")
def snapshots() -> Iterator[list[Snapshot]]:
    """A snapshot of every scene, with contacts and their forces."""
    with pytest.MonkeyPatch.context() as patch:
        use_plain_engine(patch)
        yield [snapshot_of_scene(name) for name in scenes()]


def snapshot_of_scene(name: str) -> Snapshot:
    """A snapshot of a scene at its beginning, and of one beside it."""
    shots = [Snapshot(), Snapshot()]
    for shot in shots:
        take_snapshot(new_experiment(name, scenes()[name].test_values), shot, forces=True)
    shots[0].beside = (shots[1],)
    return shots[0]


def test_snapshots_of_all_scenes_have_no_function_and_no_class_made_at_run_time(snapshots: list[Snapshot]) -> None:
    assert {shot.run.scene: not_data(shot) for shot in snapshots if not_data(shot)} == {}


@pytest.mark.parametrize("name", ["function", "parameters", "method"])
def test_what_is_not_data_is_found(name: str) -> None:
    parameters = scenes()["heap"].parameters.checked({"law": "memoryless"})
    value: Any = {"function": math.sqrt, "parameters": parameters, "method": "a".upper}[name]
    assert not_data(Snapshot(run=replace(ShownRun(), ready=value))) == ["snapshot.run.ready"]


def test_a_process_without_scenes_reads_the_snapshots_of_all_scenes(snapshots: list[Snapshot]) -> None:
    read = subprocess.run([sys.executable, "-c", READ], input=pickle.dumps(snapshots), capture_output=True, check=False)
    assert read.stderr.decode() == ""
    wanted = sorted((shot.run.scene, len(shot.grains.position), str(shot.run.phase_label)) for shot in snapshots)
    assert read.stdout.decode() == f"{wanted} []\n"


@pytest.mark.parametrize("scene", scenes())
def test_the_parameters_of_a_snapshot_are_those_of_the_experiment(scene: str) -> None:
    given = scenes()[scene].parameters.checked(scenes()[scene].test_values)
    run = ShownRun(scene=scene, parameters=values_of(given))
    found = parameters_of(run)
    assert found == given
    assert found is not None
    assert (type(found), found.model_fields_set, found.surfaces) == (
        type(given),
        given.model_fields_set,
        given.surfaces,
    )
    assert parameters_of(run) is found


def test_a_value_that_follows_from_others_still_follows() -> None:
    heap = scenes()["heap"].parameters.checked({"grain_count": 60})
    found = parameters_of(ShownRun(scene="heap", parameters=values_of(heap)))
    assert found is not None
    assert found.changed(grain_count=600) == heap.changed(grain_count=600)


def test_parameters_are_unknown_before_an_experiment_and_without_the_scene() -> None:
    assert parameters_of(ShownRun(scene="heap", parameters=NO_PARAMETERS)) is None
    assert (
        parameters_of(ShownRun(scene="of a plug-in that is gone", parameters=values_of(scenes()["heap"].parameters())))
        is None
    )
