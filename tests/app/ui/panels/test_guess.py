"""The guess of the audience is taken on a slider, and shown beside the answer of the run."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.audience.interfaces import LOOPBACK
from repose.app.lectures import lecture_file
from repose.app.lectures.answers import unanswered
from repose.app.lectures.lecture_file import parse
from repose.app.lectures.step_course import LectureCourse
from repose.app.render.passes.rose import ROSE
from repose.app.ui import lecture_mode, phones
from repose.app.ui.layout import focus_next
from repose.app.ui.lecture_mode import guess_now
from repose.app.ui.panels.guess import guessed
from repose.app.ui.panels.notices_over_picture import NoticeStack
from repose.app.ui.phones import Audience
from repose.app.ui.places import GUESS, Focus, GuessArea, free_of_actions
from repose.app.ui.toasts import Toasts, show_toast
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.io import presets
from repose.sim.measure.display import Answer, Guess, Reading
from repose.sim.message import Message, plain
from repose.sim.registry import scenes

from tests.app.real_runs import course
from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

SCENE = next(name for name, scene in scenes().items() if scene.guess is not None)


def asking() -> Snapshot:
    """A snapshot of a scene that asks for a guess."""
    return with_fields(full_snapshot(), scene=SCENE, parameters=scenes()[SCENE].parameters())


def test_a_guess_is_dragged_and_stays_beside_the_answer(tmp_path: Path) -> None:
    before = asking()
    asked = scenes()[SCENE].guess
    assert asked is not None
    with open_harness(tmp_path, before, (1280, 720)) as harness:
        assert guessed(harness.ui) is None
        assert "guess.answer" not in harness.widgets
        harness.drag("guess.slider", 0.5, 0.75)
        taken = guessed(harness.ui)
        assert taken is not None
        assert taken == pytest.approx(asked.low + 0.75 * (asked.high - asked.low), rel=0.05)
        assert harness.commands == [], "a guess changes no run"
        harness.ui.snapshot = with_fields(before, answer=Answer(asked.low, "The answer."))
        harness.frame(2)
        assert "guess.answer" in harness.widgets
        assert "guess.slider" not in harness.widgets
        harness.ui.snapshot = before
        harness.frame(2)
        assert "guess.slider" in harness.widgets
        assert guessed(harness.ui) == taken, "the next run has the same guess until it is changed"
        legend_foot, notice = 112.0, harness.widgets["guess"]
        assert notice[1] >= legend_foot
        assert notice[2] <= 1280


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720)])
def test_the_guess_covers_no_plate(tmp_path: Path, size: tuple[int, int]) -> None:
    with open_harness(tmp_path, asking(), size) as harness:
        harness.frame(2)
        before = harness.widgets["guess"]
        ROSE.set(harness.ui.view, True)
        harness.frame(2)
        assert harness.ui.window.band > 0.0
        after = harness.widgets["guess"]
        assert after[2] <= size[0] - harness.ui.window.band
        assert after[2] < before[2]


def test_below_many_notices_the_guess_covers_no_action_and_comes_back(tmp_path: Path) -> None:
    with open_harness(tmp_path, asking(), (1024, 640)) as harness:
        harness.frame(2)
        assert "guess" in harness.widgets
        place = harness.ui.states[GuessArea].place
        assert place is not None
        assert place == pytest.approx((harness.widgets["guess"][0], harness.widgets["guess"][3]))
        for number in range(3):
            words = " ".join(["A notice of several lines, which stays."] * 6)
            show_toast(harness.ui, Message("{number}: {words}", number=number, words=words), bad=True)
        harness.frame(2)
        assert harness.ui.states[GuessArea].place == place, "the picture keeps its size"
        stack, foot = harness.ui.states[NoticeStack], 640 - free_of_actions(harness.ui)[3]
        assert stack.foot + harness.ui.states[GuessArea].height > foot, "the notices leave no room"
        assert "guess" not in harness.widgets
        harness.ui.states[Toasts].shown.clear()
        harness.frame(2)
        assert harness.widgets["guess"][3] <= foot


def test_side_by_side_no_guess_covers_the_small_pictures(tmp_path: Path) -> None:
    one = asking()
    with open_harness(tmp_path, one, (1280, 720)) as harness:
        harness.frame(2)
        assert "guess" in harness.widgets
        harness.ui.beside.runs = one, one
        harness.frame(2)
        assert "guess" not in harness.widgets


def test_a_scene_without_a_guess_has_no_panel(tmp_path: Path) -> None:
    with open_harness(tmp_path, with_fields(full_snapshot(), scene="heap"), (1280, 720)) as harness:
        harness.frame(2)
        assert "guess" not in harness.widgets


@pytest.mark.parametrize("name", ["drum", "mixing-drum", "segregation-drum"])
def test_a_preset_with_an_answer_of_its_own_does_not_ask_for_the_number_of_its_scene(tmp_path: Path, name: str) -> None:
    direction = presets.load(name).direction or scenes()["drum"].direction
    of_preset = with_fields(course("drum")[0], direction=direction, own_answer=bool(direction.answer))
    with open_harness(tmp_path, of_preset) as harness:
        harness.frame(2)
        assert ("guess" in harness.widgets) == (name == "drum")
        harness.ui.snapshot = with_fields(of_preset, own_answer=False)
        harness.frame(2)
        assert "guess" in harness.widgets, "a changed parameter has ended the question of the preset"


def test_the_arrow_keys_move_the_guess(tmp_path: Path) -> None:
    with open_harness(tmp_path, asking(), (1280, 720)) as harness:
        asked = scenes()[SCENE].guess
        assert asked is not None
        while harness.ui.states[Focus].last != GUESS:
            focus_next(harness.ui)
        harness.frame(3)
        harness.press(imgui.Key.enter, imgui.Key.right_arrow)
        assert guessed(harness.ui) == pytest.approx(asked.low + 0.51 * (asked.high - asked.low))


def test_a_reading_of_a_lecture_answers_at_the_end_of_the_step_or_the_panel_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lecture_file, "_has_reading", lambda scene, reading: True)  # as of a plug-in
    shot = with_fields(
        full_snapshot(), scene="heap", readings=(Reading("waiting_time", "waiting time", 8e-4, "s"),), logs=0
    )
    step = '[[step]]\ntitle = "A"\nscene = "heap"\n'
    guess = step + 'guess = { words = "w", low = 0, high = 2, unit = "%s", reading = "%s" }\n'
    with open_harness(tmp_path, shot, (1280, 720)) as harness:
        mode = harness.ui.mode.lecture
        for unit, name, answered in (("ms", "waiting_time", True), ("mm", "waiting_time", False), ("s", "x", False)):
            mode.lecture, mode.on, mode.over, mode.unanswered = parse(guess % (unit, name), "mine"), True, False, ""
            harness.frame(2)
            assert "guess.slider" in harness.widgets, "the reading exists, but the step is not over"
            mode.over, mode.unanswered = True, unanswered(mode.lecture, 0, shot)
            harness.frame(2)
            assert ("guess.scale" in harness.widgets) == answered
            assert ("guess.unanswered" in harness.widgets) != answered


@pytest.mark.parametrize(
    ("unit", "high", "value", "words"),
    [
        ("°", 60.0, 31.65, "32°"),
        ("times", 8.0, 3.44, "3.4 times"),
        ("", 1.0, 0.5, "0.5"),
        ("s", 2e-3, 8e-4, "0.0008 s"),
    ],
)
def test_a_number_is_shown_in_its_unit(unit: str, high: float, value: float, words: str) -> None:
    assert str(Guess("What", unit, 0.0, high).shown(value)) == words


CHOICES = """[[step]]
title = "A"
scene = "heap"
[step.guess]
words = { en = "What happens?", de = "Was geschieht?" }
choices = [{ en = "It stands", de = "Er steht" }, "It slumps", { en = "It flows away", de = "Er fließt davon" }]
bounds = [50, 100]
reading = "grains_left"
"""


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720)])
def test_choices_are_buttons_then_bars_and_the_right_one_is_marked(tmp_path: Path, size: tuple[int, int]) -> None:
    shot = with_fields(full_snapshot(), readings=(Reading("grains_left", plain("grains left"), 75.0),))
    with open_harness(tmp_path, shot, size) as harness:
        mode, audience = harness.ui.mode.lecture, harness.ui.states[Audience]
        mode.lecture, mode.on = parse(CHOICES, "mine"), True
        phones.switch_on(harness.ui, LOOPBACK)
        phones.see(harness.ui)
        phones.switch_off(harness.ui)
        harness.frame(3)
        harness.click("guess.choice.3")
        assert guessed(harness.ui) == 3.0
        (asked,) = audience.rounds
        asked.values.update(a=1.0, b=2.0, c=2.0)
        harness.frame(2)
        assert "guess.histogram" not in harness.widgets, "the answers are hidden until they are shown"
        audience.shown = True
        harness.frame(2)
        assert "guess.histogram" in harness.widgets
        harness.click("guess.choice.1")
        assert guessed(harness.ui) == 1.0
        mode.over = True
        phones.see(harness.ui)
        harness.frame(2)
        assert asked.result == 2.0
        assert not asked.question.is_open
        harness.click("guess.choice.2")
        assert guessed(harness.ui) == 1.0, "the run has answered"
        mode.course = LectureCourse.of(mode.step)
        lecture_mode.see(harness.ui)
        harness.ui.snapshot = with_fields(shot, readings=(Reading("grains_left", plain("grains left"), 0.0),))
        harness.frame(2)
        now = guess_now(harness.ui)
        assert now is not None
        assert now[2] is not None
        assert now[2].value == 2.0, "a run that begins anew does not change the answer"
        for name in ("guess.choice.1", "guess.choice.2", "guess.choice.3", "guess.histogram"):
            left, top, right, bottom = harness.widgets[name]
            assert 0 <= left < right <= size[0], name
            assert 0 <= top < bottom <= size[1], name


SIX = [
    ("It stays as it is", "Sie bleibt, wie sie ist"),
    ("It becomes a steep heap", "Sie wird ein steiler Haufen"),
    ("It becomes a flat heap", "Sie wird ein flacher Haufen"),
    ("It flows away altogether", "Sie fließt vollständig davon"),
    ("It bursts in all directions", "Sie zerspringt in alle Richtungen"),
    ("Nobody can know this", "Das kann niemand vorhersagen"),
]


@pytest.mark.parametrize("language", [0, 1])
def test_six_choices_leave_most_of_the_window_to_the_grains(tmp_path: Path, language: int) -> None:
    choices = ", ".join(f'"{words[language]}"' for words in SIX)
    lecture = CHOICES[: CHOICES.index("choices")] + f"choices = [{choices}]\nbounds = [10, 50, 100, 200, 300]\n"
    shot = with_fields(full_snapshot(), readings=(Reading("grains_left", plain("grains left"), 75.0),))
    with open_harness(tmp_path, shot, (1280, 720)) as harness:
        mode, audience = harness.ui.mode.lecture, harness.ui.states[Audience]
        mode.lecture, mode.on = parse(lecture + 'reading = "grains_left"\n', "mine"), True
        phones.switch_on(harness.ui, LOOPBACK)
        phones.see(harness.ui)
        phones.switch_off(harness.ui)
        harness.frame(3)
        assert_two_columns(harness)
        harness.click("guess.choice.6")
        assert guessed(harness.ui) == 6.0
        audience.rounds[0].values.update(a=1.0, b=2.0, c=2.0)
        audience.shown = True
        harness.frame(2)
        before = assert_two_columns(harness)
        mode.over = True
        phones.see(harness.ui)
        harness.frame(2)
        assert assert_two_columns(harness) == before, "the result moves no choice"


def assert_two_columns(harness: PanelHarness) -> list[tuple[float, ...]]:
    """The places of the six choices, which cover less than a third of the window and not one another."""
    places = [tuple(harness.widgets[f"guess.choice.{number}"]) for number in range(1, 7)]
    left, right = places[::2], places[1::2]
    assert {place[0] for place in left} == {left[0][0]}
    assert all(one[2] < other[0] <= other[2] <= 1280 for one, other in zip(left, right, strict=True))
    assert all(above[3] < below[1] for above, below in pairwise(left))
    assert 720 - places[0][1] < 720 / 3
    return places
