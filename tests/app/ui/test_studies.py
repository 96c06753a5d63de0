"""Studies from the window: requests, results as runs end, earlier results beside them, stopping, the panel."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.ui.explanation import Explained
from repose.app.ui.panels import study as panel
from repose.app.ui.studies import REPEATED, Studies, StudyForm, candidates, repetition
from repose.sim.experiment.commands import Command, KeepMeasured
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task
from repose.sim.study.runs_on_disk import StudyRuns

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.english import english
from tests.snapshots import put

HEAP = scenes()["heap"].parameters


def result_of(task: Task, angle: float) -> dict[str, Any]:
    """A result as a run writes it, of a heap with this angle [°]."""
    return {
        "scene": task.scene,
        "seed": task.seed,
        "version": metadata.version("repose"),
        "parameters": scenes()[task.scene].parameters.checked(task.values).model_dump(),
        "point": {"value": angle, "error": 1.0, "unit": "°", "aside": {}},
        "grains_left": 80 + task.seed,
    }


def runs(angle: Callable[[Task], float], seen: list[int] | None = None) -> Callable[..., None]:
    """Stands for the processes: every run ends at once with that angle."""

    def do(study_runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        if seen is not None:
            seen.append(len(missing))
        for task in missing:
            found = result_of(task, angle(task))
            task.path.write_text(json.dumps(found))
            study_runs.results[task.path.name] = found
            on_end(task, found, "")
            on_progress(task.name, 0.5)

    return do


def by_friction(task: Task) -> float:
    """10° per 0.1 of friction, one degree between seeds."""
    return 100.0 * task.values["friction"] + task.seed


def finished(studies: Studies, form: StudyForm | None = None, **values: Any) -> Studies:
    form = form or StudyForm(low="0.1", high="0.3", count=2, seeds=2)
    studies.start(lambda: form.plan("heap", HEAP.checked(values)))
    studies.runs.wait(30.0)
    return studies


def of(
    folder: Path, do: Callable[..., None], sent: list[Command] | None = None, kept: set[str] | None = None
) -> Studies:
    return Studies((sent if sent is not None else []).append, lambda: folder, do, set() if kept is None else kept)


def test_a_study_draws_means_with_the_scatter_over_seeds(tmp_path: Path) -> None:
    sent: list[Command] = []
    studies = finished(of(tmp_path, runs(by_friction), sent), StudyForm(low="0.1", high="0.3", count=3, seeds=3))
    assert english((studies.runs.trouble, studies.runs.done, studies.runs.total, studies.runs.share)) == ("", 9, 9, 1.0)
    curve = studies.curve()
    assert curve is not None
    mean = next(line for line in curve.lines if line.error is not None)
    assert mean.x == pytest.approx([0.1, 0.2, 0.3])
    assert mean.y == pytest.approx([12.0, 22.0, 32.0])
    assert mean.error == pytest.approx([1.0 / np.sqrt(3.0)] * 3)
    kept = [command.points[0].at for command in sent if isinstance(command, KeepMeasured)]
    assert sorted(kept) == pytest.approx([0.1] * 3 + [0.2] * 3 + [0.3] * 3)


def test_the_same_study_again_does_only_the_runs_that_are_missing(tmp_path: Path) -> None:
    seen: list[int] = []
    finished(of(tmp_path, runs(by_friction, seen)), StudyForm(low="0.1", high="0.3", count=2, seeds=2))
    again = finished(of(tmp_path, runs(by_friction, seen)), StudyForm(low="0.1", high="0.3", count=2, seeds=3))
    assert seen == [4, 2]
    assert (again.runs.done, again.runs.total) == (6, 6)
    assert again.curve() is not None
    whole = finished(of(tmp_path, runs(by_friction, seen)), StudyForm(low="0.1", high="0.3", count=2, seeds=3))
    assert seen == [4, 2]
    assert whole.runs.share == 1.0


def test_earlier_results_stay_on_the_plot_with_what_was_different(tmp_path: Path) -> None:
    studies = of(tmp_path, runs(by_friction))
    finished(studies, shear_stiffness=5.0)
    finished(studies)
    curve = studies.curve()
    assert curve is not None
    means = [line for line in curve.lines if line.error is not None]
    assert english([line.label for line in means]) == ["mean", "k_s = 5 N/m"]
    assert len({line.group for line in means}) == 2, "equal colours in pictures"
    studies.forget()
    assert studies.curve() is None
    assert [*tmp_path.rglob("*.json")], "the files of runs were deleted"


def test_stopping_keeps_the_runs_that_have_ended(tmp_path: Path) -> None:
    one, go_on = threading.Event(), threading.Event()

    def do(study_runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        runs(by_friction)(study_runs, missing[:1], workers, lambda words, share: None, on_end)
        one.set()
        assert go_on.wait(30.0)
        on_progress("", 0.2)
        raise AssertionError("the study goes on after it was stopped")

    studies = of(tmp_path, do)
    studies.start(lambda: StudyForm(low="0.1", high="0.3", count=2, seeds=2).plan("heap", HEAP()))
    assert one.wait(30.0)
    studies.runs.stop()
    go_on.set()
    studies.runs.end()
    assert english((studies.runs.running, studies.runs.done, studies.runs.trouble)) == (False, 1, "")
    curve = studies.curve()
    assert curve is not None
    assert str(curve.heading) == "θ(μ), 2 seeds: 1 of 4 runs", "the head promises seeds that have not been run"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"low": "0.3", "high": "0.1"}, "From 0.3 to 0.1 is refused"),
        ({"low": "0.2", "high": "0.2"}, "must count up"),
        ({"low": "steep"}, "'steep' is refused: type a number"),
        ({"low": "0.1", "high": "9"}, "friction = 9 is refused: it must be 0 to 2"),
    ],
)
def test_a_range_that_cannot_be_is_refused_in_a_sentence(tmp_path: Path, asked: dict, words: str) -> None:
    studies = finished(of(tmp_path, runs(by_friction)), StudyForm(**asked))
    assert words in str(studies.runs.trouble)
    assert not [*tmp_path.iterdir()]


def test_a_scene_without_a_quantity_is_refused() -> None:
    with pytest.raises(ParameterError, match="no quantity"):
        StudyForm().plan("bounce", scenes()["bounce"].parameters())


def test_only_numbers_with_a_range_are_offered_and_typed_in_the_shown_unit() -> None:
    able = candidates(HEAP())
    assert {"friction", "grain_count", "gravity"} <= set(able)
    assert not {"dt", "law", "integrator", "method"} & set(able)
    plan = StudyForm(over="base_radius", low="0.25", high="1", count=4).plan("heap", HEAP())
    assert plan.grid["base_radius"] == pytest.approx((2.5e-4, 5e-4, 7.5e-4, 1e-3))
    grains = StudyForm(over="grain_count", low="100", high="200", count=3).plan("heap", HEAP())
    assert grains.grid["grain_count"] == (100, 150, 200)


def opened(harness: PanelHarness, folder: Path) -> PanelHarness:
    harness.ui.work.studies = of(folder, runs(by_friction))
    harness.ui.work.study_form = StudyForm(low="0.1", high="0.3", count=2, seeds=2)
    panel.toggle(harness.ui)
    harness.frame(3)
    return harness


def test_the_panel_starts_a_study_and_nothing_moves_when_points_and_messages_appear(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 800)) as harness:
        opened(harness, tmp_path / "studies")
        before = {name: position for name, position in harness.widgets.items() if name.startswith("study.")}
        assert {"study.over", "study.low", "study.high", "study.count", "study.seeds", "study.start"} <= set(before)
        harness.click("study.start")
        harness.ui.work.studies.runs.wait(30.0)
        harness.ui.work.studies.runs.trouble = "The run friction 0.1, seed 1 has no result: it was lost."
        harness.frame(3)
        assert harness.ui.work.studies.runs.done == 4
        after = {name: harness.widgets[name] for name in before}
        assert after == before
        harness.click("study.close")
        assert harness.ui.mode.overlay == ""
        assert harness.ui.work.studies.curve() is not None, "closing forgets the results"


def test_the_panel_is_worked_by_keyboard_and_exports(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 800)) as harness:
        opened(harness, tmp_path / "studies")
        finished(harness.ui.work.studies)
        saved: list[Any] = []
        harness.ui.work.run_saver.save_plot = lambda *given: saved.append(given)
        harness.frame(3)
        harness.click("study.export")
        assert [str(sheet.title) for sheet, *_ in saved] == ["θ(μ), 2 seeds"]
        harness.ctrl_click("study.low")
        harness.write("0.15")
        assert harness.ui.work.study_form.low.endswith("0.15")
        harness.click("study.clear")
        assert harness.ui.work.studies.curve() is None


def test_a_tooltip_covers_neither_the_row_of_its_widget_nor_those_above(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 800)) as harness:
        opened(harness, tmp_path)
        harness.hover("study.low")
        top = harness.widgets["tooltip"][1]
        assert top >= harness.widgets["study.low"][3], "the tooltip covers the range that is typed"


def test_the_help_of_start_says_why_the_study_is_refused(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), size=(1280, 800)) as harness:
        opened(harness, tmp_path).ui.work.study_form.low = "0.4"
        harness.click("study.start")
        assert harness.ui.work.studies.runs.trouble
        assert harness.ui.states[Explained].text == harness.ui.work.studies.runs.trouble


def test_a_scene_that_cannot_be_compared_says_so(tmp_path: Path) -> None:
    snapshot = full_snapshot()
    put(snapshot, scene="bounce", parameters=scenes()["bounce"].parameters())
    with open_harness(tmp_path, snapshot, size=(1280, 800)) as harness:
        opened(harness, tmp_path)
        assert "study.start" not in harness.widgets
        assert "study" not in harness.ui.program.broken


def test_a_repetition_and_a_study_with_its_value_are_the_same_runs(tmp_path: Path) -> None:
    seen: list[int] = []
    plan = repetition("heap", HEAP(friction=0.2), seed=1)

    def repeated() -> Studies:
        repeats = of(tmp_path, runs(by_friction, seen))
        repeats.start(lambda: plan)
        repeats.runs.wait(30.0)
        return repeats

    first = repeated()
    studies = finished(of(tmp_path, runs(by_friction, seen)), StudyForm(low="0.1", high="0.2", count=2, seeds=3))
    assert (seen, studies.runs.done) == ([REPEATED, 3], 6), "what the repetition has run was run again"
    again = repeated()
    assert (seen, again.runs.done, again.runs.share) == ([REPEATED, 3], REPEATED, 1.0)
    assert again.mean(plan) == first.mean(plan) is not None


def test_what_the_disk_has_is_compared_in_the_session_once(tmp_path: Path) -> None:
    finished(of(tmp_path, runs(by_friction)))
    sent: list[Command] = []
    kept: set[str] = set()
    studies = finished(finished(of(tmp_path, runs(by_friction), sent, kept)))
    finished(of(tmp_path, runs(by_friction), sent, kept))
    assert sum(isinstance(command, KeepMeasured) for command in sent) == studies.runs.total == 4
    finished(of(tmp_path, runs(by_friction), sent))
    assert sum(isinstance(command, KeepMeasured) for command in sent) == 8, "the control: another session"


def test_a_run_that_has_measured_nothing_is_named(tmp_path: Path) -> None:
    def do(study_runs: StudyRuns, missing: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        for task in missing:
            result = result_of(task, 20.0) | ({"point": None} if task.seed == 2 else {})
            study_runs.results[task.path.name] = result
            on_end(task, result, "")

    studies = finished(of(tmp_path, do), StudyForm(low="0.1", high="0.2", count=2, seeds=2))
    assert str(studies.runs.trouble) == "The run friction 0.2, seed 2 has no result: nothing was measured."
    assert studies.runs.done == 4
