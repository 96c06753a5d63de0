"""Panels without a mouse: F6 moves the keyboard focus, arrows and Enter operate the widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.ui.layout import focus_next
from repose.app.ui.places import Focus
from repose.app.ui.ui_probe import UiProbe
from repose.sim.experiment.commands import SetParameters, UseThreads

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness

ENOUGH = 80
"""Presses of an arrow after which something counts as out of reach."""


@dataclass
class WithKeyboard:
    """The widget that has the keyboard, as one name in a list."""

    names: list[str] = field(default_factory=list)


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PanelHarness]:
    plain = UiProbe.mark

    def mark(self: UiProbe, name: str) -> None:
        plain(self, name)
        if imgui.is_item_focused():
            focused[:] = [name]

    focused: list[str] = []
    monkeypatch.setattr(UiProbe, "mark", mark)
    with open_harness(tmp_path, full_snapshot()) as opened:
        opened.ui.states[WithKeyboard].names = focused
        yield opened


def reach_along(harness: PanelHarness, name: str, columns: int) -> None:
    """Go to a widget of a row with F6 and the arrows."""
    reach_by(harness, name, columns, imgui.Key.right_arrow)


def reach(harness: PanelHarness, name: str, columns: int) -> None:
    """Go to a widget of a column with F6 and the arrows."""
    reach_by(harness, name, columns, imgui.Key.down_arrow)


def reach_by(harness: PanelHarness, name: str, columns: int, arrow: imgui.Key) -> None:
    for _ in range(columns):
        focus_next(harness.ui)
        harness.frame(2)
    for _ in range(ENOUGH):
        harness.press(arrow)
        if harness.ui.states[WithKeyboard].names == [name]:
            return
    raise AssertionError(f"{name} cannot be reached; the keyboard is on {harness.ui.states[WithKeyboard].names}")


def test_a_choice_is_made_and_a_group_opened_by_keyboard_alone(harness: PanelHarness) -> None:
    harness.click("parameters.more")
    reach(harness, "group.Model", 1)
    harness.press(imgui.Key.enter)
    reach(harness, "field.exponent", 0)
    harness.press(imgui.Key.enter, imgui.Key.down_arrow, imgui.Key.enter)
    assert harness.commands == [SetParameters({"exponent": "linear"})]


def test_escape_closes_a_list_and_chooses_nothing(harness: PanelHarness) -> None:
    reach(harness, "experiment.preset", 1)
    harness.press(imgui.Key.enter)
    assert any(name.startswith("experiment.preset.") for name in harness.widgets)
    harness.press(imgui.Key.escape)
    assert not any(name.startswith("experiment.preset.") for name in harness.widgets)
    assert harness.commands == []


def test_a_slider_is_selected_with_enter_and_moved_with_arrows(harness: PanelHarness) -> None:
    before = harness.ui.control.transport.index
    focus_next(harness.ui)
    reach_along(harness, "transport.speed", 1)
    harness.press(imgui.Key.left_arrow)
    assert harness.ui.control.transport.index == before
    reach_along(harness, "transport.speed", 0)
    harness.press(imgui.Key.enter, imgui.Key.left_arrow, imgui.Key.left_arrow, imgui.Key.up_arrow)
    assert harness.ui.control.transport.index == before - 1
    assert harness.ui.states[WithKeyboard].names == ["transport.speed"]
    for _ in range(ENOUGH):
        harness.press(imgui.Key.down_arrow)
    assert harness.ui.control.transport.index == 0
    harness.press(imgui.Key.enter, imgui.Key.right_arrow)
    assert harness.ui.control.transport.index == 0
    assert harness.ui.states[WithKeyboard].names != ["transport.speed"]


def test_escape_deselects_a_slider(harness: PanelHarness) -> None:
    harness.click("tab.appearance")
    reach(harness, "window.text", 1)
    harness.press(imgui.Key.enter, imgui.Key.right_arrow)
    assert harness.ui.settings.choices.font_scale == 1.05
    harness.press(imgui.Key.escape, imgui.Key.right_arrow)
    assert harness.ui.settings.choices.font_scale == 1.05


def test_a_drag_with_the_mouse_deselects_a_slider_selected_by_keyboard(harness: PanelHarness) -> None:
    harness.click("tab.appearance")
    reach(harness, "window.text", 1)
    harness.press(imgui.Key.enter)
    harness.click("window.text", share=0.0)
    harness.press(imgui.Key.right_arrow)
    assert harness.ui.settings.choices.font_scale == 0.6


def test_the_number_of_threads_is_chosen_by_keyboard(harness: PanelHarness) -> None:
    reach_along(harness, "stability.dot", 2)
    harness.press(imgui.Key.enter)
    reach(harness, "stability.threads", 2)
    harness.press(imgui.Key.enter, imgui.Key.down_arrow, imgui.Key.enter)
    assert harness.commands == [UseThreads(1)]


def test_enter_on_a_slider_types_its_value_wherever_the_mouse_is(harness: PanelHarness) -> None:
    harness.move(*harness.place("field.friction", 0.9))
    reach(harness, "field.friction", 1)
    harness.press(imgui.Key.enter)
    assert harness.commands == []
    harness.write("0.35")
    assert harness.commands == [SetParameters({"friction": 0.35})]


def test_the_mouse_acts_on_the_widget_under_it_not_on_the_one_with_keyboard_focus(harness: PanelHarness) -> None:
    harness.ui.control.edits.set({"friction": 0.3})
    harness.commands.clear()
    harness.move(*harness.place("field.gravity"))
    reach(harness, "field.friction", 1)
    harness.button(True, 1)
    harness.button(False, 1)
    assert not any("friction" in command.values for command in harness.commands)


def test_keyboard_focus_skips_a_folded_column(harness: PanelHarness) -> None:
    harness.ui.window.size = (460, 600)
    harness.frame(2)
    seen = []
    for _ in range(4):
        focus_next(harness.ui)
        seen.append(harness.ui.states[Focus].next)
        harness.frame(2)
    assert seen == ["bottom", "actions", "bottom", "actions"]
