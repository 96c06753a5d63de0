"""Scenes take a million grains: what they keep of every grain is an array, in checkpoints and files too."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.experiment import history, saved_run
from repose.sim.experiment.changes import new_experiment, resumed_experiment
from repose.sim.experiment.checkpoints import bytes_of
from repose.sim.experiment.run import copied_state
from repose.sim.parameters import ParameterError

MANY = 1_000_000


@pytest.mark.parametrize("scene", ["heap", "heap3d"])
def test_a_million_grains_can_be_poured(scene: str) -> None:
    state = new_experiment(scene, {"grain_count": MANY}).run.state
    assert state.radii.shape == (MANY,)
    assert bytes_of(copied_state(state)) < 1.1 * state.radii.nbytes
    with pytest.raises(ParameterError, match="grain_count = 1000001"):
        new_experiment(scene, {"grain_count": MANY + 1})


def test_a_saved_run_has_the_radii_of_all_grains(tmp_path) -> None:
    experiment = new_experiment("heap3d", {"grain_count": 50_000})
    saved_run.save(history.saved_copy(experiment, at_once=True), tmp_path / "run.repose")
    state = resumed_experiment(saved_run.load(tmp_path / "run.repose")).run.state
    assert np.array_equal(state.radii, experiment.run.state.radii)
