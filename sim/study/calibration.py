"""Calibration: the value of a parameter for which a noisy quantity has a wanted value, with its confidence interval.

The scatter over seeds exceeds the difference between neighbouring values of the parameter: neither a single run nor the
difference of two runs gives the direction of the search. Therefore a parabola y(x) is fitted to all runs so far with
equal weights, where x is the logarithm of the parameter, or the parameter itself if it can be 0 or less. The result is
the crossing of the parabola with the wanted value (inverse prediction from a regression). The next runs are done around
the crossing, until its standard error is as small as wanted, or is mostly due to the error of the wanted value, which
no run reduces. The error is that of the crossings of parabolas fitted to resampled residuals (bootstrap), and includes
the error of the wanted value.

One or two parameters are determined from a wanted profile: each height is then a polynomial of second degree in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.measure.flanks import measure_flanks
from repose.sim.message import plain
from repose.sim.parameters import Parameter, ParameterError, Value, require_known
from repose.sim.registry import scenes
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan, StudyRun
from repose.sim.study.quantities import default_names, name_of_study, quantity_of, read

FIRST_VALUES, FIRST_SEEDS = 4, 2
"""Number of values of each parameter, and of seeds of a single parameter, before the first fit."""
MOST_VARIED = 2
"""Largest number of parameters."""
WITHIN, WITHIN_OF_PROFILE = 0.1, 0.25
"""Distance of further values from the crossing, and from the nearest profile, over the range of x [-]. A single heap is
compared, whose own scatter is larger than the error of the fit at the value that is found: there the slope over the
value decides the interval, and runs at nearly equal values do not determine it. Of 224 intervals for the outlines of
computed heaps 198 contained the value with 0.1, 209 with 0.25 and 206 with 0.4; the widths were equal."""
RESISTANCES = ("rolling_friction", "twisting_friction")
"""Parameters that act on rotating grains only."""
PLACES, PLACES_OF_TWO = 801, 61
"""Number of points of one range, and of each of two, at which fits are evaluated."""
TRIED, TRIED_OF_TWO, OF_EACH = 41, 9, 250
"""Number of values of one parameter, and of each of two, of which it is asked whether they are possible, and of
resampled fits for each."""
RESAMPLED = 500
"""Number of parabolas fitted to resampled residuals."""
SMALL = 0.5
"""Fraction of the standard error due to the runs below which further runs reduce the error by less than
1 - sqrt(1 - SMALL²) = 13 % [-]; the rest is the error of the wanted value."""
DISTANCES = np.linspace(0.0, 2.4, 25)
"""Distances from the apex at which profiles are compared, over the square root of the area of one side [-]."""
OPEN = 0.5
"""A side that ends above this share of the height ends at a wall [-]; in a picture a free one ends a grain above the
table."""
SMOOTHEST = 0.25
"""Variance that is added at each distance, over the mean variance [-]: one distance at which all runs agree by chance
does not decide."""
LEAST_FREE = 20
"""Least number of runs for a profile beyond the coefficients of a height: a calibration that stops because a few runs
happen to scatter little has too narrow an interval. With 14 runs for one parameter it contained the value for 15 of 18
made pictures, with 23 runs for 17."""
FITTING = 99.0
"""Percentage of heaps with the values that are found, that differ less from the nearest profile than the largest
difference that still fits."""
DIGITS = 3
"""Number of significant digits of the parameter values of the runs."""


@dataclass(frozen=True)
class VariedRange:
    """A parameter that is determined, and the range of the search."""

    name: str
    low: float
    high: float
    """SI."""

    @property
    def logarithmic(self) -> bool:
        """Whether x is the logarithm of the parameter. The slope of an angle over friction decreases, and no parabola
        in the friction itself fits a wide range (its 95 % interval contained the true value for 80 % of synthetic
        data)."""
        return self.low > 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """x at both ends."""
        low, high = self.place(np.array([self.low, self.high])).tolist()
        return low, high

    def place(self, value: Floats) -> Floats:
        """x of values of the parameter."""
        return np.log(value) if self.logarithmic else value

    def value_at(self, x: Floats) -> Floats:
        """Values of the parameter at x [SI]."""
        return np.exp(x) if self.logarithmic else x


@dataclass(frozen=True)
class Goal:
    """The goal of a calibration."""

    scene: str
    varied: tuple[VariedRange, ...]
    """The parameters that are determined; two only from a profile."""
    wanted: float
    """Wanted value of k, or of the quantity in its shown unit."""
    wanted_error: float = 0.0
    """Standard error of the wanted value, such as that of a measured angle; of a wanted profile that of its steepness,
    height over distance, as a share [-]."""
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
            labels = " and ".join(str(parameter.quantity.label) for parameter in self.parameters)
            return f"{labels} for the profile of the picture"
        quantity = quantity_of(self.scene, name_of_study(self.scene))
        what = "k of θ = k arctan μ" if self.frictions else quantity.label
        return f"{self.parameters[0].quantity.label} for which the {what} is {self.wanted:g}{self.unit}"

    @property
    def unit(self) -> str:
        """Unit of the wanted value."""
        return "" if self.frictions else quantity_of(self.scene, name_of_study(self.scene)).unit

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The declarations of the parameters."""
        declared: dict[str, Parameter] = scenes()[self.scene].parameters.chosen(dict(self.values)).declared()
        return tuple(declared[entry.name] for entry in self.varied)

    def check(self) -> Goal:
        """This goal, if a calibration for it is possible; raises `ParameterError`."""
        require_known(self.scene, scenes(), plain("scene"))
        if not self.profile:
            default_names(self.scene, {})
        parameters = scenes()[self.scene].parameters.chosen(dict(self.values))
        for entry in self.varied:
            parameters.require_parameter(entry.name)
        self._require_ranges()
        if not (self.wanted_error >= 0.0 and math.isfinite(self.wanted) and math.isfinite(self.wanted_error)):
            raise ParameterError(
                f"{self.wanted:g} ± {self.wanted_error:g} is refused: both must be finite, and the error at least 0."
            )
        if self.profile and not scenes()[self.scene].course.flanks:
            able = " or ".join(scene.name for scene in scenes().values() if scene.course.flanks)
            raise ParameterError(
                f"The scene '{self.scene}' has no profile to compare with a picture: calibrate {able}."
            )
        if not self.profile:
            self._require_quantity()
        if not 0.0 < self.precision < 1.0:
            raise ParameterError(f"--precision {self.precision:g} is refused: it must be a share above 0 and below 1.")
        if self.frictions and (len(self.frictions) < 2 or min(self.frictions) <= 0.0):
            raise ParameterError("k of θ = k arctan μ needs at least two friction coefficients, all above 0.")
        if self.frictions and self.varied[0].name == "friction":
            raise ParameterError("friction is what θ = k arctan μ is a function of: calibrate another parameter.")
        first = first_values(self)
        least = math.prod(map(len, first)) * len(first_seeds(self)) * max(1, len(self.frictions))
        if self.most_runs < least:
            raise ParameterError(f"--runs {self.most_runs} is refused: the first fit needs {least}.")
        self.plan(first, (1,)).check()
        return self

    def _require_quantity(self) -> None:
        own = quantity_of(self.scene, name_of_study(self.scene))
        if self.frictions and own.unit != "°":
            raise ParameterError(
                f"The scene '{self.scene}' measures no angle that could follow θ = arctan μ, but the {own.label}: give "
                f"the measured {own.label} [{own.unit}] with --angle."
            )
        if own.unit == "°" and not self.frictions and not 0.0 < self.wanted < 90.0:
            raise ParameterError(f"--angle {self.wanted:g} is refused: it must be above 0° and below 90°.")

    def _require_ranges(self) -> None:
        if not 1 <= len(self.varied) <= MOST_VARIED or len({entry.name for entry in self.varied}) < len(self.varied):
            raise ParameterError(
                f"--vary {' --vary '.join(entry.name for entry in self.varied)} is refused: name one parameter, or two "
                "different ones."
            )
        if len(self.varied) > 1 and not self.profile:
            raise ParameterError(
                f"--vary {self.varied[1].name} is refused: a single number does not determine two parameters; compare "
                "a profile with --picture."
            )
        scene = scenes()[self.scene]
        rotates = scene.model.rotates(scene.parameters.chosen(dict(self.values)).checked(dict(self.values)))
        for entry, parameter in zip(self.varied, self.parameters):
            if entry.name in RESISTANCES and not rotates:
                raise ParameterError(
                    f"{entry.name} cannot be calibrated: the grains of these runs do not rotate; add --set "
                    "rotation=true where the scene has this switch."
                )
            if parameter.kind != "float":
                raise ParameterError(
                    f"{entry.name} cannot be calibrated: only a parameter that is a number with decimals can."
                )
            if entry.name in self.values:
                raise ParameterError(f"{entry.name} is calibrated, so --set {entry.name} has no effect: leave it out.")
            if not entry.low < entry.high:
                raise ParameterError(
                    f"--vary {entry.name}={entry.low:g}:{entry.high:g} is refused: the range must count up, from the "
                    "lowest value to the highest one."
                )

    def plan(self, at: Sequence[Sequence[float]], seeds: Sequence[int]) -> StudyPlan:
        """The runs with all combinations of these values of the parameters [SI] and seeds."""
        grid: dict[str, tuple[Value, ...]] = {entry.name: tuple(own) for entry, own in zip(self.varied, at)}
        if self.frictions:
            grid["friction"] = self.frictions
        return StudyPlan("calibrate", self.title, self.scene, values=self.values, grid=grid, seeds=tuple(seeds))


