"""The course of a timed scene: it is set up, runs by itself while it is recorded, ends, and is judged.

A scene states what is its own in a `TimedCourse`; everything else is stated here once: phases, buttons, recorder,
results, checks, and the check of a state from a file.

A course either waits until grains have settled ("filling", then "filled"), or its bodies are fixed until the action
releases them ("empty"). Then it runs ("flowing") until `drive` says that it is over ("rested"). A course with grains
begins at the first check after they have settled, or after the command. "Run all" therefore gives the same bits at step
0, as on the command line, and at the rest at which the window waits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import GenericAlias
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import turn_gravity
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import Course, Experiment
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.run_answer import answer_of
from repose.sim.experiment.snapshot import Action
from repose.sim.io.plain import Array
from repose.sim.measure.display import Answer, Outcome
from repose.sim.message import EMPTY, Message, Number, _
from repose.sim.scenes.common.course_records import Columns, keep_record, record_times, records_flaw
from repose.sim.scenes.common.phases import RELEASED, PhaseState, Words, enter, phase_in_words
from repose.sim.scenes.common.settled import Packing, put_settled
from repose.sim.scenes.common.settling import is_settled
from repose.sim.scenes.common.state_checks import first_invalid, is_finite, phase_flaws

LONGEST_WAIT = 3.0
"""Time after which the course continues although the grains are not at rest [s]."""
LEAST_TURN = math.radians(0.02)
"""Step in which a table is turned [rad]: every one sets the parameters of gravity anew, which takes as long as a time
step."""


@dataclass
class CourseState(PhaseState):
    """State of a timed scene; a scene adds fields of its own: numbers, arrays, and lists of dataclasses of these."""

    OLDEST_FORMAT: ClassVar[int] = 10
    """Format of run files from which on they contain this state."""
    run_all: bool = False
    """Whether the course begins by itself once the grains have settled."""
    begins: bool = False
    """Whether the course begins at the next check."""
    columns: Columns = field(default_factory=dict)
    """Records of the course."""
    table: float = 0.0
    """Angle by which the course has turned the table [rad]."""
    held: Array = field(default_factory=lambda: np.empty(0))
    """Velocities at the end of the course of the spheres that are fixed there [m/s], shape (spheres, dimension); empty
    before, and if they go on moving."""


def elapsed(experiment: Experiment) -> float:
    """Time since the course began [s]; 0 before it begins, and its whole length after its end."""
    state: CourseState = experiment.run.state
    if state.phase == "flowing":
        return experiment.time - state.since
    time = times(experiment)
    return float(time[-1]) if time.size else 0.0


def turn_table(experiment: Experiment, angle: float, stays: bool) -> None:
    """Turn gravity so that the table of the course has this angle [rad], once it differs by `LEAST_TURN`, or where it
    `stays`; the change of the energy is booked as work."""
    state: CourseState = experiment.run.state
    if angle != state.table and (stays or abs(angle - state.table) >= LEAST_TURN):
        state.table = angle
        turn_gravity(experiment)


def times(experiment: Experiment) -> Floats:
    """Times of the records since the beginning of the course [s], shape (records,)."""
    return record_times(experiment.run.state.columns)


def column(experiment: Experiment, name: str) -> Floats:
    """A recorded quantity [SI], shape (records,) or (records, bodies); empty before the first record."""
    rows: Floats = experiment.run.state.columns.get(name, np.empty(0))
    return rows


def last_record(experiment: Experiment) -> dict[str, float]:
    """The last record of every quantity by name [SI], without its time; empty before the first record."""
    columns: Columns = experiment.run.state.columns
    return {name: float(rows[-1]) for name, rows in columns.items() if name != "time"}


def is_over(experiment: Experiment) -> bool:
    """Whether the duration, a parameter, has passed."""
    return bool(elapsed(experiment) >= experiment.run.built.duration)


def share_of_duration(experiment: Experiment) -> float | None:
    """Share of the duration that has passed [-]; None for a scene without this parameter."""
    duration: float | None = getattr(experiment.run.built, "duration", None)
    return min(1.0, elapsed(experiment) / duration) if duration else None


WORDS: Words = {
    "empty": lambda experiment: _("ready to start"),
    "flowing": lambda experiment: Message(
        "running: {now} of {duration} s",
        now=Number(elapsed(experiment), format=".2f"),
        duration=Number(experiment.run.built.duration, format="g"),
    ),
    "rested": lambda experiment: Message("ran for {duration} s", duration=Number(elapsed(experiment), format=".3g")),
}
"""Usual words for bodies that are released."""


@dataclass(frozen=True)
class CourseButtons:
    """Texts of the actions of a course."""

    start: Message
    """Label of the action that begins it."""
    help: Message
    back: Message
    """What a reset has done, as a sentence."""
    reset_help: Message
    begun: Message = EMPTY
    """What the beginning has done; empty says how long the run lasts."""


def no_answer(experiment: Experiment) -> Answer | None:
    """The answer of a course without a question."""
    return None


@dataclass(frozen=True)
class TimedCourse:
    """What a timed scene states of its course."""

    state: type[CourseState]
    """The dataclass of its state."""
    start: Callable[[Any, int], World]
    """start(parameters, seed) -> the world before the course."""
    record: Callable[[Experiment], Mapping[str, ArrayLike]]
    """The quantities to record, each a number or one number per body."""
    buttons: CourseButtons
    settle: Callable[[Experiment], bool] | None = None
    """Called at every check before the course; returns whether the grains are ready. None for bodies that are fixed
    until the action releases them."""
    packing: tuple[str, Packing] | None = None
    """Name of the stored packing, and how it is computed, with which the default parameters begin."""
    begin: Callable[[Experiment], None] = lambda experiment: None
    """Releases the bodies, opens an outlet or begins to move a wall."""
    drive: Callable[[Experiment], bool] = is_over
    """Called at every check: moves walls, counts, and returns whether the course is over."""
    interval: Callable[[Any], float] = lambda built: 0.0
    """interval(parameters) -> time between two records [s]; 0 records at every check."""
    stop: Callable[[Experiment], None] = lambda experiment: None
    """Stops walls or bodies at the end, and measures what is measured once."""
    afterwards: Callable[[Experiment], object] = lambda experiment: None
    """Called at every check after the end."""
    outcomes: Callable[[Experiment], tuple[Outcome, ...]] = lambda experiment: ()
    """The expected outcomes of a whole course."""
    results: Callable[[Experiment], dict[str, Any]] = lambda experiment: {}
    """Its numbers for result.json."""
    answer: Callable[[Experiment], Answer | None] = no_answer
    """The answer of a whole course to the question, one sentence with its number; None if too little was measured."""
    conclusion: Callable[[Experiment], Message] = lambda experiment: EMPTY
    """What the end says; empty for the answer, or the present state."""
    share: Callable[[Experiment], float | None] = share_of_duration
    """Completed share of a running course [-]; None if it is not known."""
    words: Words = field(default_factory=dict)
    """Words of the phases that are not those of `WORDS`."""
    phases: tuple[Phase, ...] = RELEASED
    flaws: Callable[[Any, World, Any], Mapping[str, bool]] = lambda state, world, built: {}
    """flaws(state, world, parameters) -> which parts of the scene's own state from a file are impossible, by name."""


