"""A calibration whose runs are files of a folder, so that it can be continued, and its result as words and preset."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from repose.sim.experiment.comparison import shown
from repose.sim.io.presets import Preset
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import _
from repose.sim.parameters import Parameter
from repose.sim.study.calibration import (
    DISTANCES,
    CalibrationResult,
    Goal,
    Observation,
    calibrate,
    fitted_profile,
    nearest,
)
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.runs_on_disk import Progress, StudyRuns

NEAR = 1e-6
"""Distance from an end of the range within which this end cuts an interval off, over the range [-]."""


def calibrate_in(
    folder: Path,
    goal: Goal,
    workers: int,
    on_progress: Progress,
    show_progress: Callable[[CalibrationResult, int], None],
) -> tuple[CalibrationResult, list[Observation]]:
    """Do the runs that the folder lacks until the parameters are known; `on_progress` gets the share of the most runs,
    and may raise, which ends the runs under way."""
    done = 0

    def do(plan: StudyPlan) -> StudyOutcome:
        runs = StudyRuns((plan,), folder)
        missing = runs.begin()
        count = len(runs.runs[plan.name])

        def show_share(words: str, share: float) -> None:
            before = done + count - len(missing)
            on_progress(words, min(1.0, (before + share * len(missing)) / goal.most_runs))

        runs.do(missing, workers, show_share, lambda *_: None)
        return runs.outcome(plan)

    def count(calibration: CalibrationResult, runs: int) -> None:
        nonlocal done
        done = runs
        show_progress(calibration, runs)

    return calibrate(goal, do, count)


def in_words(goal: Goal, calibration: CalibrationResult) -> str:
    """The values with their errors and intervals in the shown units."""
    if not calibration.is_known:
        if goal.profile:
            return "too few of the runs have a profile with a flank"
        missed = f"the fitted curve does not reach {goal.wanted:g}{goal.unit} within the range"
        if not calibration.coefficients:
            return missed
        symbol, unit, scale = _shown(goal.parameters[0])
        at, height = nearest(goal, calibration)
        scatter = f"single runs scatter by {calibration.residual:.2g}{goal.unit}"
        return f"{missed}: it is at {height:.3g}{goal.unit} for {symbol} = {at / scale:.3g}{unit}, and {scatter}"
    words = []
    for parameter, found in zip(goal.parameters, calibration.estimates):
        symbol, unit, scale = _shown(parameter)
        low, high = (end / scale for end in found.interval)
        value = shown(found.value / scale, found.standard_error / scale)
        words.append(f"{symbol} = {value}{unit} (95 %: {low:.3g} to {high:.3g}{unit})")
    if math.isfinite(calibration.correlation):
        words.append(f"correlation of both errors {calibration.correlation:.2f}")
    if cut := cut_off(goal, calibration):
        which = f" of {' and '.join(_shown(parameter)[0] for parameter in cut)}" if len(goal.varied) > 1 else ""
        words.append(f"the range{which} cuts the interval off: widen it")
    return "; ".join(words)


def cut_off(goal: Goal, calibration: CalibrationResult) -> list[Parameter]:
    """The parameters whose interval ends where their range does."""
    cut = []
    for own, parameter, found in zip(goal.varied, goal.parameters, calibration.estimates):
        near = NEAR * (own.high - own.low)
        if found.interval[0] <= own.low + near or found.interval[1] >= own.high - near:
            cut.append(parameter)
    return cut


def preset_of(goal: Goal, calibration: CalibrationResult) -> Preset:
    """The scene with the calibrated values, for the window and for `repose run --preset`."""
    found = {own.name: float(f"{given.value:.4g}") for own, given in zip(goal.varied, calibration.estimates)}
    about = f"Calibrated: {in_words(goal, calibration)}."
    return Preset(goal.scene, goal.title[:60], goal.scene, values={**goal.values, **found}, about=about[:200])


def profile_curve(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation]) -> Curve:
    """The profile in the picture, the nearest computed one, and their difference."""
    wanted = np.array(goal.profile)
    lines = [Line(_("in the picture"), DISTANCES, wanted, points=True)]
    if calibration.is_known:
        fitted = fitted_profile(goal, seen, [found.value for found in calibration.estimates])
        lines.append(Line(_("nearest computed profile"), DISTANCES, fitted, fitted=True))
        lines.append(Line(_("difference"), DISTANCES, wanted - fitted))
    axes = Axis(_("distance from the apex over L (L²: area)")), Axis(_("height over L"))
    return Curve(COMPARISON, _("Profiles"), *axes, tuple(lines))


def _shown(parameter: Parameter) -> tuple[str, str, float]:
    """Symbol, unit with a blank before it, and SI value of one unit."""
    quantity = parameter.quantity
    return quantity.symbol or str(quantity.label), f" {quantity.unit}".rstrip(), quantity.scale
