"""A satellite of three particles on a long orbit: the tide stops its spin and turns it round, into that of the orbit.

Maier's last task, after M. M. Woolfson, G. J. Pert, *An introduction to computer simulation*, Oxford University Press,
1999, pages 17 to 22. The particles are joined by springs with internal friction. Near the planet the attraction differs
between the particles and stretches the satellite. Friction delays the stretched shape, and the planet exerts a torque
on it: angular momentum is exchanged between spin and orbit. The sum, the angular momentum about the planet, is
constant; friction takes energy from the orbit. The spin approaches the rate at which the tide does no work over an
orbit, between the angular velocities of the mean orbit and of the passage near the planet, and oscillates about it. The
orbit is clockwise; the spin is anticlockwise at first.

No numbers of the source are preserved. Here G M = 20 m³/s². The orbit begins at its far end at the distance `far` and
reaches the distance `near`. The springs are soft with a damping time c/k = 20 ms: a few orbits are enough. A larger
satellite would exchange so much angular momentum that its orbit changes, and its triangular shape would turn it at
random.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Label, Line, Outcome, Part, Reading, Track
from repose.sim.message import Message, Number, _
from repose.sim.parameters import length, number
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.timed_course import column, times
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    BodyParameters,
    BodyTask,
    BondStiffness,
    Box,
    Duration,
    InternalFriction,
    Plotted,
    Repelling,
    Step,
    Unbreakable,
    body_course,
    body_model,
    equals,
    from_parameters,
    motion_of,
    new_world,
    plotted,
    rows_of,
    stays,
    stays_below,
)

MASS = 1.0
"""Mass of a particle [kg]."""
PARTICLE = 0.35
"""Radius of a particle over the distance of two of them [-]."""
PLANET = 0.06
"""Radius of the circle that shows the planet [m]."""
FILLED = 7
"""Number of circles that make the planet a disc."""
SIDES = 48
"""Number of sides of a drawn circle."""
ORBITS, SMOOTH = 2.0, 6
"""Number of latest orbits whose path is drawn, and points of the path per record."""
LENS = 0.25
"""Radius of the circle in which the satellite is drawn magnified, over the greatest distance [-]."""
# fmt: off
Attraction = Annotated[float, number(..., 0.0, 50.0, _("attraction of the planet"), "G M", "m³/s²", log=True,
    effect="ramp", group=_("Planet"), help=_("Acceleration towards the planet times the square of the distance."))]
# fmt: on


NEARBY = 1.5
"""Distance from the planet below which the satellite passes it, over the least distance [-]."""
BALANCED = 0.15
"""Largest relative deviation of the final spin from the closed form [-]: three particles are not a sphere, and each
passage near the planet changes the spin at random by about G M s/r^4 times its duration, some 1 rad/s at the default
size."""


DAMPED = 0.2
"""Largest standard deviation of the spin in the last third of the run over the deviation at the start [-]: 0.05 at the
default size; without internal friction the passages leave 0.5."""


class SatelliteParameters(Unbreakable, Repelling, BodyParameters):
    """A satellite of three particles, in SI."""

    softening: ClassVar[float] = 0.0

    attraction: Attraction = 20.0
    bond_stiffness: BondStiffness = 6e3
    bond_viscosity: InternalFriction = 120.0
    # fmt: off
    size: float = length(0.02, 0.01, 0.15, _("size of the satellite"), "s", effect="restart", group=_("Geometry"),
        help=_("Distance of two of its particles. Takes effect at the next start."))
    far: float = length(1.2, 0.5, 5.0, _("greatest distance"), "r_a", effect="restart", group=_("Geometry"),
        help=_("From the planet, where the run begins. Takes effect at the next start."))
    near: float = length(0.3, 0.2, 0.5, _("least distance"), "r_p", effect="restart", group=_("Geometry"),
        help=_("From the planet. The nearer, the stronger the tide. Takes effect at the next start."))
    first_spin: float = number(9.0, -50.0, 50.0, _("spin at the "
                                                   "start"), "ω₀", "rad/s", effect="restart", group=_("Geometry"),
        help=_("Positive: anticlockwise, against the orbit. Takes effect at the next start."))
    # fmt: on
    gravity: Gravity = 0.0
    dt: Step = 2e-4
    duration: Duration = 16.0


def start(parameters: SatelliteParameters, seed: int) -> World:
    """The satellite at the far end of its orbit, to the right of the planet."""
    angle = math.tau * np.arange(3) / 3.0
    across = parameters.size / math.sqrt(3.0)
    centres = np.column_stack([parameters.far + across * np.cos(angle), across * np.sin(angle)])
    world = add_spheres(new_world(), centres, PARTICLE * parameters.size, MASS, SphereGroup(fixed=True, layer=0))
    return add_bonds(world, (0, 1, 2), (1, 2, 0), np.ones(3))


def launch(parameters: SatelliteParameters, world: World) -> Floats:
    """The velocity of a Kepler orbit at its far end, downwards, and the spin."""
    far, near = parameters.far, parameters.near
    speed = math.sqrt(2.0 * parameters.attraction * near / (far * (far + near)))
    arm = world.motion[:2, 0].T - (far, 0.0)
    return parameters.first_spin * np.column_stack([-arm[:, 1], arm[:, 0]]) - (0.0, speed)


def period(parameters: SatelliteParameters) -> float:
    """Period of the Kepler orbit [s]."""
    return math.tau * math.sqrt((0.5 * (parameters.far + parameters.near)) ** 3 / max(parameters.attraction, 1e-12))


def measured(experiment: Experiment) -> dict[str, float]:
    """Spin, distance from the planet, angular momentum about the planet, longest over shortest side."""
    whole = motion_of(experiment, rows_of(experiment))
    position = experiment.run.world.motion[:2, 0]
    sides = np.hypot(*(position - np.roll(position, 1, axis=1)))
    return {
        "spin": whole.spin,
        "distance": float(np.hypot(*whole.centre)),
        "angular_momentum": whole.about((0.0, 0.0)),
        "centre_x": float(whole.centre[0]),
        "centre_y": float(whole.centre[1]),
        "velocity_x": float(whole.velocity[0]),
        "velocity_y": float(whole.velocity[1]),
        "stretch": float(sides.max() / sides.min()) - 1.0,
    }


def late_spin(experiment: Experiment) -> Floats:
    """Spin in the last third of the records [rad/s]."""
    spin = column(experiment, "spin")
    return spin[-max(1, spin.size // 3) :]


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Spin, distance and number of orbits; at the end also the mean spin of the last third of the run."""
    spin, built = column(experiment, "spin"), experiment.run.built
    if not spin.size:
        return (Reading("spin", _("spin"), built.first_spin, "rad/s", given=True),)
    orbits = float(times(experiment)[-1]) / period(built)
    return (
        Reading(
            "spin", _("spin"), round(float(spin[-1]), 3) + 0.0, "rad/s", help=_("Negative: clockwise, as the orbit.")
        ),
        *((settled_spin(experiment),) if experiment.phase == "rested" else ()),
        Reading("planet_distance", _("distance from the planet"), float(column(experiment, "distance")[-1]), "m"),
        Reading(
            "orbits",
            _("orbits"),
            round(orbits, 2),
            help=Message("One takes about {built} s.", built=Number(period(built), format=".3g")),
        ),
    )


