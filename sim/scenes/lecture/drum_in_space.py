"""A drum in space that turns, with small and large grains of two materials: how they are lifted, and how they mix.

The second case of the comparison of nine programs by Dosta et al. (Computer Physics Communications 296 (2024) 109066):
8000 spheres of 4 mm (material M2) and on them 30 000 of 2 mm (M1) in a drum of 200 mm, 60 mm long, that turns at
2 rad/s; counted are the grains of each kind in two quadrants over 5 s. Drum, materials and start are those of the
scripts of MercuryDPM and Yade. Their counts are drawn in a figure of the paper and were not at hand as numbers.

With grains of twice the sizes an eighth as many make the same filling: the default. They are softer by a factor of
200, and the steel of the walls is as soft as the small grains, with its own friction and restitution. The shares of
the grains in the quadrants follow from the filling and the angle of its surface, not from the stiffness. How fast two
sizes mix or part depends on the number of grains across the drum: it is that of the reduced drum.

The side of the drum is a cylinder and its ends are planes, which turn about their axis and do not move. In a steady
state the torque of the turning walls is that of the weight about the axis: their work is ∫ Ω m g x dt, with the
distance x of the centre of mass from the axis.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import Direction
from repose.sim.engine.builder import SphereGroup, add_spheres, empty_world, set_walls
from repose.sim.engine.contacts.wall_geometry import CYLINDER, PLANE
from repose.sim.engine.world import LEDGER_WALLS, Floats, World
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, ModelChoice, Scene, SceneView
from repose.sim.laws.hertz_mindlin import LAW
from repose.sim.laws.material_parameters import (
    Friction,
    MaterialParameters,
    Poisson,
    Restitution,
    WallFriction,
    YoungsModulus,
)
from repose.sim.laws.materials import Material
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Part, Reading
from repose.sim.measure.mixing import mixing_of_kinds
from repose.sim.message import Message, Number, _, plural
from repose.sim.parameters import ParameterError, count, length, number, variant
from repose.sim.scenes.common.motion_parameters import MotionParameters, VerletFirst
from repose.sim.scenes.common.poured_parameters import SettleSpeed
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.stream import smallest_grain
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed, is_over
from repose.sim.scenes.lecture.disc_scene import (
    Box,
    disc_buttons,
    disc_course,
    disc_parameters,
    lies_in_balance,
    outcome_between,
)

AIRY = 0.24
"""Packing fraction of the grains before they fall, at random places [-]."""
SMALL, LARGE = range(2)
"""Layers and materials of the grains."""
STEEL = 2
"""Material of the walls."""
RECORDS = 200
"""Number of records of a run."""
STEADY = 0.5
"""Share of the duration, at its beginning, in which the surface is not steady [-]."""
NEAR = 0.1
"""Largest relative difference of the work of the walls from that of the weight [-]: the surface swings, and with it the
angular momentum of the grains."""
FEW, LEVEL = 50, 3.0
"""Number of grains, and mean angle of the surface [°], below which the work of the walls is not compared with that of
the weight: single grains swing, and walls without friction lift none."""
SIDES, SPOKES = 48, 8
"""Flat parts of the drawn side of the drum, and wedges of its drawn end."""
QUADRANTS = ("small_up", "large_up", "small_down", "large_down")


class DrumInSpaceParameters(MotionParameters, MaterialParameters):
    """Small and large grains in a drum, in SI; density, stiffness, restitution and friction are those of the small."""

    # fmt: off
    small_count: int = count(3750, 1, 1_000_000, _("small grains"), "N_1", log=True, effect="restart",
        group=_("Grains"), help=_("Number. Takes effect at the next start."))
    large_count: int = count(1000, 1, 1_000_000, _("large grains"), "N_2", log=True, effect="restart",
        group=_("Grains"), help=_("Number; they lie below the small ones. Takes effect at the next start."))
    small_radius: float = length(2e-3, 5e-4, 0.05, _("radius of the small grains"), "R_1", effect="restart",
        group=_("Grains"), help=_("Takes effect at the next start."))
    large_radius: float = length(4e-3, 5e-4, 0.05, _("radius of the large grains"), "R_2", effect="restart",
        group=_("Grains"), help=_("Takes effect at the next start."))
    young: YoungsModulus = variant(5e6,
        help=_("Of the small grains and the walls. Published are 1 GPa, and 210 GPa for the steel of the walls."))
    poisson: Poisson = 0.2
    restitution: Restitution = 0.5
    friction: Friction = 0.3
    wall_friction: WallFriction = variant(0.2, help=_("Friction coefficient of both kinds of grains with the drum."))
    wall_restitution: float = number(0.4, 0.0, 1.0, _("restitution at steel"), "e_w", group=_("Material"),
        help=_("Of both kinds of grains with the drum: speed after over speed before an impact."))
    large_young: float = number(2.5e6, 1e3, 1e12, _("Young's modulus of large grains"), "E_2", "Pa", log=True,
        group=_("Large grains"), help=_("Published are 0.5 GPa."))
    large_density: float = number(2000.0, 1.0, 3e4, _("density of large grains"), "ρ_2", "kg/m³", effect="restart",
        group=_("Large grains"), help=_("Takes effect at the next start."))
    large_restitution: float = number(0.4, 0.0, 1.0, _("restitution of large grains"), "e_2",
        group=_("Large grains"), help=_("Between two of them."))
    large_friction: float = number(0.4, 0.0, 2.0, _("friction of large grains"), "μ_2",
        group=_("Large grains"), help=_("Between two of them."))
    mixed_restitution: float = number(0.45, 0.0, 1.0, _("restitution of two kinds"), "e_12",
        group=_("Large grains"), help=_("Between a small and a large grain."))
    mixed_friction: float = number(0.2, 0.0, 2.0, _("friction of two kinds"), "μ_12",
        group=_("Large grains"), help=_("Between a small and a large grain."))
    settle_speed: SettleSpeed = 1e-2
    integrator: VerletFirst = "velocity_verlet"
    drum_radius: float = length(0.1, 5e-3, 1.0, _("radius of the drum"), "R_d", effect="restart", group=_("Drum"),
        help=_("Takes effect at the next start."))
    drum_length: float = length(0.06, 5e-3, 1.0, _("length of the drum"), "L", effect="restart", group=_("Drum"),
        help=_("Between its ends, which turn with it. Takes effect at the next start."))
    drum_speed: float = number(2.0, 0.0, 20.0, _("speed of the drum"), "Ω", "rad/s", group=_("Drum"),
        help=_("The grains rise on the right."))
    duration: float = number(5.0, 0.01, 600.0, _("duration"), "T", "s", effect="restart", group=_("Drum"),
        help=_("Time for which the drum turns. Takes effect at the next start."))
    # fmt: on

    def materials(self) -> tuple[Material, ...]:  # type: ignore[override]  # one row more
        """Row `SMALL`, row `LARGE` and row `STEEL`."""
        small, wall = super().materials()
        large = small._replace(
            young=self.large_young,
            density=self.large_density,
            restitution=self.large_restitution,
            friction=self.large_friction,
        )
        return small, large, wall

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Friction and restitution of the two kinds with each other and with the drum."""
        at_wall = {"friction": self.wall_friction, "restitution": self.wall_restitution}
        mixed = {"friction": self.mixed_friction, "restitution": self.mixed_restitution}
        return {(SMALL, LARGE): mixed, (SMALL, STEEL): at_wall, (LARGE, STEEL): at_wall}

    @property
    def radius_limits(self) -> tuple[float, float]:
        """Smallest and largest radius of a grain [m]."""
        low, high = sorted((self.small_radius, self.large_radius))
        return low, high

    @property
    def largest_radius(self) -> float:
        """Radius of the largest grain [m]."""
        return self.radius_limits[1]

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of small and large grains."""
        return self.small_count, self.large_count

    @property
    def volumes(self) -> tuple[float, float]:
        """Volumes of all small and of all large grains [m³]."""
        radii = self.small_radius, self.large_radius
        small, large = (n * 4.0 / 3.0 * math.pi * radius**3 for n, radius in zip(self.counts, radii, strict=True))
        return small, large

    @property
    def record_every(self) -> float:
        """Time between two records [s]."""
        return self.duration / RECORDS

    def mass_of(self, radius: Floats) -> Floats:
        """Masses of small grains of these radii [kg], shape (n,)."""
        return self.density * 4.0 / 3.0 * math.pi * radius**3


@dataclass
class DrumInSpaceState(CourseState):
    """State of the drum."""

    turned: float = 0.0
    """Angle by which the drum has turned [rad]."""
    until: float = 0.0
    """Time of the course until which this angle is known [s]."""


def level(parameters: DrumInSpaceParameters, volume: float) -> float:
    """Height above the axis up to which so much of the drum is filled from below [m]."""
    half = parameters.drum_radius
    height = np.linspace(-half, half, 2001)
    wide = half**2 * (np.arccos(-height / half)) + height * np.sqrt(half**2 - height**2)
    return float(np.interp(volume / parameters.drum_length, wide, height))


def start(parameters: DrumInSpaceParameters, seed: int) -> World:
    """The drum at rest, the grains at random places, the large ones below the small ones."""
    require_fit(parameters)
    generator = np.random.default_rng(seed)
    small, large = parameters.volumes
    # A diameter of each kind more, because no grain is across the border of its part.
    between = level(parameters, large / AIRY) + 2.0 * parameters.large_radius
    top = level(parameters, (small + large) / AIRY) + 2.0 * (parameters.small_radius + parameters.large_radius)
    world = empty_world(3, 3, skin=0.3 * parameters.radius_limits[0], materials=3)
    for kind, radius, density, low, high in (
        (SMALL, parameters.small_radius, parameters.density, between, top),
        (LARGE, parameters.large_radius, parameters.large_density, -parameters.drum_radius, between),
    ):
        position = places(parameters, kind, (low + radius, high - radius), generator)
        mass = parameters.mass_of(np.array(radius)) * density / parameters.density
        group = SphereGroup(layer=kind, material=kind, first_id=world.sphere_count)
        world = add_spheres(world, position, radius, mass, group)
    return set_walls(world, [CYLINDER, PLANE, PLANE], walls(parameters), material=STEEL)


def require_fit(parameters: DrumInSpaceParameters) -> None:
    """Raise `ParameterError` if a grain is as large as the drum."""
    for name in ("small_radius", "large_radius"):
        radius: float = getattr(parameters, name)
        if radius >= min(parameters.drum_radius, 0.5 * parameters.drum_length):
            raise ParameterError(
                Message(
                    "{name} = {radius} is refused: such a grain does not fit into the drum; take smaller grains, or a "
                    "larger drum.",
                    name=name,
                    radius=Number(radius, "m", digits=3),
                )
            )


def places(
    parameters: DrumInSpaceParameters, kind: int, heights: tuple[float, float], generator: np.random.Generator
) -> Floats:
    """Centres of the grains of a kind at random between two heights in the drum [m], shape (grains, 3); raises
    `ParameterError` if there is too little room."""
    wanted, radius = parameters.counts[kind], (parameters.small_radius, parameters.large_radius)[kind]
    free = parameters.drum_radius - radius, 0.5 * parameters.drum_length - radius
    low, high = np.array([-free[0], -free[1], heights[0]]), np.array([free[0], free[1], heights[1]])
    position = np.zeros((0, 3))
    if heights[1] > heights[0]:
        position, _radii = place_at_random(
            itertools.repeat(radius, wanted),
            wanted,
            (radius, radius),
            (low, high - low),
            lambda centres, own: np.hypot(centres[:, 0], centres[:, 2]) < free[0],
            generator,
        )
    if len(position) < wanted:
        name = ("small_count", "large_count")[kind]
        raise ParameterError(
            plural(
                "{name} = {wanted} is refused: there is room for only {placed} of {count} grain in the drum before "
                "they settle; take another number, or a larger drum.",
                "{name} = {wanted} is refused: there is room for only {placed} of {count} grains in the drum before "
                "they settle; take another number, or a larger drum.",
                count=wanted,
                name=name,
                wanted=wanted,
                placed=len(position),
            )
        )
    return position


def walls(parameters: DrumInSpaceParameters) -> Floats:
    """Side and ends of the drum for `set_walls` [m], shape (3, 3, 3); the axes of all point along y."""
    corners = np.zeros((3, 3, 3))
    corners[0, 1, 1], corners[0, 2, :2] = 1.0, (parameters.drum_radius, 1.0)
    for wall, side in ((1, -1.0), (2, 1.0)):
        corners[wall, 0, 1], corners[wall, 1, 1] = side * 0.5 * parameters.drum_length, -side
    return corners


def turn(experiment: Experiment) -> None:
    """Let side and ends turn about the axis, so that the grains rise on the right: about −y. The axis of a wall is its
    own: of the end at +y the normal points to −y."""
    world = experiment.run.world
    world.walls.spin[:] = -experiment.parameters.drum_speed * world.walls.corner[:, 1, 1]


def drive(experiment: Experiment) -> bool:
    """Count the turns and follow the speed; True at the end."""
    state, now = experiment.run.state, elapsed(experiment)
    state.turned += -float(experiment.run.world.walls.spin[0]) * (now - state.until)
    state.until = now
    turn(experiment)
    return is_over(experiment)


def in_quadrants(world: World) -> dict[str, float]:
    """Shares of the small and of the large grains that are above the axis on the side that rises, and below it on the
    other side [-]."""
    x, z = world.motion[0, 0], world.motion[2, 0]
    places = {"up": (x > 0.0) & (z > 0.0), "down": (x < 0.0) & (z < 0.0)}
    return {
        f"{name}_{place}": float(rows[world.layer == kind].mean())
        for place, rows in places.items()
        for kind, name in ((SMALL, "small"), (LARGE, "large"))
    }


def record(experiment: Experiment) -> dict[str, float]:
    """Shares in the quadrants [-], angle of the surface [rad], mixing index of the kinds [-], work of the walls since
    the beginning of the run and torque of the weight about the axis [J, N m], and angle of the drum [rad]."""
    world = experiment.run.world
    mass = float(world.mass.sum())
    x, z = (float(world.mass @ world.motion[axis, 0]) / mass for axis in (0, 2))
    mixing = mixing_of_kinds(world)
    gravity = experiment.engine.gravity
    return {
        **in_quadrants(world),
        "angle": math.atan2(x, -z),
        "mixing": math.nan if mixing is None else mixing.index,
        "work": float(world.ledger[LEDGER_WALLS].sum()),
        "torque": mass * (z * gravity[0] - x * gravity[2]),
        "turned": experiment.run.state.turned,
    }


def steady(experiment: Experiment) -> NDArray[np.bool_]:
    """Which records belong to the steady part of the run, shape (records,)."""
    late: NDArray[np.bool_] = column(experiment, "time") >= STEADY * experiment.run.built.duration
    return late


def work_over_weight(experiment: Experiment) -> float:
    """Work of the walls over ∫ m g x dφ with the angle φ of the drum, in the steady part of the run [-]; nan if the
    drum does not turn."""
    rows = steady(experiment)
    work, torque, turned = (column(experiment, name)[rows] for name in ("work", "torque", "turned"))
    if rows.sum() < 2 or np.ptp(turned) == 0.0:
        return math.nan
    return float(np.ptp(work) / np.trapezoid(torque, turned))


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The torque of the walls is that of the weight, if they lift enough grains."""
    ratio = work_over_weight(experiment)
    if not math.isfinite(ratio) or sum(experiment.run.built.counts) < FEW or mean_angle(experiment) < LEVEL:
        return ()
    words = _("the work of the drum is that of the torque of the weight about its axis (ratio of both)")
    return (outcome_between("torque", words, ratio, 1.0 - NEAR, 1.0 + NEAR),)


