"""The course of the selected contact: collected while it is selected, cut at an earlier step, ended when it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from repose.app.ui.panels.contact_plot import COURSE
from repose.app.ui.toasts import TOASTS

from tests.app.render.test_selection import three_in_a_row
from tests.app.ui.panels.panel_harness import PanelHarness, open_harness


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PanelHarness]:
    with open_harness(tmp_path, three_in_a_row(), size=(1280, 900)) as opened:
        opened.ui.inset = (300.0, 0.0, 0.0, 60.0)
        yield opened


def test_forces_are_plotted_over_time_and_a_grain_that_leaves_ends_the_selection(harness: PanelHarness) -> None:
    ui = harness.ui
    ui.view.selected = (7, 9)
    for time in (0.1, 0.2, 0.3, 0.2):
        ui.snapshot.time = time
        ui.snapshot.forces.normal_force[1] = 10.0 * time
        harness.frame()
    assert ui.memory[COURSE] == ((7, 9), [(0.1, 1.0, 0.0), (0.2, 2.0, 0.0)])
    assert "contact plot" in harness.widgets
    ui.view.selected = (9,)
    harness.frame()
    assert ui.memory[COURSE] == ((9,), [(0.2, 3.0, 1.0)])
    ui.snapshot.sphere_id = np.array((5, 8, 7))
    harness.frame()
    assert ui.view.selected == ()
    assert [toast.text for toast in ui.memory[TOASTS]] == ["Grain 9 has left the scene: nothing is selected any more."]
    assert ui.broken == {}
