"""The Brazil nut: a large grain at the bottom of a shaken box rises to the top of the small grains of its density.

All walls of the box move up and down together, until the large grain has been at the top for a while. While the grains
fly, small ones fill the gap below the large one, and at rough walls they move down and lift those in the middle (Rosato
et al. 1987; Knight, Jaeger & Nagel 1993).
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.builder import add_spheres
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.measure.display import Answer, Curve, Guess, Line, Outcome, Reading
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.poured_parameters import GrainCount
from repose.sim.scenes.lecture.discs import (
    LOOSE,
    RECORD_EVERY,
    Box,
    DiscsParameters,
    column,
    disc_scene,
    elapsed,
    lattice,
    outcome_above,
    with_lines,
)

FLAT = 1.0
"""Width of the box over the height of the filling [-]. In a box twice as wide the stream at the walls hardly reaches
the middle, and the large grain rises only after 1 to 50 s."""
CLEARLY_LARGER, CLEARLY_SHAKEN = 2.0, 1.5
"""Least size ratio and least acceleration over gravity for which the large grain is expected to rise [-]."""
TOP = 0.75
"""Least fraction of the small grains below the large grain for it to be at the top [-]."""
SOFT = 0.25
"""Overlap / radius above which the window warns [-]: the large grain strikes small ones, by 0.17 of their radius."""
LONGEST = 15.0
"""Longest time of the shaking [s]. The large grain of the default box is at the top after 1.5 to 5.8 s (seeds 1 to
16); the logarithms of these times have the mean ln 3.3 and the standard deviation 0.4: fewer than one of 10 000 runs
last longer."""
FOR = 0.5
"""Time over which the position of the large grain is averaged [s]: at the top it may sink again with the stream at the
walls."""


class BrazilNutParameters(DiscsParameters):
    """A large disc among small ones in a shaken box, in SI."""

    grain_count: GrainCount = 160
    size_ratio: Annotated[
        float,
        Ge(1.0),
        Le(6.0),
        Quantity("size ratio", "R_1/R", effect="restart", group="Grains"),
        Field(description="Radius of the large grain over the mean radius. Takes effect at the next start."),
    ] = 3.0
    frequency: Annotated[
        float,
        Ge(2.0),
        Le(60.0),
        Quantity("frequency", "f", "Hz", effect="restart", group="Shaking"),
        Field(description="Of the box, up and down. Takes effect at the next start."),
    ] = 10.0
    shaking: Annotated[
        float,
        Ge(0.0),
        Le(10.0),
        Quantity("acceleration", "Γ", effect="restart", group="Shaking"),
        Field(description="Largest one of the box over gravity; the grains fly above 1. At the next start."),
    ] = 3.0
    duration: Annotated[
        float,
        Ge(0.1),
        Le(120.0),
        Quantity("longest duration", "T", "s", effect="restart", group="Shaking"),
        Field(description="Longest time of the shaking. Takes effect at the next start."),
    ] = LONGEST

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
        area = (self.grain_count * self.mean_radius**2 + self.nut_radius**2) * math.pi / LOOSE
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


def start(parameters: BrazilNutParameters, seed: int) -> World:
    """The large grain, in the last row, on the bottom of the box, and a loose lattice of small grains beside and above
    it."""
    largest, nut = parameters.largest_radius, parameters.nut_radius
    half, low = parameters.half_width - largest, 1.05 * largest
    reach = nut + 1.05 * largest

    def inside(x: Any, y: Any) -> Any:
        return (np.abs(x) < half) & (y > low) & (np.hypot(x, y - nut) > reach)

    world = lattice(parameters, seed, inside)
    mass = parameters.mass_of(np.array(nut))
    world = add_spheres(world, [[0.0, nut]], nut, mass, layer=1, first_id=world.sphere_count)
    wide, rim = parameters.half_width, parameters.rim
    corner = [(-wide, 0.0), (wide, 0.0), (wide, rim), (-wide, rim)]
    return with_lines(world, np.array([(corner[k - 1], corner[k]) for k in (1, 2, 3, 0)]))


def drive(experiment: Experiment) -> bool:
    """Set the velocity with which the box reaches its position at the next check; True once the large grain is at the
    top, or at the end.

    The motion A (1 − cos 2π f t) begins at rest. A sine would begin with its largest velocity, and this impact would
    throw the uppermost grains out of sight.
    """
    built, walls = experiment.run.built, experiment.run.world.walls
    ahead = CHECK_STEPS * experiment.dt
    place = built.amplitude * (1.0 - math.cos(math.tau * built.frequency * (elapsed(experiment) + ahead)))
    walls.velocity[:, 1] = (place - walls.moved[:, 1]) / ahead
    risen = elapsed(experiment) > FOR and place_now(experiment) > TOP
    return bool(elapsed(experiment) >= built.duration or risen)


def record(experiment: Experiment) -> dict[str, float]:
    """Height of the large grain above the bottom of the box [m], and the fraction of the small grains below it [-]."""
    world = experiment.run.world
    height = world.motion[1, 0] - world.walls.moved[0, 1]
    nut = int(world.layer.argmax())
    return {"height": height[nut], "below": (np.delete(height, nut) < height[nut]).mean()}


def place_now(experiment: Experiment) -> float:
    """Share of the small grains below the large one, mean over the last records [-]; 0 before the first one."""
    below = column(experiment, "below")
    return float(below[-round(FOR / RECORD_EVERY) :].mean()) if below.size else 0.0


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The large grain is at the top."""
    built = experiment.run.built
    if built.size_ratio < CLEARLY_LARGER or built.shaking < CLEARLY_SHAKEN:
        return ()
    return (
        outcome_above(
            "the large grain rises above most of the small ones (share below it)", place_now(experiment), TOP
        ),
    )


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Place of the large grain now."""
    built, height = experiment.run.built, column(experiment, "height")
    if not height.size:
        return ()
    below = 100.0 * column(experiment, "below")[-1]
    return (
        Reading("small grains below the large one", below, "%"),
        Reading("height of the large grain", height[-1], "m", help="Of its centre over the bottom of the box."),
        Reading("periods", elapsed(experiment) * built.frequency),
        Reading("amplitude of the box", built.amplitude, "m", given=True),
    )


def curves(experiment: Experiment) -> tuple[Curve, ...]:
    """Height of the large grain, and the share of small grains below it, against time."""
    time = column(experiment, "time")
    return (
        Curve(
            "Height",
            "time [s]",
            "height of the large grain [mm]",
            (Line("h", time, 1e3 * column(experiment, "height")),),
        ),
        Curve(
            "Below",
            "time [s]",
            "small grains below it [%]",
            (Line("share", time, 100.0 * column(experiment, "below")),),
        ),
    )


def answer(experiment: Experiment) -> Answer | None:
    """The place of the large grain at the end."""
    below, time = 100.0 * place_now(experiment), elapsed(experiment)
    return Answer(below, f"After {time:.1f} s of shaking {below:.0f} % of the small grains are below the large one.")


def numbers(experiment: Experiment) -> dict[str, Any]:
    """Place of the large grain at the end, and the time after which it was at the top [s]."""
    risen = place_now(experiment) > TOP
    rise = elapsed(experiment) if risen else None
    return {"share_below": place_now(experiment), "rise_time": rise, "amplitude": experiment.run.built.amplitude}


def box(parameters: BrazilNutParameters) -> Box:
    """The box, as high as most grains fly."""
    half = parameters.half_width + parameters.mean_radius
    high = 1.6 * parameters.height + 2.0 * parameters.nut_radius + parameters.amplitude
    return (-half, -2.0 * parameters.mean_radius), (half, high)


SCENE = disc_scene(
    name="brazil_nut",
    title="Brazil nut",
    summary="A large grain at the bottom of a shaken box of small ones rises to the top.",
    parameters=BrazilNutParameters,
    start=start,
    drive=drive,
    record=record,
    outcomes=outcomes,
    numbers=numbers,
    box=box,
    readings=readings,
    curves=curves,
    action=("Shake", "Shake the box up and down."),
    guess=Guess("Small grains below the large one at the end", "%", 0.0, 100.0),
    answer=answer,
    layers=lambda parameters: 2,
    overlap_limit=SOFT,
    lecture=("size_ratio", "shaking", "frequency", "friction", "wall_friction"),
    test_values={"grain_count": 40, "young": 3e5, "size_ratio": 2.5, "duration": 0.4, "shaking": 1.2},
)
