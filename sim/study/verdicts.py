"""Comparison of results with published statements: agree or differ beyond the errors, or undecided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from repose.sim.experiment.comparison import Row, shown
from repose.sim.study.outcome import Group, StudyOutcome
from repose.sim.study.plan import StatementVerdict

CLEAR = 2.0
"""Number of standard errors above which a difference counts: one in twenty is as large by chance."""
UNDECIDED = StatementVerdict("not judged", None, "Too few runs: at least two seeds of every value are needed.")


def numbers(outcome: StudyOutcome, label: str) -> dict[str, Any]:
    """Numbers fitted to the line with that label; empty if there are none."""
    group = next((group for group in outcome.groups if group.name == label), None)
    return {} if group is None or not outcome.points(group) else outcome.findings(group).numbers


def several_seeds(outcome: StudyOutcome) -> bool:
    """Whether every mean of the first quantity is over at least two runs: its error is then known."""
    return all(row.means.get(outcome.drawn.name) and row.means[outcome.drawn.name].runs > 1 for row in outcome.table)


def same_number(
    outcome: StudyOutcome, words: str, ours: tuple[float, float] | None, theirs: tuple[float, float], unit: str = ""
) -> StatementVerdict:
    """Whether two numbers with standard errors agree."""
    if ours is None or not several_seeds(outcome):
        return UNDECIDED
    error = math.hypot(ours[1], theirs[1])
    away = (ours[0] - theirs[0]) / error if error > 0.0 else 0.0
    why = f"The difference is {abs(away):.2f} standard errors."
    return StatementVerdict(f"{words}{shown(*ours)}{unit}", abs(away) <= CLEAR, why)


def same_curve(outcome: StudyOutcome, first: str, second: str) -> StatementVerdict:
    """Whether two lines agree: the mean of their differences, with its standard error."""
    groups = {group.name: group for group in outcome.groups}
    if not {first, second} <= groups.keys() or not several_seeds(outcome):
        return UNDECIDED
    ours = [{row.at: row for row in outcome.rows(groups[label])} for label in (first, second)]
    both = sorted(ours[0].keys() & ours[1].keys())
    scale, unit = outcome.drawn.scale, outcome.drawn.unit
    differences = [(ours[1][at].value - ours[0][at].value) / scale for at in both]
    errors = [math.hypot(ours[0][at].error, ours[1][at].error) / scale for at in both]
    mean, error = _mean(differences, errors)
    words = f"mean difference {shown(mean, error)}{unit} over {len(both)} values"
    left = _left(outcome, groups[first], groups[second])
    why = f"{abs(mean) / error:.1f} standard errors apart." if error > 0.0 else ""
    return StatementVerdict(f"{words}; {left}" if left else words, abs(mean) <= CLEAR * error, why)


def same_quantities(outcome: StudyOutcome, first: str, second: str) -> StatementVerdict:
    """Whether two quantities of the same runs agree: the mean of their differences, with its standard error."""
    named = {quantity.name: quantity for quantity in outcome.quantities}
    scales = [named[name].scale for name in (first, second)]
    rows = [{row.at: row for row in outcome.rows(outcome.groups[0], name)} for name in (first, second)]
    both = sorted(rows[0].keys() & rows[1].keys())
    if not both or not several_seeds(outcome):
        return UNDECIDED
    mean, error = _mean(
        [rows[1][at].value / scales[1] - rows[0][at].value / scales[0] for at in both],
        [math.hypot(rows[0][at].error / scales[0], rows[1][at].error / scales[1]) for at in both],
    )
    why = f"{abs(mean) / error:.1f} standard errors apart." if error > 0.0 else ""
    words = f"mean difference {shown(mean, error)}{named[first].unit} over {len(both)} values"
    return StatementVerdict(words, abs(mean) <= CLEAR * error, why)


class StraightLine(NamedTuple):
    """The line y = at_zero + slope x through means, fitted with equal weights."""

    slope: float
    error: float
    """Standard error of the slope: it follows from the errors of the means, and is larger by `misfit` if that is above
    1 (Birge); nan if they are unknown and fewer than three means do not show their scatter."""
    at_zero: float
    misfit: float
    """sqrt(χ²/ν) of the means about the line [-]; nan for two means, or where their errors are unknown."""


def straight_line(rows: Sequence[Row], scale: float = 1.0) -> StraightLine:
    """The line through the means of at least two values; their SI values are divided by `scale`."""
    x = np.array([row.at for row in rows])
    y, errors = (np.array([getattr(row, name) for row in rows]) / scale for name in ("value", "error"))
    weights = (x - x.mean()) / float(((x - x.mean()) ** 2).sum())
    slope, free = float(weights @ y), len(rows) - 2
    at_zero = float(y.mean() - slope * x.mean())
    left = y - at_zero - slope * x
    if all(row.runs > 1 and row.error > 0.0 for row in rows):
        misfit = math.sqrt(float(((left / errors) ** 2).sum()) / free) if free else math.nan
        error = float(np.hypot.reduce(weights * errors)) * (max(1.0, misfit) if free else 1.0)
    else:
        misfit = math.nan
        error = math.sqrt(float(left @ left) / free * float(weights @ weights)) if free else math.nan
    return StraightLine(slope, error, at_zero, misfit)


def trend(outcome: StudyOutcome, label: str, per: float, unit: str, expected: int) -> StatementVerdict:
    """Whether the first quantity rises (expected 1), falls (-1) or does neither (0) along the abscissa.

    The slope is that of `straight_line`, `per` so much of the parameter [SI].
    """
    group = next((group for group in outcome.groups if group.name == label), None)
    rows = () if group is None else outcome.rows(group)
    if len(rows) < 2 or not several_seeds(outcome):
        return UNDECIDED
    line = straight_line(rows, outcome.drawn.scale)
    slope, error = line.slope * per, line.error * per
    sign = 0 if abs(slope) <= CLEAR * error else round(math.copysign(1.0, slope))
    return StatementVerdict(f"slope {shown(slope, error)} {unit}", sign == expected)


def _mean(values: list[float], errors: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.hypot.reduce(errors)) / len(errors)


def _left(outcome: StudyOutcome, first: Group, second: Group) -> str:
    """The mean difference of the grains left, which is known more precisely than the angle; empty if not counted."""
    ours = [{row.at: row for row in outcome.rows(group, "grains_left")} for group in (first, second)]
    both = sorted(ours[0].keys() & ours[1].keys())
    if not both:
        return ""
    differences = [ours[1][at].value - ours[0][at].value for at in both]
    mean, error = _mean(differences, [math.hypot(ours[0][at].error, ours[1][at].error) for at in both])
    return f"grains left {shown(mean, error)}"
