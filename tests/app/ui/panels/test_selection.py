"""A selected grain that leaves ends the selection, in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from repose.app.ui.toasts import Toasts

from tests.app.render.test_selection import three_in_a_row
from tests.app.ui.panels.panel_harness import open_harness
from tests.english import english
from tests.snapshots import put


def test_a_grain_that_leaves_ends_the_selection(tmp_path: Path) -> None:
    with open_harness(tmp_path, three_in_a_row()) as harness:
        ui = harness.ui
        ui.view.selected = (9,)
        harness.frame()
        assert ui.view.selected == (9,)
        put(ui.snapshot, sphere_id=np.array((5, 8, 7)))
        harness.frame()
        assert ui.view.selected == ()
        assert english([toast.text for toast in ui.states[Toasts].shown]) == [
            "Grain 9 has left the scene: nothing is selected any more."
        ]
        assert ui.program.broken == {}
