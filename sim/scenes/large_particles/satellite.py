"""A satellite of three particles on a long orbit: the tide stops its spin and turns it round, into that of the orbit.

Maier's last task, after M. M. Woolfson, G. J. Pert, *An introduction to computer simulation*, Oxford University Press,
1999, pages 17 to 22. The particles are joined by springs with internal friction. Near the planet its pull differs
between them, the satellite is stretched, the friction makes the stretched shape lag behind, and the planet pulls the
lagging shape back: spin is exchanged with the orbit. Their sum, the angular momentum about the planet, stays; the
friction takes energy from the orbit. The spin approaches a rate between that of the mean orbit and that of the passage
near the planet, and oscillates about it. The satellite goes round clockwise, its spin is anticlockwise at first.

Source and program give no numbers that are preserved. Here G M = 20 m³/s², the orbit begins at its far end with the
distance `far` and reaches the distance `near`, and the satellite is large against that distance, so that a few orbits
are enough. A tidal stretch of a few per cent keeps its springs in the linear range.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.builder import add_bonds, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Line, Reading
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.large_particles.particles import (
    BodyParameters,
    BondStiffness,
    BondViscosity,
    Duration,
    Plotted,
    Repelling,
    Step,
    Unbreakable,
    changed_by,
    column,
    motion_of,
    new_world,
    particle_scene,
    restart,
    rows_of,
    times,
)

MASS = 1.0
"""Of a particle [kg]."""
PARTICLE = 0.35
"""Radius of a particle over the distance of two of them [-]."""
PLANET = 0.06
"""Radius of the circle that shows the planet [m]."""
SIDES = 48
"""Of that circle."""
Attraction = Annotated[
    float,
    Ge(0.0),
    Le(1e3),
    Quantity("attraction of the planet", "G M", "m³/s²", log=True, effect="ramp", group="Planet"),
    Field(description="Acceleration towards the planet times the square of the distance."),
]
SLACK = 1e-6
"""Largest relative change of the angular momentum, which the integrator keeps up to rounding [-]."""


class SatelliteParameters(Unbreakable, Repelling, BodyParameters):
    """A satellite of three particles, in SI."""

    softening: ClassVar[float] = 0.0

    attraction: Attraction = 20.0
    bond_stiffness: BondStiffness = 2e4
    bond_viscosity: BondViscosity = 180.0
    size: Annotated[
        float,
        Ge(0.01),
        Le(0.15),
        restart("size of the satellite", "s", "mm", 1e-3),
        Field(description="Distance of two of its particles. Takes effect at the next start."),
    ] = 0.1
    far: Annotated[
        float,
        Ge(0.5),
        Le(5.0),
        restart("greatest distance", "r_a", "mm", 1e-3),
        Field(description="From the planet, where the run begins. Takes effect at the next start."),
    ] = 1.2
    near: Annotated[
        float,
        Ge(0.2),
        Le(0.5),
        restart("least distance", "r_p", "mm", 1e-3),
        Field(description="From the planet. The nearer, the stronger the tide. Takes effect at the next start."),
    ] = 0.3
    first_spin: Annotated[
        float,
        Ge(-50.0),
        Le(50.0),
        restart("spin at the start", "ω₀", "rad/s"),
        Field(description="Positive: anticlockwise, against the orbit. Takes effect at the next start."),
    ] = 9.0
    gravity: Gravity = 0.0
    dt: Step = 2e-4
    duration: Duration = 16.0


def start(parameters: SatelliteParameters, seed: int) -> World:
    """The satellite at the far end of its orbit, to the right of the planet."""
    angle = math.tau * np.arange(3) / 3.0
    across = parameters.size / math.sqrt(3.0)
    centres = np.column_stack([parameters.far + across * np.cos(angle), across * np.sin(angle)])
    world = add_spheres(new_world(), centres, PARTICLE * parameters.size, MASS, fixed=True, layer=0)
    return add_bonds(world, (0, 1, 2), (1, 2, 0), np.ones(3))


def launch(parameters: SatelliteParameters, world: World) -> Floats:
    """The velocity of a Kepler orbit at its far end, downwards, and the spin."""
    far, near = parameters.far, parameters.near
    speed = math.sqrt(2.0 * parameters.attraction * near / (far * (far + near)))
    arm = world.motion[:2, 0].T - (far, 0.0)
    return parameters.first_spin * np.column_stack([-arm[:, 1], arm[:, 0]]) - (0.0, speed)


def period(parameters: SatelliteParameters) -> float:
    """Of the Kepler orbit [s]."""
    return math.tau * math.sqrt((0.5 * (parameters.far + parameters.near)) ** 3 / max(parameters.attraction, 1e-12))


def measured(experiment: Experiment) -> dict[str, float]:
    """Spin, distance from the planet, angular momentum about the planet, longest over shortest side."""
    whole = motion_of(experiment, rows_of(experiment))
    place = experiment.run.world.motion[:2, 0]
    sides = np.hypot(*(place - np.roll(place, 1, axis=1)))
    return {
        "spin": whole.spin,
        "distance": float(np.hypot(*whole.centre)),
        "angular_momentum": whole.about((0.0, 0.0)),
        "stretch": float(sides.max() / sides.min()) - 1.0,
    }


def mean_spin(experiment: Experiment) -> float:
    """Mean spin of the last quarter of the records [rad/s]."""
    spin = column(experiment, "spin")
    return float(spin[-max(1, spin.size // 4) :].mean())


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Spin now and at the start, number of orbits."""
    spin, built = column(experiment, "spin"), experiment.run.built
    if not spin.size:
        return (Reading("spin", built.first_spin, "rad/s"),)
    orbits = float(times(experiment)[-1]) / period(built)
    return (
        Reading("spin", round(float(spin[-1]), 3) + 0.0, "rad/s", help="Negative: clockwise, as the orbit."),
        Reading("mean spin of the last quarter", round(mean_spin(experiment), 3) + 0.0, "rad/s"),
        Reading("orbits", round(orbits, 2), help=f"One takes about {period(built):.3g} s."),
    )