def settled_spin(experiment: Experiment) -> Reading:
    """The mean spin of the last third of the run, beside the rate that it approaches."""
    rate = -balanced_rate(experiment.run.built)
    value = round(float(late_spin(experiment).mean()), 3) + 0.0
    words = Message("The tide does no work at {rate} rad/s (Hut 1981).", rate=Number(rate, format=".3g"))
    return Reading("late_mean_spin", _("mean spin of the last third"), value, "rad/s", expected=rate, help=words)


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the spin against the orbit ends, changes to the sense of the orbit and approaches a
    rate, about which it oscillates; the angular momentum about the planet stays."""
    built = experiment.run.built
    first = abs(float(column(experiment, "angular_momentum")[0]))
    late = late_spin(experiment)
    kept_distance = stays(
        experiment, "angular_momentum", _("the angular momentum about the planet stays"), ("angular_momentum",), first
    )
    if not built.first_spin > 0.0:
        return (kept_distance,)
    return (
        kept_distance,
        stays_below(
            "turns_into_the_orbit", _("the spin turns into the sense of the orbit"), float(late.mean()), 0.0, "rad/s"
        ),
        equals(
            "balanced_rate",
            _("it approaches the rate at which the tide does no work over an orbit (Hut)"),
            float(late.mean()),
            -balanced_rate(built),
            max(2.0 * float(late.std()), BALANCED * balanced_rate(built)),
            "rad/s",
        ),
        stays_below(
            "oscillations_damped",
            _("its oscillations about that rate are damped"),
            float(late.std()),
            DAMPED * abs(built.first_spin - float(late.mean())),
            "rad/s",
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """The share of the change of the spin that belongs to the passages near the planet, and the spin at the end."""
    built, spin, distance = experiment.run.built, column(experiment, "spin"), column(experiment, "distance")
    change, near = np.abs(np.diff(spin)), distance[1:] < NEARBY * built.near
    share = 100.0 * float(change[near].sum() / max(change.sum(), 1e-300))
    return Answer(
        share,
        Message(
            "{share} of the change of the spin falls into {time} of the time, the passages near the planet; at the end "
            "the spin is {spin}, {sense}.",
            share=Number(share, "%", ".0f"),
            time=Number(100.0 * float(near.mean()), "%", ".0f"),
            spin=Number(abs(float(late_spin(experiment).mean())), "rad/s", ".1f"),
            sense=_("clockwise") if late_spin(experiment).mean() < 0.0 else _("anticlockwise"),
        ),
    )


def balanced_rate(parameters: SatelliteParameters) -> float:
    """Spin at which the mean tidal torque over an orbit of the eccentricity e vanishes, if the tide lags by a constant
    time (P. Hut, Astronomy and Astrophysics 99, 126, 1981, equation 42) [rad/s]."""
    e = (parameters.far - parameters.near) / (parameters.far + parameters.near)
    above = 1.0 + 7.5 * e**2 + 45.0 / 8.0 * e**4 + 5.0 / 16.0 * e**6
    below = (1.0 + 3.0 * e**2 + 3.0 / 8.0 * e**4) * (1.0 - e**2) ** 1.5
    rate: float = math.tau / period(parameters) * above / below
    return rate


def box(parameters: SatelliteParameters) -> Box:
    """The whole orbit, however its axis turns."""
    reach = parameters.far + parameters.size
    return (-reach, -reach), (reach, reach)


def focus(experiment: Experiment) -> Box:
    """The first orbit, and beside it the magnified satellite."""
    built = experiment.run.built
    half = 1.1 * math.sqrt(built.far * built.near)
    return (-built.near - 2.2 * LENS * built.far, -half), (built.far + built.size, half)


def tracks(experiment: Experiment) -> tuple[Track, ...]:
    """The path during the last orbits: between two records a cubic with their positions and velocities."""
    time = times(experiment)
    late = time >= (time[-1] if time.size else 0.0) - ORBITS * period(experiment.run.built)
    position, velocity = (
        np.column_stack([column(experiment, f"{name}_{axis}")[late] for axis in "xy"])
        for name in ("centre", "velocity")
    )
    if len(position) < 2:
        return ()
    lasts = np.diff(time[late])[:, None, None]
    share = np.linspace(0.0, 1.0, SMOOTH, endpoint=False)[None, :, None]
    from_first, from_second = position[:-1, None], position[1:, None]
    chord = from_second - from_first
    first, second = velocity[:-1, None] * lasts, velocity[1:, None] * lasts
    # Hermite's cubic, written with the chord.
    cubic = from_first + share * (
        first + share * ((3.0 * chord - 2.0 * first - second) + share * (first + second - 2.0 * chord))
    )
    return (Track(0, np.concatenate([cubic.reshape(-1, 2), position[-1:]])),)


def lines(experiment: Experiment) -> Floats:
    """The planet as a circle, and behind it the satellite magnified, with a line towards the planet."""
    built, position = experiment.run.built, experiment.run.world.motion[:2, 0].T
    lens, middle = LENS * built.far, position.mean(axis=0)
    centre = np.array([-built.near - 1.1 * lens, 0.0])
    larger = 0.6 * lens * math.sqrt(3.0) / built.size
    shape = centre + larger * (position - middle)
    towards = centre - lens * middle / max(float(np.hypot(*middle)), 1e-12)
    pointer = np.stack([centre + 0.8 * (towards - centre), towards])[None]
    planet = [circle(np.zeros(2), PLANET * share) for share in np.linspace(0.1, 1.0, FILLED)]
    members = [circle(corner, PARTICLE * larger * built.size) for corner in shape]
    return np.concatenate([*planet, circle(centre, lens), closed(shape), *members, pointer])


def labels(experiment: Experiment) -> tuple[Label, ...]:
    """The satellite is a small point on its orbit: its name is beside it."""
    return (Label(int(experiment.run.world.sphere_id[0]), _("satellite")),)


def circle(centre: Floats, radius: float) -> Floats:
    """Lines [m], shape (lines, 2, 2)."""
    angle = math.tau * np.arange(SIDES) / SIDES
    return closed(centre + radius * np.column_stack([np.cos(angle), np.sin(angle)]))


def closed(corners: Floats) -> Floats:
    """The sides of a polygon [m], shape (corners, 2, 2)."""
    sides: Floats = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    return sides


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The rate at which the tide does no work over an orbit."""
    built = experiment.run.built
    rate = np.full(2, -balanced_rate(built))
    return {"spin": (Line(_("without work of the tide (Hut)"), np.array([0.0, built.duration]), rate),)}