def mean_angle(experiment: Experiment) -> float:
    """Mean angle of the surface in the steady part of the run [°]."""
    return math.degrees(column(experiment, "angle")[steady(experiment)].mean())


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Angle of the surface and turns of the drum now."""
    angle = column(experiment, "angle")
    if not angle.size:
        return ()
    turns = column(experiment, "turned")[-1] / math.tau
    of_centre = _("From the centre of mass of the grains.")
    return (
        Reading("surface_angle", _("angle of the surface"), math.degrees(angle[-1]), "°", help=of_centre),
        Reading("turns", _("turns of the drum"), turns),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Shares in the quadrants, mixing index and angle of the surface over time."""
    time = column(experiment, "time")
    words = (
        _("small, above on the right"),
        _("large, above on the right"),
        _("small, below on the left"),
        _("large, below on the left"),
    )
    lines = tuple(
        Line(label, time, 100.0 * column(experiment, name)) for name, label in zip(QUADRANTS, words, strict=True)
    )
    mixing = Line(_("mixing index"), time, column(experiment, "mixing"))
    angle = Line(_("angle"), time, np.degrees(column(experiment, "angle")))
    return (
        Curve("quadrants", _("Quadrants"), TIME, Axis(_("share of the grains of a kind"), "%"), lines),
        Curve("mixing_of_drum", _("Mixing"), TIME, Axis(_("mixing index")), (mixing,)),
        Curve("angle_in_time", _("Angle"), TIME, Axis(_("angle θ"), "°"), (angle,)),
    )


