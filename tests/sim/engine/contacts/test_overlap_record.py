"""The largest overlap of a run: found in every impact, independent of threads and batches, kept over a restart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.engine.workspace import OVERLAP_RATIO
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.ledger import survey_contacts
from repose.sim.experiment.results import results_of
from repose.sim.experiment.stepping import advance

from tests.reliability.runs import go, poured, resumed, saved
from tests.small_worlds import Bench, model_of, world_of


def test_the_largest_overlap_is_that_of_the_impact_not_of_the_end() -> None:
    experiment = new_experiment("bounce", {"drop_height": 0.002, "forward_speed": 0.0})
    apply(experiment, Act("run"))
    seen, when = 0.0, 0.0
    while experiment.time < 0.024:
        advance(experiment, 1)
        deepest = (experiment.run.built.radius - experiment.run.world.motion[2, 0]).max() / experiment.run.built.radius
        if deepest > seen:
            seen, when = float(deepest), experiment.time
    result = results_of(experiment)
    assert survey_contacts(experiment).largest_overlap < 0.5 * seen
    # Looked at between the steps; the force is found at the predicted place.
    assert result["largest_overlap"] == pytest.approx(seen, rel=1e-3)
    found = result["largest_overlap_at"]
    assert found["time"] == pytest.approx(when, abs=3.0 * experiment.dt)
    assert (found["wall"], len(found["grains"])) == (0, 1)
    row = found["grains"][0]
    assert found["position"] == pytest.approx([*experiment.run.world.motion[:2, 0, row], 0.0], abs=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("rotation", [False, True])
def test_the_overlap_is_relative_to_the_smaller_movable_sphere(dimension: int, rotation: bool) -> None:
    model, numbers = model_of("velocity_verlet", dimension, rotation)
    position = np.zeros((4, dimension))
    position[:, 0] = (0.0, 2.9e-3, 10e-3, 13.8e-3)
    world = world_of(model, position, [1e-3, 2e-3, 1e-3, 3e-3], 1e-3, fixed=[False, False, True, False])
    bench = Bench(world, model, numbers, 1e-9)
    bench.advance(1)
    # 0.1 mm of 1 mm, and 0.2 mm of 3 mm, as the sphere of 1 mm is held.
    deepest = bench.world.largest_overlap
    assert deepest[0] == pytest.approx(0.1, rel=1e-6)
    assert deepest[1] == 1
    assert deepest[2 : 2 + dimension] == pytest.approx([0.95e-3] + [0.0] * (dimension - 1), abs=1e-12)
    assert deepest[5:].tolist() == [0.0, 1.0, -1.0]


def test_the_result_depends_neither_on_batches_nor_on_threads_nor_on_a_restart() -> None:
    whole, pieces, threaded = poured(6_000), poured(1), poured(1)
    while pieces.history.at < 6_000:
        advance(pieces, min(7, 6_000 - pieces.history.at))
    threaded.session.threads = 3
    go(threaded, 6_000)
    expected = whole.run.world.largest_overlap
    assert expected[OVERLAP_RATIO] > survey_contacts(whole).largest_overlap
    for other in (pieces, threaded, resumed(saved(whole))):
        assert np.array_equal(other.run.world.largest_overlap, expected)
    found = results_of(whole)["largest_overlap_at"]
    assert 0.0 < found["time"] < whole.time
    assert all(map(math.isfinite, found["position"]))
