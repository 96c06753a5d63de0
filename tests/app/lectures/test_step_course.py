"""The course of a step: actions in order, each once the one before has come to its end."""

from __future__ import annotations

from typing import Any

from repose.app.lectures.lecture_file import Step
from repose.app.lectures.step_course import LectureCourse
from repose.sim.experiment.snapshot import Action, Snapshot
from repose.sim.registry import scenes

from tests.snapshots import snapshot_of

OFFERED = tuple(Action(name, name, name[0], True, "") for name in ("fill", "open", "measure"))


def shot(phase: str, **values: Any) -> Snapshot:
    """A snapshot that offers every action."""
    return snapshot_of(**{"phase": scenes()["heap"].phase(phase), "actions": OFFERED, **values})


def test_an_action_waits_until_the_one_before_has_come_to_its_end() -> None:
    course = LectureCourse.of(Step(title={"en": "t"}, actions=("open", "measure")))
    assert course.due(shot("filled")) == "open"
    course.did()
    assert course.due(shot("flowing")) == ""  # "measure" is possible, but the grains still flow
    assert course.due(shot("rested")) == "measure"
    assert not course.is_over(shot("rested", at_rest=True))
    course.did()
    assert course.is_over(shot("rested"))


def test_an_action_that_the_scene_does_not_offer_now_waits() -> None:
    course = LectureCourse.of(Step(title={"en": "t"}, actions=("open",)))
    assert course.due(shot("filled", actions=(Action("open", "Open", "o", False, ""),))) == ""
    assert course.left == ["open"]


def test_an_action_that_can_never_become_possible_is_named() -> None:
    course = LectureCourse.of(Step(title={"en": "t"}, actions=("open",)))
    fill = (Action("fill", "Fill", "f", True, ""), Action("open", "Open", "o", False, ""))
    resting = shot("empty", actions=fill, at_rest=True)
    assert "waits for the action open" in str(course.obstacle(resting))
    assert "possible: fill." in str(course.obstacle(resting))
    for other in (
        shot("empty", actions=fill),
        shot("filling", actions=fill, at_rest=True),
        shot("filled", at_rest=True),
    ):
        assert not course.obstacle(other)
    assert not LectureCourse.of(Step(title={"en": "t"})).obstacle(resting)


def test_what_earlier_steps_have_left_is_done_first() -> None:
    course = LectureCourse.of(Step(title={"en": "t"}, actions=("open",)), ["fill"])
    assert (course.left, course.carried) == (["fill", "open"], 1)
    course.did()
    assert (course.left, course.carried) == (["open"], 0)


def test_a_step_ends_with_its_phase_and_after_a_change_of_parameters_only_at_rest() -> None:
    until = LectureCourse.of(Step(title={"en": "t"}, until="flowing"))
    assert [until.is_over(shot(phase, at_rest=True)) for phase in ("filled", "flowing")] == [False, True]
    changed = LectureCourse.of(Step(title={"en": "t"}, values={"friction": 0.0}))
    assert [changed.is_over(shot("rested", at_rest=at_rest)) for at_rest in (False, True)] == [False, True]


def test_a_step_ends_when_every_experiment_side_by_side_has_come_to_its_end() -> None:
    course = LectureCourse.of(Step(title={"en": "t"}, actions=("open",), until="rested"))
    assert course.due(shot("filled", beside=(shot("filling"),))) == ""  # the other one is still filled
    course.did()
    assert not course.is_over(shot("rested", beside=(shot("flowing"),)))
    assert course.is_over(shot("rested", beside=(shot("rested"),)))
    quick = LectureCourse.of(Step(title={"en": "t"}, until="flowing"))
    assert not quick.is_over(shot("flowing", beside=(shot("filled"),)))
    assert quick.is_over(shot("rested", beside=(shot("flowing"),)))  # the first one was there before


def test_the_whole_experiment_is_asked_for_at_once_so_that_every_run_is_the_same() -> None:
    course, offered = (
        LectureCourse.of(Step(title={"en": "t"}, actions=("run",))),
        (Action("run", "Run all", "A", True, ""),),
    )
    assert course.due(shot("filling", actions=offered)) == "run"
