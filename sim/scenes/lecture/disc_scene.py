"""Shared by the lecture scenes: discs in the plane that settle, a course that is driven and recorded, its outcomes.

The grains are spheres that move and rotate in a plane. They begin on a loose lattice shifted at random and settle. Then
the course begins (`repose.sim.scenes.common.timed_course`): `drive` moves walls at every check, 50 steps apart, and
`record` measures at equal intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, forget_neighbours, set_walls
from repose.sim.engine.contacts.wall_geometry import FACET
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import servo_walls
from repose.sim.experiment.experiment import Course, Experiment, ModelChoice, SceneLimits, SceneView
from repose.sim.experiment.hand import holds
from repose.sim.experiment.ledger import booked_walls, remove_spheres
from repose.sim.experiment.rest import any_falls, is_at_rest, quiet_time
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import Restitution, YoungsModulus
from repose.sim.measure.display import Curve, Outcome, Part, Reading
from repose.sim.message import Message, Number, _, plain, plural
from repose.sim.parameters import ParameterError, ParameterSet, switch, variant
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.law_choice import is_material_law, with_law
from repose.sim.scenes.common.phases import FILLED, FILLING, FLOWING, RESTED, Words, rests
from repose.sim.scenes.common.poured_parameters import GrainCount, MeanRadius, PouredInSpaceParameters, SizeSpread
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.common.settling import SETTLING_READINGS, settling_readings
from repose.sim.scenes.common.stream import smallest_grain
from repose.sim.scenes.common.timed_course import CourseButtons, TimedCourse, elapsed, timed_course

SPACING = 1.02
"""Distance of the discs of the lattice, in largest diameters [-]."""
GAS = 0.38
"""Share of their region that discs of different sizes cover at the start [-]; at random at most 0.55 can be covered."""
LOOSE = 0.78
"""Packing fraction of discs that have settled, for the sizes of containers [-]."""
RECORD_EVERY = 0.02
"""Simulated time between two records of the course [s], unless the parameters have a `record_every`."""
SOFT = 0.1
"""Overlap / radius above which the window warns [-]: grains that settle from the lattice reach 0.06, those that fall
onto a silo in flow 0.07."""
PHASES = (
    replace(FILLING, begun=False),
    replace(FILLED, begun=False),
    replace(FLOWING, label=_("running"), pace=None),
    RESTED,
)
"""A parameter of the setup acts at once until the course begins: nothing but a packing is lost. A film shows the course
at the directed speed, at which its motion can be followed."""

Box = tuple[tuple[float, ...], tuple[float, ...]]


class DiscsParameters(PouredInSpaceParameters):
    """Discs of one material in the plane, in SI.

    The dampers of all contacts of a disc add up: with a restitution of 0.5 their damping ratio is 0.62 in the drum, at
    which velocity Verlet is stable up to ω dt = 0.71, with 0.8 it is 0.2 and the limit 1.35 (2 without damping).
    """

    grain_count: GrainCount = 300
    mean_radius: MeanRadius = 2e-3
    size_spread: SizeSpread = 0.2
    young: YoungsModulus = variant(
        5e6, help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa.")
    )
    restitution: Restitution = variant(
        0.8, help=_("Speed after over speed before an impact. Dense flow hardly depends on it, the time step does.")
    )
    # fmt: off
    one_thickness: bool = switch(False, _("discs of one thickness"), effect="restart", group=_("Grains"),
        help=_(
            "Off: a grain has the mass of a sphere, and its mass per area grows with its radius. On: discs, 4/3 of the "
            "mean radius thick, have one mass per area, and only their sizes can sort them. Shares of a size "
            "distribution by mass stay those of spheres. At the next start."
        ))
    # fmt: on

    def mass_of(self, radius: Floats) -> Floats:
        """Masses for these radii [m]: ρ 4/3 π R³ of spheres, or ρ 4/3 π R_m R² of discs, which is equal at the mean
        radius R_m [kg], shape (n,).

        In the plane spheres of a larger radius have a larger mass per area. In a flow that sorts sizes they sink
        between the small ones about as fast as the sorting lifts them: a chute with radii of ratio 2.5 stays mixed.
        """
        mass = super().mass_of(radius)
        return mass * self.mean_radius / radius if self.one_thickness else mass

    @property
    def diameter(self) -> float:
        """Mean diameter of the grains [m]."""
        return 2.0 * self.mean_radius


def outcome_above(name: str, statement: Message, measured: float, bound: float, unit: str = "") -> Outcome:
    """An outcome that holds if a number exceeds a bound."""
    least = Message("above {least}", least=_rounded(bound, unit))
    return Outcome(name, statement, plain(_rounded(measured, unit)), least, bool(measured > bound))


def outcome_between(name: str, statement: Message, measured: float, low: float, high: float, unit: str = "") -> Outcome:
    """An outcome that holds if a number is between two bounds."""
    words = Message("{low} to {high}", low=_rounded(low, ""), high=_rounded(high, unit))
    return Outcome(name, statement, plain(_rounded(measured, unit)), words, bool(low <= measured <= high))


def _rounded(number: float, unit: str) -> Number:
    """Three digits, below 10⁶ with zeros instead of a power of ten."""
    return Number(float(f"{number:.3g}"), unit, "g")


def places(
    parameters: DiscsParameters,
    generator: np.random.Generator,
    radii: Floats,
    inside: Callable[[Floats, Floats], NDArray[np.bool_]],
) -> Floats:
    """Centres of discs of these radii [m], from below, at which `inside(x, y)` [m] is True for a disc of the largest
    radius, shape (len(radii), 2): on a hexagonal lattice, shifted at random, or at random places if the sizes differ
    widely. Raises `ParameterError` if there is too little room."""
    largest, count = parameters.largest_radius, radii.size
    step = SPACING * 2.0 * largest
    reach = 3 * math.ceil(math.sqrt(count)) + 40
    column, row = np.meshgrid(np.arange(-reach, reach + 1), np.arange(-reach, 4 * reach + 1))
    x: Floats = (step * (column + 0.5 * (row % 2))).ravel()
    y: Floats = step * math.sqrt(0.75) * row.ravel().astype(float)
    fits = inside(x, y)
    position = np.column_stack([x[fits], y[fits]])
    position = position[np.lexsort((position[:, 0], position[:, 1]))]
    if parameters.sizes:
        return _random_places(parameters, generator, radii, position, inside)
    position = position[:count]
    if len(position) < count:
        raise ParameterError(
            plural(
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} disc in "
                "the container before they settle; take another number, or a size_spread below {size_spread}.",
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} discs in "
                "the container before they settle; take another number, or a size_spread below {size_spread}.",
                count=count,
                grain_count=parameters.grain_count,
                placed=len(position),
                size_spread=Number(parameters.size_spread, format="g"),
            )
        )
    shifted: Floats = position + generator.uniform(-0.5, 0.5, position.shape) * (step - 2.0 * largest)
    return shifted


def _random_places(
    parameters: DiscsParameters,
    generator: np.random.Generator,
    radii: Floats,
    region: Floats,
    inside: Callable[[Floats, Floats], NDArray[np.bool_]],
) -> Floats:
    """Centres at random in the lowest part of a region that the discs fill by the share `GAS`; `region` are the points
    of a lattice in it, from below [m], shape (points, 2)."""
    largest, order = parameters.largest_radius, np.argsort(-radii, kind="stable")
    cell = (SPACING * 2.0 * largest) ** 2 * math.sqrt(0.75)
    region = region[: math.ceil(math.pi * float((radii**2).sum()) / (GAS * cell))]
    low, high = (region.min(axis=0), region.max(axis=0)) if len(region) else (np.zeros(2), np.zeros(2))
    low, high = low - largest, high + largest
    position, placed = place_at_random(
        radii[order],
        radii.size,
        parameters.radius_limits,
        (low, high - low),
        lambda centres, radius: inside(centres[:, 0], centres[:, 1]),
        generator,
        descending=True,
    )
    if placed.size < radii.size:
        raise ParameterError(
            plural(
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} disc of these "
                "sizes in the container before they settle; take another number, or a smaller ratio of the sizes.",
                "grain_count = {grain_count} is refused: there is room for only {placed} of {count} discs of these "
                "sizes in the container before they settle; take another number, or a smaller ratio of the sizes.",
                count=radii.size,
                grain_count=parameters.grain_count,
                placed=placed.size,
            )
        )
    shifted = np.empty_like(position)
    shifted[order] = position
    return shifted


def lattice(
    parameters: DiscsParameters,
    seed: int,
    inside: Callable[[Floats, Floats], NDArray[np.bool_]],
    count: int = 0,
    materials: int = 2,
    period: float = 0.0,
) -> World:
    """A world of `count` discs (by default all) at rest on a lattice, where `inside(x, y)` [m] is True. With a `period`
    [m] the world is periodic along x, from -period/2 to period/2."""
    generator = np.random.default_rng(seed)
    radii = drawn_radii(parameters, generator, count or None)
    position = places(parameters, generator, radii, inside)
    if parameters.sizes:  # ids from below, as on the lattice
        order = np.lexsort((position[:, 0], position[:, 1]))
        position, radii = position[order], radii[order]
    world = empty_world(
        2,
        1,
        skin=0.3 * parameters.mean_radius,
        materials=materials,
        period=(period, 0.0),
        lowest=(-0.5 * period, 0.0),
    )
    return add_spheres(world, position, radii, parameters.mass_of(radii), SphereGroup(layer=0))


def with_glued_row(world: World, parameters: DiscsParameters, half: float) -> World:
    """The world with a row of touching grains of the mean size, fixed at y = −R below the level 0, at least from −half
    to half [m]."""
    radius, reach = parameters.mean_radius, math.ceil(0.5 * half / parameters.mean_radius)
    return with_glued(world, parameters, 2.0 * radius * np.arange(-reach, reach + 1), -radius)


def with_glued(world: World, parameters: DiscsParameters, x: ArrayLike, y: float) -> World:
    """The world with fixed grains of the mean size at these places of a level [m]."""
    radius = parameters.mean_radius
    mass, centre = parameters.mass_of(np.array(radius)), np.column_stack([x, np.full(np.shape(x), y)])
    return add_spheres(world, centre, radius, mass, SphereGroup(fixed=True, material=1, first_id=world.sphere_count))


def keep_above(experiment: Experiment, low: float, together: int = 1) -> int:
    """Remove the grains that have fallen below a height [m], and return their number. The tables are made anew, which
    takes as long as some steps: fewer than `together` grains are removed only once one of them has fallen four times as
    low."""
    run = experiment.run
    height = run.world.motion[1, 0]
    gone = (height < low) & ~run.world.fixed
    count = int(gone.sum())
    if not count or (count < together and height[gone].min() > 4.0 * low):
        return 0
    remove_spheres(experiment, gone)
    return count


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
    with booked_walls(experiment):
        walls.corner[:], walls.moved[:], walls.velocity[:] = corners_of(lines), 0.0, velocity
        forget_neighbours(experiment.run.world)


def lies_in_balance(experiment: Experiment, since: float | None = None) -> bool:
    """Whether the grains have been slow for the time of rest, their forces are in balance and none falls, for a course
    that moves all of them at once; times before `since`, by default the beginning of the phase, do not count [s].

    A grain without rolling resistance may roll on for seconds: one of 160 in the shaken box, and one in three of eight
    portions of Janssen's column, for up to 4 s."""
    began = experiment.run.state.since if since is None else since
    return is_at_rest(experiment.run.world, quiet_time(experiment, began)) and not any_falls(experiment)


