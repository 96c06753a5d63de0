"""The past of a experiment: moments kept, gone back to and taken up again, and the log that leads from one to the next.

A moment and the commands after it determine all that follows bit by bit; so any step between two kept moments is
reached by stepping there from the earlier one, with the commands of the log at their steps.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from repose.sim.experiment.command_log import Entry, Log
from repose.sim.experiment.commands import Logged
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.run import Moment, Point
from repose.sim.experiment.saved_run import SavedRun
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

if TYPE_CHECKING:
    from repose.sim.experiment.experiment import Experiment

WITHOUT_END = 1 << 62


def begin_log(experiment: Experiment) -> None:
    """Begin a log with the world as it is."""
    experiment.history.at = experiment.history.commands = 0
    experiment.history.seek = None
    experiment.history.cuts += 1
    start = moment_of(experiment)
    experiment.history.log = Log(experiment.scene.name, experiment.seed, experiment.ready, start)
    experiment.history.checkpoints.begin(start)


def moment_of(experiment: Experiment, now: Point | None = None) -> Moment:
    """The present as a moment; `now` saves the copy if one was just made."""
    return Moment(
        at=experiment.history.at,
        commands=experiment.history.commands,
        now=now or Point.of(experiment.parameters, experiment.run),
        good=experiment.history.good,
        before_change=experiment.history.before_change,
        last_change=experiment.history.last_change,
        fault=experiment.fault,
        message=experiment.message,
    )


def keep(experiment: Experiment) -> None:
    """Take the present as the last good state, and write its hash into the log."""
    experiment.history.good = Point.of(experiment.parameters, experiment.run)
    experiment.history.log.mark(experiment.history.at, state_hash(experiment.run))
    experiment.history.checkpoints.keep(moment_of(experiment, experiment.history.good))


def note(experiment: Experiment, command: Logged) -> None:
    """Write a command that has acted into the log."""
    cut(experiment)
    experiment.history.log.entries.append(Entry(experiment.history.at, command))
    experiment.history.commands += 1


def cut(experiment: Experiment) -> None:
    """Forget what lies after the present: another future begins."""
    log = experiment.history.log
    if experiment.history.at < log.end or experiment.history.commands < len(log.entries):
        log.cut(experiment.history.at, experiment.history.commands)
        experiment.history.checkpoints.cut(experiment.history.at)
        experiment.history.cuts += 1


class Journey(NamedTuple):
    """A moment that is being gone to, however far it is from the moments kept."""

    origin: int
    """Steps since the log began, where the way begins,"""
    at: int
    """and where it ends."""
    last: int
    """Entries of the log that have then been carried out."""


def rewind(experiment: Experiment, at: int, most: int = WITHOUT_END) -> None:
    """Go to the moment `at` steps after the log began, before the commands that acted there; at the end, after them.

    Where no more than `most` steps are to be done at once, `experiment.history.seek` says that there is more of the way to
    `go_on` with.
    """
    log = experiment.history.log
    at = min(max(at, 0), log.end)
    last = len(log.entries) if at == log.end else sum(entry.at < at for entry in log.entries)
    start = experiment.history.checkpoints.before(at)
    if not (start.at <= experiment.history.at <= at and experiment.history.commands <= last):
        take_up(experiment, start)
    experiment.history.seek = Journey(experiment.history.at, at, last)
    go_on(experiment, most)


def go_on(experiment: Experiment, most: int) -> None:
    """At most so many steps more of the way to the moment asked for; it ends there, or where it cannot be followed."""
    journey = experiment.history.seek
    if journey is None:
        return
    followed = follow(experiment, journey.at, journey.last, most)
    if not followed or (experiment.history.at, experiment.history.commands) == (journey.at, journey.last):
        experiment.history.seek = None


def follow(experiment: Experiment, at: int, last: int, most: int = WITHOUT_END) -> bool:
    """Step on to `at`, the entries of the log up to the `last` acting at their steps, or `most` steps of that way.

    False if that is not possible.
    """
    entries = experiment.history.log.entries
    while True:
        due, command = entries[experiment.history.commands] if experiment.history.commands < last else (at, None)
        steps = min(max(due - experiment.history.at, 0), most)
        wanted = experiment.history.at + steps
        step_on(experiment, steps)
        if experiment.history.at != wanted:
            return False
        most -= steps
        if command is None or experiment.history.at < due:
            return True
        try:
            command.apply(experiment)
        except ParameterError:
            return False
        experiment.history.commands += 1


def take_up(experiment: Experiment, moment: Moment) -> None:
    """Make a moment the present."""
    experiment.history.seek = None
    experiment.history.at, experiment.history.commands = moment.at, moment.commands
    experiment.history.good, experiment.history.before_change = moment.good, moment.before_change
    experiment.history.last_change, experiment.fault, experiment.message = (
        moment.last_change,
        moment.fault,
        moment.message,
    )
    experiment.go_on_from(moment.now)


def saved(experiment: Experiment) -> SavedRun:
    """Everything, as a file holds it; what lies after the present is left out."""
    log, at = experiment.history.log, experiment.history.at
    kept = replace(
        log,
        entries=log.entries[: experiment.history.commands],
        marks=[mark for mark in log.marks if mark.at <= at],
        end=at,
    )
    return SavedRun(kept, moment_of(experiment), list(experiment.session.measured.get(experiment.scene.name, ())))


def resume(experiment: Experiment, saved: SavedRun) -> None:
    """Go on with a saved run."""
    log = saved.log
    experiment.scene, experiment.seed, experiment.ready = scenes()[log.scene], log.seed, log.ready
    experiment.history.log = replace(log, entries=list(log.entries), marks=list(log.marks))
    experiment.history.cuts += 1
    experiment.history.checkpoints.begin(log.start)
    experiment.history.checkpoints.keep(saved.now)
    take_up(experiment, saved.now)
    points = experiment.session.measured.setdefault(log.scene, [])
    points.extend(copy.copy(point) for point in saved.measured if point not in points)
