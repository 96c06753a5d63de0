"""Shared by the scenes of the method of large particles: bodies of bonded particles, their motion, the run.

A body is a triangular lattice of equal discs whose neighbours are joined by springs with internal friction along the
line of centres (repose.sim.bonds.spring). Particles that are pressed together repel each other, bonded or not, and
attract each other across a gap where the scene says so (repose.sim.laws.bounded_spring). Particles do not rotate and
slide freely, as in R. V. Maier, *Tasks, algorithms, programs* (in Russian, Glazov 2012), "The method of large
particles". His programs and his units are not preserved: the particles of all scenes but one have the distance 20 mm
and the mass of spheres.

All particles are fixed until the scene is started. The scene then records its quantities until the duration has passed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from annotated_types import Le
from numpy.typing import ArrayLike, NDArray
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres, empty_world, forget_neighbours
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.activation import find_accelerations, start_derivatives
from repose.sim.experiment.experiment import Course, Experiment, ModelChoice, SceneLimits
from repose.sim.experiment.faults import update_dt
from repose.sim.experiment.ledger import booked
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Line, Outcome, Reading, Track
from repose.sim.message import Message, Number, _, formatted, joined, with_prefix
from repose.sim.parameters import length, number, variant
from repose.sim.scales import prefix_of
from repose.sim.scenes.common.course_records import Columns
from repose.sim.scenes.common.motion_parameters import MotionParameters, TimeStep, VerletFirst
from repose.sim.scenes.common.release import fix_spheres, thinned, velocities
from repose.sim.scenes.common.timed_course import (
    CourseButtons,
    CourseState,
    TimedCourse,
    column,
    elapsed,
    is_over,
    keep_now,
    last_record,
    no_answer,
    timed_course,
    times,
)

DIAMETER = 0.02
"""Distance of neighbours in a body [m]."""
RADIUS = 0.48 * DIAMETER
"""Radius of a particle [m]: neighbours touch if a body is compressed by 4 %."""
VOLUME = 4.0 / 3.0 * math.pi * RADIUS**3
"""Volume of a particle [m³]."""
ROW = math.sqrt(0.75) * DIAMETER
"""Distance of the rows of a lattice [m]."""
NEIGHBOUR = 1.1
"""Largest distance of bonded particles of a body [diameters]; second neighbours are at 1.73."""
RECORDS = 500
"""Number of records in a run."""
SOFT = 0.5 * (DIAMETER - 2.0 * RADIUS)
"""Gap at which the internal friction of an impact begins, between bodies that do not attract each other [m]."""
WIDE = 50.0
"""Half the length of a line that is drawn without ends [m]."""
HELD = -1
"""Layer of particles that stay fixed during the run; the others have the number of their body as layer."""
START = _("Start")
"""Usual label of the action that releases the particles."""

# fmt: off
Duration = Annotated[float, number(..., 0.05, 600.0, _("duration"), "T", "s", effect="restart", group=_("Experiment"),
    help=_("How long the particles are observed. Takes effect at the next start."))]
BondStiffness = Annotated[float, number(..., 1.0, 3e5, _("stiffness"), "k", "N/m", log=True, effect="ramp",
    group=_("Particles"), help=_("Spring between two neighbours, and repulsion of two particles pressed together."))]


def _internal_friction(damps_normal: bool) -> Any:
    words = _("Force per rate of change of the distance of two neighbours, along the line of centres.")
    label, group = _("internal friction"), _("Particles")
    return number(
        ..., 0.0, 500.0, label, "c", "kg/s", effect="ramp", group=group, damps_normal=damps_normal, help=words
    )


InternalFriction = Annotated[float, _internal_friction(damps_normal=False)]
BondViscosity = Annotated[InternalFriction, Le(10.0)]
Attraction = Annotated[float, number(..., 0.0, 100.0, _("attraction"), "F_c", "N", effect="ramp", group=_("Particles"),
    help=_("Largest attraction of two particles across a gap. With 0 they only repel each other."))]
Cutoff = Annotated[float, length(..., 1e-9, 0.01, _("cutoff of the "
                                                    "attraction"), "s_r", effect="ramp", group=_("Particles"),
    help=_("Gap from which on two particles do not attract each other; 14 mm are to the second neighbour."))]

Step = Annotated[TimeStep, variant(...,
    help=_(
        "Time step. The internal friction of an impact begins with a jump, which the step must resolve: 'auto' is "
        "stable, but less accurate."
    ))]
# fmt: on


class Unbreakable:
    """Constant for bodies whose bonds do not break; other scenes have a parameter."""

    bond_strength: ClassVar[float] = 1e3


class Repelling:
    """Constants for particles that do not attract each other; other scenes have parameters."""

    pull_off_force: ClassVar[float] = 0.0
    rupture_distance: ClassVar[float] = SOFT


class BodyParameters(MotionParameters):
    """Parameters of all scenes with bodies of bonded particles."""

    bond_stiffness: BondStiffness = 1e4
    bond_viscosity: BondViscosity = 2.0
    integrator: VerletFirst = "velocity_verlet"
    dt: Step = 5e-5
    duration: Duration = 2.0

    @property
    def normal_stiffness(self) -> float:
        """Stiffness of the repulsion [N/m]."""
        return self.bond_stiffness

    @property
    def normal_viscosity(self) -> float:
        """Internal friction of the repulsion [kg/s]."""
        return self.bond_viscosity


DropletViscosity = Annotated[float, _internal_friction(damps_normal=True), Le(5.0)]


class DropletParameters(MotionParameters):
    """Particles of a liquid: they attract and repel each other, and no bonds join them."""

    bond_stiffness: ClassVar[float] = 1.0
    bond_viscosity: ClassVar[float] = 1.0
    bond_strength: ClassVar[float] = 1.0

    normal_stiffness: BondStiffness = 5e3
    normal_viscosity: DropletViscosity = 0.1
    pull_off_force: Annotated[Attraction, Le(1.0)] = 0.05
    rupture_distance: Cutoff = 5e-3
    integrator: VerletFirst = "velocity_verlet"
    dt: Step = 1e-4
    duration: Duration = 2.0


Box = tuple[tuple[float, float], tuple[float, float]]
"""Lower left and upper right corner of a part of the plane [m]."""


class Plotted(NamedTuple):
    """A plot of recorded quantities over time."""

    name: str
    title: Message
    axis: Axis
    lines: Mapping[Message, str]
    """Recorded quantities by the label of their line."""
    scale: float = 1.0
    """SI value of the unit of the axis."""


# Building bodies.


def lattice(columns: int, rows: int) -> Floats:
    """Centres of a block of a triangular lattice, row by row from below, about its mean [m], shape (particles, 2)."""
    column, row = np.meshgrid(np.arange(columns), np.arange(rows))
    result = np.column_stack([(DIAMETER * (column + 0.5 * (row % 2))).ravel(), (ROW * row).ravel()])
    centred: Floats = result - result.mean(axis=0)
    return centred


def rows_as_high_as(columns: int) -> int:
    """Odd number of rows with which a block is about as high as wide, and symmetric about its middle row."""
    rows = round(1.0 + (columns - 1) * DIAMETER / ROW)
    return rows + 1 - rows % 2


def turned(points: Floats, angle: float) -> Floats:
    """Points turned about the origin by an angle [rad], shape (points, 2)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    result: Floats = points @ np.array([[cosine, sine], [-sine, cosine]])
    return result


