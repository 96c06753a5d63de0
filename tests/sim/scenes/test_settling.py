"""The wait for poured grains ends: at rest, or after the time in which a ball stops bouncing."""

from __future__ import annotations

import math
from typing import Any

import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.results import results_of
from repose.sim.experiment.stepping import advance
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.scenes.common.settling import RESTITUTION, fall_time, longest_wait

from tests.english import english
from tests.tiers import tiered

NEVER_REST: dict[str, Any] = {"friction": 0.0, "restitution": 1.0, "settle_speed": 1e-5}
"""Grains that lose no energy at contacts."""
FINE_BASE = {"base_radius": 1e-4, "grain_count": 300}
"""A heap whose first layer of ten grains bounces for 6 s."""

PUBLISHED_GLASS = {"grain_count": 20, "mean_radius": 0.02, "orifice": 0.25, "fill_height": 1.1, "lid": True}

FILLINGS = {
    "heap": ("fill", {"grain_count": 12, "width": 0.01, "friction": 0.0, "normal_damping": 0.0, "shear_damping": 0.0}),
    "heap3d": ("fill", {**NEVER_REST, "pouring": "cylinder", "grain_count": 5, "base": "smooth"}),
    "vessel": ("fill", {**NEVER_REST, "grain_count": 5}),
    "clumps": ("fill", {**NEVER_REST, "grain_count": 4, "shape": "tetrahedron", "members": 4, "young": 4e5}),
    "joined": ("fill", {**NEVER_REST, "grain_count": 4, "members": 3, "young": 1e6}),
    "hourglass": ("run", {**PUBLISHED_GLASS, "friction": 0.0, "normal_viscosity": 0.0, "shear_viscosity": 0.0}),
    "drum": ("run", {**NEVER_REST, "grain_count": 20}),
}


def filled(scene: str, values: dict[str, Any], action: str, most: float) -> Experiment:
    """An experiment at the end of its filling; fails after `most` [s] of simulated time."""
    experiment = new_experiment(scene, values)
    assert not apply(experiment, Act(action))
    assert experiment.phase == "filling"
    while experiment.phase == "filling" or (scene == "vessel" and experiment.phase == "flowing"):
        assert advance(experiment, CHECK_STEPS) == CHECK_STEPS
        assert experiment.time < most, experiment.scene.course.describe(experiment)[1]
    return experiment


def second_layer(values: dict[str, Any]) -> Experiment:
    """A heap at the moment when its second layer is poured; fails after 1 s of simulated time."""
    experiment = new_experiment("heap", values)
    apply(experiment, Act("fill"))
    while experiment.run.state.layers < 2:
        advance(experiment, CHECK_STEPS)
        assert experiment.time < 1.0, "still the first layer"
    return experiment


def test_the_longest_wait_is_the_time_in_which_a_ball_stops_bouncing() -> None:
    height, gravity = 0.3, 9.81
    flights = [2.0 * RESTITUTION**k * math.sqrt(2.0 * height / gravity) for k in range(1, 1000)]
    assert longest_wait(height, gravity) == pytest.approx(fall_time(height, gravity) + sum(flights), rel=1e-9)
    assert longest_wait(height, gravity / 6.0) == pytest.approx(math.sqrt(6.0) * longest_wait(height, gravity))
    assert math.isfinite(longest_wait(height, 0.0))


def test_grains_that_bounce_on_a_fine_base_are_poured_in_layers_all_the_same() -> None:
    fine = second_layer(FINE_BASE)
    assert fine.time == pytest.approx(longest_wait(2e-3, 9.81), abs=2.0 * CHECK_STEPS * fine.dt)
    assert results_of(fine)["waits_cut_short"] == 1
    assert str(fine.message) == "The wait for rest ends after 0.38 s, although grains still move."
    reading = fine.scene.course.readings(fine)[-1]
    assert english((reading.label, reading.value)) == ("waits for rest cut short", 1.0)


def test_a_layer_that_settles_is_waited_for_and_nothing_is_said() -> None:
    coarse = second_layer({**FINE_BASE, "base_radius": 1e-3})
    assert mean_speed(coarse.run.world, coarse.run.world.layer == 0) < coarse.parameters.settle_speed
    assert results_of(coarse)["waits_cut_short"] == 0
    assert all(str(found.label) != "waits for rest cut short" for found in coarse.scene.course.readings(coarse))


@pytest.mark.parametrize("scene", tiered(FILLINGS, ("heap", "vessel")))
def test_every_filling_ends_although_its_grains_never_rest_and_says_so(scene: str) -> None:
    action, values = FILLINGS[scene]
    experiment = filled(scene, values, action, most=15.0)
    assert results_of(experiment)["waits_cut_short"] >= 1
    assert str(experiment.scene.course.readings(experiment)[-1].label) == "waits for rest cut short"


def test_a_heap_of_too_few_grains_says_why_it_has_no_angle() -> None:
    experiment = new_experiment("heap", {"grain_count": 2, "width": 0.015})
    complaint = run_experiment(experiment)["complaint"]
    assert experiment.phase == "rested"
    assert complaint == "There is no slope to measure: too few grains lie on the base."
    experiment.run.state.phase = "flowing"
    assert str(experiment.scene.course.check(experiment)) == "The heap did not come to rest: phase flowing."
