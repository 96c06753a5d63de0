"""A particle leaves a corner of a free cube, or strikes it: momentum and angular momentum stay.

Maier's task 2, in the plane and without weight. In the first course the particle is pressed into a gap at the corner
and is pushed off to the left: the cube moves to the right with the opposite momentum and turns with the opposite
angular momentum. In the second course the particle comes from the left and strikes the corner. Without attraction it
rebounds; with attraction it can stick, and both turn as one body about their common centre of mass, which moves on as
before. His numbers are lost.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.builder import add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Reading
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    RADIUS,
    ROUNDING,
    VOLUME,
    Attraction,
    BodyParameters,
    BondViscosity,
    Cutoff,
    Duration,
    Plotted,
    Unbreakable,
    balanced_length,
    changed_by,
    column,
    lattice,
    motion_of,
    new_world,
    particle_scene,
    restart,
    rows_as_high_as,
    rows_of,
    with_body,
)

CUBE, PARTICLE = range(2)
MASS = 2500.0 * VOLUME
"""Of a particle of the cube [kg]."""
WAY = 0.15
"""From the particle to the corner at the start, where it strikes the cube [m]."""
STUCK = 0.5
"""Share of the cutoff within which the particle must stay at the corner to count as stuck [-]."""


class CubeParameters(Unbreakable, BodyParameters):
    """A cube and a particle without weight, in SI."""

    course: Annotated[
        Literal["leaves", "strikes"],
        Quantity("the particle", "", effect="restart", group="Experiment"),
        Field(description="It leaves a corner of the cube, or comes from the left and strikes the corner."),
    ] = "leaves"
    side: Annotated[
        int,
        Ge(3),
        Le(16),
        restart("side of the cube", "n"),
        Field(description="Particles along a side. Takes effect at the next start."),
    ] = 8
    mass_ratio: Annotated[
        float,
        Ge(1.0),
        Le(100.0),
        restart("mass of the particle", "m"),
        Field(description="In masses of a particle of the cube. Takes effect at the next start."),
    ] = 12.0
    pressed: Annotated[
        float,
        Ge(0.0),
        Le(0.8 * RADIUS),
        restart("overlap at the start", "δ", "mm", 1e-3),
        Field(description="How far the particle that leaves is pressed into the corner. At the next start."),
    ] = 5e-3
    speed: Annotated[
        float,
        Ge(0.0),
        Le(20.0),
        restart("speed of the particle", "v", "m/s"),
        Field(description="Of the particle that strikes, to the right. Takes effect at the next start."),
    ] = 1.0
    pull_off_force: Attraction = 0.0
    rupture_distance: Cutoff = 5e-3
    bond_viscosity: BondViscosity = 1.0
    gravity: Gravity = 0.0
    duration: Duration = 1.0


def start(parameters: CubeParameters, seed: int) -> World:
    """The cube, and the particle to the left of its upper left corner."""
    centres = lattice(parameters.side, rows_as_high_as(parameters.side))
    world = with_body(new_world(), centres, MASS, CUBE, rest_length=balanced_length(parameters))
    corner = centres[corner_of(parameters)]
    distance = 2.0 * RADIUS + (WAY if parameters.course == "strikes" else -parameters.pressed)
    place = corner - (distance, 0.0)
    mass = parameters.mass_ratio * MASS
    return add_spheres(world, place, RADIUS, mass, fixed=True, layer=PARTICLE, first_id=world.sphere_count)


def corner_of(parameters: CubeParameters) -> int:
    """Row of the particle at the upper left corner."""
    return parameters.side * (rows_as_high_as(parameters.side) - 1)


def launch(parameters: CubeParameters, world: World) -> Floats:
    """Only the particle that strikes moves."""
    velocity = np.zeros((world.sphere_count, 2))
    velocity[-1, 0] = parameters.speed if parameters.course == "strikes" else 0.0
    return velocity


def measured(experiment: Experiment) -> dict[str, float]:
    """Motion of the cube, of the particle and of both; the gap between the particle and the nearest of the cube."""
    cube, both = motion_of(experiment, rows_of(experiment, CUBE)), motion_of(experiment, rows_of(experiment))
    particle = motion_of(experiment, rows_of(experiment, PARTICLE))
    place = experiment.run.world.motion[:2, 0]
    apart = np.hypot(*(place[:, :-1] - place[:, -1:])).min()
    return {
        "cube_speed": cube.velocity[0],
        "particle_speed": particle.velocity[0],
        "spin": cube.spin,
        "common_spin": both.spin,
        "momentum_x": both.momentum[0],
        "momentum_y": both.momentum[1],
        "angular_momentum": both.turning,
        "gap": apart - 2.0 * RADIUS,
    }


def is_stuck(experiment: Experiment) -> bool:
    """Whether the particle has stayed at the cube since it came there."""
    gap = column(experiment, "gap")
    near = STUCK * experiment.parameters.rupture_distance
    return bool(gap.size and (gap[-gap.size // 4 :] < near).all())


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Velocities and spin at present."""
    if not column(experiment, "spin").size:
        return (Reading("particles", float(experiment.run.world.sphere_count)),)
    now = {name: round(float(column(experiment, name)[-1]), 3) + 0.0 for name in ("cube_speed", "particle_speed")}
    spin = round(float(column(experiment, "spin")[-1]), 2) + 0.0
    return (
        Reading("spin of the cube", spin, "rad/s", help="Negative: clockwise. Angular momentum over inertia."),
        Reading("velocity of the cube", now["cube_speed"], "m/s", help="To the right."),
        Reading("velocity of the particle", now["particle_speed"], "m/s", help="To the right."),
    )


