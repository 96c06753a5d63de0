"""An inelastic rod strikes a smooth floor with one end, deforms, bounces off, turns over and falls again.

Maier's task 1. Its force formula and its numbers are lost; this rod is made of three rows of particles and falls on
its lower end. The floor is smooth: it exerts no horizontal force, so the centre of mass keeps its horizontal velocity,
and the first impact alone makes the rod rotate. A rigid rod of the length L, its direction at the angle a to the
horizontal, that strikes with the speed v and the restitution e of its end has afterwards the spin
(1 + e) v b/(L²/12 + b²), with the arm b = (L/2) cos a: a rod that deforms less rotates faster.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Outcome, Part, Reading
from repose.sim.message import Message, Number, Value, _
from repose.sim.parameters import count, number
from repose.sim.scenes.common.timed_course import column
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    RADIUS,
    VOLUME,
    BodyParameters,
    BodyTask,
    BondViscosity,
    Box,
    Duration,
    Plotted,
    Repelling,
    Unbreakable,
    body_course,
    body_model,
    direction,
    exceeds,
    from_parameters,
    ground,
    lattice,
    motion_of,
    new_world,
    plotted,
    rows_of,
    stays,
    stays_below,
    turned,
    upward_plane,
    with_body,
)

ROWS = 3
MASS = 2500.0 * VOLUME
"""Mass of a particle [kg]."""
DEFORMED = 1.0
"""Least relative decrease of the distance of the ends of a deformed rod [%]."""
MARKED = 2
"""Columns of particles at either end that have a colour of their own."""
STRUCK_END, OTHER_END = 1, 2
"""Layers of the ends; the rest of the rod has the layer 0."""
GAP = 0.05
"""Initial distance between the lower end and the floor [m]."""


class RodParameters(Unbreakable, Repelling, BodyParameters):
    """A rod above a floor, in SI."""

    # fmt: off
    length: int = count(18, 6, 60, _("length of the rod"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along the rod. Takes effect at the next start."))
    slope: float = number(math.radians(81.0), 0.0, math.radians(90.0), _("angle of the "
                                                                         "rod"), "α", "°", effect="restart",
        group=_("Geometry"), help=_("Against the horizontal when it is released. Takes effect at the next start."))
    speed: float = number(3.0, 0.0, 20.0, _("speed"), "v", "m/s", effect="restart", group=_("Geometry"),
        help=_("Downwards when it is released. Takes effect at the next start."))
    drift: float = number(0.25, -10.0, 10.0, _("horizontal speed"), "v_x", "m/s", effect="restart", group=_("Geometry"),
        help=_("To the right when it is released. Takes effect at the next start."))
    # fmt: on
    bond_viscosity: BondViscosity = 0.7
    duration: Duration = 1.5


def start(parameters: RodParameters, seed: int) -> World:
    """The rod above the floor, its lower end on the left."""
    centres = turned(lattice(parameters.length, ROWS), parameters.slope)
    centres[:, 1] += GAP + RADIUS - centres[:, 1].min()
    world = with_body(new_world(), centres, MASS, 0)
    column = np.tile(np.arange(parameters.length), ROWS)
    world.layer[column < MARKED], world.layer[column >= parameters.length - MARKED] = STRUCK_END, OTHER_END
    return set_walls(world, [PLANE], upward_plane())


def launch(parameters: RodParameters, world: World) -> Floats:
    """All particles have one velocity."""
    return np.tile((parameters.drift, -parameters.speed), (world.sphere_count, 1))


def ends(experiment: Experiment) -> tuple[int, int]:
    """Rows of the particles in the middle of the lower and of the upper end."""
    columns = experiment.run.built.length
    return columns * (ROWS // 2), columns * (ROWS // 2) + columns - 1


def measured(experiment: Experiment) -> dict[str, float]:
    """Height of the centre and of both ends, angle, spin, horizontal momentum, gap to the floor, distance of the
    ends."""
    whole, position = motion_of(experiment, rows_of(experiment)), experiment.run.world.motion[:2, 0]
    height = position[1]
    low, high = ends(experiment)
    before = column(experiment, "angle")
    angle = direction(experiment, low, high)
    if before.size:  # of all angles of this direction the one next to the last
        angle += math.tau * round((before[-1] - angle) / math.tau)
    return {
        "height": whole.centre[1],
        "struck_end": height[low],
        "other_end": height[high],
        "angle": angle,
        "spin": whole.spin,
        "momentum_x": whole.momentum[0],
        "gap": height.min() - RADIUS,
        "length": float(np.hypot(*(position[:, high] - position[:, low]))),
    }


def strikes(experiment: Experiment) -> tuple[int, int] | None:
    """The records in which the rod first strikes the floor and strikes it again after its flight; None before."""
    touches = column(experiment, "gap") < 0.0
    if not touches.any():
        return None
    first = int(touches.argmax())
    flies = first + int((~touches[first:]).argmax())
    again = flies + int(touches[flies:].argmax())
    return (first, again) if first < flies < again else None


def turn(experiment: Experiment) -> float:
    """Angle by which the rod has turned from the start until it strikes the floor again, or until now [rad]; positive
    anticlockwise."""
    angle, struck = column(experiment, "angle"), strikes(experiment)
    return float(angle[-1 if struck is None else struck[1]] - angle[0]) if angle.size else 0.0


def sense(experiment: Experiment) -> Message:
    """The sense in which the rod has turned."""
    return _("clockwise") if turn(experiment) < 0.0 else _("anticlockwise")


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Angle until the second strike, spin and height of the rod."""
    spin, height = column(experiment, "spin"), column(experiment, "height")
    if not spin.size:
        return (Reading("particles", _("particles"), float(experiment.run.world.sphere_count), given=True),)
    return (
        Reading(
            "turned_by",
            Message("turned {sense} by", sense=sense(experiment)),
            round(abs(math.degrees(turn(experiment))), 1),
            "°",
            help=_("From the start until the rod strikes the floor again."),
        ),
        Reading(
            "spin",
            _("spin"),
            round(float(spin[-1]), 2) + 0.0,
            "rad/s",
            help=_("Angular momentum over moment of inertia."),
        ),
        Reading("centre_height", _("height of the centre"), float(height[-1]), "m"),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the rod deforms, bounces off, turns over and falls again; the floor is smooth."""
    built, weight = experiment.run.built, float(experiment.run.world.mass.sum())
    pull = weight * built.gravity * math.sin(built.tilt)
    struck, other, gap, length = (column(experiment, name) for name in ("struck_end", "other_end", "gap", "length"))
    first = int(np.argmax(gap < 0.0)) if (gap < 0.0).any() else gap.size - 1
    over = first + int(np.argmax(struck[first:] > other[first:])) if (struck[first:] > other[first:]).any() else -1
    return (
        exceeds("deformed", _("the rod is deformed"), 100.0 * float(1.0 - length.min() / length[0]), DEFORMED, "%"),
        exceeds("bounces_off", _("the whole rod bounces off the floor"), float(gap[first:].max()), 0.0, "m"),
        Outcome(
            "turns_over",
            _("the struck end comes to be the upper one"),
            Message(
                "turned {sense} by {degrees}°",
                sense=sense(experiment),
                degrees=Number(abs(math.degrees(turn(experiment))), format=".0f"),
            ),
            _("more than a quarter turn"),
            over >= 0,
        ),
        stays_below(
            "falls_again",
            _("the rod falls onto the floor again"),
            float(gap[over:].min()) if over >= 0 else math.nan,
            0.0,
            "m",
        ),
        stays(
            experiment,
            "momentum",
            _("the horizontal momentum stays"),
            ("momentum_x",),
            weight * built.speed + 1e-300,
            pull,
        ),
    )


def answer(experiment: Experiment) -> Answer | None:
    """Which end strikes the floor after the flight, and by how much the rod has turned until then; None if it does not
    leave the floor and fall again."""
    struck = strikes(experiment)
    if struck is None:
        return None
    turned_by, again = abs(math.degrees(turn(experiment))), struck[1]
    shown: dict[str, Value] = {"sense": sense(experiment), "angle": Number(turned_by, "°", ".0f")}
    if column(experiment, "struck_end")[again] < column(experiment, "other_end")[again]:
        words = Message("The same end strikes the floor again, after the rod has turned {sense} by {angle}.", **shown)
    else:
        words = Message("The other end strikes the floor, after the rod has turned {sense} by {angle}.", **shown)
    return Answer(turned_by, words)


def focus(experiment: Experiment) -> Box:
    """The floor under the way of the rod."""
    parameters = experiment.run.built
    half = 0.6 * parameters.length * DIAMETER
    way = parameters.drift * parameters.duration
    return (-half + min(way, 0.0), -2.0 * RADIUS), (half + max(way, 0.0), 2.0 * half + GAP)


def box(parameters: RodParameters) -> Box:
    """As far as the rod may fly off the floor."""
    size = parameters.length * DIAMETER
    reach = 3.0 * size + abs(parameters.drift) * parameters.duration
    return (-reach, -size), (reach, 4.0 * size + GAP)


def lines(experiment: Experiment) -> Floats:
    """The floor."""
    return ground()


PLOTS = (
    Plotted(
        "height",
        _("Height"),
        Axis(_("height"), "mm"),
        {_("struck end"): "struck_end", _("other end"): "other_end", _("centre"): "height"},
        1e-3,
    ),
    Plotted("spin", _("Spin"), Axis(_("spin"), "rad/s"), {_("spin"): "spin"}),
)

SCENE = Scene(
    name="rod",
    title=_("Rod"),
    summary=_("An inelastic rod strikes a smooth floor with one end, deforms, bounces off and turns over."),
    direction=Direction(
        see=_("The rod strikes the floor with one end, is bent, bounces off and turns over in the air."),
        colour=OWN,
        plot="height",
        speed=0.2,
        seconds=8.0,
    ),
    group="bodies",
    parameters=RodParameters,
    model=body_model(start),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("turned_by", "spin", "centre_height"),
            launch,
            action=_("Drop"),
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=lines,
        parts=(Part(_("rod"), "wood"), Part(_("struck end")), Part(_("other end"))),
        curves=plotted(PLOTS),
    ),
    limits=BODY_LIMITS,
    lecture=("bond_stiffness", "bond_viscosity", "slope", "speed", "length"),
    test_values={"length": 12, "duration": 0.9},
)
