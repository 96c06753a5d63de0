"""A study as data: one scene, what all runs share, what varies over which values, seeds, measured quantities.

A module of `repose.sim.study.studies`, or of a plug-in, that offers `STUDY` adds a study that `repose study NAME` does;
a TOML file describes one without code (repose.sim.study.plan_file), and `repose sweep` one on the command line.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.experiment.comparison import Published, ResultNumber
from repose.sim.instruments.instrument import Instrument
from repose.sim.io import presets
from repose.sim.io.json_text import json_text
from repose.sim.io.schema import refused
from repose.sim.message import Message, _, plural
from repose.sim.parameters import Parameter, ParameterError, Quantity, Value, checked_seed, require_known
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Beside, StoredStage, Task

MOST_RUNS = 10_000

DIGEST_DIGITS = 10
"""Hexadecimal digits at the end of the name of a run's file: equal for equal scene, seed and parameters."""


@dataclass(frozen=True)
class Case:
    """One of several sets of values that are compared, such as two contact laws with their stiffnesses."""

    name: str
    """Name in results and statements, and of its line in the figure."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """SI, by name; numbers and choices."""
    preset: str = ""
    """Preset with further values; those of the case have precedence."""


@dataclass(frozen=True)
class Reference:
    """A curve or a table to draw beside the results."""

    label: str
    """Empty for "published"."""
    law: Callable[[Floats], Floats] | None = None
    """Quantity [SI] as a function of the parameter on the abscissa [SI]."""
    points: tuple[Published, ...] = ()
    """Published values, SI."""
    scatter: str = "standard error"
    """Kind of the errors of the published values."""


@dataclass(frozen=True)
class StatementVerdict:
    """The verdict of our runs on a statement."""

    ours: str
    """Our number with its error, in words."""
    agrees: bool | None
    """Whether our number agrees with the statement; None if the runs cannot decide."""
    why: str = ""


@dataclass(frozen=True)
class Statement:
    """A statement of a publication, and the function that compares it with the runs."""

    words: str
    theirs: str
    """The published number, in words; empty if there is none."""
    judge: Callable[[Any], StatementVerdict]
    """judge(outcome of the study) (repose.sim.study.outcome)."""


@dataclass(frozen=True)
class StudyRun:
    """One run of a study."""

    case: Case
    varied: Mapping[str, Value]
    """Values of the grid, by name, SI."""
    seed: int
    task: Task


Law = Callable[[Sequence[Any], tuple[float, float]], Any]


@dataclass(frozen=True)
class StudyPlan:
    """The runs of a study, its measured quantities and the figure.

    The runs are all combinations of the values in `grid`, for every case, with every seed.
    """

    name: str
    title: Message | str
    scene: str
    about: str = ""
    """One sentence: the subject of the study and its source."""
    preset: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    """Values of all runs, SI."""
    grid: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """Values by parameter, SI; the first parameter is on the abscissa, every combination of the others is a line."""
    cases: tuple[Case, ...] = (Case(""),)
    seeds: tuple[int, ...] = (1, 2, 3)
    error: float = 0.0
    """Wanted standard error of the first quantity, in its unit; seeds are added until it is reached. 0: none."""
    most_seeds: int = 30
    measured: tuple[str, ...] = ()
    """Quantities by name (repose.sim.study.quantities); those of the scene if empty. The first one is drawn."""
    shown_as: Mapping[str, Quantity] = field(default_factory=dict)
    """How parameters are shown whose numbers in figure and table are not those of the panel, by name: a force in units
    of the weight of a grain, for example."""
    numbers: Mapping[str, ResultNumber] = field(default_factory=dict)
    """How numbers are shown that `beside` adds to the results, by the last part of their names."""
    counts: Callable[[Mapping[str, Any]], bool] | None = None
    """counts(result) -> whether the first quantity of a result is meant by the study; None if it always is. A heap that
    has not fallen, for example, has no angle of repose."""
    drawn_count: int = 1
    """Number of the first quantities, all of one unit, that are drawn in the figure."""
    references: tuple[Reference, ...] = ()
    laws: Law | None = None
    """Law fitted to the points of each line; None for the law of the scene, if any."""
    figure: str = "comparison"
    """"comparison", "stages", "profiles" or "avalanches"."""
    stages: tuple[StoredStage, ...] = ()
    """Panels of the figure "stages"."""
    beside: Beside | None = None
    """Function of a module that computes further entries of each result, such as those of another program."""
    package: str = ""
    """Python package that the runs need, which is also the name of the optional extra of Repose that installs it."""
    statements: tuple[Statement, ...] = ()
    altered: tuple[str, ...] = ()
    """Changes on the command line, in words: the statements do not apply to changed runs."""
    parts: tuple[str, ...] = ()
    """Names of the studies of which this study consists; such a study has no runs of its own."""

    @property
    def over(self) -> str:
        """Name of the parameter on the abscissa."""
        return next(iter(self.grid), "")

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the varied parameters that are not on the abscissa."""
        return tuple(self.grid)[1:]

    @cached_property
    def declared(self) -> dict[str, Parameter]:
        """Every parameter of the runs by name, those of all laws that the cases choose."""
        entries: dict[str, Parameter] = {}
        for case in self.cases:
            for combination in self.combinations():
                entries = scenes()[self.scene].parameters.chosen(self.values_of(case, combination)).declared() | entries
        own = {name: replace(entries[name], quantity=quantity) for name, quantity in self.shown_as.items()}
        return entries | own

    def combinations(self) -> tuple[dict[str, Value], ...]:
        """Every combination of the values in the grid, the last parameter varying fastest."""
        return tuple(dict(zip(self.grid, values)) for values in itertools.product(*self.grid.values()))

    def values_of(self, case: Case, varied: Mapping[str, Value]) -> dict[str, Value]:
        """The values of a run that replace defaults of the scene."""
        entries: dict[str, Value] = {}
        for name in (name for name in (self.preset, case.preset) if name):
            preset = presets.load(name)
            if preset.scene != self.scene:
                raise ParameterError(
                    Message(
                        "Preset '{preset}' is for the scene '{own}', not '{scene}'.",
                        preset=name,
                        own=preset.scene,
                        scene=self.scene,
                    )
                )
            entries |= preset.values
        return {**entries, **self.values, **case.values, **varied}

    def instruments_of(self, case: Case) -> tuple[Instrument, ...]:
        """The instruments of the preset of the case, otherwise of the plan."""
        placed = (presets.load(name).instruments for name in (case.preset, self.preset) if name)
        return next(filter(None, placed), ())

    def runs(self, folder: Path, seeds: Sequence[int] | None = None, threads: int | None = 1) -> tuple[StudyRun, ...]:
        """All runs, ordered by seed first: a study stopped half-way has results for all values."""
        entries = []
        for seed in self.seeds if seeds is None else seeds:
            for case in self.cases:
                entries += [self.run(folder, case, varied, seed, threads) for varied in self.combinations()]
        return tuple(entries)

    def run(
        self, folder: Path, case: Case, varied: Mapping[str, Value], seed: int, threads: int | None = 1
    ) -> StudyRun:
        """One run, with the file in `folder` that its result goes to."""
        values = self.values_of(case, varied)
        words = [*([case.name] if case.name else []), *(f"{name} {number(at)}" for name, at in varied.items())]
        name = ", ".join([*words, f"seed {seed}"])
        checked = scenes()[self.scene].parameters.checked(values).as_given()
        facts = {"scene": self.scene, "seed": seed, "parameters": dict(sorted(checked.items()))}
        facts["s"] = bool(self.stages)
        instruments = self.instruments_of(case)
        if instruments:
            facts["instruments"] = [asdict(instrument) for instrument in instruments]
        text = json_text(facts | ({"beside": self.beside.__qualname__} if self.beside else {}))
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:DIGEST_DIGITS]
        slug = "".join(letter if letter.isalnum() or letter in ".-+" else "-" for letter in name.replace(", ", " "))
        path = folder / f"{slug}-{digest}.json"
        return StudyRun(
            case,
            varied,
            seed,
            Task(self.scene, values, seed, name, path, threads, self.stages, self.beside, instruments),
        )

    def identity(self) -> dict[str, Any]:
        """The data that must be equal to continue a folder: everything except title, seeds and values in the grid."""
        cases = [[case.name, case.preset, dict(case.values)] for case in self.cases]
        return json.loads(  # type: ignore[no-any-return]  # tuples become lists, as in the file that this is compared with
            json.dumps(
                {
                    "study": self.name,
                    "scene": self.scene,
                    "preset": self.preset,
                    "values": dict(self.values),
                    "varied": list(self.grid),
                    "cases": cases,
                    "parts": list(self.parts),
                }
            )
        )

    def check(self) -> StudyPlan:
        """This plan, if all of its runs are possible; raises `ParameterError`."""
        if self.parts:
            return self
        require_known(self.scene, scenes(), _("scene"))
        if self.package and find_spec(self.package) is None:
            raise ParameterError(
                Message(
                    "The study '{study}' needs the package {package}, which is not installed: install "
                    "repose[{package}].",
                    study=self.name,
                    package=self.package,
                )
            )
        parameters = scenes()[self.scene].parameters
        for name, values in self.grid.items():
            if not values:
                raise ParameterError(Message("{name} is to vary over no values: give at least one.", name=name))
            if len(set(values)) < len(values):
                raise ParameterError(Message("{name} has a value twice: leave one out.", name=name))
            if name in self.values:
                raise ParameterError(
                    Message(
                        "{name} is varied, so one value of {name} for all runs has no effect: leave it out.", name=name
                    )
                )
            for case in (case for case in self.cases if name in case.values):
                raise ParameterError(
                    Message(
                        "{name} is varied, so its value in the case '{case}' has no effect: leave it out.",
                        name=name,
                        case=case.name,
                    )
                )
        if not self.cases or len({case.name for case in self.cases}) < len(self.cases):
            raise ParameterError(Message("{study} needs cases with different labels.", study=self.name))
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ParameterError(Message("{study} needs at least one seed, and none twice.", study=self.name))
        for seed in self.seeds:
            checked_seed(seed)
        if self.most_seeds < 1:
            raise refused("most_seeds", self.most_seeds, Message("it must be at least {least}", least=1))
        if len(set(self.measured)) < len(self.measured):
            raise ParameterError(Message("{study} measures a quantity twice: leave one out.", study=self.name))
        count = len(self.cases) * len(self.combinations())
        most = max(len(self.seeds), self.most_seeds if self.error else 0)
        if count * most > MOST_RUNS:
            raise ParameterError(
                plural(
                    "{count} run is refused, {values} × {seeds} (values × seeds): at most {most_runs} runs.",
                    "{count} runs are refused, {values} × {seeds} (values × seeds): at most {most_runs} runs.",
                    count=count * most,
                    values=count,
                    seeds=most,
                    most_runs=MOST_RUNS,
                )
            )
        if not (self.error >= 0.0 and np.isfinite(self.error)):
            raise refused("error", self.error, _("it must be a standard error of at least 0"))
        for case in self.cases:
            for varied in self.combinations():
                made = parameters.checked(self.values_of(case, varied))
                if scenes()[self.scene].study is not None and getattr(made, "gravity", None) == 0.0:
                    raise ParameterError(
                        _(
                            "gravity = 0 m/s² is refused in a study: grains without weight neither flow nor come to "
                            "rest, so that its runs would not end. Choose more than 0."
                        )
                    )
        return self


def number(value: Value) -> str:
    """A value in a name of a run: twelve digits of a number, a word as it is."""
    return f"{value:.12g}" if isinstance(value, float) else str(value)
