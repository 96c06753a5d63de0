"""Tabs, tools and transport have the same places in every scene, with and without a task and its outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from repose.app.ui.tools import all_tools
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Outcome
from repose.sim.message import plain
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
