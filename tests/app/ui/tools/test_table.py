"""Tilting the table with drag and keys, shaking it with button and key."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.render.camera import Camera2D
from repose.app.ui.tools import choose_by_key, chosen_tool
from repose.app.ui.tools.table import STEP, TOOL, TableTurn
from repose.sim.experiment.commands import SHAKEN, SetParameters, Shake, Still, TakeBack
from repose.sim.experiment.snapshot import ShownShaking
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness
from tests.app.ui.tools.two_grains import SIZE, at, two_grains
from tests.snapshots import put, with_fields


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    shown = with_fields(two_grains(), parameters=scenes()["heap"].parameters(), box=((-5.0, -5.0), (5.0, 5.0)))
    with open_harness(tmp_path, shown, size=SIZE) as opened:
        opened.ui.camera = Camera2D((0.0, 0.0), 0.03)
        opened.ui.control.edits.see(shown)
        yield opened


def tilts(harness: PanelHarness) -> list[float]:
    """Tilts requested so far [°]."""
    found = [command.values["tilt"] for command in harness.commands if isinstance(command, SetParameters)]
    return [round(math.degrees(tilt), 3) for tilt in found]


def test_a_drag_clockwise_lowers_the_right_side_by_the_angle_of_the_pointer_and_is_undone_at_once(
    harness: PanelHarness,
) -> None:
    ui = harness.ui
    assert TOOL.press(ui, at(harness, 4.0, 0.0))
    for angle in (-10.0, -20.0):
        turn = math.radians(angle)
        assert TOOL.hold(ui, at(harness, 4.0 * math.cos(turn), 4.0 * math.sin(turn)))
    TOOL.release(ui)
    assert tilts(harness) == [10.0, 20.0]
    assert ui.states[TableTurn].offset is None
    ui.control.edits.undo()
    assert tilts(harness)[-1] == 0.0


def test_a_press_at_the_middle_or_without_a_tilt_is_left_to_the_camera(harness: PanelHarness) -> None:
    assert not TOOL.press(harness.ui, at(harness, 0.1, 0.1))
    put(harness.ui.snapshot, parameters=None)
    assert not TOOL.press(harness.ui, at(harness, 4.0, 0.0))


def test_arrow_keys_tilt_by_a_degree_and_not_beyond_upright(harness: PanelHarness) -> None:
    left, right = TOOL.keys
    for key in (right, right, left):
        key.act(harness.ui)
    assert tilts(harness) == [1.0, 2.0, 1.0]
    for _ in range(92):
        right.act(harness.ui)
    assert tilts(harness)[-1] == 90.0
    assert math.degrees(STEP) == pytest.approx(1.0)


def test_its_key_chooses_the_tool_then_shakes_then_ends_the_shaking(harness: PanelHarness) -> None:
    ui, choices = harness.ui, harness.ui.settings.choices
    choose_by_key(TOOL, ui)
    assert chosen_tool(ui) is TOOL
    assert harness.commands == []
    choose_by_key(TOOL, ui)
    choices.shake_amplitude, choices.shake_frequency = 2e-4, 40.0
    assert harness.commands.pop() == Shake(5e-4, 30.0, True)
    put(ui.snapshot, shaking=ShownShaking((0.0, 1.0), 5e-4, 30.0, 1.0, 17.0))
    choose_by_key(TOOL, ui)
    assert harness.commands.pop() == Still()
    ui.control.edits.undo()
    assert harness.commands.pop() == TakeBack(SHAKEN)


def test_a_slider_moved_during_the_shaking_acts_at_once(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.window.inset, ui.mode.tool = (0.0, 0.0, 0.0, 60.0), TOOL.name
    put(ui.snapshot, shaking=ShownShaking((0.0, 1.0), 5e-4, 30.0, 1.0, 17.0))
    harness.frame(2)
    assert harness.commands == []
    harness.click("tool.upright")
    assert harness.commands == [Shake(5e-4, 30.0, False)]
