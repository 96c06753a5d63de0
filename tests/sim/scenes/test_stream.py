"""How long pouring waits for a layer that does not fall."""

from __future__ import annotations

import math

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.message import plain
from repose.sim.scenes.common import stream
from repose.sim.scenes.common.stream import JAMMED_AFTER, falling_time, pour_on

from tests.small_worlds import use_plain_engine

EARTH, MOON = 9.81, 1.62


def waited(monkeypatch: pytest.MonkeyPatch, gravity: float) -> float:
    """Time after which pouring ends because the way is blocked, with grains of 8 mm diameter [s]."""
    monkeypatch.setattr(stream, "way_is_free", lambda experiment, high: False)
    experiment = new_experiment("vessel", {"gravity": gravity, "grain_count": 400, "mean_radius": 4e-3})
    assert not apply(experiment, Act("fill"))
    state = experiment.run.state
    begun, total = state.since, len(state.radii)
    assert state.poured < total
    for tenths in range(1, 1000):
        state.since = begun - 0.1 * tenths  # as if this time had passed
        pour_on(experiment, 0.0, lambda one: None, plain(""))
        if len(state.radii) < total:
            return experiment.time - state.since
    return math.inf


def test_pouring_waits_longer_where_grains_fall_more_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    use_plain_engine(monkeypatch)
    earth, moon = waited(monkeypatch, EARTH), waited(monkeypatch, MOON)
    assert earth == pytest.approx(3.0, abs=0.11)
    # Times of falling at equal heights are as sqrt(g).
    assert moon == pytest.approx(math.sqrt(EARTH / MOON) * earth, abs=0.2)


def test_without_gravity_pouring_ends_nevertheless() -> None:
    assert math.isfinite(JAMMED_AFTER * falling_time(8e-3, 0.0))
