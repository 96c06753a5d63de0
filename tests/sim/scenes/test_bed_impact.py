"""A sphere that strikes a bed: its start, its fall before the bed, the ledger, and the published displacement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.ledger import energy_of
from repose.sim.experiment.stepping import advance
from repose.sim.io import presets
from repose.sim.laws.materials import RESTITUTION, pair_table
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scenes.common.timed_course import column, times
from repose.sim.scenes.lecture import bed_impact
from repose.sim.scenes.lecture.bed_impact import BedImpactParameters, depth, outcomes, published_way

SMALL = scenes()["bed_impact"].test_values


def released(**values: Any) -> Experiment:
    """The sphere just released, over grains that have not waited for rest."""
    experiment = new_experiment("bed_impact", {**SMALL, "dt": 1e-5, **values})
    while float(experiment.run.world.motion[2, 0, :-1].max()) > 0.03:
        advance(experiment, CHECK_STEPS)
    experiment.run.state.phase = "filled"
    assert not apply(experiment, Act("start"))
    advance(experiment, CHECK_STEPS)
    assert experiment.phase == "flowing"
    return experiment


def test_before_it_reaches_the_bed_the_sphere_falls_freely() -> None:
    experiment = released(start_height=0.08, sphere_speed=1.0)
    while column(experiment, "way").size < 20:
        advance(experiment, CHECK_STEPS)
    time = times(experiment)
    built = experiment.run.built
    assert experiment.run.state.began == 0.08
    assert column(experiment, "way") == pytest.approx(time + 0.5 * built.gravity * time**2, abs=1e-9)
    assert column(experiment, "speed") == pytest.approx(1.0 + built.gravity * time, abs=1e-9)


def test_a_sphere_that_is_wider_than_the_box_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"sphere_radius = 15 mm is refused.*30 mm across"):
        new_experiment("bed_impact", {**SMALL, "sphere_radius": 0.015})


@pytest.mark.parametrize("start_height", [0.01, 0.05])
def test_the_picture_has_room_for_the_sphere_that_waits(start_height: float) -> None:
    experiment = new_experiment("bed_impact", {**SMALL, "start_height": start_height})
    world, (_low, high) = experiment.run.world, bed_impact.box(experiment)
    assert (world.motion[2, 0] + world.radius).max() <= high[2]


@pytest.mark.parametrize("count", [1, 35])
def test_grains_that_cover_less_than_half_of_the_bottom_are_no_bed(count: int) -> None:
    with pytest.raises(ParameterError, match=f"grain_count = {count} is refused.*grain_count = 36 or more"):
        new_experiment("bed_impact", {**SMALL, "grain_count": count})
    assert new_experiment("bed_impact", {**SMALL, "grain_count": 36}).run.world.sphere_count == 37


def test_the_sphere_starts_above_a_bed_that_is_higher_than_its_start() -> None:
    experiment = released(start_height=0.01)
    world, state = experiment.run.world, experiment.run.state
    assert state.began > float((world.motion[2, 0] + world.radius)[:-1].max())
    assert depth(experiment, state.began - state.bed) == pytest.approx(experiment.run.built.sphere_radius)


def test_energy_is_balanced_through_release_and_impact() -> None:
    experiment = new_experiment("bed_impact", SMALL)
    run_experiment(experiment)
    energy = energy_of(experiment)
    assert experiment.phase == "rested"
    released_with = 0.5 * experiment.run.built.sphere_mass * SMALL["sphere_speed"] ** 2
    assert abs(energy.gap) < 0.01 * released_with


def test_grains_meet_steel_with_the_restitution_and_friction_that_are_published_for_it() -> None:
    parameters = BedImpactParameters()
    table = pair_table(parameters.materials(), parameters.differing(), ("restitution", "friction"))
    assert table[0, 0] == RESTITUTION.column(0.5)
    assert table[1, 0] == table[2, 0] == RESTITUTION.column(0.4)
    assert table[:3, 1].tolist() == [0.3, 0.2, 0.2]


def test_a_bed_of_the_published_volume_has_the_published_displacement_and_no_other_case() -> None:
    assert published_way(BedImpactParameters()) == published_way(BedImpactParameters(**published())) == 0.139
    assert published_way(BedImpactParameters(**{**published(), "grain_count": 100_000})) == 0.0905
    assert published_way(BedImpactParameters(grain_count=12_500)) is None, "a deep bed of coarse grains is another one"
    assert published_way(BedImpactParameters(grain_count=6250)) is None, "not known"
    for name, value in {"sphere_speed": 4.0, "mean_radius": 1.9e-3, "gravity": 1.6, "size_spread": 0.1}.items():
        assert published_way(BedImpactParameters(**{name: value})) is None


def published() -> dict[str, Any]:
    return dict(presets.load("bed-impact-published").values)


def test_a_sphere_that_goes_a_diameter_too_deep_or_not_deep_enough_is_noticed() -> None:
    experiment = new_experiment("bed_impact", SMALL)
    experiment.run.built = BedImpactParameters()
    for way, holds in ((0.139, True), (0.1355, True), (0.1345, False), (0.1435, False)):
        experiment.run.state.columns = {"time": np.array([0.1]), "way": np.array([way]), "speed": np.zeros(1)}
        assert [outcome.holds for outcome in outcomes(experiment)] == [holds]


def test_grains_for_which_the_box_has_no_room_are_refused() -> None:
    with pytest.raises(ParameterError, match="room for only"):
        new_experiment("bed_impact", {**SMALL, "box_width": 0.011, "mean_radius": 6e-3})


@pytest.mark.slow
def test_the_reduced_bed_stops_the_sphere_where_the_published_one_does() -> None:
    experiment = new_experiment("bed_impact", {})
    assert experiment.phase == "filled", "the stored packing belongs to the default parameters"
    result = run_experiment(experiment)
    assert not result["complaint"]
    assert [outcome.holds for outcome in bed_impact.outcomes(experiment)] == [True]