def timed_course(course: TimedCourse) -> Course:
    """The course of the scene, without readings."""

    def begin(parameters: Any, seed: int) -> tuple[World, CourseState]:
        world = course.start(parameters, seed)
        settled = course.packing and put_settled(world, *course.packing, course.state, parameters, seed)
        return world, course.state(phase="filled" if settled else course.phases[0].name)

    begin.__annotations__["return"] = GenericAlias(tuple, (World, course.state))  # from which run files are read

    def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
        return outcomes_at_end(course, experiment)

    def answer(experiment: Experiment) -> Answer | None:
        return answer_at_end(course, experiment)

    return Course(
        begin=begin,
        supervise=lambda experiment: supervise(course, experiment),
        actions=lambda experiment: actions(course, experiment),
        act=lambda experiment, action: act(course, experiment, action),
        phases=course.phases,
        describe=lambda experiment: describe(course, experiment),
        under_way=under_way,
        outcomes=outcomes,
        find_answer=answer,
        results=lambda experiment: results(course, experiment),
        check=lambda experiment: check(course, experiment),
        invalid_state=lambda state, world, built: invalid_state(course, state, world, built),
        turned=lambda state: float(state.table),
        held_velocities=held_velocities,
    )


def held_velocities(experiment: Experiment) -> Floats | None:
    """The velocities at the end of the spheres that are fixed there; None before, and after a change of the spheres."""
    held: Floats = experiment.run.state.held
    return held if len(held) and len(held) == experiment.run.world.sphere_count else None