def stop_walls(experiment: Experiment) -> None:
    """Stop all walls, also those that turn or keep a force."""
    servo_walls.release(experiment.run.world)
    experiment.run.world.walls.velocity[:] = 0.0
    experiment.run.world.walls.spin[:] = 0.0


def loose_count(experiment: Experiment) -> int:
    """Number of grains that can move, without those of a wall that is a body."""
    world = experiment.run.world
    return int((~world.fixed & (world.body < 0)).sum())


def _settling(experiment: Experiment) -> Message:
    count = loose_count(experiment)
    return plural("{count} grain settling", "{count} grains settling", count=count)


def _settled(experiment: Experiment) -> Message:
    count = loose_count(experiment)
    if holds(experiment.run):
        return plural("{count} grain, moved by hand", "{count} grains, moved by hand", count=count)
    return plural("{count} grain at rest", "{count} grains at rest", count=count)


DISC_WORDS: Words = {
    "filling": _settling,
    "filled": _settled,
    "flowing": lambda experiment: Message(
        "running: {experiment} s", experiment=Number(elapsed(experiment), format=".1f")
    ),
    "rested": lambda experiment: Message(
        "ended after {experiment} s", experiment=Number(elapsed(experiment), format=".1f")
    ),
}


def disc_buttons(label: Message, help: Message) -> CourseButtons:
    """Texts of a course that begins with the action of this label and help."""
    return CourseButtons(
        label,
        help,
        _("The grains are back at their places."),
        _("Put the grains back to their places."),
        Message("{action}: the course begins.", action=label),
    )


