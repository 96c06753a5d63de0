"""The biaxial press: a packing of discs between four plates is compressed, at constant pressure of the side plates.

The grains begin as a gas, whose random motion leads to a dense packing while all plates move inwards; there is no
gravity. Then the upper plate moves down with a constant strain rate. The plates at the sides follow the grains: at
every check they get the velocity that brings their force back to the confining pressure.

In the plane a stress is a force per length [N/m]: σ1 is that on the upper plate, σ3 that on the sides. Grains that
slide past one another bear at most (σ1 − σ3)/(σ1 + σ3) = sin φ with the friction angle φ (Mohr & Coulomb). A dense
packing must widen before it can shear (Reynolds 1885) and bears more while it does: its friction angle exceeds that of
the flow of constant area by 0.8 ψ (Bolton 1986), with the dilatancy angle ψ, sin ψ = w/(2 + w) in the plane, and the
widening w = −dε_v/dε_1 from the volumetric strain ε_v, positive where the area shrinks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment, Scene
from repose.sim.laws.material_parameters import WallFriction, YoungsModulus
from repose.sim.laws.materials import Material
from repose.sim.measure.display import Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.message import Message, Number, _, plain
from repose.sim.parameters import number, variant
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.poured_parameters import GrainCount, SizeSpread
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    outcome_above,
    outcome_between,
    put_walls,
    with_lines,
)

BOTTOM, TOP, LEFT, RIGHT = range(4)
"""Rows of the plates in the table of walls."""
GAIN, MEMORY = 0.3, 0.05
"""Fraction of the deviation of a pressure that a plate removes until the next check if only the contacts at the plate
yield, and fraction of this velocity that remains in the next one [-]."""
WHILE_PACKED = 2
"""Row of the material of the grains while the plates close in."""
STIRRING = 0.3
"""Random velocity of the grains at the start, per component [m/s]."""
CLOSING = 3e-3
"""Inertial number of the fastest motion of a plate while the grains are brought together [-]."""
BALANCED, QUIET = 0.03, 0.02
"""Relative deviation of the pressures [-], and mean speed over the speed of the plates [-], below which the packing is
ready."""
SMOOTHED = 0.01
"""Strain over which the curves are averaged before their peak is found [-]."""
FINAL = 0.3
"""Last share of the strain, where the packing flows without a change of its area [-]."""
BOLTON = (0.4, 1.2)
"""Bounds of the gain of the friction angle over the dilatancy angle, 0.8 for sand [-]: friction angles scatter by 2°
and the dilatancy angle of about 15° by a sixth, a quarter of the ratio together; the bounds are 1.6 times that."""
ENOUGH = 300
"""Least number of grains for which peak and dilatancy are compared [-]."""


class BiaxialParameters(DiscsParameters):
    """Discs in a biaxial press, in SI."""

    grain_count: GrainCount = 800
    size_spread: SizeSpread = 0.3
    # fmt: off
    young: YoungsModulus = variant(2e7,
        help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa."))
    gravity: Gravity = variant(0.0,
        help=_("Zero, so that the stress is the same at all heights, as in a small sample under load."))
    wall_friction: WallFriction = variant(0.0,
        help=_("Friction coefficient between grains and plates; smooth plates let the sample widen."))
    slenderness: float = number(2.0, 0.5, 4.0, _("height over width"), "H/W", effect="restart", group=_("Press"),
        help=_("Of the sample before it is pressed. Takes effect at the next start."))
    pressure: float = number(10.0, 0.1, 1e3, _("confining pressure"), "σ_3", "N/m", log=True, effect="restart",
        group=_("Press"), help=_("Of the plates at the sides. Takes effect at the next start."))
    strain_rate: float = number(0.1, 1e-3, 10.0, _("strain rate"), "", "1/s", log=True, effect="restart",
        group=_("Press"),
        help=_("How fast the height shrinks; slow if the inertial number is below 0.001. At the next start."))
    strain: float = number(0.16, 0.01, 0.5, _("strain at the end"), "ε_1", effect="restart", group=_("Press"),
        help=_("Fraction by which the height has shrunk at the end. Takes effect at the next start."))
    packing_friction: float = number(0.0, 0.0, 2.0, _("friction before"), "μ_0", effect="restart", group=_("Press"),
        help=_(
            "Between grains while the plates close in: 0 gives a dense sample, the friction of the press a loose one. "
            "Takes effect at the next start."
        ))
    # fmt: on

    def materials(self) -> tuple[Material, ...]:  # type: ignore[override]  # one row more
        """Row 0 the grains, row 1 the plates, row 2 the grains while the plates close in."""
        grain, plate = super().materials()
        return grain, plate, grain._replace(friction=self.packing_friction)

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Properties of pairs that are not the mean of both materials: grain and plate."""
        return super().differing() | {(1, 2): {"friction": self.wall_friction}}

    @property
    def width(self) -> float:
        """Initial width of the space between the plates [m]."""
        step = 2.04 * self.largest_radius
        return math.sqrt(self.grain_count * math.sqrt(0.75) * step**2 / self.slenderness) + 2.0 * self.largest_radius

    @property
    def height(self) -> float:
        """Initial height of the space between the plates, with room for the rows of the lattice [m]."""
        return self.slenderness * (self.width - 2.0 * self.largest_radius) + 4.0 * self.largest_radius

    @property
    def time_scale(self) -> float:
        """√(m/σ_3), the time in which the pressure moves a grain by its size [s]; the strain rate times this time is
        the inertial number of the plane."""
        return math.sqrt(float(self.mass_of(np.array(self.mean_radius))) / self.pressure)


