"""The angle in the notes of the shipped lecture is the one that the window measures with *Repeat × 5*."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from repose.app.language import ENGLISH, NATIVE
from repose.app.lectures.lecture_file import load, said
from repose.app.ui.repeats import RUNS, Repeats
from repose.sim.experiment.comparison import mean_in_words
from repose.sim.io import presets
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task, write_result


@pytest.mark.slow
def test_the_notes_state_the_mean_of_five_heaps_that_repeated_runs_give(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_after_the_other(tasks: list[Task], workers: int, *, on_progress: Any, on_end: Any) -> None:
        for task in tasks:
            write_result(task)
            on_end(task, "")

    preset = presets.load("thesis-heap")
    parameters, study = scenes()[preset.scene].parameters.checked(preset.values), scenes()[preset.scene].study
    assert study is not None
    runs = Repeats(lambda command: None, one_after_the_other)
    runs.start(preset.scene, parameters, preset.seed)
    while runs.running:
        threading.Event().wait(0.1)
    mean = runs.mean(preset.scene, parameters)
    assert mean is not None
    assert (mean.runs, runs.trouble) == (RUNS, "")
    words = mean_in_words(study, mean, study.unit)
    (step,) = (step for step in load("heap-slope").steps if said(step.title, ENGLISH) == "Read the angle")
    for language in NATIVE:
        notes = said(step.notes, language)
        assert words.replace(".", ",") in notes.replace(".", ","), f"{language}: five heaps give {words}"
