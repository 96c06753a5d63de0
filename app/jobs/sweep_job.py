"""A sweep without a window: many runs, the result of each written at its end, then table, fit and picture.

A folder that contains some of the runs is continued.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from repose.app.jobs.headless_job import DONE, FAULT, INTERRUPTED, NOT_ALL_WRITTEN, RESULT, claim_for, output_folder
from repose.app.jobs.sweep_plan import Sweep, tasks
from repose.app.progress import Progress, say
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.app.storage.plot_files import Sheet, draw
from repose.sim.experiment.comparison import (
    Point,
    asides,
    averaged,
    compare,
    findings,
    mean_in_words,
    repeated_in_words,
    shown,
)
from repose.sim.io.atomic_file import Claim, claim, remove_leftovers, write_whole_file
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Curve
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.parallel_runs import Task, point_of, run_all

RUNS, PICTURE, UNDER_WAY = "runs", "sweep.png", ".sweep-under-way"
SAID = ("seed", "phase", "fault", "complaint", "steps", "simulated_time", "time_step", "largest_overlap", "state_hash")
"""Entries of each run's result that are repeated in the result of the sweep."""


@dataclass
class _Harvest:
    """Results so far, by the name of the run."""

    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    """Why a run has no result."""


def run_sweep(sweep: Sweep) -> int:
    """Do the missing runs and write the results of all; returns the exit code.

    Raises `ParameterError` before any work if the folder cannot be used.
    """
    out = sweep.job.out
    continued = out is not None and (out / RUNS).is_dir()
    folder, made = output_folder(
        out, f"{'repeat' if sweep.repeats else 'sweep'}-{sweep.job.scene}", () if continued else (RESULT, PICTURE, RUNS)
    )
    claims = _claimed(folder, continued)
    try:
        return _run_in(folder, sweep, claims)
    finally:
        for place in claims.values():
            place.release()
        if made:
            with suppress(OSError):
                folder.rmdir()  # it is empty


def _claimed(folder: Path, continued: bool) -> dict[str, Claim]:
    """Claims of the names in the folder: first the one that excludes other sweeps, then those of the results.

    A continued sweep replaces the results of its earlier part. Raises `ParameterError`.
    """
    claims: dict[str, Claim] = {}
    try:
        claims[UNDER_WAY] = claim(folder / UNDER_WAY)
        for name in (RESULT, PICTURE):
            if not (continued and (folder / name).exists()):
                claims[name] = claim_for("--out", folder / name)
    except FileExistsError:
        raise ParameterError(
            f"--out {folder} is being written to by another sweep: wait for its end or choose another folder."
        ) from None
    except (OSError, ParameterError) as error:
        for place in claims.values():
            place.release()
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"--out {folder} cannot be written to: {error.strerror or error}.") from None
    return claims


def _run_in(folder: Path, sweep: Sweep, claims: dict[str, Claim]) -> int:
    wanted = tasks(sweep, folder / RUNS)
    harvest = _Harvest({task.name: _earlier(task) for task in wanted if task.path.exists()})
    missing = [task for task in wanted if task.name not in harvest.results]
    (folder / RUNS).mkdir(exist_ok=True)
    remove_leftovers(folder / RUNS)
    title = f"{scenes()[sweep.job.scene].title} in {folder}: {len(missing)} runs to do"
    title += f", {len(harvest.results)} done already" if harvest.results else ""
    with Progress(title, quiet=sweep.job.as_json) as progress, stoppable() as stop:
        _do(sweep, missing, harvest, progress, stop)
    return _finish(sweep, folder, wanted, harvest, stop, claims)


def _earlier(task: Task) -> dict[str, Any]:
    """The result of an earlier run; raises `ParameterError` if its scene, seed or parameters differ."""
    try:
        found: dict[str, Any] = json.loads(task.path.read_text(encoding="utf-8"))
        theirs = {"scene": found["scene"], "seed": found["seed"]} | found["parameters"]
    except (OSError, ValueError, KeyError, TypeError):
        raise ParameterError(f"{task.path} contains no result of a run: move it or choose another --out.") from None
    ours = {"scene": task.scene, "seed": task.seed} | scenes()[task.scene].parameters.checked(task.values).model_dump()
    for name in ours | theirs:
        if ours.get(name) != theirs.get(name):
            raise ParameterError(
                f"{task.path} was run with {name} = {theirs.get(name)!r}, not {ours.get(name)!r}: choose another --out."
            )
    return found


def _do(sweep: Sweep, missing: list[Task], harvest: _Harvest, progress: Progress, stop: Stop) -> None:
    def on_end(task: Task, lost: str) -> None:
        if lost:
            harvest.lost[task.name] = lost
        else:
            harvest.results[task.name] = json.loads(task.path.read_text(encoding="utf-8"))
        words = f"lost: {lost}" if lost else _in_words(sweep, task, harvest.results[task.name])
        progress.tell(f"{task.name}: {words}")

    def on_progress(words: str, share: float) -> None:
        stop.check()
        progress.show(words, share)

    with suppress(StopAsked):
        run_all(missing, sweep.processes, on_progress=on_progress, on_end=on_end)