def check(experiment: Experiment) -> str:
    """Momentum and angular momentum stay; the cube turns clockwise; who sticks has one spin, who rebounds is slower."""
    built = experiment.run.built
    particle = float(experiment.run.world.mass[-1])
    speed = float(np.abs(column(experiment, "particle_speed")).max())
    if built.gravity == 0.0:
        for name in ("momentum_x", "momentum_y"):
            if changed_by(experiment, name, particle * speed) > ROUNDING:
                return f"The momentum ({name}) changes."
    if changed_by(experiment, "angular_momentum", particle * speed * built.side * DIAMETER) > ROUNDING:
        return "The angular momentum changes."
    spin, common, gap = (column(experiment, name) for name in ("spin", "common_spin", "gap"))
    if not spin[-1] < 0.0:
        return f"The cube does not turn clockwise: {spin[-1]:.3g} rad/s."
    if is_stuck(experiment):
        late = spin[-spin.size // 4 :].mean()
        return "" if abs(late - common[-1]) < 0.05 * abs(common[-1]) else "The particle does not turn with the cube."
    if experiment.parameters.pull_off_force == 0.0 and not gap[-1] > 0.0:
        return "The particle does not part from the cube."
    apart = column(experiment, "cube_speed")[-1] - column(experiment, "particle_speed")[-1]
    if built.course == "strikes" and not 0.0 < apart < 2.0 * built.speed:
        return f"The particle parts from the cube at {apart:.3g} m/s."
    return ""


def box(parameters: CubeParameters) -> tuple[tuple[float, float], tuple[float, float]]:
    """The cube, and the way of the particle to its left."""
    half = 0.5 * parameters.side * DIAMETER
    return (-half - 2.5 * WAY, -half - 4.0 * DIAMETER), (half + WAY, half + 4.0 * DIAMETER)


SCENE = particle_scene(
    name="cube",
    title="Cube and particle",
    summary="A particle leaves a corner of a free cube, or strikes it and rebounds or sticks.",
    parameters=CubeParameters,
    start=start,
    launch=launch,
    measured=measured,
    check=check,
    box=box,
    readings=readings,
    plots=(
        Plotted("Spin", "spin [rad/s]", {"cube": "spin", "cube and particle": "common_spin"}),
        Plotted("Velocity", "velocity to the right [m/s]", {"cube": "cube_speed", "particle": "particle_speed"}),
    ),
    lecture=("course", "pull_off_force", "bond_stiffness", "bond_viscosity", "mass_ratio"),
    test_values={"side": 4, "duration": 0.4},
)
