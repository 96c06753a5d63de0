"""Grains poured in layers: phases of the experiment, counts, rest, and the actions that all poured scenes share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import SphereGroup, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import free_fall, start_derivatives
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import CHECK_STEPS, Course, Experiment
from repose.sim.experiment.hand import holds
from repose.sim.experiment.ledger import booked, remove_spheres
from repose.sim.experiment.notices import notify
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.rest import settle_speed
from repose.sim.experiment.run_answer import answer_of
from repose.sim.experiment.snapshot import Action
from repose.sim.experiment.stepping import drifts
from repose.sim.io.plain import Array
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.message import Message, _, joined, plural
from repose.sim.scenes.common.measured_heap import MeasuredHeap
from repose.sim.scenes.common.phases import PhaseState, Words, enter, phase_in_words
from repose.sim.scenes.common.state_checks import first_invalid, invalid_poured

REMOVAL_STEPS = 4 * CHECK_STEPS
"""Steps between two removals of grains that have left. A removal makes all tables and the neighbour lists anew, which
costs as much as some fifty steps; meanwhile the grains fall below the scene."""

MOVES_AGAIN = 3.0
"""Mean speed, in units of the settle speed, above which a heap at rest flows again [-]."""


POUR = _("Pour")
"""Usual label of the action that pours."""


@dataclass
class PouredState(PhaseState):
    """Phase and counts of an experiment that pours grains; `since` is also set when a layer is poured."""

    radii: Array = field(default_factory=lambda: np.empty(0))
    """Radius of every grain, in the order of pouring [m]."""
    poured: int = 0
    layers: int = 0
    removed: int = 0
    """Number of grains that have left the base or were removed by the user."""
    run_all: bool = False
    """Whether the experiment continues to its end without commands."""
    next_id: int = 0
    random: dict[str, Any] = field(default_factory=dict)
    """State of the generator that places the grains."""
    prepared: bool = False
    """Whether the container was filled from the beginning."""
    measured: MeasuredHeap | None = None
    """The heap at the latest measurement; None before the first."""

    def __post_init__(self) -> None:
        self.radii = np.asarray(self.radii, float)


def generator_of(state: PouredState) -> np.random.Generator:
    """The random generator that places the grains; `add_layer` stores its state."""
    generator = np.random.default_rng()
    generator.bit_generator.state = state.random
    return generator


def add_layer(
    experiment: Experiment,
    position: Floats,
    radii: Floats,
    mass: Floats,
    generator: np.random.Generator,
    on_last: bool = False,
) -> None:
    """Release the next layer from rest: centres (n, dimension) [m], radii [m] and masses [kg], shape (n,); `on_last`:
    the grains belong to the last layer."""
    falling = free_fall(experiment)
    release_layer(
        experiment,
        lambda world, layer: add_spheres(world, position, radii, mass, layer, **falling),
        radii.size,
        generator,
        on_last,
    )


def release_layer(
    experiment: Experiment,
    add: Callable[[World, SphereGroup], World],
    grains: int,
    generator: np.random.Generator,
    on_last: bool = False,
) -> None:
    """Release grains, which `add(world, layer)` adds to the world as spheres or bodies."""
    run = experiment.run
    state: PouredState = run.state
    before = run.world.sphere_count
    with booked(experiment, "poured"):
        run.world = add(run.world, SphereGroup(layer=state.layers - on_last, first_id=state.next_id))
    state.random = dict(generator.bit_generator.state)
    state.next_id += run.world.sphere_count - before
    state.poured += grains
    state.layers += not on_last
    state.since = experiment.time
    start_derivatives(experiment, first_row=before)


def adding(mass_of: Callable[[Any, Floats], Floats]) -> Callable[[Experiment, Floats, Floats], None]:
    """`Scene.hand.add_grains` of a scene that pours loose grains; mass_of(parameters, radii) -> masses [kg]."""

    def add_grains(experiment: Experiment, position: Floats, radii: Floats) -> None:
        state: PouredState = experiment.run.state
        generator = generator_of(state)  # its state does not change: the layers poured later stay the same
        state.radii = np.insert(state.radii, state.poured, radii)
        mass = mass_of(experiment.run.built, radii)
        add_layer(experiment, position, radii, mass, generator, on_last=state.layers > 0)
        state.quiet_since = experiment.time

    return add_grains


def removal_is_due(experiment: Experiment) -> bool:
    """Whether grains that have left are removed at this check."""
    return experiment.step % REMOVAL_STEPS == 0


def remove_gone(experiment: Experiment, gone: NDArray[np.bool_]) -> None:
    """Remove the grains that have left, shape (count,), with their energy."""
    run = experiment.run
    if gone.any():
        remove_spheres(experiment, gone)
        run.state.removed += int(gone.sum())
        run.state.quiet_since = experiment.time


def count_removed(experiment: Experiment, row: int) -> None:
    """Count a grain that the user removes among those that have left."""
    experiment.run.state.removed += 1


def come_to_rest(experiment: Experiment, measured: bool) -> None:
    """End the experiment at rest; `measured` says whether the result is measured at once."""
    enter(experiment, "rested")
    experiment.run.state.run_all = False
    if measured:
        words = experiment.scene.course.act(experiment, "measure")
        notify(experiment, words, repeats=answer_of(experiment) is not None)


def pouring_in_words(experiment: Experiment) -> Message:
    """The number of grains poured so far."""
    state: PouredState = experiment.run.state
    total = len(state.radii)
    return plural(
        "pouring: {poured} of {count} grain", "pouring: {poured} of {count} grains", poured=state.poured, count=total
    )


def poured_share(experiment: Experiment) -> float | None:
    """Share of the grains that are poured, while they are [-]."""
    state: PouredState = experiment.run.state
    return state.poured / max(1, len(state.radii)) if state.phase == "filling" else None


def at_rest_in_words(experiment: Experiment, words: Message) -> Message:
    """`words` about the grains at rest; without weight grains move on, although slower than the settle speed, and those
    that the hand holds are not at rest."""
    left = experiment.run.state.poured - experiment.run.state.removed
    if holds(experiment.run):
        return plural("moved by hand: {count} grain left", "moved by hand: {count} grains left", count=left)
    if drifts(experiment):
        return plural(
            "drifting: {count} grain, without gravity", "drifting: {count} grains, without gravity", count=left
        )
    return words


def move_again(experiment: Experiment) -> bool:
    """Return from rest to flow once the grains move clearly faster than the settle speed; True when it does.

    The caller discards the measured slope, which does not apply to flowing grains.
    """
    moves = bool(mean_speed(experiment.run.world) > MOVES_AGAIN * settle_speed(experiment))
    if moves:
        enter(experiment, "flowing")
        notify(experiment, _("The heap moves again."))
    return moves


def once_free(experiment: Experiment, action: Action) -> Action:
    """An action on grains at rest: while the hand holds grains it has to wait."""
    if not action.enabled or not holds(experiment.run):
        return action
    return replace(
        action,
        enabled=False,
        obstacle=Message("The hand still holds grains: let them go, then '{label}' is possible.", label=action.label),
    )


def under_way(experiment: Experiment) -> bool:
    """Whether the experiment continues without a command."""
    return experiment.run.state.run_all or experiment.present_phase.runs


def grains_left(experiment: Experiment) -> int:
    """Number of grains that have been poured and have not left."""
    state: PouredState = experiment.run.state
    return state.poured - state.removed


def fillable(state: PouredState) -> bool:
    """Whether the action "fill" is possible: not while grains are poured or flow."""
    return state.phase in ("empty", "filled", "rested") and not state.run_all


def _forming(experiment: Experiment) -> Message:
    return plural(
        "heap forming: {count} grain, {removed} off the plate",
        "heap forming: {count} grains, {removed} off the plate",
        count=grains_left(experiment),
        removed=experiment.run.state.removed,
    )


def _at_rest(experiment: Experiment) -> Message:
    left = grains_left(experiment)
    words = plural("at rest: {count} grain on the plate", "at rest: {count} grains on the plate", count=left)
    return at_rest_in_words(experiment, words)


HEAP_WORDS: Words = {"flowing": _forming, "rested": _at_rest}
"""Words of a heap on a plate."""


@dataclass(frozen=True)
class PouredButtons:
    """Texts of the actions that every scene with poured grains has."""

    fill_help: Message
    reset_help: Message
    run_help: Message
    fill: Message = POUR


@dataclass(frozen=True)
class PouredCourse:
    """What a scene with poured grains states of its course. It has the action "measure"."""

    begin: Callable[[Any, int], tuple[World, Any]]
    """`Scene.course.begin`: the world without grains, and the state."""
    supervise: Callable[[Experiment], None]
    """Called at every check: pours the next layer, detects rest, removes grains that have left."""
    pour: Callable[[Experiment], None]
    """Releases one layer."""
    phases: tuple[Phase, ...]
    buttons: PouredButtons
    empty: Message
    """What a reset to the empty container says, as a sentence."""
    actions: Callable[[Experiment], tuple[Action, ...]]
    """The scene's own buttons, which are shown between "fill" and "reset"."""
    acts: Mapping[str, Callable[[Experiment], Message]]
    """What these actions do, by name; each returns what was done, one sentence."""
    words: Words
    """Words of all phases but "filling", which has words of its own here."""
    results: Callable[[Experiment], dict[str, Any]]
    """Its numbers for result.json."""
    check: Callable[[Experiment], Message]
    """What is physically wrong after a whole run, in a sentence, or an empty string."""
    opening: str = ""
    """The action that follows the filled container; empty if the grains are not held by one."""
    share: Callable[[Experiment], float | None] = poured_share
    """Completed share of the present phase [-], or None."""
    flaws: Callable[[Any, World, Any], Mapping[str, bool]] = lambda state, world, built: {}
    """flaws(state, world, parameters) -> which parts of the scene's own state from a file are impossible, by name."""


