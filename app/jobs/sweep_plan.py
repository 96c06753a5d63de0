"""The request for a sweep, checked before any work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from repose.app.jobs.headless_plan import Job, plan
from repose.sim.engine.thread_count import available
from repose.sim.experiment.comparison import Study, no_laws
from repose.sim.numbers import read_whole
from repose.sim.parameters import Parameter, ParameterError, checked_seed, require_known
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task

MOST_RUNS = 10_000
MOST_PROCESSES = 256


@dataclass(frozen=True)
class Sweep:
    """A checked request for many runs of one scene."""

    job: Job
    """Scene, preset, values and folder that all runs share."""
    study: Study
    varied: Parameter
    """The parameter that is varied."""
    values: tuple[float | str, ...]
    """Values of that parameter, SI, or its choices."""
    seeds: tuple[int, ...]
    processes: int
    threads: int | None
    """Threads of each run; None for automatic."""

    @property
    def places(self) -> tuple[float, ...]:
        """Where each value stands on the abscissa, SI."""
        stand_in = self.study.stand_ins.get(self.varied.name)
        if stand_in is None:
            return tuple(value for value in self.values if not isinstance(value, str))
        checked = scenes()[self.job.scene].parameters.checked
        return tuple(stand_in.value(checked(self.job.values | {self.varied.name: value})) for value in self.values)

    @property
    def abscissa(self) -> Parameter:
        """What stands on the abscissa: the parameter, or a number in place of its choices."""
        stand_in = self.study.stand_ins.get(self.varied.name)
        return self.varied if stand_in is None else replace(self.varied, quantity=stand_in.quantity)

    @property
    def names(self) -> dict[float, str]:
        """The choices by their places."""
        return {at: value for at, value in zip(self.places, self.values) if isinstance(value, str)}

    @property
    def repeats(self) -> bool:
        """Whether all runs have the same parameters."""
        return len(self.values) == 1


def plan_sweep(
    scene: str = "",
    preset: str = "",
    over: str = "",
    seeds: str = "1-3",
    changes: Sequence[str] = (),
    processes: int = 2,
    out: Path | None = None,
    size: str = "1920x1080",
    as_json: bool = False,
    threads: str = "",
) -> Sweep:
    """Check a typed request; raises `ParameterError`."""
    job = plan(scene, preset, changes, out=out, size=size, as_json=as_json, threads=threads)
    study = _study_of(job.scene)
    varied, values = _varied(over, job.scene, study)
    if varied.name != study.over:  # published values and laws are for another parameter
        study = replace(study, over=varied.name, published=(), laws=no_laws)
    if varied.name in job.values and any(change.partition("=")[0].strip() == varied.name for change in changes):
        raise ParameterError(f"{varied.name} is varied, so --set {varied.name} has no effect: leave it out.")
    chosen = _seeds(seeds)
    if len(values) * len(chosen) > MOST_RUNS:
        raise ParameterError(f"{len(values)} values with {len(chosen)} seeds are refused: at most {MOST_RUNS} runs.")
    if not 1 <= processes <= MOST_PROCESSES:
        raise ParameterError(f"--processes {processes} is refused: it must be 1 to {MOST_PROCESSES}.")
    # Runs in parallel use all processors already.
    each = job.threads if threads or processes == 1 else 1
    found = Sweep(job, study, varied, values, chosen, processes, each)
    for value in values:
        scenes()[job.scene].parameters.checked(job.values | {varied.name: value})
    return found


def plan_repeat(job: Job, runs: int) -> Sweep:
    """The same run with `runs` consecutive seeds from that of the job on, as many at a time as there are processors.

    Raises `ParameterError`.
    """
    if not 2 <= runs <= MOST_RUNS:
        raise ParameterError(f"--repeat {runs} is refused: it must be 2 to {MOST_RUNS} runs.")
    alone = {"--video": job.film, "--save": job.save, "--from": job.resumed, "--until": job.until}
    for option in (name for name, value in alone.items() if value is not None):
        raise ParameterError(f"--repeat does {runs} complete runs, and {option} is for a single run: leave it out.")
    if job.ready is not None:
        raise ParameterError(
            "--repeat needs different packings, and the ready-filled container is the same for every seed: "
            "leave --ready out."
        )
    study = _study_of(job.scene)
    checked = scenes()[job.scene].parameters.checked(job.values)
    seeds = tuple(checked_seed(job.seed + number) for number in range(runs))
    processes = min(runs, available())
    varied = checked.declared()[study.over]
    return Sweep(
        job, study, varied, (getattr(checked, study.over),), seeds, processes, job.threads if processes == 1 else 1
    )


def _study_of(scene: str) -> Study:
    """The study of the scene: the quantity by which its runs are compared. Raises `ParameterError`."""
    study: Study | None = scenes()[scene].study
    if study is None:
        able = ", ".join(entry.name for entry in scenes().values() if entry.study)
        raise ParameterError(f"Scene '{scene}' measures no quantity for a comparison of runs; choose one of: {able}.")
    return study


def tasks(sweep: Sweep, folder: Path) -> tuple[Task, ...]:
    """All runs, ordered by seed and then by value, so that a sweep stopped half-way has results for all values."""
    found = []
    for seed in sweep.seeds:
        for value, at in zip(sweep.values, sweep.places, strict=True):
            name = f"{sweep.varied.name} {_number(value)}, seed {seed}"
            values = sweep.job.values | {sweep.varied.name: value}
            path = folder / f"{name.replace(', ', ' ').replace(' ', '-')}.json"
            found.append(Task(sweep.job.scene, values, seed, at, name, path, sweep.threads))
    return tuple(found)


def _varied(over: str, scene: str, study: Study) -> tuple[Parameter, tuple[float | str, ...]]:
    """The parameter and its values, from NAME=VALUE,VALUE,... or the study's own."""
    parameters = scenes()[scene].parameters
    name, equals, text = over.partition("=")
    name = name.strip() or study.over
    words = [word for word in re.split(r"[,\s]+", text) if word]
    if (over and not equals) or (equals and not words):
        raise ParameterError(
            f"--over {over!r} is refused: write it as NAME=VALUE,VALUE,… in SI, for example --over "
            f"{study.over}={','.join(f'{value:g}' for value in study.usual)}."
        )
    require_known(name, parameters.model_fields)
    varied = parameters.declared()[name]
    parsed = [parameters.parse(name, word) for word in words]
    kinds = (str,) if name in study.stand_ins else (int, float)
    chosen = tuple(value for value in parsed if isinstance(value, kinds) and not isinstance(value, bool))
    if len(chosen) < len(parsed):
        able = ", or ".join(["a parameter that is a number", *study.stand_ins])
        raise ParameterError(f"--over {over!r} is refused: only {able} can be varied.")
    values: tuple[float | str, ...] = chosen or study.usual
    if len(set(values)) < len(values):
        raise ParameterError(f"--over {over!r} gives a value twice: leave one out.")
    return varied, values


def _seeds(text: str) -> tuple[int, ...]:
    """Seeds from words such as "1,2,5-8"."""
    found: list[int] = []
    for word in (word for word in re.split(r"[,\s]+", text) if word):
        ends = [read_whole(end) for end in word.split("-")]
        first, last = ends[0], ends[-1]
        if isinstance(first, str) or isinstance(last, str) or len(ends) > 2:
            raise ParameterError(f"--seeds {text!r} is refused: write whole numbers such as 1,2,3 or 1-5.")
        if not 0 <= last - first < MOST_RUNS:
            raise ParameterError(f"--seeds {text!r} is refused: {word} must count up, by less than {MOST_RUNS}.")
        found.extend(range(first, last + 1))
    if not found or len(set(found)) < len(found):
        raise ParameterError(f"--seeds {text!r} is refused: give at least one seed, and none twice.")
    return tuple(checked_seed(seed) for seed in found)


def _number(value: float | str) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)
