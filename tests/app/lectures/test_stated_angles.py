"""The angles in the notes of the shipped lecture are those that its heaps have."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.language import ENGLISH, NATIVE
from repose.app.lectures.lecture_file import load, text_in
from repose.app.ui.studies import REPEATED, Studies, repetition
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.comparison import mean_in_words
from repose.sim.experiment.headless import run_experiment
from repose.sim.io import presets
from repose.sim.io.json_text import read_json
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task, write_result
from repose.sim.study.runs_on_disk import StudyRuns

from tests.english import english


@pytest.mark.slow
def test_the_notes_state_the_mean_of_five_heaps_that_repeated_runs_give(tmp_path: Path) -> None:
    def one_after_the_other(runs: StudyRuns, tasks: list[Task], workers: int, on_progress: Any, on_end: Any) -> None:
        for task in tasks:
            write_result(task)
            runs.results[task.path.name] = read_json(task.path)
            on_end(task, runs.results[task.path.name], "")

    preset = presets.load("thesis-heap")
    parameters, study = scenes()[preset.scene].parameters.checked(preset.values), scenes()[preset.scene].study
    assert study is not None
    runs = Studies(lambda command: None, lambda: tmp_path, one_after_the_other)
    plan = repetition(preset.scene, parameters, preset.seed)
    runs.start(lambda: plan)
    runs.runs.wait(600.0)
    mean = runs.mean(plan)
    assert mean is not None
    assert english((mean.runs, runs.runs.trouble)) == (REPEATED, "")
    words = mean_in_words(study, mean, study.unit)
    (step,) = (step for step in load("heap-slope").steps if text_in(step.title, ENGLISH) == "Read the angle")
    for language in NATIVE:
        notes = text_in(step.notes, language)
        assert str(words).replace(".", ",") in notes.replace(".", ","), f"{language}: five heaps give {words}"


def shown(title: str) -> tuple[str, presets.Preset]:
    """Notes and preset of a step of the lecture."""
    (step,) = (step for step in load("heap-slope").steps if text_in(step.title, ENGLISH) == title)
    assert step.preset is not None
    return text_in(step.notes, ENGLISH), step.preset


def angles(preset: presets.Preset, seed: int, ready: str | None = None) -> list[float]:
    """Angles of repose of the runs of a preset with a seed, or of a stored column [°]."""
    found = (run_experiment(new_experiment(run.scene, run.values, seed, ready)) for run in preset.runs)
    return [float(results["angle_of_repose"]["degrees"]) for results in found]


@pytest.mark.slow
def test_the_three_heaps_that_are_shown_bear_out_the_answer() -> None:
    notes, preset = shown("Three frictions side by side")
    low, middle, high = angles(preset, preset.seed, preset.ready)
    assert low < middle < high, "steeper with friction"
    assert f"{low:.0f}°, {middle:.0f}° and {high:.0f}°" in notes
    assert 2.0 <= high / low < 2.55, "four times the friction, two to two and a half times the angle"


@pytest.mark.slow
def test_the_column_that_is_carried_to_the_moon_leaves_the_stated_heaps() -> None:
    notes, preset = shown("On the Moon")
    ended = [new_experiment(run.scene, run.values, run.seed, run.ready) for run in preset.runs]
    earth, moon = ((found["grains_left"], found["angle_of_repose"]["degrees"]) for found in map(run_experiment, ended))
    assert f"It leaves {earth[0]} grains at {earth[1]:.0f}° and {moon[0]} at {moon[1]:.0f}°." in notes.replace(
        "\n", " "
    )


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("title", "seeds"), [("Three frictions side by side", 12), ("The base", 8)])
def test_the_notes_state_the_means_of_heaps_side_by_side(title: str, seeds: int) -> None:
    notes, preset = shown(title)
    found = np.array([angles(preset, seed) for seed in range(1, seeds + 1)])
    for mean, error in zip(found.mean(axis=0), found.std(axis=0, ddof=1) / math.sqrt(len(found)), strict=True):
        assert f"{mean:.1f}° ± {error:.1f}°" in notes