def poured_course(course: PouredCourse) -> Course:
    """The course of the scene, without measurement and readings."""
    return Course(
        begin=course.begin,
        supervise=course.supervise,
        actions=lambda experiment: poured_actions(course, experiment),
        act=lambda experiment, action: act_poured(course, experiment, action),
        phases=course.phases,
        describe=lambda experiment: describe_poured(course, experiment),
        results=course.results,
        check=course.check,
        under_way=under_way,
        invalid_state=lambda state, world, built: first_invalid(
            {**course.flaws(state, world, built), **invalid_poured(state)}
        ),
    )


def poured_actions(course: PouredCourse, experiment: Experiment) -> tuple[Action, ...]:
    """The buttons, each enabled only while its action is possible."""
    state, texts = experiment.run.state, course.buttons
    return (
        Action("fill", texts.fill, "F", fillable(state), texts.fill_help),
        *course.actions(experiment),
        Action("reset", _("Reset"), "R", True, texts.reset_help),
        Action("run", _("Run all"), "A", not state.run_all, texts.run_help),
    )


def opening_action(experiment: Experiment, name: str, label: Message, help: Message) -> Action:
    """The action that opens or lifts the filled container."""
    possible = experiment.phase == "filled" and not experiment.run.state.run_all
    return Action(name, label, "O", possible, help)