class Estimate(NamedTuple):
    """What is known of one parameter, SI."""

    value: float
    """nan if the fitted curve does not reach the wanted value within the range."""
    standard_error: float
    interval: tuple[float, float]
    """95 % confidence interval."""
    of_runs: float = math.inf
    """Standard error due to the scatter of the runs alone, without the error of the wanted value."""


class CalibrationResult(NamedTuple):
    """The result of a calibration so far."""

    estimates: tuple[Estimate, ...]
    """One per parameter."""
    coefficients: tuple[float, ...] = ()
    """Coefficients of the parabola in x, highest power first."""
    residual: float = math.nan
    """Standard deviation of single observations about the fit."""
    correlation: float = math.nan
    """Of the errors of two parameters [-]; nan for one."""
    difference: float = math.nan
    """Difference of the nearest profile and the wanted one, over the height of the wanted one [-]: root of the weighted
    mean of its square; nan without a wanted profile."""
    expected_difference: float = math.nan
    """The largest such difference that is due to chance (`FITTING`) [-]."""

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return all(math.isfinite(estimate.value) for estimate in self.estimates)

    @property
    def fits(self) -> bool:
        """Whether there is a value whose profile differs from the wanted one by no more than is due to chance; a
        crossing always fits."""
        return self.is_known and not self.difference > self.expected_difference


