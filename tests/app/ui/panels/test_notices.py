"""What is said over the picture: faults and the way back, a failed panel, a neck that is clogged."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from imgui_bundle import imgui, implot
from repose.app.ui.panels import Panel, all_panels
from repose.app.ui.panels.notices import ways_back
from repose.app.ui.places import BELOW_LEGEND
from repose.app.ui.questions import ask
from repose.app.ui.toasts import LONG, TOASTS, tell
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import Act, Recover, SetParameters
from repose.sim.experiment.snapshot import Action, Fault, Notice, Remedy
from repose.sim.registry import scenes

from tests.app.ui.panels.stage import Stage


def toasts(stage: Stage) -> list[str]:
    stage.frame(2)
    return [toast.text for toast in stage.ui.memory[TOASTS]]


def test_a_message_that_repeats_the_phase_is_not_shown(stage: Stage) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, message="Flowing.", message_repeats=True)
    assert toasts(stage) == []
    stage.ui.snapshot = replace(stage.ui.snapshot, message="Friction μ = 0.2.", message_repeats=False)
    assert toasts(stage) == ["Friction μ = 0.2."]


def test_a_message_goes_away_by_itself_and_a_second_refusal_is_said_again(stage: Stage) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, message="Pouring.", refusal="Not now.", refusals=1)
    assert toasts(stage) == ["Pouring.", "Not now."]
    stage.frame(round(60 * LONG))
    assert toasts(stage) == []
    stage.ui.snapshot = replace(stage.ui.snapshot, refusals=2)
    assert toasts(stage) == ["Not now."]


def test_after_a_drag_the_message_tells_the_whole_change(stage: Stage) -> None:
    stage.drag("field.gravity", 0.1, 0.5, stops=5)
    stage.ui.snapshot = replace(stage.ui.snapshot, message="gravity: 42 m/s² → 50 m/s², over 0.31 ms.")
    assert toasts(stage) == ["gravity: 9.81 m/s² → 50 m/s², over 0.31 ms."]


def test_notices_and_messages_leave_the_legend_and_each_other_free(stage: Stage) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, fault=Fault("Grain 17 left the container."), serial=9)
    tell(stage.ui, "Not used.", bad=True)
    ask(stage.ui, "Go on?", "Yes", lambda: None)
    stage.frame(3)
    boxes = [stage.widgets[name] for name in ("question", "notice", "toast.0")]
    assert boxes[0][1] >= BELOW_LEGEND * stage.ui.scale
    assert all(above[3] < below[1] for above, below in pairwise(boxes))
    assert min(box[0] for box in boxes) > stage.ui.size[0] / 2


@pytest.mark.parametrize("yes", [True, False])
def test_a_change_that_takes_the_grains_away_is_asked_about_once_on_release(stage: Stage, yes: bool) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, scene="vessel", parameters=scenes()["vessel"].parameters())
    stage.frame(2)
    stage.click("parameters.more")
    stage.click("parameters.search")
    stage.write("above the floor")
    before = set(stage.widgets)
    stage.drag("field.mesh_lift", 0.1, 0.3, stops=6)
    assert stage.commands == []
    stage.ctrl_click("field.mesh_lift")
    stage.write("1")
    assert stage.commands == []
    assert set(stage.widgets) - before == {"question", "question.yes", "question.no"}
    stage.click("question.yes" if yes else "question.no")
    assert stage.commands == ([SetParameters({"mesh_lift": 1e-3})] if yes else [])
    assert "question" not in stage.widgets


def test_a_fault_names_the_way_back_and_undo_takes_it(stage: Stage) -> None:
    stage.ui.edits.set({"normal_stiffness": 1e9})
    parameters = stage.ui.snapshot.parameters.changed(normal_stiffness=1e9)
    fault = Fault("Grain 17 left the container.", 17, "normal_stiffness", 1e6)
    stage.ui.snapshot = replace(stage.ui.snapshot, parameters=parameters, fault=fault, serial=9)
    stage.frame(3)
    way = next(way for way in ways_back(stage.ui) if way[0] == "undo")
    assert way[1] == f"Undo {parameters.declared()['normal_stiffness'].quantity.symbol}"
    assert "1e+06 N/m" in way[3]
    stage.click("notice.undo")
    assert stage.commands[-1] == Recover({"normal_stiffness": 1e6})


def test_after_a_fault_the_automatic_time_step_is_one_click_away(stage: Stage) -> None:
    parameters = stage.ui.snapshot.parameters.changed(dt=1e-4)
    fault = Fault("Too large a step.", remedies=(Remedy("auto_dt", "set dt=auto", {"dt": "auto"}),))
    stage.ui.snapshot = replace(stage.ui.snapshot, parameters=parameters, fault=fault, serial=9)
    stage.frame(3)
    stage.click("notice.auto")
    assert stage.commands == [Recover({"dt": "auto"})]


def test_after_a_fault_the_step_offered_is_named_on_its_button_and_taken(stage: Stage) -> None:
    fault = Fault("Too large a step.", remedies=(Remedy("smaller_dt", "set dt=1.25e-6", {"dt": 1.25e-6}),))
    stage.ui.snapshot = replace(stage.ui.snapshot, fault=fault, serial=9)
    stage.frame(3)
    assert "Step to 1.25 µs" in [label for name, label, *_ in ways_back(stage.ui) if name == "halve"]
    stage.click("notice.halve")
    assert stage.commands == [Recover({"dt": 1.25e-6})]
    stage.ui.snapshot = replace(stage.ui.snapshot, fault=replace(fault, remedies=()), serial=10)
    stage.frame(3)
    assert "notice.halve" not in stage.widgets


def test_a_fault_can_be_left_without_undoing(stage: Stage) -> None:
    stage.ui.snapshot = replace(stage.ui.snapshot, fault=Fault("Grain 17 left the container."), serial=9)
    stage.frame(3)
    assert "notice.undo" not in stage.widgets
    stage.click("notice.recover")
    assert stage.commands == [Recover({})]


def test_a_panel_that_fails_says_so_and_the_others_go_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing = True

    def draw(ui: Ui) -> None:
        imgui.push_style_var(imgui.StyleVar_.alpha, 0.5)
        imgui.begin_child("inside")
        implot.begin_plot("plot")
        if failing:
            raise ZeroDivisionError("made up")
        implot.end_plot()
        imgui.end_child()
        imgui.pop_style_var()

    broken = Panel("broken", "Broken", 5, "column", draw)
    found = (broken, *all_panels())
    monkeypatch.setattr("repose.app.ui.layout.all_panels", lambda: found)
    stage.frame(3)
    assert "made up" in stage.ui.broken["broken"]
    assert stage.ui.broken.keys() == {"broken"}
    stage.click("action.open")
    assert stage.commands == [Act("open")]
    failing = False
    stage.click("broken.again")
    assert stage.ui.broken == {}
    assert "The panel broken failed." in caplog.text


def test_lost_settings_are_reported_until_the_notice_is_closed(stage: Stage) -> None:
    stage.ui.settings.trouble = "Settings cannot be read."
    stage.frame(3)
    stage.click("notice.settings")
    assert stage.ui.settings.trouble == ""


def test_a_notice_of_the_scene_is_shown_until_it_is_closed(stage: Stage) -> None:
    turn = Action("turn", "Turn over", "T", True, "", pivot=(0.0, 0.0, 0.75))
    clogged = replace(stage.ui.snapshot, notice=Notice("Clogged", "An arch.", "turn"), actions=(turn,))
    stage.ui.snapshot = clogged
    stage.frame(3)
    stage.click("notice.action")
    assert stage.commands[-1] == Act("turn")
    stage.click("notice.scene")
    stage.frame(2)
    assert "notice.scene" not in stage.widgets
    for notice in (None, clogged.notice):
        stage.ui.snapshot = replace(clogged, notice=notice)
        stage.frame(3)
    assert "notice.scene" in stage.widgets


def test_a_film_that_cannot_be_made_is_told_over_the_picture_and_pictures_are_offered(stage: Stage) -> None:
    film, asked = stage.ui.film, []

    def open_sink(path: Path, size: tuple[int, int], fps: int) -> Any:
        asked.append(path)
        raise RuntimeError("Films cannot be made here.")

    film.open = open_sink
    film.start()
    stage.frame(3)
    stage.click("notice.pictures")
    assert asked == [film.folder / "heap.mp4", film.folder / "heap.png"]
    assert film.trouble
    assert "notice.pictures" not in stage.widgets
    stage.click("notice.no_film")
    assert film.trouble == ""
    assert "notice.no_film" not in stage.widgets