DISCS = ModelChoice(law=LAW.name, dimension=2, smallest_grain=smallest_grain, rotates=lambda parameters: True)
"""Discs of a material that rotate in the plane."""

SOFT_DISCS = SceneLimits(overlap_limit=SOFT)


def disc_parameters(parameters: type[ParameterSet]) -> type[ParameterSet]:
    """The parameters of a scene, with a choice among the laws of materials."""
    return with_law(parameters, LAW, is_material_law)


def disc_course(
    course: TimedCourse,
    readings: Callable[[Experiment], tuple[Reading, ...]],
    later_readings: tuple[str, ...] | None = None,
) -> Course:
    """The course of one experiment with discs. By default it begins when the grains are at rest; its results are those
    of a whole run. `later_readings`: see `Course`."""
    numbers, stop_own = course.results, course.stop

    def stop(experiment: Experiment) -> None:
        stop_walls(experiment)
        stop_own(experiment)

    course = replace(
        course,
        results=lambda experiment: numbers(experiment) if experiment.phase == "rested" else {},
        settle=course.settle or rests,
        interval=lambda built: getattr(built, "record_every", RECORD_EVERY),
        stop=stop,
        words={**DISC_WORDS, **course.words},
        phases=PHASES,
    )
    return replace(
        timed_course(course),
        readings=lambda experiment: (*readings(experiment), *settling_readings(experiment.run.state)),
        later_readings=None if later_readings is None else (*later_readings, *SETTLING_READINGS),
    )


def disc_view(
    box: Callable[[Any], Box],
    curves: Callable[[Experiment], tuple[Curve, ...]],
    layers: Callable[[Any], int] = lambda parameters: 1,
    focus: Callable[[Experiment], Box | None] = lambda experiment: None,
    parts: tuple[Part, ...] = (),
) -> SceneView:
    """What is shown: `box(parameters)` is the part of the plane [m], `layers(parameters)` the number of coloured layers
    of grains; `focus` and `parts` as in `SceneView`."""
    return SceneView(
        box=lambda experiment: box(experiment.run.built),
        focus=focus,
        parts=parts,
        layers=lambda experiment: layers(experiment.run.built),
        curves=curves,
    )
