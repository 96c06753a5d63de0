"""The left wall of a wide vessel moves to the right and rakes a viscous liquid, which piles up at it.

Maier's task 9, with the liquid of `repose.sim.scenes.large_particles.column`, more friction and a smooth bottom. The
liquid first rises at the moving wall; its middle then moves to the right, and at the right wall the particles rise and
turn back. The area of the liquid is constant while the vessel becomes narrower: the mean level rises as one over the
distance of the walls, up to the roughness of the surface. The velocity arrows of the View panel (E) show the flow.

The rise begins at the moving wall only if the inertia of the liquid is large compared with its viscosity. A bottom
without friction does not hold a viscous layer: a layer pushed at one end becomes higher everywhere at once, because the
stress 4 η du/dx is constant along it. The kinematic viscosity of particles of the mass m is about d² c/(2 m). The
Reynolds number of wall speed and depth is then 6 for the internal friction c = 0.2 kg/s, and 0.6 for 2 kg/s, for which
the liquid rises at both walls together.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Outcome, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, number
from repose.sim.scenes.common.release import velocities
from repose.sim.scenes.common.timed_course import column, times
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    BodyTask,
    Box,
    DropletParameters,
    DropletViscosity,
    Duration,
    Plotted,
    Step,
    body_course,
    body_model,
    equals,
    exceeds,
    from_parameters,
    motion_of,
    plotted,
    rows_of,
    stays_below,
)
from repose.sim.scenes.large_particles.vessel import (
    LEFT,
    LIQUID,
    box_of,
    liquid,
    vessel_lines,
    walls_at,
    width_of,
    with_vessel,
)

STRIP = 0.2
"""Width of the strips at both walls in which the surface is measured, over the distance of the walls [-]."""
TOP = 0.9
"""Fraction of the particles of a strip below its surface [-]."""
RISE = 0.5 * DIAMETER
"""Least rise of a surface that counts as a rise [m]: half a particle, the roughness of the surface."""


class RakeParameters(DropletParameters):
    """A shallow viscous liquid between two walls, in SI."""

    # fmt: off
    columns: int = count(48, 4, 120, _("length of the liquid"), "n", effect="restart", group=_("Geometry"),
        help=_("In particles; the vessel is as wide. Takes effect at the next start."))
    rows: int = count(6, 1, 30, _("depth of the liquid"), "m", effect="restart", group=_("Geometry"),
        help=_("In rows of particles. Takes effect at the next start."))
    wall_speed: float = number(0.6, 0.0, 2.0, _("speed of the wall"), "u", "m/s", group=_("Geometry"),
        help=_("Of the left wall, to the right."))
    stroke: float = number(0.5, 0.05, 0.7, _("stroke of the wall"), "s", effect="restart", group=_("Geometry"),
        help=_("Distance after which the wall stops, divided by the width of the vessel. At the next start."))
    # fmt: on
    normal_viscosity: DropletViscosity = 0.2
    dt: Step = 5e-5
    duration: Duration = 1.5


def width(parameters: RakeParameters) -> float:
    """Initial width of the vessel [m]."""
    return width_of(parameters.columns)


def start(parameters: RakeParameters, seed: int) -> World:
    """The liquid, and the wall still at rest."""
    return with_vessel(liquid(parameters.columns, parameters.rows, seed), width(parameters))


def push(experiment: Experiment) -> None:
    """Move the wall until its stroke is done."""
    built, walls = experiment.run.built, experiment.run.world.walls
    done = walls.moved[LEFT, 0] >= built.stroke * width(built)
    walls.velocity[LEFT, 0] = 0.0 if done else experiment.parameters.wall_speed


def mean(values: Floats, rows: NDArray[np.bool_]) -> float:
    """Mean over these rows; 0 if there are none."""
    return float(values[rows].mean()) if rows.any() else 0.0


def measured(experiment: Experiment) -> dict[str, float]:
    """Surface at the left and at the right wall, mean level, distance of the walls; velocities to the
    right of all and of the middle third, upwards at the right wall, to the right in the upper half there."""
    position, velocity = experiment.run.world.motion[:2, 0], velocities(experiment).T
    left, right = walls_at(experiment)
    strip = STRIP * (right - left)
    near = {"left": position[0] < left + strip, "right": position[0] > right - strip}
    surface = {side: float(np.quantile(position[1, rows], TOP)) if rows.any() else 0.0 for side, rows in near.items()}
    whole = motion_of(experiment, rows_of(experiment))
    return {
        "left": surface["left"],
        "right": surface["right"],
        "level": 2.0 * float(whole.centre[1]),
        "distance": right - left,
        "velocity": float(whole.velocity[0]),
        "middle": mean(velocity[0], np.abs(position[0] - 0.5 * (left + right)) < (right - left) / 6.0),
        "rising": mean(velocity[1], near["right"]),
        "returning": mean(velocity[0], near["right"] & (position[1] > float(np.median(position[1, near["right"]])))),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Mean level now, and the surface at both walls."""
    if not column(experiment, "level").size:
        return (Reading("particles", _("particles"), float(experiment.run.world.sphere_count), given=True),)
    now = {name: float(column(experiment, name)[-1]) for name in ("level", "left", "right")}
    return (
        Reading("mean_level", _("mean level"), now["level"], "m", help=_("Twice the height of the centre of mass.")),
        Reading("surface_at_moving_wall", _("surface at the moving wall"), now["left"], "m"),
        Reading("surface_at_right_wall", _("surface at the right wall"), now["right"], "m"),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the liquid rises first at the moving wall, its middle moves to the right, at the
    right wall it rises and turns back, and its mean level rises.

    The centre of the liquid stays in the middle between the walls and therefore moves at half of the wall speed.
    """
    left, right, level, distance, middle, up, back = (
        column(experiment, name) for name in ("left", "right", "level", "distance", "middle", "rising", "returning")
    )
    time, built = times(experiment), experiment.run.built
    if distance[-1] > 0.99 * distance[0]:
        return (Outcome("wall_moves", _("the wall moves"), _("it has not moved"), _("to the right"), False),)
    first, second = (risen(time, surface) for surface in (left, right))
    settled = level[: max(2, level.size // 20)].min()  # the block sinks a little before the wall acts
    rise, expected = float(level[-1] / settled), float(distance[0] / distance[-1])
    return (
        stays_below(
            "rises_first_at_moving_wall",
            _("the liquid rises first at the moving wall, and later at the right one"),
            first,
            second,
            "s",
        ),
        exceeds(
            "middle_moves_to_the_right",
            _("its middle moves to the right"),
            float(middle.max()),
            0.25 * built.wall_speed,
            "m/s",
        ),
        exceeds("rises_at_right_wall", _("at the right wall the particles rise"), float(up.max()), 0.0, "m/s"),
        stays_below("turns_back", _("and those above turn back to the left"), float(back.min()), 0.0, "m/s"),
        equals(
            "level_rises",
            _("the mean level rises as the vessel becomes narrower"),
            rise,
            expected,
            expected * RISE / float(level[-1]),
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """When the surface rose at either wall."""
    time = times(experiment)
    left, right = (risen(time, column(experiment, name)) for name in ("left", "right"))
    if not math.isfinite(right):
        words = Message(
            "The surface rises at the moving wall after {left}, and not at the right wall.",
            left=Number(left, "s", ".2f"),
        )
    else:
        words = Message(
            "The surface rises at the moving wall after {left}, and at the right wall after {right}.",
            left=Number(left, "s", ".2f"),
            right=Number(right, "s", ".2f"),
        )
    return Answer(left, words)


def risen(time: Floats, surface: Floats) -> float:
    """Time at which a surface has risen by `RISE` above its first minimum [s]; infinite if it does not."""
    lowest = np.minimum.accumulate(surface)
    late = np.flatnonzero(surface - lowest > RISE)
    return float(time[late[0]]) if late.size else math.inf


def focus(experiment: Experiment) -> Box:
    """The vessel as high as the liquid reaches at first; the camera also shows what is higher."""
    built = experiment.run.built
    return box_of(width(built), 2.0 * (built.rows + 2) * DIAMETER)


PLOTS = (
    Plotted(
        "surface",
        _("Surface"),
        Axis(_("height"), "mm"),
        {_("moving wall"): "left", _("right wall"): "right", _("mean level"): "level"},
        1e-3,
    ),
    Plotted("velocity", _("Velocity"), Axis(_("mean velocity to the right"), "m/s"), {_("liquid"): "velocity"}),
)

SCENE = Scene(
    name="rake",
    title=_("Raking a liquid"),
    summary=_("A wall that moves to the right rakes a viscous liquid; arrows show its velocity."),
    direction=Direction(
        see=_("The liquid piles up at the moving wall first, then at the other one, where it turns back."),
        colour=OWN,
        plot="surface",
        speed=0.2,
        show=("velocity_arrows",),
        seconds=8.0,
    ),
    group="bodies",
    parameters=RakeParameters,
    model=body_model(start),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("mean_level", "surface_at_moving_wall", "surface_at_right_wall"),
            supervised=push,
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(lambda parameters: box_of(width(parameters), 3.5 * (parameters.rows + 2) * DIAMETER)),
        focus=focus,
        facets=vessel_lines,
        parts=LIQUID,
        curves=plotted(PLOTS),
    ),
    limits=BODY_LIMITS,
    lecture=("normal_viscosity", "wall_speed", "rows", "pull_off_force", "normal_stiffness"),
    test_values={"columns": 30, "rows": 5, "duration": 0.6, "stroke": 0.3},
)
