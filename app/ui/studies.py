"""Studies from the window: a parameter, a range and seeds, run on free processors while the run in the window goes on.

Each run is written at its end to a folder that is named after the study. The same study continues there, and its
earlier results appear at once. Results of this session are drawn beside the results of the next study. A repetition of
the present experiment is a study with one value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from repose.app.storage.paths import runs_folder
from repose.app.ui.background_runs import BackgroundRuns
from repose.app.ui.preset_library import different
from repose.sim.engine.thread_count import available
from repose.sim.experiment.commands import Command, KeepMeasured
from repose.sim.experiment.comparison import Point, Row, averaged
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Curve
from repose.sim.message import Message, _, joined, plain, plural
from repose.sim.numbers import read_number
from repose.sim.parameters import Parameter, ParameterError, ParameterSet, Value
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import name_of_study, read
from repose.sim.study.runs_on_disk import StudyRuns
from repose.sim.wording import value_text

MOST_VALUES, MOST_SEEDS = 20, 20
KEPT = 4
"""Number of latest earlier studies that are drawn beside the present one."""
REPEATED = 5
"""Number of runs of a repetition."""


@dataclass(frozen=True)
class Result:
    """Results of a study so far."""

    plan: StudyPlan
    curve: Curve
    """Means with error bars, single runs, laws, and the table."""
    points: tuple[Point, ...]
    """What the runs measured, over the parameter that varies."""


@dataclass
class StudyForm:
    """The study that is requested in the window, as typed."""

    over: str = ""
    """Name of the parameter to vary; empty: the parameter of the scene."""
    low: str = ""
    high: str = ""
    """The range as typed, in the shown unit; empty: the range of the scene."""
    count: int = 5
    seeds: int = 3

    def plan(self, scene: str, parameters: ParameterSet) -> StudyPlan:
        """The requested study; raises `ParameterError`."""
        require_study(scene)
        over = self.varied(scene, parameters)
        low, high = self.range_of(over, scene)
        if not low < high:
            raise ParameterError(
                Message(
                    "From {low} to {high} is refused: the range must count up, from a value to a larger one.",
                    low=over.shown(low),
                    high=over.shown(high),
                )
            )
        least, most = over.low, over.high
        if least is None or most is None or not least <= low < high <= most:
            beyond = low if least is not None and low < least else high
            raise ParameterError(
                Message(
                    "{label} = {beyond} is refused: it must be {shown} to {shown2}.",
                    label=over.quantity.label,
                    beyond=over.shown(beyond),
                    shown=over.shown(least or 0),
                    shown2=over.shown(most or 0),
                )
            )
        values = tuple(_rounded(over, value) for value in np.linspace(low, high, self.count))
        if len(set(values)) < 2:
            raise ParameterError(
                plural(
                    "{count} value of {label} is refused: choose 2 to {most_values}.",
                    "{count} values of {label} are refused: choose 2 to {most_values}.",
                    count=self.count,
                    label=over.quantity.label,
                    most_values=MOST_VALUES,
                )
            )
        return plan_of(scene, parameters, over, values, range(1, self.seeds + 1))

    def varied(self, scene: str, parameters: ParameterSet) -> Parameter:
        """The parameter to vary: the chosen one if these parameters have it, else the parameter of the scene."""
        able = candidates(parameters)
        if self.over in able:
            return able[self.over]
        return able[scenes()[scene].study.over]

    def range_of(self, over: Parameter, scene: str) -> tuple[float, float]:
        """Lowest and highest value, SI; raises `ParameterError` for a text that is not a number."""
        low, high = usual_range(over, scene)
        return (
            _typed(over, self.low) if self.low.strip() else low,
            _typed(over, self.high) if self.high.strip() else high,
        )


@dataclass
class Studies:
    """Runs of a study in the background, and the results of this session."""

    send: Callable[[Command], None]
    folder: Callable[[], Path] = lambda: runs_folder() / "studies"
    do: Callable[..., None] = StudyRuns.do
    kept: set[str] = field(default_factory=set)
    """Names of the files whose results are among the runs that the window compares; studies and repetitions share it,
    so that no run counts twice."""
    runs: BackgroundRuns = field(default_factory=lambda: BackgroundRuns("study"))
    results: dict[str, Result] = field(default_factory=dict)
    """Results of this session by `key_of` their plan, the present study last."""

    def start(self, make: Callable[[], StudyPlan]) -> None:
        """Do the study that `make` returns; if it raises `ParameterError`, this is the trouble."""
        self.runs.start(lambda: make().check(), self._run)

    def forget(self) -> None:
        """Remove all results from the plot; their files remain."""
        self.results = {}

    def curve(self) -> Curve | None:
        """The present study beside the earlier ones of this session; None before the first result."""
        results = [*self.results.values()]
        if not results:
            return None
        now = results[-1]
        earlier = [old for old in results[:-1] if _comparable(old.plan, now.plan)][-KEPT:]
        lines = list(now.curve.lines)
        for number, old in enumerate(earlier, 1):  # each group has its own colour and shape in pictures
            words = differences(old.plan, now.plan)
            lines += [
                replace(line, label=words, group=number, source="")
                for line in old.curve.lines
                if line.error is not None
            ]
        return replace(now.curve, lines=tuple(lines))

    def mean(self, plan: StudyPlan) -> Row | None:
        """Mean over the runs of a repetition; None with fewer than two."""
        result = self.results.get(key_of(plan)) if self.results else None
        rows = averaged(result.points) if result is not None else ()
        return rows[0] if rows and rows[0].runs > 1 else None

    def _run(self, plan: StudyPlan) -> None:
        folder = self.folder() / folder_name(plan)
        folder.mkdir(parents=True, exist_ok=True)
        study, under_way = StudyRuns((plan,), folder), self.runs
        missing = study.begin()
        under_way.total = len(study.runs[plan.name])
        under_way.done = before = under_way.total - len(missing)
        self._show(plan, study)

        def on_end(task: Task, result: Mapping[str, Any] | None, lost: str) -> None:
            under_way.done += 1
            if result is None or result["point"] is None:
                reason = lost or _("nothing was measured")
                under_way.trouble = Message("The run {name} has no result: {lost}.", name=task.name, lost=reason)
            self._show(plan, study)

        def on_progress(words: Message, share: float) -> None:
            under_way.show((before + share * len(missing)) / max(under_way.total, 1))

        # One processor is left for the window and its run.
        if missing:
            self.do(study, missing, max(1, available() - 1), on_progress, on_end)

    def _show(self, plan: StudyPlan, runs: StudyRuns) -> None:
        """Draw the results so far, and add them to the runs that the window compares over the parameter of the
        scene."""
        if not runs.results:
            return
        points = {}
        for run in runs.runs[plan.name]:
            result = runs.results.get(run.task.path.name)
            at = float(run.varied[plan.over])
            if result is not None and (point := read(plan.scene, name_of_study(plan.scene), result, at)) is not None:
                points[run.task.path.name] = point
        if plan.over == scenes()[plan.scene].study.over:
            for name in points.keys() - self.kept:
                self.send(KeepMeasured(plan.scene, (points[name],)))
                self.kept.add(name)
        others = {key: result for key, result in self.results.items() if key != key_of(plan)}
        done, total = len(runs.results), len(runs.runs[plan.name])
        so_far = (
            plan.title
            if done == total
            else plural(
                "{title}: {done} of {count} run",
                "{title}: {done} of {count} runs",
                count=total,
                title=plan.title,
                done=done,
            )
        )
        curve = replace(runs.outcome(plan).curve(), heading=plain(so_far))
        self.results = {**others, key_of(plan): Result(plan, curve, tuple(points.values()))}


def require_study(scene: str) -> None:
    """Raise `ParameterError` if the runs of a scene measure nothing that studies compare."""
    if scenes()[scene].study is None:
        title = scenes()[scene].title
        raise ParameterError(
            Message("Runs of the scene {title} measure no quantity that can be compared.", title=title)
        )


def plan_of(
    scene: str, parameters: ParameterSet, over: Parameter, values: tuple[Value, ...], seeds: Sequence[int]
) -> StudyPlan:
    """A study over these values with the present values of the other parameters."""
    return StudyPlan(
        name="window",
        title=plural(
            "{symbol}({symbol2}), {count} seed",
            "{symbol}({symbol2}), {count} seeds",
            symbol=scenes()[scene].study.symbol,
            symbol2=over.quantity.symbol or over.quantity.label,
            count=len(seeds),
        ),
        scene=scene,
        values={name: value for name, value in different(parameters).items() if name != over.name},
        grid={over.name: values},
        seeds=tuple(seeds),
    )


def repetition(scene: str, parameters: ParameterSet, seed: int) -> StudyPlan:
    """The present experiment with `REPEATED` consecutive seeds, the first of which is `seed`: a study with one value of
    the parameter of the scene."""
    require_study(scene)
    over = parameters.in_units()[scenes()[scene].study.over]
    return plan_of(scene, parameters, over, (getattr(parameters, over.name),), range(seed, seed + REPEATED))


def candidates(parameters: ParameterSet) -> dict[str, Parameter]:
    """The parameters that can be varied: numbers with a range, except those that the run can choose itself."""
    return {
        name: entry
        for name, entry in parameters.in_units().items()
        if entry.kind in ("float", "int") and entry.low is not None and not entry.choices
    }


def usual_range(over: Parameter, scene: str) -> tuple[float, float]:
    """The range of the scene's own study, else from half to twice the default."""
    study = scenes()[scene].study
    if study is not None and study.over == over.name and study.usual:
        return min(study.usual), max(study.usual)
    default = float(over.default) if not isinstance(over.default, str) else 0.0
    low, high = float(over.low or 0.0), float(over.high if over.high is not None else 1.0)
    if default == 0.0:
        return low, low + 0.2 * (high - low)
    first, last = sorted((0.5 * default, 2.0 * default))
    return max(first, low), min(last, high)