ANSWER_VALUES = ("turns", "mixing", "before", "angle")


def answer(experiment: Experiment) -> Answer | None:
    """How well the kinds are mixed at the end."""
    mixing, turned = column(experiment, "mixing"), column(experiment, "turned")
    if not math.isfinite(mixing[-1]):
        return None
    return Answer(
        float(mixing[-1]),
        Message(
            "After {turns} turns the mixing index is {mixing}, at the start it was {before}; the surface stood at "
            "{angle}°.",
            turns=Number(turned[-1] / math.tau, format=".2g"),
            mixing=Number(mixing[-1], format=".2f"),
            before=Number(mixing[0], format=".2f"),
            angle=Number(mean_angle(experiment), format=".0f"),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Mean shares in the quadrants in the steady part of the run [-], mean angle of the surface [°], mixing index at
    the start and at the end, and work of the walls over that of the weight [-]."""
    rows = steady(experiment)
    mixing = column(experiment, "mixing")
    return {
        **{name: float(column(experiment, name)[rows].mean()) for name in QUADRANTS},
        "angle_degrees": mean_angle(experiment),
        "first_mixing": float(mixing[0]),
        "last_mixing": float(mixing[-1]),
        "work_over_weight": work_over_weight(experiment),
    }


def box(experiment: Experiment) -> Box:
    """The whole drum."""
    built: DrumInSpaceParameters = experiment.run.built
    half, deep = built.drum_radius, 0.5 * built.drum_length
    return (-half, -deep, -half), (half, deep, half)


def facets(experiment: Experiment) -> Floats:
    """Side of the drum, and wedges of the end behind the grains, which show how it turns [m], shape (n, 3, 3)."""
    built: DrumInSpaceParameters = experiment.run.built
    deep, turned = 0.5 * built.drum_length, experiment.run.state.turned

    def rim(angle: Floats, y: float) -> Floats:
        """Points of the rim; a turn takes the bottom to +x."""
        angle = angle + turned
        return np.stack(
            [built.drum_radius * np.cos(angle), np.full_like(angle, y), built.drum_radius * np.sin(angle)], -1
        )

    first = math.tau * np.arange(SIDES) / SIDES
    a, b = rim(first, -deep), rim(first + math.tau / SIDES, -deep)
    along = np.array([0.0, 2.0 * deep, 0.0])
    side = np.concatenate([np.stack([a, b, b + along], axis=1), np.stack([a, b + along, a + along], axis=1)])
    middle, half = math.tau * np.arange(SPOKES) / SPOKES, 0.5 * math.pi / SPOKES
    axis = np.tile([0.0, deep, 0.0], (SPOKES, 1))
    return np.concatenate([side, np.stack([axis, rim(middle - half, deep), rim(middle + half, deep)], axis=1)])


COURSE = TimedCourse(
    state=DrumInSpaceState,
    start=start,
    packing=("drum_in_space", Packing(later=("drum_speed", "duration"), single=False)),
    settle=lies_in_balance,
    begin=turn,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    buttons=disc_buttons(_("Turn the drum"), _("Turn the drum at a constant speed.")),
)

SCENE = Scene(
    name="drum_in_space",
    title=_("Drum in space"),
    summary=_("Small grains on large ones in a drum in space, which turns: both are lifted, flow down and mix."),
    direction=Direction(
        see=_("The filling is lifted on the right, flows down its surface, and the two kinds mix."),
        colour="layer",
        plot="quadrants",
        speed=0.2,
        seconds=20.0,
        look="front",
    ),
    parameters=disc_parameters(DrumInSpaceParameters),
    model=ModelChoice(law=LAW.name, dimension=3, smallest_grain=smallest_grain, rotates=lambda parameters: True),
    course=replace(
        disc_course(COURSE, readings, ("surface_angle", "turns")),
        answer_values=ANSWER_VALUES,
        result_numbers={
            "angle_degrees": ResultNumber(_("angle of the surface"), "°", "θ"),
            "small_up": ResultNumber(_("small, above on the right"), "", "n_1u"),
            "large_up": ResultNumber(_("large, above on the right"), "", "n_2u"),
            "small_down": ResultNumber(_("small, below on the left"), "", "n_1d"),
            "large_down": ResultNumber(_("large, below on the left"), "", "n_2d"),
            "last_mixing": ResultNumber(_("mixing index"), "", "M"),
        },
    ),
    view=SceneView(
        box=box,
        facets=facets,
        curves=curves,
        parts=(Part(_("small grains"), "wood"), Part(_("large grains"), "steel")),
        layers=lambda experiment: 2,
    ),
    guess=Guess(_("Mixing index at the end: 0 apart, 1 a random mixture"), "", 0.0, 1.0),
    lecture=("drum_speed", "friction", "mixed_friction", "large_density"),
    test_values={
        "small_count": 60,
        "large_count": 15,
        "young": 1e5,
        "large_young": 1e5,
        "drum_radius": 0.03,
        "drum_length": 0.02,
        "drum_speed": 4.0,
        "duration": 0.8,
    },
)
