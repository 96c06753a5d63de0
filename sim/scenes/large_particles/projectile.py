"""A projectile strikes a heavy target: partly elastic, it rebounds; perfectly inelastic, both move on as one body.

Maier's task 7, without weight. In the partly elastic impact the particles of projectile and target do not attract each
other: the target is deformed and pushes the projectile back. In the inelastic impact they do, the bodies are softer and
their internal friction is larger, in place of his coefficients, which are lost. An impact beside the centre leaves a
common velocity and a common spin, given by momentum and angular momentum before.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Line, Reading
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.release import velocities
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    RADIUS,
    ROUNDING,
    VOLUME,
    Attraction,
    BodyParameters,
    BondStiffness,
    BondViscosity,
    Cutoff,
    Duration,
    Plotted,
    Repelling,
    Step,
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

TARGET, PROJECTILE = range(2)
MASS = 2500.0 * VOLUME
"""Of a particle [kg]."""
WAY = 0.06
"""Between the bodies at the start [m]."""
RIGID = 0.05
"""Largest share of the first kinetic energy that may be left in vibrations after a perfectly inelastic impact [-]."""


Offset = Annotated[
    float,
    Ge(-0.2),
    Le(0.2),
    restart("offset", "b", "mm", 1e-3),
    Field(description="Height of the projectile above the centre of the target. Takes effect at the next start."),
]


class ProjectileParameters(Unbreakable, BodyParameters):
    """A projectile in front of a target, in SI."""

    speed: Annotated[
        float,
        Ge(0.1),
        Le(20.0),
        restart("speed of the projectile", "v", "m/s"),
        Field(description="To the right. Takes effect at the next start."),
    ] = 2.0
    offset: Offset = 0.0
    projectile_side: Annotated[
        int,
        Ge(1),
        Le(12),
        restart("side of the projectile", "n"),
        Field(description="Particles along a side. Takes effect at the next start."),
    ] = 5
    target_height: Annotated[
        int,
        Ge(3),
        Le(30),
        restart("height of the target", "m"),
        Field(description="Rows of particles. Takes effect at the next start."),
    ] = 19
    target_width: Annotated[
        int,
        Ge(2),
        Le(20),
        restart("width of the target", "w"),
        Field(description="Particles along a row. Takes effect at the next start."),
    ] = 8
    gravity: Gravity = 0.0
    duration: Duration = 0.6


class ElasticParameters(Repelling, ProjectileParameters):
    """A projectile that rebounds."""

    bond_viscosity: BondViscosity = 0.5


class CaptureParameters(ProjectileParameters):
    """A projectile that stays in the target."""

    bond_stiffness: BondStiffness = 4e3
    bond_viscosity: BondViscosity = 4.0
    pull_off_force: Attraction = 20.0
    rupture_distance: Cutoff = 6e-3
    offset: Offset = 0.08
    dt: Step = 5e-5


def start(parameters: Any, seed: int) -> World:
    """The target at the origin, and the projectile to its left."""
    rest = balanced_length(parameters)
    target = lattice(parameters.target_width, parameters.target_height)
    projectile = lattice(parameters.projectile_side, rows_as_high_as(parameters.projectile_side))
    left = target[:, 0].min() - WAY - 2.0 * RADIUS - projectile[:, 0].max()
    world = with_body(new_world(), target, MASS, TARGET, rest_length=rest)
    projectile = projectile + np.array([left, parameters.offset])
    return with_body(world, projectile, MASS, PROJECTILE, rest_length=rest)


def launch(parameters: Any, world: World) -> Floats:
    """Only the projectile moves."""
    return np.where((world.layer == PROJECTILE)[:, None], (parameters.speed, 0.0), 0.0)


def measured(experiment: Experiment) -> dict[str, float]:
    """Motion of both bodies and of the whole, and the energy of all motion that is not that of one rigid body."""
    rows = rows_of(experiment)
    target, projectile = (motion_of(experiment, rows_of(experiment, body)) for body in (TARGET, PROJECTILE))
    whole = motion_of(experiment, rows)
    world = experiment.run.world
    arm = world.motion[:2, 0].T - whole.centre
    rigid = whole.velocity + whole.spin * np.column_stack([-arm[:, 1], arm[:, 0]])
    apart = velocities(experiment) - rigid
    return {
        "target_speed": target.velocity[0],
        "projectile_speed": projectile.velocity[0],
        "target_spin": target.spin,
        "projectile_spin": projectile.spin,
        "common_spin": whole.spin,
        "momentum_x": whole.momentum[0],
        "momentum_y": whole.momentum[1],
        "angular_momentum": whole.turning,
        "relative_energy": 0.5 * float(world.mass @ (apart**2).sum(axis=1)),
    }


def restitution(experiment: Experiment) -> float:
    """Velocity of the bodies away from each other over that towards each other before [-]."""
    apart = column(experiment, "target_speed")[-1] - column(experiment, "projectile_speed")[-1]
    return float(apart / experiment.run.built.speed)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Velocities, and what the impact made of them."""
    if not column(experiment, "momentum_x").size:
        return (Reading("particles", float(experiment.run.world.sphere_count)),)
    now = {name: round(float(values[-1]), 3) + 0.0 for name, values in experiment.run.state.columns.items()}
    return (
        Reading("velocity of the projectile", now["projectile_speed"], "m/s", help="To the right."),
        Reading("velocity of the target", now["target_speed"], "m/s", help="To the right."),
        Reading("restitution", round(restitution(experiment), 3) + 0.0, help="Velocity apart over velocity before."),
        Reading("common spin", now["common_spin"], "rad/s", help="Angular momentum over moment of inertia of both."),
    )


