"""Replay of a saved run from its first checkpoint, compared with the state hashes in its log, or filmed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.commands import UseThreads
from repose.sim.experiment.control import apply, follow_log
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.headless import Frames, OnFrame, shown
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.stepping import steps_until

OnMoment = Callable[[Experiment, float], float]
"""Processes a state and the simulated time since the log began [s]; returns the time between the due times of this
state and the next one [s]."""


def pictures(on_frame: OnFrame, forces: bool = False) -> OnMoment:
    """An `OnMoment` that passes snapshots to `on_frame`, with `forces` including the forces of all contacts."""
    on_state = shown(on_frame, forces)
    return lambda state, clock: on_state(state)


class Verdict(NamedTuple):
    """Result of a replay."""

    agreed: int
    """Number of equal state hashes before the first that differs."""
    compared: int
    """Number of compared state hashes: those in the file and that of its last state."""
    differs_at: int | None
    """Step of the first state that differs, counted since the log began."""


def verify(
    saved: SavedRun,
    on_progress: Callable[[int, int], None] = lambda at, end: None,
    threads: int | None = None,
) -> Verdict:
    """Replay the log and compare every state hash in it and the hash of the last state in the file.

    `threads` is the number of threads; None for automatic.
    """
    log = saved.log
    experiment = _at_its_beginning(saved, threads)
    expected = [*log.marks, (saved.now.at, state_hash(saved.now.now.run))]
    for agreed, (at, digest) in enumerate(expected):
        final = agreed == len(expected) - 1
        last = saved.now.commands if final else sum(entry.at < at for entry in log.entries)
        if not follow_log(experiment, at, last) or state_hash(experiment.run) != digest:
            return Verdict(agreed, len(expected), at)
        on_progress(at, saved.now.at)
    return Verdict(len(expected), len(expected), None)


def _at_its_beginning(saved: SavedRun, threads: int | None) -> Experiment:
    log = saved.log
    experiment = resumed_experiment(replace(saved, log=replace(log, marks=[]), now=log.start))
    apply(experiment, UseThreads(threads))
    return experiment


class Played(NamedTuple):
    """Result of `play`."""

    experiment: Experiment
    """The experiment at the end of the replay."""
    duration: float
    """Simulated time for which frames were taken [s]; 0 if the run ended before the first frame."""
    verdict: Verdict
    """Comparison of the state hashes of the replayed steps."""


def play(
    saved: SavedRun,
    on_moment: OnMoment,
    at_phases: bool = False,
    since: float = 0.0,
    until: float = math.inf,
    on_progress: Callable[[int, int], None] = lambda at, end: None,
    threads: int | None = None,
) -> Played:
    """Replay the log and take frames from `since` to `until`, simulated times since the log began [s].

    These times do not restart at 0 when the run does. `at_phases` is as in `repose.sim.experiment.headless`.
    """
    experiment = _at_its_beginning(saved, threads)
    history, end = experiment.history, saved.now.at
    marks = [mark for mark in saved.log.marks if mark.at <= end]
    frames: Frames | None = None
    clock, began, agreed, differs_at = 0.0, 0.0, 0, None
    ahead = -experiment.time
    """Clock minus time of the run [s]; changes only if the time of the run is set back."""

    def on_state(state: Experiment) -> float:
        return on_moment(state, state.time + ahead)

    while True:
        clock, before = experiment.time + ahead, experiment.time
        while agreed < len(marks) and differs_at is None and marks[agreed].at <= history.at:
            same = marks[agreed].at == history.at and state_hash(experiment.run) == marks[agreed].digest
            agreed, differs_at = (agreed + 1, None) if same else (agreed, marks[agreed].at)
        # A state hash is computed before the commands of its step act, a frame is taken after them.
        entries = saved.log.entries[: saved.now.commands]
        acted = sum(entry.at <= history.at for entry in entries)
        followed = follow_log(experiment, history.at, acted)
        if experiment.time != before:
            ahead = clock - experiment.time
        if frames is None and clock >= since - 1e-12 and clock < until:
            frames, began = Frames(experiment, on_state, at_phases), clock
        if frames is not None:
            frames.take()
        if not followed or history.at >= end or clock >= until:
            break
        due = min(frames.due if frames is not None else since - ahead, until - ahead)
        events = (*entries[acted : acted + 1], *(marks[agreed : agreed + 1] if differs_at is None else ()))
        stop = min(history.at + steps_until(experiment, due), end, *(event.at for event in events))
        if not follow_log(experiment, stop, acted):
            break
        on_progress(history.at, end)
    compared = agreed + (differs_at is not None)
    return Played(experiment, clock - began if frames is not None else 0.0, Verdict(agreed, compared, differs_at))