@dataclass
class BiaxialState(CourseState):
    """State of the press."""

    upper_drift: float = 0.0
    """Velocity of the upper plate from the accumulated excess of its pressure [m/s]."""
    side_drift: float = 0.0
    """The same of the side plates [m/s]."""
    width: float = 0.0
    """Width of the sample before it is pressed [m]."""
    height: float = 0.0
    """Height of the sample before it is pressed [m]."""
    along: float = 0.0
    """Sum of σ1 over the checks since the last record [N/m]."""
    across: float = 0.0
    """Sum of σ3 over these checks [N/m]."""
    checks: int = 0
    """Number of these checks."""


def plates(low: float, high: float, half: float, room: float = 0.0) -> Floats:
    """Plates at these heights and at ± `half`, the level ones longer by `room` at both ends [m], shape (4, 2, 2)."""
    level = [[(-half - room, at), (half + room, at)] for at in (low, high)]
    return np.array(level + [[(side * half, low), (side * half, high)] for side in (-1, 1)])


def start(parameters: BiaxialParameters, seed: int) -> World:
    """The grains of the gas between the open plates."""
    largest, half = parameters.largest_radius, 0.5 * parameters.width

    def inside(x: Any, y: Any) -> Any:
        return (np.abs(x) < half - largest) & (y > largest)

    world = lattice(parameters, seed, inside, materials=3)
    world.material[:] = WHILE_PACKED
    velocity = np.random.default_rng((seed, 1)).normal(0.0, STIRRING, (2, world.sphere_count))
    world.motion[:2, 1] = velocity - velocity.mean(axis=1, keepdims=True)
    top = float((world.motion[1, 0] + world.radius).max()) + 0.1 * largest
    return with_lines(world, plates(0.0, top, half))


def size(world: World) -> tuple[float, float]:
    """Width and height between the plates [m]."""
    at = world.walls.corner[:, 0] + world.walls.moved
    return float(at[RIGHT, 0] - at[LEFT, 0]), float(at[TOP, 1] - at[BOTTOM, 1])


def stresses(world: World) -> tuple[float, float]:
    """σ1 on the upper and the lower plate, and σ3 on the sides [N/m]; compression positive."""
    (width, height), force = size(world), world.walls.force
    along = 0.5 * float(force[TOP, 1] - force[BOTTOM, 1]) / width
    return along, 0.5 * float(force[RIGHT, 0] - force[LEFT, 0]) / height


def yielding(experiment: Experiment) -> float:
    """Velocity of a plate per relative excess of its pressure at which the fraction `GAIN` of the excess vanishes until
    the next check [m/s]."""
    built = experiment.run.built
    force, modulus = 2.0 * built.pressure * built.mean_radius, built.young / (2.0 * (1.0 - built.poisson**2))
    overlap = (0.75 * force / (modulus * math.sqrt(built.mean_radius))) ** (2.0 / 3.0)
    return float(GAIN * overlap / (CHECK_STEPS * experiment.dt))


