"""Tabs, tools and transport have the same places in every scene, with and without a task and its outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from imgui_bundle import imgui
from repose.app.render.camera import Camera2D
from repose.app.render.canvas import Canvas
from repose.app.render.colours import Ranges
from repose.app.render.passes import legend, make_frame, scale_bar
from repose.app.render.text import text_width
from repose.app.render.text_size import TEXT_SIZE
from repose.app.storage.view_settings import View
from repose.app.ui.tools import all_tools
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Outcome
from repose.sim.message import _, plain
from repose.sim.registry import scenes

from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

FIXED = ("tab.", "tool.", "transport.", "experiment.", "parameters.")
"""Beginnings of the names of widgets that keep their places."""
OUTCOMES = tuple(
    Outcome(f"o{k}", plain(f"the momentum of part {k} stays"), plain("3 N s"), plain("3.1 N s"), k > 0)
    for k in range(6)
)


def shown(harness: PanelHarness, snapshot: Snapshot) -> dict[str, tuple[int, ...]]:
    """The boxes of these widgets around a snapshot [px]."""
    harness.ui.snapshot = snapshot
    harness.ui.control.edits.see(snapshot)
    harness.settle()
    return {
        name: tuple(map(round, box))
        for name, box in harness.widgets.items()
        if name.startswith(FIXED) and name != "experiment.headline"
    }


def snapshots() -> Iterator[tuple[str, Snapshot]]:
    """Every scene before and after its outcomes are known."""
    for name, scene in scenes().items():
        snapshot = with_fields(full_snapshot(), scene=name, parameters=scene.parameters())
        yield name, snapshot
        yield f"{name} with outcomes", with_fields(snapshot, outcomes=OUTCOMES)


@pytest.mark.parametrize("size", [(1280, 720), (1280, 800), (1920, 1080), (1024, 640)])
def test_every_scene_has_its_controls_where_the_heap_has_them(tmp_path: Path, size: tuple[int, int]) -> None:
    with open_harness(tmp_path, size=size, fonts_of_window=True) as harness:
        expected = shown(harness, full_snapshot())
        assert {name.split(".")[0] for name in expected} >= {"tab", "tool", "transport", "experiment", "parameters"}
        moved = {}
        for name, snapshot in snapshots():
            boxes = shown(harness, snapshot)
            if others := {key: (expected[key], box) for key, box in boxes.items() if expected.get(key, box) != box}:
                moved[name] = others
        assert moved == {}


def test_the_chosen_tool_moves_no_button(tmp_path: Path) -> None:
    with open_harness(tmp_path, full_snapshot(), (1280, 800), fonts_of_window=True) as harness:
        expected = shown(harness, full_snapshot())
        for tool in all_tools():
            harness.ui.mode.tool = tool.name
            boxes = shown(harness, full_snapshot())
            assert {key: boxes[key] for key in expected} == expected, tool.name


@pytest.mark.parametrize("size", [(1280, 720), (1024, 640)])
@pytest.mark.parametrize("overlay", ["large_plot", "study"])
def test_a_plot_or_a_study_stands_beside_the_picture_and_moves_no_button(
    tmp_path: Path, size: tuple[int, int], overlay: str
) -> None:
    with open_harness(tmp_path, full_snapshot(), size, fonts_of_window=True) as harness:
        expected = shown(harness, full_snapshot())
        harness.ui.mode.overlay = overlay
        boxes = shown(harness, full_snapshot())
        assert {key: boxes.get(key) for key in expected} == expected
        left, _top, right, _foot = harness.ui.window.inset
        assert size[0] - right - left >= 240.0, "the grains are seen"
        names = ("study.",) if overlay == "study" else ("large.",)
        inside = {key: box for key, box in harness.widgets.items() if key.startswith(names)}
        if overlay == "study":
            start, _top, end, _foot = inside["study.progress"]
            assert end - start >= text_width(_("no runs yet")) + 10.0
        assert len(inside) > 3
        assert {key: box for key, box in inside.items() if box[0] < size[0] - right or box[2] > size[0]} == {}


def test_legend_and_scale_bar_are_drawn_in_the_width_of_a_panel_beside_the_picture(tmp_path: Path) -> None:
    size, edges, reach = (1280, 720), (320.0, 0.0, 500.0, 66.0), []

    def draw(ui: Ui) -> None:
        camera = Camera2D()
        camera.frame(ui.snapshot.geometry.box, size, edges)
        frame = replace(make_frame(ui.snapshot, View(), camera, size, edges, 1.0, Ranges()), beside=edges[2])
        ink = imgui.get_background_draw_list()
        canvas = Canvas(ink, imgui.get_font(), imgui.get_font(), 1.0, TEXT_SIZE)
        for part in (legend, scale_bar):
            ink.push_clip_rect(imgui.ImVec2(edges[0], 0.0), imgui.ImVec2(size[0] - edges[2], size[1]))
            part.overlay(frame, canvas)
            ink.pop_clip_rect()
            drawn = [command.clip_rect.z for command in ink.cmd_buffer if command.elem_count]
            reach.append(max(drawn[-1:], default=0.0))

    with open_harness(tmp_path, full_snapshot(), size, draw=draw):
        assert len(reach) >= 2
        assert min(reach) > size[0] - edges[2], "inside the picture nothing of them would be seen"
