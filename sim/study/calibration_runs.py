"""A calibration whose runs are files of a folder, so that it can be continued, and its result as words and preset."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from repose.sim.experiment.comparison import shown
from repose.sim.io.presets import Preset
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import EMPTY, Message, Number, _, joined
from repose.sim.parameters import Parameter
from repose.sim.study.calibration import (
    DISTANCES,
    CalibrationResult,
    Estimate,
    Goal,
    Observation,
    VariedRange,
    calibrate,
    fitted_profile,
    nearest,
)
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.runs_on_disk import Progress, StudyRuns

NEAR = 1e-6
"""Distance from an end of the range within which this end cuts an interval off, over the range [-]."""
WIDEN = _("widen the range, or vary another parameter")
"""What to do where no value fits."""


def calibrate_in(
    folder: Path,
    goal: Goal,
    workers: int,
    on_progress: Progress,
    show_progress: Callable[[CalibrationResult, int], None] = lambda calibration, runs: None,
    on_run: Callable[[int], None] = lambda runs: None,
) -> tuple[CalibrationResult, list[Observation]]:
    """Do the runs that the folder lacks until the parameters are known. `on_progress` gets the share of the most runs,
    that in the runs under way included, and may raise, which ends them; `on_run` gets the number of runs that are done.
    """
    done = 0

    def do(plan: StudyPlan) -> StudyOutcome:
        runs = StudyRuns((plan,), folder)
        missing = runs.begin()
        count = len(runs.runs[plan.name])
        ended = done + count - len(missing)
        on_run(ended)

        def show_share(words: str, share: float) -> None:
            before = done + count - len(missing)
            on_progress(words, min(1.0, (before + share * len(missing)) / goal.most_runs))

        def on_end(*of_run: Any) -> None:
            nonlocal ended
            ended += 1
            on_run(ended)

        runs.do(missing, workers, show_share, on_end)
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
    return ("" if calibration.fits else "nearest, but it does not fit: ") + "; ".join(words)


def caution_of(goal: Goal, calibration: CalibrationResult, advice: Message = WIDEN) -> Message:
    """Why the values are not to be used as they are, with the values, the limit and what to do: none in the range fits,
    or an interval ends where the range does. Empty if nothing is wrong, and without values."""
    if not calibration.is_known:
        return EMPTY
    of_each = list(zip(goal.varied, goal.parameters, calibration.estimates))
    if not calibration.fits:
        ranges = [
            Message("{name} from {low} to {high}", name=_name(own), low=_value(own, at.low), high=_value(own, at.high))
            for at, own, found in of_each
        ]
        nearest = [own.named(float(f"{found.value:.3g}")) for at, own, found in of_each]
        return Message(
            "No run with {ranges} fits the picture: the nearest profile, with {nearest}, differs from it by "
            "{difference} of its height, runs with the same values by {limit} at most; {advice}.",
            ranges=joined(ranges),
            nearest=joined(nearest),
            difference=_percent(calibration.difference),
            limit=_percent(calibration.expected_difference),
            advice=advice,
        )
    for at, own, found in of_each:
        if _is_cut_off(at, own, found):
            return Message(
                "The 95 % interval of {name}, {low} to {high}, ends where the range that was searched does, {low2} to "
                "{high2}; {advice}.",
                name=_name(own),
                low=_value(own, found.interval[0]),
                high=_value(own, found.interval[1]),
                low2=_value(own, at.low),
                high2=_value(own, at.high),
                advice=advice,
            )
    return EMPTY


def _is_cut_off(entry: VariedRange, parameter: Parameter, found: Estimate) -> bool:
    """Whether an interval ends where the range does, and the range could be wider."""
    near = NEAR * (entry.high - entry.low)
    below = parameter.low is None or entry.low > parameter.low + near
    above = parameter.high is None or entry.high < parameter.high - near
    return (below and found.interval[0] <= entry.low + near) or (above and found.interval[1] >= entry.high - near)


def preset_of(goal: Goal, calibration: CalibrationResult) -> Preset:
    """The scene with the calibrated values, for the window and for `repose run --preset`.

    Where no value fits it has the nearest one, because beside the picture it shows what is missing; title and
    description say that it does not fit.
    """
    found = {own.name: float(f"{given.value:.4g}") for own, given in zip(goal.varied, calibration.estimates)}
    title, about = goal.title, f"Calibrated: {in_words(goal, calibration)}."
    if not calibration.fits:
        title = f"Does not fit: {title}"
        own, most = _percent(calibration.difference), _percent(calibration.expected_difference)
        about = (
            f"Nearest, but it does not fit the picture: its profile differs by {own} of the height, runs with the "
            f"same values by {most} at most."
        )
    elif caution_of(goal, calibration):
        about = f"Calibrated, the range cuts the interval off: {in_words(goal, calibration)}."
    return Preset(goal.scene, title[:60], goal.scene, values={**goal.values, **found}, about=about[:200])


def profile_curve(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation]) -> Curve:
    """The profile in the picture, the nearest computed one, and their difference."""
    wanted = np.array(goal.profile)
    lines = [Line(_("in the picture"), DISTANCES, wanted, points=True)]
    if calibration.is_known:
        fitted = fitted_profile(goal, seen, [found.value for found in calibration.estimates])
        lines.append(Line(_("nearest computed profile"), DISTANCES, fitted, fitted=True))
        lines.append(Line(_("difference"), DISTANCES, wanted - fitted))
    axes = Axis(_("distance over L (L²: area)")), Axis(_("height over L"))
    return Curve(COMPARISON, _("Profiles"), *axes, tuple(lines))


def _name(parameter: Parameter) -> Message | str:
    return parameter.quantity.symbol or parameter.quantity.label


def _value(parameter: Parameter, value: float) -> Message:
    return parameter.shown(value, 3)


def _percent(share: float) -> Number:
    return Number(100.0 * share, "%", ".3g")


def _shown(parameter: Parameter) -> tuple[str, str, float]:
    """Symbol, unit with a blank before it, and SI value of one unit."""
    quantity = parameter.quantity
    return quantity.symbol or str(quantity.label), f" {quantity.unit}".rstrip(), quantity.scale
