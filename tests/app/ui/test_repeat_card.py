"""Repeated runs in the window, a study with one value: their results, their display, and stopping them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repose.app.ui.studies import REPEATED, Studies, repetition
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Command, KeepMeasured
from repose.sim.experiment.comparison import Point, Row
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import conditions
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task
from repose.sim.study.quantities import read
from repose.sim.study.runs_on_disk import StudyRuns

from tests.app.ui.panels.panel_harness import full_snapshot, open_harness
from tests.app.ui.test_studies import result_of
from tests.english import english

ANGLES = (11.0, 12.0, 13.0, 14.0, 15.0)


def ends(angles: tuple[float | None, ...]) -> Callable[..., None]:
    """Stands for the processes: each run ends with the next of these angles [°]; None is a run that is lost."""

    def do(runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        for task, angle in zip(missing, angles, strict=True):
            if angle is not None:
                runs.results[task.path.name] = result_of(task, angle)
            on_end(task, runs.results.get(task.path.name), "" if angle is not None else "killed by signal 9")
            on_progress("", 1.0)

    return do


def repeated(folder: Path, angles: tuple[float | None, ...], parameters: ParameterSet) -> tuple[Studies, list[Command]]:
    sent: list[Command] = []
    repeats = Studies(sent.append, lambda: folder, ends(angles))
    repeats.start(lambda: repetition("heap", parameters, seed=7))
    repeats.runs.wait(30.0)
    return repeats, sent


def mean_of(repeats: Studies, parameters: ParameterSet) -> Row | None:
    return repeats.mean(repetition("heap", parameters, seed=7))


def test_the_mean_over_runs_has_the_scatter_of_the_runs_as_its_error(tmp_path: Path) -> None:
    parameters = scenes()["heap"].parameters(friction=0.2)
    repeats, sent = repeated(tmp_path, ANGLES, parameters)
    row = mean_of(repeats, parameters)
    assert row is not None
    assert (row.runs, row.at) == (REPEATED, 0.2)
    assert math.degrees(row.value) == pytest.approx(13.0)
    assert math.degrees(row.error) == pytest.approx(math.sqrt(2.5 / 5.0))
    assert [command.points[0].at for command in sent if isinstance(command, KeepMeasured)] == [0.2] * REPEATED
    other = parameters.changed(shear_stiffness=5.0)
    assert mean_of(repeats, other) is None, "the mean of other parameters is shown"


def test_a_run_without_result_is_named_and_the_others_count(tmp_path: Path) -> None:
    parameters = scenes()["heap"].parameters()
    repeats, _ = repeated(tmp_path, (11.0, None, 13.0, 12.0, 12.0), parameters)
    row = mean_of(repeats, parameters)
    assert row is not None
    assert row.runs == REPEATED - 1
    assert "seed 8" in str(repeats.runs.trouble)
    assert "killed by signal 9" in str(repeats.runs.trouble)


def test_stopping_ends_the_runs_and_keeps_those_that_have_ended(tmp_path: Path) -> None:
    ended, go_on = threading.Event(), threading.Event()

    def do(runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        ends((11.0, 12.0))(runs, missing[:2], workers, on_progress, on_end)
        ended.set()
        assert go_on.wait(30.0)
        on_progress("", 0.4)
        raise AssertionError("it goes on although it was stopped")

    parameters = scenes()["heap"].parameters()
    repeats = Studies(lambda command: None, lambda: tmp_path, do)
    repeats.start(lambda: repetition("heap", parameters, seed=1))
    assert ended.wait(30.0)
    repeats.runs.stop()
    go_on.set()
    repeats.runs.end()
    row = mean_of(repeats, parameters)
    assert english((repeats.runs.running, repeats.runs.trouble)) == (False, "")
    assert row is not None
    assert row.runs == 2


def test_repeated_runs_are_added_to_those_of_the_session() -> None:
    experiment = new_experiment("heap", {"grain_count": 3, "width": 0.02})
    same = conditions(experiment)
    found = {"parameters": experiment.parameters.model_dump(), "ready": None}
    point = {"value": 12.6, "error": 0.6, "unit": "°", "aside": {}}
    repeated = read("heap", "angle_of_repose", {**found, "point": point}, 0.1)
    assert repeated is not None
    points = (Point(0.1, 0.20, 0.01, {}, same), repeated)
    assert not apply(experiment, KeepMeasured("heap", points))
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert snapshot.results.comparison is not None
    assert english(snapshot.results.comparison.table[1][:2]) == ("0.1", "2")
    assert not apply(experiment, KeepMeasured("hourglass", (Point(0.1, 110.0, 1.0),)))
    assert len(experiment.session.measured["heap"]) == 2


def test_the_button_starts_the_runs_and_nothing_moves_when_they_end(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot()) as harness:
        go_on = threading.Event()

        def do(runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
            on_progress("", 0.2)
            assert go_on.wait(30.0)
            ends(ANGLES)(runs, missing, workers, on_progress, on_end)

        harness.ui.work.repeats = Studies(harness.commands.append, lambda: tmp_path / "studies", do)
        before = dict(harness.widgets)
        harness.click("repeat.start")
        assert {"repeat.progress", "repeat.stop"} <= harness.widgets.keys()
        go_on.set()
        harness.ui.work.repeats.runs.wait(30.0)
        harness.frame(3)
        assert sum(isinstance(command, KeepMeasured) for command in harness.commands) == REPEATED
        assert harness.widgets.pop("repeat.result")
        assert harness.widgets == before
        assert harness.ui.program.broken == {}
