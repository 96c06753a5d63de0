"""The biaxial press: a packing of discs between four plates is compressed, at constant pressure of the side plates.

The course is that of repose.sim.scenes.common.press. In the plane a stress is a force per length [N/m]: σ1 is that on
the upper plate, σ3 that on the sides. The friction angle of a dense packing at its peak exceeds that of the flow of
constant area by 0.8 ψ (Bolton 1986), with the dilatancy angle ψ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from repose.sim.direction import Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene
from repose.sim.laws.material_parameters import WallFriction, YoungsModulus
from repose.sim.measure.display import Guess, Outcome
from repose.sim.message import Message, _
from repose.sim.parameters import number, variant
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.poured_parameters import GrainCount, SizeSpread
from repose.sim.scenes.common.press import (
    BOTTOM,
    READINGS,
    TOP,
    PressParameters,
    Words,
    curves_with,
    places,
    readings_with,
    set_out,
    size,
    stirred,
)
from repose.sim.scenes.lecture.disc_scene import (
    DISCS,
    SOFT_DISCS,
    Box,
    DiscsParameters,
    disc_course,
    disc_parameters,
    disc_view,
    lattice,
    outcome_between,
    put_walls,
    with_lines,
)
from repose.sim.scenes.lecture.press_course import Expected, press_course

LEFT, RIGHT = 2, 3
"""Rows of the side plates in the table of walls."""
BOLTON = (0.4, 1.2)
"""Bounds of the gain of the friction angle over the dilatancy angle, 0.8 for sand [-]: friction angles scatter by 2°
and the dilatancy angle of about 15° by a sixth, a quarter of the ratio together; the bounds are 1.6 times that."""
WORDS = Words(_("area"), _("change of the area"), _("growth of the area"), _("Area"))


class BiaxialParameters(DiscsParameters, PressParameters):
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
    pressure: float = number(10.0, 0.1, 1e3, _("confining pressure"), "σ_3", "N/m", log=True, effect="prepare",
        group=_("Press"), help=_("Of the plates at the sides, which follow a change during the test."))
    # fmt: on

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


def plates(low: float, high: float, half: float, room: float = 0.0) -> Floats:
    """Plates at these heights and at ± `half`, the level ones longer by `room` at both ends [m], shape (4, 2, 2)."""
    level = [[(-half - room, at), (half + room, at)] for at in (low, high)]
    return np.array(level + [[(side * half, low), (side * half, high)] for side in (-1, 1)])


def start(parameters: BiaxialParameters, seed: int) -> World:
    """The grains of the gas between the open plates."""
    largest, half = parameters.largest_radius, 0.5 * parameters.width

    def inside(x: Any, y: Any) -> Any:
        return (np.abs(x) < half - largest) & (y > largest)

    world = stirred(lattice(parameters, seed, inside, materials=3), seed)
    top = float((world.motion[1, 0] + world.radius).max()) + 0.1 * largest
    return with_lines(world, plates(0.0, top, half))


def begin(experiment: Experiment) -> None:
    """Make the level plates longer than the sample becomes, and begin to move the upper one down."""
    width = size(experiment.run.world)[0]
    at = places(experiment.run.world)
    lines = plates(float(at[BOTTOM, 1]), float(at[TOP, 1]), 0.5 * width, 0.12 * width)
    lines[:, :, 0] += 0.5 * float(at[LEFT, 0] + at[RIGHT, 0])
    put_walls(experiment, lines)
    set_out(experiment)


def bolton(of: Mapping[str, float]) -> tuple[Outcome, ...]:
    """The gain of the friction angle at the peak by Bolton's law."""
    gain = (of["peak_angle"] - of["final_angle"]) / max(of["dilatancy_angle"], 1e-3)
    words = _("gain of the friction angle at the peak over the dilatancy angle (Bolton: 0.8)")
    return (outcome_between("friction_gain", words, gain, *BOLTON),)


EXPECTED = Expected(
    kept=0.1,
    strain=0.1,
    widens=_("the sample widens while it is pressed (Reynolds), by a share of its area"),
    answer=lambda **shown: Message(
        "The sample bears {of} times the pressure of the sides (φ = {peak}°) at a strain of {of2} %, "
        "and {of3} times (φ = {final}°) at the end, with an area larger by {of4} %.",
        **shown,
    ),
    further=bolton,
)


def box(parameters: BiaxialParameters) -> Box:
    """The space at the start."""
    half = 0.5 * parameters.width + parameters.mean_radius
    return (-half, -2.0 * parameters.mean_radius), (half, parameters.height)


def focus(experiment: Experiment) -> Box:
    """The sample between its plates, which are longer than its width."""
    at, edge = places(experiment.run.world), 2.0 * experiment.run.built.mean_radius
    width = float(at[RIGHT, 0] - at[LEFT, 0])
    return (
        (float(at[LEFT, 0]) - 0.12 * width, float(at[BOTTOM, 1]) - edge),
        (float(at[RIGHT, 0]) + 0.12 * width, float(at[TOP, 1]) + edge),
    )


COURSE = press_course("biaxial", start, EXPECTED, begin)

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
    course=disc_course(COURSE, readings_with(WORDS), READINGS),
    view=disc_view(box, curves_with(WORDS), focus=focus),
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
