"""A particle leaves a corner of a free cube, or strikes it: momentum and angular momentum stay.

Maier's task 2, in the plane and without weight. In the first course the particle is pressed into a gap at the corner
and is pushed off to the left: the cube moves to the right with the opposite momentum and turns with the opposite
angular momentum. In the second course the particle comes from the left and strikes the corner. Without attraction it
rebounds; with attraction it can stick, and both turn as one body about their common centre of mass, which moves on as
before. His numbers are lost.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import SphereGroup, add_spheres
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Outcome, Part, Reading, Track
from repose.sim.message import Message, Number, _
from repose.sim.parameters import choice, count, length, number
from repose.sim.scenes.common.motion_parameters import Gravity
from repose.sim.scenes.common.timed_course import column
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    RADIUS,
    VOLUME,
    Attraction,
    BodyParameters,
    BodyTask,
    BondViscosity,
    Box,
    Cutoff,
    Duration,
    Plotted,
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
    path,
    plotted,
    rows_as_high_as,
    rows_of,
    stays_below,
    with_body,
)

CUBE, PARTICLE = range(2)
MASS = 2500.0 * VOLUME
"""Mass of a particle of the cube [kg]."""
WAY = 0.15
"""Initial distance from the particle to the corner that it strikes [m]."""
SHAPE = 5.0
"""Largest change of the diagonal of a cube that keeps its shape [%]."""
RIGID = 0.01
"""Largest fraction of the initial energy in relative motion of stuck bodies [%]."""
STUCK = 0.5
"""Share of the cutoff within which the particle must stay at the corner to count as stuck [-]."""


class CubeParameters(Unbreakable, BodyParameters):
    """A cube and a particle without weight, in SI."""

    # fmt: off
    course: Literal["leaves", "strikes"] = choice("leaves", _("the particle"), effect="restart", group=_("Experiment"),
        help=_("It leaves a corner of the cube, or comes from the left and strikes the corner."))
    side: int = count(8, 3, 16, _("side of the cube"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along a side. Takes effect at the next start."))
    mass_ratio: float = number(12.0, 1.0, 100.0, _("mass of the particle"), "m", effect="restart", group=_("Geometry"),
        help=_("In masses of a particle of the cube. Takes effect at the next start."))
    pressed: float = length(5e-3, 0.0, 0.8 * RADIUS, _("overlap at the "
                                                       "start"), "δ", effect="restart", group=_("Geometry"),
        help=_("How far the particle that leaves is pressed into the corner. At the next start."))
    speed: float = number(1.0, 0.0, 20.0, _("speed of the particle"), "v", "m/s", effect="restart", group=_("Geometry"),
        help=_("Of the particle that strikes, to the right. Takes effect at the next start."))
    # fmt: on
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
    position = corner - (distance, 0.0)
    mass = parameters.mass_ratio * MASS
    return add_spheres(
        world, position, RADIUS, mass, SphereGroup(fixed=True, layer=PARTICLE, first_id=world.sphere_count)
    )


def corner_of(parameters: CubeParameters) -> int:
    """Row of the particle at the upper left corner."""
    return parameters.side * (rows_as_high_as(parameters.side) - 1)


def felt_mass(parameters: CubeParameters) -> float:
    """Mass of the rigid cube that an impact to the right on its corner feels, M/(1 + M b²/I) with the arm b [kg]."""
    centres = lattice(parameters.side, rows_as_high_as(parameters.side))
    arm = float(centres[corner_of(parameters), 1])
    return MASS / (1.0 / len(centres) + arm**2 / float((centres**2).sum()))


def launch(parameters: CubeParameters, world: World) -> Floats:
    """Only the particle that strikes moves."""
    velocity = np.zeros((world.sphere_count, 2))
    velocity[-1, 0] = parameters.speed if parameters.course == "strikes" else 0.0
    return velocity


def measured(experiment: Experiment) -> dict[str, float]:
    """Motion of the cube, of the particle and of both; the gap between the particle and the nearest of the cube; the
    two most distant particles of the cube."""
    cube, both = motion_of(experiment, rows_of(experiment, CUBE)), motion_of(experiment, rows_of(experiment))
    particle = motion_of(experiment, rows_of(experiment, PARTICLE))
    position = experiment.run.world.motion[:2, 0]
    distance = np.hypot(*(position[:, :-1] - position[:, -1:])).min()
    upper, lower = (position[:, row] for row in distant(experiment))
    centres = {"centre": cube.centre, "common": both.centre}
    return {
        "cube_speed": cube.velocity[0],
        "particle_speed": particle.velocity[0],
        "spin": cube.spin,
        "common_spin": both.spin,
        "momentum_x": both.momentum[0],
        "momentum_y": both.momentum[1],
        "angular_momentum": both.turning,
        "gap": distance - 2.0 * RADIUS,
        "energy_apart": energy_apart(experiment),
        "diagonal": float(np.hypot(*(upper - lower))),
        **{f"{name}_{axis}": value for name, at in centres.items() for axis, value in zip("xy", at)},
    }


def distant(experiment: Experiment) -> tuple[int, int]:
    """Rows of the two most distant particles of the cube: the struck corner and the opposite one."""
    built = experiment.run.built
    return corner_of(built), built.side - 1


def tracks(experiment: Experiment) -> tuple[Track, ...]:
    """The path of the centre of the cube, or of the common centre of bodies that attract each other: straight lines,
    as long as nothing acts from outside."""
    common = experiment.run.built.course == "strikes" and experiment.run.built.pull_off_force > 0.0
    track = path(experiment, 0, "common" if common else "centre")
    return (replace(track, name=_("path of the common centre") if common else _("path of its centre")),)


def is_stuck(experiment: Experiment) -> bool:
    """Whether the particle has stayed at the cube since the impact."""
    gap = column(experiment, "gap")
    near = STUCK * experiment.parameters.rupture_distance
    return bool(gap.size and (gap[-gap.size // 4 :] < near).all())


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Velocities and spin at present."""
    if not column(experiment, "spin").size:
        return (Reading("particles", _("particles"), float(experiment.run.world.sphere_count), given=True),)
    now = {name: round(float(column(experiment, name)[-1]), 3) + 0.0 for name in ("cube_speed", "particle_speed")}
    spin = round(float(column(experiment, "spin")[-1]), 2) + 0.0
    return (
        Reading(
            "cube_spin",
            _("spin of the cube"),
            spin,
            "rad/s",
            help=_("Negative: clockwise. Angular momentum over inertia."),
        ),
        Reading("cube_velocity", _("velocity of the cube"), now["cube_speed"], "m/s", help=_("To the right.")),
        Reading(
            "particle_velocity", _("velocity of the particle"), now["particle_speed"], "m/s", help=_("To the right.")
        ),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: momentum and angular momentum stay; the cube moves to the right, turns and keeps its
    shape; a particle that sticks moves as one body with the cube, otherwise it parts from the cube."""
    built = experiment.run.built
    particle = float(experiment.run.world.mass[-1])
    speed = float(np.abs(column(experiment, "particle_speed")).max())
    spin, common, gap, diagonal = (column(experiment, name) for name in ("spin", "common_spin", "gap", "diagonal"))
    cube, alone = (float(column(experiment, name)[-1]) for name in ("cube_speed", "particle_speed"))
    entries = [
        *conserved(experiment, particle * speed, built.side * DIAMETER),
        stays_below(
            "keeps_its_shape",
            _("the cube keeps its shape"),
            100.0 * float(np.abs(diagonal / diagonal[0] - 1.0).max()),
            SHAPE,
            "%",
        ),
        stays_below("turns_clockwise", _("the cube turns clockwise"), float(spin[-1]), 0.0, "rad/s"),
    ]
    if is_stuck(experiment):
        first = 0.5 * particle * speed**2
        left = 100.0 * float(column(experiment, "energy_apart")[-1]) / first
        return (
            *entries,
            stays_below(
                "move_as_one", _("both move as one body: share of the energy in other motion"), left, RIGID, "%"
            ),
            equals(
                "common_spin",
                _("both turn about the common centre"),
                float(spin[-1]),
                float(common[-1]),
                0.02 * abs(common[-1]),
                "rad/s",
            ),
        )
    entries += [
        exceeds("moves_to_the_right", _("the cube moves to the right"), cube, 0.0, "m/s"),
        exceeds("particle_parts", _("the particle parts from the cube"), float(gap[-1]), 0.0, "m"),
    ]
    if built.course == "leaves":
        return (
            *entries,
            stays_below("particle_moves_to_the_left", _("the particle moves to the left"), alone, 0.0, "m/s"),
        )
    mass = felt_mass(built)
    elastic, inelastic = (built.speed * (particle - share * mass) / (particle + mass) for share in (1.0, 0.0))
    words = _("the particle rebounds: its velocity is between that of an elastic and of an inelastic impact")
    return (*entries, lies_between("particle_rebounds", words, alone, elastic, inelastic, "m/s"))


def answer(experiment: Experiment) -> Answer:
    """How the cube moves; in the second course also what is left of the speed of the particle."""
    built = experiment.run.built
    cube, alone, spin = (float(column(experiment, name)[-1]) for name in ("cube_speed", "particle_speed", "spin"))
    sense, rate = _("clockwise") if spin < 0.0 else _("anticlockwise"), Number(abs(spin), "rad/s", ".2f")
    if built.course == "leaves":
        words = Message(
            "The cube turns {sense} at {rate} and moves to the right at {speed}.",
            speed=Number(cube, "m/s", digits=3),
            sense=sense,
            rate=rate,
        )
        return Answer(spin, words)
    if is_stuck(experiment):
        return Answer(
            spin,
            Message(
                "Both turn {sense} at {rate} about their common centre, which moves on straight.",
                sense=sense,
                rate=rate,
            ),
        )
    left = 100.0 * abs(alone) / max(built.speed, 1e-12)
    words = Message(
        "The particle keeps {share} of its speed; the cube turns {sense} at {rate}.",
        share=Number(left, "%", ".0f"),
        sense=sense,
        rate=rate,
    )
    return Answer(left, words)


def focus(experiment: Experiment) -> Box:
    """The cube, and the way of the particle to its left: a particle that leaves goes on, one that strikes comes back to
    where it was, while the cube moves as far to the right."""
    half = 0.5 * experiment.run.built.side * DIAMETER
    if experiment.run.built.course == "strikes":
        reach = half + WAY + 2.0 * DIAMETER
        return (-reach, -half - 1.5 * DIAMETER), (reach - DIAMETER, half + 1.5 * DIAMETER)
    return (-half - 2.5 * WAY, -half - 4.0 * DIAMETER), (half + WAY, half + 4.0 * DIAMETER)


def box(parameters: CubeParameters) -> Box:
    """As far as the particle can be followed."""
    reach = 4.0 * (parameters.side * DIAMETER + WAY)
    return (-reach, -reach), (reach, reach)


PLOTS = (
    Plotted("spin", _("Spin"), Axis(_("spin"), "rad/s"), {_("cube"): "spin", _("cube and particle"): "common_spin"}),
    Plotted(
        "velocity",
        _("Velocity"),
        Axis(_("velocity to the right"), "m/s"),
        {_("cube"): "cube_speed", _("particle"): "particle_speed"},
    ),
)

SCENE = Scene(
    name="cube",
    title=_("Cube and particle"),
    summary=_("A particle leaves a corner of a free cube, or strikes it and rebounds or sticks."),
    direction=Direction(
        see=_("The particle goes one way; the cube moves the other way, its centre on a straight line, and turns."),
        colour=OWN,
        plot="spin",
        speed=0.1,
        seconds=10.0,
    ),
    group="bodies",
    parameters=CubeParameters,
    model=body_model(start),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("cube_spin", "cube_velocity", "particle_velocity"),
            launch,
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=no_lines,
        parts=(Part(_("cube"), "wood"), Part(_("particle"), "steel")),
        tracks=tracks,
        curves=plotted(PLOTS),
    ),
    limits=BODY_LIMITS,
    lecture=("course", "pull_off_force", "bond_stiffness", "bond_viscosity", "mass_ratio"),
    test_values={"side": 4, "duration": 0.4},
)
