"""Flow down a chute: a layer of discs on a bumpy base without ends, under gravity that is tilted.

The world is periodic along the flow: what leaves the cell on the right enters it on the left, so that the layer keeps
its thickness and has no front. On a gentle slope it stops; on a steeper one its speed grows until the friction inside,
which grows with the shear rate, equals the slope; beyond the largest friction it accelerates for ever. In the steady
flow the velocity has the profile of Bagnold (repose.sim.measure.velocity_profile): at half of the thickness it is 65 %
of that at the surface. Friction and inertial number are those of plane shear (GDR MiDi 2004; scene `plane_shear`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.comparison import ResultNumber
from repose.sim.experiment.experiment import Experiment, Scene, SceneLimits
from repose.sim.experiment.hand import holds
from repose.sim.experiment.rest import is_at_rest, quiet_time
from repose.sim.io.plain import Array
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.velocity_profile import (
    BAGNOLD_RATIO,
    SlippingProfile,
    bagnold,
    fitted_bagnold,
    fitted_exponent,
    layer_sums,
)
from repose.sim.message import Message, Number, _
from repose.sim.parameters import number
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed, times, turn_table
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

PACKED = 0.8
"""Packing fraction by which the area of the grains per length is divided to give the thickness [-]."""
SHORTEST = 8
"""Least number of grains of the base in the cell."""
APART = 1.2
"""Distance of the grains of the base in their diameters [-]: on a base of touching grains the layer slides, at 22° with
a sixth of the speed at the surface."""
FLOWS = 0.1
"""Mean speed over √(g d) above which the layer flows [-]."""
AVERAGED = 0.5
"""Time over which the profile is averaged, with weights that decay exponentially towards the past [s]."""
LATE = 0.3
"""Last share of the course, from which steady flow and acceleration are told apart [-]."""
STEADY = 0.05
"""Acceleration of the layer over g sin θ, without friction 1, below which the flow is steady [-]."""
SLOW = math.radians(10.0)
"""Tilting rate below which the angle of the start is that of the chute when the layer starts [rad/s]."""
STEEP = 30.0
"""Largest slope on which a layer of round grains can stop [°]."""
BETWEEN = (0.55, 0.75)
"""Bounds of the velocity at half of the thickness over that at the surface [-]."""
MARGIN, LEAST_INNER = 2.0, 5
"""Distance from base and surface in mean diameters of the layers for the exponent [-], and their number: grains beside
the base are ordered by its bumps, and above the surface there is no pressure."""
UNKNOWN = SlippingProfile(math.nan, math.nan, math.nan)
EXPONENTS = -math.log2(1.0 - BETWEEN[0]), -math.log2(1.0 - BETWEEN[1])
"""The same bounds as exponents p of the profile 1 − (1 − z/h)^p [-]."""
FEWEST = 15.0
"""Least thickness in mean diameters for a comparison of the profile with the law [-]: in thinner layers the velocity
grows about linearly with the height (at 12 diameters 0.51 to 0.57 at half depth; GDR MiDi 2004)."""
IMPACTS = 0.2
"""Overlap / radius above which the window warns [-]: grains of the default layer, which presses on them and lets them
fall onto the base, reach 0.14 at 22°."""


class ChuteParameters(DiscsParameters):
    """A layer of discs on a bumpy base that is periodic along the flow, in SI."""

    grain_count: GrainCount = 400
    # fmt: off
    thickness: float = number(20.0, 1.5, 60.0, _("thickness of the layer"), "h/d", effect="restart", group=_("Chute"),
        help=_("In mean diameters; the length of the cell follows. Takes effect at the next start."))
    slope: float = number(math.radians(22.0), 0.0, math.radians(60.0), _("slope of the chute"), "θ", "°",
        group=_("Chute"), help=_("Angle to which the chute is tilted once the grains have settled; it can be changed "
                                 "during the flow."))
    tilt_rate: float = number(math.radians(60.0), math.radians(0.2), math.radians(360.0), _("tilting rate"), "ω", "°/s",
        log=True, group=_("Chute"), help=_("How fast the slope changes; slow to find the angle at which the layer "
                                           "starts."))
    duration: float = number(8.0, 0.1, 120.0, _("duration"), "T", "s", effect="restart", group=_("Chute"),
        help=_("The run ends after this time, or when the layer has stopped. Takes effect at the next start."))
    # fmt: on

    @property
    def base_count(self) -> int:
        """Number of grains of the base in the cell."""
        area = self.grain_count * math.pi * self.mean_radius**2 / PACKED
        return max(SHORTEST, round(area / (self.thickness * APART * self.diameter**2)))

    @property
    def length(self) -> float:
        """Length of the cell, a whole number of distances of the grains of the base [m]."""
        return self.base_count * APART * self.diameter

    @property
    def layers(self) -> int:
        """Number of layers of one mean diameter in which velocities are averaged."""
        return math.ceil(1.5 * self.thickness) + 4


@dataclass
class ChuteState(CourseState):
    """State of the chute; its angle is `table`."""

    wanted: float = 0.0
    """Angle to which the chute is being tilted [rad]; gravity follows in steps of `LEAST_TURN`."""
    last: float = 0.0
    """Time of the last check since the beginning of the course [s]."""
    starts: float = -1.0
    """Angle at which the layer began to flow [rad]; negative before."""
    stopped: bool = False
    """Whether the layer came to rest on the tilted chute."""
    area: Array = field(default_factory=lambda: np.zeros(0))
    """Decaying sums of the areas of the grains in each layer [m²], shape (layers,)."""
    flux: Array = field(default_factory=lambda: np.zeros(0))
    """Decaying sums of area times velocity along the flow [m³/s], shape (layers,)."""


def start(parameters: ChuteParameters, seed: int) -> World:
    """The loose layer above the base."""
    room, low = 0.5 * parameters.length - parameters.largest_radius, 1.05 * parameters.largest_radius
    world = lattice(parameters, seed, lambda x, y: (np.abs(x) <= room) & (y > low), period=parameters.length)
    row = (np.arange(parameters.base_count) + 0.5) * APART * parameters.diameter - 0.5 * parameters.length
    return with_glued(world, parameters, row, -parameters.mean_radius)


def flowing_grains(experiment: Experiment) -> tuple[Floats, Floats, Floats]:
    """Heights [m], velocities along the flow [m/s] and areas [m²] of the grains."""
    world = experiment.run.world
    grains = ~world.fixed
    return world.motion[1, 0, grains], world.motion[0, 1, grains], math.pi * world.radius[grains] ** 2


def mean_velocity(experiment: Experiment) -> float:
    """Velocity along the flow, averaged over the depth with the area of the grains [m/s]."""
    _height, velocity, area = flowing_grains(experiment)
    return float(area @ velocity / area.sum()) if area.size else 0.0


def thickness(experiment: Experiment) -> float:
    """Thickness h of the layer: twice the height of its centre of area above the base [m]."""
    height, _velocity, area = flowing_grains(experiment)
    return 2.0 * float(area @ height / area.sum()) if area.size else 0.0


def tilt(experiment: Experiment, passed: float) -> None:
    """Turn gravity towards the slope by what the tilting rate allows in the time that has passed [s]."""
    state: ChuteState = experiment.run.state
    most = experiment.parameters.tilt_rate * passed
    state.wanted += float(np.clip(experiment.parameters.slope - state.wanted, -most, most))
    turn_table(experiment, state.wanted, state.wanted == experiment.parameters.slope)


def add_to_profile(experiment: Experiment, passed: float) -> None:
    """Add the present velocities to the profile, whose older part decays."""
    built, state = experiment.run.built, experiment.run.state
    kept = math.exp(-passed / AVERAGED)
    if not state.area.size:
        state.area, state.flux = np.zeros(built.layers), np.zeros(built.layers)
    height, velocity, area = flowing_grains(experiment)
    areas, fluxes = layer_sums(height, velocity, area, built.diameter, built.layers)
    state.area, state.flux = kept * state.area + areas, kept * state.flux + fluxes


def drive(experiment: Experiment) -> bool:
    """Tilt the chute and average velocities; True once the layer has stopped, or the duration has passed."""
    built, state = experiment.run.built, experiment.run.state
    now = elapsed(experiment)
    passed, state.last = now - state.last, now
    tilt(experiment, passed)
    add_to_profile(experiment, passed)
    speed = math.sqrt(max(experiment.parameters.gravity, 1e-3) * built.diameter)
    if state.starts < 0.0 and mean_velocity(experiment) > FLOWS * speed and not holds(experiment.run):
        state.starts = state.table
    tilted = state.table == experiment.parameters.slope
    state.stopped = tilted and is_at_rest(experiment.run.world, quiet_time(experiment, state.since))
    return bool(state.stopped or now >= built.duration)


def record(experiment: Experiment) -> dict[str, float]:
    """Angle of the chute [rad], mean velocity [m/s], thickness [m] and flow rate: area that passes per time [m²/s]."""
    _height, velocity, area = flowing_grains(experiment)
    return {
        "angle": experiment.parameters.tilt + experiment.run.state.table,
        "speed": mean_velocity(experiment),
        "thickness": thickness(experiment),
        "rate": float(area @ velocity) / experiment.run.built.length,
    }


def profile(experiment: Experiment) -> tuple[Floats, Floats]:
    """Heights of the layers [m] and mean velocities in them [m/s], up to the surface."""
    built, state = experiment.run.built, experiment.run.state
    height = (np.arange(state.area.size) + 0.5) * built.diameter
    full = state.area > 0.3 * max(float(state.area.max(initial=0.0)), 1e-300)
    return height[full], state.flux[full] / state.area[full]


def acceleration(experiment: Experiment) -> float:
    """Acceleration of the layer in the last part of the course over g sin θ, without friction 1 [-]; nan before there
    are enough records."""
    time, speed = times(experiment), column(experiment, "speed")
    late = time >= (1.0 - LATE) * time[-1] if time.size else np.zeros(0, bool)
    along = experiment.parameters.gravity * math.sin(max(float(experiment.run.state.table), 1e-3))
    if late.sum() < 8 or along <= 0.0:
        return math.nan
    return float(np.polyfit(time[late], speed[late], 1)[0] / along)


def measured_values(experiment: Experiment) -> dict[str, float] | None:
    """Factor of the fitted profile [1/(m^0.5 s)], its `deviation` [-], `surface` velocity [m/s], velocity at `half` of
    the thickness over it, `inertial` number, and of a profile with any exponent and slip at the base the `exponent`
    with its error and the `slip` [-]; None while nothing flows."""
    height, velocity = profile(experiment)
    deep = thickness(experiment)
    if height.size < 4 or not velocity[-1] > 0.0:
        return None
    factor, deviation = fitted_bagnold(height, velocity, deep)
    surface = float(np.interp(deep, height, velocity))
    # I = γ √(m/P), with γ = 3/2 A √(h − z) and P = φ (m/πR²) g cos θ (h − z) in the plane.
    built, down = experiment.run.built, experiment.parameters.gravity * math.cos(experiment.run.state.table)
    area = float(flowing_grains(experiment)[2].sum())
    packing = area / (built.length * deep)
    inertial = 1.5 * factor * math.sqrt(math.pi * built.mean_radius**2 / max(packing * down, 1e-9))
    half = float(np.interp(0.5 * deep, height, velocity)) / surface
    inner = (height > MARGIN * built.diameter) & (height < deep - MARGIN * built.diameter)
    shape = fitted_exponent(height[inner], velocity[inner], deep) if inner.sum() > LEAST_INNER else UNKNOWN
    return {
        "factor": factor,
        "deviation": deviation,
        "surface": surface,
        "half": half,
        "inertial": inertial,
        "exponent": shape.exponent,
        "exponent_error": shape.error,
        "slip": shape.slip,
    }


def fate(experiment: Experiment) -> str:
    """What the layer does at the end: "stops", "flows" or "accelerates"."""
    if experiment.run.state.stopped or experiment.run.state.starts < 0.0:
        return "stops"
    return "accelerates" if acceleration(experiment) > STEADY else "flows"


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The layer starts at an angle of round grains, and in a steady flow has the profile of Bagnold."""
    state, of = experiment.run.state, measured_values(experiment)
    shown: list[Outcome] = []
    if experiment.parameters.tilt_rate < SLOW and state.starts >= 0.0:
        words = _("the layer starts at an angle of round grains")
        shown.append(outcome_between("starting_angle", words, math.degrees(state.starts), 12.0, 40.0, "°"))
    if fate(experiment) == "stops" and state.starts >= 0.0:
        words = _("a layer that stops is on a slope below that of its largest friction")
        shown.append(outcome_between("stopping_slope", words, math.degrees(state.table), 0.0, STEEP, "°"))
    if fate(experiment) == "flows" and of is not None and experiment.run.built.thickness >= FEWEST:
        words = _("velocity at half of the thickness over that at the surface (Bagnold: 0.65)")
        shown.append(outcome_between("half_depth", words, of["half"], *BETWEEN))
        words = _("exponent of the velocity over the depth (Bagnold: 1.5)")
        shown.append(outcome_between("exponent", words, of["exponent"], *EXPONENTS))
    if fate(experiment) == "accelerates":
        words = _("the acceleration over that without friction")
        shown.append(outcome_between("acceleration", words, acceleration(experiment), STEADY, 1.0))
    return tuple(shown)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Angle of the chute, thickness, mean velocity, flow rate, and what follows from the profile."""
    if not column(experiment, "angle").size:
        return ()
    built, state, of = experiment.run.built, experiment.run.state, measured_values(experiment)
    angle, speed = column(experiment, "angle")[-1], column(experiment, "speed")[-1]
    high, rate = column(experiment, "thickness")[-1], column(experiment, "rate")[-1]
    shown = [
        Reading("chute_angle", _("slope of the chute"), math.degrees(angle), "°"),
        Reading("layer_thickness", _("thickness of the layer"), high / built.diameter, "d"),
        Reading("depth_averaged_speed", _("speed, averaged over depth"), speed, "m/s"),
        Reading("area_flow_rate", _("flow rate"), rate, "m²/s", help=_("Area of grains that passes per time.")),
    ]
    if state.starts >= 0.0:
        words = _("Angle at which the layer began to flow.")
        shown.append(Reading("last_start", _("last start"), math.degrees(state.starts), "°", help=words))
    if of is not None:
        half = _("At half of the thickness over that at the surface.")
        number = _("Of the fitted law of Bagnold; I = dγ/dt √(m/P), the same at all depths.")
        exponent = _("p of u = u_b + (u_s − u_b) (1 − (1 − z/h)^p) with slip u_b; 3/2 in the law of Bagnold.")
        shown += [
            Reading("surface_speed", _("speed at the surface"), of["surface"], "m/s"),
            Reading("half_depth", _("speed at half depth"), 100.0 * of["half"], "%", help=half),
            Reading("inertial_number", _("inertial number"), of["inertial"], help=number),
        ]
        if math.isfinite(of["exponent"]):
            words = _("exponent of the profile")
            shown.append(Reading("profile_exponent", words, of["exponent"], "", of["exponent_error"], exponent))
    return tuple(shown)


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """The velocity profile beside the law of Bagnold; speed and slope in time."""
    built, of = experiment.run.built, measured_values(experiment)
    height, velocity = profile(experiment)
    lines = [Line(_("layers"), velocity, height / built.diameter, points=True)]
    if of is not None:
        deep = thickness(experiment)
        z = np.linspace(0.0, deep, 60)
        lines.append(Line(_("Bagnold"), of["factor"] * bagnold(z, deep), z / built.diameter, fitted=True))
    time, angle = column(experiment, "time"), np.degrees(column(experiment, "angle"))
    speed = Line(_("layer"), time, column(experiment, "speed"))
    return (
        Curve(
            "velocity_profile",
            _("Profile"),
            Axis(_("velocity along the chute"), "m/s"),
            Axis(_("height z/d")),
            tuple(lines),
            x_from_zero=True,
        ),
        Curve("speed_in_time", _("Speed"), TIME, Axis(_("speed, averaged over depth"), "m/s"), (speed,)),
        Curve("angle_in_time", _("Angle"), TIME, Axis(_("angle θ"), "°"), (Line(_("angle"), time, angle),)),
    )


ANSWER_VALUES = ("slope", "starts", "speed", "half")


def answer(experiment: Experiment) -> Answer | None:
    """What the layer does on this slope; in a steady flow how fast its middle is."""
    of, state = measured_values(experiment), experiment.run.state
    shown = {
        "slope": Number(math.degrees(state.table), format=".1f"),
        "starts": Number(math.degrees(max(state.starts, 0.0)), format=".1f"),
        "speed": Number(float(column(experiment, "speed")[-1]), "m/s", digits=3),
        "half": Number(100.0 * of["half"] if of else math.nan, format=".0f"),
        "law": Number(100.0 * BAGNOLD_RATIO, format=".0f"),
    }
    if fate(experiment) == "stops":
        if state.starts < 0.0:
            return Answer(math.nan, Message("On a slope of {slope}° the layer does not flow.", **shown))
        return Answer(math.nan, Message("On a slope of {slope}° the layer comes to rest.", **shown))
    if of is None:
        return None
    if fate(experiment) == "accelerates":
        words = Message(
            "On a slope of {slope}° the layer still accelerates at {speed}, {half} % of the surface at half depth.",
            **shown,
        )
    else:
        words = Message(
            "At half depth the layer has {half} % of the speed at the surface (Bagnold: {law} %), on average {speed}.",
            **shown,
        )
    return Answer(100.0 * of["half"], words)


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Slope, fate, starting angle, speed and profile."""
    built, state = experiment.run.built, experiment.run.state
    height, velocity = profile(experiment)
    gained, of = acceleration(experiment), measured_values(experiment)
    return {
        "slope_degrees": math.degrees(state.table),
        "fate": fate(experiment),
        "starting_angle_degrees": math.degrees(state.starts) if state.starts >= 0.0 else None,
        "mean_speed": float(column(experiment, "speed")[-1]),
        "thickness_diameters": thickness(experiment) / built.diameter,
        "acceleration": gained if math.isfinite(gained) else None,
        "bagnold": of and {name: value if math.isfinite(value) else None for name, value in of.items()},
        "profile": {"height": height.tolist(), "velocity": velocity.tolist()},
    }


