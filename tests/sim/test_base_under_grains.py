"""A change of base or walls under present grains: rebuilt if the scene can do so, otherwise a restart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, Rewind, SetParameters, TakeBack
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import advance
from repose.sim.registry import scenes
from repose.sim.scenes.common.rebuilding import FixedSpheres, clearance, lift

RADII = {
    "base_radius": (3e-3, 1e-4),
    "wall_radius": (3e-3, 2e-4),
}


def flowing() -> Experiment:
    """The prepared column, its wall open for 9 ms."""
    experiment = new_experiment("heap", ready="column")
    apply(experiment, Act("open"))
    advance(experiment, 500)
    return experiment


def grains(experiment: Experiment) -> int:
    return int((~experiment.run.world.fixed).sum())


@pytest.mark.parametrize("name", RADII)
@pytest.mark.parametrize("radius", [0, 1])
@pytest.mark.parametrize("state", ["filled", "flowing"])
def test_grains_stay_when_base_or_walls_are_rebuilt(name: str, radius: int, state: str) -> None:
    experiment = flowing() if state == "flowing" else new_experiment("heap", ready="column")
    value = RADII[name][radius]
    before, count, overlap = energy_of(experiment), grains(experiment), survey_contacts(experiment).largest_overlap
    fastest = largest_speed(experiment)
    assert not apply(experiment, SetParameters({name: value}))
    after = energy_of(experiment)
    assert "rebuilt under the grains" in str(experiment.message)
    assert experiment.phase == state
    assert getattr(experiment.run.built, name) == value
    assert value in experiment.run.world.radius[experiment.run.world.fixed]
    assert grains(experiment) == count - experiment.run.state.removed
    assert experiment.run.state.removed < 0.02 * count
    assert after.gap == pytest.approx(before.gap, abs=1e-9)
    assert survey_contacts(experiment).largest_overlap < overlap + 0.1
    advance(experiment, 500)
    # What a grain can gain by falling the largest lift, and by 9 ms of free fall.
    gained = math.sqrt(2.0 * 9.81 * 6e-3) + (9.81 * 500 * 2e-5 if state == "flowing" else 0.0)
    assert largest_speed(experiment) < fastest + gained
    world = experiment.run.world
    assert world.motion[0, 0, ~world.fixed].min() > -value
    assert experiment.fault is None


def largest_speed(experiment: Experiment) -> float:
    world = experiment.run.world
    return float(np.hypot(*world.motion[:2, 1, ~world.fixed]).max())


@pytest.mark.parametrize("pouring", ["cylinder", "funnel"])
def test_a_plate_is_made_smooth_and_rough_again_under_the_heap(pouring: str) -> None:
    experiment = new_experiment("heap3d", {"grain_count": 60, "pouring": pouring, "rolling_friction": 0.2})
    apply(experiment, Act("run"))
    advance(experiment, 6_000)
    count, ids = grains(experiment), moving_ids(experiment)
    for base, fixed in (("smooth", 0), ("rough", int(experiment.run.world.fixed.sum()))):
        before = energy_of(experiment)
        apply(experiment, SetParameters({"base": base}))
        after, world = energy_of(experiment), experiment.run.world
        assert (grains(experiment), moving_ids(experiment)) == (count, ids)
        assert int(world.fixed.sum()) == fixed
        assert (np.diff(world.sphere_id) > 0).all(), "rows are in the order of ids"
        assert after.gap == pytest.approx(before.gap, abs=1e-9)
        assert after.elastic < before.elastic + 1e-4 * after.poured
        assert after.kinetic == pytest.approx(before.kinetic)
        lowest = float((world.motion[2, 0] - world.radius)[~world.fixed].min())
        assert lowest - 1e-4 < 0.0 if base == "smooth" else lowest > 0.0
    assert advance(experiment, 200) == 200


def moving_ids(experiment: Experiment) -> list[int]:
    world = experiment.run.world
    return [int(number) for number in world.sphere_id[~world.fixed]]


def test_setting_the_radius_back_restores_the_base_and_the_flow_goes_on() -> None:
    experiment = flowing()
    count, height = grains(experiment), centre_of_mass(experiment)
    for value in (3e-3, 2.5e-4):
        apply(experiment, SetParameters({"base_radius": value}))
        advance(experiment, 100)
    assert experiment.phase == "flowing"
    assert grains(experiment) > 0.97 * count
    assert centre_of_mass(experiment) == pytest.approx(height, abs=1e-3)
    fresh = flowing().run.world
    world = experiment.run.world
    for table in (world.radius, world.motion[0, 0], world.motion[1, 0], world.mass):
        expected = {id(world.radius): fresh.radius, id(world.mass): fresh.mass}.get(id(table))
        if expected is not None:
            assert sorted(table[world.fixed]) == sorted(expected[fresh.fixed])


def centre_of_mass(experiment: Experiment) -> float:
    world = experiment.run.world
    return float(np.average(world.motion[1, 0, ~world.fixed], weights=world.mass[~world.fixed]))


def test_a_rebuilt_base_has_the_same_bits_with_any_threads_and_when_it_is_replayed() -> None:
    hashes = []
    for threads in (1, 2):
        experiment = flowing()
        experiment.session.threads = threads
        advance(experiment, 10)
        apply(experiment, SetParameters({"base_radius": 1e-3}))
        advance(experiment, 100)
        hashes.append(state_hash(experiment.run))
    end = experiment.history.at
    apply(experiment, Rewind(300))
    apply(experiment, Rewind(end))
    hashes.append(state_hash(experiment.run))
    assert len(set(hashes)) == 1


def test_an_impossible_radius_changes_nothing() -> None:
    experiment = flowing()
    before = state_hash(experiment.run)
    assert "must be" in str(apply(experiment, SetParameters({"base_radius": 1.0})))
    assert state_hash(experiment.run) == before


def test_where_the_experiment_begins_anew_going_back_restores_the_flow_at_once() -> None:
    experiment = new_experiment("vessel", {"grain_count": 60})
    experiment.history.checkpoints.budget = 10**9
    apply(experiment, Act("fill"))
    advance(experiment, 730)
    at, before, phase = experiment.history.at, state_hash(experiment.run), experiment.phase
    assert scenes()["vessel"].parameters.declared()["mesh_lift"].quantity.effect == "anew"
    apply(experiment, SetParameters({"mesh_lift": 0.01}))
    assert (experiment.phase, grains(experiment)) == ("empty", 0)
    assert experiment.history.checkpoints.before(at).at == at
    assert not apply(experiment, TakeBack("mesh_lift"))
    assert (state_hash(experiment.run), experiment.phase, experiment.parameters.mesh_lift) == (before, phase, 0.0)


def test_taking_back_a_change_that_was_not_made_is_refused() -> None:
    experiment = flowing()
    before = state_hash(experiment.run)
    assert "nothing to undo" in str(apply(experiment, TakeBack("friction")))
    assert state_hash(experiment.run) == before


def test_a_change_is_taken_back_after_later_commands_too() -> None:
    experiment = new_experiment("vessel", {"grain_count": 60})
    experiment.history.checkpoints.budget = 10**9
    apply(experiment, Act("fill"))
    advance(experiment, 300)
    before = state_hash(experiment.run)
    apply(experiment, SetParameters({"mesh_lift": 0.01}))
    apply(experiment, Act("fill"))
    advance(experiment, 200)
    apply(experiment, TakeBack("mesh_lift"))
    assert state_hash(experiment.run) == before
    apply(experiment, Rewind(experiment.history.log.end))
    assert (experiment.phase, experiment.parameters.mesh_lift) == ("filling", 0.01)


def test_lift_and_clearance_are_those_of_touching_spheres() -> None:
    base = FixedSpheres(np.array([[0.0, 0.0], [2.0, 0.0]]), 1.0, 1.0)
    grain, radius = np.array([[1.0, 0.3]]), np.array([1.0])
    assert lift(grain, radius, base) == pytest.approx(math.sqrt(3.0) - 0.3)
    assert lift(grain + np.array([0.0, 5.0]), radius, base) == pytest.approx(math.sqrt(3.0) - 5.3)
    assert lift(grain + np.array([10.0, 0.0]), radius, base) == -math.inf
    wall = FixedSpheres(np.array([[-1.0, 0.0], [-1.0, 2.0]]), 1.0, 1.0, (-1.0, 0.0))
    touching = np.array([[math.sqrt(3.0) - 1.0, 1.0]])
    assert clearance(touching, radius, wall) == pytest.approx(0.0, abs=1e-12)
    assert clearance(touching - np.array([0.5, 0.0]), radius, wall) == pytest.approx(0.5)
    assert clearance(touching + np.array([0.5, 0.0]), radius, wall) == 0.0
