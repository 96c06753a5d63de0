"""Checkpoints stay within their budget, whatever is done to a run between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.checkpoints import bytes_of
from repose.sim.experiment.commands import Act, Rewind, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.history import keep_return
from repose.sim.experiment.run import RestartPoint
from repose.sim.experiment.stepping import advance


@pytest.mark.parametrize("room", [1.02, 1.5, 3.0, 10.0])
def test_the_memory_of_all_checkpoints_never_passes_the_budget(room: float) -> None:
    """`room` is the budget over the memory of the first checkpoint once grains are there."""
    experiment = new_experiment("heap", {"grain_count": 40, "width": 0.015})
    kept = experiment.history.checkpoints
    apply(experiment, Act("fill"))
    advance(experiment, 2_000)
    keep_return(experiment)
    kept.budget = int(room * bytes_of(kept.kept[0]))
    most = 0
    for change in range(60):
        values = {"friction": 0.1 + 0.01 * (change % 7), "gravity": 9.0 + 0.1 * (change % 3)}
        assert apply(experiment, SetParameters(values)) == ""
        advance(experiment, 150)
        keep_return(experiment)
        if change == 40:
            apply(experiment, Rewind(experiment.history.at - 1_000))
        assert bytes_of(kept.kept) <= kept.bytes <= kept.budget
        most = max(most, len(kept.kept))
    assert len(kept.kept) >= 1
    assert most < 60


@dataclass
class Layers:
    """A state with every kind of value that a scene keeps."""

    radii: list[float]
    profile: list[list[float]]
    mixed: list[Any]
    again: list[float]
    random: dict[str, Any]


def test_a_restart_point_shares_no_list_with_the_run() -> None:
    radii = [1.0, 2.0]
    state = Layers(radii, [[1.0], [2.0, 3.0]], [[4.0], {"a": [5.0]}], radii, {"bits": [6]})
    run = new_experiment("heap", {"grain_count": 40, "width": 0.015}).run
    run.state = state
    kept = RestartPoint.of(None, run).run.state
    assert kept == state
    for before, after in ((state, kept), (state.profile, kept.profile), (state.mixed, kept.mixed)):
        values = zip(*(vars(one).values() if one in (state, kept) else one for one in (before, after)), strict=True)
        assert all(one is not other for one, other in values)
    assert kept.radii is kept.again
    assert kept.random["bits"] is not state.random["bits"]
