"""Two to four experiments side by side: one list, commands to all of them, steps to equal simulated times.

Every experiment has its own log and its own time step, and no experiment reads another one: the bits of each are those
of the same run alone. This module is the only writer of `SideBySide`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from repose.sim.engine.thread_count import available
from repose.sim.experiment import changes, history
from repose.sim.experiment.command_log import SavedRun, SavedSideBySide
from repose.sim.experiment.commands import (
    PULLED,
    REMOVED,
    Act,
    Command,
    Copy,
    DoAgain,
    KeepMeasured,
    KeepOne,
    Pull,
    Recover,
    RemoveGrain,
    Resume,
    Rewind,
    SetParameters,
    Start,
    StartSideBySide,
    TakeBack,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment, Session
from repose.sim.experiment.stepping import advance, steps_until
from repose.sim.message import EMPTY, Message, _, joined
from repose.sim.parameters import ParameterError
from repose.sim.wording import message_of

FEWEST, MOST = 2, 4
"""Number of experiments side by side."""
OF_ONE = (PULLED, REMOVED)
"""Actions on one of the experiments: undoing one does not undo an action of the same name in another experiment."""
MOST_MEETINGS = 20_000
"""Largest number of stored equal times; above it, every second one of the earlier half is discarded."""


@dataclass
class SideBySide:
    """The experiments beside the first one; empty for a single run."""

    others: list[Experiment] = field(default_factory=list)
    own: frozenset[str] = frozenset()
    """Names of the parameters in which the experiments differ: a change acts on one of them only."""
    meetings: list[tuple[int, ...]] = field(default_factory=list)
    """Steps of every experiment at equal simulated times, counted since its log began."""
    spare: int = 0
    """`Session.spare_processors` of the first experiment when it runs alone."""
    pool: ThreadPoolExecutor | None = None
    """Threads that step the experiments; None if only one processor is free: the experiments are stepped in turn."""


def all_of(lead: Experiment, beside: SideBySide) -> list[Experiment]:
    """Every experiment, the first one first."""
    return [lead, *beside.others]


def begins_several(command: Command) -> bool:
    """Whether a command begins experiments side by side."""
    return isinstance(command, StartSideBySide) or (
        isinstance(command, Resume) and isinstance(command.saved, SavedSideBySide)
    )


def concerns(beside: SideBySide, command: Command) -> bool:
    """Whether a command acts on experiments side by side or starts them; `apply` carries out all other commands."""
    return bool(beside.others) or begins_several(command) or isinstance(command, KeepOne)


def carry_out(lead: Experiment, beside: SideBySide, command: Command, run: int = 0) -> Message:
    """Carry out a command given while the user looks at experiment `run`; returns why it was refused, or ""."""
    if isinstance(command, StartSideBySide):
        return _start(lead, beside, command.runs)
    if isinstance(command, Resume) and isinstance(command.saved, SavedSideBySide):
        return _resume(lead, beside, command.saved)
    if isinstance(command, KeepOne):
        return _keep_one(lead, beside, command.run)
    if isinstance(command, Start | Resume):
        refusal = apply(lead, command)
        if not refusal:
            _end(lead, beside)
        return refusal
    if isinstance(command, Copy):
        command.take(saved_copy(lead, beside))
        return EMPTY
    meet(lead, beside)
    return _carry_out_in_all(all_of(lead, beside), beside, command, run if run <= len(beside.others) else 0)


def _carry_out_in_all(runs: list[Experiment], beside: SideBySide, command: Command, chosen: int) -> Message:
    match command:
        case SetParameters() | Recover():
            return _set(runs, beside, command, chosen)
        case Act(action):
            able = [run for run in runs if _offers(run, action)] or [runs[chosen]]
            return _first([apply(run, command) for run in able])
        case Rewind(at):
            return _rewind(runs, beside, chosen, at)
        case TakeBack(name):
            return _take_back(runs, beside, chosen, name)
        case RemoveGrain() | Pull():
            return apply(runs[chosen], command)
        case DoAgain(name) if name in OF_ONE:
            return apply(runs[chosen], command)
        case DoAgain():  # acts in the experiments in which the action was undone, including the chosen one
            return [apply(run, command) for run in runs][chosen]
        case KeepMeasured():
            return apply(runs[0], command)
    return _first([apply(run, command) for run in runs])


def advance_all(lead: Experiment, beside: SideBySide, time: float) -> int:
    """Advance every experiment to its first step at or after `time` [s]; returns the number of steps of the first one.

    If an experiment was set back to an earlier time, the others wait until it has caught up.
    """
    runs = all_of(lead, beside)
    if beside.pool is None:
        done = [advance_to(run, time) for run in runs]
    else:
        done = [*beside.pool.map(advance_to, runs, [time] * len(runs))]
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


def meet(lead: Experiment, beside: SideBySide) -> None:
    """Store the steps of all experiments, which are at equal times; not while an earlier state is shown."""
    runs = all_of(lead, beside)
    if any(run.history.at < run.history.log.end or run.history.seek is not None for run in runs):
        return
    now = tuple(run.history.at for run in runs)
    meetings = beside.meetings
    while meetings and any(then > at for then, at in zip(meetings[-1], now, strict=True)):
        meetings.pop()  # the runs continued from an earlier state
    if not meetings or meetings[-1] != now:
        meetings.append(now)
    if len(meetings) > MOST_MEETINGS:
        half = MOST_MEETINGS // 2
        meetings[:half] = meetings[:half:2]


def saved_copy(lead: Experiment, beside: SideBySide) -> SavedSideBySide:
    """A copy of all runs for a file."""
    runs = tuple(history.saved_copy(run) for run in all_of(lead, beside))
    ends = tuple(run.now.at for run in runs)
    past = [then for then in beside.meetings if all(at <= end for at, end in zip(then, ends, strict=True))]
    return SavedSideBySide(runs, beside.own, tuple(past if past and past[-1] == ends else [*past, ends]))


def labels(runs: Sequence[Experiment], own: frozenset[str]) -> tuple[Message, ...]:
    """Differences of each run from the others, in words: scene, parameters with symbol and unit."""
    scenes = len({run.scene.name for run in runs}) > 1
    return tuple(_label(run, own, scenes) for run in runs)


def _label(run: Experiment, own: frozenset[str], scenes: bool) -> Message:
    declared = run.parameters.in_units()
    words = [run.scene.title] if scenes else []
    for name in (name for name in declared if name in own):
        quantity, value = declared[name].quantity, declared[name].shown(getattr(run.parameters, name))
        named = joined((quantity.symbol, value), " = ") if quantity.symbol else joined((quantity.label, value), " ")
        words.append(value if declared[name].kind == "choice" else named)
    return joined(words[:3]) if words else EMPTY


def _start(lead: Experiment, beside: SideBySide, starts: tuple[Start, ...]) -> Message:
    if not FEWEST <= len(starts) <= MOST:
        return Message(
            "{starts} experiments side by side are refused: choose {fewest} to {most}.",
            starts=len(starts),
            fewest=FEWEST,
            most=MOST,
        )
    session = lead.session

    def make(start: Start) -> Experiment:
        return changes.new_experiment(start.scene, start.values, start.seed, start.ready, session_beside(session))

    refusal, others = _made(len(starts), lambda: [make(start) for start in starts[1:]])
    if refusal := refusal or apply(lead, starts[0]):
        return refusal
    given = [set(start.values) for start in starts]
    _adopt(lead, beside, others, differing([lead, *others], frozenset().union(*given)))
    meet(lead, beside)
    return EMPTY


def _resume(lead: Experiment, beside: SideBySide, saved: SavedSideBySide) -> Message:
    session = lead.session

    def make(run: SavedRun) -> Experiment:
        return changes.resumed_experiment(run, session_beside(session))

    refusal, others = _made(len(saved.runs), lambda: [make(run) for run in saved.runs[1:]])
    if refusal := refusal or apply(lead, Resume(saved.runs[0])):
        return refusal
    _adopt(lead, beside, others, saved.own)
    beside.meetings[:] = saved.meetings
    return EMPTY


def _made(count: int, make: Callable[[], list[Experiment]]) -> tuple[Message, list[Experiment]]:
    """The experiments beside the first one, or why there are none; the present ones are unchanged."""
    try:
        return EMPTY, make()
    except ParameterError as refusal:
        return message_of(refusal), []
    except MemoryError:
        return (
            Message(
                "{count} experiments side by side need more memory than there is: choose fewer of them, or "
                "fewer grains.",
                count=count,
            ),
            [],
        )


def session_beside(session: Session) -> Session:
    """The session of an experiment beside the first one, whose session is given."""
    return Session(
        threads=session.threads,
        before_compiling=session.before_compiling,
        while_relaxing=session.while_relaxing,
        measured=session.measured,
    )


def _adopt(lead: Experiment, beside: SideBySide, others: list[Experiment], own: frozenset[str]) -> None:
    _end(lead, beside)
    beside.others, beside.own = others, own
    runs = all_of(lead, beside)
    free = max(1, available() - lead.session.spare_processors)
    workers = min(len(runs), free)
    beside.pool = ThreadPoolExecutor(workers, thread_name_prefix=_("side by side")) if workers > 1 else None
    budget = lead.history.checkpoints.budget // len(runs)
    beside.spare = lead.session.spare_processors
    for run in others:
        run.history.checkpoints.budget = budget
        run.history.checkpoints.keep(history.checkpoint(run))
    for run in runs:
        run.session.spare_processors = available() - max(1, free // len(runs))


def _end(lead: Experiment, beside: SideBySide) -> None:
    """End the experiments beside the first one."""
    if beside.others:
        lead.session.spare_processors = beside.spare
    if beside.pool is not None:
        beside.pool.shutdown(wait=False)
    beside.others, beside.own, beside.pool = [], frozenset(), None
    beside.meetings.clear()


def _keep_one(lead: Experiment, beside: SideBySide, run: int) -> Message:
    runs = all_of(lead, beside)
    if not 0 <= run < len(runs):
        return Message("There is no experiment {run}: {runs} run now.", run=run + 1, runs=len(runs))
    kept = runs[run]
    if kept is not lead:
        kept.history.checkpoints.budget = lead.history.checkpoints.budget
        history.succeed(kept, lead)
        vars(lead).update(vars(kept))
    _end(lead, beside)
    return EMPTY


def differing(runs: Sequence[Experiment], given: frozenset[str]) -> frozenset[str]:
    """Names among `given` of parameters whose values differ between runs or that some run does not have."""
    names = set()
    for name in given:
        values = [getattr(run.parameters, name) for run in runs if name in run.parameters.declared()]
        if len(set(map(repr, values))) > 1 or len(values) < len(runs):
            names.add(name)
    return frozenset(names)


def _set(runs: list[Experiment], beside: SideBySide, command: SetParameters | Recover, chosen: int) -> Message:
    refusal = apply(runs[chosen], command)
    if refusal:
        return refusal
    shared = {name: value for name, value in command.values.items() if name not in beside.own}
    refusals = []
    for number, run in enumerate(runs):
        values = {name: value for name, value in shared.items() if name in run.parameters.declared()}
        if number == chosen or not (values or run.fault is not None):
            continue
        act: Command = Recover(values) if run.fault is not None else SetParameters(values)
        if refused := apply(run, act):
            refusals.append(Message("Run {number} keeps its value: {refused}", number=number + 1, refused=refused))
    return _first(refusals)


def _offers(experiment: Experiment, action: str) -> bool:
    """Whether an action of the scene is possible now."""
    return any(entry.name == action and entry.enabled for entry in experiment.scene.course.actions(experiment))


def _rewind(runs: list[Experiment], beside: SideBySide, chosen: int, at: int) -> Message:
    """Go to stored equal times: the first at or after step `at` of the chosen run when going forwards, the last at or
    before it when going backwards."""
    past = runs[chosen].history
    if at >= past.log.end:
        return _first([apply(run, Rewind(run.history.log.end)) for run in runs])
    if at > past.at:
        then = next(then for then in beside.meetings if then[chosen] >= at)
    else:
        then = next((then for then in reversed(beside.meetings) if then[chosen] <= at), beside.meetings[0])
    return _first([apply(run, Rewind(step)) for run, step in zip(runs, then, strict=True)])


def _take_back(runs: list[Experiment], beside: SideBySide, chosen: int, name: str) -> Message:
    """Undo the latest action of this name in the chosen run; the others undo theirs, or go back to the same time."""
    if refusal := apply(runs[chosen], TakeBack(name)):
        return refusal
    seek = runs[chosen].history.seek
    at = seek.at if seek is not None else runs[chosen].history.at
    then = next((then for then in reversed(beside.meetings) if then[chosen] <= at), beside.meetings[0])
    refusals = []
    for number, run in enumerate(runs):
        if number == chosen:
            continue
        same = name not in beside.own and name not in OF_ONE and not apply(run, TakeBack(name))
        if not same:
            refusals.append(apply(run, Rewind(then[number])))
    return _first(refusals)


def _first(refusals: Sequence[Message]) -> Message:
    return next((refusal for refusal in refusals if refusal), EMPTY)


def time_to_meet(lead: Experiment, beside: SideBySide, steps: int) -> float:
    """The simulated time that all experiments reach in the next batch of `steps` steps of the first one [s]."""
    earliest = min(run.time for run in all_of(lead, beside))
    return earliest + steps * lead.dt if math.isfinite(earliest) else lead.time
