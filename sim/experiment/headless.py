"""A whole experiment without a window and without a physics thread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from repose.sim.experiment.commands import Act
from repose.sim.experiment.control import apply
from repose.sim.experiment.driven import is_driven
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.rest import PATIENCE, REST_TIME, is_slow
from repose.sim.experiment.results import results_of
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, is_finished, steps_until
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.message import Message, _
from repose.sim.parameters import ParameterError

OnFrame = Callable[[Snapshot], float]
"""Processes a snapshot and returns the simulated time between the due times of this frame and the next one [s]."""
OnState = Callable[[Experiment], float]
"""Processes the experiment itself, and returns the same time [s]."""


def shown(on_frame: OnFrame, forces: bool = False) -> OnState:
    """An `OnState` that passes snapshots to `on_frame`, with `forces` including the forces of all contacts."""
    snapshot = Snapshot(serial=-1)

    def on_state(experiment: Experiment) -> float:
        take_snapshot(experiment, snapshot, forces=forces)
        snapshot.serial += 1
        return on_frame(snapshot)

    return on_state


class Frames:
    """States of an experiment at the times that a film or an export requests."""

    def __init__(self, experiment: Experiment, on_state: OnState | None, at_phases: bool = False) -> None:
        self._experiment, self._on_state, self._at_phases = experiment, on_state, at_phases
        self._phase, self._last = experiment.phase, experiment.time
        self.due = experiment.time if on_state is not None else math.inf
        """Simulated time of the next frame [s]."""

    def take(self) -> bool:
        """Call `on_state` if a frame is due, if a phase for which it waits has begun, or if the time was set back;
        returns False: a film does not end a run."""
        experiment = self._experiment
        if self._on_state is None:
            return False
        begins = self._at_phases and experiment.phase != self._phase
        if begins or experiment.time < self._last:
            self.due = experiment.time
        self._phase, self._last = experiment.phase, experiment.time
        while experiment.time >= self.due - 1e-12:
            self.due += self._on_state(experiment)
        return False


class EqualTimes:
    """Calls of a function at equal simulated times, at the first step at or after each of them."""

    def __init__(self, experiment: Experiment, interval: float, call: Callable[[], bool]) -> None:
        """`call` returns whether the run shall end; `interval` is the time between two calls [s]."""
        self._experiment, self._interval, self._call = experiment, interval, call
        self._begin, self._number, self._last = experiment.time, 0, experiment.time

    @property
    def due(self) -> float:
        """Simulated time of the next call [s]: a multiple of the interval, never a running sum."""
        return self._begin + self._number * self._interval

    def take(self) -> bool:
        """Call the function if it is due, or if the time was set back; returns whether the run shall end."""
        now, early = self._experiment.time, 1e-3 * self._experiment.dt  # as in `steps_until`
        if now < self._last:
            self._begin, self._number = now, 0
        self._last = now
        if now < self.due - early:
            return False
        # One call at most at a step, however long the step is.
        self._number = max(self._number, math.floor((now + early - self._begin) / self._interval)) + 1
        return self._call()


Times = Frames | EqualTimes
"""When a run pauses for somebody who looks at it."""


def run_experiment(
    experiment: Experiment,
    *,
    on_progress: Callable[[Message, float | None], None] = lambda words, share: None,
    on_frame: OnFrame | None = None,
    at_phases: bool = False,
    forces: bool = False,
    until: float = math.inf,
    under_way: bool = False,
) -> dict[str, Any]:
    """Run all phases of the scene; returns `results_of(experiment)`.

    `on_frame` is called at the beginning, at the first step at or after the requested time, and with `at_phases`
    when a phase begins; with `forces` the snapshots contain the forces of all contacts. The run ends at the first step
    at or after `until` [s] at the latest. If the experiment may be `under_way`, what an action has begun continues to
    its end. Raises `ParameterError` if the scene cannot be run now, or cannot come to its end: without `until`, grains
    that the hand holds are released by nobody.
    """
    begin_run(experiment, under_way)
    return go_on(
        experiment,
        Frames(experiment, None if on_frame is None else shown(on_frame, forces), at_phases),
        until,
        on_progress,
    )


def begin_run(experiment: Experiment, under_way: bool = False) -> None:
    """Begin the whole experiment. If it may be `under_way`, what an action has begun continues. Raises
    `ParameterError` if the scene cannot be run now."""
    refusal = "" if under_way and goes_on(experiment) else apply(experiment, Act("run"))
    if refusal:
        raise ParameterError(refusal)


def go_on(
    experiment: Experiment,
    times: Times,
    until: float = math.inf,
    on_progress: Callable[[Message, float | None], None] = lambda words, share: None,
) -> dict[str, Any]:
    """Continue a run to its end, at most to the first step at or after `until` [s]; returns its results."""
    slow_since, longest = (
        experiment.time,
        PATIENCE * REST_TIME * experiment.scene.limits.time_scale(experiment.run.built),
    )
    while True:
        ended = times.take()
        over = is_finished(experiment) and not is_driven(experiment, periodic=False)
        if ended or over or experiment.fault is not None or experiment.time >= until:
            return results_of(experiment)
        if not (holds(experiment.run) and is_slow(experiment)):
            slow_since = experiment.time
        elif math.isinf(until) and experiment.time - slow_since > longest:
            raise ParameterError(
                _(
                    "The run comes to no end, because the hand still holds grains: apply Release() first, or "
                    "give a time to stop at, as in run(until=1.0)."
                )
            )
        # At most to the next check, where an experiment may end: it ends at the same step with and without a film.
        advance(experiment, steps_until(experiment, min(times.due, until)))
        on_progress(*experiment.scene.course.describe(experiment)[1:])


def goes_on(experiment: Experiment) -> bool:
    """Whether the experiment is in a phase that an action has begun, or that is all there is.

    A scene can be under way before its experiment begins: its grains settle.
    """
    if is_finished(experiment):
        return False
    history = experiment.history
    acts = [entry.command for entry in history.log.entries[: history.commands] if isinstance(entry.command, Act)]
    if acts and acts[-1] != Act("reset"):
        return True
    offered = {action.name: action.enabled for action in experiment.scene.course.actions(experiment)}
    return not offered.get("run", False)