def _in_words(sweep: Sweep, task: Task, result: dict[str, Any]) -> str:
    """Result of one run, in a line."""
    point, study = point_of(task, result), sweep.study
    words = f"no {study.quantity}"
    if point is not None:
        words = f"{study.symbol} = {mean_in_words(study, averaged([point])[0], study.unit)}"
    trouble = result["fault"] or result["complaint"]
    words += f", {result['phase']} after {result['simulated_time']:.2f} s"
    return f"{words}. {trouble}" if trouble else words


def _finish(
    sweep: Sweep,
    folder: Path,
    wanted: tuple[Task, ...],
    harvest: _Harvest,
    stop: Stop,
    claims: dict[str, Claim],
) -> int:
    """Write numbers and picture, then report both."""
    done = [task for task in wanted if task.name in harvest.results]
    points = [point for task in done if (point := point_of(task, harvest.results[task.name])) is not None]
    curves = tuple(
        compare(study, sweep.abscissa, measured, sweep.places, sweep.names)
        for study, measured in ((sweep.study, points), *asides(sweep.study, points))
    )
    report = _report(sweep, wanted, harvest, points) | {"interrupted": stop.asked}
    text, code = json_text(report, indent=2), DONE
    writers: dict[str, Callable[[BinaryIO], object]] = {RESULT: lambda file: file.write(text.encode("utf-8"))}
    if points and sweep.job.picture:
        writers[PICTURE] = lambda file: _draw(sweep, curves, file)
    for name, write in writers.items():
        try:
            claims[name].write(write) if name in claims else write_whole_file(folder / name, write)
        except Exception as error:  # an error of the drawing library must not lose the other file
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            say(f"{folder / name} could not be written: {reason}.")
            code = NOT_ALL_WRITTEN
    if sweep.job.as_json:
        print(text, end="", flush=True)
    else:
        tables = [_table(curves[0], report), *(_table(curve, {}) for curve in curves[1:])]
        print(*_means(sweep, points), *tables, f"written to  {folder}", sep="\n", flush=True)
    if stop.asked:
        say(f"Stopped; the same command with --out {folder} continues.")
        return INTERRUPTED
    faults = any(result["fault"] for result in harvest.results.values())
    return FAULT if harvest.lost or faults else code


def _report(sweep: Sweep, wanted: tuple[Task, ...], harvest: _Harvest, points: list[Point]) -> dict[str, Any]:
    """The content of result.json, in SI."""
    shared = scenes()[sweep.job.scene].parameters.checked(sweep.job.values).model_dump()
    shared.pop(sweep.varied.name)
    each = []
    for task in wanted:
        if (result := harvest.results.get(task.name)) is not None:
            own = {name: result[name] for name in SAID if name in result}
            each.append(
                {sweep.varied.name: task.values[sweep.varied.name], "measured": result["point"], "file": task.path.name}
                | own
            )
    return {
        "scene": sweep.job.scene,
        "preset": sweep.job.preset,
        "quantity": sweep.study.quantity,
        "over": sweep.abscissa.quantity.label if sweep.names else sweep.varied.name,
        "parameters": shared,
        "table": [row._asdict() for row in averaged(points)],
        **{study.quantity: [row._asdict() for row in averaged(own)] for study, own in asides(sweep.study, points)},
        "published": [row._asdict() for row in sweep.study.published],
        **findings(sweep.study, points).numbers,
        "runs": each,
        "lost": harvest.lost,
    }


def _means(sweep: Sweep, points: list[Point]) -> list[str]:
    """The mean of runs that differ in their seeds only, as a line of text."""
    if not sweep.repeats:
        return []
    return [f"{sweep.study.quantity}  {repeated_in_words(sweep.study, row)}" for row in averaged(points)]


def _table(curve: Curve, report: dict[str, Any]) -> str:
    """The table and the fits as lines of text."""
    widths = [max(len(row[column]) for row in curve.table) for column in range(len(curve.table[0]))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in curve.table]
    lines += [line.label for line in curve.lines if not line.points]
    if report.get("number_density"):
        lines.append(f"number density {report['number_density']:.0f} 1/m³")
    if "exponent" in report:
        power = report["exponent"]
        lines.append(f"exponent {shown(power['exponent'], power['standard_error'])}")
    return "\n".join(lines)


def _draw(sweep: Sweep, curves: tuple[Curve, ...], file: BinaryIO) -> None:
    """Draw the comparisons as PNG, one above the other."""
    title, facts = _title(sweep)
    heading = curves[0].heading
    headline = f"{title}: {heading[:1].lower()}{heading[1:]}"
    draw(Sheet(headline, facts, curves), file, sweep.job.size)


def _title(sweep: Sweep) -> tuple[str, str]:
    """Title and parameters of the picture."""
    scene, seeds = scenes()[sweep.job.scene], sweep.seeds
    declared = scene.parameters.chosen(sweep.job.values).declared()
    words = [
        f"{declared[name].quantity.label} {declared[name].shown(value)}"
        for name, value in sweep.job.values.items()
        if name != sweep.varied.name
    ]
    words.append(f"{len(seeds)} seeds" if len(seeds) > 1 else f"seed {seeds[0]}")
    return scene.title, ", ".join(words if len(words) > 1 else ["parameters as declared", *words])
