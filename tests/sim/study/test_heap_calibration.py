"""The friction of a computed heap, from its rendered picture, by runs with other seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.headless import run_experiment
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.study.calibration import CalibrationResult, Goal, VariedRange, calibrate, canonical_profile
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import result_text
from repose.sim.study.plan import StudyPlan

from tests.rendered_heap import Camera, Heap, render

FRICTION = 0.3
VALUES: dict[str, Any] = {
    "grain_count": 120,
    "young": 1e5,
    "portions": 4,
    "rate": 500.0,
    "drop": 1.0,
    "rolling_friction": 0.3,
}
"""The smallest heap whose flanks have ten grains each; rolling friction makes its slope depend on the friction; soft
grains bear large steps, and are pressed in by a hundredth of their size at the bottom of so low a heap."""


def picture_of(seed: int) -> np.ndarray:
    """The rendered heap of a run, on a table at its lowest point."""
    experiment = new_experiment("two_sided", VALUES | {"friction": FRICTION}, seed)
    run_experiment(experiment)
    world = experiment.run.world
    loose = ~world.fixed
    position, radius = world.motion[:2, 0, loose].T.copy(), world.radius[loose].copy()
    position[:, 1] -= (position[:, 1] - radius).min()  # grains lie deeper than the centres of the base
    heap = Heap(position, radius)
    return render(heap, Camera(size=(720, 405), roll=2.0), seed=seed)


def computed(first_seed: int) -> Any:
    """Does runs in this process, with seeds that no other calibration has."""

    def do(plan: StudyPlan) -> StudyOutcome:
        runs, results = plan.runs(Path()), {}
        for run in runs:
            task = run.task
            shifted = type(task)(task.scene, task.values, first_seed + run.seed, task.name, task.path)
            results[task.path.name] = json.loads(result_text(shifted))
        return StudyOutcome(plan, runs, results)

    return do


def calibrated(trial: int, low: float = 0.1, high: float = 1.0) -> CalibrationResult:
    picture = measure_picture(picture_of(90_000 + trial))
    profile = canonical_profile(picture.x, picture.height)
    assert profile is not None
    goal = Goal(
        "two_sided",
        (VariedRange("friction", low, high),),
        wanted=1.0,
        wanted_error=picture.steepness_error,
        profile=profile,
        values=VALUES,
        most_runs=23,
    )
    return calibrate(goal.check(), computed(1_000 * trial))[0]


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_friction_of_a_rendered_heap_is_in_its_interval_for_18_of_20_seeds() -> None:
    inside = fitting = 0
    for trial in range(20):
        found = calibrated(trial)
        low, high = found.estimates[0].interval
        inside += low <= FRICTION <= high
        fitting += found.fits
    assert inside >= 18
    assert fitting >= 19


@pytest.mark.slow
def test_no_friction_far_below_that_of_a_rendered_heap_fits() -> None:
    assert not calibrated(0, 0.02, 0.08).fits
