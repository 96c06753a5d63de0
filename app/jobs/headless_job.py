"""A run without a window: what can be refused is refused before any work, and nothing is lost after it.

Writes `result.json` and a picture of the end state, each whole or not at all, and a film if asked for.
"""

from __future__ import annotations

import itertools
import math
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repose.app.jobs.headless_film import HeadlessFilm, open_picture_maker
from repose.app.jobs.headless_plan import Job
from repose.app.jobs.progress import Progress, say
from repose.app.render.framing import close_up, whole_scene
from repose.app.render.view import View
from repose.app.stopping import INTERRUPTED, Stop, StopAsked, stoppable
from repose.app.storage.paths import json_text, write_whole
from repose.sim.experiment.commands import SetParameters
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.snapshot import Reading, Snapshot
from repose.sim.experiment.stepping import is_finished, threads_wanted
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

if TYPE_CHECKING:
    from repose.sim.experiment.history import saved_copy
    from repose.sim.experiment.stepping import is_finished, threads_wanted
    from repose.sim.experiment.take_snapshot import take_snapshot

DONE, NOT_ALL_WRITTEN, FAULT = 0, 1, 3
RESULT = "result.json"


def run_job(job: Job) -> int:
    """Do the run and write its results; returns the exit code.

    Raises `ParameterError`, `RecorderError` or `WindowError` before any work if the results have no place to go.
    """
    film = HeadlessFilm(job.video, job.size, job.fps, job.speed / job.fps) if job.video is not None else None
    try:
        folder = output_folder(job.out, job.scene, (RESULT, f"{job.scene}.png"))
    except ParameterError:
        if film is not None:
            film.close(0.0)
        raise
    origin = job.preset if job.resumed else f"preset {job.preset}"
    title = f"{scenes()[job.scene].title}, {origin}, seed {job.seed}"
    if job.resumed is not None and job.resumed.foreign:
        say("The run was saved by another version of the program: it goes on, but not bit by bit as it would have.")
    try:
        with Progress(title, quiet=job.as_json) as progress, stoppable() as stop:
            simulation, result = _simulate(job, film, progress, stop)
    except BaseException:
        if job.out is None:
            folder.rmdir()  # nothing came of it
        raise
    return _finish(job, folder, simulation, result, film, stop)


def _simulate(job: Job, film: HeadlessFilm | None, progress: Progress, stop: Stop) -> tuple[Experiment, dict[str, Any]]:
    duration = 0.0
    try:
        progress.show("compiling the engine", None)
        from repose.sim.experiment.changes import new_experiment, resumed_experiment
        from repose.sim.experiment.control import apply
        from repose.sim.experiment.headless import run_experiment
        from repose.sim.experiment.results import results_of

        if job.resumed is None:
            simulation = new_experiment(job.scene, job.values, job.seed, job.ready)
        else:
            simulation = resumed_experiment(job.resumed)
            if job.values and (refusal := apply(simulation, SetParameters(job.values))):
                raise ParameterError(refusal)
        simulation.session.threads = job.threads

        def on_progress(phase: str, share: float | None) -> None:
            stop.check()
            progress.show(phase, share)

        until = math.inf if job.until is None else job.until
        course: Any = {"until": until, "under_way": job.resumed is not None}
        filming: Any = {} if film is None else {"on_frame": film.take, "frame_interval": job.speed / job.fps}
        try:
            result = run_experiment(simulation, on_progress=on_progress, **course, **filming)
        except StopAsked:
            result = results_of(simulation)
        duration = simulation.time
        return simulation, result
    finally:
        if film is not None:
            film.close(duration)


def _finish(
    job: Job, folder: Path, simulation: Experiment, result: dict[str, Any], film: HeadlessFilm | None, stop: Stop
) -> int:
    """Write the numbers, then the picture: a driver that crashes while drawing can no longer lose them."""
    result = result | {"preset": job.preset, "interrupted": stop.asked, "threads": threads_of(simulation)}
    if film is not None:
        result["video"] = film.outcome
    text = json_text(result, indent=2)
    complaints = [] if film is None or not film.complaint else [film.complaint]
    written = []
    try:
        write_whole(folder / RESULT, text)
        written.append(RESULT)
    except OSError as error:
        complaints.append(f"{folder / RESULT} could not be written: {error.strerror or error}.")
    if job.save is not None and (complaint := _save(simulation, job.save)):
        complaints.append(complaint)
    if job.picture:
        path = folder / f"{job.scene}.png"
        reason = _draw(simulation, job.size, path)
        if reason:
            say(f"No picture: {reason}")
        else:
            written.append(path.name)
    for sentence in (*complaints, *([simulation.fault.message] if simulation.fault else [])):
        say(sentence)
    if job.as_json:
        print(text, end="", flush=True)
    else:
        print(summary(simulation, stopped=stop.asked))
        print(f"written to       {folder} ({', '.join(written)})", flush=True)
        if film is not None:
            print(f"film             {film.path} ({film.frames} frames)", flush=True)
        if job.save is not None and job.save.exists():
            print(f"saved run        {job.save} (go on with --from)", flush=True)
    if simulation.fault is not None:
        return FAULT
    return INTERRUPTED if stop.asked else NOT_ALL_WRITTEN if complaints else DONE


