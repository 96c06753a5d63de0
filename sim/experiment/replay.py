"""Replay of a saved run from its first checkpoint, compared with the state hashes in its log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.commands import UseThreads
from repose.sim.experiment.control import apply, follow_log
from repose.sim.experiment.results import state_hash


class Verdict(NamedTuple):
    """Result of a replay."""

    agreed: int
    """Number of equal state hashes before the first that differs."""
    compared: int
    """Number of state hashes in the file, with that of its last state."""
    differs_at: int | None
    """Step of the first state that differs, counted since the log began."""


def verify(
    saved: SavedRun,
    on_progress: Callable[[int, int], None] = lambda at, end: None,
    threads: int | None = None,
) -> Verdict:
    """Replay the log and compare every state hash in it, and that of the last state in the file.

    `threads` is the number of threads; None for automatic.
    """
    log = saved.log
    experiment = resumed_experiment(replace(saved, log=replace(log, marks=[]), now=log.start))
    apply(experiment, UseThreads(threads))
    expected = [*log.marks, (saved.now.at, state_hash(saved.now.now.run))]
    for agreed, (at, digest) in enumerate(expected):
        final = agreed == len(expected) - 1
        last = saved.now.commands if final else sum(entry.at < at for entry in log.entries)
        if not follow_log(experiment, at, last) or state_hash(experiment.run) != digest:
            return Verdict(agreed, len(expected), at)
        on_progress(at, saved.now.at)
    return Verdict(len(expected), len(expected), None)