def supervise(course: TimedCourse, experiment: Experiment) -> None:
    """Wait until the grains have settled, begin, record, and end the course."""
    state: CourseState = experiment.run.state
    if state.phase == "filling" and course.settle is not None:
        if is_settled(experiment, course.settle(experiment), experiment.time - state.since, LONGEST_WAIT):
            course.stop(experiment)
            enter(experiment, "filled")
    elif state.phase == "filled" and (state.begins or state.run_all):
        state.begins = False
        begin_course(course, experiment)
        notify(experiment, begun(course, experiment))
    elif state.phase == "flowing":
        _run_on(course, experiment)
    elif state.phase == "rested":
        course.afterwards(experiment)


def begin_course(course: TimedCourse, experiment: Experiment) -> None:
    """Begin the course, without earlier records."""
    experiment.run.state.columns, experiment.run.state.held = {}, np.empty(0)
    enter(experiment, "flowing")
    course.begin(experiment)


def begun(course: TimedCourse, experiment: Experiment) -> Message:
    """What the beginning has done."""
    return course.buttons.begun or Message(
        "The run lasts {duration} s of simulated time.", duration=Number(experiment.run.built.duration, format="g")
    )


def _run_on(course: TimedCourse, experiment: Experiment) -> None:
    state: CourseState = experiment.run.state
    over, time = course.drive(experiment), times(experiment)
    if over or not time.size or elapsed(experiment) >= time[-1] + course.interval(experiment.run.built):
        keep_now(experiment, course.record(experiment))
    if not over:
        return
    moved = experiment.run.world.motion[: experiment.scene.model.dimension, 1].T.copy()
    course.stop(experiment)
    state.held = np.empty(0) if experiment.run.world.inverse_mass.any() else moved
    enter(experiment, "rested")
    state.run_all = False
    keep_measurement(experiment)
    answer, conclusion = answer_of(experiment), course.conclusion(experiment)
    done = Message("Done: {experiment}.", experiment=describe(course, experiment)[1])
    # The answer stands beside the guess or the question; the phase says that the run is over.
    notify(experiment, answer.words if answer else conclusion or done, repeats=bool(answer) or not conclusion)


def keep_now(experiment: Experiment, values: Mapping[str, ArrayLike]) -> None:
    """Append one record to the columns. What the earlier records of a file of an older version lack is left out."""
    columns: Columns = experiment.run.state.columns
    known = {name: value for name, value in values.items() if not columns or name in columns}
    keep_record(columns, {"time": elapsed(experiment), **known})