class Observation(NamedTuple):
    """k, or the quantity in its shown unit, of the runs with one value of each parameter [SI] and one seed."""

    at: tuple[float, ...]
    seed: int
    y: float
    profile: tuple[float, ...] = ()
    """The profile in units of the size of the heap, if one is wanted."""


def calibrate(
    goal: Goal,
    do: Callable[[StudyPlan], StudyOutcome],
    show_progress: Callable[[CalibrationResult, int], None] = lambda calibration, runs: None,
) -> tuple[CalibrationResult, list[Observation]]:
    """Do runs until the standard errors of the parameters are as small as wanted, or until the number of runs is used
    up.

    `do(plan)` does the runs of a plan. The choice of the next runs depends on results only: a continued calibration
    does the same runs.
    """
    per_point = max(1, len(goal.frictions))
    seen: list[Observation] = []
    at, seeds, runs = first_values(goal), first_seeds(goal), 0
    while True:
        seen += observations(goal, do(goal.plan(at, seeds)))
        runs += math.prod(map(len, at)) * len(seeds) * per_point
        calibration = nearest_profile(goal, seen) if goal.profile else crossing(goal, seen)
        show_progress(calibration, runs)
        known = not goal.profile or len(seen) >= LEAST_FREE + len(_powers(len(goal.varied), 2))
        at, seeds = next_values(goal, calibration), (seeds[-1] + 1,)
        if (known and is_enough(goal, calibration)) or runs + math.prod(map(len, at)) * per_point > goal.most_runs:
            return calibration, seen


