"""A calibration without a window: runs in a folder that can be continued, then result.json, a picture and a preset."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from repose.app.jobs.headless_job import DONE, INTERRUPTED, NOT_ALL_WRITTEN
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.photo_job import marks_of
from repose.app.jobs.remaining_time import Countdown
from repose.app.jobs.requests import CalibrationRequest, RunRequest
from repose.app.jobs.result_folder import RESULT, RUNS, ResultFolder, RunsInFolder, Writers
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import StopAsked, stoppable
from repose.app.storage.photo_files import read_photo
from repose.app.storage.plot_files import Sheet, draw
from repose.sim.engine.thread_count import available
from repose.sim.experiment.comparison import shown
from repose.sim.io import presets
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import COMPARISON, Axis, Curve, Line
from repose.sim.message import Capital, _, label_of, plain
from repose.sim.numbers import read_number
from repose.sim.parameters import ParameterError
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.registry import scenes
from repose.sim.study.calibration import (
    DISTANCES,
    CalibrationResult,
    Goal,
    Observation,
    calibrate,
    canonical_profile,
    fitted_profile,
    nearest,
    place,
    report,
    rounded,
    value_at,
)
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import name_of_study, quantity_of
from repose.sim.study.runs_on_disk import StudyRuns
from repose.sim.wording import value_text

PRESET, PICTURE = "preset.toml", "calibration.png"
NEAR = 1e-6
"""Relative distance from an end of the range within which this end cuts an interval off [-]."""
FRICTIONS = (0.05, 0.1, 0.2)
"""Friction coefficients of θ = k arctan μ: the range of the thesis."""


def goal_of(request: CalibrationRequest) -> Goal:
    """The goal that is requested; raises `ParameterError`."""
    job = plan(RunRequest(request.scene, changes=request.changes))
    name, equals, text = request.vary.partition("=")
    ends = [read_number(word) for word in text.split(":")]
    if not equals or len(ends) != 2 or any(isinstance(end, str) for end in ends):
        raise ParameterError(
            f"--vary {value_text(request.vary)} is refused: write it as NAME=LOW:HIGH in SI, such as "
            "shear_stiffness=5:400."
        )
    low, high = (float(end) for end in ends)
    profile = _profile_in(request) if request.picture is not None else ()
    return Goal(
        scene=job.scene,
        name=name.strip(),
        low=low,
        high=high,
        wanted=1.0 if request.angle is None else request.angle,
        wanted_error=request.angle_error,
        frictions=FRICTIONS if request.angle is None and not profile else (),
        profile=profile,
        values=job.values,
        precision=request.precision,
        most_runs=request.runs,
    ).check()


def _profile_in(request: CalibrationRequest) -> tuple[float, ...]:
    """The profile of the heap in the picture, in units of its size; raises `ParameterError`."""
    assert request.picture is not None
    photo = read_photo(request.picture)
    heap = measure_picture(photo.pixels, marks_of(request.marks), photo.step)
    profile = canonical_profile(heap.x, heap.height)
    assert profile is not None  # it has a flank
    return tuple(rounded(height) for height in profile)


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
    entries = report(goal, CalibrationResult(math.nan, math.inf, (0.0, 0.0), (), math.nan), ())
    compared = ("scene", "parameter", "range", "wanted", "frictions", "values")
    description: dict[str, Any] = json.loads(json_text({name: entries[name] for name in compared}))
    return description


def _run_in(folder: ResultFolder, request: CalibrationRequest, goal: Goal) -> int:
    workers = request.workers or available()
    countdown = Countdown()
    last: list[tuple[CalibrationResult, int]] = []
    seen: list[Observation] = []
    with Progress(goal.title, quiet=request.json) as progress, stoppable() as stop:

        def do(batch: StudyPlan) -> StudyOutcome:
            runs = StudyRuns((batch,), folder.path / RUNS)

            def on_progress(words: str, share: float) -> None:
                stop.check()
                done = last[-1][1] if last else 0
                whole = min(1.0, (done + share * len(runs.runs[batch.name])) / goal.most_runs)
                progress.show(words, whole, countdown.words(whole), stage="runs")

            runs.do(runs.begin(), workers, on_progress, lambda *_: None)
            return runs.outcome(batch)

        def show_progress(calibration: CalibrationResult, runs: int) -> None:
            last.append((calibration, runs))
            progress.print_line(f"{runs} runs: {in_words(goal, calibration)}")

        calibration = CalibrationResult(math.nan, math.inf, (goal.low, goal.high), (), math.nan)
        with suppress(StopAsked):
            calibration, seen = calibrate(goal, do, show_progress)
    if stop.requested:
        print_line(f"Stopped; the same command with --out {folder.path} --resume continues.")
        return INTERRUPTED
    return _finish(folder, request, goal, calibration, seen)


def in_words(goal: Goal, calibration: CalibrationResult) -> str:
    """The value with its error and interval in the shown unit."""
    quantity = goal.parameter.quantity
    symbol, unit = quantity.symbol or quantity.label, f" {quantity.unit}".rstrip()
    if not math.isfinite(calibration.value):
        missed = f"the fitted curve does not reach {goal.wanted:g}{goal.unit} within the range"
        if not calibration.coefficients:
            return missed
        at, height = nearest(goal, calibration)
        scatter = f"single runs scatter by {calibration.residual:.2g}{goal.unit}"
        return (
            f"{missed}: it is at {height:.3g}{goal.unit} for {symbol} = {at / quantity.scale:.3g}{unit}, and {scatter}"
        )
    value, error = calibration.value / quantity.scale, calibration.standard_error / quantity.scale
    low, high = (end / quantity.scale for end in calibration.interval)
    words = f"{symbol} = {shown(value, error)}{unit} (95 %: {low:.3g} to {high:.3g}{unit})"
    cut = calibration.interval[0] <= goal.low * (1.0 + NEAR) or calibration.interval[1] >= goal.high * (1.0 - NEAR)
    return f"{words}; the range cuts the interval off: widen it" if cut else words


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
    if math.isfinite(calibration.value):
        made = presets.dumps(_preset(goal, calibration))
        writers[PRESET] = lambda file: file.write(made.encode("utf-8"))
    complete = not folder.finish(writers)
    if request.json:
        print(text, end="", flush=True)
    else:
        write_out(f"{goal.title}: {in_words(goal, calibration)}\nwritten to  {folder.path}")
    return DONE if complete and math.isfinite(calibration.value) else NOT_ALL_WRITTEN


def _preset(goal: Goal, calibration: CalibrationResult) -> presets.Preset:
    """The scene with the calibrated value, for the window and for `repose run --preset`."""
    value = float(f"{calibration.value:.4g}")
    title = goal.title if len(goal.title) <= 60 else goal.title[:60]
    about = f"Calibrated: {in_words(goal, calibration)}."
    return presets.Preset(goal.scene, title, goal.scene, values={**goal.values, goal.name: value}, about=about[:200])


def _draw(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation], file: BinaryIO) -> None:
    """Observations, fitted parabola, wanted value with its error, confidence interval; of a picture the profiles."""
    if goal.profile:
        _draw_profiles(goal, calibration, seen, file)
        return
    quantity = goal.parameter.quantity
    scale = quantity.scale
    ends = place(goal, np.array([goal.low, goal.high]))
    fine = value_at(goal, np.linspace(ends[0], ends[1], 100))
    at, found_y = (np.array([getattr(entry, name) for entry in seen]) for name in ("at", "y"))
    lines = [Line(_("runs"), at / scale, found_y, points=True)]
    if calibration.coefficients:
        lines.append(
            Line(
                _("fitted parabola"),
                fine / scale,
                np.polyval(np.array(calibration.coefficients), place(goal, fine)),
                fitted=True,
            )
        )
    lines.append(Line(_("wanted"), np.array([goal.low, goal.high]) / scale, np.full(2, goal.wanted)))
    if math.isfinite(calibration.value):
        bounds = np.array([calibration.interval[0], calibration.value, calibration.interval[1]]) / scale
        lines.append(Line(_("95 % confidence"), bounds, np.full(3, goal.wanted), fitted=True, group=1))
    study = scenes()[goal.scene].study
    own = quantity_of(goal.scene, name_of_study(goal.scene))
    y = Axis(_("k of θ = k arctan μ")) if goal.frictions else Axis(label_of(own.label, study.symbol), own.unit)
    x = Axis(label_of(quantity.label, quantity.symbol), quantity.unit)
    curve = Curve(COMPARISON, plain(goal.title), x, y, tuple(lines), log_x=goal.logarithmic)
    draw(Sheet(plain(Capital(goal.title)), plain(in_words(goal, calibration)), (curve,)), file)


def _draw_profiles(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation], file: BinaryIO) -> None:
    """The profile in the picture, the nearest computed one, and their difference."""
    wanted = np.array(goal.profile)
    lines = [Line(_("in the picture"), DISTANCES, wanted, points=True)]
    if math.isfinite(calibration.value):
        fitted = fitted_profile(goal, seen, calibration.value)
        lines.append(Line(_("nearest computed profile"), DISTANCES, fitted, fitted=True))
        lines.append(Line(_("difference"), DISTANCES, wanted - fitted))
    axes = Axis(_("distance from the apex over the square root of the area")), Axis(_("height over the same"))
    curve = Curve(COMPARISON, plain(goal.title), *axes, tuple(lines))
    draw(Sheet(plain(Capital(goal.title)), plain(in_words(goal, calibration)), (curve,)), file)
