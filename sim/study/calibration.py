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
from repose.sim.measure.flanks import measure_flanks
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
DISTANCES = np.linspace(0.0, 2.4, 25)
"""Distances from the apex at which profiles are compared, over the square root of the area of one side [-]."""
SMOOTHEST = 0.25
"""Variance that is added at each distance, over the mean variance [-]: one distance at which all runs agree by chance
does not decide."""
LEAST_OF_PROFILES = 14
"""Least number of runs for a profile: one that stops because eight happen to scatter little has too narrow an interval,
which contained the value for 15 of 18 made pictures; with 23 runs for 17 of them."""
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
    profile: tuple[float, ...] = ()
    """The wanted profile in units of its size (`canonical_profile`), in place of the wanted value."""

    @property
    def title(self) -> str:
        """The goal in words."""
        if self.profile:
            return f"{self.parameter.quantity.label} for the profile of the picture"
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
        if self.profile and not scenes()[self.scene].course.has_profile:
            able = " or ".join(scene.name for scene in scenes().values() if scene.course.has_profile)
            raise ParameterError(
                f"The scene '{self.scene}' has no profile to compare with a picture: calibrate {able}."
            )
        own = quantity_of(self.scene, name_of_study(self.scene))
        if self.frictions and own.unit != "°":
            raise ParameterError(
                f"The scene '{self.scene}' measures no angle that could follow θ = arctan μ, but the {own.label}: give "
                f"the measured {own.label} [{own.unit}] with --angle."
            )
        if own.unit == "°" and not (self.frictions or self.profile) and not 0.0 < self.wanted < 90.0:
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
    profile: tuple[float, ...] = ()
    """The profile in units of the size of the heap, if one is wanted."""


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
        calibration = nearest_profile(goal, seen) if goal.profile else crossing(goal, seen)
        show_progress(calibration, runs)
        known = not goal.profile or runs >= LEAST_OF_PROFILES
        if (known and is_enough(goal, calibration)) or runs + len(at) * per_point > goal.most_runs:
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
            if goal.profile:
                found = profile_of(results[0]) if results and results[0] else None
                entries += [Observation(at, seed, math.nan, found)] if found is not None else []
                continue
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


def canonical_profile(x: Floats, height: Floats) -> tuple[float, ...] | None:
    """Height over distance from the apex, mean of the flanks, in units of the square root of the area of one side, at
    the distances `DISTANCES`; None without a flank.

    A heap of cohesionless grains has no length of its own: in these units heaps of any size are equal.
    """
    flanks = measure_flanks(x, height)
    if flanks is None or not flanks.measured:
        return None
    sides = []
    for sign, flank in ((-1.0, flanks.left), (1.0, flanks.right)):
        if flank is None:
            continue
        ordered, heights = (sign * x, height) if sign > 0.0 else (-x[::-1], height[::-1])
        apex = sign * flanks.apex if len(flanks.measured) > 1 else float(ordered[0])  # a wall is where the profile ends
        beyond = ordered >= apex
        sides.append((ordered[beyond] - apex, np.maximum(heights[beyond], 0.0)))
    fine = np.linspace(0.0, max(float(at[-1]) for at, _ in sides), 400)
    mean = np.mean([np.interp(fine, at, heights, right=0.0) for at, heights in sides], axis=0)
    size = math.sqrt(float(np.trapezoid(mean, fine)))
    if not size > 0.0:
        return None
    return tuple((np.interp(DISTANCES * size, fine, mean, right=0.0) / size).tolist())


def profile_of(result: Mapping[str, Any]) -> tuple[float, ...] | None:
    """The last profile of a run in units of the size of its heap; None without one."""
    stored = result.get("profile")
    if not stored or not stored["height"]:
        return None
    return canonical_profile(np.array(stored["x"], float), np.array(stored["height"][-1], float))


def nearest_profile(goal: Goal, seen: Sequence[Observation]) -> CalibrationResult:
    """The value for which the profile is nearest to the wanted one.

    At each distance the height is a parabola in x, fitted to all runs; the value is that with the least sum of squared
    differences, each over the variance of the runs about the parabola there. For the interval profiles that scatter
    like the residuals are drawn, both for the runs and for the heap in the picture, which scatters like one run.
    """
    missing = CalibrationResult(math.nan, math.inf, (goal.low, goal.high), (), math.nan)
    x = place(goal, np.array([observation.at for observation in seen]))
    degree = min(2, np.unique(x).size - 1)
    if degree < 1 or x.size < degree + 2:
        return missing
    y, wanted = np.array([observation.profile for observation in seen]), np.array(goal.profile)
    powers = np.vander(x, degree + 1)
    solve = np.linalg.pinv(powers)
    fit = solve @ y
    left = y - powers @ fit
    free = x.size - degree - 1
    variance = (left**2).sum(axis=0) / free
    weight = 1.0 / (variance + SMOOTHEST * variance.mean() + np.finfo(float).tiny)
    ends = place(goal, np.array([goal.low, goal.high]))
    fine = np.linspace(ends[0], ends[1], 4 * PLACES)
    at_fine = np.vander(fine, degree + 1)

    def nearest_to(fits: Floats, profiles: Floats) -> Floats:
        """x of the least weighted sum of squares of each fit (.., powers, distances) and profile (.., distances)."""
        squares = np.einsum("bik,bjk,k->bij", fits, fits, weight)
        products = np.einsum("bik,bk,k->bi", fits, profiles, weight)
        sums = np.einsum("xi,bij,xj->bx", at_fine, squares, at_fine) - 2.0 * products @ at_fine.T
        nearest: Floats = fine[sums.argmin(axis=1)]
        return nearest

    at = float(nearest_to(fit[None], wanted[None])[0])
    generator = np.random.default_rng(0)
    # Sums of the residuals with normal weights have their covariance; few residuals know it badly: Student's t.
    known = np.sqrt(generator.chisquare(free, RESAMPLED) / free)[:, None, None]
    drawn = generator.standard_normal((RESAMPLED, x.size + 1, x.size)) @ left / math.sqrt(free) / known
    again = solve @ (powers @ fit + drawn[:, 1:])
    there = np.vander(np.array([at]), degree + 1) @ fit
    values = value_at(goal, nearest_to(again, there + drawn[:, 0]))
    of_runs = value_at(goal, nearest_to(again, np.broadcast_to(there, (RESAMPLED, wanted.size))))
    low, high = np.percentile(values, [2.5, 97.5])
    return CalibrationResult(
        float(value_at(goal, np.array(at))),
        float(values.std(ddof=1)),
        (float(low), float(high)),
        (),
        float(np.sqrt(variance.mean())),
        of_runs=float(of_runs.std(ddof=1)),
    )


def fitted_profile(goal: Goal, seen: Sequence[Observation], value: float) -> Floats:
    """The profile that the parabolas give for a value of the parameter [SI], shape (distances,)."""
    x = place(goal, np.array([observation.at for observation in seen]))
    fit = np.polyfit(x, np.array([observation.profile for observation in seen]), min(2, np.unique(x).size - 1))
    fitted: Floats = np.vander(place(goal, np.array([value])), fit.shape[0])[0] @ fit
    return fitted


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
        "wanted": {"what": "profile", "distance": DISTANCES.tolist(), "height": list(goal.profile)}
        if goal.profile
        else {"what": "k" if goal.frictions else name_of_study(goal.scene), "value": goal.wanted},
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