def follow(experiment: Experiment, drift: float, excess: float, most: float) -> tuple[float, float]:
    """The new drift, and the outward velocity of plates whose pressure has a relative excess [m/s]: the sum of a term
    proportional to the excess and of the drift, which is proportional to its accumulated sum, for a packing that yields
    for long."""
    speed = yielding(experiment) * excess
    drift = float(np.clip(drift + MEMORY * speed, -most, most))
    return drift, float(np.clip(drift + speed, -most, most))


def move_sides(experiment: Experiment, excess: float, most: float) -> None:
    """Set equal and opposite velocities of both side plates [m/s]."""
    state, walls = experiment.run.state, experiment.run.world.walls
    state.side_drift, speed = follow(experiment, state.side_drift, excess, most)
    walls.velocity[LEFT, 0], walls.velocity[RIGHT, 0] = -speed, speed


def settle(experiment: Experiment) -> bool:
    """Move the plates inwards; True once both pressures equal the confining pressure and the grains rest."""
    built, world, state = experiment.run.built, experiment.run.world, experiment.run.state
    along, across = (stress / built.pressure - 1.0 for stress in stresses(world))
    width, height = size(world)
    fastest = CLOSING * width / built.time_scale
    state.upper_drift, speed = follow(experiment, state.upper_drift, along, fastest * height / width)
    world.walls.velocity[TOP, 1] = speed
    move_sides(experiment, across, 0.5 * fastest)
    return bool(max(abs(along), abs(across)) < BALANCED and mean_speed(world) < QUIET * fastest)


def set_out(experiment: Experiment) -> None:
    """Begin to move the upper plate down."""
    width, height = size(experiment.run.world)
    at = experiment.run.world.walls.corner[:, 0] + experiment.run.world.walls.moved
    lines = plates(float(at[BOTTOM, 1]), float(at[TOP, 1]), 0.5 * width, 0.12 * width)
    lines[:, :, 0] += 0.5 * float(at[LEFT, 0] + at[RIGHT, 0])
    put_walls(experiment, lines)
    experiment.run.world.material[:] = 0
    experiment.run.state.width, experiment.run.state.height = width, height


def drive(experiment: Experiment) -> bool:
    """Move the plates and add up the stresses for the next record; True at the last strain."""
    built, world = experiment.run.built, experiment.run.world
    state: BiaxialState = experiment.run.state
    along, across = stresses(world)
    height = size(world)[1]
    fastest = built.strain_rate * state.height
    world.walls.velocity[TOP, 1] = -fastest
    move_sides(experiment, across / built.pressure - 1.0, fastest)
    if not state.checks:
        state.along = state.across = 0.0
    state.along, state.across, state.checks = state.along + along, state.across + across, state.checks + 1
    return bool(1.0 - height / state.height >= built.strain)


def record(experiment: Experiment) -> dict[str, float]:
    """Strain of the height, volumetric strain, both positive where the sample shrinks [-], and the stresses [N/m], mean
    since the last record."""
    state: BiaxialState = experiment.run.state
    width, height = size(experiment.run.world)
    checks, state.checks = max(1, state.checks), 0
    return {
        "strain": 1.0 - height / state.height,
        "volume": 1.0 - width * height / (state.width * state.height),
        "along": state.along / checks,
        "across": state.across / checks,
    }


def smooth(strain: Floats, values: Floats) -> Floats:
    """Moving mean of the values over strains within half of `SMOOTHED`, shape (records,)."""
    near = np.abs(strain[:, None] - strain) <= 0.5 * SMOOTHED
    smoothed: Floats = near @ values / near.sum(axis=1)
    return smoothed


def measured_values(experiment: Experiment) -> dict[str, float] | None:
    """Stress ratio σ1/σ3 at the peak and at the end, the strain of the peak, −dε_v/dε_1 there [-], the friction
    angles of both, and the dilatancy angle [rad]; None before there are enough records."""
    strain, volume = column(experiment, "strain"), column(experiment, "volume")
    if strain.size < 8 or np.ptp(strain) <= SMOOTHED:
        return None
    along, across = smooth(strain, column(experiment, "along")), smooth(strain, column(experiment, "across"))
    if not (across > 0.0).all():
        return None
    ratio = along / across
    peak, last = int(ratio.argmax()), strain >= (1.0 - FINAL) * strain[-1]
    near = np.abs(strain - strain[peak]) <= SMOOTHED
    final = float(ratio[last].mean())
    widening = -float(np.polyfit(strain[near], volume[near], 1)[0])
    return {
        "peak": float(ratio[peak]),
        "at": float(strain[peak]),
        "final": final,
        "widening": widening,
        "peak_angle": angle_of(float(ratio[peak])),
        "final_angle": angle_of(final),
        "dilatancy_angle": dilatancy_angle(widening),
        "widest": -float(volume.min()),
    }


