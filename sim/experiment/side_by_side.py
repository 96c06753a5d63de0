"""Experiments side by side, one to four: one list, commands to all of them, steps to equal simulated times.

A single experiment is a list of one: window, films and lectures have no other way to run it.
Every experiment has its own log and its own time step, and no experiment reads another one: the bits of each are those
of the same run alone. This module is the only writer of `SideBySide`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from repose.sim.engine.thread_count import available
from repose.sim.experiment import history
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.commands import Command, Resume, StartSideBySide
from repose.sim.experiment.experiment import Experiment, Session
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, steps_until
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.message import EMPTY, Message, joined, plural

if TYPE_CHECKING:
    from repose.sim.experiment.saved_side_by_side import Saved

FEWEST, MOST = 2, 4
"""Number of experiments side by side."""
MOST_MEETINGS = 20_000
"""Largest number of stored equal times; above it, every second one of the earlier half is discarded."""


@dataclass
class SideBySide:
    """One to four experiments that advance to equal simulated times."""

    runs: list[Experiment]
    differing: frozenset[str] = frozenset()
    """Names of the parameters in which the experiments differ: a change acts on one of them only."""
    meetings: list[tuple[int, ...]] = field(default_factory=list)
    """Steps of every experiment at equal simulated times, counted since its log began; empty for a single one."""
    spare: int = 0
    """`Session.spare_processors` of the first experiment when it runs alone."""
    pool: ThreadPoolExecutor | None = None
    """Threads that step the experiments; None if only one processor is free: the experiments are stepped in turn."""

    @property
    def first(self) -> Experiment:
        """The first experiment, or the only one."""
        return self.runs[0]


def begins_several(command: Command) -> bool:
    """Whether a command begins experiments side by side."""
    return isinstance(command, StartSideBySide) or (
        isinstance(command, Resume) and isinstance(command.saved, SavedSideBySide)
    )


def advance_batch(together: SideBySide, steps: int, to_rest: bool) -> int:
    """Advance the first experiment by `steps` steps and the others to the same time; returns how many it has done. With
    `to_rest` a single experiment stops at the check at which it is at rest; several have no checks at equal times."""
    if len(together.runs) == 1 or not steps:
        return advance(together.first, steps, to_rest)
    earliest = min(run.time for run in together.runs)
    until = earliest + steps * together.first.dt if math.isfinite(earliest) else together.first.time
    return advance_all(together, until)


def advance_all(together: SideBySide, time: float) -> int:
    """Advance every experiment to its first step at or after `time` [s]; returns the number of steps of the first one.

    If an experiment was set back to an earlier time, the others wait until it has caught up.
    """
    runs = together.runs
    if together.pool is None:
        done = [advance_to(run, time) for run in runs]
    else:
        done = [*together.pool.map(advance_to, runs, [time] * len(runs))]
    return done[0]


def advance_to(experiment: Experiment, time: float) -> int:
    """Advance to the first step at or after `time` [s], or to a fault; returns the number of steps."""
    done = 0
    while experiment.fault is None and experiment.time < time - 1e-3 * experiment.dt:
        before = experiment.time
        steps = advance(experiment, steps_until(experiment, time))
        done += steps
        if not steps or experiment.time < before:  # a scene has begun anew: the other experiments wait for it
            break
    return done


def meet(together: SideBySide) -> None:
    """Store the steps of several experiments, which are at equal times; not while an earlier state is shown."""
    runs = together.runs
    if len(runs) == 1 or any(run.history.at < run.history.log.end or run.history.seek is not None for run in runs):
        return
    now = tuple(run.history.at for run in runs)
    meetings = together.meetings
    while meetings and any(then > at for then, at in zip(meetings[-1], now, strict=True)):
        meetings.pop()  # the runs continued from an earlier state
    if not meetings or meetings[-1] != now:
        meetings.append(now)
    if len(meetings) > MOST_MEETINGS:
        half = MOST_MEETINGS // 2
        meetings[:half] = meetings[:half:2]


def saved_copy(together: SideBySide) -> Saved:
    """A copy of all runs for a file."""
    runs = tuple(history.saved_copy(run) for run in together.runs)
    if len(runs) == 1:
        return runs[0]
    ends = tuple(run.now.at for run in runs)
    earlier = [then for then in together.meetings if all(at <= end for at, end in zip(then, ends, strict=True))]
    return SavedSideBySide(
        runs, together.differing, tuple(earlier if earlier and earlier[-1] == ends else [*earlier, ends])
    )


def take_snapshots(together: SideBySide, snapshot: Snapshot, contacts: bool = True, forces: bool = False) -> None:
    """Take the snapshot of the first experiment, with those of the others in `Snapshot.beside`."""
    runs = together.runs
    shots = [snapshot, *(Snapshot() for _ in runs[1:])]
    names = labels(runs, together.differing) if len(runs) > 1 else (EMPTY,)
    for run, shot, label in zip(runs, shots, names, strict=True):
        take_snapshot(run, shot, contacts, forces)
        shot.run = replace(shot.run, label=label, differing=together.differing)
    snapshot.beside = tuple(shots[1:])


def labels(runs: Sequence[Experiment], differing: frozenset[str]) -> tuple[Message, ...]:
    """Differences of each run from the others, in words: scene, parameters with symbol and unit."""
    scenes = len({run.scene.name for run in runs}) > 1
    return tuple(_label(run, differing, scenes) for run in runs)


def _label(run: Experiment, differing: frozenset[str], scenes: bool) -> Message:
    declared = run.parameters.in_units()
    words = [run.scene.title] if scenes else []
    for name in (name for name in declared if name in differing):
        quantity, value = declared[name].quantity, declared[name].shown(run.parameters.given(name))
        named = joined((quantity.symbol, value), " = ") if quantity.symbol else joined((quantity.label, value), " ")
        words.append(value if declared[name].kind == "choice" else named)
    return joined(words[:3]) if words else EMPTY


def session_beside(session: Session) -> Session:
    """The session of an experiment beside the first one, whose session is given."""
    return Session(
        threads=session.threads,
        before_compiling=session.before_compiling,
        while_relaxing=session.while_relaxing,
        measured=session.measured,
    )


def adopt(together: SideBySide, others: list[Experiment], differing: frozenset[str]) -> None:
    """Put these experiments in place of those beside the first one, and share processors and memory among all."""
    _end(together)
    if not others:
        return
    first = together.first
    together.runs[1:], together.differing = others, differing
    runs = together.runs
    free = max(1, available() - first.session.spare_processors)
    workers = min(len(runs), free)
    together.pool = ThreadPoolExecutor(workers, thread_name_prefix="side by side") if workers > 1 else None
    budget = first.history.checkpoints.budget // len(runs)
    together.spare = first.session.spare_processors
    for run in others:
        run.history.checkpoints.budget = budget
        run.history.checkpoints.keep(history.checkpoint(run))
    for run in runs:
        run.session.spare_processors = available() - max(1, free // len(runs))


def _end(together: SideBySide) -> None:
    """End the experiments beside the first one."""
    if len(together.runs) > 1:
        together.first.session.spare_processors = together.spare
    if together.pool is not None:
        together.pool.shutdown(wait=False)
    together.differing, together.pool = frozenset(), None
    del together.runs[1:]
    together.meetings.clear()


def keep_one(together: SideBySide, run: int) -> Message:
    """Continue this experiment alone; returns why that is refused, or an empty message."""
    runs = together.runs
    if not 0 <= run < len(runs):
        return plural(
            "There is no experiment {number}: {count} runs now.",
            "There is no experiment {number}: {count} run now.",
            count=len(runs),
            number=run + 1,
        )
    first, kept = runs[0], runs[run]
    if kept is not first:
        kept.history.checkpoints.budget = first.history.checkpoints.budget
        history.succeed(kept, first)
        runs[0] = kept
    _end(together)
    return EMPTY


def differing(runs: Sequence[Experiment], given: frozenset[str]) -> frozenset[str]:
    """Names among `given` of parameters whose values differ between runs or that some run does not have."""
    names = set()
    for name in given:
        values = [run.parameters.given(name) for run in runs if name in run.parameters.declared()]
        if len(set(map(repr, values))) > 1 or len(values) < len(runs):
            names.add(name)
    return frozenset(names)


def meeting_near(together: SideBySide, chosen: int, at: int, forwards: bool = False) -> tuple[int, ...]:
    """The steps of all runs at the equal time next to step `at` of the chosen run; a single run has one at any."""
    if len(together.runs) == 1:
        return (at,)
    if forwards:
        return next(then for then in together.meetings if then[chosen] >= at)
    return next((then for then in reversed(together.meetings) if then[chosen] <= at), together.meetings[0])
