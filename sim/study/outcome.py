"""Results of a study: means with errors for every combination of values, fits, the figure, tables.

An error of a mean is the standard error from the scatter of the runs with different seeds; the error of a single run,
such as that of its line fit, does not contain that scatter.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from repose.sim.experiment.comparison import (
    Findings,
    Point,
    Row,
    Study,
    averaged,
    columns,
    mean_in_words,
    no_laws,
    reach_of,
    scatter_of,
    shown,
)
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line, Source
from repose.sim.message import EMPTY, Message, _, in_english, joined, label_of, plain
from repose.sim.parameters import Value
from repose.sim.registry import scenes
from repose.sim.study.plan import Statement, StatementVerdict, StudyPlan, StudyRun
from repose.sim.study.quantities import ShownQuantity, default_names, name_of_study, names_beside, quantity_of, read

SAID = (
    *("seed", "phase", "fault", "complaint", "steps", "simulated_time", "time_step", "largest_overlap"),
    *("largest_overlap_at", "state_hash"),
)
"""Entries of each run's result that are repeated in the result of the study."""


USUAL_ERROR = {"°": 0.5}
"""Standard error for which the table lists the number of seeds where the study names none, by unit."""


PUBLISHED: Source = "published"
OTHER: Source = ""


class Group(NamedTuple):
    """A line of the figure: a case, and values of the parameters that are not on the abscissa."""

    name: str
    """Name in results and statements, and of the line in the figure."""
    case: str
    others: tuple[Value, ...]


class TableRow(NamedTuple):
    """All runs that differ in their seeds only."""

    group: Group
    at: Value
    """Value on the abscissa, SI; an empty text where nothing varies."""
    lost: int
    """Number of runs without the first quantity."""
    means: Mapping[str, Row]
    """Means by quantity, SI, without quantities that no run has measured."""


