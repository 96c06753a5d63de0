"""The past of a simulation: moments kept, gone back to and taken up again, and the log that leads from one to the next.

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
from repose.sim.scenes import SCENES

if TYPE_CHECKING:
    from repose.sim.experiment.simulation import Simulation

WITHOUT_END = 1 << 62


def begin_log(simulation: Simulation) -> None:
    """Begin a log with the world as it is."""
    simulation.at = simulation.commands = 0
    simulation.journey = None
    simulation.cuts += 1
    start = moment_of(simulation)
    simulation.log = Log(simulation.scene.name, simulation.seed, simulation.ready, start)
    simulation.points.begin(start)


def moment_of(simulation: Simulation, now: Point | None = None) -> Moment:
    """The present as a moment; `now` saves the copy if one was just made."""
    return Moment(
        at=simulation.at,
        commands=simulation.commands,
        now=now or Point.of(simulation.parameters, simulation.run),
        good=simulation.good,
        before_change=simulation.before_change,
        last_change=simulation.last_change,
        fault=simulation.fault,
        message=simulation.message,
    )


def keep(simulation: Simulation) -> None:
    """Take the present as the last good state, and write its hash into the log."""
    simulation.good = Point.of(simulation.parameters, simulation.run)
    simulation.log.mark(simulation.at, state_hash(simulation.run))
    simulation.points.keep(moment_of(simulation, simulation.good))


def note(simulation: Simulation, command: Logged) -> None:
    """Write a command that has acted into the log."""
    cut(simulation)
    simulation.log.entries.append(Entry(simulation.at, command))
    simulation.commands += 1


def cut(simulation: Simulation) -> None:
    """Forget what lies after the present: another future begins."""
    log = simulation.log
    if simulation.at < log.end or simulation.commands < len(log.entries):
        log.cut(simulation.at, simulation.commands)
        simulation.points.cut(simulation.at)
        simulation.cuts += 1


class Journey(NamedTuple):
    """A moment that is being gone to, however far it is from the moments kept."""

    origin: int
    """Steps since the log began, where the way begins,"""
    at: int
    """and where it ends."""
    last: int
    """Entries of the log that have then been carried out."""


def rewind(simulation: Simulation, at: int, most: int = WITHOUT_END) -> None:
    """Go to the moment `at` steps after the log began, before the commands that acted there; at the end, after them.

    Where no more than `most` steps are to be done at once, `simulation.journey` says that there is more of the way to
    `go_on` with.
    """
    log = simulation.log
    at = min(max(at, 0), log.end)
    last = len(log.entries) if at == log.end else sum(entry.at < at for entry in log.entries)
    start = simulation.points.before(at)
    if not (start.at <= simulation.at <= at and simulation.commands <= last):
        take_up(simulation, start)
    simulation.journey = Journey(simulation.at, at, last)
    go_on(simulation, most)


def go_on(simulation: Simulation, most: int) -> None:
    """At most so many steps more of the way to the moment asked for; it ends there, or where it cannot be followed."""
    journey = simulation.journey
    if journey is None:
        return
    followed = follow(simulation, journey.at, journey.last, most)
    if not followed or (simulation.at, simulation.commands) == (journey.at, journey.last):
        simulation.journey = None


def follow(simulation: Simulation, at: int, last: int, most: int = WITHOUT_END) -> bool:
    """Step on to `at`, the entries of the log up to the `last` acting at their steps, or `most` steps of that way.

    False if that is not possible.
    """
    entries = simulation.log.entries
    while True:
        due, command = entries[simulation.commands] if simulation.commands < last else (at, None)
        steps = min(max(due - simulation.at, 0), most)
        wanted = simulation.at + steps
        simulation.step_on(steps)
        if simulation.at != wanted:
            return False
        most -= steps
        if command is None or simulation.at < due:
            return True
        try:
            command.apply(simulation)
        except ParameterError:
            return False
        simulation.commands += 1


def take_up(simulation: Simulation, moment: Moment) -> None:
    """Make a moment the present."""
    simulation.journey = None
    simulation.at, simulation.commands = moment.at, moment.commands
    simulation.good, simulation.before_change = moment.good, moment.before_change
    simulation.last_change, simulation.fault, simulation.message = moment.last_change, moment.fault, moment.message
    simulation.go_on_from(moment.now)


def saved(simulation: Simulation) -> SavedRun:
    """Everything, as a file holds it; what lies after the present is left out."""
    log, at = simulation.log, simulation.at
    kept = replace(
        log,
        entries=log.entries[: simulation.commands],
        marks=[mark for mark in log.marks if mark.at <= at],
        end=at,
    )
    return SavedRun(kept, moment_of(simulation), list(simulation.measured.get(simulation.scene.name, ())))


def resume(simulation: Simulation, saved: SavedRun) -> None:
    """Go on with a saved run."""
    log = saved.log
    simulation.scene, simulation.seed, simulation.ready = SCENES[log.scene], log.seed, log.ready
    simulation.log = replace(log, entries=list(log.entries), marks=list(log.marks))
    simulation.cuts += 1
    simulation.points.begin(log.start)
    simulation.points.keep(saved.now)
    take_up(simulation, saved.now)
    points = simulation.measured.setdefault(log.scene, [])
    points.extend(copy.copy(point) for point in saved.measured if point not in points)
