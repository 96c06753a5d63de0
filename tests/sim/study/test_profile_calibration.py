"""Calibration from the profile of a heap, on made profiles with known answers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import Floats
from repose.sim.measure.flanks import measure_flanks
from repose.sim.parameters import ParameterError
from repose.sim.study import calibration
from repose.sim.study.calibration import (
    LEAST_FREE,
    CalibrationResult,
    Estimate,
    Goal,
    VariedRange,
    calibrate,
    canonical_profile,
    nearest_profile,
)
from repose.sim.study.calibration_runs import caution_of, in_words, preset_of
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
            results[run.task.path.name] = {"outline": {"x": x.tolist(), "height": height.tolist()}}
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


def test_the_interval_contains_the_value_in_nine_of_ten_seeds() -> None:
    inside = 0
    for seed in range(40):
        found, _ = calibrate(goal_for(*heap_of(0.4, 50_000 + seed, 1.0)), made(1.0, 10_000 * seed))
        low, high = found.estimates[0].interval
        inside += low <= 0.4 <= high
    assert inside >= 36  # fewer of 40 intervals of 95 % contain it once in twenty tests


def test_a_heap_of_the_range_fits_in_19_of_20_seeds_and_one_far_outside_does_not() -> None:
    fitting = 0
    for seed in range(20):
        goal = goal_for(*heap_of(0.4, 50_000 + seed, 1.0))
        found, _ = calibrate(goal, made(1.0, 10_000 * seed))
        fitting += found.fits and not caution_of(goal, found)
    assert fitting >= 19
    for friction, nearest in ((4.0, 1.5), (0.05, 0.1)):
        goal = goal_for(*heap_of(friction, 7, 1.0))
        found, _ = calibrate(goal, made(1.0, 3))
        assert not found.fits
        assert found.difference > found.expected_difference
        assert found.estimates[0].value == pytest.approx(nearest)
        words = str(caution_of(goal, found))
        assert words.startswith(
            f"No run with μ from 0.1 to 1.5 fits the picture: the nearest profile, with μ = {nearest},"
        )
        assert words.endswith("at most; widen the range, or vary another parameter.")
        assert f"{100.0 * found.difference:.3g} %" in words
        assert in_words(goal, found).startswith("nearest, but it does not fit: μ = ")
        preset = preset_of(goal, found)
        assert preset.title.startswith("Does not fit: ")
        assert preset.about.startswith("Nearest, but it does not fit the picture: ")
        assert preset.about.endswith(" at most.")


def test_a_profile_of_another_shape_does_not_fit_though_its_slope_is_in_the_range() -> None:
    x, height = heap_of(0.4, 0)
    goal = goal_for(x, height.max() * (height / height.max()) ** 2.0)
    found, _ = calibrate(goal, made(0.3, 3))
    assert goal.varied[0].low < found.estimates[0].value < goal.varied[0].high
    assert not found.fits


def test_the_error_of_the_picture_bears_a_difference_and_widens_the_interval() -> None:
    steep = goal_for(*heap_of(2.2, 0))  # 1.5 gives 30.6°, this heap has 33.6°
    exact, seen = calibrate(steep, made(0.5, 3))
    assert not exact.fits
    uncertain = nearest_profile(replace(steep, wanted_error=0.1), seen)
    assert uncertain.difference == exact.difference
    assert uncertain.fits
    goal = goal_for(*heap_of(0.4, 0))
    exact, seen = calibrate(goal, made(0.5, 3))
    uncertain = nearest_profile(replace(goal, wanted_error=0.1), seen)
    assert uncertain.estimates[0].standard_error > 2.0 * exact.estimates[0].standard_error
    assert uncertain.estimates[0].interval[0] < exact.estimates[0].interval[0]


def test_a_steeper_heap_has_the_profile_that_the_error_of_the_picture_assumes() -> None:
    x, height = heap_of(0.4, 0)
    flat, steep = (np.array(canonical_profile(x, factor * height)) for factor in (1.0, 1.01))
    change = (steep - flat) / 0.01
    assert change[:-2] == pytest.approx(calibration._steepened(flat)[:-2], abs=0.03)  # the last ones are at the foot


def test_an_interval_that_ends_at_the_range_is_said_unless_the_parameter_ends_there_too() -> None:
    goal = goal_for(*heap_of(1.4, 7, 1.0))
    found, _ = calibrate(goal, made(1.0, 3))
    assert found.fits
    low, high = found.estimates[0].interval
    assert str(caution_of(goal, found)) == (
        f"The 95 % interval of μ, {low:.3g} to {high:.3g}, ends where the range that was searched does, 0.1 to 1.5; "
        "widen the range, or vary another parameter."
    )
    assert preset_of(goal, found).about.startswith("Calibrated, the range cuts the interval off: μ = ")
    goal = replace(goal, varied=(VariedRange("rolling_friction", 0.0, 0.5),), values={"rotation": True})
    for interval, is_said in (((0.0, 0.2), False), ((0.1, 0.5), True)):
        caution = caution_of(goal, CalibrationResult((Estimate(0.15, 0.05, interval),)))
        assert bool(caution) == is_said, "rolling friction is never below 0, no range could be wider there"


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


def test_a_heap_with_one_flank_too_short_for_a_line_begins_at_its_apex() -> None:
    x = np.linspace(-0.1, 0.1, 201)
    height = np.clip(np.where(x < -0.06, (x + 0.07) / 0.01, (0.05 - x) / 0.11), 0.0, None) * 0.03
    flanks = measure_flanks(x, height)
    assert flanks is not None
    assert flanks.left is None
    profile = canonical_profile(x, height)
    assert profile is not None
    assert profile[0] > 0.8 * max(profile)
    assert profile[-1] < 0.5 * profile[0]


def test_a_scene_without_a_profile_is_refused() -> None:
    profile = canonical_profile(*heap_of(0.3, 0))
    assert profile is not None
    with pytest.raises(ParameterError, match="has no profile to compare with a picture: calibrate heap or two_sided"):
        Goal("heap3d", (VariedRange("friction", 0.1, 1.5),), wanted=1.0, profile=profile).check()


def two_of(friction: float, rolling: float, seed: int, scatter: float = 0.0) -> tuple[Floats, Floats]:
    """Profile [m] whose slope follows the friction and whose rounding follows the rolling friction."""
    x, height = heap_of(friction, seed, scatter)
    return x, height * (1.0 - 0.8 * rolling * (height / height.max()))


def made_of_two(scatter: float, first_seed: int) -> Any:
    def do(plan: StudyPlan) -> StudyOutcome:
        runs, results = plan.runs(Path()), {}
        for run in runs:
            friction, rolling = (float(run.varied[name]) for name in ("friction", "rolling_friction"))
            seed = first_seed + 97 * run.seed + int(1000 * friction) + int(100_000 * rolling)
            x, height = two_of(friction, rolling, seed, scatter)
            results[run.task.path.name] = {"outline": {"x": x.tolist(), "height": height.tolist()}}
        return StudyOutcome(plan, runs, results)

    return do


def goal_of_two(x: Floats, height: Floats) -> Goal:
    profile = canonical_profile(x, height)
    assert profile is not None
    varied = VariedRange("friction", 0.1, 1.5), VariedRange("rolling_friction", 0.0, 0.5)
    return Goal("two_sided", varied, wanted=1.0, profile=profile, most_runs=28).check()


def test_two_parameters_that_change_the_profile_in_two_ways_are_found() -> None:
    found, seen = calibrate(goal_of_two(*two_of(0.4, 0.2, 0)), made_of_two(0.0, 0))
    friction, rolling = found.estimates
    assert friction.value == pytest.approx(0.4, rel=0.05)
    assert rolling.value == pytest.approx(0.2, abs=0.03)
    assert len(seen) >= LEAST_FREE + 6
    assert {len(observation.at) for observation in seen} == {2}


@pytest.mark.slow
def test_the_intervals_of_two_parameters_contain_both_values() -> None:
    inside = 0
    for seed in range(6):
        found, _ = calibrate(goal_of_two(*two_of(0.4, 0.2, 70_000 + seed, 1.0)), made_of_two(1.0, 10_000 * seed))
        friction, rolling = found.estimates
        inside += (
            friction.interval[0] <= 0.4 <= friction.interval[1] and rolling.interval[0] <= 0.2 <= rolling.interval[1]
        )
        assert -1.0 <= found.correlation <= 1.0
    assert inside >= 5


def test_rolling_friction_is_refused_where_grains_do_not_rotate() -> None:
    profile = canonical_profile(*heap_of(0.3, 0))
    assert profile is not None
    varied = (VariedRange("rolling_friction", 0.0, 0.5),)
    with pytest.raises(ParameterError, match="the grains of these runs do not rotate; add --set rotation=true"):
        Goal("heap", varied, wanted=1.0, profile=profile).check()
    Goal("heap", varied, wanted=1.0, profile=profile, values={"rotation": True}).check()
