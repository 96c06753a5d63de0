"""`repose replay` and `repose export`: list, verify or film the log of a saved run, export its grains."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from repose.app.jobs.film_plan import FilmPlan
from repose.app.jobs.headless_film import HeadlessFilm
from repose.app.jobs.headless_job import claim_for
from repose.app.jobs.headless_plan import title_of
from repose.app.progress import Progress, print_line, write_out
from repose.app.stopping import stoppable
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
SHORTEST = 1e-6
"""Shortest time between two exported states [s]."""


class ExportedPart(NamedTuple):
    """The states of a run that are exported."""

    every: float | None = None
    """Simulated time between two states [s]; None for the last state alone."""
    since: float = 0.0
    """Simulated time of the first state [s]."""
    until: float = math.inf
    """Simulated time at which the part ends [s]."""


def commands_in(path: Path) -> list[tuple[str, str, str]]:
    """Step, command and values of every entry of the log; runs side by side follow one another. Raises
    `ParameterError`."""
    return [row for saved in singles(_loaded(path)) for row in _commands_of(saved)]


def _commands_of(saved: SavedRun) -> list[tuple[str, str, str]]:
    log = saved.log
    present = log.start.now.parameters.model_dump()

    def words(command: Any) -> str:
        values = getattr(command, "values", command.__dict__)
        present.update(values)
        declared = scenes()[log.scene].parameters.chosen(present).declared()  # of the law in use at this entry
        known = {name: declared[name].shown(value) if name in declared else value for name, value in values.items()}
        return ", ".join(f"{name} = {value}" for name, value in known.items())

    return [(str(entry.at), type(entry.command).__name__, words(entry.command)) for entry in log.entries]


def verify_run(path: Path, quiet: bool = False, threads: int | None = None) -> int:
    """Repeat the run and report how many hashes agree; returns the exit code. Raises `ParameterError`."""
    saved = _loaded(path)
    if saved.foreign:
        print_line(
            "The run was saved by another version of the program or on another kind of machine: its hashes may differ."
        )
    with Progress(f"Replay of {path.name}", quiet=quiet) as progress, stoppable() as stop:
        progress.show("compiling the engine", None)
        from repose.sim.experiment.replay import verify

        def on_progress(at: int, end: int) -> None:
            stop.check()
            progress.show(f"replaying: step {at} of {end}", at / max(end, 1), stage="replaying")

        runs = singles(saved)
        verdicts = [verify(run, on_progress, threads) for run in runs]
    for number, (run, verdict) in enumerate(zip(runs, verdicts, strict=True), 1):
        which = f"Run {number}: " if len(runs) > 1 else ""
        if verdict.differs_at is None:
            done = f"{verdict.agreed} of {verdict.compared} state hashes agree, {len(run.log.entries)} commands"
            write_out(f"{which}{done} replayed.")
        else:
            print_line(f"{which}{_difference(verdict)}")
    return AGREED if all(verdict.differs_at is None for verdict in verdicts) else DIFFERS


def film_run(
    path: Path,
    plan: FilmPlan,
    since: float = 0.0,
    until: float = math.inf,
    threads: int | None = None,
    quiet: bool = False,
) -> int:
    """Repeat the run and film the part from `since` to `until` [simulated s]; returns the exit code.

    Raises `ParameterError`, `RecorderError` or `WindowError` before any work.
    """
    if not 0.0 <= since < until:
        raise ParameterError(
            f"--from {since:g} --to {until:g} is refused: the film must begin at 0 s or later and end after."
        )
    saved = _single(path)
    film, duration, last = HeadlessFilm(plan, plain(title_of(saved))), 0.0, None
    try:
        with Progress(f"Film of {path.name}", quiet=quiet) as progress, stoppable() as stop:
            progress.show("compiling the engine", None)
            from repose.sim.experiment.replay import pictures, play

            def on_progress(at: int, end: int) -> None:
                stop.check()
                progress.show(f"replaying: step {at} of {end}", at / max(end, 1), stage="replaying")

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
    for sentence in (film.complaint, _difference(played.verdict)):
        if sentence:
            print_line(sentence)
    write_out(f"film             {film.names} ({film.frames} frames)")
    if played.verdict.differs_at is not None:
        return DIFFERS
    return NOT_WRITTEN if film.complaint else WRITTEN


def _difference(verdict: Verdict) -> str:
    """A sentence if the replay differs from the run, otherwise empty."""
    if verdict.differs_at is None:
        return ""
    return (
        f"{verdict.agreed} of {verdict.compared} state hashes agree; "
        f"the state at step {verdict.differs_at} is the first that differs."
    )


def export_run(path: Path, to: Path, part: ExportedPart, option: str = "--to") -> int:
    """Write the grains to a new file, at the end of the run or over time; returns the exit code.

    Raises `ParameterError`, which names the `option` with the file.
    """
    from repose.sim.io.export import format_of, with_place

    format_of(to, several=part.every is not None)
    claim = claim_for(option, to)
    try:
        return _export_states(path, to, part, lambda feed: with_place(claim, feed))
    finally:
        claim.release()


def export_for(program: str, path: Path, to: Path, part: ExportedPart) -> int:
    """Write the files that another program reads, or needs to continue the run, to a new folder; returns the exit code.

    Raises `ParameterError`.
    """
    from repose.sim.io.export import export_folder, program_of

    if program == "lammps":
        if part.every is not None:
            raise ParameterError("--every is for files that are read; --for lammps writes the last state, to continue.")
        return _export_for_lammps(path, to)
    wanted = program_of(program)
    if to.exists():
        raise ParameterError(f"--to {path_text(to)} exists already: name a new folder.")
    code = _export_states(path, to, part, lambda feed: export_folder(wanted, to, feed))
    if code == WRITTEN:
        print_line(wanted.hint)
    return code


def _export_states(path: Path, to: Path, part: ExportedPart, write: Callable[[Callable[[Add], object]], object]) -> int:
    """Load the run and pass the states of a part of the run to `write`; returns the exit code."""
    if not 0.0 <= part.since < part.until:
        raise ParameterError(
            f"--from {part.since:g} --until {part.until:g} is refused: it must begin at 0 s or later and end after."
        )
    if part.every is None and part != ExportedPart():
        raise ParameterError(
            "--from and --until choose a part of a run: give the time between two states with --every."
        )
    if part.every is not None and not SHORTEST <= part.every < math.inf:
        raise ParameterError(
            f"--every {part.every:g} is refused: the time between two states is at least {SHORTEST:g} s."
        )
    saved, written, verdict = _single(path), [0, 0], None

    def feed(add: Add) -> None:
        nonlocal verdict
        verdict = _add_states(saved, path.name, part, add, written)

    try:
        write(feed)
    except OSError as error:
        print_line(f"{to} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    if verdict is not None and verdict.differs_at is not None:
        print_line(_difference(verdict))
        return DIFFERS
    states = "1 state" if written[1] == 1 else f"{written[1]} states"
    where = f"at step {saved.now.now.run.step}" if part.every is None else f"in {states}"
    print_line(f"{written[0]} grains {where} written to {to}.")
    return WRITTEN


def _add_states(saved: SavedRun, name: str, part: ExportedPart, add: Add, written: list[int]) -> Verdict | None:
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
        return part.every or math.inf

    if part.every is None:
        take(resumed_experiment(saved))
        return None
    with Progress(f"Export of {name}") as progress, stoppable() as stop:

        def on_progress(at: int, end: int) -> None:
            stop.check()
            progress.show(f"replaying: step {at} of {end}", at / max(end, 1), stage="replaying")

        played = play(saved, take, since=part.since, until=part.until, on_progress=on_progress)
    if last_step < 0:
        raise ParameterError(f"--from {part.since:g} is refused: the run in {name} ends before that; choose less.")
    return played.verdict


def _export_for_lammps(path: Path, to: Path) -> int:
    from repose.sim.experiment.export_state import for_lammps
    from repose.sim.io.lammps.continuation import DATA, SCRIPT, write_files

    saved = _single(path)
    now = saved.now.now
    exported = for_lammps(scenes()[saved.log.scene], now.parameters, now.restored())
    try:
        write_files(exported, to)
    except ParameterError as error:
        raise ParameterError(f"--to {error}") from None
    except OSError as error:
        print_line(f"{path_text(to)} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    for note in exported.notes:
        print_line(note)
    print_line(f"{now.run.world.sphere_count} spheres at step {now.run.step} written to {to / DATA} and {to / SCRIPT}.")
    return WRITTEN


def saved_runs(path: Path) -> tuple[tuple[SavedRun, ...], frozenset[str]]:
    """The runs in a file, and the names of the parameters in which they differ; raises `ParameterError`."""
    saved = _loaded(path)
    return singles(saved), getattr(saved, "differing", frozenset())


def _single(path: Path) -> SavedRun:
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
