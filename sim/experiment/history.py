"""Log, checkpoints and restart points of an experiment. The only writer of `History`.

A checkpoint and the commands after it determine all later states bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from repose.sim.engine.world import World
from repose.sim.experiment.command_log import Entry, Log, SavedRun
from repose.sim.experiment.commands import Logged, OfInstruments
from repose.sim.experiment.experiment import Experiment, History, Seek
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import Change, Checkpoint, RestartPoint, Run
from repose.sim.message import EMPTY

MOST_UNDONE = 100
"""Largest number of undone actions that can be repeated."""
DRAG_STEPS = 2_000
"""Changes of one parameter that are fewer steps apart count as one drag of a slider."""


def new_history(scene: str, seed: int, ready: str | None, parameters: Any, run: Run) -> History:
    """The history of an experiment that begins with this run."""
    point, change = RestartPoint(parameters, run), Change()  # no copy: `begin_log` replaces the point before any step
    return History(Log(scene, seed, ready, Checkpoint(0, 0, point, point, point, change, None, EMPTY)), point, point)


def begin_log(experiment: Experiment) -> None:
    """Start a new log with the present state."""
    history = experiment.history
    history.at = history.commands = 0
    history.seek = None
    history.cuts += 1
    history.logs += 1
    history.undone.clear()
    start = checkpoint(experiment)
    history.log = Log(experiment.scene.name, experiment.seed, experiment.ready, start)
    history.checkpoints.begin(start)


def adopt_log(experiment: Experiment, saved: SavedRun) -> None:
    """Continue the log of a saved run."""
    history = experiment.history
    history.log = replace(saved.log, entries=list(saved.log.entries), marks=list(saved.log.marks))
    history.cuts += 1
    history.logs += 1
    history.checkpoints.begin(saved.log.start)
    history.checkpoints.keep(saved.now)


def restart_point(experiment: Experiment) -> RestartPoint:
    """A copy of the present run, which shares equal tables with the last good state, or with the state of which the
    scene is made: most tables of a grain never change."""
    made, good = experiment.scene.made_of, experiment.history.good.run.world
    like = made.world if made is not None and isinstance(good, World) else good
    return RestartPoint.of(experiment.parameters, experiment.run, like)


def checkpoint(experiment: Experiment, now: RestartPoint | None = None) -> Checkpoint:
    """The present state as a checkpoint; `now` is a copy of the run, if one has just been made."""
    history = experiment.history
    return Checkpoint(
        at=history.at,
        commands=history.commands,
        now=now or restart_point(experiment),
        good=history.good,
        before_change=history.before_change,
        last_change=history.last_change,
        fault=experiment.fault,
        message=experiment.message,
    )


def restore_cursor(experiment: Experiment, point: Checkpoint) -> None:
    """Set the position in the log, and the states that a fault restores, to those of a checkpoint."""
    history = experiment.history
    history.seek = None
    history.at, history.commands = point.at, point.commands
    history.good, history.before_change, history.last_change = point.good, point.before_change, point.last_change


def keep_checkpoint(experiment: Experiment) -> None:
    """Save the present state as last good state and as a checkpoint, and append its hash to the log."""
    history = experiment.history
    history.good = restart_point(experiment)
    history.log.mark(history.at, state_hash(experiment.run))
    history.checkpoints.keep(checkpoint(experiment, history.good))


def keep_return(experiment: Experiment) -> None:
    """Save the present state as a checkpoint; `Rewind` to this step is then immediate."""
    experiment.history.checkpoints.keep(checkpoint(experiment))


def mark_good(experiment: Experiment, forget_change: bool = False) -> None:
    """Save the present state as last good state; with `forget_change` also for faults attributed to the latest
    change."""
    history = experiment.history
    history.good = restart_point(experiment)
    if forget_change:
        history.before_change = history.good


def change_restart_points(experiment: Experiment, change: Callable[[Run], Run]) -> None:
    """Replace the runs that a fault restores by `change` of them, which changes no bit of the motion."""
    history = experiment.history
    good = replace(history.good, run=change(history.good.run))
    shared = history.before_change is history.good
    history.before_change = good if shared else replace(history.before_change, run=change(history.before_change.run))
    history.good = good


def forget_changes(experiment: Experiment) -> None:
    """Do not attribute later faults to parameter changes made before now."""
    experiment.history.last_change = Change()


def note_change(experiment: Experiment, name: str) -> None:
    """Save the state before a change of the parameter `name`; of the changes of one drag only the first saves it."""
    history = experiment.history
    last = history.last_change
    drags_on = last.name == name and experiment.step - last.step < DRAG_STEPS
    previous = last.previous if drags_on else experiment.parameters.given(name)
    history.last_change = Change(name, previous, experiment.step, not drags_on)
    if history.last_change.begins:
        history.before_change = restart_point(experiment)


def succeed(experiment: Experiment, shown: Experiment) -> None:
    """Distinguish the log from that of the experiment `shown` before, which this experiment replaces."""
    experiment.history.logs = shown.history.logs + 1
    experiment.history.cuts = shown.history.cuts + 1


def note_command(experiment: Experiment, command: Logged) -> None:
    """Append a command that has acted to the log."""
    cut(experiment)
    experiment.history.log.entries.append(Entry(experiment.history.at, command))
    count_command(experiment)


def insert_command(experiment: Experiment, command: OfInstruments) -> None:
    """Insert a command that changes no bit of the motion into the log, here, before later entries, which stay valid.
    Later checkpoints do not have its effect and are discarded."""
    history = experiment.history
    history.log.entries.insert(history.commands, Entry(history.at, command))
    history.checkpoints.cut(history.at)
    count_command(experiment)


def keep_undone(experiment: Experiment, name: str, entries: Sequence[Entry]) -> None:
    """Store the commands of an action that is undone."""
    undone = experiment.history.undone
    undone.append((name, [Entry(entry.at - entries[0].at, entry.command) for entry in entries]))
    del undone[:-MOST_UNDONE]


def plan_again(experiment: Experiment, name: str) -> bool:
    """Append the commands of the action of this name that was undone last to the log, from the present step on, without
    carrying them out; returns False if there is none."""
    history = experiment.history
    number = next((k for k in reversed(range(len(history.undone))) if history.undone[k][0] == name), None)
    if number is None:
        return False
    _, entries = history.undone.pop(number)
    cut(experiment)
    history.log.entries += [Entry(history.at + entry.at, entry.command) for entry in entries]
    history.log.end = history.log.entries[-1].at
    return True


def count_command(experiment: Experiment) -> None:
    """Increase the number of log entries carried out by one."""
    experiment.history.commands += 1


def count_steps(experiment: Experiment, steps: int) -> None:
    """Add to the number of steps done, and move the end of the log to the present if it is earlier."""
    history = experiment.history
    history.at += steps
    history.log.end = max(history.log.end, history.at)


def set_seek(experiment: Experiment, seek: Seek | None) -> None:
    """Set the step to which the experiment is being moved, or None."""
    experiment.history.seek = seek


def cut(experiment: Experiment) -> None:
    """Discard log entries, hashes and checkpoints after the present."""
    history = experiment.history
    if history.at < history.log.end or history.commands < len(history.log.entries):
        history.log.cut(history.at, history.commands)
        history.checkpoints.cut(history.at)
        history.cuts += 1


def saved_copy(experiment: Experiment, at_once: bool = False) -> SavedRun:
    """A copy of the run for a file, without log entries after the present. What is written `at_once`, before the next
    step, has the tables of the run itself."""
    log, at = experiment.history.log, experiment.history.at
    kept = replace(
        log,
        entries=log.entries[: experiment.history.commands],
        marks=[mark for mark in log.marks if mark.at <= at],
        end=at,
    )
    measured = experiment.session.measured.get(experiment.scene.name, ())
    own = experiment.direction if experiment.direction != experiment.scene.direction else None
    now = checkpoint(experiment, RestartPoint(experiment.parameters, experiment.run) if at_once else None)
    return SavedRun(
        kept, now, list(measured), made_of=experiment.scene.made_of, direction=own, audience=experiment.audience
    )