def nothing_known(goal: Goal) -> CalibrationResult:
    """The result before any run."""
    return CalibrationResult(tuple(Estimate(math.nan, math.inf, (own.low, own.high)) for own in goal.varied))


def is_enough(goal: Goal, calibration: CalibrationResult) -> bool:
    """Whether further runs are not needed, or would hardly reduce the standard error."""
    return calibration.is_known and all(
        own.standard_error <= goal.precision * abs(own.value) or own.of_runs <= SMALL * own.standard_error
        for own in calibration.estimates
    )


def first_seeds(goal: Goal) -> tuple[int, ...]:
    """Seeds before the first fit."""
    return tuple(range(1, FIRST_SEEDS + 1)) if len(goal.varied) == 1 else (1,)


def first_values(goal: Goal) -> tuple[tuple[float, ...], ...]:
    """Values of each parameter over its whole range, evenly spaced in x [SI]."""
    return tuple(
        tuple(rounded(value) for value in own.value_at(np.linspace(*own.ends, FIRST_VALUES))) for own in goal.varied
    )


def next_values(goal: Goal, calibration: CalibrationResult) -> tuple[tuple[float, ...], ...]:
    """The crossing and a value on either side, within the range, or values on either side of each of two parameters.
    Without a crossing, the nearest point of the curve replaces it: with more runs the curve may reach the wanted value
    there."""
    if calibration.is_known:
        found = [own.value for own in calibration.estimates]
    elif calibration.coefficients:
        found = [nearest(goal, calibration)[0]]
    else:
        return first_values(goal)
    within = WITHIN_OF_PROFILE if goal.profile else WITHIN
    sides = np.array([-1.0, 0.0, 1.0] if len(found) == 1 else [-1.0, 1.0])
    values = []
    for own, value in zip(goal.varied, found):
        low, high = own.ends
        near = np.clip(own.place(np.array(value)) + sides * within * (high - low), low, high)
        values.append(tuple(dict.fromkeys(rounded(at) for at in own.value_at(near))))
    return tuple(values)


def nearest(goal: Goal, calibration: CalibrationResult) -> tuple[float, float]:
    """The value of the parameter [SI] at which the fitted curve is nearest to the wanted value, and its height."""
    (own,) = goal.varied
    x = np.linspace(*own.ends, PLACES)
    heights = np.polyval(np.array(calibration.coefficients), x)
    k = int(np.argmin(np.abs(heights - goal.wanted)))
    return float(own.value_at(x[k])), float(heights[k])


def rounded(value: float) -> float:
    """A value rounded to `DIGITS` digits, equal on every machine."""
    return float(f"{value:.{DIGITS}g}")


def observations(goal: Goal, outcome: StudyOutcome) -> list[Observation]:
    """One observation per combination of values and seed, without those with a run that measured nothing."""

    def place_of(run: StudyRun) -> tuple[float, ...]:
        return tuple(float(run.varied[own.name]) for own in goal.varied)

    entries = []
    for at, seed in product(dict.fromkeys(map(place_of, outcome.runs)), dict.fromkeys(r.seed for r in outcome.runs)):
        own = [run for run in outcome.runs if run.seed == seed and place_of(run) == at]
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
    (own,) = goal.varied
    x = own.place(np.array([observation.at[0] for observation in seen]))
    y = np.array([observation.y for observation in seen])
    missing = nothing_known(goal)
    degree = min(2, np.unique(x).size - 1)
    if degree < 1 or y.size < degree + 2:
        return missing
    ends = np.array(own.ends)
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
        return own.value_at(np.where(np.isfinite(roots), roots, nearest_end))

    values = values_with(wanted)
    of_runs = values_with(np.full(RESAMPLED, goal.wanted)) if goal.wanted_error else values
    estimate = _estimate(float(own.value_at(np.array(root))), values, of_runs)
    return CalibrationResult((estimate,), tuple(fit.tolist()), spread)