def with_body(
    world: World,
    centres: Floats,
    mass: ArrayLike,
    body: int,
    weak: NDArray[np.bool_] | None = None,
    weakness: float = 1.0,
    rest_length: float = DIAMETER,
) -> World:
    """The world with a body of bonded particles: `centres` [m], `mass` [kg], its number; fixed until it is released.

    A bond with an end in `weak` has the share `weakness` of the stiffness and of the internal friction.
    """
    first = world.sphere_count
    world = add_spheres(world, centres, RADIUS, mass, SphereGroup(fixed=True, layer=body, first_id=first))
    distance = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    i, j = np.nonzero(np.triu(distance < NEIGHBOUR * DIAMETER, 1))
    if not i.size:
        return world
    factor = np.ones(i.size) if weak is None else np.where(weak[i] | weak[j], weakness, 1.0)
    own = np.array([factor, factor, np.ones(i.size)])
    return add_bonds(world, first + i, first + j, own, rest_length=rest_length)


def balanced_length(parameters: Any) -> float:
    """Rest length of bonds [m] for which neighbours in the lattice are in equilibrium: the attraction of two particles
    across their gap balances the compressed bond."""
    share = min((DIAMETER - 2.0 * RADIUS) / parameters.rupture_distance, 1.0)
    length: float = DIAMETER + 4.0 * parameters.pull_off_force * share * (1.0 - share) / parameters.bond_stiffness
    return length


def new_world() -> World:
    """A world in the plane without particles."""
    return empty_world(2, 0, skin=0.3 * RADIUS)


# The motion of bodies.


