"""A heap at rest is tilted until it flows, or grains are added one by one: angles, ledger, counts, replays."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from repose.sim.engine.builder import add_spheres, empty_world, keep_spheres
from repose.sim.experiment.activation import turn_gravity
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act, RemoveGrain, Rewind, SetParameters
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.stepping import advance, is_finished
from repose.sim.measure.avalanches import (
    Avalanche,
    OtherAngles,
    as_large_as,
    displaced,
    drop_of,
    marginal_stability,
    repose_after,
    watch,
)
from repose.sim.scenes.heap.tilt_and_trickle import curves, readings, slope_to_horizontal

from tests.english import english
from tests.reliability.runs import resumed, saved

SMALL = {"grain_count": 60, "width": 0.02, "friction": 0.4, "tilt_rate": math.radians(10.0), "trickle_count": 6}


def done(experiment: Experiment) -> Experiment:
    while not is_finished(experiment):
        advance(experiment, CHECK_STEPS)
    return experiment


WHILE_TILTING = "step in the midst of tilting"


@pytest.fixture(scope="module")
def tilted() -> Experiment:
    experiment = new_experiment("heap", {**SMALL, "afterwards": "tilt"})
    assert not apply(experiment, Act("run"))
    while experiment.phase != "tilting":
        advance(experiment, 500)
    advance(experiment, 1300)
    experiment.session.shown[WHILE_TILTING] = experiment.history.at
    assert experiment.phase == "tilting"
    return done(experiment)


@pytest.fixture(scope="module")
def trickled() -> Experiment:
    experiment = new_experiment("heap", {**SMALL, "afterwards": "trickle"})
    assert not apply(experiment, Act("run"))
    return done(experiment)


def test_a_heap_flows_at_a_finite_tilt_and_loses_grains(tilted: Experiment) -> None:
    state, result = tilted.run.state, results_of(tilted)
    (found,) = state.other.tilts
    assert tilted.phase == "rested"
    assert 0.0 < found.angle <= state.other.turned < math.radians(60.0)
    assert found.left > 0
    assert result["grains_left"] == int((~tilted.run.world.fixed).sum())
    assert result["other_angles"]["tilting_angle_degrees"] == pytest.approx(math.degrees(found.angle))
    assert set(result["angle_of_repose"]["by_method"]) == {"line", "robust", "height_over_base"}
    assert result["angle_of_repose"]["curved"] == state.slope.is_curved
    # θ_R is that of the heap before, in the frame of the level table.
    assert result["angle_of_repose"]["degrees"] == pytest.approx(math.degrees(state.slope.angle))


def test_the_tilting_angle_is_shown_directly_after_the_angle_of_repose(tilted: Experiment) -> None:
    # A film has room for three readings at its end.
    assert english([reading.label for reading in tilted.scene.course.readings(tilted)][:3]) == [
        "angle of repose",
        "tilting angle",
        "table",
    ]


def test_the_weight_turns_and_its_work_closes_the_ledger(tilted: Experiment) -> None:
    turned, g = tilted.run.state.other.turned, tilted.parameters.gravity
    assert tilted.engine.gravity == pytest.approx((g * math.sin(turned), -g * math.cos(turned)))
    ledger = energy_of(tilted)
    assert abs(ledger.work) > 300.0 * abs(ledger.gap), "the work is too small for this test to see it missing"
    assert abs(ledger.gap) < 1e-3 * ledger.dissipated


def test_the_work_of_turning_is_the_change_of_the_weight_times_the_place() -> None:
    experiment = new_experiment("heap", {"grain_count": 2, "width": 0.02})
    experiment.run.world = add_spheres(experiment.run.world, np.array([[0.012, 0.007]]), 1e-3, 2e-3)
    experiment.run.state.other.turned = 0.3
    turn_gravity(experiment)
    change = np.array([math.sin(0.3), 1.0 - math.cos(0.3)]) * experiment.parameters.gravity
    assert experiment.run.booked.work == pytest.approx(-2e-3 * change @ [0.012, 0.007], rel=1e-9)


@pytest.mark.parametrize("name", ["tilted", "trickled"])
def test_the_whole_experiment_is_replayed_with_the_same_bits(name: str, request: pytest.FixtureRequest) -> None:
    experiment: Experiment = request.getfixturevalue(name)
    assert len(experiment.history.log.marks) > 10
    assert verify(saved_copy(experiment)).differs_at is None


def test_a_saved_and_a_rewound_run_tilt_on_from_the_same_angle(tilted: Experiment) -> None:
    experiment = resumed(saved(tilted))
    assert not apply(experiment, Rewind(tilted.session.shown[WHILE_TILTING]))
    assert experiment.phase == "tilting"
    turned = experiment.run.state.other.turned
    assert 0.0 < turned < tilted.run.state.other.turned
    assert experiment.engine.gravity[0] == pytest.approx(experiment.parameters.gravity * math.sin(turned))
    again = resumed(saved(experiment))
    assert again.engine.gravity == experiment.engine.gravity
    assert state_hash(done(again).run) == state_hash(tilted.run)


def test_a_tilt_of_the_slider_adds_to_the_turned_table(tilted: Experiment) -> None:
    experiment = resumed(saved(tilted))
    before = experiment.run.state.other.turned
    assert not apply(experiment, SetParameters({"tilt": 0.05}))
    advance(experiment, 2000)
    assert experiment.run.ramp is None
    assert experiment.engine.gravity[0] == pytest.approx(experiment.parameters.gravity * math.sin(before + 0.05))
    assert abs(energy_of(experiment).gap) < 1e-3 * energy_of(experiment).dissipated


def test_grains_are_added_one_by_one_and_counted(trickled: Experiment) -> None:
    state, result = trickled.run.state, results_of(trickled)
    found = result["other_angles"]
    assert (state.other.trickled, found["grains_added"], result["grains_filled"]) == (6, 6, 60)
    assert result["grains_left"] == 66 - state.removed == int((~trickled.run.world.fixed).sum())
    assert all(entry["grains_displaced"] + entry["grains_run_out"] > 0 for entry in found["avalanches"])
    grains = [entry["grains_added"] for entry in found["avalanches"]]
    assert grains == sorted(set(grains))
    assert trickled.run.state.other.slope == pytest.approx(slope_to_horizontal(trickled), abs=1e-2)
    assert abs(energy_of(trickled).gap) < 1e-3 * energy_of(trickled).dissipated


def test_the_buttons_follow_on_a_heap_at_rest_and_measure_no_heap_of_the_past(tilted: Experiment) -> None:
    def enabled(experiment: Experiment) -> set[str]:
        return {action.name for action in experiment.scene.course.actions(experiment) if action.enabled}

    assert {"tilt"} == enabled(tilted) & {"tilt", "trickle", "measure"}
    assert tilted.scene.view.slope(tilted) is None
    fresh = new_experiment("heap", SMALL)
    assert not enabled(fresh) & {"tilt", "trickle"}
    assert str(apply(fresh, Act("tilt"))).startswith("'Tilt' is not possible now")


def of(before: float, after: float, moved: int) -> Avalanche:
    return Avalanche(1, math.radians(before), math.radians(after), moved, 0, 0.1, 100)


def test_marginal_stability_is_the_mean_slope_before_large_avalanches() -> None:
    entries = [of(24.0, 20.0, 30), of(26.0, 19.0, 99), of(10.0, 10.0, 24)]
    assert math.degrees(marginal_stability(entries).value) == pytest.approx(25.0)
    assert math.degrees(marginal_stability(entries).error) == pytest.approx(1.0)
    assert math.degrees(repose_after(entries).value) == pytest.approx(19.5)
    # The error of the drop is that of the differences, 4° and 7°.
    assert math.degrees(drop_of(entries).value) == pytest.approx(5.5)
    assert math.degrees(drop_of(entries).error) == pytest.approx(1.5)
    assert marginal_stability(entries[2:]).number == 0
    assert curves(OtherAngles()) == ()
    assert [line.x.size for curve in curves(OtherAngles(trickled=1)) for line in curve.lines] == [0, 0, 0]
    angles = OtherAngles(trickled=3, avalanches=[replace(entry, grain=k) for k, entry in enumerate(entries)])
    # The number of avalanches, without which the error says little, stands beside the mean.
    shown = readings(angles)
    assert english([reading.label for reading in shown]) == ["before 2 avalanches", "after 2 avalanches"]
    assert [reading.error for reading in shown] == pytest.approx([1.0, 0.5])
    single = readings(replace(angles, avalanches=entries[:1]))
    assert english([(reading.label, reading.error) for reading in single]) == [
        ("before 1 avalanche", None),
        ("after 1 avalanche", None),
    ]
    slopes, sizes = curves(angles)
    assert slopes.lines[0].y.tolist() == pytest.approx([24.0, 26.0, 10.0])
    assert sizes.lines[0].y.tolist() == pytest.approx([1.0, 2 / 3, 1 / 3])


def test_the_distribution_of_sizes_is_the_share_at_least_as_large() -> None:
    size, share = as_large_as([1, 1, 2, 5])
    assert size.tolist() == [1.0, 2.0, 5.0]
    assert share.tolist() == [1.0, 0.5, 0.25]


def test_grains_that_moved_or_left_are_displaced() -> None:
    world = add_spheres(empty_world(2, 0), np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 0.1, 1.0)
    angles = OtherAngles()
    watch(angles, world)
    world.motion[0, 0] += [0.05, 0.2, 0.0]
    assert displaced(angles, world, 0.1) == 1
    assert displaced(angles, keep_spheres(world, np.array([True, True, False])), 0.1) == 2


def test_a_table_without_grains_is_neither_tilted_nor_measured_but_filled_again() -> None:
    experiment = new_experiment("heap", {**SMALL, "grain_count": 10})
    for action in ("fill", "open"):
        assert not apply(experiment, Act(action))
        done(experiment)
    assert experiment.phase == "rested"
    for sphere in experiment.run.world.sphere_id[~experiment.run.world.fixed].tolist():
        assert not apply(experiment, RemoveGrain(sphere))
    possible = [action.name for action in experiment.scene.course.actions(experiment) if action.enabled]
    assert possible == ["fill", "reset", "run"]
    assert "not possible now: at rest: 0 grains left" in str(apply(experiment, Act("measure")))
