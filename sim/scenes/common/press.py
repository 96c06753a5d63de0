"""Tests of a sample between plates: isotropic compression, then axial compression at constant pressure of the sides.

The grains begin as a gas, whose random motion leads to a dense packing while the plates keep the confining pressure
(repose.sim.experiment.servo_walls); there is no gravity. This is the isotropic compression. Then the upper plate
moves down with a constant strain rate, and the sides go on keeping their pressure.

σ1 is the stress on the upper and the lower plate, σ3 that on the sides. Grains that slide past one another bear at most
(σ1 − σ3)/(σ1 + σ3) = sin φ with the friction angle φ (Mohr & Coulomb). A dense packing must widen before it can shear
(Reynolds 1885) and bears more while it does. Its dilatancy angle is sin ψ = w/(2 + w) with the widening w =
−dε_v/dε_1 from the volumetric strain ε_v, positive where the sample shrinks; in the triaxial test as well (Schanz &
Vermeer, Géotechnique 46 (1996) 145).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.experiment import servo_walls
from repose.sim.experiment.experiment import Experiment
from repose.sim.laws.materials import Material
from repose.sim.measure.display import Axis, Curve, Line, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.measure.stress import STRESS_UNIT
from repose.sim.message import Message, Number, _, plain
from repose.sim.parameters import number
from repose.sim.scenes.common.poured_parameters import PouredInSpaceParameters
from repose.sim.scenes.common.timed_course import CourseState, column

BOTTOM, TOP = range(2)
"""Rows of the level plates in the table of walls; those at the sides follow in pairs, x first."""
WHILE_PACKED = 2
"""Row of the material of the grains while the plates close in."""
STIRRING = 0.3
"""Random velocity of the grains at the start, per component [m/s]."""
CLOSING = 3e-3
"""Inertial number of the fastest motion of a plate while the grains are brought together [-]."""
BALANCED, QUIET = 0.01, 0.02
"""Relative deviation of the pressures [-], and mean speed over the speed of the plates [-], below which the packing is
ready."""
SMOOTHED = 0.01
"""Strain over which the curves are averaged before their peak is found [-]."""
EASING, MOST_EASED = 0.05, 0.5
"""Fraction of the deviation of the side pressure by which the force of the servos is corrected at every check, and
largest correction [-]: a servo bears more than its force on a wall that grains push away. The walls follow a new force
within five checks, a quarter of the time of the correction."""
FINAL = 0.3
"""Last share of the strain, where the packing flows without a change of its volume [-]."""


# fmt: off
StrainRate = Annotated[float, number(..., 1e-3, 10.0, _("strain rate"), "", "1/s", log=True, group=_("Press"),
    help=_("How fast the height shrinks, over that at the start; slow if the inertial number is below 0.001."))]
Strain = Annotated[float, number(..., 0.01, 0.5, _("strain at the end"), "ε_1", effect="restart", group=_("Press"),
    help=_("Fraction by which the height has shrunk at the end. Takes effect at the next start."))]
# fmt: on


class PressParameters(PouredInSpaceParameters):
    """What all presses ask for; each has a `pressure`, a `wall_friction` and a `poisson` of its own, in SI."""

    strain_rate: StrainRate = 0.1
    strain: Strain = 0.16
    # fmt: off
    slenderness: float = number(2.0, 0.5, 4.0, _("height over width"), "H/W", effect="restart", group=_("Press"),
        help=_("Of the sample before it is pressed. Takes effect at the next start."))
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


@dataclass
class PressState(CourseState):
    """State of the press."""

    width: float = 0.0
    """Width of the sample before it is pressed [m]."""
    height: float = 0.0
    """Height of the sample before it is pressed [m]."""
    volume: float = 0.0
    """Volume, in the plane area, of the sample before it is pressed [m³ or m²]."""
    along: float = 0.0
    """Sum of σ1 over the checks since the last record [Pa or N/m]."""
    across: float = 0.0
    """Sum of σ3 over these checks [Pa or N/m]."""
    wanted: float = 0.0
    """Sum of the confining pressure that is asked for over these checks [Pa or N/m]."""
    checks: int = 0
    """Number of these checks."""
    eased: float = 0.0
    """Fraction by which the sides push less than with the confining pressure [-]."""


def side_plates(world: World, c: int) -> tuple[int, int]:
    """Rows of the plates that face each other along coordinate c, the lower one first."""
    return (BOTTOM, TOP) if c == world.dimension - 1 else (2 + 2 * c, 3 + 2 * c)


def places(world: World) -> Floats:
    """A point of each plate [m], shape (plates, dimension)."""
    at: Floats = world.walls.corner[:, 0] + world.walls.moved
    return at


def size(world: World) -> tuple[float, ...]:
    """Distances of the plates along the coordinates, the height last [m]."""
    at, rows = places(world), [side_plates(world, c) for c in range(world.dimension)]
    return tuple(float(at[high, c] - at[low, c]) for c, (low, high) in enumerate(rows))


def volume(world: World) -> float:
    """Volume, in the plane area, between the plates [m³ or m²]."""
    return math.prod(size(world))


def plate_stress(world: World, c: int) -> float:
    """Mean stress on the two plates along coordinate c [Pa or N/m]; compression positive."""
    (low, high), force = side_plates(world, c), world.walls.force
    return 0.5 * float(force[high, c] - force[low, c]) * size(world)[c] / volume(world)


def stresses(world: World) -> tuple[float, float]:
    """σ1 on the upper and the lower plate, and σ3 on the sides [Pa or N/m]; compression positive."""
    sides = [plate_stress(world, c) for c in range(world.dimension - 1)]
    return plate_stress(world, world.dimension - 1), sum(sides) / len(sides)


def keep_pressure(world: World, plate: int, c: int, pressure: float, most: float) -> None:
    """Let a plate that faces coordinate c keep a pressure on the present section of the sample, at most at this speed
    [m/s]."""
    normal = np.zeros(world.dimension)
    normal[c] = -1.0 if plate == side_plates(world, c)[1] else 1.0
    servo_walls.keep_force(world, plate, pressure * volume(world) / size(world)[c], normal, most)


def keep_sides(world: World, pressure: float, most: float) -> None:
    """Let all side plates keep the confining pressure."""
    for c in range(world.dimension - 1):
        for plate in side_plates(world, c):
            keep_pressure(world, plate, c, pressure, most)


def stirred(world: World, seed: int) -> World:
    """The world whose grains begin as a gas, of the material in which they are packed."""
    world.material[:] = WHILE_PACKED
    velocity = np.random.default_rng((seed, 1)).normal(0.0, STIRRING, (world.dimension, world.sphere_count))
    world.motion[: world.dimension, 1] = velocity - velocity.mean(axis=1, keepdims=True)
    return world


def settle(experiment: Experiment) -> bool:
    """Let the plates keep the pressure; True once all pressures equal the confining pressure and the grains rest."""
    built, world, pressure = experiment.run.built, experiment.run.world, experiment.parameters.pressure
    width, height = size(world)[0], size(world)[-1]
    fastest = CLOSING * width / built.time_scale
    keep_pressure(world, TOP, world.dimension - 1, pressure, fastest * height / width)
    keep_sides(world, pressure, 0.5 * fastest)
    excess = [abs(plate_stress(world, c) / pressure - 1.0) for c in range(world.dimension)]
    return bool(max(excess) < BALANCED and mean_speed(world) < QUIET * fastest)


def set_out(experiment: Experiment) -> None:
    """Note the size of the sample, whose grains get the friction of the press."""
    world, state = experiment.run.world, experiment.run.state
    world.material[:] = 0
    state.width, state.height, state.volume = size(world)[0], size(world)[-1], volume(world)
    move_plates(experiment)


def move_plates(experiment: Experiment) -> None:
    """Move the upper plate down, and let the sides keep the confining pressure of the present section."""
    asked, world = experiment.parameters, experiment.run.world
    fastest = asked.strain_rate * experiment.run.state.height
    servo_walls.release(world, TOP)
    world.walls.velocity[TOP, -1] = -fastest
    keep_sides(world, (1.0 - experiment.run.state.eased) * asked.pressure, fastest)


def drive(experiment: Experiment) -> bool:
    """Move the upper plate and add up the stresses for the next record; True at the last strain."""
    world = experiment.run.world
    state: PressState = experiment.run.state
    along, across = stresses(world)
    pressure = experiment.parameters.pressure
    excess = across / pressure - 1.0
    state.eased = float(np.clip(state.eased + EASING * excess, -MOST_EASED, MOST_EASED))
    move_plates(experiment)
    if not state.checks:
        state.along = state.across = state.wanted = 0.0
    state.along, state.across, state.checks = state.along + along, state.across + across, state.checks + 1
    state.wanted += pressure
    return bool(1.0 - size(world)[-1] / state.height >= experiment.run.built.strain)


def record(experiment: Experiment) -> dict[str, float]:
    """Strain of the height, volumetric strain, both positive where the sample shrinks [-], the stresses, and the
    confining pressure that is asked for [Pa or N/m], means since the last record."""
    world = experiment.run.world
    state: PressState = experiment.run.state
    checks, state.checks = max(1, state.checks), 0
    return {
        "strain": 1.0 - size(world)[-1] / state.height,
        "volume": 1.0 - volume(world) / state.volume,
        "along": state.along / checks,
        "across": state.across / checks,
        "wanted": state.wanted / checks,
    }


def side_pressure(experiment: Experiment) -> float:
    """Mean stress of the sides over the confining pressure that was asked for [-]."""
    across, wanted = column(experiment, "across"), column(experiment, "wanted")
    # Files of older versions have no such column: the pressure was constant.
    return float(np.mean(across / wanted)) if wanted.size else float(np.mean(across)) / experiment.run.built.pressure


def share(experiment: Experiment) -> float:
    """Share of the strain that is done."""
    shortened = 1.0 - size(experiment.run.world)[-1] / experiment.run.state.height
    return float(min(1.0, max(0.0, shortened) / experiment.run.built.strain))


def smooth(strain: Floats, values: Floats) -> Floats:
    """Moving mean of the values over strains within half of `SMOOTHED`, shape (records,)."""
    near = np.abs(strain[:, None] - strain) <= 0.5 * SMOOTHED
    smoothed: Floats = near @ values / near.sum(axis=1)
    return smoothed


def measured_values(experiment: Experiment) -> dict[str, float] | None:
    """Stress ratio σ1/σ3 at the peak and at the end, the strain of the peak, −dε_v/dε_1 there [-], the friction
    angles of both, and the dilatancy angle [rad]; None before there are enough records."""
    strain, change = column(experiment, "strain"), column(experiment, "volume")
    if strain.size < 8 or np.ptp(strain) <= SMOOTHED:
        return None
    along, across = smooth(strain, column(experiment, "along")), smooth(strain, column(experiment, "across"))
    if not (across > 0.0).all():
        return None
    ratio = along / across
    peak, last = int(ratio.argmax()), strain >= (1.0 - FINAL) * strain[-1]
    near = np.abs(strain - strain[peak]) <= SMOOTHED
    final = float(ratio[last].mean())
    widening = -float(np.polyfit(strain[near], change[near], 1)[0])
    return {
        "peak": float(ratio[peak]),
        "at": float(strain[peak]),
        "final": final,
        "widening": widening,
        "peak_angle": float(angle_of(ratio[peak])),
        "final_angle": float(angle_of(final)),
        "dilatancy_angle": float(dilatancy_angle(widening)),
        "widest": -float(change.min()),
    }


def angle_of(ratio: Any) -> Any:
    """Friction angle φ of a stress ratio σ1/σ3, sin φ = (σ1 − σ3)/(σ1 + σ3) [rad]."""
    return np.arcsin(np.clip((ratio - 1.0) / (ratio + 1.0), -1.0, 1.0))[()]


def dilatancy_angle(widening: Any) -> Any:
    """Dilatancy angle ψ for −dε_v/dε_1 [rad]: the volumetric over the shear strain, in steps."""
    return np.arcsin(np.clip(widening / np.maximum(2.0 + widening, 1e-9), -1.0, 1.0))[()]


@dataclass(frozen=True)
class Words:
    """What a press calls the volume of its sample."""

    volume: Message
    change: Message
    growth: Message
    tab: Message


READINGS = (
    "peak_stress_ratio",
    "stress_ratio",
    "height_strain",
    "area_change",
    "plate_stress",
    "side_stress",
    "peak_friction_angle",
    "dilatancy_angle",
    "final_friction_angle",
    "inertial_number",
)


def readings_with(words: Words) -> Callable[[Experiment], tuple[Reading, ...]]:
    """Present strains and stresses, friction and dilatancy angles, and the inertial number; first the peak once the
    run is over."""

    def readings(experiment: Experiment) -> tuple[Reading, ...]:
        strain = column(experiment, "strain")
        if not strain.size:
            return ()
        built, unit = experiment.run.built, STRESS_UNIT[experiment.run.world.dimension]
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
                words.change,
                -100.0 * column(experiment, "volume")[-1],
                "%",
                help=_("Positive: it widens."),
            ),
            Reading("plate_stress", _("σ1, upper plate"), along, unit),
            Reading("side_stress", _("σ3, sides"), across, unit, help=_("Kept at the confining pressure.")),
        ]
        if (of := measured_values(experiment)) is not None:
            over = experiment.phase == "rested"
            shown += angles(of, over)
            if over:  # the result of the test is its peak, and not the last instant
                words_of_peak = Message("At the strain {percent} %.", percent=Number(100.0 * of["at"], format=".2g"))
                shown.insert(0, Reading("peak_stress_ratio", _("largest σ1/σ3"), of["peak"], help=words_of_peak))
        asked = experiment.parameters
        inertial = asked.strain_rate * built.time_scale * math.sqrt(built.pressure / asked.pressure)
        shown.append(
            Reading(
                "inertial_number",
                _("inertial number"),
                inertial,
                help=_("Strain rate times √(m/σ_3); below 0.001 the press is slow."),
            )
        )
        return tuple(shown)

    return readings


def angles(of: dict[str, float], over: bool) -> list[Reading]:
    """The friction angle at the peak, the dilatancy angle there, and the friction angle of the flow once the run is
    over."""
    shown = [
        Reading(
            "peak_friction_angle",
            _("friction angle at the peak"),
            math.degrees(of["peak_angle"]),
            "°",
            help=_("From sin φ = (σ1 − σ3)/(σ1 + σ3) at the largest ratio so far."),
        ),
        Reading(
            "dilatancy_angle",
            _("dilatancy angle at the peak"),
            math.degrees(of["dilatancy_angle"]),
            "°",
            help=_("From sin ψ = w/(2 + w) with the growth of the sample per shortening w at the peak."),
        ),
    ]
    if over:
        shown.append(
            Reading(
                "final_friction_angle",
                _("friction angle at the end"),
                math.degrees(of["final_angle"]),
                "°",
                help=_("Mean over the last 30 % of the strain: the residual strength."),
            )
        )
    return shown


def curves_with(words: Words) -> Callable[[Experiment], tuple[Curve, ...]]:
    """Stress ratio, change of the volume, and the two angles against the strain."""

    def curves(experiment: Experiment) -> tuple[Curve, ...]:
        strain = 100.0 * column(experiment, "strain")
        along, across = column(experiment, "along"), column(experiment, "across")
        ratio = along / np.maximum(across, 1e-6 * experiment.run.built.pressure)
        lines = [Line(plain("σ1/σ3"), strain, ratio)]
        if experiment.phase == "rested" and (of := measured_values(experiment)) is not None:
            ends = np.array([100.0 * (1.0 - FINAL) * column(experiment, "strain")[-1], strain[-1]])
            label = Message("flow, φ = {degrees}°", degrees=Number(math.degrees(of["final_angle"]), format=".1f"))
            lines.append(Line(label, ends, np.full(2, of["final"]), fitted=True))
        axis = Axis(_("strain ε1"), "%")
        grown = Line(words.volume, strain, -100.0 * column(experiment, "volume"))
        return (
            Curve("stress", _("Stress"), axis, Axis(_("stress ratio σ1/σ3")), tuple(lines), x_from_zero=True),
            Curve("area", words.tab, axis, Axis(words.growth, "%"), (grown,), x_from_zero=True),
            Curve("angles", _("Angles"), axis, Axis(_("angle"), "°"), angle_lines(experiment), x_from_zero=True),
        )

    return curves


def angle_lines(experiment: Experiment) -> tuple[Line, ...]:
    """The mobilised friction angle and the dilatancy angle [°] over the strain [%], from smoothed records."""
    strain = column(experiment, "strain")
    if strain.size < 8 or np.ptp(strain) <= SMOOTHED:
        return ()
    least = 1e-6 * experiment.run.built.pressure
    along, across, change = (smooth(strain, column(experiment, name)) for name in ("along", "across", "volume"))
    friction = np.degrees(angle_of(along / np.maximum(across, least)))
    dilatancy = np.degrees(dilatancy_angle(-smooth(strain, np.gradient(change, strain))))
    percent = 100.0 * strain
    return Line(_("friction φ"), percent, friction), Line(_("dilatancy ψ"), percent, dilatancy)


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Packing fractions, peak, end and dilatancy."""
    world, of = experiment.run.world, measured_values(experiment)
    unit = np.pi if world.dimension == 2 else 4.0 / 3.0 * np.pi
    filled = float(unit * (world.radius**world.dimension).sum())
    state: PressState = experiment.run.state
    return {
        "packing_fraction_before": filled / state.volume,
        "packing_fraction_after": filled / volume(world),
        "press": of,
    }
