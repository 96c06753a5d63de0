"""The request for a study, a sweep or a repetition, checked before any work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from repose.app.jobs.film_plan import parsed_size
from repose.app.jobs.headless_plan import Job, plan
from repose.app.thread_option import asked_threads
from repose.sim import registry
from repose.sim.engine.thread_count import available
from repose.sim.io import presets
from repose.sim.numbers import read_number, read_whole
from repose.sim.parameters import ParameterError, ParameterSet, Value, checked_seed, require_known
from repose.sim.registry import scenes
from repose.sim.study.other_results import references_in
from repose.sim.study.plan import MOST_RUNS, Case, StudyPlan
from repose.sim.study.plan_file import read_plan
from repose.sim.study.quantities import default_names
from repose.sim.wording import value_text

MOST_WORKERS = 256
PRESET = "preset"
"""Name under which presets are varied like the values of a parameter."""


@dataclass(frozen=True)
class StudyRequest:
    """A checked request for the runs of one or more studies."""

    plans: tuple[StudyPlan, ...]
    """Studies with runs, in the order of the report."""
    name: str
    """Part of the name of a new folder."""
    workers: int
    """Runs at the same time."""
    threads: int | None
    """Threads of each run; None for automatic."""
    out: Path | None
    """Folder for the results; None for a new one in the current folder."""
    resume: bool
    """Whether to continue the study that the folder contains in part."""
    picture: bool
    size: tuple[int, int]
    """Size of the pictures [pixel]."""
    as_json: bool
    dask: str = ""
    """Address of the scheduler of Dask whose workers do the runs; empty for processes of this machine."""
    whole: StudyPlan | None = None
    """The study that consists of the plans, of which a report is written."""


def plan_study(
    name: str,
    seeds: str = "",
    workers: int | None = None,
    out: Path | None = None,
    resume: bool = False,
    changes: Sequence[str] = (),
    error: float | None = None,
    threads: str = "",
    size: str = "1920x1080",
    as_json: bool = False,
    picture: bool = True,
    dask: str | None = None,
    beside: Sequence[Path] = (),
) -> StudyRequest:
    """Check a typed request for a named study or one in a TOML file; raises `ParameterError`."""
    whole = study_of(name)
    plans = tuple(registry.studies()[part] for part in whole.parts) if whole.parts else (whole,)
    plans = tuple(_adapted(part, seeds, error, changes, alone=not whole.parts).check() for part in plans)
    _require_used(changes, plans)
    plans = tuple(beside_others(part, beside) for part in plans)
    if resume and out is None:
        raise ParameterError("--resume continues the study in a folder: name the folder with --out.")
    count = available() if workers is None else workers
    _require_workers("--workers", count)
    return StudyRequest(
        plans=plans,
        name=f"study-{whole.name}",
        workers=count,
        threads=_threads(asked_threads(threads), threads, count),
        out=out,
        resume=resume,
        picture=picture,
        size=parsed_size(size),
        as_json=as_json,
        dask=_scheduler(dask),
        whole=whole if whole.parts else None,
    )


def study_rows() -> list[tuple[str, str, str]]:
    """Name, title and description of every study; of a file that cannot be used, why."""
    rows = [(plan.name, str(plan.title), plan.about) for plan in registry.studies().values()]
    for name, path in presets.plugin_files("study").items():
        try:
            plan = read_plan(path)
        except ParameterError as error:
            rows.append((name, "", f"cannot be used: {error}"))
        else:
            rows.append((name, str(plan.title), plan.about))
    return rows


def study_of(name: str) -> StudyPlan:
    """The study of that name, of the program or of a plug-in, or in that TOML file; raises `ParameterError`."""
    if (path := presets.named_file(name, "study", tuple(registry.studies()))) is not None:
        return read_plan(path)
    found: StudyPlan = registry.studies()[name]
    return found


def plan_sweep(
    scene: str = "",
    preset: str = "",
    over: Sequence[str] = (),
    seeds: str = "1-3",
    changes: Sequence[str] = (),
    processes: int = 2,
    out: Path | None = None,
    size: str = "1920x1080",
    as_json: bool = False,
    threads: str = "",
    error: float | None = None,
    beside: Sequence[Path] = (),
    dask: str | None = None,
) -> StudyRequest:
    """Check a typed request for a study described on the command line; raises `ParameterError`."""
    job = plan(scene, preset, changes, out=out, size=size, as_json=as_json, threads=threads)
    default_names(job.scene, {})
    study = scenes()[job.scene].study
    grid: dict[str, tuple[Value, ...]] = {} if over else {study.over: study.usual}
    cases: tuple[Case, ...] = (Case(""),)
    for text in over:
        name, looked_at = _varied(text, job.scene, study.over, study.usual)
        if name in grid or (name == PRESET and cases[0].name):
            raise ParameterError(f"--over gives {name} twice: leave one out.")
        if len(looked_at) < 2:
            raise ParameterError(
                f"--over {value_text(text)} gives one value, and a sweep compares at least two: add one, or repeat a "
                "single run with repose run --repeat."
            )
        if name == PRESET:
            cases = tuple(Case(str(value), preset=str(value)) for value in looked_at)
        else:
            grid[name] = looked_at
    typed = {change.partition("=")[0].strip() for change in changes}
    values = {name: value for name, value in job.values.items() if name not in grid or name in typed}
    _require_workers("--processes", processes)
    title = scenes()[job.scene].title
    if len(cases) == 1 and grid:
        label = scenes()[job.scene].parameters.declared()[next(iter(grid))].quantity.label
        title += f": {study.quantity} over {label}"
    made = StudyPlan(
        name="sweep",
        title=title,
        scene=job.scene,
        values=values,
        grid=grid,
        cases=cases,
        seeds=_seeds(seeds),
        error=_wanted_error(error),
    ).check()
    made = beside_others(made, beside)
    each = _threads(job.threads, threads, processes)
    return StudyRequest(
        (made,),
        f"sweep-{job.scene}",
        processes,
        each,
        out,
        True,
        job.picture,
        job.size,
        as_json,
        dask=_scheduler(dask),
    )


def plan_repeat(job: Job, runs: int) -> StudyRequest:
    """The same run with `runs` consecutive seeds, beginning with the seed of the job; one run per processor at a time.

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
    default_names(job.scene, {})
    study = scenes()[job.scene].study
    value = getattr(scenes()[job.scene].parameters.checked(job.values), study.over)
    made = StudyPlan(
        name="repeat",
        title=f"{scenes()[job.scene].title}: {study.quantity} of {runs} runs",
        scene=job.scene,
        values={name: own for name, own in job.values.items() if name != study.over},
        grid={study.over: (value,)},
        seeds=tuple(checked_seed(job.seed + number) for number in range(runs)),
    ).check()
    workers = min(runs, available())
    threads = job.threads if workers == 1 else 1
    return StudyRequest(
        (made,), f"repeat-{job.scene}", workers, threads, job.out, True, job.picture, job.size, job.as_json
    )


