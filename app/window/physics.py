"""The physics thread for the window; a thread that has ended because of an error is replaced by a new one."""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from repose.sim.direction import Direction
from repose.sim.experiment.commands import Beginning, Command, From, Resume, Start, StartSideBySide, UseThreads
from repose.sim.experiment.snapshot import Snapshot, placed_in
from repose.sim.instruments.instrument import Instrument
from repose.sim.parameters import Value

if TYPE_CHECKING:
    from repose.sim.experiment.experiment import Experiment
    from repose.sim.experiment.runner import Interval, Runner
    from repose.sim.experiment.saved_side_by_side import Saved

REWIND_BYTES = 200_000_000
"""Largest memory for checkpoints [bytes]."""

SWITCH_INTERVAL = 5e-4
"""Longest wait of physics for the interpreter between two batches [s]; Python's default of 5 ms is twice a batch."""

PROCESSORS_FOR_PICTURE = 1
"""Processors left free when the number of threads is automatic, so that the picture does not wait for physics."""


class Physics:
    """Interface of the current `Runner`; it stays valid when another runner takes its place."""

    def __init__(
        self,
        scene: str,
        values: Mapping[str, Value],
        seed: int,
        ready: str | None = None,
        threads: int | None = None,
        direction: Direction | None = None,
        instruments: tuple[Instrument, ...] = (),
    ) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._beginnings: tuple[Start, ...] = (Start(scene, dict(values), seed, ready, direction, instruments),)
        """How the experiments begin, one or several side by side."""
        self.chosen = 0
        """Number of the experiment, of those side by side, that the user has chosen."""
        self._paused = False
        self._speed: float | None = None
        self._threads = threads
        self._stops_at_rest = True
        self.begun = False
        """Whether the thread was started."""
        self.starts = 0
        """Number of commands sent so far that begin another experiment."""
        self.holds: Callable[[Command, Callable[[Command], None]], bool] = lambda command, pass_on: False
        """Whether a command has to wait; then the function is called with it later."""
        self._runner = self._new_runner()

    def begin(self) -> None:
        """Start the thread, which then publishes its first snapshot; once only."""
        if not self.begun:
            self.begun = True
            self._runner.start()

    @property
    def dead(self) -> bool:
        """True if the thread has ended because of a program error."""
        return self._runner.dead

    def revive(self) -> None:
        """Restart the experiment in a new thread, with the last parameters in effect."""
        shown = self._runner.latest()
        if shown.run.parameters.values:
            self._beginnings = tuple(
                Start(
                    shot.run.scene,
                    dict(shot.run.parameters.values),
                    shot.run.seed,
                    self._beginnings[0].ready,
                    shot.run.direction,
                    placed_in(shot),
                )
                for shot in (shown, *shown.beside)
                if shot.run.parameters.values
            )
        self._replace()

    def send(self, command: Command) -> None:
        """Queue a command. A start replaces a thread that has ended; a saved run that is opened before the thread has
        begun replaces the first experiment."""
        self.starts += isinstance(command, Beginning)
        if isinstance(command, Start | StartSideBySide):
            self._beginnings = (command,) if isinstance(command, Start) else command.runs
            if self.dead:
                self._replace()
                return
        if isinstance(command, UseThreads):
            self._threads = command.count
        if isinstance(command, Resume) and (self.dead or not self.begun):
            self._replace(command.saved)
            return
        sent = From(self.chosen, command) if self.chosen and not isinstance(command, From) else command
        if not self.holds(sent, self._pass_on):
            self._pass_on(sent)

    def _pass_on(self, command: Command) -> None:
        self._runner.send(command)

    def latest(self) -> Snapshot:
        """The newest snapshot; never waits."""
        return self._runner.latest()

    def pause(self, paused: bool) -> None:
        """Pause the run, or continue it."""
        self._paused = paused
        self._runner.pause(paused)

    def single_step(self, count: int = 1) -> None:
        """Pause, and do exactly `count` more steps."""
        self._paused = True
        self._runner.single_step(count)

    def stop_relaxing(self) -> None:
        """End the present relaxation; the command that needs the relaxation is refused."""
        self._runner.stop_relaxing()

    def show_contacts(self, shown: bool) -> None:
        """Set whether snapshots contain the contacts."""
        self._runner.show_contacts(shown)

    def show_forces(self, shown: bool) -> None:
        """Set whether snapshots contain the forces of the contacts."""
        self._runner.show_forces(shown)

    def set_speed(self, factor: float | None) -> None:
        """Set the wanted ratio of simulated to wall time; None is as fast as possible."""
        self._speed = factor
        self._runner.set_speed(factor)

    def stop_at_rest(self, stops: bool) -> None:
        """Set whether the simulated time stops while nothing moves."""
        self._stops_at_rest = stops
        self._runner.stop_at_rest(stops)

    def record(self, interval: Interval | None) -> queue.Queue[Any]:
        """A queue that gets a snapshot at every `interval` of simulated time [s]; None ends it."""
        return self._runner.record(interval)

    def stop(self) -> None:
        """End the thread."""
        self._runner.stop()

    def _replace(self, saved: Saved | None = None) -> None:
        from repose.sim.experiment.saved_side_by_side import singles

        self._runner.record(None)  # a film of the run that is replaced gets no more frames
        self._runner, self.begun = self._new_runner(saved), True
        # The new thread makes the first experiment; those beside it are begun by a command, as in a thread that runs.
        several = len(self._beginnings if saved is None else singles(saved)) > 1
        if several:
            self._runner.send(StartSideBySide(self._beginnings) if saved is None else Resume(saved))
            self.starts += 1
        self._runner.start()

    def _new_runner(self, saved: Saved | None = None) -> Runner:
        from repose.sim.experiment.runner import Runner

        start, threads = self._beginnings[0], self._threads

        def make() -> Experiment:
            from repose.sim.experiment.changes import new_experiment, resumed_experiment
            from repose.sim.experiment.control import apply
            from repose.sim.experiment.experiment import Session
            from repose.sim.experiment.saved_side_by_side import singles

            session = Session(
                spare_processors=PROCESSORS_FOR_PICTURE,
                before_compiling=runner.announce_compiling,
                while_relaxing=runner.announce_relaxing,
            )
            if saved is not None:
                experiment = resumed_experiment(singles(saved)[0], session)
            else:
                experiment = new_experiment(
                    start.scene,
                    start.values,
                    start.seed,
                    start.ready,
                    session,
                    start.direction,
                    start.instruments,
                )
            experiment.history.checkpoints.budget = REWIND_BYTES
            apply(experiment, UseThreads(threads))
            return experiment

        runner = Runner(make, self.starts)
        runner.set_speed(self._speed)
        runner.pause(self._paused)
        runner.stop_at_rest(self._stops_at_rest)
        return runner
