"""A study without a window: the result of each run is written at its end, then tables, figures and a report.

A folder that contains some of the runs is continued.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from repose.app.jobs.headless_job import DONE, FAULT, INTERRUPTED, NOT_ALL_WRITTEN, RESULT, claim_for, output_folder
from repose.app.jobs.remaining_time import Countdown
from repose.app.jobs.study_pictures import draw_outcome
from repose.app.jobs.study_report import changed_in_words, report_page
from repose.app.jobs.study_request import StudyRequest
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.sim.experiment.comparison import averaged, mean_in_words, repeated_in_words, shown
from repose.sim.io.atomic_file import Claim, claim, remove_leftovers, write_whole_file
from repose.sim.io.json_text import json_text, read_json
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.dask_runs import connect, on_dask
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.parallel_runs import Task
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import name_of_study, read
from repose.sim.study.runs_on_disk import StudyRuns
from repose.sim.wording import described, path_text, reason_of, value_text

RUNS, DESCRIPTION, REPORT, UNDER_WAY = "runs", "study.json", "report.html", ".study-under-way"
PICTURES = ("png", "pdf")
"""Kinds of pictures that are written for every study."""

Writers = dict[str, Callable[[BinaryIO], object]]


def run_study(request: StudyRequest) -> int:
    """Do the missing runs and write the results of all; returns the exit code.

    Raises `ParameterError` before any work if the folder cannot be used.
    """
    continued = _continued(request)
    if request.dask:
        connect(request.dask).close()
    names = _file_names(request)
    folder, made = output_folder(request.out, request.name, () if continued else None)
    claims = _claimed(folder, names, continued)
    try:
        return _run_in(folder, request, claims)
    finally:
        for claim in claims.values():
            claim.release()
        if made:
            with suppress(OSError):
                folder.rmdir()  # it is empty


def _identity(request: StudyRequest) -> dict[str, Any]:
    """Description of the study, stored in its folder so that no other study continues it."""
    identity = (request.whole or request.plans[0]).identity()
    return identity | {"studies": [plan.identity() for plan in request.plans]} if request.whole else identity


def _continued(request: StudyRequest) -> bool:
    """Whether the folder contains this study; raises `ParameterError` if it contains another one."""
    out = request.out
    if out is None or not ((out / RUNS).is_dir() or (out / DESCRIPTION).is_file()):
        if (
            request.resume
            and out is not None
            and request.whole is None
            and request.plans[0].name not in ("sweep", "repeat")
        ):
            raise ParameterError(f"--out {path_text(out)} contains no study to continue: leave --resume out.")
        return False
    stored: Any = None
    with suppress(OSError, ValueError):
        stored = read_json(out / DESCRIPTION)
    wanted = _identity(request)
    if not isinstance(stored, Mapping) or stored.get("study") != wanted["study"]:
        named = isinstance(stored, Mapping) and "study" in stored
        words = f"the study '{stored['study']}'" if named else "an unknown study"
        raise ParameterError(f"--out {path_text(out)} contains runs of {words}: choose another folder.")
    for name in (name for name in wanted if wanted[name] != stored.get(name)):
        raise ParameterError(
            f"--out {path_text(out)} contains the study '{wanted['study']}' with {name} = "
            f"{value_text(stored.get(name))}, not {value_text(wanted[name])}: choose another folder."
        )
    if not request.resume:
        raise ParameterError(
            f"--out {path_text(out)} contains this study already: continue it with --resume, or choose another folder."
        )
    return True


def _file_names(request: StudyRequest) -> tuple[str, ...]:
    """Files written at the end, beside the runs."""
    kinds = ("csv", *(PICTURES if request.picture else ()))
    names = [f"{plan.name}.{kind}" for plan in request.plans for kind in kinds]
    return (RESULT, *names, *([REPORT] if request.whole else []))


def _claimed(folder: Path, names: tuple[str, ...], continued: bool) -> dict[str, Claim]:
    """Claims of names in the folder: first the name that excludes other studies, then the names of the results.

    A continued study replaces the results of its earlier part. Raises `ParameterError`.
    """
    claims: dict[str, Claim] = {}
    try:
        claims[UNDER_WAY] = claim(folder / UNDER_WAY)
        for name in names:
            if not (continued and (folder / name).exists()):
                claims[name] = claim_for("--out", folder / name)
    except FileExistsError:
        raise ParameterError(
            f"--out {path_text(folder)} is being written to by another study: wait for its end or choose another "
            "folder."
        ) from None
    except (OSError, ParameterError) as error:
        for position in claims.values():
            position.release()
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"--out {path_text(folder)} cannot be written to: {reason_of(error)}.") from None
    return claims


def _run_in(folder: Path, request: StudyRequest, claims: dict[str, Claim]) -> int:
    runs = folder / RUNS
    study_runs = StudyRuns(request.plans, runs, request.threads)
    if request.dask:
        study_runs.elsewhere = on_dask(request.dask)
    missing = study_runs.begin()
    runs.mkdir(exist_ok=True)
    remove_leftovers(runs)
    description = json_text(_identity(request), indent=2).encode("utf-8")
    write_whole_file(folder / DESCRIPTION, lambda file: file.write(description))
    title = f"{(request.whole or request.plans[0]).title} in {path_text(folder)}: {len(missing)} runs to do"
    title += f", {len(study_runs.results)} done already" if study_runs.results else ""
    with Progress(title, quiet=request.as_json) as progress, stoppable() as stop:
        _do(request, missing, study_runs, progress, stop)
    return _finish(request, folder, study_runs, stop, claims)


def _do(request: StudyRequest, missing: list[Task], study_runs: StudyRuns, progress: Progress, stop: Stop) -> None:
    countdown = Countdown()

    def on_end(task: Task, result: Mapping[str, Any] | None, lost: str) -> None:
        progress.print_line(f"{task.name}: {_in_words(task, result) if result is not None else f'lost: {lost}'}")

    def on_progress(words: str, share: float) -> None:
        stop.check()
        progress.show(words, share, countdown.words(share), stage="runs")

    with suppress(StopAsked):
        study_runs.do(missing, request.workers, on_progress, on_end)


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


def _finish(request: StudyRequest, folder: Path, study_runs: StudyRuns, stop: Stop, claims: dict[str, Claim]) -> int:
    """Write numbers, figures and report, then print the results; returns the exit code."""
    outcomes = {plan.name: study_runs.outcome(plan) for plan in request.plans}
    report = _report(request, outcomes) | {"interrupted": stop.asked}
    text, code = json_text(report, indent=2), DONE
    writers: Writers = {RESULT: lambda file: file.write(text.encode("utf-8"))}
    for plan in request.plans:
        writers |= _writers(request, plan, outcomes[plan.name])
    if request.whole is not None and any(outcome.results for outcome in outcomes.values()):
        page = partial(report_page, request.whole, outcomes)
        writers[REPORT] = lambda file: file.write(page().encode("utf-8"))
    for name, write in writers.items():
        try:
            claims[name].write(write) if name in claims else write_whole_file(folder / name, write)
        except Exception as error:  # an error of the drawing library must not lose the other files
            reason = reason_of(error, described(error))
            print_line(f"{folder / name} could not be written: {reason}.")
            code = NOT_ALL_WRITTEN
    if request.as_json:
        print(text, end="", flush=True)
    else:
        for outcome in outcomes.values():
            write_out(_summary(outcome, titled=request.whole is not None))
        write_out(f"written to  {folder}")
    if stop.asked:
        print_line(f"Stopped; the same command with --out {folder}{_resume(request)} continues.")
        return INTERRUPTED
    faults = any(result["fault"] for result in study_runs.results.values())
    return FAULT if study_runs.lost or faults else code


def _resume(request: StudyRequest) -> str:
    """The option that the command needs to continue; empty for a sweep and a repetition."""
    return "" if request.plans[0].name in ("sweep", "repeat") else " --resume"


def _writers(request: StudyRequest, plan: StudyPlan, outcome: StudyOutcome) -> Writers:
    """Functions that write table and pictures of one study; pictures only if there are points to draw."""
    writers: Writers = {f"{plan.name}.csv": lambda file: file.write(outcome.csv().encode("utf-8"))}
    if request.picture and any(outcome.points(group) for group in outcome.groups):
        for kind in PICTURES:
            writers[f"{plan.name}.{kind}"] = partial(draw_outcome, outcome, kind=kind, size=request.size)
    return writers


def _report(request: StudyRequest, outcomes: Mapping[str, StudyOutcome]) -> dict[str, Any]:
    """The content of result.json."""
    if request.whole is None:
        return next(iter(outcomes.values())).report()
    return {
        "study": request.whole.name,
        "title": request.whole.title,
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
        found = outcome.findings(group)
        label = f"{group.name}: " if len(outcome.groups) > 1 else ""
        lines += [f"{label}{line.label}" for line in found.lines if line.fitted or len(outcome.groups) == 1]
        if found.numbers.get("number_density"):
            lines.append(f"number density {found.numbers['number_density']:.0f} 1/m³")
        if "exponent" in found.numbers:
            power = found.numbers["exponent"]
            lines.append(f"exponent {shown(power['exponent'], power['standard_error'])}")
    if plan.altered:
        lines.append(changed_in_words(plan))
    for statement, verdict in outcome.verdicts():
        why = f". {verdict.why}" if verdict.agrees is None and verdict.why else ""
        lines.append(f"{_AGREES[verdict.agrees]}: {statement.words} Ours: {verdict.ours}{why}")
    return "\n".join(lines)


_AGREES = {True: "agrees", False: "differs", None: "open"}
