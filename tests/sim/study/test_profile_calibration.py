"""Calibration from the profile of a heap, on made profiles with known answers."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import Floats
from repose.sim.parameters import ParameterError
from repose.sim.study.calibration import LEAST_FREE, Goal, VariedRange, calibrate, canonical_profile
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan


def heap_of(friction: float, seed: int, scatter: float = 0.0) -> tuple[Floats, Floats]:
    """Profile [m] of a triangle with 20° at μ = 0.4, and an angle that scatters by `scatter` [°]."""
    random = np.random.default_rng(seed)
    slope = math.tan(math.radians(20.0 + 8.0 * math.log(friction / 0.4) + scatter * random.standard_normal()))
    x = np.linspace(-0.05, 0.05, 400)
    height = slope * (0.04 - np.abs(x)) + 1e-4 * scatter * random.standard_normal(x.size)
    return x, np.maximum(height, 0.0)


def made(scatter: float, first_seed: int) -> Any:
    def do(plan: StudyPlan) -> StudyOutcome:
        runs, results = plan.runs(Path()), {}
        for run in runs:
            at = float(run.varied["friction"])
            x, height = heap_of(at, first_seed + 97 * run.seed + int(1000 * at), scatter)
            results[run.task.path.name] = {"profile": {"x": x.tolist(), "time": [1.0], "height": [height.tolist()]}}
        return StudyOutcome(plan, runs, results)

    return do


def goal_for(x: Floats, height: Floats) -> Goal:
    profile = canonical_profile(x, height)
    assert profile is not None
    return Goal("heap", (VariedRange("friction", 0.1, 1.5),), wanted=1.0, profile=profile, most_runs=24).check()


def test_the_value_of_a_profile_is_found_without_scatter() -> None:
    found, seen = calibrate(goal_for(*heap_of(0.4, 0)), made(0.0, 0))
    assert found.estimates[0].value == pytest.approx(0.4, rel=0.02)
    assert len(seen) == LEAST_FREE + 3


def test_the_interval_contains_the_value_in_18_of_20_seeds() -> None:
    inside = 0
    for seed in range(20):
        found, _ = calibrate(goal_for(*heap_of(0.4, 50_000 + seed, 1.0)), made(1.0, 10_000 * seed))
        low, high = found.estimates[0].interval
        inside += low <= 0.4 <= high
    assert inside >= 18


def test_the_size_of_a_heap_does_not_matter() -> None:
    x, height = heap_of(0.3, 0)
    small, large = canonical_profile(x, height), canonical_profile(20.0 * x, 20.0 * height)
    assert small is not None
    assert large == pytest.approx(small, abs=1e-9)


def test_a_heap_against_a_wall_is_half_a_heap() -> None:
    x, height = heap_of(0.3, 0)
    whole, half = canonical_profile(x, height), canonical_profile(x[x >= 0.0], height[x >= 0.0])
    assert whole is not None
    assert half == pytest.approx(whole, abs=0.01)


def test_a_scene_without_a_profile_is_refused() -> None:
    profile = canonical_profile(*heap_of(0.3, 0))
    assert profile is not None
    with pytest.raises(ParameterError, match="has no profile to compare with a picture: calibrate heap or two_sided"):
        Goal("heap3d", (VariedRange("friction", 0.1, 1.5),), wanted=1.0, profile=profile).check()
