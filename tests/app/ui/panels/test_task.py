"""Question and answer over the picture of scenes that state no outcomes, and messages beside them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from repose.app.ui.panels import task
from repose.app.ui.picture_areas import insets
from repose.app.ui.places import BELOW_LEGEND, NoticeArea, TaskArea, over_picture
from repose.app.ui.toasts import show_toast
from repose.app.window import camera_control
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.snapshot import Notice
from repose.sim.io import presets
from repose.sim.measure.display import Answer
from repose.sim.message import Message
from repose.sim.registry import scenes

from tests.app.real_runs import course, finished, shot
from tests.app.ui.panels.panel_harness import open_harness
from tests.snapshots import with_fields

PRESET = "moon"


def test_a_heap_asks_its_question_and_answers_it_without_moving_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    write = task.write
    monkeypatch.setattr(task, "write", lambda ui, words, *rest: (said.append(str(words)), write(ui, words, *rest)))
    with open_harness(tmp_path, course("heap")[0]) as harness:
        harness.ui.work.preset_library.note(presets.card_of(PRESET))
        harness.frame(2)
        assert said[-1:] == [str(harness.ui.work.preset_library.cards[PRESET].question)]
        before = harness.ui.states[TaskArea].foot
        answer = Answer(13.9, Message("The heap is 13.9° steep."))
        harness.ui.snapshot = with_fields(harness.ui.snapshot, answer=answer)
        said.clear()
        harness.frame(2)
        assert said[-2:] == [harness.ui.work.preset_library.cards[PRESET].question, "The heap is 13.9° steep."]
        area = harness.ui.states[TaskArea]
        assert before is not None
        assert area.foot is not None
        assert area.foot <= before, "the picture has left room for the answer"
        assert not area.below_legend
        assert area.foot <= harness.ui.window.inset[1] + BELOW_LEGEND * harness.ui.window.scale
        harness.ui.work.preset_library.forget()
        harness.ui.snapshot = with_fields(harness.ui.snapshot, answer=None)
        harness.frame(2)
        assert harness.ui.states[TaskArea].foot is None, "without a question there is nothing to show"


def test_words_of_the_picture_keep_clear_of_messages(tmp_path: Path) -> None:
    with open_harness(tmp_path, finished("bounce")) as harness:
        harness.frame(2)
        before = len(over_picture(harness.ui))
        show_toast(harness.ui, Message("The spheres fall."))
        harness.frame(3)
        assert len(over_picture(harness.ui)) == before + 1
        left, top, right, bottom = over_picture(harness.ui)[-1]
        assert 0.0 < left < right <= harness.ui.window.size[0]
        assert 0.0 < top < bottom
        box = harness.ui.states[TaskArea].box
        assert box is not None
        assert box[2] <= left or box[3] <= top, "and a message does not cover the task with its answer"


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
def test_the_open_table_of_outcomes_has_a_place_above_the_grains_and_beside_notices(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    notice = Notice(Message("Energy"), Message("The energy does not balance."))
    with open_harness(tmp_path, finished("silo"), size) as harness:
        harness.frame(3)
        area, window = harness.ui.states[TaskArea], harness.ui.window
        assert area.table is None
        harness.ui.states[task.OutcomeTable].is_open = True
        harness.ui.snapshot = with_fields(harness.ui.snapshot, notice=notice)
        harness.frame(3)
        assert area.table is not None
        assert area.foot is not None
        assert area.foot >= area.table[3], "the picture begins below it"
        assert area.foot <= camera_control.MOST_TASK * window.size[1], "the picture can begin there"
        assert area.table in over_picture(harness.ui)
        (shown,) = harness.ui.states[NoticeArea].boxes
        assert shown in over_picture(harness.ui), "words of the picture keep clear of a notice"
        for box in (area.box, area.table):
            assert box is not None
            assert box[2] <= shown[0] or box[3] <= shown[1], "no notice covers the answer or its table"


def test_side_by_side_the_question_is_beside_the_settings_of_the_tool(tmp_path: Path) -> None:
    with open_harness(tmp_path, course("heap")[0], (1024, 640)) as harness:
        harness.ui.work.preset_library.note(presets.card_of(PRESET))
        harness.ui.beside.runs = (harness.ui.snapshot, harness.ui.snapshot)
        harness.ui.mode.tool = "instrument"
        harness.frame(3)
        box, settings = harness.ui.states[TaskArea].box, harness.widgets["tool.instrument.kind"]
        assert box is not None
        assert box[0] >= settings[2] or box[1] >= settings[3]


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
@pytest.mark.parametrize(("scene", "preset"), [("two_sided", "two-sided"), ("biaxial", "biaxial"), ("silo", "silo")])
def test_a_long_task_is_above_four_pictures_side_by_side_and_covers_none(
    tmp_path: Path, size: tuple[int, int], scene: str, preset: str
) -> None:
    begun = shot(new_experiment(scene, scenes()[scene].test_values))
    with open_harness(tmp_path, begun, size) as harness:
        harness.ui.work.preset_library.note(presets.card_of(preset))
        harness.ui.beside.runs = (begun,) * 4
        harness.frame(4)
        box = harness.ui.states[TaskArea].box
        assert box is not None
        tops = [top for _, top, _, _ in insets(harness.ui)]
        assert box[3] <= min(tops), "the pictures begin below it"
        assert box[3] - box[1] >= 20.0, "it is there"
        assert box[2] <= size[0]
        assert max(size[1] - bottom - top for _, top, _, bottom in insets(harness.ui)) >= 0.15 * size[1]
        before = insets(harness.ui)
        harness.frame(3)
        assert insets(harness.ui) == before, "the pictures stay where they are"
        harness.ui.work.preset_library.forget()
        harness.ui.beside.runs = ()
        harness.frame(3)
        assert harness.ui.states[TaskArea].rows == 0.0, "one picture has its task over it"


def test_an_answer_without_a_number_has_no_mark_on_the_scale_of_the_guess(tmp_path: Path) -> None:
    with open_harness(tmp_path, course("drum")[0]) as harness:
        words = Message("Too little was measured in 0.1 s for an answer.")
        harness.ui.snapshot = with_fields(harness.ui.snapshot, answer=Answer(math.nan, words))
        harness.frame(2)
        assert "guess.answer" in harness.widgets
