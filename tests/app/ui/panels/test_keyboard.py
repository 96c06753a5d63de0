"""Panels without a mouse: F6 gives the keyboard to a column, arrows and Enter do the rest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.ui.layout import focus_next
from repose.app.ui.ui_probe import UiProbe
from repose.sim.experiment.commands import SetParameters, UseThreads

from tests.app.ui.panels.stage import Stage, full_snapshot, open_stage

ENOUGH = 80
"""Presses of an arrow after which something counts as out of reach."""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    plain = UiProbe.mark

    def mark(self: UiProbe, name: str) -> None:
        plain(self, name)
        if imgui.is_item_focused():
            focused[:] = [name]

    focused: list[str] = []
    monkeypatch.setattr(UiProbe, "mark", mark)
    with open_stage(tmp_path, full_snapshot()) as opened:
        opened.ui.memory["focused"] = focused
        yield opened


def reach_along(stage: Stage, name: str, columns: int) -> None:
    """Go to a widget of a row with F6 and the arrows."""
    reach_by(stage, name, columns, imgui.Key.right_arrow)


def reach(stage: Stage, name: str, columns: int) -> None:
    """Go to a widget of a column with F6 and the arrows."""
    reach_by(stage, name, columns, imgui.Key.down_arrow)


def reach_by(stage: Stage, name: str, columns: int, arrow: imgui.Key) -> None:
    for _ in range(columns):
        focus_next(stage.ui)
        stage.frame(2)
    for _ in range(ENOUGH):
        stage.press(arrow)
        if stage.ui.memory["focused"] == [name]:
            return
    raise AssertionError(f"{name} cannot be reached; the keyboard is on {stage.ui.memory['focused']}")


def test_a_choice_is_made_and_a_group_opened_by_keyboard_alone(stage: Stage) -> None:
    stage.click("parameters.more")
    reach(stage, "group.Model", 1)
    stage.press(imgui.Key.enter)
    reach(stage, "field.exponent", 0)
    stage.press(imgui.Key.enter, imgui.Key.down_arrow, imgui.Key.enter)
    assert stage.commands == [SetParameters({"exponent": "linear"})]


def test_escape_closes_a_list_and_chooses_nothing(stage: Stage) -> None:
    reach(stage, "experiment.preset", 1)
    stage.press(imgui.Key.enter)
    assert any(name.startswith("experiment.preset.") for name in stage.widgets)
    stage.press(imgui.Key.escape)
    assert not any(name.startswith("experiment.preset.") for name in stage.widgets)
    assert stage.commands == []


def test_a_bar_is_taken_hold_of_with_enter_moved_with_arrows_and_let_go(stage: Stage) -> None:
    before = stage.ui.transport.index
    focus_next(stage.ui)
    reach_along(stage, "transport.speed", 1)
    stage.press(imgui.Key.left_arrow)
    assert stage.ui.transport.index == before
    reach_along(stage, "transport.speed", 0)
    stage.press(imgui.Key.enter, imgui.Key.left_arrow, imgui.Key.left_arrow, imgui.Key.up_arrow)
    assert stage.ui.transport.index == before - 1
    assert stage.ui.memory["focused"] == ["transport.speed"]
    for _ in range(ENOUGH):
        stage.press(imgui.Key.down_arrow)
    assert stage.ui.transport.index == 0
    stage.press(imgui.Key.enter, imgui.Key.right_arrow)
    assert stage.ui.transport.index == 0
    assert stage.ui.memory["focused"] != ["transport.speed"]


def test_escape_lets_go_of_a_bar(stage: Stage) -> None:
    stage.click("tab.appearance")
    reach(stage, "window.text", 1)
    stage.press(imgui.Key.enter, imgui.Key.right_arrow)
    assert stage.ui.settings.choices.font_scale == 1.05
    stage.press(imgui.Key.escape, imgui.Key.right_arrow)
    assert stage.ui.settings.choices.font_scale == 1.05


def test_the_mouse_takes_a_bar_over_from_the_keyboard(stage: Stage) -> None:
    stage.click("tab.appearance")
    reach(stage, "window.text", 1)
    stage.press(imgui.Key.enter)
    stage.click("window.text", share=0.0)
    stage.press(imgui.Key.right_arrow)
    assert stage.ui.settings.choices.font_scale == 0.6


def test_the_number_of_threads_is_chosen_by_keyboard(stage: Stage) -> None:
    reach_along(stage, "stability.dot", 2)
    stage.press(imgui.Key.enter)
    reach(stage, "stability.threads", 2)
    stage.press(imgui.Key.enter, imgui.Key.down_arrow, imgui.Key.enter)
    assert stage.commands == [UseThreads(1)]


def test_enter_on_a_slider_types_its_value_wherever_the_mouse_is(stage: Stage) -> None:
    stage.move(*stage.place("field.friction", 0.9))
    reach(stage, "field.friction", 1)
    stage.press(imgui.Key.enter)
    assert stage.commands == []
    stage.write("0.35")
    assert stage.commands == [SetParameters({"friction": 0.35})]


def test_the_mouse_acts_on_what_it_points_at_not_on_what_the_keyboard_is_on(stage: Stage) -> None:
    stage.ui.edits.set({"friction": 0.3})
    stage.commands.clear()
    stage.move(*stage.place("field.gravity"))
    reach(stage, "field.friction", 1)
    stage.button(True, 1)
    stage.button(False, 1)
    assert not any("friction" in command.values for command in stage.commands)


def test_a_column_that_is_folded_is_passed_over(stage: Stage) -> None:
    stage.ui.size = (460, 600)
    stage.frame(2)
    seen = []
    for _ in range(4):
        focus_next(stage.ui)
        seen.append(stage.ui.memory["focus"])
        stage.frame(2)
    assert seen == ["bottom", "actions", "bottom", "actions"]
