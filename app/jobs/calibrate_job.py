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
from repose.sim.parameters import Parameter, ParameterError
from repose.sim.photo.heap_in_picture import measure_picture
from repose.sim.registry import scenes
from repose.sim.study.calibration import (
    DISTANCES,
    CalibrationResult,
    Goal,
    Observation,
    VariedRange,
    calibrate,
    canonical_profile,
    fitted_profile,
    nearest,
    nothing_known,
    report,
    rounded,
)
from repose.sim.study.outcome import StudyOutcome
from repose.sim.study.plan import StudyPlan
from repose.sim.study.quantities import name_of_study, quantity_of
from repose.sim.study.runs_on_disk import StudyRuns
from repose.sim.wording import value_text

PRESET, PICTURE = "preset.toml", "calibration.png"
NEAR = 1e-6
"""Distance from an end of the range within which this end cuts an interval off, over the range [-]."""
FRICTIONS = (0.05, 0.1, 0.2)
"""Friction coefficients of θ = k arctan μ: the range of the thesis."""


def goal_of(request: CalibrationRequest) -> Goal:
    """The goal that is requested; raises `ParameterError`."""
    job = plan(RunRequest(request.scene, changes=request.changes))
    profile = _profile_in(request) if request.picture is not None else ()
    return Goal(
        scene=job.scene,
        varied=tuple(map(_range_of, request.vary)),
        wanted=1.0 if request.angle is None else request.angle,
        wanted_error=request.angle_error,
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
    entries = report(goal, nothing_known(goal), ())
    compared = ("scene", "parameter", "range", "further", "wanted", "frictions", "values")
    description: dict[str, Any] = json.loads(json_text({name: entries[name] for name in compared}))
    return description


def _run_in(folder: ResultFolder, request: CalibrationRequest, goal: Goal) -> int:
    workers = available() if request.workers is None else request.workers
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

        calibration = nothing_known(goal)
        with suppress(StopAsked):
            calibration, seen = calibrate(goal, do, show_progress)
    if stop.requested:
        print_line(f"Stopped; the same command with --out {folder.path} --resume continues.")
        return INTERRUPTED
    return _finish(folder, request, goal, calibration, seen)


def in_words(goal: Goal, calibration: CalibrationResult) -> str:
    """The values with their errors and intervals in the shown units."""
    if not calibration.is_known:
        missed = f"the fitted curve does not reach {goal.wanted:g}{goal.unit} within the range"
        if goal.profile:
            return "too few of the runs have a profile that could be fitted"
        if not calibration.coefficients:
            return missed
        symbol, unit, scale = _shown(goal.parameters[0])
        at, height = nearest(goal, calibration)
        scatter = f"single runs scatter by {calibration.residual:.2g}{goal.unit}"
        return f"{missed}: it is at {height:.3g}{goal.unit} for {symbol} = {at / scale:.3g}{unit}, and {scatter}"
    words, cut = [], []
    for own, parameter, found in zip(goal.varied, goal.parameters, calibration.estimates):
        symbol, unit, scale = _shown(parameter)
        low, high = (end / scale for end in found.interval)
        value = shown(found.value / scale, found.standard_error / scale)
        words.append(f"{symbol} = {value}{unit} (95 %: {low:.3g} to {high:.3g}{unit})")
        near = NEAR * (own.high - own.low)
        if found.interval[0] <= own.low + near or found.interval[1] >= own.high - near:
            cut.append(symbol)
    if math.isfinite(calibration.correlation):
        words.append(f"correlation of both errors {calibration.correlation:.2f}")
    if cut:
        which = f" of {' and '.join(cut)}" if len(goal.varied) > 1 else ""
        words.append(f"the range{which} cuts the interval off: widen it")
    return "; ".join(words)


def _shown(parameter: Parameter) -> tuple[str, str, float]:
    """Symbol, unit with a blank before it, and SI value of one unit."""
    quantity = parameter.quantity
    return quantity.symbol or str(quantity.label), f" {quantity.unit}".rstrip(), quantity.scale


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
        made = presets.dumps(_preset(goal, calibration))
        writers[PRESET] = lambda file: file.write(made.encode("utf-8"))
    complete = not folder.finish(writers)
    if request.json:
        print(text, end="", flush=True)
    else:
        write_out(f"{goal.title}: {in_words(goal, calibration)}\nwritten to  {folder.path}")
    return DONE if complete and calibration.is_known else NOT_ALL_WRITTEN


def _preset(goal: Goal, calibration: CalibrationResult) -> presets.Preset:
    """The scene with the calibrated value, for the window and for `repose run --preset`."""
    found = {own.name: float(f"{given.value:.4g}") for own, given in zip(goal.varied, calibration.estimates)}
    title = goal.title if len(goal.title) <= 60 else goal.title[:60]
    about = f"Calibrated: {in_words(goal, calibration)}."
    return presets.Preset(goal.scene, title, goal.scene, values={**goal.values, **found}, about=about[:200])


def _draw(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation], file: BinaryIO) -> None:
    """Observations, fitted parabola, wanted value with its error, confidence interval; of a picture the profiles."""
    if goal.profile:
        _draw_profiles(goal, calibration, seen, file)
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
    draw(Sheet(plain(Capital(goal.title)), plain(in_words(goal, calibration)), (curve,)), file)


def _draw_profiles(goal: Goal, calibration: CalibrationResult, seen: Sequence[Observation], file: BinaryIO) -> None:
    """The profile in the picture, the nearest computed one, and their difference."""
    wanted = np.array(goal.profile)
    lines = [Line(_("in the picture"), DISTANCES, wanted, points=True)]
    if calibration.is_known:
        fitted = fitted_profile(goal, seen, [found.value for found in calibration.estimates])
        lines.append(Line(_("nearest computed profile"), DISTANCES, fitted, fitted=True))
        lines.append(Line(_("difference"), DISTANCES, wanted - fitted))
    axes = Axis(_("distance from the apex over the square root of the area")), Axis(_("height over the same"))
    curve = Curve(COMPARISON, plain(goal.title), *axes, tuple(lines))
    draw(Sheet(plain(Capital(goal.title)), plain(in_words(goal, calibration)), (curve,)), file)