def angle_of(ratio: float) -> float:
    """Friction angle φ of a stress ratio σ1/σ3, sin φ = (σ1 − σ3)/(σ1 + σ3) [rad]."""
    return math.asin(max(-1.0, min(1.0, (ratio - 1.0) / (ratio + 1.0))))


def dilatancy_angle(widening: float) -> float:
    """Dilatancy angle ψ of the plane for −dε_v/dε_1 [rad]: the volumetric over the shear strain, in steps."""
    return math.asin(max(-1.0, min(1.0, widening / max(2.0 + widening, 1e-9))))


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The stress has a peak, the sample widens, and both are related by Bolton's law."""
    of, built = measured_values(experiment), experiment.run.built
    side_pressure = float(np.mean(column(experiment, "across"))) / built.pressure
    kept = outcome_between(
        "side_pressure", _("the pressure of the sides over the one asked for"), side_pressure, 0.9, 1.1
    )
    if (
        of is None
        or built.grain_count < ENOUGH
        or built.friction < 0.2
        or built.packing_friction > 0.1
        or built.strain < 0.1
    ):
        return (kept,)
    return kept, *of_dense(of)


def of_dense(of: Mapping[str, float]) -> tuple[Outcome, ...]:
    """What is expected of a dense sample; a loose one misses it."""
    gain = (of["peak_angle"] - of["final_angle"]) / max(of["dilatancy_angle"], 1e-3)
    return (
        outcome_above(
            "stress_peak",
            _("the dense sample bears more at its peak than at the end (σ1/σ3)"),
            of["peak"],
            1.1 * of["final"],
        ),
        outcome_above(
            "dilatancy",
            _("the sample widens while it is pressed (Reynolds), by a share of its area"),
            of["widest"],
            0.01,
        ),
        outcome_between(
            "friction_gain",
            _("gain of the friction angle at the peak over the dilatancy angle (Bolton: 0.8)"),
            gain,
            *BOLTON,
        ),
    )


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Present strains and stresses, the friction angles, and the inertial number."""
    strain = column(experiment, "strain")
    if not strain.size:
        return ()
    built = experiment.run.built
    along, across = column(experiment, "along")[-1], column(experiment, "across")[-1]
    shown = [
        Reading(
            "stress_ratio",
            plain("σ1/σ3"),
            along / max(across, 1e-6 * built.pressure),
            help=_("Upper plate over sides."),
        ),
        Reading("height_strain", _("strain of the height"), 100.0 * strain[-1], "%"),
        Reading(
            "area_change",
            _("change of the area"),
            -100.0 * column(experiment, "volume")[-1],
            "%",
            help=_("Positive: it widens."),
        ),
        Reading("plate_stress", _("σ1, upper plate"), along, "N/m"),
        Reading("side_stress", _("σ3, sides"), across, "N/m", help=_("Kept at the confining pressure.")),
    ]
    if (of := measured_values(experiment)) is not None:
        help = _("From sin φ = (σ1 − σ3)/(σ1 + σ3) at the largest ratio so far.")
        shown.append(
            Reading(
                "peak_friction_angle", _("friction angle at the peak"), math.degrees(of["peak_angle"]), "°", help=help
            )
        )
    inertial = built.strain_rate * built.time_scale
    shown.append(
        Reading(
            "inertial_number",
            _("inertial number"),
            inertial,
            help=_("Strain rate times √(m/σ_3); below 0.001 the press is slow."),
        )
    )
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Stress ratio and change of the area against the strain."""
    strain = 100.0 * column(experiment, "strain")
    along, across = column(experiment, "along"), column(experiment, "across")
    ratio = along / np.maximum(across, 1e-6 * experiment.run.built.pressure)
    lines = [Line(plain("σ1/σ3"), strain, ratio)]
    if experiment.phase == "rested" and (of := measured_values(experiment)) is not None:
        ends = np.array([100.0 * (1.0 - FINAL) * column(experiment, "strain")[-1], strain[-1]])
        words = Message("flow, φ = {degrees}°", degrees=Number(math.degrees(of["final_angle"]), format=".1f"))
        lines.append(Line(words, ends, np.full(2, of["final"]), fitted=True))
    widening = Line(_("area"), strain, -100.0 * column(experiment, "volume"))
    return (
        Curve(
            "stress",
            _("Stress"),
            Axis(_("strain ε1"), "%"),
            Axis(_("stress ratio σ1/σ3")),
            tuple(lines),
            x_from_zero=True,
        ),
        Curve(
            "area",
            _("Area"),
            Axis(_("strain ε1"), "%"),
            Axis(_("growth of the area"), "%"),
            (widening,),
            x_from_zero=True,
        ),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The friction angle at the peak beside that at the end."""
    of = measured_values(experiment)
    if of is None:
        return None
    peak, final = math.degrees(of["peak_angle"]), math.degrees(of["final_angle"])
    return Answer(
        of["peak"],
        Message(
            "The sample bears {of} times the pressure of the sides (φ = {peak}°) at a strain of {of2} %, "
            "and {of3} times (φ = {final}°) at the end, with an area larger by {of4} %.",
            of=Number(of["peak"], format=".2f"),
            peak=Number(peak, format=".1f"),
            of2=Number(100.0 * of["at"], format=".1f"),
            of3=Number(of["final"], format=".2f"),
            final=Number(final, format=".1f"),
            of4=Number(100.0 * of["widest"], format=".1f"),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Peak, end and dilatancy."""
    world, of = experiment.run.world, measured_values(experiment)
    width, height = size(world)
    area = float(np.pi * (world.radius**2).sum())
    state: BiaxialState = experiment.run.state
    return {
        "packing_fraction_before": area / (state.width * state.height),
        "packing_fraction_after": area / (width * height),
        "press": of,
    }


def share(experiment: Experiment) -> float:
    """Share of the strain that is done."""
    shortened = 1.0 - size(experiment.run.world)[1] / experiment.run.state.height
    return float(min(1.0, max(0.0, shortened) / experiment.run.built.strain))


def box(parameters: BiaxialParameters) -> Box:
    """The space at the start."""
    half = 0.5 * parameters.width + parameters.mean_radius
    return (-half, -2.0 * parameters.mean_radius), (half, parameters.height)


def focus(experiment: Experiment) -> Box:
    """The sample between its plates, which are longer than its width."""
    world = experiment.run.world
    at, edge = world.walls.corner[:, 0] + world.walls.moved, 2.0 * experiment.run.built.mean_radius
    width = float(at[RIGHT, 0] - at[LEFT, 0])
    return (
        (float(at[LEFT, 0]) - 0.12 * width, float(at[BOTTOM, 1]) - edge),
        (float(at[RIGHT, 0]) + 0.12 * width, float(at[TOP, 1]) + edge),
    )


COURSE = TimedCourse(
    state=BiaxialState,
    start=start,
    packing=("biaxial", Packing(later=("friction", "strain_rate", "strain"), single=False)),
    settle=settle,
    begin=set_out,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    share=share,
    buttons=disc_buttons(_("Press"), _("Move the upper plate down, while the sides keep their pressure.")),
)

SCENE = Scene(
    name="biaxial",
    title=_("Biaxial press"),
    summary=_("A dense sample of discs is shortened between plates: force chains, a peak of the stress, a shear band."),
    direction=Direction(
        see=_("The sample widens, and breaks along an inclined band, above and below which it moves as two blocks."),
        colour="speed",
        plot="stress",
        speed=0.2,
        seconds=8.0,
        span=(0.0, 0.03),
    ),
    parameters=disc_parameters(BiaxialParameters),
    model=DISCS,
    course=disc_course(
        COURSE,
        readings,
        (
            "stress_ratio",
            "height_strain",
            "area_change",
            "plate_stress",
            "side_stress",
            "peak_friction_angle",
            "inertial_number",
        ),
    ),
    view=disc_view(box, curves, focus=focus),
    limits=SOFT_DISCS,
    guess=Guess(_("Largest pressure of the upper plate over that of the sides"), str(_("times")), 1.0, 6.0),
    lecture=("friction", "packing_friction", "pressure", "strain_rate", "slenderness"),
    test_values={
        "grain_count": 40,
        "young": 1e6,
        "restitution": 0.5,
        "strain": 0.03,
        "strain_rate": 0.5,
        "pressure": 10.0,
    },
)
