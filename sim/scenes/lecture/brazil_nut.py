"""The Brazil nut: a large grain at the bottom of a shaken box rises to the top of the small grains of its density.

All walls of the box move up and down together. While the grains fly, small ones fill the gap below the large one, and
at rough walls they move down and lift those in the middle (Rosato et al. 1987; Knight, Jaeger & Nagel 1993).

Every grain is carried to the top now and then, also one of equal size. Sorted is a grain that stays there: its height,
averaged over the second part of the shaking, is compared with the averages of all small grains of the same run. One of
them, marked from the beginning, starts beside the large one. If size made no difference, the large grain would have
each place in the order of the averages with the same probability. It is sorted if fewer than `CHANCE` of the small
grains are as high: without a difference this happens in at most so many runs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment, Scene, SceneLimits
from repose.sim.io.lammps.wall_motion import ShakingWalls, WallMotion
from repose.sim.io.plain import Array
from repose.sim.laws.material_parameters import Restitution
from repose.sim.measure.display import TIME, Answer, Axis, Curve, Guess, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import number
from repose.sim.rate_integral import RateIntegral
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.common.settled import Packing
from repose.sim.scenes.common.timed_course import CourseState, TimedCourse, column, elapsed
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    LOOSE,
    RECORD_EVERY,
    Box,
    DiscsParameters,
    disc_buttons,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    lies_in_balance,
    outcome_between,
    with_lines,
)

FLAT = 1.0
"""Width of the box over the height of the filling [-]. In a box twice as wide the stream at the walls hardly reaches
the middle, and the large grain rises only after 1 to 50 s."""
CLEARLY_LARGER, EQUAL = 2.0, 1.05
"""Least size ratio for which the large grain is expected to stay at the top, and largest for which it is expected to be
like the others [-]."""
CLEARLY_SHAKEN, GENTLY_SHAKEN, LONG_SHAKEN = 1.5, 0.5, 300.0
"""Least acceleration over gravity [-], largest amplitude in mean diameters [-] and least number of periods for which
sizes are expected to part. At 10 Hz and Γ = 3 the amplitude is 1.9 diameters, and the stream carries all grains up and
down: of 160 small grains 2, 60 and 98 were as high as the large one on average (walls of friction 0.5, 0.1 and 0)."""
TOP = 0.75
"""Least fraction of the small grains below the large grain for it to be at the top [-]."""
AVERAGED = 0.6
"""Last fraction of the shaking, over which heights are averaged [-]. The large grain of the default box is at the top
after 5 to 9 s of 25 (seeds 1 to 3); a small one keeps its height for about 2 s."""
CHANCE = 0.05
"""Fraction of the small grains below which the number of those that are as high as the large one is no chance [-]."""
NUT, MARKED = 1, 2
"""Layers of the large grain and of the marked small one."""
SOFT = 0.25
"""Overlap / radius above which the window warns [-]: the large grain strikes small ones, by 0.17 of their radius."""
FOR = 0.5
"""Time over which the position of the large grain is averaged for the time of its rise [s]."""


class BrazilNutParameters(DiscsParameters):
    """A large disc among small ones in a shaken box, in SI."""

    grain_count: GrainCount = 160
    restitution: Restitution = 0.5
    # fmt: off
    size_ratio: float = number(3.0, 1.0, 6.0, _("size ratio"), "R_1/R", effect="restart", group=_("Grains"),
        help=_("Radius of the large grain over the mean radius. Takes effect at the next start."))
    frequency: float = number(25.0, 2.0, 60.0, _("frequency"), "f", "Hz", group=_("Shaking"),
        help=_("Of the box, up and down. Its phase goes on when it changes."))
    shaking: float = number(3.0, 0.0, 10.0, _("acceleration"), "Γ", group=_("Shaking"),
        help=_("Largest one of the box over gravity; the grains fly above 1."))
    duration: float = number(25.0, 0.1, 120.0, _("duration"), "T", "s", effect="restart", group=_("Shaking"),
        help=_("Time of the shaking. Takes effect at the next start."))
    # fmt: on

    @property
    def nut_radius(self) -> float:
        """Radius of the large grain [m]."""
        return self.size_ratio * self.mean_radius

    @property
    def amplitude(self) -> float:
        """Amplitude of the motion of the box, Γ g/(2π f)² [m]."""
        return self.shaking * self.gravity / (math.tau * self.frequency) ** 2

    @property
    def height(self) -> float:
        """Height of the filling at rest [m]."""
        area = (self.grain_count * self.mean_square_radius + self.nut_radius**2) * math.pi / LOOSE
        return math.sqrt(area / FLAT)

    @property
    def half_width(self) -> float:
        """Half the width of the box [m]."""
        return max(0.5 * FLAT * self.height, 1.5 * self.nut_radius + 2.0 * self.largest_radius)

    @property
    def rim(self) -> float:
        """Height of the box [m]. The box has a lid: a grain outside would fall for ever, and its speed would decrease
        the time step."""
        return 3.0 * self.height + 10.0 * self.nut_radius


@dataclass
class BrazilNutState(CourseState):
    """State of the shaken box."""

    angle: RateIntegral = field(default_factory=RateIntegral)
    """Phase angle of the motion of the box [rad] over the time of the course; of the rate 0 before it begins."""
    amplitude: float = 0.0
    """Present amplitude [m]."""
    lowest: float = 0.0
    """Height of the lowest place of the box over the one at the start [m]: a change of the amplitude moves it, and not
    the box."""
    below: Array = field(default_factory=lambda: np.empty(0))
    """Fraction of the other grains below each grain [-], summed over the records of the last part of the shaking, shape
    (count,); empty before."""
    summed: int = 0
    """Number of these records."""


def start(parameters: BrazilNutParameters, seed: int) -> World:
    """The large grain, in the last row, on the bottom of the box, and a loose lattice of small grains beside and above
    it; the one nearest to its lowest point is marked."""
    largest, nut = parameters.largest_radius, parameters.nut_radius
    half, low = parameters.half_width - largest, 1.05 * largest
    reach = nut + 1.05 * largest

    def inside(x: Any, y: Any) -> Any:
        return (np.abs(x) < half) & (y > low) & (np.hypot(x, y - nut) > reach)

    world = lattice(parameters, seed, inside)
    world.layer[int(np.hypot(*world.motion[:2, 0]).argmin())] = MARKED
    mass = parameters.mass_of(np.array(nut))
    world = add_spheres(world, [[0.0, nut]], nut, mass, SphereGroup(layer=NUT, first_id=world.sphere_count))
    wide, rim = parameters.half_width, parameters.rim
    corner = [(-wide, 0.0), (wide, 0.0), (wide, rim), (-wide, rim)]
    return with_lines(world, np.array([(corner[k - 1], corner[k]) for k in (1, 2, 3, 0)]))


def shake(experiment: Experiment) -> None:
    """Let the box go on with the present frequency and amplitude, from its place and phase.

    It is at s + A (1 − cos φ) with φ' = 2π f. A change of A moves s, such that the place does not jump. The motion
    begins at rest: a sine would begin with its largest velocity, and this impact would throw the uppermost grains out
    of sight.
    """
    parameters, now = experiment.parameters, elapsed(experiment)
    state: BrazilNutState = experiment.run.state
    if not state.angle.rate:
        # At the beginning; during a course of a file of an older version both were constant.
        given = experiment.run.built if now else parameters
        state.angle.rate, state.amplitude = math.tau * given.frequency, given.amplitude
    if parameters.amplitude != state.amplitude:
        state.lowest += (state.amplitude - parameters.amplitude) * (1.0 - math.cos(state.angle.at(now)))
        state.amplitude = parameters.amplitude
    state.angle.go_on(now, math.tau * parameters.frequency)


def drive(experiment: Experiment) -> bool:
    """Set the velocity with which the box reaches its position at the next check; True at the end."""
    walls = experiment.run.world.walls
    state: BrazilNutState = experiment.run.state
    ahead = CHECK_STEPS * experiment.dt
    shake(experiment)
    position = state.lowest + state.amplitude * (1.0 - math.cos(state.angle.at(elapsed(experiment) + ahead)))
    walls.velocity[:, 1] = (position - walls.moved[:, 1]) / ahead
    return bool(elapsed(experiment) >= experiment.run.built.duration)


def wall_motion(experiment: Experiment) -> WallMotion:
    """The box goes on with its present frequency and amplitude."""
    if not experiment.run.world.walls.velocity.any():
        return None
    state: BrazilNutState = experiment.run.state
    return ShakingWalls((0.0, 1.0), state.amplitude, state.angle.at(elapsed(experiment)), state.angle.rate)


def is_steady(state: BrazilNutState) -> bool:
    """Whether frequency and amplitude have not changed since the beginning."""
    return state.angle.since == state.lowest == 0.0


def row_of(world: World, layer: int) -> int:
    """Row of the large or of the marked grain."""
    return int((world.layer == layer).argmax())


def record(experiment: Experiment) -> dict[str, float]:
    """Heights of the large and of the marked grain above the bottom of the box [m], and fractions of the other grains
    below each [-]. In the last part of the shaking the fraction below every grain is added up."""
    world = experiment.run.world
    state: BrazilNutState = experiment.run.state
    height = world.motion[1, 0] - world.walls.moved[0, 1]
    below = height.argsort(kind="stable").argsort(kind="stable") / max(1, height.size - 1)
    if elapsed(experiment) >= (1.0 - AVERAGED) * experiment.run.built.duration:
        if state.below.size != height.size:  # at first, and after the user has erased a grain
            state.below, state.summed = np.zeros(height.size), 0
        state.below, state.summed = state.below + below, state.summed + 1
    nut, marked = row_of(world, NUT), row_of(world, MARKED)
    return {
        "height": height[nut],
        "below": below[nut],
        "marked_height": height[marked],
        "marked_below": below[marked],
    }


def rise_time(experiment: Experiment) -> float | None:
    """Time at which the mean position of the large grain over `FOR` was at the top first [s]; None if it never was."""
    below, records = column(experiment, "below"), round(FOR / RECORD_EVERY)
    if below.size < records:
        return None
    late = np.flatnonzero(np.convolve(below, np.full(records, 1.0 / records), "valid") > TOP)
    return float(column(experiment, "time")[late[0] + records - 1]) if late.size else None


def averages(experiment: Experiment) -> Floats:
    """Mean fraction of the other grains below every grain over the last part of the shaking [-], shape (count,); empty
    before."""
    state: BrazilNutState = experiment.run.state
    return state.below / max(1, state.summed)


def as_high(experiment: Experiment) -> float | None:
    """Fraction of the small grains that were on average at least as high as the large one [-]; None before the end."""
    mean, world = averages(experiment), experiment.run.world
    if mean.size != world.sphere_count:
        return None
    small = world.layer != NUT
    return float((mean[small] >= mean[~small].max(initial=0.0)).mean())


def parts_sizes(parameters: BrazilNutParameters) -> bool:
    """Whether this shaking is expected to part sizes."""
    gentle = parameters.amplitude <= GENTLY_SHAKEN * 2.0 * parameters.mean_radius
    long = parameters.duration * parameters.frequency >= LONG_SHAKEN
    return bool(parameters.shaking >= CLEARLY_SHAKEN and gentle and long)


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """A large grain stays at the top; one of equal size is no different from the others."""
    built, share = experiment.run.built, as_high(experiment)
    if share is None or not is_steady(experiment.run.state) or not parts_sizes(built):
        return ()
    if built.size_ratio <= EQUAL:
        words = _("a grain of the same size is no higher than the others (share of them as high on average)")
        return (outcome_between("no_higher", words, 100.0 * share, 100.0 * CHANCE, 100.0, "%"),)
    if built.size_ratio < CLEARLY_LARGER:
        return ()
    words = _("the large grain stays above the small ones (share of them as high on average)")
    return (outcome_between("stays_above", words, 100.0 * share, 0.0, 100.0 * CHANCE, "%"),)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Place of the large grain now."""
    height = column(experiment, "height")
    if not height.size:
        return ()
    state: BrazilNutState = experiment.run.state
    below = 100.0 * column(experiment, "below")[-1]
    return (
        Reading(
            "small_grains_below",
            _("small grains below the large one"),
            below,
            "%",
            help=_(
                "A single grain has no mixing index: one sample contains it wherever it is, and the variance between "
                "samples is the same."
            ),
        ),
        Reading(
            "large_grain_height",
            _("height of the large grain"),
            height[-1],
            "m",
            help=_("Of its centre over the bottom of the box."),
        ),
        Reading("periods", _("periods"), state.angle.at(elapsed(experiment)) / math.tau),
        Reading("box_amplitude", _("amplitude of the box"), state.amplitude, "m", given=True),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Heights of the large and of the marked grain, and the share of the other grains below them, against time."""
    time = column(experiment, "time")

    def both(large: str, marked: str, scale: float) -> tuple[Line, ...]:
        return (
            Line(_("large grain"), time, scale * column(experiment, large)),
            Line(_("marked small grain"), time, scale * column(experiment, marked)),
        )

    return (
        Curve("height", _("Height"), TIME, Axis(_("height"), "mm"), both("height", "marked_height", 1e3)),
        Curve("below", _("Below"), TIME, Axis(_("grains below it"), "%"), both("below", "marked_below", 100.0)),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The mean place of the large grain, and whether it differs from that of the small ones."""
    share = as_high(experiment)
    if share is None:
        return None
    below = 100.0 * float(averages(experiment)[row_of(experiment.run.world, NUT)])
    if share < CHANCE:
        return Answer(
            below,
            Message(
                "On average {below} % of the small grains are below the large one; only {share} % of them "
                "stay as high.",
                below=Number(below, format=".0f"),
                share=Number(100.0 * share, format=".1f"),
            ),
        )
    return Answer(
        below,
        Message(
            "On average {below} % of the small grains are below the large one; {share} % of them stay as "
            "high: no difference beyond chance.",
            below=Number(below, format=".0f"),
            share=Number(100.0 * share, format=".0f"),
        ),
    )


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Mean places of the large and of the marked grain, the share of the small grains that are as high as the large
    one, and the time after which it was at the top first [s]."""
    mean, world = averages(experiment), experiment.run.world
    whole = mean.size == world.sphere_count
    return {
        "share_below": float(mean[row_of(world, NUT)]) if whole else None,
        "share_below_marked": float(mean[row_of(world, MARKED)]) if whole else None,
        "small_grains_as_high": as_high(experiment),
        "rise_time": rise_time(experiment),
        "amplitude": experiment.run.state.amplitude,
    }


def box(parameters: BrazilNutParameters) -> Box:
    """The box, as high as most grains fly."""
    half = parameters.half_width + parameters.mean_radius
    high = 1.6 * parameters.height + 2.0 * parameters.nut_radius + parameters.amplitude
    return (-half, -2.0 * parameters.mean_radius), (half, high)


def focus(experiment: Experiment) -> Box:
    """The filling and the grains that fly just above it; the camera also shows those that fly higher."""
    low, (half, _) = box(experiment.run.built)
    return low, (half, 1.35 * experiment.run.built.height)


PARTS = (
    Part(_("small grains"), "steel"),
    Part(_("large grain")),
    Part(_("marked small grain")),
)
"""Colours of the grains by their layer; those of the large and of the marked grain are those of their curves."""

COURSE = TimedCourse(
    state=BrazilNutState,
    start=start,
    packing=("brazil_nut", Packing(later=("frequency", "shaking", "duration"), single=False)),
    settle=lies_in_balance,
    begin=shake,
    drive=drive,
    record=record,
    outcomes=outcomes,
    results=numbers,
    answer=answer,
    buttons=disc_buttons(_("Shake"), _("Shake the box up and down.")),
)

SCENE = Scene(
    name="brazil_nut",
    title=_("Brazil nut"),
    summary=_("A large grain at the bottom of a shaken box of small ones rises to the top."),
    direction=Direction(
        see=_("The large grain rises through the small ones and stays at the top."),
        colour=OWN,
        plot="height",
        speed=1.0,
        seconds=10.0,
    ),
    parameters=disc_parameters(BrazilNutParameters),
    model=DISCS,
    course=replace(
        disc_course(COURSE, readings, ("small_grains_below", "large_grain_height", "periods", "box_amplitude")),
        wall_motion=wall_motion,
    ),
    view=disc_view(box, curves, lambda parameters: 3, focus, PARTS),
    limits=SceneLimits(overlap_limit=SOFT),
    guess=Guess(_("Small grains below the large one on average"), "%", 0.0, 100.0),
    lecture=("size_ratio", "shaking", "frequency", "friction", "wall_friction"),
    test_values={
        "grain_count": 40,
        "young": 3e5,
        "size_ratio": 2.5,
        "duration": 0.4,
        "shaking": 1.2,
        "frequency": 10.0,
    },
)
