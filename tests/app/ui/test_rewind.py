"""Seeking in the history, and undo after it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from repose.app.ui import rewind
from repose.app.ui.edits import Edits
from repose.app.ui.undo import UndoHistory
from repose.sim.experiment.commands import Command, Rewind
from repose.sim.experiment.control import apply, rewind_to
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot

from tests.reliability.runs import changed, go, poured
from tests.snapshots import snapshot_of


@pytest.mark.parametrize(
    ("action", "at", "expected"),
    [
        ("step_back", 5_000, 4_999),
        ("step_back", 0, 0),
        ("earlier", 5_000, 4_000),
        ("earlier", 4_001, 4_000),
        ("earlier", 4_000, 2_000),
        ("earlier", 0, 0),
        ("later", 0, 2_000),
        ("later", 3_999, 4_000),
        ("later", 4_000, 5_000),
        ("later", 5_000, 5_000),
    ],
)
def test_keys_go_to_restart_points_and_pause(action: str, at: int, expected: int) -> None:
    sent: list[Command] = []
    paused: list[bool] = []
    snapshot = snapshot_of(at=at, log_end=5_000, moments=((0, 0.0), (2_000, 0.02), (4_000, 0.04)))
    clock: Any = SimpleNamespace(paused=False, pause=paused.append)
    ui: Any = SimpleNamespace(snapshot=snapshot, control=SimpleNamespace(transport=clock, send=sent.append))
    getattr(rewind, action)(ui)
    assert sent == [Rewind(expected)]
    assert paused == [True]
    assert rewind.nearest(ui, 0.75) == 4_000
    assert rewind.nearest(ui, 1.0) == 5_000


def test_a_step_forward_follows_the_history_and_computes_a_new_step_at_its_end() -> None:
    sent: list[Command] = []
    steps: list[str] = []
    clock: Any = SimpleNamespace(paused=True, pause=lambda paused: None, step=lambda: steps.append("new"))
    for at in (4_999, 5_000):
        ui: Any = SimpleNamespace(
            snapshot=snapshot_of(at=at, log_end=5_000), control=SimpleNamespace(transport=clock, send=sent.append)
        )
        rewind.step_forward(ui)
    assert sent == [Rewind(5_000)]
    assert steps == ["new"]


def test_undo_follows_a_seek_and_deletes_changes_after_a_discarded_step() -> None:
    experiment = poured(1_000)
    experiment.history.checkpoints.budget = 50 * 2**20
    edits = Edits(lambda command: apply(experiment, command), UndoHistory())

    def look() -> None:
        shown = Snapshot()
        take_snapshot(experiment, shown)
        edits.see(shown)

    for at, friction in ((1_000, 0.3), (2_000, 0.5)):
        go(experiment, at)
        look()
        assert edits.set({"friction": friction})
        look()
    go(experiment, 3_000)
    look()
    assert edits.to_undo() == {"friction": 0.3}
    rewind_to(experiment, 1_500)
    look()
    assert experiment.parameters.friction == 0.3
    assert edits.to_undo() == {"friction": 0.1}
    rewind_to(experiment, 3_000)
    look()
    assert experiment.parameters.friction == 0.5
    assert edits.to_undo() == {"friction": 0.3}
    rewind_to(experiment, 1_500)
    look()
    go(experiment, 3_000)
    look()
    assert experiment.parameters.friction == 0.3
    assert edits.to_undo() == {"friction": 0.1}
    assert edits.history.to_come == []
    edits.undo()
    look()
    assert experiment.parameters.friction == 0.1
    assert changed(experiment).parameters.friction == 0.1
