"""Every scene becomes a page: its grains, walls and readings, with the scene's small test values."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.page.page_file import page_of
from repose.app.page.recording import PageRecording
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.measure.contact_sums import touching_ids
from repose.sim.message import Message
from repose.sim.registry import scenes

from tests.app.page.columns_of import columns_of
from tests.small_worlds import use_plain_engine
from tests.tiers import tiered

STEPS = 4
"""Steps between two frames in plain Python."""


@pytest.mark.parametrize("scene", tiered(list(scenes()), fast=("heap", "clumps", "raft")))
def test_a_scene_becomes_a_page(scene: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    experiment = new_experiment(scene, scenes()[scene].test_values)
    recording, snapshot = PageRecording(), Snapshot()
    apply(experiment, Act("run"))
    for _ in range(3):
        take_snapshot(experiment, snapshot)
        recording.take(snapshot, touching_ids(experiment.run.world))
        advance(experiment, STEPS)
    page = page_of(recording, snapshot, Message("A page"))
    data, columns = columns_of(page.document)
    grains = snapshot.grains
    shown = np.isfinite(grains.position).all(axis=1)
    assert columns["there"].shape[0] == 3
    assert 0 < columns["there"][-1].sum() <= shown.sum()
    places = [columns[axis][-1] * data["quantum"] for axis in "xyz"[: data["dimension"]]]
    for row in np.flatnonzero(shown):
        number = recording.number_of(int(grains.sphere_id[row]))
        if number >= 0 and columns["there"][-1, number]:
            found = [place[number] for place in places]
            assert found == pytest.approx(grains.position[row], abs=0.51 * data["quantum"])