class Motion(NamedTuple):
    """Motion of a set of particles as a whole."""

    mass: float
    centre: Floats
    """[m], shape (2,)."""
    momentum: Floats
    """[kg m/s], shape (2,)."""
    turning: float
    """Angular momentum about the centre of mass [kg m²/s]."""
    inertia: float
    """Moment of inertia about the centre of mass, of the particles as points [kg m²]."""

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass [m/s], shape (2,)."""
        velocity: Floats = self.momentum / self.mass
        return velocity

    @property
    def spin(self) -> float:
        """Angular velocity with which a rigid body would have this angular momentum [rad/s]."""
        return self.turning / self.inertia if self.inertia > 0.0 else 0.0

    def about(self, point: ArrayLike) -> float:
        """Angular momentum about a fixed point [kg m²/s]."""
        x, y = self.centre - np.asarray(point)
        return float(self.turning + x * self.momentum[1] - y * self.momentum[0])


def rows_of(experiment: Experiment, body: int | None = None) -> NDArray[np.intp]:
    """Rows of the particles of a body, or of all particles that are not fixed."""
    layer = experiment.run.world.layer
    return np.flatnonzero(layer == body if body is not None else layer != HELD)


def motion_of(experiment: Experiment, rows: NDArray[Any]) -> Motion:
    """The motion of these particles as a whole."""
    world = experiment.run.world
    mass, position, velocity = world.mass[rows], world.motion[:2, 0, rows].T, velocities(experiment)[rows]
    total = float(mass.sum())
    centre = mass @ position / total
    arm, relative = position - centre, velocity - mass @ velocity / total
    turning = float(mass @ (arm[:, 0] * relative[:, 1] - arm[:, 1] * relative[:, 0]))
    return Motion(total, centre, mass @ velocity, turning, float(mass @ (arm**2).sum(axis=1)))


def direction(experiment: Experiment, tail: int, head: int) -> float:
    """Angle of the line from one particle to another against the horizontal [rad], given their rows."""
    x, y = experiment.run.world.motion[:2, 0, head] - experiment.run.world.motion[:2, 0, tail]
    return math.atan2(y, x)


def pieces(experiment: Experiment) -> NDArray[np.int32]:
    """Number of the piece of each particle, shape (count,); a piece is connected by intact bonds. Read-only."""
    world = experiment.run.world
    intact = world.bonds.intact.astype(bool)
    i, j = (ends[intact].astype(np.int64).tobytes() for ends in (world.bonds.i, world.bonds.j))
    return _connected(world.sphere_count, i, j)


@functools.lru_cache(maxsize=8)  # bonds seldom break, and their pieces are recorded often
def _connected(count: int, i: bytes, j: bytes) -> NDArray[np.int32]:
    from scipy.sparse import coo_array  # here, because the window opens before slow imports
    from scipy.sparse.csgraph import connected_components

    ends = np.frombuffer(i, np.int64), np.frombuffer(j, np.int64)
    links = coo_array((np.ones(ends[0].size), ends), shape=(count, count))
    result: NDArray[np.int32] = connected_components(links, directed=False)[1]
    result.flags.writeable = False
    return result


def energy_apart(experiment: Experiment) -> float:
    """Kinetic energy of all particles minus that of a rigid body with their momentum and spin [J]."""
    rows, world = rows_of(experiment), experiment.run.world
    whole = motion_of(experiment, rows)
    arm = world.motion[:2, 0, rows].T - whole.centre
    rigid = whole.velocity + whole.spin * np.column_stack([-arm[:, 1], arm[:, 0]])
    return 0.5 * float(world.mass[rows] @ ((velocities(experiment)[rows] - rigid) ** 2).sum(axis=1))


def path(experiment: Experiment, sphere: int, name: str) -> Track:
    """The path of a particle, recorded as the coordinates `name`_x and `name`_y."""
    return Track(sphere, thinned(np.column_stack([column(experiment, f"{name}_{axis}") for axis in "xy"])))


# The run.


def release(experiment: Experiment, start: Floats) -> None:
    """Release the particles with their velocities [m/s], shape (count, 2)."""
    world, velocity_lead = experiment.run.world, experiment.engine.model.integrator.velocity_lead
    free = world.layer != HELD
    with booked(experiment, "poured"):
        world.inverse_mass[:2, free] = 1.0 / world.mass[free]
        forget_neighbours(world)  # its list of contacts with walls contains no fixed particles
        world.motion[:2, 1, free] = start[free].T
        find_accelerations(experiment)
        world = experiment.run.world
        world.motion[:2, 1, free] += velocity_lead * experiment.dt * world.motion[:2, 2, free]
    update_dt(experiment, first=True)  # the automatic step follows the bonds of particles that can move
    start_derivatives(experiment)


# Outcomes.

ROUNDING = 1e-9
"""Largest relative change of a conserved quantity by rounding [-]."""


def stays(
    experiment: Experiment, name: str, statement: Message, columns: Sequence[str], scale: float, rate: float = 0.0
) -> Outcome:
    """Recorded quantities are constant, or change by `rate` per second: their largest deviation relative to `scale`."""
    time = times(experiment)
    result = np.array([column(experiment, entry) for entry in columns])
    drift = float(np.abs(result - result[:, :1] - rate * (time - time[0])).max()) / scale
    return Outcome(
        name,
        statement,
        Message("relative change {drift}", drift=Number(drift, format=".1g")),
        Message("at most {rounding}, by rounding", rounding=Number(ROUNDING, format=".0g")),
        bool(drift <= ROUNDING),
    )


def conserved(experiment: Experiment, momentum: float, arm: float) -> tuple[Outcome, ...]:
    """Momentum and angular momentum of particles without weight; scales of both are a momentum [kg m/s] and an
    arm [m]."""
    return (
        stays(experiment, "momentum", _("the momentum stays"), ("momentum_x", "momentum_y"), momentum),
        stays(experiment, "angular_momentum", _("the angular momentum stays"), ("angular_momentum",), momentum * arm),
    )


def equals(name: str, statement: Message, present: float, expected: float, tolerance: float, unit: str = "") -> Outcome:
    """A number equals that of a closed form; the tolerance is in the same SI unit, and both numbers have its decimals:
    1.047 N beside 1.047 ± 0.021 N."""
    factor, shown = prefix_of(max(abs(expected), tolerance), unit, 3) if unit else (1.0, "")
    decimals = max(0, 1 - math.floor(math.log10(float(f"{tolerance / factor:.2g}")))) if tolerance > 0.0 else 3
    rounded = (round(value / factor, decimals) + 0.0 for value in (expected, tolerance, present))  # no negative zero
    form = f".{decimals}f"
    number, bound, measured = rounded
    words = joined((Number(number, format=form), Number(bound, shown, form)), " ± ")
    return Outcome(name, statement, formatted(measured, form, shown), words, bool(abs(present - expected) <= tolerance))


def exceeds(name: str, statement: Message, measured: float, bound: float, unit: str = "") -> Outcome:
    """A number is larger than a bound."""
    return Outcome(
        name,
        statement,
        with_unit(measured, unit),
        Message("more than {bound}", bound=with_unit(bound, unit)),
        bool(measured > bound),
    )


def stays_below(name: str, statement: Message, measured: float, bound: float, unit: str = "") -> Outcome:
    """A number is smaller than a bound."""
    return Outcome(
        name,
        statement,
        with_unit(measured, unit),
        Message("less than {bound}", bound=with_unit(bound, unit)),
        bool(measured < bound),
    )


def lies_between(name: str, statement: Message, measured: float, low: float, high: float, unit: str = "") -> Outcome:
    """A number is in an interval, without its ends."""
    return Outcome(
        name,
        statement,
        with_unit(measured, unit),
        Message("{low} to {high}", low=with_unit(low, unit), high=with_unit(high, unit)),
        bool(low < measured < high),
    )


def with_unit(value: float, unit: str) -> Message:
    """A number with three digits and its unit."""
    return with_prefix(value, unit, 3) if unit else formatted(value, ".3g")


QUIET, SETTLED, FEWEST_QUIET = 0.1, 0.01, 5
"""Share of the duration during which records must be steady, their largest change relative to their range, and least
number of records [-]."""


@dataclass(frozen=True)
class BodyTask:
    """What a scene states of its task."""

    start: Callable[[Any, int], World]
    """start(parameters, seed) -> the world."""
    measured: Callable[[Experiment], Mapping[str, float]]
    """The quantities to record."""
    outcomes: Callable[[Experiment], tuple[Outcome, ...]]
    """The statements of the task about a whole run."""
    readings: Callable[[Experiment], tuple[Reading, ...]]
    later_readings: tuple[str, ...]
    launch: Callable[[Any, World], Floats] = lambda parameters, world: np.zeros((world.sphere_count, 2))
    """launch(parameters, world) -> the initial velocities [m/s], shape (count, 2)."""
    supervised: Callable[[Experiment], None] = lambda experiment: None
    """Called at every check during the run."""
    action: Message = START
    """Label of the button that starts it."""
    settles: bool = False
    """Whether the course also ends once its records no longer change (`has_settled`); otherwise bodies at rest would be
    shown until the duration has passed."""
    answer: Callable[[Experiment], Answer | None] = no_answer
    """The answer of a whole run to the question of the scene."""


def has_settled(experiment: Experiment) -> bool:
    """Whether no recorded quantity has changed by more than `SETTLED` of its range during the last `QUIET` of the
    duration."""
    columns: Columns = experiment.run.state.columns
    time = times(experiment)
    if not time.size or elapsed(experiment) < QUIET * experiment.run.built.duration:
        return False
    late = time >= elapsed(experiment) - QUIET * experiment.run.built.duration
    return bool(late.sum() >= FEWEST_QUIET) and all(
        float(np.ptp(rows[late], axis=0).max()) <= SETTLED * float(np.ptp(rows, axis=0).max())
        for name, rows in columns.items()
        if name != "time"
    )


def body_course(task: BodyTask) -> Course:
    """The course of one task."""

    def begin(experiment: Experiment) -> None:
        release(experiment, task.launch(experiment.run.built, experiment.run.world))
        keep_now(experiment, task.measured(experiment))

    def drive(experiment: Experiment) -> bool:
        task.supervised(experiment)
        return is_over(experiment) or (task.settles and has_settled(experiment))

    course = TimedCourse(
        state=CourseState,
        start=task.start,
        record=task.measured,
        buttons=CourseButtons(
            task.action,
            _("Let the particles move."),
            _("The particles are back at their places."),
            _("Put the particles back to their places."),
        ),
        begin=begin,
        drive=drive,
        interval=lambda built: float(built.duration) / RECORDS,
        stop=fix_spheres,
        outcomes=task.outcomes,
        answer=task.answer,
        results=lambda experiment: {"final": last_record(experiment)},
    )
    return replace(timed_course(course), readings=task.readings, later_readings=task.later_readings)


BODY_LIMITS = SceneLimits(overlap_limit=0.5)


def body_model(start: Callable[[Any, int], World], fields: tuple[str, ...] = ()) -> ModelChoice:
    """Bonded particles in the plane, and fields that act on them; `start(parameters, seed)` returns the world."""

    @functools.lru_cache(maxsize=8)  # called at every change of the time step
    def smallest_of(parameters: Any) -> tuple[float, float]:
        return smallest(start(parameters, 1))

    return ModelChoice(
        law="bounded_spring",
        dimension=2,
        smallest_grain=smallest_of,
        fields=lambda parameters: fields,
        bond=lambda parameters: "spring",
    )


def from_parameters(box: Callable[[Any], Box]) -> Callable[[Experiment], Box]:
    """`Scene.view.box` from the box of parameters [m]."""
    return lambda experiment: box(experiment.run.built)


def no_lines(experiment: Experiment) -> Floats:
    """No walls and no threads to draw."""
    return np.empty((0, 2, 2))


def plotted(
    plots: Sequence[Plotted],
    expected: Callable[[Experiment], Mapping[str, tuple[Line, ...]]] = lambda experiment: {},
) -> Callable[[Experiment], tuple[Curve, ...]]:
    """`Scene.view.curves`: these plots of recorded quantities; `expected(experiment)` returns lines of closed forms by
    the name of their plot."""

    def curves(experiment: Experiment) -> tuple[Curve, ...]:
        time, further = times(experiment), expected(experiment)
        if strange := further.keys() - {plot.name for plot in plots}:
            raise ValueError(f"no plot has the name of these closed forms: {', '.join(sorted(strange))}")
        return tuple(
            Curve(
                plot.name,
                plot.title,
                TIME,
                plot.axis,
                (
                    *(
                        Line(label, time, column(experiment, entry) / plot.scale if time.size else time)
                        for label, entry in plot.lines.items()
                    ),
                    *further.get(plot.name, ()),
                ),
            )
            for plot in plots
        )

    return curves


def smallest(world: World) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the lightest particle that moves."""
    free = np.flatnonzero(world.layer != HELD)
    row = free[world.mass[free].argmin()]
    return float(world.mass[row]), float(world.radius[row])


def ground(height: float = 0.0) -> Floats:
    """A level line across any picture [m], shape (1, 2, 2)."""
    return np.array([[[-WIDE, height], [WIDE, height]]])


def upward_plane(height: float = 0.0) -> Floats:
    """Corners of a level wall that carries what is above it, for `set_walls` [m], shape (1, 3, 2)."""
    return np.array([[(0.0, height), (0.0, 1.0), (0.0, 0.0)]])