def _estimate(value: float, values: Floats, of_runs: Floats) -> Estimate:
    """The estimate from values with resampled residuals, and those with the exact wanted value."""
    low, high = np.percentile(values, [2.5, 97.5])
    return Estimate(value, float(values.std(ddof=1)), (float(low), float(high)), float(of_runs.std(ddof=1)))


def canonical_profile(x: Floats, height: Floats) -> tuple[float, ...] | None:
    """Height over distance from the apex, mean of the sides, in units of the square root of the area of one side, at
    the distances `DISTANCES`; None without a flank. A heap that leans against a wall has one side, which begins there.

    A heap of cohesionless grains has no length of its own: in these units heaps of any size are equal.
    """
    flanks = measure_flanks(x, height)
    if flanks is None or not flanks.measured:
        return None
    # A free side counts, its flank may be too short for a line.
    free = [float(np.interp(foot, x, height)) < OPEN * flanks.height for foot in flanks.feet]
    sides = []
    for sign, is_free in ((-1.0, free[0]), (1.0, free[1])):
        if not is_free and any(free):
            continue
        ordered, heights = (sign * x, height) if sign > 0.0 else (-x[::-1], height[::-1])
        apex = sign * flanks.apex if all(free) or not any(free) else float(ordered[0])
        beyond = ordered >= apex
        sides.append((ordered[beyond] - apex, np.maximum(heights[beyond], 0.0)))
    fine = np.linspace(0.0, max(float(at[-1]) for at, _ in sides), 400)
    mean = np.mean([np.interp(fine, at, heights, right=0.0) for at, heights in sides], axis=0)
    size = math.sqrt(float(np.trapezoid(mean, fine)))
    if not size > 0.0:
        return None
    return tuple((np.interp(DISTANCES * size, fine, mean, right=0.0) / size).tolist())


def profile_of(result: Mapping[str, Any]) -> tuple[float, ...] | None:
    """The profile of the heap of a run from its outline, as a picture shows it, in units of the size of the heap; None
    without one. The highest points in strips one diameter wide would be higher than the outline, near the apex by as
    much as two heaps of the same parameters differ."""
    stored = result.get("outline")
    return canonical_profile(*(np.array(stored[name], float) for name in ("x", "height"))) if stored else None


