"""A run without a window: an invalid request is refused before any work, and no result of the work is lost.

Writes `result.json` and a picture of the end state, each completely or not at all, and a film if requested. During the
run `result.json` contains the results so far.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from repose.app.errors import WindowError
from repose.app.jobs.end_picture import draw_end
from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.headless_plan import Job
from repose.app.jobs.remaining_time import Outlook
from repose.app.jobs.result_folder import RESULT, ResultFolder, claim_for, reported
from repose.app.jobs.small_picture import small_picture
from repose.app.progress import Progress, print_line, write_out
from repose.app.signals import INTERRUPTED
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.app.window.headless_film import HeadlessFilm
from repose.sim.experiment.commands import PlaceInstrument, Release, SetParameters, UseThreads
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.named_records import readings_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.atomic_file import Claim
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Reading
from repose.sim.message import Message, plain, time_text
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.run_length import LengthTeller, estimate

DONE, NOT_ALL_WRITTEN, FAULT = 0, 1, 3
SAVED = "saved run"
"""Name of the error of a file that is not in the folder of results."""
RESULT_INTERVAL = 10.0
"""Wall time between two updates of the results so far [s]."""
RESULT_COST = 0.01
"""Largest share of the wall time that these updates take [-]."""


def run_job(job: Job) -> int:
    """Do the run and write its results; returns the exit code.

    Raises `ParameterError`, `RecorderError` or `WindowError` before any work if the results cannot be written.
    """
    origin = job.preset if job.resumed else f"preset {job.preset}"
    title = f"{scenes()[job.scene].title}, {origin}, seed {job.seed}"
    if job.resumed is not None and job.resumed.foreign:
        print_line(
            "The run was saved by another version of the program: the continued run may differ in the last bits."
        )
    request = job.request
    with ExitStack() as stack:
        folder = save = None
        if not job.only_prints:
            files = RESULT, picture_name(job)
            folder = stack.enter_context(ResultFolder.claimed(request.out, job.scene, files))
        if request.save is not None:
            save = claim_for("--save", request.save)
            stack.callback(save.release)
        film = None
        if request.video:
            plan = plan_film(request.video, request.film, plain(job.title), job.direction)
            film = HeadlessFilm(plan.path, plan.style)
        with Progress(title, quiet=request.json) as progress, stoppable() as stop:
            so_far = ResultsSoFar(job, folder)
            experiment, result = _simulate(job, film, progress, stop, so_far)
        text = _result_text(job, experiment, result, stop.requested, film)
        errors = _write_all(job, experiment, text, folder, save)
    fault = experiment.fault.message if experiment.fault else ""
    unfinished = film.complaint if film is not None else ""
    for sentence in (unfinished, fault, result["energy_notice"]):
        if sentence:
            print_line(str(sentence))
    if request.json:
        print(text, end="", flush=True)
    elif folder is not None:
        write_out(summary(experiment, stopped=stop.requested))
        written = [name for name in folder.claims if name not in errors and (request.picture or name == RESULT)]
        write_out(f"written to       {folder.path} ({', '.join(written)})")
        if film is not None:
            write_out(f"film             {film.names} ({film.frames} frames)")
        if save is not None and SAVED not in errors:
            write_out(f"saved run        {request.save} (continue it with --from)")
    if experiment.fault is not None:
        return FAULT
    complete = not unfinished and all(isinstance(error, WindowError) for error in errors.values())
    return INTERRUPTED if stop.requested else DONE if complete else NOT_ALL_WRITTEN


def print_estimate(job: Job) -> int:
    """Print how long the run will take, without doing it. Raises `ParameterError`."""
    until = math.inf if job.request.until is None else job.request.until
    length = estimate(job.scene, job.values, job.seed, job.ready, until)
    if job.request.json:
        numbers = {"simulated_time": length.simulated, "seconds": length.seconds, "factor": length.factor}
        print(json_text(numbers, indent=2), end="", flush=True)
    else:
        write_out(f"{job.title}: {length.words}")
    return DONE


def picture_name(job: Job) -> str:
    """Name of the file with the picture of the end state."""
    return f"{job.scene}.png"


def _write_all(
    job: Job, experiment: Experiment, text: str, folder: ResultFolder | None, save: Claim | None
) -> dict[str, Exception]:
    """Write the result, the saved run and the picture; returns the errors by name of the file.

    The picture is last, so that a driver that crashes while drawing loses no other file.
    """
    errors = {} if folder is None else folder.finish({RESULT: lambda file: file.write(text.encode("utf-8"))})
    if save is not None and (error := reported(save.path, partial(_save, experiment, save))):
        errors[SAVED] = error
    if folder is not None and job.request.picture:
        errors |= folder.finish({picture_name(job): partial(draw_end, experiment, job.request.film)})
    if save is not None and SAVED not in errors and job.request.picture:
        with suppress(Exception):  # a driver may raise anything; the run is already saved, without a picture
            snapshot = Snapshot()
            take_snapshot(experiment, snapshot)
            _save(experiment, save, small_picture(snapshot))
    return errors


@dataclass
class ResultsSoFar:
    """Writes `result.json` during the run, so that a run that is killed leaves the results so far."""

    job: Job
    folder: ResultFolder | None
    """None for a run that writes no such file."""
    due: float = 0.0
    """Wall time at which the next version is written [s]."""

    def write(self, experiment: Experiment) -> None:
        """Write a version if one is due; a full disk is reported at the end of the run."""
        began = time.monotonic()
        if self.folder is None or began < self.due:
            return
        from repose.sim.experiment.results import results_of

        text = _result_text(self.job, experiment, results_of(experiment), interrupted=True)
        with suppress(OSError):
            self.folder.write(RESULT, lambda file: file.write(text.encode("utf-8")))
        now = time.monotonic()
        self.due = now + max(RESULT_INTERVAL, (now - began) / RESULT_COST)


def _result_text(
    job: Job, experiment: Experiment, result: dict[str, Any], interrupted: bool, film: HeadlessFilm | None = None
) -> str:
    """The content of `result.json`."""
    whole = result | {"preset": job.preset, "interrupted": interrupted, "threads": threads_of(experiment)}
    return json_text(whole if film is None else whole | {"video": film.outcome}, indent=2)


def _simulate(
    job: Job, film: HeadlessFilm | None, progress: Progress, stop: Stop, so_far: ResultsSoFar
) -> tuple[Experiment, dict[str, Any]]:
    duration, last = 0.0, None
    try:
        progress.show("compiling the engine", None)
        from repose.sim.experiment.changes import new_experiment, require_continuable, resumed_experiment
        from repose.sim.experiment.control import apply
        from repose.sim.experiment.headless import run_experiment
        from repose.sim.experiment.results import results_of

        if job.resumed is None:
            experiment = new_experiment(
                job.scene, job.values, job.seed, job.ready, direction=job.direction, instruments=job.instruments
            )
        else:
            require_continuable(job.resumed, job.values, job.instruments)
            experiment = resumed_experiment(job.resumed)
            if holds(experiment.run):  # the run was saved during a drag, whose mouse is not here
                apply(experiment, Release())
            for instrument in job.instruments:
                if refusal := apply(experiment, PlaceInstrument(instrument)):
                    raise ParameterError(refusal)
            if job.values and (refusal := apply(experiment, SetParameters(job.values))):
                raise ParameterError(refusal)
        apply(experiment, UseThreads(job.threads))

        until = math.inf if job.request.until is None else job.request.until
        outlook = Outlook(until)
        say_crowded = sayer_of_crowding(experiment)
        teller = LengthTeller(until) if job.resumed is None else None

        def on_progress(phase: Message, share: float | None) -> None:
            stop.check()
            say_crowded()
            if teller is not None and (length := teller.words(experiment)):
                print_line(str(length))
            progress.show(str(phase), share, outlook.words(experiment), stage=experiment.phase)
            so_far.write(experiment)

        course: Any = {"until": until, "under_way": job.resumed is not None}
        filming: Any = {}
        if film is not None:
            filming = {"on_frame": film.take, "at_phases": film.at_phases, "forces": film.needs_forces}
        try:
            result = run_experiment(experiment, on_progress=on_progress, **course, **filming)
        except StopAsked:
            result = results_of(experiment)
        duration = experiment.time
        if film is not None:
            progress.show("completing the film", None)
            last = Snapshot()
            take_snapshot(experiment, last, forces=film.needs_forces)
        return experiment, result
    finally:
        if film is not None:
            film.close(duration, last)


def summary(experiment: Experiment, stopped: bool = False) -> str:
    """The readings of the scene as a few lines of text."""
    rows: list[tuple[str, str]] = [(str(reading.whole_label), _shown(reading)) for reading in readings_of(experiment)]
    ended = f"stopped while {experiment.phase}" if stopped else experiment.scene.course.describe(experiment)[1]
    rows.append(("ended", str(ended)))
    together = f", {count} threads" if (count := threads_of(experiment)) > 1 else ""
    rows.append(("simulated time", f"{time_text(experiment.time)} in {experiment.step} steps{together}"))
    complaint = experiment.scene.course.check(experiment)
    if complaint and not stopped and experiment.fault is None and is_finished(experiment):
        rows.append(("complaint", str(complaint)))
    width = max(len(label) for label, _ in rows) + 2
    return "\n".join(f"{label:{width}}{words}" for label, words in rows)


def sayer_of_crowding(experiment: Experiment) -> Callable[[], None]:
    """A function to call during the run: it reports once if fewer threads than allowed advance the grains."""
    said = False

    def say_crowded() -> None:
        nonlocal said
        if not said and (sentence := experiment.session.thread_choice.crowded):
            said = True
            print_line(sentence)

    return say_crowded


def threads_of(experiment: Experiment) -> int:
    """Threads in use at the end."""
    return experiment.session.thread_choice.used


def _shown(reading: Reading) -> str:
    """The value rounded to the digits that its error justifies."""
    if not math.isfinite(reading.value):
        return "none"
    reading = reading.readable()
    unit = reading.unit if reading.unit in ("", "°") else f" {reading.unit}"
    if reading.error is None or not 0.0 < reading.error < math.inf:
        return reading.digits + unit
    digits = max(0, 1 - math.floor(math.log10(reading.error)))
    words = f"{reading.value:.{digits}f}{unit} ± {reading.error:.{digits}f}{unit}"
    return f"{words} ({reading.error_of})" if reading.error_of else words


def _save(experiment: Experiment, place: Claim, picture: bytes = b"") -> None:
    """Save the whole run, with a small picture for the list of recent runs."""
    from repose.sim.experiment import saved_run

    place.write_early(lambda file: saved_run.write(saved_copy(experiment, at_once=True), file, picture))
