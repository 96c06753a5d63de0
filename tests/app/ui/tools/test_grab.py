"""Grabbing a grain: which one, how strong, how it follows the pointer, and how it ends."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.ui.places import BELOW_LEGEND, STRIP, free_of_buttons
from repose.app.ui.toasts import Toasts
from repose.app.ui.tools import all_tools, chosen_tool
from repose.app.ui.tools.grab import NOTHING, TOOL
from repose.app.ui.tools.pointer import EARTH, PresentDrag
from repose.sim.experiment.commands import PULLED, Pull, Release, TakeBack
from repose.sim.experiment.hand import LARGEST_FORCE

from tests.app.ui.panels.panel_harness import PanelHarness, open_harness
from tests.app.ui.tools.two_grains import MASS, SIZE, at, two_grains
from tests.english import english
from tests.snapshots import put


def test_a_grain_follows_the_pointer_from_where_it_was_grabbed(harness: PanelHarness) -> None:
    ui, sent = harness.ui, harness.commands
    ui.settings.choices.grab_strength = 50.0
    assert TOOL.press(ui, at(harness, 3.4, 1.2))
    assert TOOL.hold(ui, at(harness, 3.4, 1.2))  # the pointer rests: nothing is sent
    assert TOOL.hold(ui, at(harness, 5.4, 0.2))
    TOOL.release(ui)
    first, second, last = sent
    assert isinstance(first, Pull)
    assert isinstance(second, Pull)
    assert first.position == pytest.approx((3.0, 1.0))
    assert second.position == pytest.approx((5.0, 0.0))
    assert (first.sphere_id, second.sphere_id, last) == (7, 7, Release())
    assert first.limit == pytest.approx(50.0 * EARTH * MASS)
    assert ui.states[PresentDrag].drag is None


def test_in_space_it_follows_in_the_plane_of_the_picture(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot, ui.camera = two_grains((0.5,)), Camera3D((0.0, 0.0, 0.0), 40.0, *VIEWS["three-quarter"])
    x, y = at(harness, 3.0, 1.0, 0.5)
    assert TOOL.press(ui, (x, y))
    assert TOOL.hold(ui, (x + 60.0, y - 30.0))
    target = harness.commands[-1].position
    assert at(harness, *target) == pytest.approx((x + 60.0, y - 30.0))
    assert (np.array(target) - (3.0, 1.0, 0.5)) @ ui.camera.axes()[2] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("place", [(-3.0, -1.0), (0.0, 0.0)], ids=["beside the grains", "on a wall"])
def test_a_press_that_misses_moves_nothing_in_the_plane_and_says_so(
    harness: PanelHarness, place: tuple[float, float]
) -> None:
    """It moved the picture, which then followed the grains no more."""
    ui, there = harness.ui, at(harness, *place)
    assert TOOL.press(ui, there)  # not the camera's
    assert not TOOL.hold(ui, there)
    TOOL.release(ui)
    assert [toast.text for toast in ui.states[Toasts].shown] == [NOTHING]
    assert (harness.commands, ui.control.edits.history.undoable) == ([], [])


def test_in_space_a_press_beside_the_grains_is_left_to_the_camera(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.snapshot, ui.camera = two_grains((0.5,)), Camera3D((0.0, 0.0, 0.0), 40.0, *VIEWS["three-quarter"])
    assert not TOOL.press(ui, at(harness, -9.0, -6.0, 0.5))
    assert (harness.commands, ui.control.edits.history.undoable) == ([], [])


def test_the_strongest_pull_is_one_that_the_engine_accepts(harness: PanelHarness) -> None:
    harness.ui.settings.choices.grab_strength = 1e4
    harness.ui.snapshot.grains.mass[1] = 1e6
    assert TOOL.press(harness.ui, at(harness, 3.0, 1.0))
    assert harness.commands[0].limit == LARGEST_FORCE


def test_a_drag_ends_when_the_grain_leaves_or_the_pull_is_refused(harness: PanelHarness) -> None:
    ui, there = harness.ui, at(harness, 3.0, 1.0)
    assert TOOL.press(ui, there)
    put(ui.snapshot, refusals=1)  # of another command, such as to measure
    assert TOOL.hold(ui, there)
    put(ui.snapshot, refusals=2, refused_drags=1)
    assert not TOOL.hold(ui, there)
    TOOL.release(ui)
    assert TOOL.press(ui, there)
    put(ui.snapshot, sphere_id=np.array((4, 8)))
    sent = len(harness.commands)
    assert not TOOL.hold(ui, at(harness, 9.0, 9.0))
    assert len(harness.commands) == sent
    assert english([toast.text for toast in ui.states[Toasts].shown]) == [
        "Grain 7 has left the scene: nothing is held any more.",
    ]


def test_undo_takes_back_the_whole_drag_once_and_then_the_change_before_it(harness: PanelHarness) -> None:
    edits = harness.ui.control.edits
    edits.history.record({"friction": 0.1}, {"friction": 0.2})
    assert TOOL.press(harness.ui, at(harness, 3.0, 1.0))
    TOOL.hold(harness.ui, at(harness, 4.0, 1.0))
    TOOL.release(harness.ui)
    edits.undo()
    assert harness.commands[-1] == TakeBack(PULLED)
    assert edits.to_undo() == {"friction": 0.1}


def test_buttons_and_keys_choose_a_tool_and_the_strength_is_set(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.window.inset = (0.0, 0.0, 0.0, 60.0)
    harness.frame(3)
    assert chosen_tool(ui) is all_tools()[0]
    harness.click("tool.grab")
    assert chosen_tool(ui) is TOOL
    ui.settings.choices.grab_strength = 3e3
    harness.click("tool.strength")
    assert math.log10(ui.settings.choices.grab_strength) == pytest.approx(2.0, abs=0.2)  # the middle of 1 to 10⁴


def test_choosing_a_tool_moves_no_button(tmp_path: Path) -> None:
    """The setting of the force opened above other buttons: the second click of a double-click on one hit the next."""
    with open_harness(tmp_path, two_grains()) as harness:
        buttons = [f"tool.{tool.name}" for tool in all_tools()]
        harness.frame(2)
        before = [harness.widgets[name] for name in buttons]
        harness.click("tool.grab")
        harness.frame(2)
        assert "tool.strength" in harness.widgets
        assert [harness.widgets[name] for name in buttons] == before


def test_settings_of_a_tool_end_above_the_actions_in_a_small_window(tmp_path: Path) -> None:
    """Those of the table were behind the actions at 800×600."""
    with open_harness(tmp_path, two_grains(), SIZE) as harness:
        harness.frame(2)
        harness.click("tool.table")
        harness.frame(2)
        ui = harness.ui
        boxes = [box for name, box in harness.widgets.items() if name.startswith("tool.")]
        assert {"tool.shake", "tool.amplitude", "tool.frequency", "tool.upright"} <= harness.widgets.keys()
        assert max(box[3] for box in boxes) <= ui.window.size[1] - ui.window.inset[3] - STRIP * ui.window.scale


@pytest.mark.parametrize("size", [(1280, 720), (800, 600)])
def test_buttons_of_the_tools_leave_the_room_of_the_angle_free(size: tuple[int, int], tmp_path: Path) -> None:
    with open_harness(tmp_path, two_grains(), size) as harness:
        harness.frame(2)
        ui, boxes = harness.ui, [box for name, box in harness.widgets.items() if name.startswith("tool.")]
        assert len(boxes) == len(all_tools())
        words_begin = free_of_buttons(ui)[0]
        if size[0] > 1000:
            assert all(box[2] <= words_begin for box in boxes)
        else:
            assert words_begin == ui.window.inset[0]
            assert all(box[1] >= BELOW_LEGEND * ui.window.scale for box in boxes)
