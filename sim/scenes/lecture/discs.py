"""Shared by the lecture scenes: discs in the plane that settle, a course that is driven and recorded, its outcomes.

The grains are spheres that move and rotate in a plane. They begin on a loose lattice shifted at random and settle. Then
the course begins: `drive` moves walls at every check, 50 steps apart, and `record` measures at equal intervals.

The course begins at the first check after the grains have settled, or after the command. "Run all" therefore gives the
same bits at step 0, as on the command line, and at the rest at which the window waits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import GenericAlias
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.wall_geometry import FACET
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.comparison import Study
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.experiment.hand import holds
from repose.sim.experiment.ledger import booked, remove_spheres
from repose.sim.experiment.notices import tell
from repose.sim.experiment.results import keep_measurement
from repose.sim.experiment.snapshot import Action
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import YoungsModulus
from repose.sim.measure.display import Answer, Curve, Guess, Outcome, Reading
from repose.sim.message import Message, Number, _, plain, plural, sentence
from repose.sim.parameters import ParameterError, ParameterSet, Value, variant
from repose.sim.scenes.common.law_choice import is_material_law, with_law
from repose.sim.scenes.common.phases import FILLED, FILLING, FLOWING, RESTED, PhaseState, enter, rests
from repose.sim.scenes.common.poured_parameters import (
    GrainCount,
    MeanRadius,
    PouredInSpaceParameters,
    SizeSpread,
)
from repose.sim.scenes.common.records import Columns, keep_record, records_flaw
from repose.sim.scenes.common.settling import is_settled, settling_readings
from repose.sim.scenes.common.state_checks import first_flaw, is_finite, phase_flaws
from repose.sim.scenes.common.stream import drawn_radii, smallest_grain

SPACING = 1.02
"""Distance of the discs of the lattice, in largest diameters [-]."""
LOOSE = 0.78
"""Packing fraction of discs that have settled, for the sizes of containers [-]."""
RECORD_EVERY = 0.02
"""Simulated time between two records of the course [s]."""
LONGEST_WAIT = 3.0
"""Time after which the course continues although the grains are not at rest [s]."""
SOFT = 0.1
"""Overlap / radius above which the window warns [-]: grains that settle from the lattice reach 0.06, those that fall
onto a silo in flow 0.07."""
PHASES = FILLING, FILLED, replace(FLOWING, label=_("running")), RESTED

Box = tuple[tuple[float, ...], tuple[float, ...]]


class DiscsParameters(PouredInSpaceParameters):
    """Discs of one material in the plane, in SI."""

    grain_count: GrainCount = 300
    mean_radius: MeanRadius = 2e-3
    size_spread: SizeSpread = 0.2
    young: YoungsModulus = variant(
        2e7, help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa.")
    )


@dataclass
class DiscsState(PhaseState):
    """State of an experiment with discs; a scene adds fields of its own."""

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


def outcome_above(statement: Message, found: float, bound: float, unit: str = "") -> Outcome:
    """An outcome that holds if a number exceeds a bound."""
    least = Message("above {least}", least=_told(bound, unit))
    return Outcome(statement, plain(_told(found, unit)), least, bool(found > bound))


def outcome_between(statement: Message, found: float, low: float, high: float, unit: str = "") -> Outcome:
    """An outcome that holds if a number is between two bounds."""
    words = Message("{low} to {high}", low=_told(low, ""), high=_told(high, unit))
    return Outcome(statement, plain(_told(found, unit)), words, bool(low <= found <= high))


def _told(number: float, unit: str) -> Number:
    """Three digits, below 10⁶ with zeros instead of a power of ten."""
    return Number(float(f"{number:.3g}"), unit, "g")


def places(
    parameters: DiscsParameters,
    generator: np.random.Generator,
    count: int,
    inside: Callable[[Floats, Floats], NDArray[np.bool_]],
) -> Floats:
    """Centres of a hexagonal lattice, shifted at random, from below, at which `inside(x, y)` [m] is True for a disc of
    the largest radius, shape (count, 2); raises `ParameterError` if there is too little room."""
    largest = parameters.largest_radius
    step = SPACING * 2.0 * largest
    reach = 3 * math.ceil(math.sqrt(count)) + 40
    column, row = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, 4 * reach + 1))
    x: Floats = (step * (column + 0.5 * (row % 2))).ravel()
    y: Floats = step * math.sqrt(0.75) * row.ravel().astype(float)
    fits = inside(x, y)
    place = np.column_stack([x[fits], y[fits]])
    place = place[np.lexsort((place[:, 0], place[:, 1]))][:count]
    if len(place) < count:
        raise ParameterError(
            Message(
                "grain_count = {grain_count} is refused: only {place} of {count} discs have room in the "
                "container before they settle; take another number, or a size_spread below {size_spread}.",
                grain_count=parameters.grain_count,
                place=len(place),
                count=count,
                size_spread=Number(parameters.size_spread, format="g"),
            )
        )
    shifted: Floats = place + generator.uniform(-0.5, 0.5, place.shape) * (step - 2.0 * largest)
    return shifted


def lattice(
    parameters: DiscsParameters,
    seed: int,
    inside: Callable[[Floats, Floats], NDArray[np.bool_]],
    count: int = 0,
    materials: int = 2,
) -> World:
    """A world of `count` discs (by default all) at rest on a lattice, where `inside(x, y)` [m] is True."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator)[: count or None]
    place = places(parameters, generator, radii.size, inside)
    world = empty_world(2, 1, skin=0.3 * parameters.mean_radius, materials=materials)
    return add_spheres(world, place, radii, parameters.mass_of(radii), layer=0)


