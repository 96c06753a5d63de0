"""Erasing: the clicked grain is removed, walls and empty places are not, and an undo puts back what was removed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from repose.app.ui.edits import PATIENCE
from repose.app.ui.tools.erase import TOOL
from repose.sim.experiment.commands import REMOVED, DoAgain, RemoveGrain, TakeBack

from tests.app.ui.panels.panel_harness import PanelHarness
from tests.app.ui.tools.two_grains import at
from tests.english import english
from tests.snapshots import put


def test_a_click_removes_the_grain_and_no_wall(harness: PanelHarness) -> None:
    TOOL.click(harness.ui, at(harness, 0.0, 0.0))
    TOOL.click(harness.ui, at(harness, -3.0, 2.0))
    assert harness.commands == []
    TOOL.click(harness.ui, at(harness, 3.4, 1.2))
    harness.ui.control.edits.undo()
    assert harness.commands == [RemoveGrain(7), TakeBack(REMOVED)]


def test_a_removal_is_redone_and_marked_on_the_bar_of_time_once_it_has_acted(harness: PanelHarness) -> None:
    edits, snapshot = harness.ui.control.edits, harness.ui.snapshot
    TOOL.click(harness.ui, at(harness, 3.4, 1.2))
    assert edits.marks == []
    edits.see(replace(snapshot, serial=snapshot.serial + PATIENCE))
    assert english([mark.text for mark in edits.marks]) == ["Removed grain"]
    edits.undo()
    edits.redo()
    edits.undo()
    assert harness.commands[1:] == [TakeBack(REMOVED), DoAgain(REMOVED), TakeBack(REMOVED)]


@pytest.mark.parametrize(("later", "undone"), [(1, False), (PATIENCE + 1, True)])
def test_a_refused_removal_is_not_undone_but_what_was_done_before_it(
    harness: PanelHarness, later: int, undone: bool
) -> None:
    edits = harness.ui.control.edits
    edits.history.record({"friction": 0.1}, {"friction": 0.2})
    TOOL.click(harness.ui, at(harness, 3.0, 1.0))
    for serial in range(2, later + 2):
        harness.ui.snapshot.serial = serial
        put(harness.ui.snapshot, refusals=int(serial == later + 1))  # at once, or of a later command
        edits.see(harness.ui.snapshot)
    assert (edits.to_undo() == {}) == undone
    assert undone or edits.to_undo() == {"friction": 0.1}