def measuring_action(experiment: Experiment, help: Message, done: bool, possible: bool = True) -> Action:
    """The action that measures the slope of a heap that forms or rests, if there is one; `done` says whether the result
    applies."""
    state: PouredState = experiment.run.state
    possible = possible and state.phase in ("flowing", "rested") and not state.run_all
    return once_free(experiment, Action("measure", _("Measure"), "M", possible, help, done=done))


def describe_poured(course: PouredCourse, experiment: Experiment) -> tuple[str, Message, float | None]:
    """Phase, its label, and the share done or None."""
    return phase_in_words(experiment, {"filling": pouring_in_words, **course.words}, course.share(experiment))


def poured_results(state: PouredState) -> dict[str, Any]:
    """Phase, numbers of grains and layers, and waits that were cut short, for result.json."""
    return {
        "phase": state.phase,
        "grains_poured": state.poured,
        "grains_left": state.poured - state.removed,
        "layers": state.layers,
        "waits_cut_short": state.waits_cut_short,
    }


def act_poured(course: PouredCourse, experiment: Experiment, action: str) -> Message:
    """Carry out an action of the scene, or "fill", "run" or "reset".

    A run that begins with an empty or a prepared container begins at step 0: equal seed and parameters give equal runs,
    independently of the time for which the container was shown before.
    """
    if action in course.acts:
        return course.acts[action](experiment)
    if action == "fill":
        begin_anew(experiment, made=experiment.scene.course.begin(experiment.parameters, experiment.seed))
    elif action == "reset" or experiment.phase != "filled" or experiment.run.state.prepared:
        begin_anew(experiment)
    state: PouredState = experiment.run.state
    if action == "reset":
        if state.phase != "empty":
            return _("The filled container is restored.")
        unlike = _("The stored packing belongs to other parameters. F pours again.")
        return course.empty if experiment.ready is None else joined((course.empty, unlike), " ")
    state.run_all = action == "run"
    if state.phase == "empty":
        enter(experiment, "filling")
        course.pour(experiment)
        return plural("Pouring {count} grain.", "Pouring {count} grains.", count=len(state.radii))
    if state.phase == "filled" and course.opening:
        return course.acts[course.opening](experiment)
    return _("The experiment runs to its end by itself.")


def begin_filled(state: PouredState, world: World) -> None:
    """Mark the state of a stored packing as one that was not poured by this run."""
    state.prepared = True
