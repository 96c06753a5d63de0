"""Comparison of runs: a quantity over one parameter, with published values and laws.

The window compares the runs of a session, `repose sweep` the runs that it has done.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.measure.display import COMPARISON, STANDARD_ERROR, Axis, Curve, Line
from repose.sim.message import EMPTY, Capital, Message, Number, _, formatted, joined, label_of, plain, plural
from repose.sim.parameters import Parameter, Value

PREPARED = "prepared"
"""Entry of `Point.conditions`: whether the run began from a prepared state."""

MOST_GROUPS, MOST_DIFFERENCES = 3, 2
"""Largest number of groups of runs with other parameter values in a plot, and of differences that its legend names."""

ROOM_BELOW, ROOM_ABOVE = 0.35, 0.15
"""Range of drawn laws below and above the values of the parameter, in units of the span of these values [-]."""


class Point(NamedTuple):
    """The result of one finished run, SI."""

    at: float
    """Value of the parameter that is varied."""
    value: float
    error: float
    """Standard error within this run, which does not contain the scatter over seeds; nan if unknown."""
    aside: Mapping[str, float] = {}
    """Further numbers that a law needs, by name."""
    conditions: Mapping[str, Value] = {}
    """All parameters of the run by name, SI, and whether it began from a prepared state; empty where unknown."""


class Row(NamedTuple):
    """All runs at one value of the parameter, SI."""

    at: float
    runs: int
    value: float
    """Mean of the runs."""
    error: float
    """Standard error of the mean from the scatter of the runs; of a single run, its own."""
    between: float
    """Standard deviation of the runs; nan for a single run."""


class Published(NamedTuple):
    """One line of a published table, SI."""

    at: float
    value: float
    error: float


class Findings(NamedTuple):
    """Laws fitted to some points."""

    numbers: dict[str, Any]
    """Fitted numbers with their errors, SI, JSON-ready."""
    lines: tuple[Line, ...]
    """Laws to draw, SI."""


class ResultNumber(NamedTuple):
    """How a number in the results of runs is shown."""

    label: Message
    unit: str = ""
    symbol: str = ""


def no_laws(points: Sequence[Point], reach: tuple[float, float]) -> Findings:
    """No laws for comparison."""
    return Findings({}, ())


@dataclass(frozen=True)
class Study:
    """How runs of a scene are compared."""

    name: str
    """Name of the quantity, in files."""
    quantity: Message
    symbol: str
    unit: str
    """As shown."""
    scale: float
    """SI value of one shown unit."""
    over: str
    """Name of the parameter on the abscissa."""
    usual: tuple[float, ...]
    """Values of this parameter for a typical series of runs, SI."""
    measure: Callable[[Any], Point | None]
    """The point of the present state of an experiment, or None if nothing has been measured."""
    error_of: Message = EMPTY
    """Origin of the error of a single run, such as "line fit"; empty if it needs no explanation."""
    error_name: str = "run"
    """Name of this origin in results: line_fit."""
    published: tuple[Published, ...] = ()
    scatter: Message = STANDARD_ERROR
    """Kind of the published errors."""
    beside: tuple[str, ...] = ()
    """Numbers in the results of runs that are reported beside the quantity, by name."""
    laws: Callable[[Sequence[Point], tuple[float, float]], Findings] = field(default=no_laws)
    """laws(points, (lowest, highest) value to draw) -> fitted numbers and lines."""


def averaged(points: Sequence[Point]) -> tuple[Row, ...]:
    """One row for every value of the parameter, ascending."""
    rows = []
    for at in sorted({point.at for point in points}):
        own = [point for point in points if point.at == at]
        values = np.array([point.value for point in own])
        between = float(values.std(ddof=1)) if values.size > 1 else math.nan
        error = between / math.sqrt(values.size) if values.size > 1 else own[0].error
        rows.append(Row(at, values.size, float(values.mean()), error, between))
    return tuple(rows)


def findings(study: Study, points: Sequence[Point]) -> Findings:
    """The laws of a study fitted to these points."""
    return study.laws(points, reach_of(study, [point.at for point in points]))


def reach_of(study: Study, places: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest value of the parameter for which laws are drawn: all these and the published ones, SI."""
    known = [*places, *(row.at for row in study.published)] or list(study.usual) or [0.0, 1.0]
    span = (max(known) - min(known)) or max(known)
    return max(0.0, min(known) - ROOM_BELOW * span), max(known) + ROOM_ABOVE * span


