"""A rotating drum, half full of discs: the angle of the surface against the speed, and avalanches.

The speed of the drum increases in stages of equal duration. Its wall is a ring of short facets, alternately at two
distances from the axis, on which the filling does not slip. Each facet moves with the velocity of its middle; at every
check it is set to its exact position: after a straight path of 1 to 5 mrad 4 to 5 % of the
work of the slow drum is missing in the ledger. The angle is that of the centre of mass of the grains: for
a straight surface the line from the axis to the centre of mass is perpendicular to the surface.

A slow drum has avalanches, between which the filling turns with the drum like a solid body; a fast one has a steady
flow, whose angle rises with the speed (Rajchenbach 1990; GDR MiDi 2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.builder import reset_displacements
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneLimits
from repose.sim.io.lammps.wall_motion import TurningWalls, WallMotion
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Reading
from repose.sim.measure.mixing import mixing_of_kinds, mixing_of_sizes
from repose.sim.message import Message, Number, _
from repose.sim.parameters import choice, count, number
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    LOOSE,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    lies_in_balance,
    outcome_above,
    put_walls,
    with_lines,
)

RPM = math.tau / 60.0
"""One revolution per minute [rad/s]."""
FILLED = 0.45
"""Fraction of the area of the drum that the filling covers [-]."""
BUMP = 0.6
"""Depth of the teeth of the wall, in mean radii [-]."""
SLOW = 1e-3
"""Froude number below which the flow in a drum consists of avalanches [-]."""
LARGE_ON_SMALL = 0.2
"""Overlap / radius above which the window warns [-]: small grains under large ones of soft material, as in the preset
of segregation, reach 0.13."""
APART = 5.0
"""Least ratio of the fastest to the slowest speed for a comparison of their surfaces [-]: from 2 to 40 revolutions per
minute the angle rises by 10°, thus by 5° per factor of five, and it varies by 2 to 3° in time."""
MARKED = 1
"""Layer of the marked grains; the others are the layer 0."""
STEADY = 0.35
"""Fraction of a stage, at its beginning, that is not evaluated, because the flow still changes [-]."""


class DrumParameters(DiscsParameters):
    """Discs in a rotating drum, in SI."""

    # fmt: off
    slowest: float = number(2.0 * RPM, 0.1 * RPM, 60.0 * RPM, _("slowest speed"), "n_1", "1/min", log=True,
        group=_("Drum"), help=_("Of the first stage, in revolutions per minute."))
    fastest: float = number(40.0 * RPM, 0.1 * RPM, 120.0 * RPM, _("fastest speed"), "n_2", "1/min", log=True,
        group=_("Drum"), help=_("Of the last stage, in revolutions per minute."))
    stages: int = count(4, 2, 12, _("stages"), effect="restart", group=_("Drum"),
        help=_("Number of speeds, each a fixed factor above the last one. At the next start."))
    stage_time: float = number(5.0, 0.1, 60.0, _("time of a stage"), "T", "s", effect="restart", group=_("Drum"),
        help=_("How long the drum turns at each speed. Takes effect at the next start."))
    marked: Literal["nothing", "left_half", "lower_half"] = choice("nothing", _("marked grains"), effect="restart",
        group=_("Drum"),
        help=_("Which grains are marked at the start; the index of kinds says how they mix with the others."))
    # fmt: on

    @property
    def duration(self) -> float:
        """Duration of all stages together [s]."""
        return self.stages * self.stage_time

    @property
    def drum_radius(self) -> float:
        """Radius of the drum, from the number of grains and the filled fraction [m]."""
        area = self.grain_count * math.pi * self.mean_square_radius / LOOSE
        return math.sqrt(area / (FILLED * math.pi)) + BUMP * self.mean_radius

    def speed_at(self, time: float) -> float:
        """Angular velocity of the drum at a time of the course [rad/s]."""
        stage = min(int(time / self.stage_time), self.stages - 1)
        return float(self.slowest * (self.fastest / self.slowest) ** (stage / (self.stages - 1)))

    @property
    def speeds(self) -> Floats:
        """Angular velocities of all stages [rad/s]."""
        return np.array([self.speed_at((stage + 0.5) * self.stage_time) for stage in range(self.stages)])


@dataclass
class DrumState(CourseState):
    """State of the drum."""

    turned: float = 0.0
    """Angle by which the drum has turned [rad]."""
    until: float = 0.0
    """Time of the course until which this angle is known [s]."""
    speed: float = 0.0
    """Angular velocity since then [rad/s]; 0 before the course."""


def ring(parameters: DrumParameters, turned: float) -> Floats:
    """Walls of a drum that has turned by an angle [rad], as lines [m], shape (walls, 2, 2)."""
    cos, sin = math.cos(turned), math.sin(turned)
    lines: Floats = _unturned(parameters.drum_radius, parameters.mean_radius) @ np.array([[cos, sin], [-sin, cos]])
    return lines


@lru_cache(maxsize=8)
def _unturned(radius: float, mean: float) -> Floats:
    """Walls of a drum of this radius for grains of this mean radius [m], shape (walls, 2, 2)."""
    half = max(6, math.ceil(math.pi * radius / (2.0 * mean)))
    angle = math.tau * np.arange(2 * half) / (2 * half)
    distance = np.where(np.arange(2 * half) % 2 == 0, radius, radius - BUMP * mean)
    points = distance[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.stack([points, np.roll(points, -1, axis=0)], axis=1)


def start(parameters: DrumParameters, seed: int) -> World:
    """The drum at rest, with a loose filling."""
    room = parameters.drum_radius - (BUMP + 0.1) * parameters.mean_radius - parameters.largest_radius
    world = lattice(parameters, seed, lambda x, y: np.hypot(x, y - room) < room)
    world.motion[1, 0] -= room
    reset_displacements(world)
    if parameters.marked != "nothing":
        along = world.motion[0 if parameters.marked == "left_half" else 1, 0]
        world.layer[along < np.median(along)] = MARKED
    return with_lines(world, ring(parameters, 0.0))


def begin(experiment: Experiment) -> None:
    """Note the first speed."""
    experiment.run.state.speed = speed_now(experiment)


def speed_now(experiment: Experiment) -> float:
    """Angular velocity of the present stage, whose slowest and fastest speed can change [rad/s]."""
    now = {name: getattr(experiment.parameters, name) for name in ("slowest", "fastest")}
    speed: float = experiment.run.built.model_copy(update=now).speed_at(elapsed(experiment))
    return speed


def drive(experiment: Experiment) -> bool:
    """Turn the drum; True at the end of the last stage."""
    built: DrumParameters = experiment.run.built
    state: DrumState = experiment.run.state
    now = elapsed(experiment)
    # A course of a file of an older version has constant speeds.
    state.turned += (state.speed or built.speed_at(state.until)) * (now - state.until)
    state.until, state.speed = now, speed_now(experiment)
    lines = ring(built, state.turned)
    middle = lines.mean(axis=1)
    put_walls(experiment, lines, state.speed * np.column_stack([-middle[:, 1], middle[:, 0]]))
    return bool(now >= built.duration)


def wall_motion(experiment: Experiment) -> WallMotion:
    """The drum turns on at its present speed."""
    turns = bool(experiment.run.world.walls.velocity.any())
    return TurningWalls((0.0, 0.0, 0.0), experiment.run.state.speed) if turns else None


def record(experiment: Experiment) -> dict[str, float]:
    """Angle of the surface [rad], mean speed of the grains relative to the turning drum [m/s], and the angle by which
    the drum has turned [rad]."""
    world, state = experiment.run.world, experiment.run.state
    x, y = world.mass @ world.motion[:2, 0].T / world.mass.sum()
    against = world.motion[:2, 1] - state.speed * np.stack([-world.motion[1, 0], world.motion[0, 0]])
    return {"angle": math.atan2(x, -y), "flow": float(np.hypot(*against).mean()), "turned": state.turned}


def stages(experiment: Experiment) -> dict[str, Floats]:
    """Mean and standard deviation of the angle [rad], lowest and mean speed of the flow [m/s], and mean speed of the
    drum [rad/s] of every stage, without its beginning; nan for stages to come, of which the speed is that planned."""
    built: DrumParameters = experiment.run.built
    time, turned = column(experiment, "time"), column(experiment, "turned")
    position = time / built.stage_time
    by_name = {name: np.full(built.stages, math.nan) for name in ("angle", "scatter", "still", "flow")}
    by_name["speed"] = built.speeds
    for stage in range(built.stages):
        rows = (position >= stage + STEADY) & (position < stage + 1)
        if rows.sum() > 1:
            angle, flow = column(experiment, "angle")[rows], column(experiment, "flow")[rows]
            by_name["angle"][stage], by_name["scatter"][stage] = angle.mean(), angle.std(ddof=1)
            by_name["still"][stage], by_name["flow"][stage] = np.quantile(flow, 0.1), flow.mean()
            if turned.size:
                by_name["speed"][stage] = np.ptp(turned[rows]) / np.ptp(time[rows])
    return by_name


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """A much faster drum has a steeper surface; a slow one has avalanches and a fast one a steady flow."""
    of = stages(experiment)
    if of["speed"][-1] < APART * of["speed"][0]:
        return ()
    rest = of["still"] / of["flow"]
    degrees = np.degrees(of["angle"])
    # Two drums of one speed differ by much less than the angle varies in time.
    flatter = degrees[0] + math.degrees(of["scatter"][0])
    steepest = outcome_above(
        "steeper_when_fast",
        _("the surface of the fastest drum is steeper than that of the slowest"),
        degrees[-1],
        flatter,
        "°",
    )
    if froude(experiment, float(of["speed"][0])) > SLOW:
        return (steepest,)
    words = _("the slowest drum has avalanches, the fastest a steady flow (slowest over mean flow)")
    return steepest, outcome_above("avalanches_when_slow", words, rest[-1], 2.0 * rest[0])


def froude(experiment: Experiment, speed: float) -> float:
    """ω² R/g at this speed [rad/s]: centrifugal over gravitational acceleration [-]."""
    return float(speed**2 * experiment.run.built.drum_radius / max(experiment.parameters.gravity, 1e-9))


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Speed of the drum and angle of the surface now."""
    angle = column(experiment, "angle")
    if not angle.size:
        return ()
    speed = speed_now(experiment)
    return (
        Reading(
            "surface_angle",
            _("angle of the surface"),
            math.degrees(angle[-1]),
            "°",
            help=_("From the centre of mass of the grains."),
        ),
        Reading("drum_speed", _("speed of the drum"), speed / RPM, "1/min", given=True),
        Reading(
            "froude_number",
            _("Froude number"),
            froude(experiment, speed),
            help=_("ω² R/g: centrifugal over gravitational acceleration."),
        ),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Angle against the speed of the stages, and against time."""
    of = stages(experiment)
    known = np.isfinite(of["angle"])
    speed, degrees = of["speed"][known] / RPM, np.degrees(of["angle"][known])
    scatter = np.degrees(of["scatter"][known])
    mean = Line(
        _("mean of a stage"), speed, degrees, points=True, error=scatter, scatter=_("standard deviation in time")
    )
    time = Line(_("angle"), column(experiment, "time"), np.degrees(column(experiment, "angle")))
    return (
        Curve(
            "angle_over_speed",
            _("Angle over speed"),
            Axis(_("speed of the drum n"), "1/min"),
            Axis(_("angle θ"), "°"),
            (mean,),
            log_x=True,
        ),
        Curve("angle_in_time", _("Angle"), TIME, Axis(_("angle θ"), "°"), (time,)),
    )


ANSWER_VALUES = ("speeds", "first", "speeds2", "last", "mixing")


def answer(experiment: Experiment) -> Answer | None:
    """The angle in the fastest drum beside that in the slowest one; of two sizes, or else of marked grains, also the
    mixing index now."""
    of = stages(experiment)
    speeds = of["speed"] / RPM
    first, last = np.degrees(of["angle"][[0, -1]]).tolist()
    if not math.isfinite(first + last):
        return None
    world = experiment.run.world
    mixing = mixing_of_sizes(world) or mixing_of_kinds(world)
    further = {} if mixing is None else {"mixing": Number(mixing.index, format=".2f")}
    return Answer(
        last,
        Message(
            "At {speeds} revolutions per minute the surface stands at {first}° on average, at {speeds2} at {last}°.",
            speeds=Number(speeds[0], format=".3g"),
            first=Number(first, format=".1f"),
            speeds2=Number(speeds[-1], format=".3g"),
            last=Number(last, format=".1f"),
            **further,
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Speed [1/min], angle and its scatter [°] of every stage."""
    of = stages(experiment)
    rows = zip(
        of["speed"] / RPM, np.degrees(of["angle"]), np.degrees(of["scatter"]), of["still"] / of["flow"], strict=True
    )
    keys = ("revolutions_per_minute", "angle_degrees", "scatter_degrees", "slowest_over_mean_flow")
    return {"stages": [dict(zip(keys, map(float, row), strict=True)) for row in rows]}


def box(parameters: DrumParameters) -> Box:
    """The whole drum."""
    half = parameters.drum_radius * 1.03
    return (-half, -half), (half, half)


COURSE = TimedCourse(
    state=DrumState,
    start=start,
    packing=("drum", Packing(later=("slowest", "fastest", "stages", "stage_time"), single=False)),
    settle=lies_in_balance,
    begin=begin,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    buttons=disc_buttons(_("Turn the drum"), _("Turn the drum, faster from stage to stage.")),
)

SCENE = Scene(
    name="drum",
    title=_("Rotating drum"),
    summary=_("Discs in a drum that turns faster and faster: avalanches, then a steady flow with a steeper surface."),
    direction=Direction(
        see=_(
            "Avalanches in the slow drum, then a steady flow whose surface is the steeper the faster the drum turns."
        ),
        colour="speed",
        plot="angle_in_time",
        speed=1.0,
        seconds=20.0,
        # Avalanches of the slow drum are seen, the rim of the fastest one is beyond the range.
        span=(0.0, 0.2),
    ),
    parameters=disc_parameters(DrumParameters),
    model=DISCS,
    course=replace(
        disc_course(COURSE, readings, ("surface_angle", "drum_speed", "froude_number")),
        answer_values=ANSWER_VALUES,
        wall_motion=wall_motion,
    ),
    view=disc_view(box, curves, lambda parameters: 1 if parameters.marked == "nothing" else 2),
    limits=SceneLimits(overlap_limit=LARGE_ON_SMALL),
    guess=Guess(_("Angle of the surface in the fastest drum"), "°", 0.0, 60.0),
    lecture=("friction", "slowest", "fastest", "grain_count", "gravity"),
    test_values={
        "grain_count": 40,
        "young": 1e5,
        "restitution": 0.5,
        "stages": 2,
        "stage_time": 0.3,
        "slowest": 10 * RPM,
        "fastest": 60 * RPM,
    },
)
