"""The shipped lectures, run to the end of every step without a window."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from repose.app.jobs.lecture_film import LONGEST, begun, do, shot_of
from repose.app.lectures.lecture_file import Lecture, Step, load, names, parse
from repose.app.lectures.step_course import LectureCourse
from repose.sim.experiment.commands import Act
from repose.sim.experiment.side_by_side import SideBySide, advance_all
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.registry import scenes

INTERVAL = 0.01
"""Simulated time between two looks at the course of a step [s]."""
AT_FULL_SPEED = 12.0
"""Largest simulated time of a step that runs as fast as possible [s]."""

NEVER = parse(
    '[[step]]\ntitle = "Pour"\nscene = "heap"\nactions = ["fill"]\nspeed = "max"\nuntil = "filled"\n'
    "parameters = { grain_count = 12, width = 0.01 }\n"
    '[[step]]\ntitle = "Wait"\ncontinue = true\nspeed = 0.01\nuntil = "rested"\n',
    "never.toml",
)
"""A lecture whose second step waits for a phase that no action begins."""


class End(NamedTuple):
    """State at the end of a step."""

    number: int
    time: float
    """Simulated time since the step began [s]."""
    phases: tuple[str, ...]
    """Of every experiment."""


def longest(step: Step) -> float:
    """Simulated time within which a step must end [s]: the time that it states, or the longest of a film."""
    if step.speed is None:
        return AT_FULL_SPEED
    stated = LONGEST if step.seconds is None or step.until else step.seconds  # with `until`, from its phase on
    return stated * step.speed


def ends(lecture: Lecture) -> Iterator[End]:
    """Run every step to its end, like a lecturer who waits for it; a step that does not end fails with its words."""
    stage: SideBySide | None = None
    left: tuple[str, ...] = ()
    for number, step in enumerate(lecture.steps):
        stage = begun(stage, step, threads=None)
        course = LectureCourse.of(step, left if step.preset is None else ())
        began = stage.first.time
        while not course.is_over(shot := shot_of(stage, forces=False)):
            assert stage.first.fault is None, stage.first.fault
            assert not course.obstacle(shot), f"step {number + 1}: {course.obstacle(shot)}"
            if action := course.due(shot):
                do(stage, Act(action))
                course.did()
                continue
            waited = stage.first.time - began
            assert waited <= longest(step), f"step {number + 1} after {waited:.2f} s: {labels_of(shot)}"
            advance_all(stage, stage.first.time + INTERVAL)
        left = tuple(course.left)
        yield End(number, stage.first.time - began, tuple(run.run.phase.name for run in (shot, *shot.beside)))


def labels_of(shot: Snapshot) -> str:
    """The phases of all experiments in words."""
    return "; ".join(str(run.run.phase_label) for run in (shot, *shot.beside))


POURS_ON_PURPOSE = {("heap-slope", 0)}
"""Steps that show how a container is filled."""


@pytest.mark.parametrize("name", ["heap-slope", "granular-flow"])
def test_no_experiment_of_a_shipped_lecture_fills_its_container_before_the_audience(name: str) -> None:
    for number, step in enumerate(load(name).steps):
        if step.preset is None or (name, number) in POURS_ON_PURPOSE:
            continue
        for run in step.preset.runs:
            record = scenes()[run.scene]
            parameters = record.parameters.checked(run.values)
            stored = record.course.prepared[run.ready](parameters) if run.ready else None
            _, state = stored or record.course.begin(parameters, run.seed)
            assert state.phase == "filled", f"step {number + 1}: {run.values}"


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", names())
def test_every_step_of_a_shipped_lecture_ends_in_its_phase_and_in_time(name: str) -> None:
    lecture = load(name)
    found = [*ends(lecture)]
    assert [end.number for end in found] == [*range(len(lecture.steps))]
    for step, end in zip(lecture.steps, found, strict=True):
        assert not step.until or set(end.phases) == {step.until}, end


def test_a_step_that_waits_for_a_phase_that_never_comes_fails() -> None:
    with pytest.raises(AssertionError, match=r"step 2 after 0\.9. s: filled"):
        [*ends(NEVER)]