def summary(simulation: Experiment, stopped: bool = False) -> str:
    """What came out, in the few lines a person reads: the readings of the scene."""
    rows = [(reading.label, _shown(reading)) for reading in simulation.scene.readings(simulation)]
    ended = f"stopped while {simulation.phase}" if stopped else simulation.scene.describe(simulation)[1]
    rows.append(("ended", ended))
    together = f", {count} threads" if (count := threads_of(simulation)) > 1 else ""
    rows.append(("simulated time", f"{simulation.time:.3f} s in {simulation.step} steps{together}"))
    complaint = simulation.scene.check(simulation)
    if complaint and not stopped and simulation.fault is None and is_finished(simulation):
        rows.append(("complaint", complaint))
    width = max(len(label) for label, _ in rows) + 2
    return "\n".join(f"{label:{width}}{words}" for label, words in rows)


def threads_of(simulation: Experiment) -> int:
    """Threads the world is stepped with at the end."""
    return simulation.session.threads or threads_wanted(simulation)


def _shown(reading: Reading) -> str:
    """The value with as many digits as its error bears."""
    if not math.isfinite(reading.value):
        return "none"
    unit = reading.unit if reading.unit in ("", "°") else f" {reading.unit}"
    if reading.error is None or not 0.0 < reading.error < math.inf:
        whole = reading.value == round(reading.value)
        return (f"{reading.value:.0f}" if whole else f"{reading.value:.4g}") + unit
    digits = max(0, 1 - math.floor(math.log10(reading.error)))
    return f"{reading.value:.{digits}f}{unit} ± {reading.error:.{digits}f}{unit}"


def _save(simulation: Experiment, path: Path) -> str:
    """Write the run to a file; returns why that was not possible, or an empty string."""
    from repose.sim.experiment.saved_run import save

    try:
        save(saved_copy(simulation), path)
    except OSError as error:
        return f"{path} could not be written: {error.strerror or error}."
    return ""


def _draw(simulation: Experiment, size: tuple[int, int], path: Path) -> str:
    """Draw the state the run ended in; returns why that was not possible, or an empty string."""
    draft = path.with_suffix(".new.png")
    try:
        from repose.app.window.picture import save_png

        snapshot = Snapshot()
        take_snapshot(simulation, snapshot)
        maker = open_picture_maker(size)
        try:
            box = whole_scene(snapshot) if snapshot.measurement is None else close_up(snapshot)
            save_png(maker.draw(snapshot, View(colour_by="layer"), box=box), draft)
        finally:
            maker.close()
        os.replace(draft, path)
    except Exception as error:  # a driver may throw anything, and the run is done and worth keeping
        draft.unlink(missing_ok=True)
        return str(error) or type(error).__name__
    return ""


def output_folder(wanted: Path | None, name: str, taken: Sequence[str]) -> Path:
    """A folder that can be written and holds none of the files `taken`; without a wish, the next free `repose-NAME-N`.

    Raises `ParameterError`.
    """
    try:
        if wanted is None:
            for number in itertools.count(1):
                folder = Path(f"repose-{name}-{number}")
                with suppress(FileExistsError):
                    folder.mkdir()
                    return folder
        assert wanted is not None
        wanted.mkdir(parents=True, exist_ok=True)
        for file in taken:
            if (wanted / file).exists():
                raise ParameterError(f"--out {wanted} already holds {file}: move it away or choose another folder.")
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except (OSError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        reason = getattr(error, "strerror", None) or error
        folder_text = wanted if wanted is not None else Path.cwd()
        raise ParameterError(
            f"--out {folder_text} cannot be written to: {reason}; choose another folder with --out."
        ) from None
