"""A click adds grains of the chosen number and radius at the pointer, and undo takes them back."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.app.render.camera import Camera2D
from repose.app.ui.tools.drop import TOOL
from repose.sim.experiment.commands import ADDED, AddGrains, TakeBack

from tests.app.ui.panels.panel_harness import open_harness
from tests.app.ui.tools.two_grains import SIZE, at, two_grains


def test_a_click_adds_grains_where_the_pointer_is_and_a_drag_is_the_cameras(tmp_path: Path) -> None:
    with open_harness(tmp_path, two_grains(), size=SIZE) as harness:
        ui = harness.ui
        ui.camera = Camera2D((0.0, 0.0), 0.01)
        ui.settings.choices.drop_count, ui.settings.choices.drop_size = 7, 0.5
        assert not TOOL.press(ui, at(harness, -1.0, 2.0))
        TOOL.click(ui, at(harness, -1.0, 2.0))
        added = harness.commands[-1]
        assert added == AddGrains(added.position, 0.5, 7)
        assert added.position == pytest.approx((-1.0, 2.0))
        ui.control.edits.undo()
        assert harness.commands[-1] == TakeBack(ADDED)
