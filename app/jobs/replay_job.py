"""`repose replay` and `repose export`: list, verify or film the log of a saved run, export its grains."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

from repose.app.jobs.film_plan import plan_film
from repose.app.jobs.headless_plan import title_of
from repose.app.jobs.requests import ExportRequest, ReplayRequest
from repose.app.jobs.result_folder import claim_for
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import stoppable
from repose.app.window.headless_film import HeadlessFilm
from repose.sim.direction import NOT_DIRECTED
from repose.sim.experiment.saved_side_by_side import Saved, singles
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.message import plain
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.wording import path_text, reason_of

if TYPE_CHECKING:
    from repose.sim.experiment.command_log import SavedRun
    from repose.sim.experiment.experiment import Experiment
    from repose.sim.experiment.replay import Verdict
    from repose.sim.io.export_text import Add

Found = TypeVar("Found")
AGREED, DIFFERS = 0, 3
WRITTEN, NOT_WRITTEN = 0, 1


@contextmanager
def replaying(title: str) -> Iterator[Callable[[int, int], None]]:
    """The progress of a run that is computed again, as a function of step and last step; it raises `StopAsked`."""
    with Progress(title) as progress, stoppable() as stop:
        progress.show("compiling the engine", None)

        def on_progress(at: int, end: int) -> None:
            stop.check()
            progress.show(f"replaying: step {at} of {end}", at / max(end, 1), stage="replaying")

        yield on_progress


def commands_in(path: Path) -> list[tuple[str, str, str]]:
    """Step, command and values of every entry of the log; runs side by side follow one another. Raises
    `ParameterError`."""
    return [row for saved in singles(_loaded(path)) for row in _commands_of(saved)]


def _commands_of(saved: SavedRun) -> list[tuple[str, str, str]]:
    log = saved.log
    present = log.start.now.parameters.as_given()

    def words(command: Any) -> str:
        values = getattr(command, "values", command.__dict__)
        present.update(values)
        declared = scenes()[log.scene].parameters.chosen(present).declared()  # of the law in use at this entry
        known = {name: declared[name].shown(value) if name in declared else value for name, value in values.items()}
        return ", ".join(f"{name} = {value}" for name, value in known.items())

    return [(str(entry.at), type(entry.command).__name__, words(entry.command)) for entry in log.entries]


def verify_run(path: Path, threads: int | None = None) -> int:
    """Repeat the run and report how many hashes agree; returns the exit code. Raises `ParameterError`."""
    saved = _loaded(path)
    if saved.foreign:
        print_line(
            "The run was saved by another version of the program or on another kind of machine: its hashes may differ."
        )
    with replaying(f"Replay of {path.name}") as on_progress:
        from repose.sim.experiment.replay import verify

        runs = singles(saved)
        verdicts = [verify(run, on_progress, threads) for run in runs]
    for number, (run, verdict) in enumerate(zip(runs, verdicts, strict=True), 1):
        which = f"Run {number}: " if len(runs) > 1 else ""
        if verdict.differs_at is None:
            done = f"{verdict.agreed} of {verdict.compared} state hashes agree, {len(run.log.entries)} commands"
            write_out(f"{which}{done} replayed.")
        else:
            print_line(f"{which}{difference(verdict)}")
    return AGREED if all(verdict.differs_at is None for verdict in verdicts) else DIFFERS


def film_run(request: ReplayRequest, threads: int | None) -> int:
    """Repeat the run and film the part that is requested; returns the exit code.

    Raises `ParameterError`, `RecorderError` or `WindowError` before any work.
    """
    path, since, until = request.file, request.since, request.until
    saved = single_run(path)
    listed = scenes().get(saved.log.scene)
    direction = saved.direction or (listed.direction if listed else NOT_DIRECTED)
    plan = plan_film(request.video, request.film, plain(title_of(saved)), direction)
    film = HeadlessFilm(plan.path, plan.style)
    duration, last = 0.0, None
    try:
        with replaying(f"Film of {path.name}") as on_progress:
            from repose.sim.experiment.replay import pictures, play

            played = play(
                saved, pictures(film.take, film.needs_forces), film.at_phases, since, until, on_progress, threads
            )
            duration, last = played.duration, Snapshot()
            take_snapshot(played.experiment, last, forces=film.needs_forces)
    finally:
        film.close(duration, last)
    if not film.frames and not film.complaint:
        print_line(f"There is no film: the run in {path.name} ends before {since:g} s.")
        return NOT_WRITTEN
    for sentence in (film.complaint, difference(played.verdict)):
        if sentence:
            print_line(sentence)
    write_out(f"film             {film.names} ({film.frames} frames)")
    if played.verdict.differs_at is not None:
        return DIFFERS
    return NOT_WRITTEN if film.complaint else WRITTEN


def difference(verdict: Verdict) -> str:
    """A sentence if the replay differs from the run, otherwise empty."""
    if verdict.differs_at is None:
        return ""
    return (
        f"{verdict.agreed} of {verdict.compared} state hashes agree; "
        f"the state at step {verdict.differs_at} is the first that differs."
    )


def export_run(request: ExportRequest, option: str = "--to") -> int:
    """Write the grains to a new file, at the end of the run or over time; returns the exit code.

    Raises `ParameterError`, which names the `option` with the file.
    """
    from repose.sim.io.export import format_of, with_place

    format_of(request.to, several=request.every is not None)
    claim = claim_for(option, request.to)
    try:
        return _export_states(request, lambda feed: with_place(claim, feed))
    finally:
        claim.release()


def export_for(request: ExportRequest) -> int:
    """Write the files that another program reads, or needs to continue the run, to a new folder; returns the exit code.

    Raises `ParameterError`.
    """
    from repose.sim.io.export import export_folder, program_of

    if request.program == "lammps":
        if request.every is not None:
            raise ParameterError("--every is for files that are read; --for lammps writes the last state, to continue.")
        return _export_for_lammps(request.file, request.to)
    wanted = program_of(request.program)
    if request.to.exists():
        raise ParameterError(f"--to {path_text(request.to)} exists already: name a new folder.")
    code = _export_states(request, lambda feed: export_folder(wanted, request.to, feed))
    if code == WRITTEN:
        print_line(wanted.hint)
    return code


def _export_states(request: ExportRequest, write: Callable[[Callable[[Add], object]], object]) -> int:
    """Load the run and pass the states of a part of the run to `write`; returns the exit code."""
    saved, written, verdict = single_run(request.file), [0, 0], None

    def feed(add: Add) -> None:
        nonlocal verdict
        verdict = _add_states(saved, request, add, written)

    try:
        write(feed)
    except OSError as error:
        print_line(f"{request.to} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    if verdict is not None and verdict.differs_at is not None:
        print_line(difference(verdict))
        return DIFFERS
    states = "1 state" if written[1] == 1 else f"{written[1]} states"
    where = f"at step {saved.now.now.run.step}" if request.every is None else f"in {states}"
    print_line(f"{written[0]} grains {where} written to {request.to}.")
    return WRITTEN


def _add_states(saved: SavedRun, request: ExportRequest, add: Add, written: list[int]) -> Verdict | None:
    """Call `add` for the last state, or for the states of a part of the run, which is computed again.

    `written` receives the number of spheres in the last of these states, and the number of states.
    """
    from repose.sim.experiment.changes import resumed_experiment
    from repose.sim.experiment.export_state import state_of
    from repose.sim.experiment.replay import play

    last_step = -1

    def take(experiment: Experiment, clock: float | None = None) -> float:
        nonlocal last_step
        if experiment.history.at > last_step:  # a step that is longer than the time between two states is written once
            add(state_of(experiment, clock))
            written[:] = experiment.run.world.sphere_count, written[1] + 1
        last_step = experiment.history.at
        return request.every or math.inf

    if request.every is None:
        take(resumed_experiment(saved))
        return None
    with replaying(f"Export of {request.file.name}") as on_progress:
        played = play(saved, take, since=request.since, until=request.until, on_progress=on_progress)
    if last_step < 0:
        raise ParameterError(
            f"--from {request.since:g} is refused: the run in {request.file.name} ends before that; choose less."
        )
    return played.verdict


def _export_for_lammps(path: Path, to: Path) -> int:
    from repose.sim.experiment.changes import resumed_experiment
    from repose.sim.experiment.export_state import for_lammps
    from repose.sim.io.lammps.continuation import DUMP, write_files

    experiment = resumed_experiment(single_run(path))
    exported = for_lammps(experiment)
    try:
        write_files(exported, to)
    except ParameterError as error:
        raise ParameterError(f"--to {error}") from None
    except OSError as error:
        print_line(f"{path_text(to)} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    for note in exported.notes:
        print_line(note)
    run, names = experiment.run, ", ".join(exported.files)
    print_line(f"{run.world.sphere_count} spheres at step {run.step} written to {path_text(to)}: {names}.")
    print_line(f"Afterwards compare both: repose open {quote(path_text(to / DUMP))} --beside {quote(path_text(path))}")
    return WRITTEN


def saved_runs(path: Path) -> tuple[tuple[SavedRun, ...], frozenset[str]]:
    """The runs in a file, and the names of the parameters in which they differ; raises `ParameterError`."""
    saved = _loaded(path)
    return singles(saved), getattr(saved, "differing", frozenset())


def single_run(path: Path) -> SavedRun:
    """The run in a file with one run; raises `ParameterError`."""
    from repose.sim.experiment.saved_side_by_side import load_single

    return _read(path, load_single)


def _loaded(path: Path) -> Saved:
    from repose.sim.experiment.saved_side_by_side import load

    return _read(path, load)


def _read(path: Path, load: Callable[[Path], Found]) -> Found:
    from repose.sim.io.archive import ArchiveError

    try:
        return load(path)
    except ArchiveError as error:
        raise ParameterError(str(error)) from None
