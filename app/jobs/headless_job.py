"""A run without a window: an invalid request is refused before any work, and no result of the work is lost.

Writes `result.json` and a picture of the end state, each completely or not at all, and a film if requested. During the
run `result.json` contains the results so far.
"""

from __future__ import annotations

import itertools
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from repose.app.jobs.headless_film import HeadlessFilm, open_picture_maker
from repose.app.jobs.headless_plan import Job
from repose.app.jobs.remaining_time import Outlook
from repose.app.jobs.small_picture import small_picture
from repose.app.progress import Progress, print_line, write_out
from repose.app.render.follow import first_camera
from repose.app.render.framing import close_up, picture_room, picture_scale, whole_scene
from repose.app.render.passes import band, needs_forces
from repose.app.signals import INTERRUPTED
from repose.app.stopping import Stop, StopAsked, stoppable
from repose.app.storage.view_settings import View
from repose.app.window.window import WindowError
from repose.sim.experiment.commands import Release, SetParameters, UseThreads
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.named_records import readings_of
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.atomic_file import Claim, claim, remove_leftovers
from repose.sim.io.json_text import json_text
from repose.sim.measure.display import Reading
from repose.sim.message import Message, plain, time_text
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.wording import described, path_text, reason_of

DONE, NOT_ALL_WRITTEN, FAULT = 0, 1, 3
RESULT = "result.json"
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
    places = _claimed(job)
    try:
        film = HeadlessFilm(job.film, plain(job.title)) if job.film is not None else None
        with Progress(title, quiet=job.as_json) as progress, stoppable() as stop:
            so_far = ResultsSoFar(job, places.claims.get("result"))
            experiment, result = _simulate(job, film, progress, stop, so_far)
        return _finish(job, places, experiment, result, film, stop)
    finally:
        places.release()


@dataclass
class Places:
    """The files that a run writes, claimed before it begins."""

    folder: Path | None
    """None for a run whose result is only printed."""
    made: bool
    """Whether the folder was made for this run."""
    claims: dict[str, Claim] = field(default_factory=dict)
    """By content: "result", "picture", "save"."""

    def release(self) -> None:
        """Release names that were not used, and delete the folder if it is empty."""
        for reserved in self.claims.values():
            reserved.release()
        if self.made and self.folder is not None:
            with suppress(OSError):
                self.folder.rmdir()


def _claimed(job: Job) -> Places:
    """Claim the names of all files except the film; raises `ParameterError`."""
    wanted: dict[str, tuple[str, Path]] = {}
    if job.only_prints:
        places = Places(None, False)
    else:
        folder, made = output_folder(job.out, job.scene, (RESULT, f"{job.scene}.png"))
        places = Places(folder, made)
        wanted["result"] = "--out", folder / RESULT
        if job.picture:
            wanted["picture"] = "--out", folder / f"{job.scene}.png"
    if job.save is not None:
        wanted["save"] = ("--save", job.save)
    try:
        for name, (option, path) in wanted.items():
            places.claims[name] = claim_for(option, path)
    except ParameterError:
        places.release()
        raise
    return places


def claim_for(option: str, path: Path) -> Claim:
    """Claim the file name that is the value of an option; raises `ParameterError`."""
    try:
        return claim(path)
    except FileExistsError:
        raise ParameterError(f"{option} {path_text(path)} exists already: choose another name.") from None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise ParameterError(
            f"{option} {path_text(path)} cannot be written to: {reason}; choose another name."
        ) from None


@dataclass
class ResultsSoFar:
    """Writes `result.json` during the run, so that a run that is killed leaves the results so far."""

    job: Job
    claim: Claim | None
    """None for a run that writes no such file."""
    due: float = 0.0
    """Wall time at which the next version is written [s]."""

    def write(self, experiment: Experiment) -> None:
        """Write a version if one is due; a full disk is reported at the end of the run."""
        began = time.monotonic()
        if self.claim is None or began < self.due:
            return
        from repose.sim.experiment.results import results_of

        text = _result_text(self.job, experiment, results_of(experiment), interrupted=True)
        with suppress(OSError):
            self.claim.write_early(lambda file: file.write(text.encode("utf-8")))
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
        from repose.sim.experiment.changes import new_experiment, resumed_experiment
        from repose.sim.experiment.control import apply
        from repose.sim.experiment.headless import run_experiment
        from repose.sim.experiment.results import results_of

        if job.resumed is None:
            experiment = new_experiment(job.scene, job.values, job.seed, job.ready)
        else:
            experiment = resumed_experiment(job.resumed)
            if holds(experiment.run):  # the run was saved during a drag, whose mouse is not here
                apply(experiment, Release())
            if job.values and (refusal := apply(experiment, SetParameters(job.values))):
                raise ParameterError(refusal)
        apply(experiment, UseThreads(job.threads))

        until = math.inf if job.until is None else job.until
        outlook = Outlook(until)
        say_crowded = sayer_of_crowding(experiment)

        def on_progress(phase: Message, share: float | None) -> None:
            stop.check()
            say_crowded()
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


