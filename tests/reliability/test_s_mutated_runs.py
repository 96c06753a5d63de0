"""Group S, run files changed on purpose: each of 500 is read or refused in one sentence."""

from __future__ import annotations

import io
import time
from pathlib import Path

import numpy as np
import pytest
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.commands import Resume
from repose.sim.experiment.control import apply
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.archive import ArchiveError
from repose.sim.parameters import ParameterError

from tests.reliability.mutations import complaint, mutants
from tests.reliability.runs import CYLINDER, landed, saved
from tests.tiers import tiered

pytestmark = pytest.mark.usefixtures("uncompiled")

SEED, LONGEST = 20261122, 2.0
"""Processor time one file may take before it counts as a hang [s]; it takes some hundredths."""


@pytest.mark.parametrize("count", tiered((50, 170), fast={50}))
@pytest.mark.parametrize(
    ("scene", "values", "action"),
    [("heap", None, "fill"), ("bounce", {"drop_height": 0.002}, "run"), ("heap3d", CYLINDER, "fill")],
)
def test_s26_changed_runs_are_refused_in_one_sentence_or_continue(
    scene: str, values: dict | None, action: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    running = landed(scene, values, action)
    blob, before = saved(running), state_hash(running.run)
    refused = 0
    for number, wrong in enumerate(mutants(blob, count, SEED)):
        began = time.process_time()
        assert complaint(wrong) == "", number
        try:
            found = saved_run.read(io.BytesIO(wrong))
            with np.errstate(all="ignore"):
                other = resumed_experiment(found)
                advance(other, 3)
                take_snapshot(other, Snapshot())
        except (ArchiveError, ParameterError) as error:
            refused += "\n" not in str(error)
        assert time.process_time() - began < LONGEST, number
    assert refused > count // 2
    assert state_hash(running.run) == before
    assert [*tmp_path.iterdir()] == []


def test_s28_a_saved_run_that_cannot_be_continued_leaves_the_present_run_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running = landed()
    before, points = state_hash(running.run), running.history.checkpoints.shown
    file = saved_run.read(io.BytesIO(saved(landed())))
    with monkeypatch.context() as patch:
        patch.setattr("repose.sim.experiment.take_snapshot.shown_readings", lambda simulation: 1 / 0)
        assert str(apply(running, Resume(file))).startswith("The saved run cannot be continued: ")
    assert (state_hash(running.run), running.history.checkpoints.shown) == (before, points)
    assert not apply(running, Resume(file))
