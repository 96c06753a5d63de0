"""The course of a step: actions in order, each once the one before has come to its end."""

from __future__ import annotations

from repose.app.lectures.course import Course
from repose.app.lectures.lecture_file import Step
from repose.sim.experiment.snapshot import Action

OFFERED = tuple(Action(name, name, name[0], True, "") for name in ("fill", "open", "measure"))


def test_an_action_waits_until_the_one_before_has_come_to_its_end() -> None:
    course = Course.of(Step({"en": "t"}, actions=("open", "measure")))
    assert course.due(OFFERED, "filled", None) == "open"
    course.did()
    assert course.due(OFFERED, "flowing", None) == ""  # "measure" is possible, but the grains still flow
    assert course.due(OFFERED, "rested", None) == "measure"
    assert not course.is_over("rested", None, at_rest=True)
    course.did()
    assert course.is_over("rested", None, at_rest=False)


def test_an_action_that_the_scene_does_not_offer_now_waits() -> None:
    course = Course.of(Step({"en": "t"}, actions=("open",)))
    assert course.due((Action("open", "Open", "o", False, ""),), "filled", None) == ""
    assert course.left == ["open"]


def test_what_earlier_steps_have_left_is_done_first() -> None:
    course = Course.of(Step({"en": "t"}, actions=("open",)), ["fill"])
    assert (course.left, course.carried) == (["fill", "open"], 1)
    course.did()
    assert (course.left, course.carried) == (["open"], 0)


def test_a_step_ends_with_its_phase_and_after_a_change_of_parameters_only_at_rest() -> None:
    until = Course.of(Step({"en": "t"}, until="flowing"))
    assert [until.is_over(phase, None, at_rest=True) for phase in ("filled", "flowing")] == [False, True]
    changed = Course.of(Step({"en": "t"}, values={"friction": 0.0}))
    assert [changed.is_over("rested", None, at_rest) for at_rest in (False, True)] == [False, True]