def _finish(
    job: Job, places: Places, experiment: Experiment, result: dict[str, Any], film: HeadlessFilm | None, stop: Stop
) -> int:
    """Write and report the results; returns the exit code."""
    text = _result_text(job, experiment, result, stop.asked, film)
    complaints = [] if film is None or not film.complaint else [str(film.complaint)]
    written = []
    folder, claims = places.folder, places.claims
    for name, write in _writers(job, experiment, text).items():
        if name not in claims:
            continue
        try:
            claims[name].write_early(write)
            written.append(name)
        except WindowError as error:
            print_line(f"No picture: {error}")  # expected on a machine without OpenGL
        except Exception as error:  # a driver may raise anything; the other files must be written
            reason = reason_of(error, described(error))
            complaints.append(f"{claims[name].path} could not be written: {reason}.")
    if job.picture and "save" in written:
        _illustrate(experiment, claims["save"])
    fault = experiment.fault.message if experiment.fault else ""
    for sentence in (*complaints, fault, result["energy_notice"]):
        if sentence:
            print_line(sentence)
    if job.as_json:
        print(text, end="", flush=True)
    else:
        write_out(summary(experiment, stopped=stop.asked))
        results = [claims[name].path.name for name in written if name != "save"]
        write_out(f"written to       {folder} ({', '.join(results)})")
        if film is not None:
            write_out(f"film             {film.names} ({film.frames} frames)")
        if "save" in written:
            write_out(f"saved run        {job.save} (continue it with --from)")
    if experiment.fault is not None:
        return FAULT
    return INTERRUPTED if stop.asked else NOT_ALL_WRITTEN if complaints else DONE


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


def _writers(job: Job, experiment: Experiment, text: str) -> dict[str, Callable[[BinaryIO], object]]:
    """The function that writes each file; the picture is last, so that a driver that crashes while drawing loses no
    other file."""
    from repose.sim.experiment import saved_run

    writers: dict[str, Callable[[BinaryIO], object]] = {"result": lambda file: file.write(text.encode("utf-8"))}
    if job.save is not None:
        writers["save"] = lambda file: saved_run.write(saved_copy(experiment), file)
    if job.picture:
        writers["picture"] = lambda file: _draw(experiment, job, file)
    return writers


def _illustrate(experiment: Experiment, reserved: Claim) -> None:
    """Put a small picture into the saved run, for the list of recent runs; without a message if it cannot be drawn."""
    from repose.sim.experiment import saved_run

    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    with suppress(Exception):  # a driver may raise anything; the run is already saved, without a picture
        picture = small_picture(snapshot)
        reserved.write_early(lambda file: saved_run.write(saved_copy(experiment), file, picture))


def _draw(experiment: Experiment, job: Job, file: BinaryIO) -> None:
    """Draw the last state of the run; raises `WindowError` without OpenGL."""
    snapshot, view, size = Snapshot(), View(shown=dict.fromkeys(job.shown, True)), job.size
    take_snapshot(experiment, snapshot, forces=needs_forces(view))
    maker = open_picture_maker(size)
    try:
        from repose.app.storage.png import save_png

        about = origin_of(experiment.scene, experiment.seed, experiment.time, experiment.parameters)
        if snapshot.grains.parts:  # bodies move through a larger scene
            beside = band(snapshot, view, size[0], picture_scale(size) * view.text_scale)
            camera = first_camera(snapshot, size, picture_room(size, view.text_scale, beside))
            save_png(maker.draw(snapshot, view, camera), file, about)
            return
        box = whole_scene(snapshot) if snapshot.results.slope is None else close_up(snapshot)
        save_png(maker.draw(snapshot, view, box=box), file, about)
    finally:
        maker.close()


def output_folder(wanted: Path | None, name: str, taken: Sequence[str] | None) -> tuple[Path, bool]:
    """A folder that contains none of the files `taken`, and whether it is new; by default the next free
    `repose-NAME-N`.

    With `taken=None` the folder may contain only hidden files, such as the claim of a running study. Raises
    `ParameterError`.
    """
    try:
        if wanted is None:
            for number in itertools.count(1):
                folder = Path(f"repose-{name}-{number}")
                with suppress(FileExistsError):
                    folder.mkdir()
                    return folder, True
        assert wanted is not None
        new = not wanted.exists()
        wanted.mkdir(parents=True, exist_ok=True)
        remove_leftovers(wanted)
        found = sorted(path.name for path in wanted.iterdir() if not path.name.startswith("."))
        for file in found if taken is None else [name for name in taken if (wanted / name).exists()]:
            raise ParameterError(
                f"--out {path_text(wanted)} already contains {file}: move it away or choose another folder."
            )
        with tempfile.TemporaryFile(dir=wanted):
            return wanted, new
    except (OSError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        reason = reason_of(error)
        folder_text = wanted if wanted is not None else "the current folder"
        raise ParameterError(
            f"--out {path_text(folder_text)} cannot be written to: {reason}; choose another folder with --out."
        ) from None