def compare(study: Study, varied: Parameter, points: Sequence[Point], looked_at: Sequence[float] = ()) -> Curve:
    """Means with errors, single runs, published values and laws as a plot with its table.

    `varied` is the parameter named by `study.over`; the table lists its values in `looked_at` also without points, SI.
    """
    quantity = varied.quantity
    x_unit, y_unit = quantity.scale, study.scale
    rows = averaged(points)
    lines = []
    if any(row.runs > 1 for row in rows):
        x, y, __ = columns(points, x_unit, y_unit)
        lines.append(Line(_("single runs"), x, y, points=True, single=True, source="own"))
    if rows:
        x, y, error = columns(rows, x_unit, y_unit)
        scatter = scatter_of(study, rows)
        lines.append(Line(_("mean"), x, y, points=True, error=error, scatter=scatter, source="own"))
    if study.published:
        x, y, error = columns(study.published, x_unit, y_unit)
        published = Line(_("published"), x, y, points=True, error=error, scatter=study.scatter, source="published")
        lines.append(published)
    for law in findings(study, points).lines:
        lines.append(Line(law.label, law.x / x_unit, law.y / y_unit, fitted=law.fitted))
    over = quantity.symbol or quantity.label
    return Curve(
        name=COMPARISON,
        title=Message("{symbol}({over})", symbol=study.symbol, over=over),
        x=Axis(label_of(quantity.label, quantity.symbol), quantity.unit),
        y=Axis(label_of(study.quantity, study.symbol), study.unit),
        lines=tuple(lines),
        heading=Message("{capitalize} over {label}", capitalize=Capital(study.quantity), label=quantity.label),
        table=_table(study, varied, rows, looked_at),
    )


def compare_session(
    study: Study, declared: Mapping[str, Parameter], points: Sequence[Point], now: Mapping[str, Value]
) -> Curve:
    """`compare` for the runs that differ from the present one in the varied parameter only.

    `now` are the conditions of the present run. Runs with other differences are drawn as separate groups, named by
    these differences; no mean and no law mixes the groups. The note of the plot says which runs the mean is of.
    """
    groups: dict[tuple[tuple[str, Value], ...], list[Point]] = {}
    for point in points:
        key = _others(study, point.conditions)
        groups[key] = [*groups.pop(key, []), point]  # the latest group last
    own = groups.pop(_others(study, now), [])
    curve = compare(study, declared[study.over], own)
    others: list[Line] = []
    for number, group in enumerate(list(reversed(groups.values()))[:MOST_GROUPS], 1):
        rows = averaged(group)
        x, y, error = columns(rows, declared[study.over].quantity.scale, study.scale)
        label = _differences(study, declared, group[0].conditions, now)
        others.append(Line(label, x, y, points=True, error=error, scatter=scatter_of(study, rows), group=number))
    defaults = {name: entry.default for name, entry in declared.items()} | {PREPARED: False}
    value = _differences(study, declared, now, defaults, most=len(declared)) or _("the default parameters")
    note = Message("mean: {value}", value=value) if own else Message("no runs yet: {value}", value=value)
    if not others:
        note = Message("all with {value}", value=value)
    if left := len(groups) - len(others):
        note += plural(
            "; {count} more group of runs with other values is not shown",
            "; {count} more groups of runs with other values are not shown",
            count=left,
        )
    return replace(curve, lines=(*curve.lines, *others), note=note)


