"""The first start: few controls are seen, the others are one click or one key away, and an expert layout has all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pygame
import pytest
from imgui_bundle import imgui
from repose.app.language import NATIVE, in_language
from repose.app.render.text import text_width
from repose.app.storage.settings import load_settings
from repose.app.ui.events import Event
from repose.app.ui.keys import find_key
from repose.app.ui.panels import all_keys, transport
from repose.app.ui.panels.parameters import few
from repose.app.ui.places import MOUSE, SECTIONS
from repose.app.ui.toasts import Toasts
from repose.app.ui.tools import all_tools, chosen_tool
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message, _, plain
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

KINDS = ("button", "invisible_button", "checkbox", "begin_combo", "begin_tab_item", "tab_item_button")
KINDS += ("input_text", "input_text_with_hint", "input_int", "selectable", "tree_node_ex")
"""ImGui's functions that draw something to press, drag or type into."""
SIZES = [(1280, 720), (1280, 800)]
BEFORE, NOW = 53, 22
"""Number of controls at the first start without *More*, and with it."""


@contextmanager
def counted() -> Iterator[list[str]]:
    """The labels of the controls that are drawn and seen during the block."""
    seen: list[str] = []
    originals: dict[str, Callable[..., Any]] = {kind: getattr(imgui, kind) for kind in KINDS}

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def draw(label: str, *rest: Any, **more: Any) -> Any:
            answer = original(label, *rest, **more)
            if imgui.is_item_visible():
                seen.append(label)
            return answer

        return draw

    for kind, original in originals.items():
        setattr(imgui, kind, noting(original))
    try:
        yield seen
    finally:
        for kind, original in originals.items():
            setattr(imgui, kind, original)


@contextmanager
def words_drawn() -> Iterator[list[str]]:
    """The words of the bar of time that are drawn during the block."""
    words: list[str] = []
    original = transport.draw_text

    def draw(x: float, y: float, text: Message | str, *rest: Any, **more: Any) -> float:
        words.append(str(text))
        return original(x, y, text, *rest, **more)

    vars(transport)["draw_text"] = draw
    try:
        yield words
    finally:
        vars(transport)["draw_text"] = original


def controls(harness: PanelHarness) -> list[str]:
    """The labels of all controls in one frame."""
    with counted() as seen:
        harness.frame()
    return list(seen)


def first_snapshot() -> Snapshot:
    """The heap before its wall is opened."""
    actions = tuple(replace(action, done=False) for action in full_snapshot().run.actions)
    return with_fields(full_snapshot(), progress=None, actions=actions, step=0)


@contextmanager
def first_start(folder: Path, size: tuple[int, int] = SIZES[0]) -> Iterator[PanelHarness]:
    """The panels as they are for a person who has chosen nothing."""
    with open_harness(folder, first_snapshot(), size, fonts_of_window=True, expert=False) as harness:
        harness.settle()
        yield harness


def press_key(harness: PanelHarness, code: int) -> None:
    """What the window does with a key that is no letter."""
    key = find_key(all_keys(), code, "", 0)
    assert key is not None
    assert key.act is not None
    key.act(harness.ui)
    harness.settle()


@pytest.mark.parametrize("size", SIZES)
def test_the_first_start_shows_less_than_half_of_the_controls(tmp_path: Path, size: tuple[int, int]) -> None:
    with first_start(tmp_path, size) as harness:
        few = controls(harness)
        harness.ui.settings.choices.expert = True
        harness.settle()
        everything = controls(harness)
        assert harness.ui.program.broken == {}
    assert len(few) == NOW, few
    assert NOW <= BEFORE // 2
    assert len(everything) >= BEFORE - 3, "the count sees the controls of the expert layout"  # the heap has 2 more keys


