"""A projectile strikes a heavy target: partly elastic, it rebounds; perfectly inelastic, both move on as one body.

Maier's task 7, without weight. In the partly elastic impact the particles of projectile and target do not attract each
other: the target is deformed and pushes the projectile back. In the inelastic impact they attract each other, the
bodies are softer, and their internal friction is larger; Maier's coefficients are lost. After an impact beside the
centre both bodies have a common velocity and a common spin, which follow from momentum and angular momentum.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, length, number
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.timed_course import column, last_record
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    RADIUS,
    VOLUME,
    Attraction,
    BodyParameters,
    BodyTask,
    BondStiffness,
    BondViscosity,
    Box,
    Cutoff,
    Duration,
    Plotted,
    Repelling,
    Unbreakable,
    balanced_length,
    body_course,
    body_model,
    conserved,
    energy_apart,
    equals,
    exceeds,
    from_parameters,
    lattice,
    lies_between,
    motion_of,
    new_world,
    no_lines,
    plotted,
    rows_as_high_as,
    rows_of,
    stays_below,
    with_body,
)

TARGET, PROJECTILE = range(2)
MASS = 2500.0 * VOLUME
"""Mass of a particle [kg]."""
WAY = 0.06
"""Initial distance between the bodies [m]."""
RIGID = 0.01
"""Largest fraction of the initial kinetic energy that may remain in vibrations after the inelastic impact [%]."""
PARTS = (Part(_("target"), "wood"), Part(_("projectile"), "steel"))


# fmt: off
Offset = Annotated[float, length(..., -0.2, 0.2, _("offset"), "b", effect="restart", group=_("Geometry"),
    help=_("Height of the projectile above the centre of the target. Takes effect at the next start."))]
# fmt: on


class ProjectileParameters(Unbreakable, BodyParameters):
    """A projectile in front of a target, in SI."""

    # fmt: off
    speed: float = number(2.0, 0.1, 20.0, _("speed of the "
                                            "projectile"), "v", "m/s", effect="restart", group=_("Geometry"),
        help=_("To the right. Takes effect at the next start."))
    offset: Offset = 0.0
    projectile_side: int = count(5, 1, 12, _("side of the projectile"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along a side. Takes effect at the next start."))
    target_height: int = count(19, 3, 30, _("height of the target"), "m", effect="restart", group=_("Geometry"),
        help=_("Rows of particles. Takes effect at the next start."))
    target_width: int = count(8, 2, 20, _("width of the target"), "w", effect="restart", group=_("Geometry"),
        help=_("Particles along a row. Takes effect at the next start."))
    # fmt: on
    gravity: Gravity = 0.0
    duration: Duration = 0.6


class ElasticParameters(Repelling, ProjectileParameters):
    """A projectile that rebounds."""

    bond_viscosity: BondViscosity = 0.5


class CaptureParameters(ProjectileParameters):
    """A projectile that stays in the target."""

    bond_stiffness: BondStiffness = 4e3
    bond_viscosity: BondViscosity = 8.0
    pull_off_force: Attraction = 20.0
    rupture_distance: Cutoff = 6e-3
    offset: Offset = 0.08
    duration: Duration = 1.0


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
    """Motion of both bodies and of the whole, the energy of all motion that is not that of one rigid body, and the
    width of the target in the middle."""
    rows = rows_of(experiment)
    target, projectile = (motion_of(experiment, rows_of(experiment, body)) for body in (TARGET, PROJECTILE))
    whole = motion_of(experiment, rows)
    across, built = experiment.run.world.motion[0, 0], experiment.run.built
    struck = built.target_width * (built.target_height // 2)
    return {
        "target_speed": target.velocity[0],
        "projectile_speed": projectile.velocity[0],
        "target_spin": target.spin,
        "projectile_spin": projectile.spin,
        "common_spin": whole.spin,
        "momentum_x": whole.momentum[0],
        "momentum_y": whole.momentum[1],
        "angular_momentum": whole.turning,
        "energy_apart": energy_apart(experiment),
        "target_width": float(across[struck + built.target_width - 1] - across[struck]),
    }


def restitution(experiment: Experiment) -> float:
    """Relative velocity after the impact over relative velocity before [-]."""
    relative_speed = column(experiment, "target_speed")[-1] - column(experiment, "projectile_speed")[-1]
    return float(relative_speed / experiment.run.built.speed)


MOTIONS = ("projectile_velocity", "target_velocity", "target_spin", "projectile_spin")
"""Names of `velocities_and_spins` after the start."""


def velocities_and_spins(experiment: Experiment) -> tuple[Reading, ...]:
    """Velocity and spin of either body; before the start the number of particles."""
    if not column(experiment, "momentum_x").size:
        return (Reading("particles", _("particles"), float(experiment.run.world.sphere_count), given=True),)
    now = {name: round(value, 3) + 0.0 for name, value in last_record(experiment).items()}
    of_centre = _("To the right, of the centre. The centres of bodies that turn as one have different velocities.")
    return (
        Reading("projectile_velocity", _("velocity of the projectile"), now["projectile_speed"], "m/s", help=of_centre),
        Reading("target_velocity", _("velocity of the target"), now["target_speed"], "m/s", help=of_centre),
        Reading(
            "projectile_spin",
            _("spin of the projectile"),
            now["projectile_spin"],
            "rad/s",
            help=_("Negative: clockwise."),
        ),
        Reading("target_spin", _("spin of the target"), now["target_spin"], "rad/s", help=_("Negative: clockwise.")),
    )


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Velocities and spins, and the restitution as soon as the bodies go apart."""
    rates = velocities_and_spins(experiment)
    ratio = restitution(experiment) if column(experiment, "momentum_x").size else 0.0
    if ratio <= 0.0:
        return rates
    return (
        *rates[:2],
        Reading("restitution", _("restitution"), round(ratio, 3), help=_("Velocity apart over velocity before.")),
        *rates[2:],
    )


