"""A column of liquid at the left wall of a vessel collapses, runs along the bottom, strikes the right wall, runs back.

Maier's task 8. His liquid has no force beyond the distance 10, attraction of 1000 from 7 to 10 and repulsion of 20 000
below 7, in his own units. Here a force without jumps has the same parts (repose.sim.laws.bounded_spring), and the
cutoff is 1.25 diameters instead of 10/7 of the repulsive distance. Radii vary by a few per cent, which prevents
crystallisation. With large internal friction the column spreads slowly.

The front of a collapsing column of the height h without friction moves at most at 2 sqrt(g h) (Ritter 1892, dam break
in shallow water); a column as narrow as this one stays below that speed.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.world import World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Line, Outcome, Reading
from repose.sim.message import Message, Number, _, plain
from repose.sim.parameters import count, length
from repose.sim.scenes.common.timed_course import column, times
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    BodyTask,
    Box,
    DropletParameters,
    Duration,
    Plotted,
    body_course,
    body_model,
    exceeds,
    from_parameters,
    lies_between,
    motion_of,
    plotted,
    rows_of,
    stays_below,
)
from repose.sim.scenes.large_particles.vessel import LIQUID, box_of, liquid, vessel_lines, width_of, with_vessel


class ColumnParameters(DropletParameters):
    """A column of liquid at the left wall of a vessel, in SI."""

    # fmt: off
    columns: int = count(11, 2, 60, _("width of the column"), "n", effect="restart", group=_("Geometry"),
        help=_("In particles. Takes effect at the next start."))
    rows: int = count(26, 2, 60, _("height of the column"), "m", effect="restart", group=_("Geometry"),
        help=_("In rows of particles. Takes effect at the next start."))
    width: float = length(1.0, 0.1, 5.0, _("width of the vessel"), "w", effect="restart", group=_("Geometry"),
        help=_("From the left to the right wall. Takes effect at the next start."))
    # fmt: on
    duration: Duration = 1.6


def start(parameters: ColumnParameters, seed: int) -> World:
    """The column in the corner of the vessel."""
    return with_vessel(liquid(parameters.columns, parameters.rows, seed), width(parameters))


def width(parameters: ColumnParameters) -> float:
    """Width of the vessel: at least the width of the column [m]."""
    return max(parameters.width, width_of(parameters.columns))


def measured(experiment: Experiment) -> dict[str, float]:
    """Position of the front, of the centre of mass and of the surface, horizontal velocity of the centre."""
    whole, world = motion_of(experiment, rows_of(experiment)), experiment.run.world
    edge = world.motion[:2, 0] + world.radius
    return {
        "front": float(edge[0].max()),
        "centre": float(whole.centre[0]),
        "surface": float(edge[1].max()),
        "velocity": float(whole.velocity[0]),
    }


def wave_speed(parameters: ColumnParameters) -> float:
    """2 sqrt(g h) of the column [m/s]."""
    return 2.0 * math.sqrt(parameters.gravity * parameters.rows * DIAMETER)


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Largest speed of the front, present height of the surface."""
    front, time = column(experiment, "front"), times(experiment)
    if front.size < 3:
        return (Reading("particles", _("particles"), float(experiment.run.world.sphere_count), given=True),)
    speed = float(np.gradient(front, time).max())
    return (
        Reading(
            "front_speed",
            _("largest speed of the front"),
            speed,
            "m/s",
            help=_("Shallow water: at most 2 √(g h) for the height h."),
        ),
        Reading("dam_break_speed", plain("2 √(g h)"), wave_speed(experiment.run.built), "m/s", given=True),
        Reading("surface_height", _("height of the surface"), float(column(experiment, "surface")[-1]), "m"),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: the column collapses, the front reaches the right wall, the liquid runs back. No
    front is faster than that of a dam break."""
    built = experiment.run.built
    front, velocity, surface, time = (
        *(column(experiment, name) for name in ("front", "velocity", "surface")),
        times(experiment),
    )
    there = np.flatnonzero(front > width(built) - DIAMETER)
    first = int(there[0]) if there.size else front.size - 1
    mean = float((front[first] - front[0]) / max(time[first], 1e-12))
    position, end = experiment.run.world.motion[:2, 0], width(built)
    inside = bool(position.min() > 0.0 and position[0].max() < end)
    high = float(surface[0])
    level = high * built.columns * DIAMETER / end
    back = float(velocity[first:].min()) if there.size else 0.0
    return (
        stays_below(
            "collapses", _("the column collapses: height of its surface"), float(surface[-1]), 0.5 * (level + high), "m"
        ),
        exceeds("reaches_the_wall", _("the front reaches the right wall"), float(front.max()), end - DIAMETER, "m"),
        lies_between(
            "slower_than_dam_break",
            _("its mean speed is below 2 √(g h), that of a dam break"),
            mean,
            0.0,
            wave_speed(built),
            "m/s",
        ),
        stays_below("runs_back", _("the liquid runs back from the wall"), back, 0.0, "m/s"),
        Outcome(
            "stays_in_the_vessel",
            _("the liquid stays in the vessel"),
            *((_("yes"), _("yes")) if inside else (_("no"), _("yes"))),
            inside,
        ),
    )


def answer(experiment: Experiment) -> Answer:
    """When the front reached the wall, and how fast it was at most; how far it came otherwise."""
    built, front, time = experiment.run.built, column(experiment, "front"), times(experiment)
    fastest = float(np.gradient(front, time).max())
    there = np.flatnonzero(front > width(built) - DIAMETER)
    speed = Number(fastest, "m/s", digits=2)
    if not there.size:
        way = Number(float(front.max() - front[0]), "m", digits=2)
        return Answer(
            fastest, Message("The front runs at {speed} at most, and has come {way} far.", speed=speed, way=way)
        )
    words = Message(
        "The front runs at {speed} at most, and reaches the wall after {time}.",
        speed=speed,
        time=Number(float(time[there[0]]), "s", ".2f"),
    )
    return Answer(fastest, words)


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """The front of a dam break."""
    built = experiment.run.built
    first = built.columns * DIAMETER
    arrival = (width(built) - first) / max(wave_speed(built), 1e-12)
    ends = np.array([0.0, min(arrival, built.duration)])
    return {"front": (Line(plain("2 √(g h) t"), ends, 1e3 * (first + wave_speed(built) * ends)),)}


def focus(experiment: Experiment) -> Box:
    """The vessel as high as the liquid reaches once it has collapsed; the camera also shows what is higher."""
    built = experiment.run.built
    return box_of(width(built), 0.5 * width(built))


PLOTS = (
    Plotted(
        "front",
        _("Liquid front"),
        Axis(_("position"), "mm"),
        {_("front"): "front", _("centre of mass"): "centre"},
        1e-3,
    ),
    Plotted("surface", _("Surface"), Axis(_("height of the surface"), "mm"), {_("surface"): "surface"}, 1e-3),
)

SCENE = Scene(
    name="column",
    title=_("Column of liquid"),
    summary=_("A column of liquid collapses, runs to the right wall of a vessel, strikes it and runs back."),
    direction=Direction(
        see=_("The column collapses, its front runs to the wall, strikes it and runs back."),
        colour=OWN,
        plot="front",
        speed=0.2,
        seconds=8.0,
    ),
    group="bodies",
    parameters=ColumnParameters,
    model=body_model(start),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("front_speed", "dam_break_speed", "surface_height"),
            action=_("Release"),
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(lambda parameters: box_of(width(parameters), 1.1 * parameters.rows * DIAMETER)),
        focus=focus,
        facets=vessel_lines,
        parts=LIQUID,
        curves=plotted(PLOTS, expected),
    ),
    limits=BODY_LIMITS,
    lecture=("normal_viscosity", "pull_off_force", "normal_stiffness", "rows", "gravity"),
    test_values={"columns": 4, "rows": 7, "width": 0.16, "duration": 0.5},
)
