"""Calibration: the value of one parameter for which a noisy quantity has a wanted value, with its confidence interval.

The scatter over seeds exceeds the difference between neighbouring values of the parameter: neither a single run nor the
difference of two runs gives the direction of the search. Therefore a parabola y(x) is fitted to all runs so far with
equal weights, where x is the logarithm of the parameter, or the parameter itself if it can be 0 or less. The result is
the crossing of the parabola with the wanted value (inverse prediction from a regression). The next runs are done around
the crossing, until its standard error is as small as wanted, or is mostly due to the error of the wanted value, which
no run reduces. The error is that of the crossings of parabolas fitted to resampled residuals (bootstrap), and includes
the error of the wanted value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.message import plain
from repose.sim.parameters import Parameter, ParameterError, Value, require_known
from repose.sim.registry import scenes
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import default_names, name_of_study, quantity_of, read

FIRST_VALUES, FIRST_SEEDS = 4, 2
"""Number of values and of seeds before the first fit."""
WITHIN = 0.1
"""Smallest distance of further values from the crossing, over the range of x [-]."""
PLACES = 201
"""Number of points at which a curve without a crossing is evaluated."""
RESAMPLED = 500
"""Number of parabolas fitted to resampled residuals."""
SMALL = 0.5
"""Fraction of the standard error due to the runs below which further runs reduce the error by less than
1 - sqrt(1 - SMALL²) = 13 % [-]; the rest is the error of the wanted value."""
DIGITS = 3
"""Number of significant digits of the parameter values of the runs."""


@dataclass(frozen=True)
class Goal:
    """The goal of a calibration."""

    scene: str
    name: str
    """The parameter that is determined."""
    low: float
    high: float
    """Range of the search, SI."""
    wanted: float
    """Wanted value of k, or of the quantity in its shown unit."""
    wanted_error: float = 0.0
    """Standard error of the wanted value, such as that of a measured angle."""
    frictions: tuple[float, ...] = ()
    """For k of θ = k arctan μ: the friction coefficients; empty for the quantity itself."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Values of all runs, SI."""
    precision: float = 0.05
    """Wanted standard error of the parameter over its value [-]."""
    most_runs: int = 48

    @property
    def title(self) -> str:
        """The goal in words."""
        quantity = quantity_of(self.scene, name_of_study(self.scene))
        what = "k of θ = k arctan μ" if self.frictions else quantity.label
        return f"{self.parameter.quantity.label} for which the {what} is {self.wanted:g}{self.unit}"

    @property
    def unit(self) -> str:
        """Unit of the wanted value."""
        return "" if self.frictions else quantity_of(self.scene, name_of_study(self.scene)).unit

    @cached_property
    def parameter(self) -> Parameter:
        """The declaration of the parameter."""
        declared: dict[str, Parameter] = scenes()[self.scene].parameters.chosen(dict(self.values)).declared()
        return declared[self.name]

    @property
    def logarithmic(self) -> bool:
        """Whether x is the logarithm of the parameter. The slope of an angle over friction decreases, and no parabola
        in the friction itself fits a wide range (its 95 % interval contained the true value for 80 % of synthetic
        data)."""
        return self.low > 0.0

    def check(self) -> Goal:
        """This goal, if a calibration for it is possible; raises `ParameterError`."""
        require_known(self.scene, scenes(), plain("scene"))
        default_names(self.scene, {})
        parameters = scenes()[self.scene].parameters.chosen(dict(self.values))
        parameters.require_parameter(self.name)
        if self.parameter.kind != "float":
            raise ParameterError(
                f"{self.name} cannot be calibrated: only a parameter that is a number with decimals can."
            )
        if self.name in self.values:
            raise ParameterError(f"{self.name} is calibrated, so --set {self.name} has no effect: leave it out.")
        if not self.low < self.high:
            raise ParameterError(
                f"--vary {self.name}={self.low:g}:{self.high:g} is refused: the range must count up, from the lowest "
                "value to the highest one."
            )
        if not (self.wanted_error >= 0.0 and math.isfinite(self.wanted) and math.isfinite(self.wanted_error)):
            raise ParameterError(
                f"{self.wanted:g} ± {self.wanted_error:g} is refused: both must be finite, and the error at least 0."
            )
        own = quantity_of(self.scene, name_of_study(self.scene))
        if self.frictions and own.unit != "°":
            raise ParameterError(
                f"The scene '{self.scene}' measures no angle that could follow θ = arctan μ, but the {own.label}: give "
                f"the measured {own.label} [{own.unit}] with --angle."
            )
        if own.unit == "°" and not self.frictions and not 0.0 < self.wanted < 90.0:
            raise ParameterError(f"--angle {self.wanted:g} is refused: it must be above 0° and below 90°.")
        if not 0.0 < self.precision < 1.0:
            raise ParameterError(f"--precision {self.precision:g} is refused: it must be a share above 0 and below 1.")
        if self.frictions and (len(self.frictions) < 2 or min(self.frictions) <= 0.0):
            raise ParameterError("k of θ = k arctan μ needs at least two friction coefficients, all above 0.")
        if self.frictions and self.name == "friction":
            raise ParameterError("friction is what θ = k arctan μ is a function of: calibrate another parameter.")
        least = FIRST_VALUES * FIRST_SEEDS * max(1, len(self.frictions))
        if self.most_runs < least:
            raise ParameterError(f"--runs {self.most_runs} is refused: the first fit needs {least}.")
        self.plan(first_values(self), (1,)).check()
        return self

    def plan(self, at: Sequence[float], seeds: Sequence[int]) -> StudyPlan:
        """The runs with these values of the parameter [SI] and seeds."""
        grid: dict[str, tuple[Value, ...]] = {self.name: tuple(at)}
        if self.frictions:
            grid["friction"] = self.frictions
        return StudyPlan("calibrate", self.title, self.scene, values=self.values, grid=grid, seeds=tuple(seeds))