def impulses(experiment: Experiment) -> tuple[Outcome, ...]:
    """Momentum and angular momentum stay without weight."""
    momentum = float(column(experiment, "momentum_x")[0])
    return conserved(experiment, momentum, experiment.run.built.target_height * DIAMETER)


def rebound(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the target is deformed and pushes the projectile back, in part elastically."""
    width = column(experiment, "target_width")
    return (
        *impulses(experiment),
        exceeds(
            "target_deformed",
            _("the target is deformed: its struck row becomes shorter by"),
            float(width[0] - width.min()),
            0.0,
            "m",
        ),
        stays_below(
            "pushed_back",
            _("the heavy target pushes the projectile back"),
            float(column(experiment, "projectile_speed")[-1]),
            0.0,
            "m/s",
        ),
        lies_between(
            "partly_elastic", _("the impact is partly elastic: restitution"), restitution(experiment), 0.0, 1.0
        ),
    )


def union(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: both bodies move on with the velocity and the spin that momentum and angular momentum
    give."""
    built, world = experiment.run.built, experiment.run.world
    final = last_record(experiment)
    mass = world.mass[world.layer == PROJECTILE].sum()
    left = 100.0 * final["energy_apart"] / (0.5 * mass * built.speed**2)
    # With the energy E left in vibrations, the spin of a body deviates by at most sqrt(2 E/I) from the common spin.
    inertia = min(motion_of(experiment, rows_of(experiment, body)).inertia for body in (TARGET, PROJECTILE))
    slack = float(np.sqrt(2.0 * RIGID / 100.0 * 0.5 * mass * built.speed**2 / inertia)) if inertia > 0.0 else 0.0
    whole = final["common_spin"]
    return (
        *impulses(experiment),
        stays_below("move_as_one", _("both move as one body: share of the energy in other motion"), left, RIGID, "%"),
        equals(
            "common_spin",
            _("target and projectile have the spin of both"),
            final["projectile_spin"],
            whole,
            slack,
            "rad/s",
        ),
    )


def energy_kept(experiment: Experiment) -> float:
    """Kinetic energy of both bodies at the end, as rigid ones, over that of the projectile at the start [-]."""
    world, final = experiment.run.world, last_record(experiment)
    mass = world.mass[world.layer == PROJECTILE].sum()
    kept = 0.0
    for body, name in ((TARGET, "target"), (PROJECTILE, "projectile")):
        motion = motion_of(experiment, rows_of(experiment, body))
        kept += motion.mass * final[f"{name}_speed"] ** 2 + motion.inertia * final[f"{name}_spin"] ** 2
    return float(kept / (mass * experiment.run.built.speed**2))


def answer_of_rebound(experiment: Experiment) -> Answer:
    """The share of the energy that the bodies do not keep, and the restitution."""
    lost = 100.0 * (1.0 - energy_kept(experiment))
    words = Message(
        "{lost} of the energy goes into vibrations of both bodies and, by their internal friction, into heat; the "
        "restitution is {ratio}.",
        lost=Number(lost, "%", ".0f"),
        ratio=Number(restitution(experiment), format=".2f"),
    )
    return Answer(lost, words)


def answer_of_union(experiment: Experiment) -> Answer:
    """The common velocity, which the height of the hit does not change, and the common spin."""
    built, world, final = experiment.run.built, experiment.run.world, last_record(experiment)
    common = float(world.mass[world.layer == PROJECTILE].sum() / world.mass.sum() * built.speed)
    words = Message(
        "Both move on at {speed} at any height of the hit; at this height they turn at {spin}.",
        speed=Number(common, "m/s", digits=3),
        spin=Number(abs(final["common_spin"]), "rad/s", ".2f"),
    )
    return Answer(common, words)


def focus(experiment: Experiment) -> Box:
    """Target and projectile at the start."""
    parameters = experiment.run.built
    half = 0.5 * parameters.target_height * DIAMETER
    side = parameters.projectile_side * DIAMETER
    reach = 0.5 * parameters.target_width * DIAMETER + WAY + 2.0 * side
    return (-reach, -1.2 * half), (reach, 1.2 * half)


def box(parameters: Any) -> Box:
    """As far as target and projectile move: neither is faster than the projectile at the start."""
    size = (parameters.target_height + parameters.target_width + parameters.projectile_side) * DIAMETER + WAY
    reach = size + parameters.speed * parameters.duration
    return (-reach, -reach), (reach, reach)


def common(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The common velocity after a perfectly inelastic impact."""
    built, world = experiment.run.built, experiment.run.world
    share = world.mass[world.layer == PROJECTILE].sum() / world.mass.sum()
    ends = np.array([0.0, built.duration])
    return {"velocity": (Line(_("both as one body"), ends, np.full(2, share * built.speed)),)}


VELOCITY = Plotted(
    "velocity",
    _("Velocity"),
    Axis(_("velocity to the right"), "m/s"),
    {_("projectile"): "projectile_speed", _("target"): "target_speed"},
)
SPIN = Plotted(
    "spin",
    _("Spin"),
    Axis(_("spin"), "rad/s"),
    {_("projectile"): "projectile_spin", _("target"): "target_spin", _("both as one body"): "common_spin"},
)

SCENE = (
    Scene(
        name="projectile",
        title=_("Projectile and target"),
        summary=_("A projectile strikes a heavy target, which is deformed and pushes it back: partly elastic impact."),
        direction=Direction(
            see=_("The target is deformed and pushes the projectile back, more slowly than it came."),
            colour=OWN,
            plot="velocity",
            speed=0.05,
            seconds=12.0,
        ),
        group="bodies",
        parameters=ElasticParameters,
        model=body_model(start),
        course=body_course(
            BodyTask(
                start,
                measured,
                rebound,
                readings,
                (*MOTIONS, "restitution"),
                launch,
                answer=answer_of_rebound,
            )
        ),
        view=SceneView(
            box=from_parameters(box), focus=focus, facets=no_lines, parts=PARTS, curves=plotted((VELOCITY,), common)
        ),
        limits=BODY_LIMITS,
        lecture=("speed", "bond_stiffness", "bond_viscosity", "offset", "projectile_side"),
        test_values={"projectile_side": 3, "target_height": 7, "target_width": 4, "duration": 0.2},
    ),
    Scene(
        name="capture",
        title=_("Projectile that stays"),
        summary=_("A projectile sticks in a target: perfectly inelastic impact with a common velocity and spin."),
        direction=Direction(
            see=_("The projectile sticks: both move on with one velocity and turn about their common centre."),
            colour=OWN,
            plot="velocity",
            speed=0.1,
            seconds=12.0,
        ),
        group="bodies",
        parameters=CaptureParameters,
        model=body_model(start),
        course=body_course(
            BodyTask(start, measured, union, velocities_and_spins, MOTIONS, launch, answer=answer_of_union)
        ),
        view=SceneView(
            box=from_parameters(box),
            focus=focus,
            facets=no_lines,
            parts=PARTS,
            curves=plotted((VELOCITY, SPIN), common),
        ),
        limits=BODY_LIMITS,
        lecture=("speed", "offset", "pull_off_force", "bond_stiffness", "bond_viscosity"),
        test_values={"projectile_side": 3, "target_height": 7, "target_width": 4, "offset": 0.03, "duration": 0.3},
    ),
)
