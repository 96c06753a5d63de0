"""`repose replay` and `repose export`: list or verify the log of a saved run, export its grains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from repose.app.jobs.headless_job import claim_for
from repose.app.progress import Progress, say
from repose.app.stopping import stoppable
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

AGREED, DIFFERS = 0, 3
WRITTEN, NOT_WRITTEN = 0, 1


def commands_in(path: Path) -> list[tuple[str, str, str]]:
    """Step, command and what it was given, for every entry of the log; raises `ParameterError`."""
    log = _loaded(path).log
    present = log.start.now.parameters.model_dump()

    def words(command: Any) -> str:
        values = getattr(command, "values", command.__dict__)
        present.update(values)
        declared = scenes()[log.scene].parameters.chosen(present).declared()  # of the law in use at this entry
        known = {name: declared[name].shown(value) if name in declared else value for name, value in values.items()}
        return ", ".join(f"{name} = {value}" for name, value in known.items())

    return [(str(entry.at), type(entry.command).__name__, words(entry.command)) for entry in log.entries]


def verify_run(path: Path, quiet: bool = False, threads: int | None = None) -> int:
    """Run it again and report how many hashes agree; returns the exit code. Raises `ParameterError`."""
    saved = _loaded(path)
    if saved.foreign:
        say("The run was saved by another version of the program or on another kind of machine: its hashes may differ.")
    with Progress(f"Replay of {path.name}", quiet=quiet) as progress, stoppable() as stop:
        progress.show("compiling the engine", None)
        from repose.sim.experiment.replay import verify

        def on_progress(at: int, end: int) -> None:
            stop.check()
            progress.show(f"step {at} of {end}", at / max(end, 1))

        verdict = verify(saved, on_progress, threads)
    if verdict.differs_at is None:
        print(f"{verdict.agreed} of {verdict.compared} state hashes agree, {len(saved.log.entries)} commands replayed.")
        return AGREED
    say(
        f"{verdict.agreed} of {verdict.compared} state hashes agree; "
        f"the state at step {verdict.differs_at} is the first that differs."
    )
    return DIFFERS


def export_run(path: Path, to: Path) -> int:
    """Write the grains of the run's last state to a new file; returns the exit code. Raises `ParameterError`."""
    from repose.sim.io.export import ExportedState, require_known_ending, write_grains

    try:
        require_known_ending(to)
    except ValueError as error:
        raise ParameterError(str(error)) from None
    place = claim_for("--to", to)
    try:
        run = _loaded(path).now.now.run
        write_grains(ExportedState(run.world, run.step, run.time, run.dt, run.series.columns()), place)
    except OSError as error:
        say(f"{to} could not be written: {error.strerror or error}.")
        return NOT_WRITTEN
    finally:
        place.release()
    say(f"{run.world.sphere_count} grains at step {run.step} written to {to}.")
    return WRITTEN


def _loaded(path: Path) -> Any:
    from repose.sim.experiment.saved_run import load
    from repose.sim.io.archive import ArchiveError

    try:
        return load(path)
    except ArchiveError as error:
        raise ParameterError(str(error)) from None
