"""Plane shear of discs between two rough walls, at constant pressure: friction and packing over the inertial number.

The world is periodic along the flow and without gravity. Both walls are rows of glued grains; the upper one, a rigid
plate, moves at constant speed and floats under a pressure P (repose.sim.scenes.common.driven_body), so that the grains
take the volume that they need. In the steady flow shear stress τ, pressure and shear rate γ̇ are the same everywhere.
The inertial number I = γ̇ √(m/P) compares the time in which the pressure moves a grain by its size with the time of
shear (in the plane P is a force per length; √(m/P) stands for d √(ρ/P)). The effective friction μ = τ/P grows with I
about linearly, and the packing fraction shrinks about linearly (da Cruz et al. 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.body_builder import add_bodies, body_shape
from repose.sim.engine.builder import SphereGroup
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, Scene, SceneLimits
from repose.sim.laws.material_parameters import Friction, Restitution, WallFriction, YoungsModulus
from repose.sim.measure.display import Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.mean_speed import mean_speed
from repose.sim.message import Message, Number, _, plain
from repose.sim.parameters import number, variant
from repose.sim.scenes.common.driven_body import Floating, drive_body, hold_body, release_body
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    outcome_between,
    with_glued,
)

PLATE = 0
"""Row of the upper wall in the table of bodies."""
PACKED = 0.8
"""Packing fraction for the size of the cell [-]."""
SHORTEST = 8
"""Least number of grains of a wall."""
APART = 1.3
"""Distance of the grains of a wall in their diameters [-]: between walls of touching grains a third of the speed is
slip at the walls."""
HEAVY = 5.0
"""Mass of the plate over that of its grains [-]: under the pressure it then falls by a grain in about four √(m/P), fast
beside the shear."""
DAMPED = 0.5
"""Time in which a damper at the plate stops its vertical motion, in √(m/P) [-]: without it the plate bounces on the
grains, and the pressure varies by 70 %. The mean pressure does not depend on it."""
STARTED = 20.0
"""Time in which the plate reaches its speed, in √(m/P) [-]."""
UPRIGHT = 1e4
"""Moment of inertia of the plate over mass times squared length [-]: it does not turn."""
MIDDLE = (0.2, 0.8)
"""Part of the height in which shear rate and packing fraction are measured, away from the walls [-]."""
BALANCED, QUIET = 0.05, 0.02
"""Relative deviation of the pressure, and mean speed over d/√(m/P), below which the packing is ready [-]."""
WAITED = 30.0
"""Least time of pressing, in √(m/P): the plate has fallen on all grains [-]."""
RECORDS = 150
"""Number of records of a course."""
LEAST_TIME = 150.0
"""Least duration of the course in √(m/P), so that fast shear is averaged over many contacts [-]."""
STEADY = 0.5
"""Last share of the course, which is averaged [-]."""
BLOCKS = 5
"""Parts of this share whose means give the standard errors."""
STATIC, RISE = 0.26, 1.0
"""Friction of slow shear and its rise with I, about, for grains with a friction coefficient of 0.4 [-]."""
DENSEST, FALL = 0.81, 0.3
"""Packing fraction of slow shear and its fall with I, about [-]."""
LINEAR = 0.1
"""Inertial number up to which the friction is about linear [-]."""
TOLERANCE = 0.05
"""Largest deviation of the friction from that law [-]: the scatter of one run of this size."""
KEPT = (0.85, 1.15)
"""Bounds of the mean pressure of the grains over the one asked for [-]: three standard errors of a short run."""
IMPACTS = 0.25
"""Overlap / radius above which the window warns [-]: grains in fast shear, at I = 0.2, meet with an overlap of 0.16."""
ENOUGH = 200
"""Least number of grains for a comparison with the law."""


class PlaneShearParameters(DiscsParameters):
    """Discs between two rough walls, in SI."""

    grain_count: GrainCount = 400
    # fmt: off
    young: YoungsModulus = variant(2e7,
        help=_("Of grains and walls. Soft grains bear large time steps; sand has 60 GPa."))
    restitution: Restitution = variant(0.5,
        help=_("Speed after over speed before an impact. Dense flow hardly depends on it, the time step does."))
    friction: Friction = 0.4
    wall_friction: WallFriction = variant(0.4, help=_("Between grains and the glued grains of the walls."))
    gravity: Gravity = variant(0.0,
        help=_("Zero, so that the stress is the same at all heights."))
    pressure: float = number(10.0, 0.1, 1e3, _("pressure of the plate"), "P", "N/m", log=True, group=_("Shear"),
        help=_("Force on the upper wall per length of the cell. It floats under it."))
    shear_number: float = number(0.05, 1e-4, 1.0, _("shear rate"), "I_0", log=True, group=_("Shear"),
        help=_("Speed of the upper wall over the height at the start, times √(m/P): the inertial number of a "
               "homogeneous flow at this pressure."))
    strain: float = number(8.0, 0.5, 100.0, _("shear strain at the end"), "γ", effect="restart", group=_("Shear"),
        help=_("Way of the upper wall over the height at the start. The second half of the run is averaged. Takes "
               "effect at the next start."))
    slenderness: float = number(1.0, 0.3, 4.0, _("height over length"), "H/L", effect="restart", group=_("Shear"),
        help=_("Of the cell. Takes effect at the next start."))
    # fmt: on

    @property
    def wall_count(self) -> int:
        """Number of grains of a wall."""
        area = self.grain_count * math.pi * self.mean_radius**2 / PACKED
        return max(SHORTEST, round(math.sqrt(area / self.slenderness) / self.diameter))

    @property
    def length(self) -> float:
        """Length of the cell, along which everything is repeated [m]."""
        return self.wall_count * APART * self.diameter

    @property
    def height(self) -> float:
        """Height of the packing, about [m]."""
        return self.grain_count * math.pi * self.mean_radius**2 / PACKED / self.length

    @property
    def grain_mass(self) -> float:
        """Mass of a grain of the mean radius [kg]."""
        return float(self.mass_of(np.array(self.mean_radius)))

    @property
    def plate_mass(self) -> float:
        """Mass of the upper wall [kg]."""
        return HEAVY * self.wall_count * self.grain_mass

    @property
    def time_scale(self) -> float:
        """√(m/P), the time in which the pressure moves a grain by its size [s]."""
        return math.sqrt(self.grain_mass / self.pressure)

    @property
    def duration(self) -> float:
        """Duration of the course [s]: until the strain is reached, and at least `LEAST_TIME`."""
        return max(self.strain / self.shear_number, LEAST_TIME) * self.time_scale

    @property
    def record_every(self) -> float:
        """Time between two records [s]."""
        return self.duration / RECORDS


@dataclass
class PlaneShearState(CourseState):
    """State of the shear cell."""

    height: float = 0.0
    """Height between the walls before the shear [m]."""
    shear: float = 0.0
    """Sum of the shear stresses at the checks since the last record [N/m]."""
    normal: float = 0.0
    """Sum of the pressures at these checks [N/m]."""
    wanted: float = 0.0
    """Sum of the pressures that are asked for at these checks [N/m]."""
    checks: int = 0
    """Number of these checks."""


def wall_row(parameters: PlaneShearParameters) -> Floats:
    """Places of the grains of a wall along the cell [m]."""
    spacing = APART * parameters.diameter
    places: Floats = (np.arange(parameters.wall_count, dtype=float) + 0.5) * spacing - 0.5 * parameters.length
    return places


def start(parameters: PlaneShearParameters, seed: int) -> World:
    """The loose grains between the lower wall and the plate."""
    largest, room = parameters.largest_radius, 0.5 * parameters.length - parameters.largest_radius
    world = lattice(
        parameters,
        seed,
        lambda x, y: (np.abs(x) <= room) & (y > 1.05 * largest),
        period=parameters.length,
    )
    top = float((world.motion[1, 0] + world.radius).max()) + 1.05 * parameters.mean_radius
    row = wall_row(parameters)
    world = with_glued(world, parameters, row, -parameters.mean_radius)
    mass, length = parameters.plate_mass, parameters.length
    offset, radius = np.column_stack([row, np.zeros(row.size)]), np.full(row.size, parameters.mean_radius)
    plate = body_shape(offset, radius, mass, UPRIGHT * mass * length**2, np.zeros(2))
    return add_bodies(world, plate, np.array([[0.0, top]]), SphereGroup(material=1, first_id=world.sphere_count))


def gap_of(experiment: Experiment) -> float:
    """Height between the surfaces of the walls [m]."""
    return float(experiment.run.world.bodies.motion[1, 0, PLATE] - experiment.run.built.mean_radius)


def stresses(experiment: Experiment) -> tuple[float, float]:
    """Shear stress and pressure of the grains on the plate [N/m], from its acceleration."""
    built, gravity = experiment.run.built, experiment.engine.gravity
    along, up = built.plate_mass * (experiment.run.world.bodies.motion[:2, 2, PLATE] - np.array(gravity))
    return -float(along) / built.length, float(up) / built.length


def drive_plate(experiment: Experiment, speed: float) -> None:
    """Push the plate: its speed along the flow [m/s], and the pressure."""
    built = experiment.run.built
    force = -experiment.parameters.pressure * built.length
    drive_body(experiment, PLATE, speed, Floating(force, built.plate_mass, DAMPED * built.time_scale))


def settle(experiment: Experiment) -> bool:
    """Press the plate on the grains; True once they bear the pressure and rest."""
    built, world = experiment.run.built, experiment.run.world
    drive_plate(experiment, 0.0)
    _shear, normal = stresses(experiment)
    time = experiment.time - experiment.run.state.since
    slow = mean_speed(world) < QUIET * built.diameter / built.time_scale
    return bool(slow and time > WAITED * built.time_scale and abs(normal / built.pressure - 1.0) < BALANCED)


def begin(experiment: Experiment) -> None:
    """Let the plate move again, at its speed."""
    built = experiment.run.built
    mass = built.plate_mass
    release_body(experiment, PLATE, mass, UPRIGHT * mass * built.length**2)
    experiment.run.state.height = gap_of(experiment)
    drive_plate(experiment, speed_of(experiment))


def speed_of(experiment: Experiment) -> float:
    """Speed of the plate along the flow [m/s]."""
    parameters = experiment.parameters
    built, since = experiment.run.built, experiment.run.state.since
    share = min(1.0, (experiment.time - since) / (STARTED * built.time_scale))
    rate = parameters.shear_number * math.sqrt(parameters.pressure / built.grain_mass)
    return float(share * rate * experiment.run.state.height)


def drive(experiment: Experiment) -> bool:
    """Push the plate and add up the stresses for the next record; True after the duration."""
    state: PlaneShearState = experiment.run.state
    if not state.checks:
        state.shear = state.normal = state.wanted = 0.0
    shear, normal = stresses(experiment)
    state.shear, state.normal, state.checks = state.shear + shear, state.normal + normal, state.checks + 1
    state.wanted += experiment.parameters.pressure
    drive_plate(experiment, speed_of(experiment))
    return bool(experiment.time - state.since >= experiment.run.built.duration)


def hold_plate(experiment: Experiment) -> None:
    """Stop the plate and keep it where it is."""
    hold_body(experiment, PLATE)


def in_the_middle(experiment: Experiment) -> tuple[Floats, Floats, Floats, float]:
    """Heights [m], velocities along the flow [m/s] and areas [m²] of the grains in the middle of the height, and the
    thickness of this part [m]."""
    world, gap = experiment.run.world, gap_of(experiment)
    y = world.motion[1, 0]
    chosen = (world.layer >= 0) & (y > MIDDLE[0] * gap) & (y < MIDDLE[1] * gap)
    return y[chosen], world.motion[0, 1, chosen], math.pi * world.radius[chosen] ** 2, (MIDDLE[1] - MIDDLE[0]) * gap


def record(experiment: Experiment) -> dict[str, float]:
    """Shear stress and pressure, mean since the last record [N/m], shear rate [1/s] and packing fraction [-] in the
    middle, height between the walls [m] and way of the plate over the height at the start [-]."""
    state: PlaneShearState = experiment.run.state
    y, velocity, area, thick = in_the_middle(experiment)
    checks, state.checks = max(1, state.checks), 0
    return {
        "strain": float(experiment.run.world.bodies.motion[0, 0, PLATE]) / state.height,
        "shear": state.shear / checks,
        "normal": state.normal / checks,
        "wanted": state.wanted / checks,
        "rate": float(np.polyfit(y, velocity, 1)[0]) if y.size > 2 else 0.0,
        "packing": float(area.sum()) / (thick * experiment.run.built.length),
        "height": gap_of(experiment),
    }


def wanted_pressures(experiment: Experiment) -> Floats:
    """The pressure that is asked for at every record [N/m]."""
    wanted = column(experiment, "wanted")
    if wanted.size:
        return wanted
    # Files of older versions have no such column: the pressure was constant.
    return np.full(column(experiment, "normal").size, experiment.run.built.pressure)


def inertial_numbers(experiment: Experiment) -> Floats:
    """γ̇ √(m/P) at every record, with the pressure that is asked for [-]."""
    inertial: Floats = column(experiment, "rate") * np.sqrt(
        experiment.run.built.grain_mass / wanted_pressures(experiment)
    )
    return inertial


def frictions(experiment: Experiment) -> Floats:
    """τ/P at every record [-], with the pressure that is asked for, around which that of the grains varies."""
    friction: Floats = column(experiment, "shear") / wanted_pressures(experiment)
    return friction


def mean_of_blocks(values: Floats, over: Floats) -> tuple[float, float]:
    """Mean of the last part of a course over that of another quantity, and its standard error from blocks of time."""
    late = slice(values.size - max(BLOCKS, int(STEADY * values.size)), None)
    blocks = zip(np.array_split(values[late], BLOCKS), np.array_split(over[late], BLOCKS), strict=True)
    ratios = np.array([one.mean() / other.mean() for one, other in blocks])
    return float(values[late].mean() / over[late].mean()), float(ratios.std(ddof=1) / math.sqrt(BLOCKS))


def measured_values(experiment: Experiment) -> dict[str, tuple[float, float]] | None:
    """Effective friction, inertial number, packing fraction and pressure over that asked for, each with its standard
    error; None before there are enough records, or if the plate was not pressed."""
    normal, wanted = column(experiment, "normal"), wanted_pressures(experiment)
    if normal.size < 4 * BLOCKS or not normal[-int(STEADY * normal.size) :].mean() > 0.1 * wanted.mean():
        return None
    one = np.ones(normal.size)
    return {
        "friction": mean_of_blocks(column(experiment, "shear"), normal),
        "inertial": mean_of_blocks(inertial_numbers(experiment), one),
        "packing": mean_of_blocks(column(experiment, "packing"), one),
        "pressure": mean_of_blocks(normal, wanted),
    }


def friction_law(inertial: Floats) -> Floats:
    """The effective friction of da Cruz et al. (2005), about, over the inertial number [-]."""
    friction: Floats = STATIC + RISE * inertial
    return friction


def packing_law(inertial: Floats) -> Floats:
    """The packing fraction of da Cruz et al. (2005), about, over the inertial number [-]."""
    packing: Floats = DENSEST - FALL * inertial
    return packing


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The grains bear the pressure; friction and packing are those of the published law."""
    of, built = measured_values(experiment), experiment.run.built
    if of is None:
        return ()
    kept = outcome_between(
        "pressure_kept", _("the pressure of the grains over the one asked for"), of["pressure"][0], *KEPT
    )
    inertial = np.array(of["inertial"][0])
    if built.grain_count < ENOUGH or built.friction < 0.3 or built.friction > 0.6 or inertial > LINEAR:
        return (kept,)
    law = float(friction_law(inertial))
    dense = float(packing_law(inertial))
    return (
        kept,
        outcome_between(
            "effective_friction",
            _("the effective friction is that of da Cruz et al. at this inertial number"),
            of["friction"][0],
            law - TOLERANCE,
            law + TOLERANCE,
        ),
        outcome_between(
            "packing", _("the packing fraction is that of da Cruz et al."), of["packing"][0], dense - 0.03, dense + 0.03
        ),
    )


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Effective friction, inertial number and packing fraction: means of the last half, before it the last record."""
    if not column(experiment, "rate").size:
        return ()
    now = {
        "inertial": (inertial_numbers(experiment)[-1], None),
        "friction": (frictions(experiment)[-1], None),
        "packing": (column(experiment, "packing")[-1], None),
    }
    of = (measured_values(experiment) if experiment.phase == "rested" else None) or now
    blocks = _("blocks of time")
    shear = column(experiment, "strain")[-1]
    number = _("I = dγ/dt √(m/P), from the shear rate in the middle.")
    return (
        Reading(
            "effective_friction",
            _("effective friction"),
            of["friction"][0],
            "",
            of["friction"][1],
            _("Shear stress over pressure."),
            blocks,
            expected=float(friction_law(np.array(of["inertial"][0]))),
        ),
        Reading("inertial_number", _("inertial number"), of["inertial"][0], "", of["inertial"][1], number, blocks),
        Reading(
            "packing_in_shear",
            _("packing fraction"),
            of["packing"][0],
            "",
            of["packing"][1],
            _("In the middle of the height."),
            blocks,
            expected=float(packing_law(np.array(of["inertial"][0]))),
        ),
        Reading("plate_pressure", _("pressure on the plate"), column(experiment, "normal")[-1], "N/m"),
        Reading("shear_strain", _("shear strain"), shear),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Effective friction and packing fraction against the strain beside the published law, and the velocity profile."""
    strain, inertial = column(experiment, "strain"), inertial_numbers(experiment)
    x = Axis(_("shear strain γ"))
    friction = [Line(plain("τ/P"), strain, frictions(experiment))]
    packing = [Line(plain("φ"), strain, column(experiment, "packing"))]
    if experiment.phase == "rested" and (of := measured_values(experiment)) is not None:
        ends, at = strain[[0, -1]], np.full(2, of["inertial"][0])
        words = Message("da Cruz et al., I = {number}", number=Number(float(at[0]), digits=2))
        friction.append(Line(words, ends, friction_law(at), fitted=True))
        packing.append(Line(words, ends, packing_law(at), fitted=True))
    world, profile = experiment.run.world, Line(_("grains"), np.zeros(0), np.zeros(0), points=True)
    if inertial.size:
        grains = world.layer >= 0
        speed = max(speed_of(experiment), 1e-300)
        profile = replace(
            profile, x=world.motion[0, 1, grains] / speed, y=world.motion[1, 0, grains] / gap_of(experiment)
        )
    return (
        Curve("friction", _("Friction"), x, Axis(_("effective friction τ/P")), tuple(friction), x_from_zero=True),
        Curve("packing_in_shear", _("Packing"), x, Axis(_("packing fraction φ")), tuple(packing), x_from_zero=True),
        Curve(
            "velocity_profile",
            _("Profile"),
            Axis(_("velocity over that of the plate")),
            Axis(_("height over that of the cell")),
            (profile,),
        ),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The effective friction and the packing at this inertial number."""
    of = measured_values(experiment)
    if of is None:
        return None
    shown = {name: Number(value, format=".3f") for name, (value, _error) in of.items()}
    return Answer(
        of["friction"][0],
        Message(
            "At the inertial number {inertial} the grains resist shear with {friction} ± {error} of the pressure, and "
            "fill {packing} of the area.",
            error=Number(of["friction"][1], format=".3f"),
            inertial=shown["inertial"],
            friction=shown["friction"],
            packing=shown["packing"],
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Inertial number, friction and packing with their standard errors."""
    of = measured_values(experiment)
    if of is None:
        return {}
    return {
        "inertial_number": of["inertial"][0],
        "effective_friction": of["friction"][0],
        "effective_friction_error": of["friction"][1],
        "packing_in_shear": of["packing"][0],
        "packing_in_shear_error": of["packing"][1],
        "pressure_kept": of["pressure"][0],
    }


def box(parameters: PlaneShearParameters) -> Box:
    """The cell with its walls, as high as the loose grains at the start."""
    edge = 2.5 * parameters.diameter
    return (-0.5 * parameters.length, -edge), (0.5 * parameters.length, 1.35 * parameters.height + edge)


def focus(experiment: Experiment) -> Box:
    """The settled layer; loose grains above it are in the picture until they have settled."""
    low, (half, _) = box(experiment.run.built)
    return low, (half, 0.9 * experiment.run.built.height)


COURSE = TimedCourse(
    state=PlaneShearState,
    start=start,
    settle=settle,
    begin=begin,
    drive=drive,
    stop=hold_plate,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    buttons=disc_buttons(_("Shear"), _("Move the upper wall at its speed, under its pressure.")),
)

SCENE = Scene(
    name="plane_shear",
    title=_("Plane shear"),
    summary=_("Discs between two rough walls, the upper one moves and floats under a pressure: friction of the flow."),
    direction=Direction(
        see=_("The faster the shear, the larger the friction of the flowing grains, and the more room they need."),
        colour="speed",
        plot="friction",
        speed=0.05,
        seconds=10.0,
        show=("force_chains",),
    ),
    parameters=disc_parameters(PlaneShearParameters),
    model=replace(DISCS, bodies=lambda parameters: True, machines=(PLATE,)),
    course=replace(
        disc_course(
            COURSE,
            readings,
            ("effective_friction", "inertial_number", "packing_in_shear", "plate_pressure", "shear_strain"),
        ),
        result_numbers={
            "inertial_number": ResultNumber(_("inertial number"), ""),
            "effective_friction": ResultNumber(_("effective friction"), ""),
            "packing_in_shear": ResultNumber(_("packing fraction"), ""),
        },
    ),
    view=disc_view(box, curves, focus=focus),
    limits=SceneLimits(overlap_limit=IMPACTS),
    guess=Guess(_("Shear stress over pressure in the flow"), "", 0.0, 1.0),
    lecture=("shear_number", "friction", "pressure", "restitution"),
    test_values={"grain_count": 40, "young": 1e6, "strain": 1.0, "shear_number": 0.1},
)