class CalibrationResult(NamedTuple):
    """The result of a calibration so far."""

    value: float
    """Value of the parameter, SI; nan if the fitted curve does not reach the wanted value within the range."""
    standard_error: float
    """SI."""
    interval: tuple[float, float]
    """95 % confidence interval, SI."""
    coefficients: tuple[float, ...]
    """Coefficients of the parabola in x, highest power first."""
    residual: float
    """Standard deviation of single observations about the parabola."""
    of_runs: float = math.inf
    """Standard error due to the scatter of the runs alone, without the error of the wanted value, SI."""


class Observation(NamedTuple):
    """k, or the quantity in its shown unit, of the runs with one value [SI] and one seed."""

    at: float
    seed: int
    y: float


def calibrate(
    goal: Goal,
    do: Callable[[StudyPlan], StudyOutcome],
    show_progress: Callable[[CalibrationResult, int], None] = lambda calibration, runs: None,
) -> tuple[CalibrationResult, list[Observation]]:
    """Do runs until the standard error of the parameter is as small as wanted, or until the number of runs is used up.

    `do(plan)` does the runs of a plan. The choice of the next runs depends on results only: a continued calibration
    does the same runs.
    """
    per_point = max(1, len(goal.frictions))
    seen: list[Observation] = []
    at, seeds, runs = first_values(goal), tuple(range(1, FIRST_SEEDS + 1)), 0
    while True:
        seen += observations(goal, do(goal.plan(at, seeds)))
        runs += len(at) * len(seeds) * per_point
        calibration = crossing(goal, seen)
        show_progress(calibration, runs)
        if is_enough(goal, calibration) or runs + len(at) * per_point > goal.most_runs:
            return calibration, seen
        at, seeds = next_values(goal, calibration), (seeds[-1] + 1,)


def is_enough(goal: Goal, calibration: CalibrationResult) -> bool:
    """Whether further runs are not needed, or would hardly reduce the standard error."""
    if not math.isfinite(calibration.value):
        return False
    precise = calibration.standard_error <= goal.precision * abs(calibration.value)
    return precise or calibration.of_runs <= SMALL * calibration.standard_error


def first_values(goal: Goal) -> tuple[float, ...]:
    """Values over the whole range, evenly spaced in x [SI]."""
    ends = place(goal, np.array([goal.low, goal.high]))
    return tuple(rounded(value) for value in value_at(goal, np.linspace(ends[0], ends[1], FIRST_VALUES)))


def next_values(goal: Goal, calibration: CalibrationResult) -> tuple[float, ...]:
    """The crossing and a value on either side, within the range. Without a crossing, the nearest point of the curve
    replaces it: with more runs the curve may reach the wanted value there."""
    if not (calibration.coefficients or math.isfinite(calibration.value)):
        return first_values(goal)
    low, high = place(goal, np.array([goal.low, goal.high]))
    at = calibration.value if math.isfinite(calibration.value) else nearest(goal, calibration)[0]
    x = float(place(goal, np.array(at)))
    width = WITHIN * (high - low)
    near = np.clip([x - width, x, x + width], low, high)
    return tuple(dict.fromkeys(rounded(value) for value in value_at(goal, near)))


def nearest(goal: Goal, calibration: CalibrationResult) -> tuple[float, float]:
    """The value of the parameter [SI] at which the fitted curve is nearest to the wanted value, and its height."""
    ends = place(goal, np.array([goal.low, goal.high]))
    x = np.linspace(ends[0], ends[1], PLACES)
    heights = np.polyval(np.array(calibration.coefficients), x)
    k = int(np.argmin(np.abs(heights - goal.wanted)))
    return float(value_at(goal, x[k])), float(heights[k])


def place(goal: Goal, value: Floats) -> Floats:
    """x of values of the parameter."""
    return np.log(value) if goal.logarithmic else value


def value_at(goal: Goal, x: Floats) -> Floats:
    """Values of the parameter at x [SI]."""
    return np.exp(x) if goal.logarithmic else x


