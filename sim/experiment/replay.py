"""Running a saved run again from where it began, to prove that it is what it says it is."""

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
    """What came of a replay."""

    agreed: int
    """State hashes that were equal, from the first on."""
    compared: int
    """State hashes there are to compare, the last state among them."""
    differs_at: int | None
    """The step, counted since the log began, of the first state that was not found again."""


def verify(
    saved: SavedRun,
    on_progress: Callable[[int, int], None] = lambda at, end: None,
    threads: int | None = None,
) -> Verdict:
    """Run the log again from its beginning and compare every state hash in it, and the state the file holds.

    `threads` to step with; None for as many as are worth their while.
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
