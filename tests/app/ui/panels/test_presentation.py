"""The presentation: Esc ends it, and its parameters have their whole names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygame
import pytest
from imgui_bundle import imgui
from repose.app.language import in_language
from repose.app.render import text
from repose.app.render.text import as_drawn
from repose.app.render.theme import PALETTES, interface_scale
from repose.app.ui import parameter_rows
from repose.app.ui.keys import dispatch
from repose.app.ui.panels import all_keys
from repose.app.ui.panels.presentation import shared
from repose.app.ui.replay_control import Replay
from repose.app.window.application import PRESENTED
from repose.sim.message import Message
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

SIZE = 1280, 720
ESCAPE = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE, unicode="\x1b", mod=0)


@pytest.fixture
def presented(tmp_path: Path) -> Iterator[PanelHarness]:
    """The presentation of the cube."""
    snapshot = with_fields(full_snapshot(), scene="cube", parameters=scenes()["cube"].parameters())
    scale = interface_scale(SIZE, 1.0, PRESENTED, PALETTES["dark"], presenting=True)
    with open_harness(tmp_path, snapshot, SIZE, scale=scale, fonts_of_window=True) as harness:
        harness.ui.control.edits.see(snapshot)
        harness.ui.mode.presenting = True
        harness.settle()
        yield harness


def escape(harness: PanelHarness) -> None:
    """Press Esc as the window passes it on: to its own keys, then to ImGui."""
    dispatch(ESCAPE, all_keys(), harness.ui, typing=False)
    harness.press(imgui.Key.escape)


@pytest.mark.parametrize("replayed", [False, True])
def test_esc_ends_the_presentation(presented: PanelHarness, replayed: bool) -> None:
    presented.ui.states[Replay].on = replayed
    escape(presented)
    assert not presented.ui.mode.presenting
    assert presented.ui.states[Replay].on == replayed, "F5 does not end it either"


def test_esc_first_closes_what_is_open_in_a_presentation(presented: PanelHarness) -> None:
    presented.ui.mode.help_open = True
    presented.frame()
    escape(presented)
    assert (presented.ui.mode.help_open, presented.ui.mode.presenting) == (False, True)
    presented.click("field.course")
    assert imgui.is_popup_open("", imgui.PopupFlags_.any_popup)
    escape(presented)
    assert presented.ui.mode.presenting
    assert not imgui.is_popup_open("", imgui.PopupFlags_.any_popup)
    escape(presented)
    assert not presented.ui.mode.presenting


def test_a_panel_in_place_of_the_column_covers_neither_picture_nor_parameters(presented: PanelHarness) -> None:
    assert presented.ui.window.inset[0] == 0.0
    title = presented.widgets["presentation.title"]
    presented.ui.mode.overlay = "photo"
    presented.settle()
    left = presented.ui.window.inset[0]
    assert left > presented.widgets["photo.close"][2]
    assert presented.widgets["presentation.title"][0] == pytest.approx(left + title[0])
    assert presented.widgets["field.course"][0] >= left


@pytest.mark.parametrize("language", ["en", "de", "es", "ja", "pl", "ru"])
def test_the_choice_of_a_presentation_has_its_whole_name(
    presented: PanelHarness, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def draw_text(x: float, y: float, words: Message | str, *given: Any) -> float:
        written.append(as_drawn(words))
        return text.draw_text(x, y, words, *given)

    monkeypatch.setattr(parameter_rows, "draw_text", draw_text)
    with in_language(language):
        presented.settle()
        written.clear()
        presented.frame()
        label = as_drawn(scenes()["cube"].parameters.declared()["course"].quantity.label)
        assert label in written
        assert [words for words in written if words.endswith("…")] == []
        boxes = [box for name, box in presented.widgets.items() if name.startswith("field.")]
        assert len(boxes) == 5
        assert max(box[2] for box in boxes) <= SIZE[0]


def test_chips_share_the_room() -> None:
    assert shared([0.0, 250.0, 0.0], 600.0, 84.0) == [175.0, 250.0, 175.0]
    assert shared([0.0, 0.0], 400.0, 84.0) == [200.0, 200.0]
    assert shared([0.0, 350.0], 400.0, 84.0) == [200.0, 200.0], "the others keep their least width"
    assert shared([], 400.0, 84.0) == []
