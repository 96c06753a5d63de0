"""Repeated runs in the window: their results, their display, and stopping them."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repose.app.ui.repeats import RUNS, Repeats
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Command, KeepMeasured
from repose.sim.experiment.comparison import Point
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import conditions
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterSet
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task
from repose.sim.study.quantities import read

from tests.app.ui.panels.panel_harness import full_snapshot, open_harness
from tests.english import english

ANGLES = (11.0, 12.0, 13.0, 14.0, 15.0)


def writes(angles: tuple[float | None, ...]) -> Callable[..., None]:
    """Stands for the processes: each run ends with the next of these angles [°]; None is a run that is lost."""

    def run_all(tasks: list[Task], processes: int, *, on_progress: Any, on_end: Any) -> None:
        for task, angle in zip(tasks, angles, strict=True):
            if angle is not None:
                point = {"value": angle, "error": 1.2, "unit": "°", "aside": {}}
                task.path.write_text(json.dumps({"point": point}))
            on_end(task, "" if angle is not None else "its process was killed by signal 9")
            on_progress("", 1.0)

    return run_all


def repeated(angles: tuple[float | None, ...], parameters: ParameterSet) -> tuple[Repeats, list[Command]]:
    sent: list[Command] = []
    repeats = Repeats(sent.append, writes(angles))
    repeats.start("heap", parameters, seed=7)
    assert repeats._thread is not None
    repeats._thread.join(30.0)
    return repeats, sent


def test_the_mean_over_runs_has_the_scatter_of_the_runs_as_its_error() -> None:
    parameters = scenes()["heap"].parameters(friction=0.2)
    repeats, sent = repeated(ANGLES, parameters)
    row = repeats.mean("heap", parameters)
    assert row is not None
    assert (row.runs, row.at) == (RUNS, 0.2)
    assert math.degrees(row.value) == pytest.approx(13.0)
    assert math.degrees(row.error) == pytest.approx(math.sqrt(2.5 / 5.0))
    assert [command.points[0].at for command in sent if isinstance(command, KeepMeasured)] == [0.2] * RUNS
    other = parameters.changed(shear_stiffness=5.0)
    assert repeats.mean("heap", other) is None, "the mean of other parameters is shown"


def test_a_run_without_result_is_named_and_the_others_count() -> None:
    parameters = scenes()["heap"].parameters()
    repeats, _ = repeated((11.0, None, 13.0, 12.0, 12.0), parameters)
    row = repeats.mean("heap", parameters)
    assert row is not None
    assert row.runs == RUNS - 1
    assert "seed 8" in str(repeats.trouble)
    assert "killed by signal 9" in str(repeats.trouble)


def test_stopping_ends_the_runs_and_keeps_those_that_have_ended() -> None:
    ended, go_on = threading.Event(), threading.Event()

    def run_all(tasks: list[Task], processes: int, *, on_progress: Any, on_end: Any) -> None:
        writes((11.0, 12.0))(tasks[:2], processes, on_progress=on_progress, on_end=on_end)
        ended.set()
        assert go_on.wait(30.0)
        on_progress("", 0.4)
        raise AssertionError("it goes on although it was stopped")

    parameters = scenes()["heap"].parameters()
    repeats = Repeats(lambda command: None, run_all)
    repeats.start("heap", parameters, seed=1)
    assert ended.wait(30.0)
    repeats.stop()
    go_on.set()
    repeats.end()
    row = repeats.mean("heap", parameters)
    assert english((repeats.running, repeats.trouble)) == (False, "")
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

        def run_all(tasks: list[Task], processes: int, **callbacks: Any) -> None:
            callbacks["on_progress"]("", 0.2)
            assert go_on.wait(30.0)
            writes(ANGLES)(tasks, processes, **callbacks)

        harness.ui.work.repeats = Repeats(harness.commands.append, run_all)
        before = dict(harness.widgets)
        harness.click("repeat.start")
        assert {"repeat.progress", "repeat.stop"} <= harness.widgets.keys()
        thread = harness.ui.work.repeats._thread
        assert thread is not None
        go_on.set()
        thread.join(30.0)
        harness.frame(3)
        assert sum(isinstance(command, KeepMeasured) for command in harness.commands) == RUNS
        assert harness.widgets.pop("repeat.result")
        assert harness.widgets == before
        assert harness.ui.program.broken == {}