def act(course: TimedCourse, experiment: Experiment, action: str) -> Message:
    """Carry out "start", "run" or "reset"."""
    state, released = experiment.run.state, course.settle is None
    if action == "start":
        state.begins = True
        return begun(course, experiment)
    watched = state.phase == "filled" and experiment.time != state.since
    if action == "reset" or released or state.phase == "rested" or watched:
        begin_anew(experiment)
    if action == "reset":
        return course.buttons.back
    if released:
        begin_course(course, experiment)
        return begun(course, experiment)
    experiment.run.state.run_all = True
    return begun(course, experiment) if experiment.phase == "filled" else _("The experiment runs by itself.")


def actions(course: TimedCourse, experiment: Experiment) -> tuple[Action, ...]:
    """The buttons: one releases bodies; grains settle first, and "Run all" does both."""
    state: CourseState = experiment.run.state
    texts = course.buttons
    reset = Action("reset", _("Reset"), "R", True, texts.reset_help)
    if course.settle is None:
        return Action("run", texts.start, "A", state.phase != "flowing", texts.help), reset
    ready = state.phase == "filled" and not state.run_all and not state.begins
    return (
        Action("start", texts.start, "O", ready, texts.help),
        reset,
        Action(
            "run",
            _("Run again") if state.phase == "rested" else _("Run all"),
            "A",
            not state.run_all,
            _("Let the grains settle, then run the whole course."),
        ),
    )


def under_way(experiment: Experiment) -> bool:
    """Whether the experiment continues without a command."""
    state: CourseState = experiment.run.state
    return state.run_all or state.begins or experiment.present_phase.runs


def describe(course: TimedCourse, experiment: Experiment) -> tuple[str, Message, float | None]:
    """Phase, its label, and the share done or None."""
    share = course.share(experiment) if experiment.phase == "flowing" else None
    return phase_in_words(experiment, {**WORDS, **course.words}, share)


def outcomes_at_end(course: TimedCourse, experiment: Experiment) -> tuple[Outcome, ...]:
    """The outcomes of a whole course; empty before its end."""
    return course.outcomes(experiment) if experiment.phase == "rested" else ()


def answer_at_end(course: TimedCourse, experiment: Experiment) -> Answer | None:
    """The answer of a whole course; None before its end, and for a course without a question. If nothing was measured,
    the answer has no number, and says why not."""
    if experiment.phase != "rested" or course.answer is no_answer:
        return None
    found = course.answer(experiment)
    if found is not None:
        return found
    why = course.conclusion(experiment) or Message(
        "Too little was measured in {time} for an answer.", time=Number(elapsed(experiment), "s", digits=3)
    )
    return Answer(math.nan, why)


def results(course: TimedCourse, experiment: Experiment) -> dict[str, Any]:
    """Phase, numbers and outcomes."""
    return {
        "phase": experiment.phase,
        "waits_cut_short": experiment.run.state.waits_cut_short,
        **course.results(experiment),
        "outcomes": [dict(vars(entry)) for entry in outcomes_at_end(course, experiment)],
    }


def check(course: TimedCourse, experiment: Experiment) -> Message:
    """The first outcome that does not hold, in a sentence."""
    if experiment.phase != "rested":
        return Message("The run did not reach its end: phase {phase}.", phase=experiment.phase)
    missed = (entry.complaint for entry in outcomes_at_end(course, experiment) if not entry.holds)
    return next(missed, EMPTY)


def invalid_state(course: TimedCourse, state: CourseState, world: World, built: Any) -> Message | None:
    """The first part of a state read from a file that is impossible."""
    phase = next(phase for phase in course.phases if phase.name == state.phase)
    begun = phase.ends or (phase.runs and phase.name != "filling")
    wrong = phase.ends and not state.columns if begun else bool(state.columns)
    return first_invalid(
        {
            **phase_flaws(state),
            "number of bodies": world.sphere_count == 0,
            "columns": wrong or records_flaw(state.columns),
            "held velocities": state.held.shape not in ((0,), (world.sphere_count, world.dimension)),
            "numbers": not is_finite(state),
            **course.flaws(state, world, built),
        }
    )
