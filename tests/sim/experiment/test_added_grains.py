"""Grains are added where there is room: none overlaps, masses and counts are right, undo and replay agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import ADDED, Act, AddGrains, TakeBack
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import free_places, mean_radius
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.io.plain import decode, encode
from repose.sim.scenes.vessel import scene as vessel

from tests.reliability.runs import FEW, go, poured, resumed, saved
from tests.sim.experiment.test_pull import done, falling
from tests.small_worlds import use_plain_engine


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine in plain Python."""
    use_plain_engine(monkeypatch)


def smallest_gap(experiment: Experiment) -> float:
    """Between any two spheres of which one can move [radii of the smallest]."""
    world = experiment.run.world
    position, radius = world.motion[: experiment.scene.model.dimension, 0].T, world.radius
    apart = np.sqrt(((position[:, None] - position) ** 2).sum(axis=2)) - radius[:, None] - radius
    apart[np.ix_(world.fixed, world.fixed)] = math.inf
    np.fill_diagonal(apart, math.inf)
    return float(apart.min() / radius.min())


@pytest.mark.usefixtures("plain")
def test_grains_take_the_nearest_free_places_with_the_mass_of_the_scene_and_are_counted() -> None:
    experiment = falling()
    world, state = experiment.run.world, experiment.run.state
    grain = int(np.flatnonzero(~world.fixed)[0])
    position = tuple(map(float, world.motion[:2, 0, grain]))  # on the grain
    radius = float(world.radius[grain])
    before = energy_of(experiment).gap
    done(experiment, AddGrains(position, radius, 3))
    after = experiment.run.world
    assert after.sphere_count == world.sphere_count + 3
    assert after.mass[-3:] == pytest.approx(world.mass[grain])
    assert (state.poured, len(state.radii), state.removed) == (4, 4, 0)
    assert len(set(after.sphere_id.tolist())) == after.sphere_count
    assert smallest_gap(experiment) > 0.0
    assert np.abs(after.motion[:2, 0, -3:].T - position).max() < 6.0 * radius
    assert abs(energy_of(experiment).gap - before) < 1e-12
    advance(experiment, 20)
    assert after.motion[1, 1, -1] == pytest.approx(-9.81 * 20 * experiment.dt, rel=0.05)  # it falls from rest


@pytest.mark.usefixtures("plain")
def test_in_space_no_grain_is_put_into_a_wall_or_below_the_plate() -> None:
    experiment = new_experiment("heap3d", {"grain_count": 10})
    radius = mean_radius(experiment)
    found = free_places(experiment.run.world, np.array((0.0, 0.0, -0.5 * radius)), radius, 5)
    assert len(found) == 5
    assert found[:, 2].min() >= radius
    assert np.linalg.norm(found[:, :2], axis=1).max() < 6.0 * radius


@pytest.mark.usefixtures("plain")
def test_no_grain_is_put_into_the_body_of_a_shape() -> None:
    experiment = new_experiment("vessel")
    foot = (0.0, 0.0, 0.0)  # of the goblet, which is solid
    done(experiment, AddGrains(foot, 0.3 * mean_radius(experiment), 3))
    assert vessel.count_grains(experiment)["inside_body"] == 0


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize(
    ("scene", "position", "size", "count", "reason"),
    [
        ("heap", (0.0,), 1.0, 1, "none of 2 coordinates"),
        ("heap", (0.0, math.inf), 1.0, 1, "none of 2 coordinates"),
        ("heap", (0.0, 0.01), math.nan, 1, "radius is nan"),
        ("heap", (0.0, 0.01), 9.0, 1, "radius is"),
        ("heap", (0.0, 0.01), 0.1, 1, "give one from"),
        ("heap", (0.0, 0.01), 1.0, 0, "from 1 to 200"),
        ("heap", (0.0, 0.01), 1.0, True, "from 1 to 200"),
        ("heap", (0.0, -0.5), 1.0, 1, "room for 0 of 1 grain "),  # below the base
        ("vessel", (0.0, 0.5, 0.05), 1.0, 1, "room for 0 of 1 grain "),  # beyond the rim, where grains leave
        ("bounce", (0.0, 0.0, 1.0), 1.0, 1, "has no loose grains"),
    ],
)
def test_what_cannot_be_added_is_refused_in_one_sentence(
    scene: str, position: Any, size: float, count: Any, reason: str
) -> None:
    experiment = new_experiment(scene, FEW if scene == "heap" else {})
    before = state_hash(experiment.run)
    said = apply(experiment, AddGrains(position, size * mean_radius(experiment), count))
    assert reason in str(said)
    assert str(said).startswith("Adding grains is refused: ")
    assert state_hash(experiment.run) == before


@pytest.mark.usefixtures("plain")
def test_where_there_is_no_room_the_number_that_fits_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = falling()
    monkeypatch.setattr("repose.sim.experiment.hand.REACH", 1)
    said = apply(experiment, AddGrains((2.5e-3, 8e-3), mean_radius(experiment), 40))
    assert "there is room for" in str(said)
    assert "of 40 grains" in str(said)


def test_added_grains_are_in_replay_file_and_undo() -> None:
    experiment = poured(5_000)
    digest, radius = state_hash(experiment.run), mean_radius(experiment)
    done(experiment, AddGrains((2.5e-3, 12e-3), radius, 2), AddGrains((2.5e-3, 12e-3), 0.6 * radius, 1))
    go(experiment, 7_000)
    assert verify(saved_copy(experiment)).differs_at is None
    other = resumed(saved(experiment))
    for run in (experiment, other):
        go(run, 7_500)
    assert state_hash(other.run) == state_hash(experiment.run)
    done(experiment, TakeBack(ADDED), TakeBack(ADDED))
    assert state_hash(experiment.run) == digest
    command = AddGrains((0.1, 0.2), 1e-3, 4)
    assert decode(AddGrains, encode(command, {}, "command"), {}, "command") == command


@pytest.mark.usefixtures("plain")
def test_grains_added_while_others_are_poured_leave_those_as_they_were() -> None:
    experiment = done(new_experiment("heap", FEW), Act("fill"))
    state = experiment.run.state
    later = state.radii[state.poured :]
    done(experiment, AddGrains((2.5e-3, 20e-3), mean_radius(experiment), 2))
    assert state.radii[state.poured :].tolist() == later.tolist()