def test_what_matters_is_seen_at_once(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        seen = set(harness.widgets)
    parameters = {f"field.{name}" for name in scenes()["heap"].lecture}
    assert {"experiment.scenes", "next.action", "experiment.card", "transport.pause", "transport.speed"} <= seen
    assert parameters <= seen


@pytest.mark.parametrize("section", SECTIONS)
def test_more_shows_the_rest_of_a_section_and_is_remembered(tmp_path: Path, section: str) -> None:
    with first_start(tmp_path) as harness:
        few = set(harness.widgets)
        harness.click(section)
        harness.settle()
        many = set(harness.widgets)
        assert len(many - few) >= 2, "the control: without More they are hidden"
        assert harness.ui.settings.save()
        assert load_settings(harness.ui.settings.path).choices.unfolded == {section: True}
        harness.click(section)
        harness.settle()
        assert set(harness.widgets) == few


def test_one_key_shows_every_control_of_the_expert_layout(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        few = set(harness.widgets)
        press_key(harness, pygame.K_F12)
        many = set(harness.widgets)
        harness.click("parameters.more")
        harness.settle()
        many |= set(harness.widgets)
        harness.click("parameters.more")
        press_key(harness, pygame.K_F12)
        assert set(harness.widgets) == few
        harness.ui.settings.choices.expert = True
        harness.settle()
        everything = set(harness.widgets)
    disabled = {"parameters.undo", "parameters.redo", "parameters.defaults"}  # seen as soon as they do something
    assert everything - disabled <= many


def test_the_expert_layout_is_remembered(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        press_key(harness, pygame.K_F12)
        harness.click("tab.appearance")
        harness.click("window.expert")
        assert harness.ui.settings.save()
        assert load_settings(harness.ui.settings.path).choices.expert
        assert not set(SECTIONS) & set(harness.widgets)


def test_a_tool_that_a_key_has_chosen_is_seen_until_fewer_puts_it_away(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        for tool in all_tools():
            if tool.first:
                continue
            assert f"tool.{tool.name}" not in harness.widgets
            harness.ui.mode.tool = tool.name
            harness.settle()
            assert f"tool.{tool.name}" in harness.widgets
            harness.click(MOUSE)
            harness.settle()
            assert chosen_tool(harness.ui) is all_tools()[0]


def test_a_hidden_parameter_that_is_changed_is_seen(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        changed, parameters = harness.ui.snapshot, scenes()["heap"].parameters()
        names = {entry.name for entry in few(harness.ui, parameters)}
        assert "rolling_friction" not in names, "the control: it is not one of the lecture"
        # As undo, a preset, a lecture or the command line changes it.
        changed = with_fields(changed, serial=8, parameters=parameters.changed(rolling_friction=0.2))
        harness.ui.snapshot = changed
        harness.settle()
        assert "rolling_friction" in {entry.name for entry in few(harness.ui, parameters)}
        assert "parameters.defaults" in harness.widgets
        assert "field.rolling_friction" in harness.widgets, "it is scrolled to"
        harness.ui.snapshot = with_fields(changed, serial=9, parameters=parameters)  # as after undo
        harness.settle()
        assert "field.rolling_friction" in harness.widgets, "no row vanishes during a drag"


@pytest.mark.parametrize("expert", [False, True])
def test_an_earlier_step_says_what_continuing_deletes(tmp_path: Path, expert: bool) -> None:
    with first_start(tmp_path) as harness, words_drawn() as words:
        harness.ui.settings.choices.expert = expert
        harness.settle()
        assert not any("deletes what came after" in word for word in words)
        harness.ui.snapshot = with_fields(first_snapshot(), serial=8, at=50, log_end=100, paused=True)
        harness.settle()
        assert any("deletes what came after" in word for word in words)


def test_the_ticks_on_the_bar_of_time_have_a_legend(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness, words_drawn() as words:
        harness.settle()
        assert not {"phase", "measurement", "change"} & set(words), "the control: nothing has happened"
        harness.ui.events.shown = [Event(0, 0.0, "phase", plain("begins")), Event(9, 0.1, "changed", plain("friction"))]
        words.clear()
        harness.settle()
        assert {"phase", "measurement", "change"} & set(words) == {"phase", "change"}


def test_all_tabs_fit_beside_the_button_in_every_language(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        press_key(harness, pygame.K_F12)
        for language in NATIVE:
            with in_language(language):
                harness.settle()
                boxes = [box for name, box in harness.widgets.items() if name.startswith("tab.")]
                assert len(boxes) == 5, language
                assert max(right for __, __, right, __ in boxes) <= harness.widgets["more.tabs"][0], language
                assert harness.widgets["more.tabs"][2] <= harness.ui.window.inset[0], language


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720)])
def test_the_button_of_the_scenes_is_a_word_beside_the_longest_title(tmp_path: Path, size: tuple[int, int]) -> None:
    with first_start(tmp_path, size) as harness:
        for language in NATIVE:
            with in_language(language):
                for name, scene in scenes().items():
                    harness.ui.snapshot = with_fields(first_snapshot(), scene=name, parameters=scene.parameters())
                    harness.frame()
                    left, _top, right, _foot = harness.widgets["experiment.scenes"]
                    assert right - left >= text_width(_("Scenes")), (language, name)


def test_a_sentence_whose_key_is_pressed_again_is_shown_once(tmp_path: Path) -> None:
    with first_start(tmp_path) as harness:
        harness.ui.settings.choices.expert = True
        for __ in range(3):
            press_key(harness, pygame.K_F12)
        assert [str(toast.text)[:17] for toast in harness.ui.states[Toasts].shown] == ["The expert layout"]