def conserved(experiment: Experiment) -> str:
    """Complaint about momentum and angular momentum, which stay without weight."""
    built = experiment.run.built
    momentum = float(column(experiment, "momentum_x")[0])
    for name in ("momentum_x", "momentum_y"):
        if built.gravity == 0.0 and changed_by(experiment, name, momentum) > ROUNDING:
            return f"The momentum ({name}) changes."
    if changed_by(experiment, "angular_momentum", momentum * built.target_height * DIAMETER) > ROUNDING:
        return "The angular momentum changes."
    return ""


def check_rebound(experiment: Experiment) -> str:
    """The projectile rebounds, more slowly than it came."""
    if complaint := conserved(experiment):
        return complaint
    if not 0.0 < restitution(experiment) < 1.0:
        return f"The bodies part with {restitution(experiment):.3g} of the velocity before."
    return ""


def check_capture(experiment: Experiment) -> str:
    """Both bodies end with one velocity field, that of a rigid body with the momentum and angular momentum before."""
    if complaint := conserved(experiment):
        return complaint
    mass = experiment.run.world.mass[experiment.run.world.layer == PROJECTILE].sum()
    left = column(experiment, "relative_energy")[-1] / (0.5 * mass * experiment.run.built.speed**2)
    if left > RIGID:
        return f"After the impact {100.0 * left:.1f} % of the energy are in motion of the bodies against each other."
    return ""


def box(parameters: Any) -> tuple[tuple[float, float], tuple[float, float]]:
    """Target and projectile."""
    half = 0.5 * parameters.target_height * DIAMETER
    side = parameters.projectile_side * DIAMETER
    reach = 0.5 * parameters.target_width * DIAMETER + WAY + 2.0 * side
    return (-reach, -1.2 * half), (reach, 1.2 * half)


def common(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The common velocity after a perfectly inelastic impact."""
    built, world = experiment.run.built, experiment.run.world
    share = world.mass[world.layer == PROJECTILE].sum() / world.mass.sum()
    ends = np.array([0.0, built.duration])
    return {"Velocity": (Line("both as one body", ends, np.full(2, share * built.speed)),)}


VELOCITY = Plotted(
    "Velocity", "velocity to the right [m/s]", {"projectile": "projectile_speed", "target": "target_speed"}
)

SCENE = (
    particle_scene(
        name="projectile",
        title="Projectile and target",
        summary="A projectile strikes a heavy target, which is deformed and pushes it back: partly elastic impact.",
        parameters=ElasticParameters,
        start=start,
        launch=launch,
        measured=measured,
        check=check_rebound,
        box=box,
        readings=readings,
        expected=common,
        plots=(VELOCITY,),
        lecture=("speed", "bond_stiffness", "bond_viscosity", "offset", "projectile_side"),
        test_values={"projectile_side": 3, "target_height": 7, "target_width": 4, "duration": 0.2},
    ),
    particle_scene(
        name="capture",
        title="Projectile that stays",
        summary="A projectile sticks in a target: perfectly inelastic impact with a common velocity and spin.",
        parameters=CaptureParameters,
        start=start,
        launch=launch,
        measured=measured,
        check=check_capture,
        box=box,
        readings=readings,
        expected=common,
        plots=(
            VELOCITY,
            Plotted(
                "Spin",
                "spin [rad/s]",
                {"projectile": "projectile_spin", "target": "target_spin", "both as one body": "common_spin"},
            ),
        ),
        lecture=("speed", "offset", "pull_off_force", "bond_stiffness", "bond_viscosity"),
        test_values={"projectile_side": 3, "target_height": 7, "target_width": 4, "offset": 0.03, "duration": 0.3},
    ),
)