@dataclass
class StudyOutcome:
    """The results of the runs of a study so far."""

    plan: StudyPlan
    runs: Sequence[StudyRun]
    """All requested runs, also those without a result."""
    results: Mapping[str, Mapping[str, Any]]
    """Content of the result of each run that has one, by the name of its file."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Why a run has no result, by the name of its file."""

    @cached_property
    def quantities(self) -> tuple[ShownQuantity, ...]:
        """The measured quantities, in the order of the plan."""
        names = self.plan.measured or default_names(self.plan.scene, self.results)
        return tuple(quantity_of(self.plan.scene, name, self.plan.numbers) for name in names)

    @property
    def drawn(self) -> ShownQuantity:
        """The first quantity."""
        return self.quantities[0]

    @property
    def wanted_error(self) -> float:
        """Standard error of the first quantity for which the table lists the number of seeds, in its unit; 0: none."""
        return self.plan.error or USUAL_ERROR.get(self.drawn.unit, 0.0)

    def seeds_for(self, row: Row | None) -> int | None:
        """Number of seeds that give the wanted standard error, (s / error)²; None if the scatter s is unknown."""
        if row is None or not self.wanted_error or not math.isfinite(row.between):
            return None
        return max(2, math.ceil((row.between / self.drawn.scale / self.wanted_error) ** 2 - 1e-9))

    @cached_property
    def study(self) -> Study:
        """How the first quantity is compared over the parameter on the abscissa."""
        own: Study | None = scenes()[self.plan.scene].study
        if own is not None and self.drawn.name == name_of_study(self.plan.scene):
            if self.plan.over == own.over and self.plan.laws is None:
                return own
            # Published values and laws of the scene are for another parameter.
            return replace(own, over=self.plan.over, published=(), laws=self.plan.laws or no_laws)
        return replace(self.like(self.drawn), laws=self.plan.laws or no_laws)

    @cached_property
    def places(self) -> Mapping[Value, float]:
        """Position on the abscissa of each value of the first parameter: a number itself, choices counted from 0."""
        values = self.plan.grid.get(self.plan.over, ("",))
        return {
            value: float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float(index)
            for index, value in enumerate(values)
        }

    def group_of(self, run: StudyRun) -> Group:
        """The line of the figure for a run."""
        declared = self.plan.declared
        others = tuple(run.varied[name] for name in self.plan.others)
        words = [run.case.name] if run.case.name else []
        for name, value in zip(self.plan.others, others):
            quantity = declared[name].quantity
            joint = " = " if quantity.symbol else ": "
            words.append(f"{quantity.symbol or quantity.label}{joint}{declared[name].shown(value)}")
        return Group(", ".join(words), run.case.name, others)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All lines of the figure, in the order of the plan."""
        return tuple(dict.fromkeys(self.group_of(run) for run in self.runs))

    def points(self, group: Group, name: str = "") -> list[Point]:
        """Results of the runs of a line, SI: of the quantity `name`, by default the first quantity."""
        entries, counts = [], self.plan.counts if name in ("", self.drawn.name) else None
        for run in self.runs:
            result = self.results.get(run.task.path.name)
            if result is not None and self.group_of(run) == group and (counts is None or counts(result)):
                at = self.places[run.varied.get(self.plan.over, "")]
                point = read(self.plan.scene, name or self.drawn.name, result, at)
                entries += [] if point is None else [point]
        return entries

    def rows(self, group: Group, name: str = "") -> tuple[Row, ...]:
        """Means of a line, ascending, SI."""
        return averaged(self.points(group, name))

    def group(self, label: str) -> Group:
        """The line with that label."""
        return next(group for group in self.groups if group.name == label)

    @cached_property
    def table(self) -> tuple[TableRow, ...]:
        """One row per combination of values, in the order of the plan."""
        means = {
            (group, quantity.name, row.at): row
            for group in self.groups
            for quantity in self.quantities
            for row in self.rows(group, quantity.name)
        }
        asked: dict[tuple[Group, Value], int] = {}
        for run in self.runs:
            key = self.group_of(run), run.varied.get(self.plan.over, "")
            asked[key] = asked.get(key, 0) + (run.task.path.name in self.results or run.task.path.name in self.lost)
        entries = []
        for (group, at), count in asked.items():
            position = self.places[at]
            own = {
                q.name: means[group, q.name, position] for q in self.quantities if (group, q.name, position) in means
            }
            drawn = own.get(self.drawn.name)
            entries.append(TableRow(group, at, count - (drawn.runs if drawn else 0), own))
        return tuple(entries)

    def findings(self, group: Group) -> Findings:
        """Laws fitted to the points of a line, SI."""
        return self.study.laws(self.points(group), self.reach)

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Range of the abscissa for laws, SI: the range of the plan, which does not change as runs end."""
        return reach_of(self.study, [*self.places.values()])

    def curve(self) -> Curve:
        """Means with errors, single runs, published values and laws as a plot with its table, in shown units."""
        plan, study = self.plan, self.study
        x_unit = self._x_unit
        drawn = self.quantities[: plan.drawn_count]
        series = [(quantity, group) for quantity in drawn for group in self.groups]
        several = len(series) > 1
        source: Source = "" if several else "own"
        lines: list[Line] = []
        for number, (quantity, group) in enumerate(series):
            rows, points = self.rows(group, quantity.name), self.points(group, quantity.name)
            how = study if quantity == self.drawn else self.like(quantity)
            if any(row.runs > 1 for row in rows):
                at, value, __ = columns(points, x_unit, how.scale)
                label = EMPTY if several else _("single runs")
                lines.append(Line(label, at, value, points=True, group=number, single=True, source=source))
            if rows:
                x, y, error = columns(rows, x_unit, how.scale)
                words = [label_of(quantity.label, quantity.symbol)] if len(drawn) > 1 else []
                label = joined([*words, *([group.name] if group.name else [])]) if several else _("mean")
                scatter = scatter_of(how, rows)
                lines.append(Line(label, x, y, points=True, error=error, scatter=scatter, group=number, source=source))
        lines += self._published(x_unit, len(series))
        lines += self._laws(x_unit)
        numeric = self._numeric
        varied = plan.declared[plan.over].quantity if plan.over else None
        whole = label_of(study.quantity, study.symbol)
        if len(drawn) > 1:
            whole = _("angle") if study.unit == "°" else joined([quantity.label for quantity in drawn])
        return Curve(
            name=COMPARISON,
            title=plain(plan.title),
            x=Axis(label_of(varied.label, varied.symbol), varied.unit if numeric else "") if varied else Axis(EMPTY),
            y=Axis(whole, study.unit),
            lines=tuple(lines),
            heading=plain(plan.title),
            table=self.words(),
            ticks=() if numeric else tuple(plain(str(value)) for value in self.places),
        )

    def curves(self) -> tuple[Curve, ...]:
        """`curve`, followed by plots of quantities reported beside the first one, such as the grains left."""
        below = [quantity for quantity in self.quantities[1:] if quantity.name in names_beside(self.plan.scene)]
        return (
            self.curve(),
            *(self._curve_of(quantity, f"beside_{index}") for index, quantity in enumerate(below, 1)),
        )

    def _curve_of(self, quantity: ShownQuantity, name: str) -> Curve:
        """Means of another quantity with errors."""
        study, lines, several = self.like(quantity), list[Line](), len(self.groups) > 1
        source: Source = "" if several else "own"
        for number, group in enumerate(self.groups):
            rows = self.rows(group, quantity.name)
            if rows:
                x, y, error = columns(rows, self._x_unit, study.scale)
                label, scatter = plain(group.name) if several else _("mean"), scatter_of(study, rows)
                bars = error if any(row.runs > 1 for row in rows) else None  # a count of one run has no error
                lines.append(Line(label, x, y, points=True, error=bars, scatter=scatter, group=number, source=source))
        axis = Axis(label_of(study.quantity, study.symbol), study.unit)
        return replace(self.curve(), name=name, y=axis, lines=tuple(lines), table=())

    def _published(self, x_unit: float, own: int) -> list[Line]:
        """Published values and those of other studies, whose colours and markers follow those of our `own` lines."""
        study = self.study
        tables = [(_("published"), study.published, study.scatter, PUBLISHED)] if study.published else []
        tables += [
            (
                plain(entry.label) if entry.label else _("published"),
                entry.points,
                plain(entry.scatter),
                OTHER if entry.label else PUBLISHED,
            )
            for entry in self.plan.references
            if entry.points
        ]
        return [
            Line(label, x, y, points=True, error=error, scatter=scatter, group=number, source=source)
            for number, (label, rows, scatter, source) in enumerate(tables, own)
            for x, y, error in [columns(rows, x_unit, study.scale)]
        ]

    def _laws(self, x_unit: float) -> list[Line]:
        """Fitted laws of every line, other laws once."""
        lines: list[Line] = []
        known: set[str] = set()
        several = len(self.groups) > 1
        for number, group in enumerate(self.groups):
            for law in self.findings(group).lines:
                label = joined((group.name, law.label), ": ") if several and law.fitted else law.label
                if str(label) not in known:
                    x, y = law.x / x_unit, law.y / self.study.scale
                    lines.append(Line(label, x, y, fitted=law.fitted, group=number))
                known.add(str(label))
        x = np.linspace(*self.reach, 120)
        for entry in self.plan.references:
            if entry.law is not None and entry.label not in known:
                lines.append(Line(plain(entry.label), x / x_unit, entry.law(x) / self.study.scale))
        return lines

    @property
    def _numeric(self) -> bool:
        return all(isinstance(at, int | float) and not isinstance(at, bool) for at in self.places)

    @property
    def _x_unit(self) -> float:
        return self.plan.declared[self.plan.over].quantity.scale if self.plan.over and self._numeric else 1.0

    def words(self) -> tuple[tuple[Message, ...], ...]:
        """Head and rows of the table: values varied, number of runs, every quantity with its error."""
        plan, declared = self.plan, self.plan.declared
        cased = any(case.name for case in plan.cases)
        published = {row.at: row for row in self.study.published}
        head = ([_("case")] if cased else []) + [
            label_of(
                EMPTY, declared[name].quantity.symbol or declared[name].quantity.label, declared[name].quantity.unit
            )
            for name in plan.grid
        ]
        head += [_("runs")] + [
            label_of(EMPTY, quantity.symbol or quantity.label, quantity.unit) for quantity in self.quantities
        ]
        needed = any(self.seeds_for(row.means.get(self.drawn.name)) for row in self.table)
        head += [plain(f"seeds for ± {self.wanted_error:g}{self.drawn.unit}")] if needed else []
        lines = []
        for row in self.table:
            line = [plain(row.group.case)] if cased else []
            for name, value in zip(plan.grid, (row.at, *row.group.others)):
                line.append(plain(_bare(value, declared[name].quantity.scale)))
            drawn = row.means.get(self.drawn.name)
            line.append(plain(drawn.runs if drawn else 0))
            for quantity in self.quantities:
                mean = row.means.get(quantity.name)
                how = self.study if quantity == self.drawn else self.like(quantity)
                line.append(mean_in_words(how, mean) if mean else plain("–"))
            if needed:
                line.append(plain(self.seeds_for(drawn) or "–"))
            if published:
                other = published.get(self.places[row.at])
                line.append(
                    shown(other.value / self.study.scale, other.error / self.study.scale) if other else plain("–")
                )
            lines.append(tuple(line))
        return (tuple([*head, _("published")] if published else head), *lines)

    def verdicts(self) -> list[tuple[Statement, StatementVerdict]]:
        """The statements of the study with the verdicts of our runs."""
        return [(statement, statement.judge(self)) for statement in self.plan.statements]

    def like(self, quantity: ShownQuantity) -> Study:
        """How a quantity is shown."""
        return Study(
            quantity.name,
            quantity.label,
            quantity.symbol,
            quantity.unit,
            quantity.scale,
            self.plan.over,
            (),
            lambda experiment: None,
            quantity.error_of,
        )

    def report(self) -> dict[str, Any]:
        """The content of result.json: quantities in their shown units, parameters in SI, texts in English."""
        plan = self.plan
        own = self.drawn
        entries = {
            "study": plan.name,
            "title": str(plan.title),
            "scene": plan.scene,
            "preset": plan.preset or None,
            "over": plan.over or None,
            "varied": {name: list(values) for name, values in plan.grid.items()},
            "quantity": own.label,
            "units": {quantity.name: quantity.unit for quantity in self.quantities},
            "parameters": self._shared(),
            "wanted_error": self.wanted_error or None,
            "changed": list(plan.altered),
            "table": [self._table_entry(row) for row in self.table],
            "published": [
                {"at": row.at, "value": row.value / own.scale, "error": row.error / own.scale}
                for row in self.study.published
            ],
            "fits": {group.name or "all": self.findings(group).numbers for group in self.groups},
            "statements": [
                {"statement": statement.words, "published": statement.theirs, **verdict.__dict__}
                for statement, verdict in self.verdicts()
            ],
            "runs": [self._run_entry(run) for run in self.runs if run.task.path.name in self.results],
            "lost": {
                run.task.name: self.lost[run.task.path.name] for run in self.runs if run.task.path.name in self.lost
            },
        }
        return cast(dict[str, Any], in_english(entries))

    def _shared(self) -> dict[str, Value]:
        """Parameters that all runs have in common, SI."""
        parameters = scenes()[self.plan.scene].parameters
        sets = [parameters.checked(run.task.values).as_given() for run in {r.case.name: r for r in self.runs}.values()]
        first = sets[0] if sets else {}
        return {
            name: value
            for name, value in first.items()
            if name not in self.plan.grid and all(other.get(name) == value for other in sets)
        }

    def _table_entry(self, row: TableRow) -> dict[str, Any]:
        entry: dict[str, Any] = {"case": row.group.case} if row.group.case else {}
        entry |= dict(zip(self.plan.grid, (row.at, *row.group.others)))
        drawn = row.means.get(self.drawn.name)
        entry |= {"runs": drawn.runs if drawn else 0, "without_result": row.lost}
        entry["seeds_for_wanted_error"] = self.seeds_for(drawn)
        return entry | {
            quantity.name: _in_units(quantity, row.means.get(quantity.name)) for quantity in self.quantities
        }

    def _run_entry(self, run: StudyRun) -> dict[str, Any]:
        result = self.results[run.task.path.name]
        entry: dict[str, Any] = {"case": run.case.name} if run.case.name else {}
        entry |= dict(run.varied)
        for quantity in self.quantities:
            point = read(self.plan.scene, quantity.name, result, 0.0)
            entry[quantity.name] = None if point is None else point.value / quantity.scale
            if quantity == self.drawn:
                entry[f"error_of_{quantity.error_name}"] = None if point is None else point.error / quantity.scale
        return entry | {"file": run.task.path.name} | {name: result[name] for name in SAID if name in result}

    def csv(self) -> str:
        """The table as CSV: units in the head, full precision."""
        plan, declared = self.plan, self.plan.declared
        cased = any(case.name for case in plan.cases)
        text = io.StringIO(newline="")
        text.write(f"# {plan.title}\n")
        table = csv.writer(text, lineterminator="\n")
        head = ["case"] if cased else []
        head += [str(label_of(plain(name), "", declared[name].quantity.unit)) for name in plan.grid]
        head += ["runs", "runs without result"]
        for quantity in self.quantities:
            head += [
                str(label_of(joined((what, quantity.label), ""), "", quantity.unit))
                for what in ("", "standard error of ", "standard deviation of ")
            ]
        table.writerow(head)
        for row in self.table:
            line: list[str] = [row.group.case] if cased else []
            for name, value in zip(plan.grid, (row.at, *row.group.others)):
                line.append(_bare(value, declared[name].quantity.scale, digits=12))
            drawn = row.means.get(self.drawn.name)
            line += [str(drawn.runs if drawn else 0), str(row.lost)]
            for quantity in self.quantities:
                mean = row.means.get(quantity.name)
                numbers = (mean.value, mean.error, mean.between) if mean else (math.nan,) * 3
                line += [repr(value / quantity.scale) if math.isfinite(value) else "" for value in numbers]
            table.writerow(line)
        return text.getvalue()


def _in_units(quantity: ShownQuantity, row: Row | None) -> dict[str, Any] | None:
    """Mean, standard error and standard deviation of the runs in the shown unit."""
    if row is None:
        return None
    value, error, between = (number / quantity.scale for number in (row.value, row.error, row.between))
    return {"mean": value, "standard_error": error, "standard_deviation": between}


def _bare(value: Value, scale: float, digits: int = 6) -> str:
    """A value in its shown unit, without the unit."""
    if isinstance(value, bool | str):
        return str(value)
    return str(value) if isinstance(value, int) else f"{value / scale:.{digits}g}"