PLOTS = (
    Plotted("spin", _("Spin"), Axis(_("spin"), "rad/s"), {_("satellite"): "spin"}),
    Plotted("distance", _("Distance"), Axis(_("distance from the planet"), "mm"), {_("satellite"): "distance"}, 1e-3),
    Plotted("stretch", _("Stretch"), Axis(_("longest side over shortest − 1"), "%"), {_("satellite"): "stretch"}, 1e-2),
)

SCENE = Scene(
    name="satellite",
    title=_("Tidal satellite"),
    summary=_("The tide stops the spin of a satellite on a long orbit and turns it into the sense of the orbit."),
    direction=Direction(
        see=_("At each passage near the planet the spin changes, until it has the sense of the orbit."),
        colour=OWN,
        plot="spin",
        speed=1.0,
        seconds=16.0,
    ),
    group="bodies",
    parameters=SatelliteParameters,
    model=body_model(start, fields=("central_gravity",)),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("late_mean_spin", "planet_distance", "orbits"),
            launch,
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=lines,
        parts=(Part(_("satellite"), "steel"),),
        labels=labels,
        tracks=tracks,
        curves=plotted(PLOTS, expected),
    ),
    limits=BODY_LIMITS,
    lecture=("bond_viscosity", "bond_stiffness", "first_spin", "near", "size"),
    test_values={"duration": 6.0, "near": 0.25, "first_spin": 3.0},
)