def check(experiment: Experiment) -> str:
    """The angular momentum about the planet stays; a spin against the orbit has reversed."""
    built = experiment.run.built
    first = abs(float(column(experiment, "angular_momentum")[0]))
    if built.gravity == 0.0 and changed_by(experiment, "angular_momentum", first) > SLACK:
        return "The angular momentum about the planet changes."
    if built.first_spin > 0.0 and not mean_spin(experiment) < 0.0:
        return f"The spin has not reversed: {mean_spin(experiment):.3g} rad/s."
    return ""


def box(parameters: SatelliteParameters) -> tuple[tuple[float, float], tuple[float, float]]:
    """The whole orbit, however its axis turns."""
    reach = parameters.far + parameters.size
    return (-reach, -reach), (reach, reach)


def lines(experiment: Experiment) -> Floats:
    """The planet as a circle."""
    angle = math.tau * np.arange(SIDES) / SIDES
    rim = PLANET * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.stack([rim, np.roll(rim, -1, axis=0)], axis=1)


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The mean rate of the orbit."""
    built = experiment.run.built
    rate = -math.tau / period(built)
    return {"Spin": (Line("mean rate of the orbit", np.array([0.0, built.duration]), np.array([rate, rate])),)}


SCENE = particle_scene(
    name="satellite",
    title="Tidal satellite",
    summary="The tide stops the spin of a satellite on a long orbit and turns it into the sense of the orbit.",
    parameters=SatelliteParameters,
    start=start,
    launch=launch,
    measured=measured,
    check=check,
    box=box,
    readings=readings,
    lines=lines,
    expected=expected,
    fields=("central_gravity",),
    plots=(
        Plotted("Spin", "spin [rad/s]", {"satellite": "spin"}),
        Plotted("Distance", "distance from the planet [mm]", {"satellite": "distance"}, 1e-3),
        Plotted("Stretch", "longest side over shortest − 1 [%]", {"satellite": "stretch"}, 1e-2),
    ),
    lecture=("bond_viscosity", "bond_stiffness", "first_spin", "near", "size"),
    test_values={"duration": 2.0, "near": 0.25, "first_spin": 3.0, "dt": 4e-4},
)