def _others(study: Study, conditions: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
    """The conditions that must be equal in compared runs."""
    return tuple(sorted((name, value) for name, value in conditions.items() if name != study.over))


def _differences(
    study: Study,
    declared: Mapping[str, Parameter],
    those: Mapping[str, Value],
    reference: Mapping[str, Value],
    most: int = MOST_DIFFERENCES,
) -> Message:
    """The conditions `those` that differ from the reference, in words: "g = 1.62 m/s², prepared column"."""
    if not those:
        return _("parameters unknown")
    words = []
    for name, entry in declared.items():
        if name != study.over and name in those and those[name] != reference.get(name):
            words.append(entry.named(those[name]))
    if those.get(PREPARED) != reference.get(PREPARED):
        words.append(_("prepared column") if those.get(PREPARED) else _("poured"))
    if not words:
        return EMPTY
    return joined(words if len(words) <= most else [*words[:most], plain("…")])


MOST_DIGITS = 6
"""Largest number of digits after the point; smaller numbers are written with a power of ten."""


def shown(value: float, error: float) -> Message:
    """Value and error with the significant digits of the error."""
    return with_error(value, error, "")


def has_error(error: float) -> bool:
    """Whether an error is known."""
    return math.isfinite(error) and error > 0.0


def with_error(value: float, error: float, unit: str) -> Message:
    """Value and error with the significant digits of the error, and their unit: 12.85° ± 0.43°, 3.2 ± 0.1 mm."""
    if not math.isfinite(value):
        return plain("–")
    if not has_error(error):
        return formatted(value, ".4g", unit)
    digits = max(0, 1 - math.floor(math.log10(error)))
    forms = (".2g", ".1g") if digits > MOST_DIGITS else (f".{digits}f", f".{digits}f")
    of_value = unit if unit == "°" else ""
    return joined((Number(value, of_value, forms[0]), Number(error, unit, forms[1])), " ± ")


def mean_in_words(study: Study, row: Row, unit: str = "") -> Message:
    """Mean and error in shown units; the origin of the error is added unless it is the scatter of runs."""
    value, error = row.value / study.scale, row.error / study.scale
    words = with_error(value, error, unit)
    alone = row.runs == 1 and study.error_of and has_error(error)
    return joined((words, " (", study.error_of, ")"), "") if alone else words


def repeated_in_words(study: Study, row: Row) -> Message:
    """Mean of runs that differ in their seeds only: "12.85° ± 0.43° (mean ± standard error over runs, n = 5)"."""
    if row.runs == 1:
        return mean_in_words(study, row, study.unit)
    return Message(
        "{study} (mean ± standard error over runs, n = {runs})",
        study=mean_in_words(study, row, study.unit),
        runs=row.runs,
    )


def scatter_of(study: Study, rows: Sequence[Row]) -> Message:
    """Kind of the errors of the means."""
    if not study.error_of or all(row.runs > 1 for row in rows):
        return Line.scatter
    single = Message("{error_of} of a single run", error_of=study.error_of)
    return single if all(row.runs == 1 for row in rows) else joined((Line.scatter, " (", single, ")"), "")


def columns(rows: Sequence[Point | Row | Published], x_unit: float, y_unit: float) -> tuple[Floats, Floats, Floats]:
    """Parameter values, results and errors in shown units; an unknown error is 0."""
    x = np.array([row.at for row in rows]) / x_unit
    y = np.array([row.value for row in rows]) / y_unit
    return x, y, np.nan_to_num(np.array([row.error for row in rows])) / y_unit


def _table(
    study: Study, varied: Parameter, rows: Sequence[Row], looked_at: Sequence[float]
) -> tuple[tuple[Message, ...], ...]:
    """Head and one row per value with our and the published results, errors as in the plot."""
    quantity, ours = varied.quantity, {row.at: row for row in rows}
    theirs = {row.at: row for row in study.published}
    head = [
        label_of(EMPTY, quantity.symbol or quantity.label, quantity.unit),
        _("runs"),
        label_of(EMPTY, study.symbol, study.unit),
    ]
    lines = []
    for at in sorted({*ours, *theirs, *looked_at}):
        row = ours.get(at)
        words = mean_in_words(study, row) if row else plain("–")
        line = [plain(f"{at / quantity.scale:.4g}"), plain(row.runs if row else 0), words]
        if theirs:
            other = theirs.get(at)
            line.append(shown(other.value / study.scale, other.error / study.scale) if other else plain("–"))
        lines.append(tuple(line))
    return (tuple([*head, _("published")] if theirs else head), *lines) if lines else ()