def folder_name(plan: StudyPlan) -> str:
    """Name of the folder of a study, from scene, parameter, fixed values and version: studies that can share runs have
    the same name."""
    fixed = {"values": dict(sorted(plan.values.items())), "version": _version()}
    return f"{plan.scene}-{plan.over}-{hashlib.sha256(json_text(fixed).encode()).hexdigest()[:8]}"


def key_of(plan: StudyPlan) -> str:
    """Name under which the results of a study are kept; a repetition has one for its value."""
    values = plan.grid[plan.over]
    return f"{folder_name(plan)} {values[0]}" if len(values) == 1 else folder_name(plan)


@cache
def _version() -> str:
    return metadata.version("repose")


def differences(old: StudyPlan, now: StudyPlan) -> Message:
    """The fixed values of an earlier study that differ from the present ones, in words."""
    declared = old.declared
    words = []
    for name in sorted({*old.values, *now.values}):
        before = old.values.get(name, declared[name].default if name in declared else None)
        after = now.values.get(name, declared[name].default if name in declared else None)
        if before != after and name in declared and before is not None:
            quantity = declared[name].quantity
            words.append(joined((quantity.symbol or quantity.label, declared[name].shown(before)), " = "))
    return joined(words) if words else _("earlier study")


def _comparable(old: StudyPlan, now: StudyPlan) -> bool:
    return (old.scene, old.over) == (now.scene, now.over)


def _typed(over: Parameter, text: str) -> float:
    """A number that was typed in the shown unit, SI; raises `ParameterError`."""
    number = read_number(text.strip().removesuffix(over.quantity.unit).replace(",", "."))
    if isinstance(number, str):
        raise ParameterError(
            Message(
                "{label} = {value_text} is refused: type a number.",
                label=over.quantity.label,
                value_text=value_text(text.strip()),
            )
        )
    return float(number) * over.quantity.scale


def _rounded(over: Parameter, value: float) -> Value:
    return round(value) if over.kind == "int" else float(f"{value:.6g}")