def nearest_profile(goal: Goal, seen: Sequence[Observation]) -> CalibrationResult:
    """The values for which the profile is nearest to the wanted one.

    At each distance the height is a polynomial of second degree in x, fitted to all runs; the value is that with the
    least sum of squared differences, each over the variance of the runs about the polynomial there.

    For the errors profiles that scatter like the residuals are drawn, both for the runs and for the heap in the
    picture, which scatters like one run. The interval has those values for which 95 % of the values found in this way
    reach the present one (a test inverted). Percentiles about the present value alone are too narrow: a slope that
    hardly rises with friction scatters less in a value that is too small than in the true one.

    The wanted profile is that of a picture, whose steepness has an error of its own: drawn heaps are steeper or flatter
    by it too.

    The nearest profile need not be near. Its weighted sum of squared differences is compared with those that the drawn
    heaps have to their own nearest profile (the test of a fit by χ², with the distribution drawn, because the
    differences at neighbouring distances go together and their scatter is known from some dozen runs only). Above
    the percentage `FITTING` of them no value in the range fits.
    """
    degree = _degree(seen)
    count = len(_powers(len(goal.varied), degree))
    if degree < 1 or len(seen) < count + 1:
        return nothing_known(goal)
    powers = _terms(goal, np.array([observation.at for observation in seen]), degree)
    y, wanted = np.array([observation.profile for observation in seen]), np.array(goal.profile)
    solve = np.linalg.pinv(powers)
    fit = solve @ y
    left = y - powers @ fit
    free = len(seen) - count
    variance = (left**2).sum(axis=0) / free
    weight = 1.0 / (variance + SMOOTHEST * variance.mean() + np.finfo(float).tiny)
    places = PLACES if len(goal.varied) == 1 else PLACES_OF_TWO
    ranges = [own.value_at(np.linspace(*own.ends, places)) for own in goal.varied]
    fine = np.stack([axis.ravel() for axis in np.meshgrid(*ranges, indexing="ij")], axis=-1)
    at_fine = _terms(goal, fine, degree)
    of_squares = (at_fine[:, :, None] * at_fine[:, None, :]).reshape(len(fine), -1)

    def own_squares(fits: Floats) -> Floats:
        """Weighted sum of squares of each fit (.., powers, distances) at every place."""
        squares: Floats = np.einsum("bik,bjk,k->bij", fits, fits, weight).reshape(len(fits), -1) @ of_squares.T
        return squares

    def nearest_to(fits: Floats, squares: Floats, profiles: Floats) -> tuple[Floats, Floats]:
        """Values with the least weighted sum of squares of each fit and profile (.., distances), and this sum."""
        products = np.einsum("bik,bk,k->bi", fits, profiles, weight)
        sums = squares - 2.0 * products @ at_fine.T
        nearest: Floats = fine[sums.argmin(axis=1)]
        return nearest, sums.min(axis=1) + np.broadcast_to(profiles, (len(fits), weight.size)) ** 2 @ weight

    (at,), (difference,) = nearest_to(fit[None], own_squares(fit[None]), wanted[None])
    generator = np.random.default_rng(0)
    # Sums of the residuals with normal weights have their covariance; few residuals know it badly: Student's t.
    known = np.sqrt(generator.chisquare(free, RESAMPLED) / free)[:, None, None]
    drawn = generator.standard_normal((RESAMPLED, len(seen) + 1, len(seen))) @ left / math.sqrt(free) / known
    again = solve @ (powers @ fit + drawn[:, 1:])
    steeper = goal.wanted_error * generator.standard_normal((RESAMPLED, 1)) * _steepened(wanted)
    scattered = drawn[:, 0] + steeper
    there = _terms(goal, at[None], degree) @ fit
    squares = own_squares(again)
    values, differences = nearest_to(again, squares, there + scattered)
    of_runs, _least = nearest_to(again, squares, np.broadcast_to(there, (RESAMPLED, wanted.size)))
    estimates = tuple(_estimate(float(at[k]), values[:, k], of_runs[:, k]) for k in range(at.size))
    steps = TRIED if len(goal.varied) == 1 else TRIED_OF_TWO
    tried = [np.linspace(*own.ends, steps) for own in goal.varied]
    possible = [at]
    for places_tried in product(*tried):
        value = np.array([own.value_at(np.array(x)) for own, x in zip(goal.varied, places_tried)], float)
        there = _terms(goal, value[None], degree) @ fit
        found, _least = nearest_to(again[:OF_EACH], squares[:OF_EACH], there + scattered[:OF_EACH])
        low, high = np.percentile(found, [2.5, 97.5], axis=0)
        possible += [value] if (low <= at).all() and (at <= high).all() else []
    estimates = tuple(
        estimate._replace(interval=_widened(own, np.array(possible)[:, k], steps))
        for k, (own, estimate) in enumerate(zip(goal.varied, estimates))
    )
    spread = np.array([own.standard_error for own in estimates])
    correlation = float(np.asarray(np.corrcoef(values.T))[0, 1]) if at.size > 1 and spread.all() else math.nan
    largest = np.percentile(differences, FITTING)
    shares = np.sqrt(np.maximum([difference, largest], 0.0) / weight.sum()) / wanted.max()  # rounding below 0
    return CalibrationResult(estimates, (), float(np.sqrt(variance.mean())), correlation, *shares.tolist())