def with_glued_row(world: World, parameters: DiscsParameters, half: float) -> World:
    """The world with a row of touching grains of the mean size, fixed at y = −R below the level 0, at least from −half
    to half [m]."""
    radius, reach = parameters.mean_radius, math.ceil(0.5 * half / parameters.mean_radius)
    centre = np.column_stack([2.0 * radius * np.arange(-reach, reach + 1), np.full(2 * reach + 1, -radius)])
    mass = parameters.mass_of(np.array(radius))
    return add_spheres(world, centre, radius, mass, fixed=True, material=1, first_id=world.sphere_count)


def keep_above(experiment: Experiment, low: float) -> int:
    """Remove the grains that have fallen below a height [m], and return their number."""
    run = experiment.run
    gone = (run.world.motion[1, 0] < low) & ~run.world.fixed
    if gone.any():
        remove_spheres(experiment, gone)
    return int(gone.sum())


def with_lines(world: World, lines: Floats) -> World:
    """The world with straight walls between these points [m], shape (walls, 2, 2)."""
    return set_walls(world, [FACET] * len(lines), corners_of(lines), material=1)


def corners_of(lines: Floats) -> Floats:
    """Corners of facets for these lines [m], shape (walls, 3, 2)."""
    return np.concatenate([lines, lines[:, 1:]], axis=1)


def put_walls(experiment: Experiment, lines: Floats, velocity: Floats | float = 0.0) -> None:
    """Set the ends [m], shape (walls, 2, 2), and the velocities [m/s] of the walls. The change of the stored energy is
    booked as work; the work of their motion is summed in the step loop."""
    walls = experiment.run.world.walls
    with booked(experiment, "work"):
        walls.corner[:], walls.moved[:], walls.velocity[:] = corners_of(lines), 0.0, velocity
        forget_neighbours(experiment.run.world)


def elapsed(experiment: Experiment) -> float:
    """Time since the course began [s]; 0 before it begins, and its whole length after its end."""
    state: DiscsState = experiment.run.state
    if state.phase == "flowing":
        return experiment.time - state.since
    return float(state.columns["time"][-1]) if state.columns else 0.0


def column(experiment: Experiment, name: str) -> Floats:
    """A recorded quantity, shape (records,)."""
    rows: Floats = experiment.run.state.columns.get(name, np.empty(0))
    return rows


