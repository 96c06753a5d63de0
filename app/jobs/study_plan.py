"""From the requests for a study, a sweep or a repetition to their runs, checked before any work."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from repose.app.jobs.headless_plan import Job, plan, typed_values
from repose.app.jobs.requests import RunRequest, StudyRequest, SweepRequest, parsed_size
from repose.app.storage.plot_files import JOURNAL, Style, slide
from repose.app.thread_option import asked_threads
from repose.sim import registry
from repose.sim.engine.thread_count import available
from repose.sim.io import presets
from repose.sim.numbers import read_number, read_whole
from repose.sim.parameters import ParameterError, Value, checked_seed, require_parameter_of
from repose.sim.registry import scenes
from repose.sim.study.other_results import references_in
from repose.sim.study.plan import MOST_RUNS, Case, StudyPlan
from repose.sim.study.plan_file import read_plan
from repose.sim.study.quantities import default_names
from repose.sim.wording import value_text

PRESET = "preset"
"""Name under which presets are varied like the values of a parameter."""


@dataclass(frozen=True)
class StudyJob:
    """The runs of one or more studies, checked."""

    request: StudyRequest | SweepRequest | RunRequest
    plans: tuple[StudyPlan, ...]
    """Studies with runs, in the order of the report."""
    name: str
    """Part of the name of a new folder."""
    workers: int
    """Runs at the same time."""
    threads: int | None
    """Threads of each run; None for automatic."""
    style: Style
    """Size, letters and kinds of the pictures."""
    picture: bool = True
    dask: str = ""
    """Address of the scheduler of Dask whose workers do the runs; empty for processes of this machine."""
    whole: StudyPlan | None = None
    """The study that consists of the plans, of which a report is written."""

    @property
    def is_named(self) -> bool:
        """Whether it is a named study, whose folder is continued with --resume only."""
        return isinstance(self.request, StudyRequest)

    @property
    def resumes(self) -> bool:
        """Whether the runs that the folder contains are continued."""
        return not isinstance(self.request, StudyRequest) or self.request.resume or bool(self.request.part)

    @property
    def out(self) -> Path | None:
        """The folder of results."""
        return self.request.folder if isinstance(self.request, StudyRequest) else self.request.out

    @property
    def share(self) -> tuple[int, int]:
        """The part of the runs to do, and the number of parts."""
        return self.request.share if isinstance(self.request, StudyRequest) else (1, 1)

    @property
    def join(self) -> Path | None:
        """The folder from whose parts the runs are taken."""
        return self.request.join if isinstance(self.request, StudyRequest) else None


def plan_study(request: StudyRequest) -> StudyJob:
    """The runs of a named study or of one in a TOML file; raises `ParameterError`."""
    whole = study_of(request.name)
    plans = tuple(registry.studies()[part] for part in whole.parts) if whole.parts else (whole,)
    plans = tuple(_adapted(part, request, alone=not whole.parts).check() for part in plans)
    _require_used(request.changes, plans)
    workers = request.workers or available()
    return StudyJob(
        request,
        tuple(beside_others(part, request.beside) for part in plans),
        name=f"study-{whole.name}",
        workers=workers,
        threads=_threads(request.threads, workers),
        style=_style(request),
        picture=request.picture and not request.part,
        dask=(request.dask or "").strip(),
        whole=whole if whole.parts else None,
    )


def _style(request: StudyRequest | SweepRequest) -> Style:
    return JOURNAL[request.style] if request.style in JOURNAL else slide(parsed_size(request.size))


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
    chosen: StudyPlan = registry.studies()[name]
    return chosen


def plan_sweep(request: SweepRequest) -> StudyJob:
    """The runs of a study described on the command line; raises `ParameterError`."""
    job = plan(RunRequest(request.scene, request.preset, request.changes))
    default_names(job.scene, {})
    study, declared = scenes()[job.scene].study, scenes()[job.scene].parameters.declared()
    grid: dict[str, tuple[Value, ...]] = {} if request.over else {study.over: study.usual}
    cases: tuple[Case, ...] = (Case(""),)
    for text in request.over:
        name, values = _varied(text, job.scene, study.over, study.usual)
        if name in grid or (name == PRESET and cases[0].name):
            raise ParameterError(f"--over gives {name} twice: leave one out.")
        if len(values) < 2:
            raise ParameterError(
                f"--over {value_text(text)} gives one value, and a sweep compares at least two: add one, or repeat a "
                "single run with repose run --repeat."
            )
        if name == PRESET:
            cases = tuple(Case(str(value), preset=str(value)) for value in values)
        else:
            grid[name] = values
    typed = {change.partition("=")[0].strip() for change in request.changes}
    title = scenes()[job.scene].title
    if len(cases) == 1 and grid:
        title += f": {study.quantity} over {declared[next(iter(grid))].quantity.label}"
    workers = request.workers or available()
    made = StudyPlan(
        name="sweep",
        title=title,
        scene=job.scene,
        values={name: value for name, value in job.values.items() if name not in grid or name in typed},
        grid=grid,
        cases=cases,
        seeds=_seeds(request.seeds),
        error=request.error or 0.0,
    ).check()
    return StudyJob(
        request,
        (beside_others(made, request.beside),),
        name=f"sweep-{job.scene}",
        workers=workers,
        threads=_threads(request.threads, workers),
        style=_style(request),
        picture=request.picture,
        dask=(request.dask or "").strip(),
    )


def plan_repeat(job: Job) -> StudyJob:
    """The same run with consecutive seeds, beginning with the seed of the job; one run per processor at a time.

    Raises `ParameterError`.
    """
    request, runs = job.request, job.request.repeat or 0
    alone = {
        "--video": request.video or None,
        "--save": request.save,
        "--from": request.saved,
        "--until": request.until,
    }
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
    return StudyJob(
        request, (made,), f"repeat-{job.scene}", workers, threads, slide(request.film.pixels), picture=request.picture
    )


def beside_others(plan: StudyPlan, folders: Sequence[Path]) -> StudyPlan:
    """The study with references to the results in these folders, which are drawn beside its own results.

    Raises `ParameterError`.
    """
    references = tuple(reference for folder in folders for reference in references_in(folder, plan))
    return replace(plan, references=(*plan.references, *references))


def _adapted(part: StudyPlan, request: StudyRequest, alone: bool) -> StudyPlan:
    """The study with the seeds, the wanted error and the values that were typed."""
    typed = typed_values(request.changes, part.scene)
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
    if request.error is not None:
        part = replace(part, error=request.error)
    return replace(part, seeds=_number_of_seeds(request.seeds)) if request.seeds else part


def _require_used(changes: Sequence[str], plans: Sequence[StudyPlan]) -> None:
    """Raise `ParameterError` if every study varies a parameter that was set."""
    for name in (change.partition("=")[0].strip() for change in changes):
        if not any(name in part.values for part in plans):
            raise ParameterError(f"All of these studies vary {name}, so --set {name} has no effect: leave it out.")


def _threads(typed: str, workers: int) -> int | None:
    """Threads of each run: 1 if none were asked for, because runs in parallel use all processors already."""
    threads = asked_threads(typed)
    return threads if typed or workers == 1 else 1


def _varied(over: str, scene: str, usual_name: str, usual: tuple[float, ...]) -> tuple[str, tuple[Value, ...]]:
    """A parameter and its values, from NAME=VALUE,VALUE,... or NAME=FIRST:LAST:COUNT."""
    parameters = scenes()[scene].parameters
    name, equals, text = over.partition("=")
    name = name.strip()
    has_form = name in parameters.declared() and parameters.declared()[name].form is not None
    words = [word for word in parameters.listed(name, text) if word]
    if not has_form and ";" not in text:
        words = [part for word in words for part in word.split()]
    if not equals or not words or not name:
        example = f"{usual_name}={','.join(f'{value:g}' for value in usual)}"
        raise ParameterError(
            f"--over {value_text(over)} is refused: write it as NAME=VALUE,VALUE,… or NAME=FIRST:LAST:COUNT in SI, "
            f"for example --over {example}; semicolons separate values that contain commas."
        )
    if name == PRESET:
        values: tuple[Value, ...] = tuple(words)
    else:
        require_parameter_of(name, [parameters])
        spaced = _spaced(over, text) if ":" in text and not has_form else words
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
    seeds: list[int] = []
    for word in (word for word in re.split(r"[,\s]+", text) if word):
        ends = [read_whole(end) for end in word.split("-")]
        first, last = ends[0], ends[-1]
        if isinstance(first, str) or isinstance(last, str) or len(ends) > 2:
            raise ParameterError(f"--seeds {value_text(text)} is refused: write whole numbers such as 1,2,3 or 1-5.")
        if not 0 <= last - first < MOST_RUNS:
            raise ParameterError(
                f"--seeds {value_text(text)} is refused: {word} must count up, by less than {MOST_RUNS}."
            )
        seeds.extend(range(first, last + 1))
    if not seeds or len(set(seeds)) < len(seeds):
        raise ParameterError(f"--seeds {value_text(text)} is refused: give at least one seed, and none twice.")
    return tuple(checked_seed(seed) for seed in seeds)