def _steepened(profile: Floats) -> Floats:
    """Change of a profile in units of the size of its heap when all its heights grow by a share s, over s.

    The area grows by s too, therefore the size by s/2: p(d) becomes √(1 + s) p(√(1 + s) d), hence dp/ds = (p + d p')/2.
    """
    changed: Floats = 0.5 * (profile + DISTANCES * np.gradient(profile, DISTANCES))
    return changed


def _widened(own: VariedRange, values: Floats, steps: int) -> tuple[float, float]:
    """The interval of possible values, of which one in `steps` of the range was tried: half a step longer."""
    low, high = own.ends
    half = 0.5 * (high - low) / (steps - 1)
    x = own.place(values)
    ends = own.value_at(np.clip([x.min() - half, x.max() + half], low, high))
    return float(ends[0]), float(ends[1])


def fitted_profile(goal: Goal, seen: Sequence[Observation], values: Sequence[float]) -> Floats:
    """The profile that the polynomials give for values of the parameters [SI], shape (distances,)."""
    degree = _degree(seen)
    powers = _terms(goal, np.array([observation.at for observation in seen]), degree)
    fit = np.linalg.pinv(powers) @ np.array([observation.profile for observation in seen])
    fitted: Floats = (_terms(goal, np.array([values]), degree) @ fit)[0]
    return fitted


def _degree(seen: Sequence[Observation]) -> int:
    """Degree of the polynomials that so many different values of each parameter determine, at most 2."""
    return min(2, *(len(set(column)) - 1 for column in zip(*(observation.at for observation in seen)))) if seen else 0


def _powers(variables: int, degree: int) -> list[tuple[int, ...]]:
    """The variables that are multiplied in each term of a polynomial."""
    return [term for order in range(degree + 1) for term in combinations_with_replacement(range(variables), order)]


def _terms(goal: Goal, at: Floats, degree: int) -> Floats:
    """The terms of a polynomial at values of the parameters [SI], shapes (n, parameters) and (n, terms); each range is
    that from -1 to 1, so that no term is much larger than another one."""
    columns = []
    for own, values in zip(goal.varied, at.T):
        low, high = own.ends
        columns.append((2.0 * own.place(values) - low - high) / (high - low))
    powers = _powers(len(columns), degree)
    terms: Floats = np.stack([np.prod([columns[k] for k in term], axis=0) * np.ones(len(at)) for term in powers], -1)
    return terms


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
    of_each = [
        {
            "parameter": own.name,
            "range": [own.low, own.high],
            "value": found.value if math.isfinite(found.value) else None,
            "standard_error": found.standard_error if math.isfinite(found.value) else None,
            "standard_error_of_runs": found.of_runs if math.isfinite(found.value) else None,
            "confidence_interval_95": list(found.interval) if math.isfinite(found.value) else None,
        }
        for own, found in zip(goal.varied, calibration.estimates)
    ]
    return {
        "scene": goal.scene,
        **of_each[0],
        "further": of_each[1:],
        "correlation_of_errors": calibration.correlation if len(of_each) > 1 else None,
        "wanted": {"what": "profile", "distance": DISTANCES.tolist(), "height": list(goal.profile)}
        if goal.profile
        else {"what": "k" if goal.frictions else name_of_study(goal.scene), "value": goal.wanted},
        "wanted_error": goal.wanted_error,
        "frictions": list(goal.frictions),
        "values": dict(goal.values),
        "scatter_of_an_observation": calibration.residual,
        "fits": calibration.fits if calibration.is_known else None,
        "difference_over_height": calibration.difference if goal.profile else None,
        "expected_difference_over_height": calibration.expected_difference if goal.profile else None,
        "observations": [
            observation._asdict() | {"at": observation.at[0] if len(observation.at) == 1 else list(observation.at)}
            for observation in seen
        ],
    }