def rounded(value: float) -> float:
    """A value rounded to `DIGITS` digits, equal on every machine."""
    return float(f"{value:.{DIGITS}g}")


def observations(goal: Goal, outcome: StudyOutcome) -> list[Observation]:
    """One observation per value and seed, without those with a run that measured nothing."""
    entries = []
    for at in dict.fromkeys(float(run.varied[goal.name]) for run in outcome.runs):
        for seed in dict.fromkeys(run.seed for run in outcome.runs):
            own = [run for run in outcome.runs if run.seed == seed and run.varied[goal.name] == at]
            results = [outcome.results.get(run.task.path.name) for run in own]
            points = [read(goal.scene, outcome.drawn.name, result, 0.0) if result else None for result in results]
            if any(point is None for point in points):
                continue
            values = np.array([point.value for point in points if point is not None])
            if goal.frictions:
                base = np.arctan([float(run.varied["friction"]) for run in own])
                y = float(base @ values / (base @ base))
            else:
                y = float(values[0]) / outcome.drawn.scale
            entries.append(Observation(at, seed, y))
    return entries


def crossing(goal: Goal, seen: Sequence[Observation]) -> CalibrationResult:
    """The crossing of the parabola fitted to the observations with the wanted value."""
    x = place(goal, np.array([observation.at for observation in seen]))
    y = np.array([observation.y for observation in seen])
    missing = CalibrationResult(math.nan, math.inf, (goal.low, goal.high), (), math.nan)
    degree = min(2, np.unique(x).size - 1)
    if degree < 1 or y.size < degree + 2:
        return missing
    ends = place(goal, np.array([goal.low, goal.high]))
    fit = np.polyfit(x, y, degree)
    left = y - np.polyval(fit, x)
    spread = math.sqrt(float(left @ left) / (y.size - degree - 1))
    root = float(_roots(fit[:, None], np.array([goal.wanted]), ends, float(ends.mean()))[0])
    if not math.isfinite(root):
        return missing._replace(coefficients=tuple(fit.tolist()), residual=spread)
    generator = np.random.default_rng(0)
    scale = math.sqrt(y.size / (y.size - degree - 1))  # residuals of a fit are smaller than the scatter
    shuffled = np.polyval(fit, x)[:, None] + scale * generator.choice(left, (y.size, RESAMPLED))
    wanted = goal.wanted + goal.wanted_error * generator.standard_normal(RESAMPLED)
    again = np.polyfit(x, shuffled, degree)
    # A resampled curve without a crossing means that the end of the range is possible too.
    nearest_end = ends[np.argmin(np.abs(np.polyval(fit, ends) - goal.wanted))]

    def values_with(levels: Floats) -> Floats:
        roots = _roots(again, levels, ends, root)
        return value_at(goal, np.where(np.isfinite(roots), roots, nearest_end))

    values = values_with(wanted)
    of_runs = values_with(np.full(RESAMPLED, goal.wanted)) if goal.wanted_error else values
    low, high = np.percentile(values, [2.5, 97.5])
    value = float(value_at(goal, np.array(root)))
    error = float(values.std(ddof=1))
    return CalibrationResult(
        value, error, (float(low), float(high)), tuple(fit.tolist()), spread, of_runs=float(of_runs.std(ddof=1))
    )


def _roots(fits: Floats, levels: Floats, ends: Floats, near: float) -> Floats:
    """Values x at which curves of degree 1 or 2, one per column, reach a level each, within the range and nearest to
    `near`; nan for a curve that does not reach it."""
    a, b, c = fits[-3] if len(fits) > 2 else np.zeros(levels.size), fits[-2], fits[-1] - levels
    with np.errstate(invalid="ignore", divide="ignore"):
        q = -0.5 * (b + np.copysign(np.sqrt(b * b - 4.0 * a * c), b))  # avoids the difference of nearly equal numbers
        roots = np.stack([q / a, c / q])
    roots[~((roots >= ends[0]) & (roots <= ends[1]))] = np.nan
    away = np.where(np.isnan(roots), np.inf, np.abs(roots - near))
    chosen: Floats = np.where(away[0] < away[1], roots[0], roots[1])
    return chosen


def report(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation]) -> dict[str, Any]:
    """The content of result.json: the parameter in SI, the quantity in its shown unit."""
    return {
        "scene": goal.scene,
        "parameter": goal.name,
        "range": [goal.low, goal.high],
        "wanted": {"what": "k" if goal.frictions else name_of_study(goal.scene), "value": goal.wanted},
        "wanted_error": goal.wanted_error,
        "frictions": list(goal.frictions),
        "values": dict(goal.values),
        "value": calibration.value if math.isfinite(calibration.value) else None,
        "standard_error": calibration.standard_error if math.isfinite(calibration.value) else None,
        "standard_error_of_runs": calibration.of_runs if math.isfinite(calibration.value) else None,
        "confidence_interval_95": list(calibration.interval) if math.isfinite(calibration.value) else None,
        "scatter_of_an_observation": calibration.residual,
        "observations": [observation._asdict() for observation in seen],
    }