def beside_others(plan: StudyPlan, folders: Sequence[Path]) -> StudyPlan:
    """The study with references to the results in these folders, which are drawn beside its own results.

    Raises `ParameterError`.
    """
    found = tuple(reference for folder in folders for reference in references_in(folder, plan))
    return replace(plan, references=(*plan.references, *found))


def _adapted(part: StudyPlan, seeds: str, error: float | None, changes: Sequence[str], alone: bool) -> StudyPlan:
    """The study with the seeds, the wanted error and the values that were typed."""
    typed = _parsed(changes, part)
    varied = {*part.grid, *(name for case in part.cases for name in case.values)}
    if alone:
        for name in (name for name in typed if name in varied):
            raise ParameterError(f"{part.name} varies {name}, so --set {name} has no effect: leave it out.")
    kept = {name: value for name, value in typed.items() if name not in varied}
    if part.statements:
        declared = part.declared
        words = (f"{declared[name].quantity.label} = {declared[name].shown(value)}" for name, value in kept.items())
        part = replace(part, altered=tuple(words))
    part = replace(part, values={**part.values, **kept})
    if error is not None:
        part = replace(part, error=_wanted_error(error))
    return replace(part, seeds=_number_of_seeds(seeds)) if seeds else part


def _wanted_error(error: float | None) -> float:
    """The standard error that was typed; 0 if none was typed."""
    if error == 0.0:
        raise ParameterError(
            "--error 0 is refused: no number of seeds gives a mean without an error. Give a standard error above 0, or "
            "leave --error out."
        )
    return error or 0.0


def _scheduler(address: str | None) -> str:
    """The address of the scheduler of Dask that was typed; empty if none was typed."""
    if address is not None and not address.strip():
        raise ParameterError(
            "--dask '' is refused: give the address of a scheduler, such as tcp://host:8786, or leave --dask out to do "
            "the runs on this machine."
        )
    return (address or "").strip()


def _require_used(changes: Sequence[str], plans: Sequence[StudyPlan]) -> None:
    """Raise `ParameterError` if every study varies a parameter that was set."""
    for name in (change.partition("=")[0].strip() for change in changes):
        if not any(name in part.values for part in plans):
            raise ParameterError(f"All of these studies vary {name}, so --set {name} has no effect: leave it out.")


