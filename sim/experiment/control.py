"""Carry out commands between two batches of steps, in one experiment or in all side by side, and go to earlier or later
steps of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from repose.sim.experiment import (
    changes,
    drawn_walls,
    faults,
    hand,
    history,
    moved_walls,
    placed_instruments,
    results,
    side_by_side,
)
from repose.sim.experiment.command_log import Entry, SavedRun, SavedSideBySide
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
    KeepGuesses,
    KeepMeasured,
    KeepOne,
    Logged,
    MoveWall,
    OfInstruments,
    PlaceInstrument,
    Pull,
    Push,
    Recover,
    Release,
    RemoveGrain,
    RemoveInstrument,
    RemoveWall,
    Resume,
    Rewind,
    ServoWall,
    SetInstrument,
    SetParameters,
    Shake,
    Start,
    StartSideBySide,
    Still,
    TakeBack,
    UseThreads,
    checked_threads,
)
from repose.sim.experiment.experiment import WITHOUT_LIMIT, Experiment, Seek
from repose.sim.experiment.relaxation import RelaxationStopped
from repose.sim.experiment.side_by_side import FEWEST, MOST, SideBySide
from repose.sim.experiment.stepping import advance_within_log
from repose.sim.message import EMPTY, Message, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

LOGGED = get_args(Logged)
OF_ONE = (PULLED, REMOVED)
"""Actions on one of the experiments: undoing one does not undo an action of the same name in another experiment."""

DRAGS: Mapping[str, type[Pull | Push]] = {PULLED: Pull, PUSHED: Push}
"""Actions of many commands, one for each position of the pointer."""
CLICKS: Mapping[str, tuple[type[Command], ...]] = {
    REMOVED: (RemoveGrain,),
    ADDED: (AddGrains,),
    DRAWN: (DrawWall, RemoveWall),
    SHAKEN: (Shake, Still),
}
"""Actions of one command."""


def carry_out(together: SideBySide, command: Command, chosen: int = 0) -> Message:
    """Carry out a command given while the user looks at experiment `chosen`; returns why it was refused, or ""."""
    runs = together.runs
    chosen = chosen if chosen < len(runs) else 0
    match command:
        case StartSideBySide(starts):
            return _start(together, starts)
        case Resume(SavedSideBySide() as saved):
            return _resume(together, saved)
        case Start() | Resume():
            refusal = apply(runs[0], command)
            if not refusal:
                side_by_side.adopt(together, [], frozenset())
            return refusal
        case KeepOne(run):
            return side_by_side.keep_one(together, run)
        case Copy(take):
            take(side_by_side.saved_copy(together))
            return EMPTY
    side_by_side.meet(together)
    match command:
        case SetParameters() | Recover():
            return _set(together, command, chosen)
        case Act(action):
            able = [run for run in runs if _offers(run, action)] or [runs[chosen]]
            return _first([apply(run, command) for run in able])
        case Rewind(at):
            return _rewind(together, chosen, at)
        case TakeBack(name):
            return _take_back(together, chosen, name)
        case PlaceInstrument() | SetInstrument() | RemoveInstrument():
            return _set_instrument(together, command, chosen)
        case RemoveGrain() | Pull():
            return apply(runs[chosen], command)
        case DoAgain(name) if name in OF_ONE:
            return apply(runs[chosen], command)
        case DoAgain():  # acts in the experiments in which the action was undone, including the chosen one
            return [apply(run, command) for run in runs][chosen]
        case KeepMeasured():
            return apply(runs[0], command)
    return _first([apply(run, command) for run in runs])


def _start(together: SideBySide, starts: tuple[Start, ...]) -> Message:
    if not FEWEST <= len(starts) <= MOST:
        return plural(
            "{count} experiment side by side is refused: choose {fewest} to {most}.",
            "{count} experiments side by side are refused: choose {fewest} to {most}.",
            count=len(starts),
            fewest=FEWEST,
            most=MOST,
        )
    session = together.first.session

    def make(start: Start) -> Experiment:
        beside = side_by_side.session_beside(session)
        return changes.new_experiment(
            start.scene, start.values, start.seed, start.ready, beside, start.direction, start.instruments
        )

    refusal, others = _made(len(starts), lambda: [make(start) for start in starts[1:]])
    if refusal := refusal or apply(together.first, starts[0]):
        return refusal
    given = [set(start.values) for start in starts]
    side_by_side.adopt(together, others, side_by_side.differing([together.first, *others], frozenset().union(*given)))
    side_by_side.meet(together)
    return EMPTY


def _resume(together: SideBySide, saved: SavedSideBySide) -> Message:
    session = together.first.session

    def make(run: SavedRun) -> Experiment:
        return changes.resumed_experiment(run, side_by_side.session_beside(session))

    refusal, others = _made(len(saved.runs), lambda: [make(run) for run in saved.runs[1:]])
    if refusal := refusal or apply(together.first, Resume(saved.runs[0])):
        return refusal
    side_by_side.adopt(together, others, saved.differing)
    together.meetings[:] = saved.meetings
    return EMPTY


def _made(count: int, make: Callable[[], list[Experiment]]) -> tuple[Message, list[Experiment]]:
    """The experiments beside the first one, or why there are none; the present ones are unchanged."""
    try:
        return EMPTY, make()
    except ParameterError as refusal:
        return message_of(refusal), []
    except MemoryError:
        return (
            plural(
                "{count} experiment side by side needs more memory than there is: choose fewer of them, or "
                "fewer grains.",
                "{count} experiments side by side need more memory than there is: choose fewer of them, or "
                "fewer grains.",
                count=count,
            ),
            [],
        )


def _set(together: SideBySide, command: SetParameters | Recover, chosen: int) -> Message:
    runs = together.runs
    refusal = apply(runs[chosen], command)
    if refusal:
        return refusal
    shared = {name: value for name, value in command.values.items() if name not in together.differing}
    refusals = []
    for number, run in enumerate(runs):
        values = {name: value for name, value in shared.items() if name in run.parameters.declared()}
        if number == chosen or not (values or run.fault is not None):
            continue
        act: Command = Recover(values) if run.fault is not None else SetParameters(values)
        if refused := apply(run, act):
            refusals.append(Message("Run {number} keeps its value: {refused}", number=number + 1, refused=refused))
    return _first(refusals)


def _set_instrument(together: SideBySide, command: OfInstruments, chosen: int) -> Message:
    """Place, move or remove an instrument in all experiments; a probe, and what only some of them have, in those of
    them."""
    runs = together.runs
    of_one = isinstance(command, PlaceInstrument | SetInstrument) and command.instrument.grain is not None
    if isinstance(command, PlaceInstrument):
        concerned = [runs[chosen]] if of_one else runs
    else:
        name = command.name if isinstance(command, RemoveInstrument) else command.instrument.name
        concerned = [run for run in runs if name in placed_instruments.names_of(run)] or [runs[chosen]]
    refusals = [placed_instruments.refusal(run, command) for run in concerned]
    return _first(refusals) or _first([apply(run, command) for run in concerned])


def _offers(experiment: Experiment, action: str) -> bool:
    """Whether an action of the scene is possible now."""
    return any(entry.name == action and entry.enabled for entry in experiment.scene.course.actions(experiment))


def _rewind(together: SideBySide, chosen: int, at: int) -> Message:
    """Go to stored equal times: the first at or after step `at` of the chosen run when going forwards, the last at or
    before it when going backwards."""
    runs = together.runs
    run_history = runs[chosen].history
    if at >= run_history.log.end:
        return _first([apply(run, Rewind(run.history.log.end)) for run in runs])
    then = side_by_side.meeting_near(together, chosen, at, forwards=at > run_history.at)
    return _first([apply(run, Rewind(step)) for run, step in zip(runs, then, strict=True)])


def _take_back(together: SideBySide, chosen: int, name: str) -> Message:
    """Undo the latest action of this name in the chosen run; the others undo theirs, or go back to the same time."""
    runs = together.runs
    if refusal := apply(runs[chosen], TakeBack(name)):
        return refusal
    seek = runs[chosen].history.seek
    then = side_by_side.meeting_near(together, chosen, seek.at if seek is not None else runs[chosen].history.at)
    refusals = []
    for number, run in enumerate(runs):
        if number == chosen:
            continue
        same = name not in together.differing and name not in OF_ONE and not apply(run, TakeBack(name))
        if not same:
            refusals.append(apply(run, Rewind(then[number])))
    return _first(refusals)


def _first(refusals: Sequence[Message]) -> Message:
    return next((refusal for refusal in refusals if refusal), EMPTY)


def apply(experiment: Experiment, command: Command) -> Message:
    """Carry out a command; returns why it was refused, or an empty string."""
    seek = experiment.history.seek
    if isinstance(command, LOGGED) and seek is not None:
        left = seek.at - experiment.history.at
        return plural(
            "The run is moving to step {at}, {count} step from here: wait until it is there.",
            "The run is moving to step {at}, {count} steps from here: wait until it is there.",
            count=left,
            at=seek.at,
        )
    before = changes.save_state(experiment)
    try:
        _act(experiment, command)
    except RelaxationStopped as stopped:
        changes.restore_state(experiment, before)
        return stopped.message
    except ParameterError as refusal:
        return message_of(refusal)
    if isinstance(command, OfInstruments):
        history.insert_command(experiment, command)
    elif isinstance(command, LOGGED):
        history.note_command(experiment, command)
    return EMPTY


def _act(experiment: Experiment, command: Command) -> None:
    """Carry out a command; instruments count up to it if it acts on the grains."""
    if isinstance(command, OfInstruments):
        placed_instruments.carry_out(experiment, command)
    elif isinstance(command, LOGGED):
        with placed_instruments.interrupted(experiment):
            _apply(experiment, command)
    else:
        _apply(experiment, command)


def _apply(experiment: Experiment, command: Command) -> None:
    match command:
        case SetParameters(values) | Recover(values):
            changes.set_parameters(experiment, values)
        case Act(action):
            changes.act(experiment, action)
        case RemoveGrain(sphere_id):
            changes.remove_grain(experiment, sphere_id)
        case AddGrains(position, radius, count):
            hand.add_grains(experiment, position, radius, count)
            changes.keep_in_good_state(experiment)
            faults.update_dt(experiment)
        case DrawWall(start, end):
            drawn_walls.draw_wall(experiment, start, end)
            changes.keep_in_good_state(experiment)
            faults.update_dt(experiment)
        case RemoveWall(position, reach):
            drawn_walls.remove_wall(experiment, position, reach)
            changes.keep_in_good_state(experiment)
        case MoveWall(wall, velocity):
            moved_walls.move_wall(experiment, wall, velocity)
            faults.update_dt(experiment)
        case ServoWall(wall, force, pressure, speed):
            moved_walls.keep_force(experiment, wall, force, pressure, speed)
            faults.update_dt(experiment)
        case Pull(sphere_id, position, limit):
            hand.pull(experiment, sphere_id, position, limit)
            faults.update_dt(experiment)
        case Push(position, radius, limit, speed, rigid):
            hand.push(experiment, position, radius, limit, speed, rigid)
            faults.update_dt(experiment)
        case Release():
            hand.release(experiment)
        case Shake(amplitude, frequency, upright):
            hand.shake(experiment, amplitude, frequency, upright)
            faults.update_dt(experiment)
        case Still():
            hand.end_shake(experiment)
        case Start(scene, values, seed, ready, direction, instruments):
            changes.start(experiment, scene, values, seed, ready, direction, instruments)
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
        case KeepGuesses(guesses):
            results.keep_guesses(experiment, guesses)


def rewind_to(experiment: Experiment, at: int) -> None:
    """Go to the step `at` of the log, before the commands that acted there; at the end of the log, after them."""
    log = experiment.history.log
    at = min(max(at, 0), log.end)
    if at < experiment.history.at == log.end and experiment.history.seek is None:
        history.keep_return(experiment)  # the way back is immediate: a replay ends there, before a file is written
    go_to(experiment, at, len(log.entries) if at == log.end else sum(entry.at < at for entry in log.entries))


def take_back(experiment: Experiment, name: str) -> None:
    """Go to the state before the latest change of the parameter `name`, or before the latest action of this name;
    raises `ParameterError` if there is none."""
    run_history = experiment.history
    # During a seek to an earlier state the log of that state counts: Ctrl+Z twice undoes two actions.
    done = run_history.log.entries[: run_history.commands if run_history.seek is None else run_history.seek.last]
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
    run_history = experiment.history
    nearest = run_history.checkpoints.before(at)
    if not (nearest.at <= run_history.at <= at and run_history.commands <= last):
        changes.restore(experiment, nearest)
    history.set_seek(experiment, Seek(run_history.at, at, last))
    seek_further(experiment, experiment.session.seek_steps)


def seek_further(experiment: Experiment, most: int) -> None:
    """Advance by at most `most` steps towards the step of `History.seek`; the seek ends there, or at a fault."""
    run_history = experiment.history
    seek = run_history.seek
    if seek is None:
        return
    followed = follow_log(experiment, seek.at, seek.last, most)
    if not followed or (run_history.at, run_history.commands) == (seek.at, seek.last):
        history.set_seek(experiment, None)


def follow_log(experiment: Experiment, at: int, last: int, most: int = WITHOUT_LIMIT) -> bool:
    """Advance by at most `most` steps to step `at`, and carry out the first `last` log entries at their steps.

    Returns False if a fault or a refused command ends the advance.
    """
    run_history = experiment.history
    entries = run_history.log.entries
    while True:
        due, command = entries[run_history.commands] if run_history.commands < last else (at, None)
        steps = min(max(due - run_history.at, 0), most)
        wanted = run_history.at + steps
        advance_within_log(experiment, steps)
        if run_history.at != wanted:
            return False
        most -= steps
        if command is None or run_history.at < due:
            return True
        try:
            _act(experiment, command)
        except ParameterError:
            return False
        history.count_command(experiment)
