"""A scene or preset that asks a question answers it at its end in one sentence with a number."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Course
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.run_answer import answer_of, answer_words, direction_for, values_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_picture
from repose.sim.io import presets
from repose.sim.measure.display import Answer
from repose.sim.message import EMPTY, Message, Number, plain
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes import bounce

from tests.sentences import require_sentence
from tests.tiers import tiered


@functools.cache
def answered(scene: str, **values: Any) -> Answer:
    """The answer of a whole run."""
    experiment = new_experiment(scene, values)
    assert scene_answers(scene, **values) is None, "before the end there is none"
    result = run_experiment(experiment)
    answer = answer_of(experiment)
    assert answer is not None
    assert result["answer"] == str(answer.words)
    return answer


def scene_answers(scene: str, **values: Any) -> Answer | None:
    """The answer at the beginning."""
    experiment = new_experiment(scene, values)
    return experiment.scene.course.find_answer(experiment)


@pytest.mark.parametrize(
    ("test", "words"),
    tiered(
        [
            ("1", "The contact of limestone lasts longest: 54.2 µs; that of glass lasts 40.3 µs."),
            ("2", "The sphere of aluminium is pushed harder: by up to 11.4 kN, that of magnesium by up to 7.23 kN."),
            ("3", "The contact of e = 0.2 lasts longest: 7.91 µs; that of e = 1 lasts 6.1 µs."),
            ("4", "That under 40°: it spins at 543 rad/s; that under 80° spins at 123 rad/s."),
            ("5", "No: at 15 m/s as at 50 m/s along the plane the spin is 746 rad/s."),
            ("6", "No: with 5 rad/s as with 22 rad/s the sphere flies off sideways at 124 mm/s."),
            (
                "7",
                "Into the motion of the spheres past each other: the spins lose 62 % of it at 5 rad/s and 14 % at "
                "22 rad/s, and the sum stays.",
            ),
            (
                "8",
                "It acts like one: at 22 rad/s the small sphere flies off at 124 mm/s, off a plane at 124 mm/s.",
            ),
        ],
        fast=(),
    ),
)
def test_every_test_of_the_impacts_answers_its_own_question(test: str, words: str) -> None:
    dt = {"dt": 1e-7} if test in "2678" else {}
    answer = answered("impacts", test=test, **dt)
    require_sentence(str(answer.words))
    assert str(answer.words) == words


def test_an_impact_of_several_restitutions_says_which_contact_lasts_longest() -> None:
    answer = answered("impacts", test="3")
    assert str(answer.words) == "The contact of e = 0.2 lasts longest: 7.91 µs; that of e = 1 lasts 6.1 µs."
    assert answer.value == pytest.approx(7.91e-6, rel=1e-3)


@pytest.mark.parametrize(
    ("test", "words", "value"),
    [
        (
            "slide",
            "At 714 mm/s, 0.714 of the 1 m/s with which it was thrown: friction decides when it rolls, not how fast.",
            5.0 / 7.0,
        ),
        (
            "drag",
            "That of R = 4 mm, at 43.3 mm/s: 4.00 times as fast as that of R = 2 mm, whose radius is 2 times as small.",
            2.0 / 9.0 * 1240.0 * 9.81 * 0.004**2,
        ),
        ("roll", "For 810 ms with μ_r = 0.02, for 160 ms with μ_r = 0.1.", 40.0 / (2.5 * 0.02 * 9.81 / 0.01)),
        ("jkr", "2 of 4 fall: the adhesion bears 942 µN.", 3.0 * math.pi * 0.05 * 0.002),
        ("dmt", "2 of 4 fall: the adhesion bears 1.26 mN.", 4.0 * math.pi * 0.05 * 0.002),
    ],
)
def test_every_test_of_single_spheres_answers_its_own_question(test: str, words: str, value: float) -> None:
    answer = answered("sphere_tests", test=test)
    require_sentence(str(answer.words))
    assert str(answer.words) == words
    assert answer.value == pytest.approx(value, rel=0.02)


def test_the_spheres_on_a_slope_say_which_one_is_first() -> None:
    answer = answered("slope", duration=0.1)
    require_sentence(str(answer.words))
    assert str(answer.words).startswith("The sphere of μ = 0 is first, with 6.94 m/s²: it is ")
    assert answer.value == pytest.approx(9.81 * 0.5**0.5, rel=1e-3)


def test_spheres_that_all_roll_are_not_called_first() -> None:
    rough = {f"friction_{row}": 0.6 for row in range(1, 6)}
    answer = answered("slope", duration=0.1, **rough)
    assert str(answer.words).startswith("None is first: all spheres run side by side with ")


def test_bouncing_spheres_say_how_high_they_rise_the_second_time() -> None:
    answer = answered("bounce", duration=0.5, restitution_high=0.9)
    require_sentence(str(answer.words))
    assert answer.value == pytest.approx(0.1 * 0.9**4, rel=0.02)
    assert "e⁴ times the 100 mm of the drop" in str(answer.words)


def test_a_bounce_that_ends_too_early_says_so() -> None:
    answer = answered("bounce", duration=0.2, restitution_high=0.5, restitution_middle=0.4, restitution_low=0.3)
    assert str(answer.words).startswith("The run is too short for a second rise")


def test_a_fall_without_an_impact_follows_its_arcs_but_for_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("bounce", {"duration": 0.01})
    run_experiment(experiment)
    assert 0.0 < bounce.deviations(experiment).max() <= bounce.rounding(experiment) < 1e-12
    assert {(outcome.holds, str(outcome.found)) for outcome in bounce.outcomes(experiment)} == {(True, "0 m off")}
    monkeypatch.setattr(bounce, "deviations", lambda experiment: np.full(bounce.SPHERES, 1e-12))
    assert not any(outcome.holds for outcome in bounce.outcomes(experiment)), "the control"


@pytest.mark.parametrize("name", presets.names())
def test_every_question_of_a_preset_has_an_answer(name: str) -> None:
    preset = presets.load(name)
    course = scenes()[preset.scene].course
    assert preset.question
    assert course.find_answer is not Course.find_answer, "without it the question stays open"
    own = preset.direction.answer if preset.direction is not None else EMPTY
    if not own:
        assert not preset.side_by_side, "a sentence about one run would have several values"
        return
    require_sentence(str(Message(own.template, **dict.fromkeys(course.answer_values, 7))))
    assert values_of(own.template), "no number of the run is in it"
    assert values_of(own.template) <= {*course.answer_values}


def test_a_preset_answers_in_its_own_words_with_the_numbers_of_the_run() -> None:
    direction = presets.load("moon").direction
    experiment = new_experiment("heap", {"grain_count": 20}, direction=direction)
    run_experiment(experiment)
    answer, own = answer_of(experiment), experiment.scene.course.find_answer(experiment)
    assert answer is not None
    assert own is not None
    assert answer.value == own.value
    angle = dict(own.words.values)
    if "angle" in angle:
        assert str(answer.words).startswith("On the Moon the heap is ")
    else:
        assert answer.words == own.words, "a run without this number has the sentence of the scene"


def test_the_words_of_a_preset_are_used_for_its_parameters_only() -> None:
    """With other gravity the answer said "On the Moon" of a run on the Earth."""
    own = Message("On the Moon the sphere rises to {height}.")
    direction = replace(scenes()["bounce"].direction, answer=own)
    experiment = new_experiment("bounce", {"gravity": 1.62}, direction=direction)
    words = Message("It rises to {height}.", height=7)
    experiment.scene = replace(
        experiment.scene, course=replace(experiment.scene.course, find_answer=lambda experiment: Answer(7.0, words))
    )

    def shown(**changed: Any) -> str:
        assert not apply(experiment, SetParameters(changed))
        answer, snapshot = answer_of(experiment), Snapshot()
        assert answer is not None
        take_picture(experiment, snapshot)
        assert snapshot.run.own_answer == (answer.words != words)
        return str(answer.words)

    assert shown(dt=1e-6) == "On the Moon the sphere rises to 7."
    assert shown(gravity=9.81) == "It rises to 7."
    assert shown(gravity=1.62) == "On the Moon the sphere rises to 7."
    begun = experiment.parameters.changed(gravity=9.81)
    assert direction_for(direction, begun, experiment.parameters).answer == EMPTY
    assert direction_for(direction, begun, begun) is direction


def answered_by(found: Any) -> Answer | None:
    """The answer of a scene of a plug-in whose function returns this, with an own answer of its preset."""
    experiment = new_experiment("bounce", {})
    course = replace(experiment.scene.course, find_answer=lambda experiment: found)
    experiment.scene = replace(experiment.scene, course=course)
    experiment.direction = replace(experiment.direction, answer=Message("It rises to {height}."))
    return answer_of(experiment)


def test_the_answer_of_a_plug_in_may_be_a_plain_text() -> None:
    as_plug_in: Any = "It rises."
    answer = answered_by(Answer(0.4, as_plug_in))
    assert answer is not None
    assert answer_words(beside(answer.words, answer.words)) == plain("It rises.")


@pytest.mark.parametrize("found", ["It rises.", 0.4, ()])
def test_a_wrong_answer_of_a_plug_in_is_refused_with_an_example(found: Any) -> None:
    with pytest.raises(ParameterError, match=r"The scene 'bounce' .* 'find_answer': it must return .*Answer\(0.4"):
        answered_by(found)


def shot_with(words: Message | None) -> Snapshot:
    """A snapshot with this answer."""
    shot = Snapshot()
    shot.results = replace(shot.results, answer=None if words is None else Answer(1.0, words))
    return shot


def beside(*words: Message | None) -> Snapshot:
    """Snapshots of runs side by side with these answers."""
    first, *others = map(shot_with, words)
    first.beside = tuple(others)
    return first


def test_runs_side_by_side_answer_in_one_sentence_once_all_have_ended() -> None:
    of = [Message("They are {angle} steep of {all}.", angle=Number(x, "°", ".0f"), all=20) for x in (12.0, 23.0)]
    assert str(answer_words(beside(*of))) == "They are 12°, 23° steep of 20."
    assert answer_words(beside(of[0], None)) == EMPTY
    assert answer_words(beside(of[0])) == of[0]
    assert answer_words(beside(of[0], of[0])) == of[0]
    hidden = [Message("It rises {way}.", way=Number(way, "mm", ".0f")) for way in (6.1, 6.2)]
    assert str(answer_words(beside(*hidden))) == "It rises 6 mm.", "the same number once"
    more = Message("They are {angle} steep of {all}.", angle=Number(5.0, "°", ".0f"), all=20, inclination=30)
    assert str(answer_words(beside(of[0], more))) == str(answer_words(beside(more, of[0]))).replace(
        "5°, 12°", "12°, 5°"
    )
    other = Message("No slope stays.")
    assert str(answer_words(beside(of[0], other))) == "They are 12° steep of 20. No slope stays."