def _parsed(changes: Sequence[str], part: StudyPlan) -> dict[str, Value]:
    """The values of `--set name=value`, SI."""
    parameters: type[ParameterSet] = scenes()[part.scene].parameters
    values: dict[str, Value] = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not text.strip():
            raise ParameterError(
                f"--set {value_text(change)} is refused: write it as NAME=VALUE, for example friction=0.2."
            )
        values[name.strip()] = parameters.parse(name.strip(), text)
    return values


def _threads(threads: int | None, typed: str, workers: int) -> int | None:
    """Threads of each run: 1 if none were asked for, because runs in parallel use all processors already."""
    return threads if typed or workers == 1 else 1


def _require_workers(option: str, count: int) -> None:
    if not 1 <= count <= MOST_WORKERS:
        raise ParameterError(f"{option} {count} is refused: it must be 1 to {MOST_WORKERS}.")


def _varied(over: str, scene: str, usual_name: str, usual: tuple[float, ...]) -> tuple[str, tuple[Value, ...]]:
    """A parameter and its values, from NAME=VALUE,VALUE,... or NAME=FIRST:LAST:COUNT."""
    parameters = scenes()[scene].parameters
    name, equals, text = over.partition("=")
    name = name.strip()
    words = [word for word in re.split(r"[,\s]+", text) if word]
    if not equals or not words or not name:
        example = f"{usual_name}={','.join(f'{value:g}' for value in usual)}"
        raise ParameterError(
            f"--over {value_text(over)} is refused: write it as NAME=VALUE,VALUE,… or NAME=FIRST:LAST:COUNT in SI, "
            f"for example --over {example}."
        )
    if name == PRESET:
        values: tuple[Value, ...] = tuple(words)
    else:
        require_known(name, parameters.model_fields)
        spaced = _spaced(over, text) if ":" in text else words
        values = tuple(parameters.parse(name, word) for word in spaced)
    if len(set(values)) < len(values):
        raise ParameterError(f"--over {value_text(over)} gives a value twice: leave one out.")
    return name, values


def _spaced(over: str, text: str) -> list[str]:
    """Evenly spaced numbers from FIRST:LAST:COUNT, as they are typed."""
    words = text.split(":")
    padded = [*words, "", ""]
    first, last, count = read_number(padded[0]), read_number(padded[1]), read_whole(padded[2])
    if len(words) != 3 or isinstance(first, str) or isinstance(last, str) or isinstance(count, str):
        raise ParameterError(
            f"--over {value_text(over)} is refused: FIRST:LAST:COUNT are two numbers and how many values there are "
            "from the one to the other, such as 0.05:0.2:4."
        )
    if not first < last:
        raise ParameterError(
            f"--over {value_text(over)} is refused: the range must count up, from {first:g} to more than that."
        )
    if not 2 <= count <= MOST_RUNS:
        raise ParameterError(f"--over {value_text(over)} is refused: {count} values; a range has 2 to {MOST_RUNS}.")
    return [f"{value:.12g}" for value in np.linspace(first, last, count)]


def _number_of_seeds(text: str) -> tuple[int, ...]:
    """Seeds of a study: a number N stands for 1 to N."""
    count = read_whole(text.strip())
    if isinstance(count, int):
        if not 1 <= count <= MOST_RUNS:
            raise ParameterError(f"--seeds {text} is refused: it must be 1 to {MOST_RUNS} seeds.")
        return tuple(range(1, count + 1))
    return _seeds(text)


def _seeds(text: str) -> tuple[int, ...]:
    """Seeds from words such as "1,2,5-8"."""
    found: list[int] = []
    for word in (word for word in re.split(r"[,\s]+", text) if word):
        ends = [read_whole(end) for end in word.split("-")]
        first, last = ends[0], ends[-1]
        if isinstance(first, str) or isinstance(last, str) or len(ends) > 2:
            raise ParameterError(f"--seeds {value_text(text)} is refused: write whole numbers such as 1,2,3 or 1-5.")
        if not 0 <= last - first < MOST_RUNS:
            raise ParameterError(
                f"--seeds {value_text(text)} is refused: {word} must count up, by less than {MOST_RUNS}."
            )
        found.extend(range(first, last + 1))
    if not found or len(set(found)) < len(found):
        raise ParameterError(f"--seeds {value_text(text)} is refused: give at least one seed, and none twice.")
    return tuple(checked_seed(seed) for seed in found)
