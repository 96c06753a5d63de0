"""The dissipated energy from check to check: the increase of the ledger, whatever the batches, and no part of a run."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.dissipation_record import KEPT, DissipationRecord
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance

from tests.small_worlds import use_plain_engine


def falling() -> Experiment:
    experiment = new_experiment("heap", {"grain_count": 8, "width": 0.01, "friction": 0.3}, 5)
    assert not apply(experiment, Act("run"))
    return experiment


def test_the_entries_add_up_to_the_ledger_for_any_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    whole, parts = falling(), falling()
    advance(whole, 150)
    for steps in (7, 43, 61, 39):
        advance(parts, steps)
    first, second = whole.session.dissipation.shown(), parts.session.dissipation.shown()
    assert first.interval_end.tobytes() == second.interval_end.tobytes()
    assert first.interval_energy.tobytes() == second.interval_energy.tobytes()
    assert len(first.interval_end) == 2, "from the first check on"
    assert first.interval_end[-1] == whole.time
    assert state_hash(whole.run) == state_hash(parts.run)


def test_an_entry_is_the_increase_since_the_check_before() -> None:
    record = DissipationRecord()
    for number, total in enumerate((1.0, 1.5, 1.5, 4.0)):
        record.note(50 * number, 50, 0.1 * number, total)
    shown = record.shown()
    assert shown.interval_end.tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert shown.interval_energy.tolist() == [0.5, 0.0, 2.5]


def test_a_jump_to_another_step_begins_a_new_sequence() -> None:
    record = DissipationRecord()
    for step, total in ((50, 1.0), (100, 2.0), (5000, 9.0), (5050, 9.5)):
        record.note(step, 50, 1e-3 * step, total)
    assert record.shown().interval_energy.tolist() == [0.5]


def test_the_latest_entries_are_kept() -> None:
    record = DissipationRecord()
    for number in range(2 * KEPT + 100):
        record.note(50 * number, 50, float(number), float(number))
    shown = record.shown()
    assert len(shown.interval_end) == KEPT
    assert shown.interval_end[-1] == 2 * KEPT + 99
    assert (np.diff(shown.interval_end) == 1.0).all()
