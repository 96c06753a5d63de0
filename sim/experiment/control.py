"""Carry out commands between two batches of steps, and go to earlier or later steps of the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from repose.sim.experiment import added_grains, changes, drawn_walls, faults, history, pull, push, results, shake
from repose.sim.experiment.command_log import Entry
from repose.sim.experiment.commands import (
    ADDED,
    DRAWN,
    PULLED,
    PUSHED,
    REMOVED,
    SHAKEN,
    Act,
    AddGrains,
    Command,
    Copy,
    DoAgain,
    DrawWall,
    KeepMeasured,
    Logged,
    Pull,
    Push,
    Recover,
    Release,
    RemoveGrain,
    RemoveWall,
    Resume,
    Rewind,
    SetParameters,
    Shake,
    Start,
    Still,
    TakeBack,
    UseThreads,
    checked_threads,
)
from repose.sim.experiment.experiment import WITHOUT_LIMIT, Experiment, Seek
from repose.sim.experiment.relaxation import RelaxationStopped
from repose.sim.experiment.stepping import advance_within_log
from repose.sim.message import EMPTY, Message
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

LOGGED = get_args(Logged)

DRAGS: Mapping[str, type[Pull | Push]] = {PULLED: Pull, PUSHED: Push}
"""Actions of many commands, one for each position of the pointer."""
CLICKS: Mapping[str, tuple[type[Command], ...]] = {
    REMOVED: (RemoveGrain,),
    ADDED: (AddGrains,),
    DRAWN: (DrawWall, RemoveWall),
    SHAKEN: (Shake, Still),
}
"""Actions of one command."""


def apply(experiment: Experiment, command: Command) -> Message:
    """Carry out a command; returns why it was refused, or an empty string."""
    seek = experiment.history.seek
    if isinstance(command, LOGGED) and seek is not None:
        left = seek.at - experiment.history.at
        return Message(
            "The run is moving to step {at}, {left} steps from here: wait until it is there.", at=seek.at, left=left
        )
    before = changes.kept(experiment)
    try:
        _apply(experiment, command)
    except RelaxationStopped as stopped:
        changes.give_back(experiment, before)
        return stopped.message
    except ParameterError as refusal:
        return message_of(refusal)
    if isinstance(command, LOGGED):
        history.note_command(experiment, command)
    return EMPTY


def _apply(experiment: Experiment, command: Command) -> None:
    match command:
        case SetParameters(values) | Recover(values):
            changes.set_parameters(experiment, values)
        case Act(action):
            changes.act(experiment, action)
        case RemoveGrain(sphere_id):
            changes.remove_grain(experiment, sphere_id)
        case AddGrains(position, radius, count):
            added_grains.add_grains(experiment, position, radius, count)
            faults.update_dt(experiment)
        case DrawWall(start, end):
            drawn_walls.draw_wall(experiment, start, end)
            faults.update_dt(experiment)
        case RemoveWall(position, reach):
            drawn_walls.remove_wall(experiment, position, reach)
        case Pull(sphere_id, position, limit):
            pull.pull(experiment, sphere_id, position, limit)
            faults.update_dt(experiment)
        case Push(position, radius, limit, speed, rigid):
            push.push(experiment, position, radius, limit, speed, rigid)
            faults.update_dt(experiment)
        case Release():
            pull.release(experiment)
            push.end_push(experiment)
        case Shake(amplitude, frequency, upright):
            shake.shake(experiment, amplitude, frequency, upright)
            faults.update_dt(experiment)
        case Still():
            shake.end_shake(experiment)
        case Start(scene, values, seed, ready):
            changes.start(experiment, scene, values, seed, ready)
        case Resume(saved):
            changes.resume(experiment, saved)
        case Rewind(at):
            rewind_to(experiment, at)
        case TakeBack(name):
            take_back(experiment, name)
        case DoAgain(name):
            do_again(experiment, name)
        case Copy(take):
            take(history.saved_copy(experiment))
        case UseThreads(count):
            experiment.session.threads = checked_threads(count)
        case KeepMeasured(scene, points):
            results.keep_points(experiment, scene, points)


def rewind_to(experiment: Experiment, at: int) -> None:
    """Go to the step `at` of the log, before the commands that acted there; at the end of the log, after them."""
    log = experiment.history.log
    at = min(max(at, 0), log.end)
    go_to(experiment, at, len(log.entries) if at == log.end else sum(entry.at < at for entry in log.entries))


def take_back(experiment: Experiment, name: str) -> None:
    """Go to the state before the latest change of the parameter `name`, or before the latest action of this name;
    raises `ParameterError` if there is none."""
    past = experiment.history
    # During a seek to an earlier state the log of that state counts: Ctrl+Z twice undoes two actions.
    done = past.log.entries[: past.commands if past.seek is None else past.seek.last]
    if name in DRAGS or name in CLICKS:
        commands = [entry.command for entry in done]
        last = begin_of_drag(commands, DRAGS[name]) if name in DRAGS else latest(commands, CLICKS[name])
        if last is None:
            raise ParameterError(Message("There is no {name} in this run: there is nothing to undo.", name=name))
        undone = done[last : last + 1 + steps_of_drag(commands[last:], name)]
        if name in DRAGS and not isinstance(undone[-1].command, Release):  # the button is down: redo releases here
            undone = [*undone, Entry(experiment.history.at, Release())]
        history.keep_undone(experiment, name, undone)
        go_to(experiment, done[last].at, last)
        return
    for last, entry in reversed(list(enumerate(done))):
        if isinstance(entry.command, SetParameters | Recover) and name in entry.command.values:
            go_to(experiment, entry.at, last)
            return
    raise ParameterError(Message("{name} has not been changed in this run: there is nothing to undo.", name=name))


def begin_of_drag(commands: Sequence[Command], kind: type[Pull | Push]) -> int | None:
    """Index of the command with which the latest drag (a pull of one sphere, or a push) began; None if there is
    none."""
    first, sphere = None, None
    for number in reversed(range(len(commands))):
        command = commands[number]
        if isinstance(command, kind) and (first is None or getattr(command, "sphere_id", None) == sphere):
            first, sphere = number, getattr(command, "sphere_id", None)
        elif first is not None and isinstance(command, Pull | Push | Release):
            break
    return first


def steps_of_drag(commands: Sequence[Command], name: str) -> int:
    """Number of commands after the first that belong to the same drag, including the release; 0 for other actions."""
    if name not in DRAGS:
        return 0
    number = 0
    while number + 1 < len(commands) and isinstance(commands[number + 1], DRAGS[name] | Release):
        number += 1
        if isinstance(commands[number], Release):
            break
    return number


def do_again(experiment: Experiment, name: str) -> None:
    """Repeat the action of this name that was undone last; raises `ParameterError` if there is none."""
    if not history.plan_again(experiment, name):
        raise ParameterError(Message("No {name} has been taken back: there is nothing to redo.", name=name))
    log = experiment.history.log
    go_to(experiment, log.end, len(log.entries))


def latest(commands: Sequence[Command], kinds: tuple[type[Command], ...]) -> int | None:
    """Index of the latest command of one of these kinds; None if there is none."""
    return next((k for k in reversed(range(len(commands))) if isinstance(commands[k], kinds)), None)


def go_to(experiment: Experiment, at: int, last: int) -> None:
    """Go to the step `at` of the log with its first `last` entries carried out.

    Later steps are discarded by the next other command. If more than `Session.seek_steps` steps are needed,
    `History.seek` stays set and `seek_further` continues.
    """
    past = experiment.history
    nearest = past.checkpoints.before(at)
    if not (nearest.at <= past.at <= at and past.commands <= last):
        changes.restore(experiment, nearest)
    history.set_seek(experiment, Seek(past.at, at, last))
    seek_further(experiment, experiment.session.seek_steps)


def seek_further(experiment: Experiment, most: int) -> None:
    """Advance by at most `most` steps towards the step of `History.seek`; the seek ends there, or at a fault."""
    past = experiment.history
    seek = past.seek
    if seek is None:
        return
    followed = follow_log(experiment, seek.at, seek.last, most)
    if not followed or (past.at, past.commands) == (seek.at, seek.last):
        history.set_seek(experiment, None)


def follow_log(experiment: Experiment, at: int, last: int, most: int = WITHOUT_LIMIT) -> bool:
    """Advance by at most `most` steps to step `at`, and carry out the first `last` log entries at their steps.

    Returns False if a fault or a refused command ends the advance.
    """
    past = experiment.history
    entries = past.log.entries
    while True:
        due, command = entries[past.commands] if past.commands < last else (at, None)
        steps = min(max(due - past.at, 0), most)
        wanted = past.at + steps
        advance_within_log(experiment, steps)
        if past.at != wanted:
            return False
        most -= steps
        if command is None or past.at < due:
            return True
        try:
            _apply(experiment, command)
        except ParameterError:
            return False
        history.count_command(experiment)