def disc_scene(
    *,
    name: str,
    title: Message,
    summary: Message,
    parameters: type[ParameterSet],
    state: type[DiscsState],
    start: Callable[[Any, int], World],
    drive: Callable[[Experiment], bool],
    record: Callable[[Experiment], Mapping[str, float]],
    outcomes: Callable[[Experiment], tuple[Outcome, ...]],
    numbers: Callable[[Experiment], dict[str, Any]],
    box: Callable[[Any], Box],
    readings: Callable[[Experiment], tuple[Reading, ...]],
    curves: Callable[[Experiment], tuple[Curve, ...]],
    action: tuple[Message, Message],
    guess: Guess,
    answer: Callable[[Experiment], Answer | None],
    lecture: tuple[str, ...],
    test_values: Mapping[str, Value],
    settle: Callable[[Experiment], bool] | None = None,
    set_out: Callable[[Experiment], None] = lambda experiment: None,
    afterwards: Callable[[Experiment], object] = lambda experiment: None,
    share: Callable[[Experiment], float] | None = None,
    study: Study | None = None,
    layers: Callable[[Any], int] = lambda parameters: 1,
    overlap_limit: float = SOFT,
) -> Scene:
    """The scene of one experiment with discs.

    `state` is the dataclass of its state. `start(parameters, seed)` returns the world. `settle(experiment)` is called
    at every check before the course and returns whether the grains are ready; by default they are ready at rest.
    `set_out` begins the course, `drive(experiment)` moves the walls at every check and returns whether the course is
    over, `record` measures.
    `afterwards` is called at every check after the end.
    `outcomes` are the expected outcomes of a whole course, `numbers` its entries in the results, `answer` is the true
    value of the guessed number, `layers(parameters)` the number of coloured layers of grains. `action` are label and
    help of the button that begins the course.
    """

    begins = Message("{action}: the course begins.", action=action[0])

    def begin(parameters: Any, seed: int) -> tuple[World, DiscsState]:
        return start(parameters, seed), state(phase="filling")

    begin.__annotations__["return"] = GenericAlias(tuple, (World, state))  # from which run files are read

    def supervise(experiment: Experiment) -> None:
        state: DiscsState = experiment.run.state
        if state.phase == "filling":
            settled = rests(experiment) if settle is None else settle(experiment)
            if is_settled(experiment, settled, experiment.time - state.since, LONGEST_WAIT):
                experiment.run.world.walls.velocity[:] = 0.0
                enter(experiment, "filled")
        elif state.phase == "filled" and (state.begins or state.run_all):
            state.begins = False
            enter(experiment, "flowing")
            set_out(experiment)
            tell(experiment, begins)
        elif state.phase == "flowing":
            over = drive(experiment)
            last = state.columns["time"][-1] if state.columns else -math.inf
            if over or elapsed(experiment) >= last + RECORD_EVERY:
                keep(experiment)
            if over:
                experiment.run.world.walls.velocity[:] = 0.0
                enter(experiment, "rested")
                state.run_all = False
                keep_measurement(experiment)
                said = answered(experiment)
                tell(experiment, said.words if said else sentence(describe(experiment)[1]), repeats=said is None)
        else:
            afterwards(experiment)

    def keep(experiment: Experiment) -> None:
        state: DiscsState = experiment.run.state
        keep_record(state.columns, {"time": elapsed(experiment), **record(experiment)})

    def act(experiment: Experiment, chosen: str) -> Message:
        if chosen == "start":
            experiment.run.state.begins = True
            return begins
        watched = experiment.phase == "filled" and experiment.time != experiment.run.state.since
        if chosen == "reset" or experiment.phase == "rested" or watched:
            begin_anew(experiment)
        if chosen == "reset":
            return _("The grains are back at their places.")
        experiment.run.state.run_all = True
        return begins if experiment.phase == "filled" else _("The experiment runs by itself.")

    def actions(experiment: Experiment) -> tuple[Action, ...]:
        state: DiscsState = experiment.run.state
        ready = state.phase == "filled" and not state.run_all and not state.begins
        return (
            Action("start", action[0], "O", ready, action[1]),
            Action("reset", _("Reset"), "R", True, _("Put the grains back to their places.")),
            Action("run", _("Run all"), "A", not state.run_all, _("Let the grains settle, then run the whole course.")),
        )

    def done(experiment: Experiment) -> float:
        if share is not None:
            return share(experiment)
        return min(1.0, elapsed(experiment) / float(experiment.run.built.duration))

    def describe(experiment: Experiment) -> tuple[str, Message, float | None]:
        phase, count = experiment.phase, int((~experiment.run.world.fixed).sum())
        words = {
            "filling": plural("{count} grain settling", "{count} grains settling", count=count),
            "filled": plural("{count} grain, moved by hand", "{count} grains, moved by hand", count=count)
            if holds(experiment.run)
            else plural("{count} grain at rest", "{count} grains at rest", count=count),
            "flowing": Message("running: {experiment} s", experiment=Number(elapsed(experiment), format=".1f")),
            "rested": Message("ended after {experiment} s", experiment=Number(elapsed(experiment), format=".1f")),
        }[phase]
        return phase, words, done(experiment) if phase == "flowing" else None

    def found(experiment: Experiment) -> tuple[Outcome, ...]:
        return outcomes(experiment) if experiment.phase == "rested" else ()

    def answered(experiment: Experiment) -> Answer | None:
        return answer(experiment) if experiment.phase == "rested" else None

    def check(experiment: Experiment) -> str:
        if experiment.phase != "rested":
            return Message("The course did not reach its end: phase {phase}.", phase=experiment.phase)
        return next((entry.complaint for entry in found(experiment) if not entry.holds), "")

    def under_way(experiment: Experiment) -> bool:
        state: DiscsState = experiment.run.state
        return state.run_all or state.begins or experiment.present_phase.runs

    def results(experiment: Experiment) -> dict[str, Any]:
        own = numbers(experiment) if experiment.phase == "rested" else {}
        said, outcomes_now = answered(experiment), [asdict(entry) for entry in found(experiment)]
        return {
            "phase": experiment.phase,
            "waits_cut_short": experiment.run.state.waits_cut_short,
            **own,
            "outcomes": outcomes_now,
            "answer": said.words if said else None,
        }

    def flaw(state: DiscsState, world: World, built: Any) -> str:
        return first_flaw(
            {
                **phase_flaws(state),
                "number of grains": world.sphere_count == 0,
                "columns": records_flaw(state.columns),
                "numbers": not is_finite(state),
            }
        )

    return Scene(
        name=name,
        title=title,
        summary=summary,
        law=LAW.name,
        parameters=with_law(parameters, LAW, is_material_law),
        dimension=2,
        begin=begin,
        supervise=supervise,
        actions=actions,
        act=act,
        phases=PHASES,
        describe=describe,
        box=lambda experiment: box(experiment.run.built),
        results=results,
        check=check,
        outcomes=found,
        layers=lambda experiment: layers(experiment.run.built),
        guess=guess,
        answer=answered,
        under_way=under_way,
        turned=lambda state: float(state.table),
        smallest_grain=smallest_grain,
        rotates=lambda parameters: True,
        readings=lambda experiment: (*readings(experiment), *settling_readings(experiment.run.state)),
        curves=curves,
        flaw=flaw,
        study=study,
        overlap_limit=overlap_limit,
        lecture=lecture,
        test_values=test_values,
    )
