"""A study without a window: the result of each run is written at its end, then tables, figures and a report.

A folder that contains some of the runs is continued.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from repose.app.countdown import Countdown
from repose.app.jobs.headless_job import DONE, FAULT, INTERRUPTED, NOT_ALL_WRITTEN
from repose.app.jobs.result_folder import RESULT, RUNS, ResultFolder, RunsInFolder, Writers
from repose.app.jobs.study_pictures import draw_outcome
from repose.app.jobs.study_plan import StudyJob
from repose.app.jobs.study_report import changed_in_words, report_page
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.sim.experiment.comparison import averaged, mean_in_words, repeated_in_words, shown
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.io.json_text import json_text, read_json
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.dask_runs import connect, on_dask
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import name_of_study, read
from repose.sim.study.runs_on_disk import StudyRuns, joined
from repose.sim.wording import path_text, value_text

REPORT = "report.html"


def run_study(job: StudyJob) -> int:
    """Do the missing runs and write the results of all; returns the exit code.

    Raises `ParameterError` before any work if the folder cannot be used.
    """
    runs = RunsInFolder(
        "study",
        _identity(job),
        partial(_difference, _identity(job)),
        continues=job.resumes,
        continued_by="" if job.join else "continue it with --resume, or ",
        must_exist=job.is_named and job.resumes and job.whole is None and job.share == (1, 1),
    )
    if job.dask:
        connect(job.dask).close()
    files = _files_of_parts(job)
    with ResultFolder.claimed(job.out, job.name, _file_names(job), runs) as folder:
        return _run_in(folder, job, files)


def _files_of_parts(job: StudyJob) -> Mapping[str, Path]:
    """The files of the runs of all parts, by their names; raises `ParameterError` for parts that are missing and for
    those of another study."""
    if job.join is None:
        return {}
    for file in sorted(job.join.glob("part-*-of-*/study.json")):
        stored: Any = None
        with suppress(OSError, ValueError):
            stored = read_json(file)
        if other := _difference(_identity(job), stored):
            raise ParameterError(f"--join {path_text(file.parent)} contains {other}: give the parts of one study.")
    runs = StudyRuns(job.plans, job.join, job.threads)
    runs.begin()
    return joined(job.join, runs)


def _identity(job: StudyJob) -> dict[str, Any]:
    """Description of the study, stored in its folder so that no other study continues it."""
    identity = (job.whole or job.plans[0]).identity()
    return identity | {"studies": [plan.identity() for plan in job.plans]} if job.whole else identity


def _difference(wanted: Mapping[str, Any], stored: Any) -> str:
    """What a folder with this description contains instead of the wanted study; empty if it is the same study."""
    if not isinstance(stored, Mapping) or stored.get("study") != wanted["study"]:
        named = isinstance(stored, Mapping) and "study" in stored
        return f"runs of the study '{stored['study']}'" if named else "runs of an unknown study"
    for name in (name for name in wanted if wanted[name] != stored.get(name)):
        theirs, ours = value_text(stored.get(name)), value_text(wanted[name])
        return f"the study '{wanted['study']}' with {name} = {theirs}, not {ours}"
    return ""


def _file_names(job: StudyJob) -> tuple[str, ...]:
    """Files written at the end, beside the runs."""
    kinds = ("csv", *(job.style.kinds if job.picture else ()))
    names = [f"{plan.name}.{kind}" for plan in job.plans for kind in kinds]
    return (RESULT, *names, *([REPORT] if job.whole else []))


def _run_in(folder: ResultFolder, job: StudyJob, files: Mapping[str, Path]) -> int:
    study_runs = StudyRuns(job.plans, folder.path / RUNS, job.threads, job.share)
    if job.dask:
        study_runs.elsewhere = on_dask(job.dask)
    for name, path in files.items():
        write_whole_file(folder.path / RUNS / name, partial(_copy, path))
    missing = study_runs.begin()
    title = f"{(job.whole or job.plans[0]).title} in {path_text(folder.path)}: {len(missing)} runs to do"
    title += f", {len(study_runs.results)} done already" if study_runs.results else ""
    with Progress(title, quiet=job.request.json) as progress, stoppable() as stop:
        _do(job, missing, study_runs, progress, stop)
    return _finish(job, folder, study_runs, stop)


def _copy(source: Path, file: BinaryIO) -> None:
    file.write(source.read_bytes())


def _do(job: StudyJob, missing: list[Task], study_runs: StudyRuns, progress: Progress, stop: Stop) -> None:
    countdown = Countdown()

    def on_end(task: Task, result: Mapping[str, Any] | None, lost: str) -> None:
        progress.print_line(f"{task.name}: {_in_words(task, result) if result is not None else f'lost: {lost}'}")

    def on_progress(words: str, share: float) -> None:
        stop.check()
        progress.show(words, share, countdown.words(share), stage="runs")

    with suppress(StopAsked):
        study_runs.do(missing, job.workers, on_progress, on_end)


def _in_words(task: Task, result: Mapping[str, Any]) -> str:
    """Result of one run, in a line."""
    study = scenes()[task.scene].study
    words = ""
    if study is not None:
        point = read(task.scene, name_of_study(task.scene), result, 0.0)
        words = f"no {study.quantity}, "
        if point is not None:
            words = f"{study.symbol} = {mean_in_words(study, averaged([point])[0], study.unit)}, "
    if "grains_left" in result:
        words += f"{result['grains_left']} grains left, "
    trouble = result["fault"] or result["complaint"]
    words += f"{result['phase']} after {result['simulated_time']:.2f} s"
    return f"{words}. {trouble}" if trouble else words


def _finish(job: StudyJob, folder: ResultFolder, study_runs: StudyRuns, stop: Stop) -> int:
    """Write numbers, figures and report, then print the results; returns the exit code."""
    outcomes = {plan.name: study_runs.outcome(plan) for plan in job.plans}
    report = _report(job, outcomes) | {"interrupted": stop.requested}
    if job.share != (1, 1):
        report |= {"part": list(job.share)}
    text = json_text(report, indent=2)
    writers: Writers = {RESULT: lambda file: file.write(text.encode("utf-8"))}
    for plan in job.plans:
        writers |= _writers(job, plan, outcomes[plan.name])
    if job.whole is not None and any(outcome.results for outcome in outcomes.values()):
        page = partial(report_page, job.whole, outcomes)
        writers[REPORT] = lambda file: file.write(page().encode("utf-8"))
    code = NOT_ALL_WRITTEN if folder.finish(writers) else DONE
    if job.request.json:
        print(text, end="", flush=True)
    else:
        if job.share != (1, 1) and not study_runs.names_of(*job.share):
            part, parts = job.share
            write_out(f"part {part}/{parts} has no runs: the study has {len(study_runs.names_of(1, 1))}.")
        else:
            for outcome in outcomes.values():
                write_out(_summary(outcome, titled=job.whole is not None))
        write_out(f"written to  {folder.path}")
    if stop.requested:
        resume = " --resume" if job.is_named else ""
        print_line(f"Stopped; the same command with --out {folder.path}{resume} continues.")
        return INTERRUPTED
    faults = any(result["fault"] for result in study_runs.results.values())
    return FAULT if study_runs.lost or faults else code


def _writers(job: StudyJob, plan: StudyPlan, outcome: StudyOutcome) -> Writers:
    """Functions that write table and pictures of one study; pictures only if there are points to draw."""
    writers: Writers = {f"{plan.name}.csv": lambda file: file.write(outcome.csv().encode("utf-8"))}
    if job.picture and any(outcome.points(group) for group in outcome.groups):
        for kind in job.style.kinds:
            writers[f"{plan.name}.{kind}"] = partial(draw_outcome, outcome, kind=kind, style=job.style)
    return writers


def _report(job: StudyJob, outcomes: Mapping[str, StudyOutcome]) -> dict[str, Any]:
    """The content of result.json."""
    if job.whole is None:
        return next(iter(outcomes.values())).report()
    return {
        "study": job.whole.name,
        "title": job.whole.title,
        "studies": {name: outcome.report() for name, outcome in outcomes.items()},
    }


def _summary(outcome: StudyOutcome, titled: bool) -> str:
    """Means, table and fits as lines of text."""
    plan, lines = outcome.plan, list[str]()
    if titled:
        lines.append(f"\n{plan.title}")
    if len(plan.combinations()) == len(plan.cases) == 1 and plan.figure == "comparison":
        for quantity in outcome.quantities:
            for row in outcome.rows(outcome.groups[0], quantity.name):
                how = outcome.study if quantity == outcome.drawn else outcome.like(quantity)
                lines.append(f"{quantity.label}  {repeated_in_words(how, row)}")
    words = [tuple(map(str, row)) for row in outcome.words()]
    widths = [max(len(row[column]) for row in words) for column in range(len(words[0]))]
    lines += ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in words]
    for group in outcome.groups:
        findings = outcome.findings(group)
        label = f"{group.name}: " if len(outcome.groups) > 1 else ""
        lines += [f"{label}{line.label}" for line in findings.lines if line.fitted or len(outcome.groups) == 1]
        if findings.numbers.get("number_density"):
            lines.append(f"number density {findings.numbers['number_density']:.0f} 1/m³")
        if "exponent" in findings.numbers:
            power = findings.numbers["exponent"]
            lines.append(f"exponent {shown(power['exponent'], power['standard_error'])}")
    if plan.altered:
        lines.append(changed_in_words(plan))
    for statement, verdict in outcome.verdicts():
        why = f". {verdict.why}" if verdict.agrees is None and verdict.why else ""
        lines.append(f"{_AGREES[verdict.agrees]}: {statement.words} Ours: {verdict.ours}{why}")
    return "\n".join(lines)


_AGREES = {True: "agrees", False: "differs", None: "open"}
