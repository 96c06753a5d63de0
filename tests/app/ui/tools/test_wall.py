"""Drawing a wall with a drag, and erasing it with a click."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.ui.toasts import Toasts
from repose.app.ui.tools import Tool, all_tools, choose_by_key, chosen_tool, drop, erase
from repose.app.ui.tools.wall import TOOL, WallLine
from repose.sim.experiment.commands import DRAWN, DrawWall, RemoveWall, TakeBack

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness
from tests.app.ui.tools.two_grains import SIZE, at, two_grains
from tests.snapshots import put, with_fields


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    wall = np.array((((-3.0, -1.0), (-1.0, -1.0)),), np.float32)
    with open_harness(tmp_path, with_fields(two_grains(), scene="heap", facets=wall), size=SIZE) as opened:
        opened.ui.camera = Camera2D((0.0, 0.0), 0.02)
        yield opened


def test_a_drag_draws_a_wall_from_press_to_release_shows_it_meanwhile_and_undo_takes_it_back(
    harness: PanelHarness,
) -> None:
    ui = harness.ui
    ui.window.inset, ui.mode.tool = (0.0, 0.0, 0.0, 60.0), TOOL.name
    assert TOOL.press(ui, at(harness, -2.0, 2.0))
    assert TOOL.hold(ui, at(harness, 1.0, 3.0))
    harness.frame(1)
    assert harness.commands == []
    TOOL.release(ui)
    drawn = harness.commands[-1]
    assert isinstance(drawn, DrawWall)
    assert (*drawn.start, *drawn.end) == pytest.approx((-2.0, 2.0, 1.0, 3.0))
    assert ui.states[WallLine].ends is None
    ui.control.edits.undo()
    assert harness.commands[-1] == TakeBack(DRAWN)


def test_a_click_draws_nothing_and_other_scenes_take_no_walls(harness: PanelHarness) -> None:
    assert TOOL.press(harness.ui, at(harness, -2.0, 2.0))
    TOOL.release(harness.ui)
    assert harness.commands == []
    put(harness.ui.snapshot, scene="bounce")
    assert not TOOL.press(harness.ui, at(harness, -2.0, 2.0))


@pytest.mark.parametrize(("tool", "word"), [(TOOL, "walls"), (drop.TOOL, "added"), (erase.TOOL, "erased")])
def test_a_tool_that_the_scene_refuses_is_grey_with_the_reason_and_neither_click_nor_key_chooses_it(
    harness: PanelHarness, tool: Tool, word: str
) -> None:
    ui = harness.ui
    ui.window.inset, ui.mode.tool = (0.0, 0.0, 0.0, 60.0), tool.name
    assert chosen_tool(ui) is tool
    ui.snapshot = with_fields(ui.snapshot, scene="bounce")
    assert chosen_tool(ui) is all_tools()[0]
    ui.mode.tool = ""
    harness.frame(3)
    harness.click(f"tool.{tool.name}")
    choose_by_key(tool, ui)
    assert chosen_tool(ui) is all_tools()[0]
    assert word in str(tool.refusal(ui.snapshot))
    assert ui.states[Toasts].shown[-1].text == tool.refusal(ui.snapshot)


def test_erase_removes_the_wall_that_is_clicked_and_none_beside_it(harness: PanelHarness) -> None:
    erase.TOOL.click(harness.ui, at(harness, -2.0, 0.5))
    assert harness.commands == []
    erase.TOOL.click(harness.ui, at(harness, -2.0, -0.95))
    removed = harness.commands[-1]
    assert isinstance(removed, RemoveWall)
    assert removed.position == pytest.approx((-2.0, -0.95))
    harness.ui.control.edits.undo()
    assert harness.commands[-1] == TakeBack(DRAWN)