def box(parameters: ChuteParameters) -> Box:
    """The cell with its layer."""
    half = 0.5 * parameters.length
    return (-half, -2.0 * parameters.diameter), (half, 1.4 * parameters.thickness * parameters.diameter)


def flaws(state: ChuteState, world: World, built: ChuteParameters) -> dict[str, bool]:
    """Whether the sums of the profile have another length than its layers."""
    sums = {state.area.size, state.flux.size}
    return {"profile": sums not in ({0}, {built.layers})}


COURSE = TimedCourse(
    state=ChuteState,
    start=start,
    packing=("chute", Packing(later=("slope", "tilt_rate", "duration"), single=False)),
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    flaws=flaws,
    buttons=disc_buttons(_("Tilt"), _("Tilt the chute to its slope; the slider changes the slope during the flow.")),
)

SCENE = Scene(
    name="chute",
    title=_("Flow down a chute"),
    summary=_("A layer of discs flows down a bumpy base without ends: it stops, flows steadily or accelerates."),
    direction=Direction(
        see=_("Every depth has its own speed: slow at the base, fast at the surface, in a steady flow."),
        colour="speed",
        plot="velocity_profile",
        speed=1.0,
        seconds=8.0,
        span=(0.0, 2.5),
        show=("velocity_arrows",),
    ),
    parameters=disc_parameters(ChuteParameters),
    model=DISCS,
    course=replace(
        disc_course(
            COURSE,
            readings,
            (
                "chute_angle",
                "layer_thickness",
                "depth_averaged_speed",
                "area_flow_rate",
                "last_start",
                "surface_speed",
                "half_depth",
                "inertial_number",
                "profile_exponent",
            ),
        ),
        answer_values=ANSWER_VALUES,
        result_numbers={
            "slope_degrees": ResultNumber(_("slope of the chute"), "°"),
            "starting_angle_degrees": ResultNumber(_("last start"), "°"),
            "mean_speed": ResultNumber(_("speed, averaged over depth"), "m/s"),
        },
    ),
    view=disc_view(box, curves),
    limits=SceneLimits(overlap_limit=IMPACTS),
    guess=Guess(_("Speed at half depth, of that at the surface"), "%", 0.0, 100.0),
    lecture=("slope", "friction", "thickness", "tilt_rate"),
    test_values={
        "grain_count": 40,
        "young": 1e5,
        "restitution": 0.5,
        "thickness": 4.0,
        "slope": math.radians(25.0),
        "duration": 0.3,
    },
)
