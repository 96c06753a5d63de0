"""A calibration without a window: runs in a folder that can be continued, then result.json, a picture and a preset."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from repose.app.countdown import Countdown
from repose.app.jobs.headless_job import DONE, INTERRUPTED, NOT_ALL_WRITTEN
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.photo_job import marks_of
from repose.app.jobs.requests import CalibrationRequest, RunRequest
from repose.app.jobs.result_folder import RESULT, RUNS, ResultFolder, RunsInFolder, Writers
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import StopAsked, stoppable
from repose.app.storage.photo_files import read_photo
from repose.app.storage.plot_files import Sheet, draw
from repose.sim.engine.thread_count import available
from repose.sim.io import presets
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import Capital, _, label_of, plain
from repose.sim.numbers import read_number
from repose.sim.parameters import ParameterError
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.registry import scenes
from repose.sim.study.calibration import (
    CalibrationResult,
    Goal,
    Observation,
    VariedRange,
    canonical_profile,
    nothing_known,
    report,
    rounded,
)
from repose.sim.study.calibration_runs import calibrate_in, caution_of, in_words, preset_of, profile_curve
from repose.sim.study.quantities import name_of_study, quantity_of
from repose.sim.wording import value_text

PRESET, PICTURE = "preset.toml", "calibration.png"
FRICTIONS = (0.05, 0.1, 0.2)
"""Friction coefficients of θ = k arctan μ: the range of the thesis."""


def goal_of(request: CalibrationRequest) -> Goal:
    """The goal that is requested; raises `ParameterError`."""
    job = plan(RunRequest(request.scene, changes=request.changes))
    profile, error = _profile_in(request) if request.picture is not None else ((), request.angle_error)
    return Goal(
        scene=job.scene,
        varied=tuple(map(_range_of, request.vary)),
        wanted=1.0 if request.angle is None else request.angle,
        wanted_error=error,
        frictions=FRICTIONS if request.angle is None and not profile else (),
        profile=profile,
        values=job.values,
        precision=request.precision,
        most_runs=request.runs,
    ).check()


def _range_of(text: str) -> VariedRange:
    """The parameter and the range that are typed; raises `ParameterError`."""
    name, equals, numbers = text.partition("=")
    ends = [read_number(word) for word in numbers.split(":")]
    if not equals or len(ends) != 2 or any(isinstance(end, str) for end in ends):
        raise ParameterError(
            f"--vary {value_text(text)} is refused: write it as NAME=LOW:HIGH in SI, such as shear_stiffness=5:400."
        )
    low, high = (float(end) for end in ends)
    return VariedRange(name.strip(), low, high)


def _profile_in(request: CalibrationRequest) -> tuple[tuple[float, ...], float]:
    """The profile of the heap in the picture, in units of its size, and the error of its steepness; raises
    `ParameterError`."""
    assert request.picture is not None
    photo = read_photo(request.picture)
    heap = measure_picture(photo.pixels, marks_of(request.marks), photo.step)
    profile = canonical_profile(heap.x, heap.height)
    assert profile is not None  # it has a flank
    return tuple(rounded(height) for height in profile), heap.steepness_error


def run_calibration(request: CalibrationRequest) -> int:
    """Do the runs and write the results; returns the exit code. Raises `ParameterError` before any work."""
    goal = goal_of(request)
    description = _description(goal)
    runs = RunsInFolder(
        "calibration",
        description,
        lambda stored: "" if stored == description else "another calibration",
        continues=request.resume,
    )
    with ResultFolder.claimed(request.out, "calibrate", (RESULT, PICTURE, PRESET), runs) as folder:
        return _run_in(folder, request, goal)


def _description(goal: Goal) -> dict[str, Any]:
    """The entries that must be equal to continue a folder; precision and number of runs may differ."""
    entries = report(goal, nothing_known(goal), ())
    compared = ("scene", "parameter", "range", "further", "wanted", "frictions", "values")
    description: dict[str, Any] = json.loads(json_text({name: entries[name] for name in compared}))
    return description


def _run_in(folder: ResultFolder, request: CalibrationRequest, goal: Goal) -> int:
    workers = request.workers or available()
    countdown = Countdown()
    seen: list[Observation] = []
    with Progress(goal.title, quiet=request.json) as progress, stoppable() as stop:

        def on_progress(words: str, share: float) -> None:
            stop.check()
            progress.show(words, share, countdown.words(share), stage="runs")

        def show_progress(calibration: CalibrationResult, runs: int) -> None:
            progress.print_line(f"{runs} runs: {in_words(goal, calibration)}")

        calibration = nothing_known(goal)
        with suppress(StopAsked):
            calibration, seen = calibrate_in(folder.path / RUNS, goal, workers, on_progress, show_progress)
    if stop.requested:
        print_line(f"Stopped; the same command with --out {folder.path} --resume continues.")
        return INTERRUPTED
    return _finish(folder, request, goal, calibration, seen)


def _finish(
    folder: ResultFolder,
    request: CalibrationRequest,
    goal: Goal,
    calibration: CalibrationResult,
    seen: Sequence[Observation],
) -> int:
    text = json_text(report(goal, calibration, seen), indent=2)
    writers: Writers = {RESULT: lambda file: file.write(text.encode("utf-8"))}
    if seen:
        writers[PICTURE] = partial(_draw, goal, calibration, seen)
    if calibration.is_known:
        made = presets.dumps(preset_of(goal, calibration))
        writers[PRESET] = lambda file: file.write(made.encode("utf-8"))
    complete = not folder.finish(writers)
    if request.json:
        print(text, end="", flush=True)
    else:
        warning = f"\n{caution}" if (caution := caution_of(goal, calibration)) else ""
        write_out(f"{goal.title}: {in_words(goal, calibration)}{warning}\nwritten to  {folder.path}")
    return DONE if complete and calibration.fits else NOT_ALL_WRITTEN


def _draw(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation], file: BinaryIO) -> None:
    """Observations, fitted parabola, wanted value with its error, confidence interval; of a picture the profiles."""
    if goal.profile:
        _draw_sheet(goal, calibration, profile_curve(goal, calibration, seen), file)
        return
    quantity, (own,), (estimate,) = goal.parameters[0].quantity, goal.varied, calibration.estimates
    scale = quantity.scale
    fine = own.value_at(np.linspace(*own.ends, 100))
    at, found_y = np.array([entry.at[0] for entry in seen]), np.array([entry.y for entry in seen])
    lines = [Line(_("runs"), at / scale, found_y, points=True)]
    if calibration.coefficients:
        lines.append(
            Line(
                _("fitted parabola"),
                fine / scale,
                np.polyval(np.array(calibration.coefficients), own.place(fine)),
                fitted=True,
            )
        )
    lines.append(Line(_("wanted"), np.array([own.low, own.high]) / scale, np.full(2, goal.wanted)))
    if calibration.is_known:
        bounds = np.array([estimate.interval[0], estimate.value, estimate.interval[1]]) / scale
        lines.append(Line(_("95 % confidence"), bounds, np.full(3, goal.wanted), fitted=True, group=1))
    study = scenes()[goal.scene].study
    of_scene = quantity_of(goal.scene, name_of_study(goal.scene))
    measured = Axis(label_of(of_scene.label, study.symbol), of_scene.unit)
    y = Axis(_("k of θ = k arctan μ")) if goal.frictions else measured
    x = Axis(label_of(quantity.label, quantity.symbol), quantity.unit)
    curve = Curve(COMPARISON, plain(goal.title), x, y, tuple(lines), log_x=own.logarithmic)
    _draw_sheet(goal, calibration, curve, file)


def _draw_sheet(goal: Goal, calibration: CalibrationResult, curve: Curve, file: BinaryIO) -> None:
    draw(Sheet(plain(Capital(goal.title)), plain(in_words(goal, calibration)), (curve,)), file)
