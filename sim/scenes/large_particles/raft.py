"""A square body of two densities drops onto a liquid: it floats, heavy side down, or sinks, by its mean density.

Maier's task 4: buoyancy on every particle below the level is the weight of the liquid that the particle displaces. A
body lighter than the liquid comes to rest where it displaces its own mass (Archimedes), with its heavy side below; a
heavier body sinks to the bottom. Densities are those of the particles as spheres; Maier's numbers are lost.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.direction import OWN, Direction
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment, Scene, SceneView
from repose.sim.measure.display import Answer, Axis, Line, Outcome, Part, Reading
from repose.sim.message import Message, Number, _
from repose.sim.parameters import count, length, number
from repose.sim.scenes.common.timed_course import column, last_record, times
from repose.sim.scenes.large_particles.afloat import AfloatParameters, displaced, volumes_below
from repose.sim.scenes.large_particles.particles import (
    BODY_LIMITS,
    DIAMETER,
    RADIUS,
    VOLUME,
    BodyTask,
    Box,
    Duration,
    Plotted,
    body_course,
    body_model,
    equals,
    from_parameters,
    ground,
    lattice,
    lies_between,
    motion_of,
    new_world,
    plotted,
    rows_as_high_as,
    rows_of,
    stays_below,
    turned,
    upward_plane,
    with_body,
)

HEAVY = 1
"""Layer of the heavy half; the light half has the layer 0."""
AT_REST = 0.02
"""Vertical speed below which the body counts as at rest [m/s]."""


class RaftParameters(AfloatParameters):
    """A square body of a light and a heavy half above a liquid, in SI."""

    # fmt: off
    side: int = count(8, 3, 16, _("side of the body"), "n", effect="restart", group=_("Geometry"),
        help=_("Particles along a side. Takes effect at the next start."))
    light_density: float = number(400.0, 50.0, 5000.0, _("density of the left half"), "ρ₁", "kg/m³", effect="restart",
        group=_("Geometry"), help=_("Of the particles. Takes effect at the next start."))
    heavy_density: float = number(1000.0, 50.0, 5000.0, _("density of the right half"), "ρ₂", "kg/m³", effect="restart",
        group=_("Geometry"), help=_("Of the particles. Takes effect at the next start."))
    drop_height: float = length(0.1, 0.0, 1.0, _("drop height"), "h", effect="restart", group=_("Geometry"),
        help=_("From the level of the liquid to the body. Takes effect at the next start."))
    depth: float = length(0.3, 0.05, 2.0, _("depth of the liquid"), "H", effect="restart", group=_("Geometry"),
        help=_("From its level to the bottom. Takes effect at the next start."))
    # fmt: on
    duration: Duration = 4.0


def start(parameters: RaftParameters, seed: int) -> World:
    """The body above the liquid, slightly turned: it must not fall exactly flat."""
    centres = lattice(parameters.side, rows_as_high_as(parameters.side))
    mass = VOLUME * np.where(centres[:, 0] > 0.0, parameters.heavy_density, parameters.light_density)
    centres = turned(centres, math.radians(5.0))
    centres[:, 1] += parameters.liquid_level + parameters.drop_height + RADIUS - centres[:, 1].min()
    world = with_body(new_world(), centres, mass, 0)
    world.layer[mass > mass.min()] = HEAVY
    return set_walls(world, [PLANE], upward_plane(parameters.liquid_level - parameters.depth))


def mean_density(experiment: Experiment) -> float:
    """Mean density of the particles [kg/m³]."""
    world = experiment.run.world
    return float(world.mass.sum() / (4.0 / 3.0 * math.pi * (world.radius**3).sum()))


def measured(experiment: Experiment) -> dict[str, float]:
    """Height and velocity of the centre of mass, displaced mass over mass, angle of the axis from light to
    heavy, how far the centre of the displaced liquid is to the right of it, height of the lowest point."""
    whole = motion_of(experiment, rows_of(experiment))
    world = experiment.run.world
    middle = world.motion[:2, 0].mean(axis=1)
    x, y = whole.centre - middle
    below = volumes_below(world, experiment.parameters.liquid_level)
    return {
        "height": float(whole.centre[1] - experiment.parameters.liquid_level),
        "velocity": float(whole.velocity[1]),
        "displaced": displaced(experiment) / whole.mass,
        "heavy_side": math.atan2(y, x),
        "arm": float(below @ world.motion[0, 0] / below.sum() - whole.centre[0]) if below.sum() > 0.0 else 0.0,
        "lowest": float((world.motion[1, 0] - world.radius).min()),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Mean density, and displaced mass over mass."""
    density = Reading("mean_density", _("mean density of the body"), mean_density(experiment), "kg/m³", given=True)
    if not column(experiment, "displaced").size:
        return (density,)
    share = float(column(experiment, "displaced")[-1])
    return (
        Reading(
            "displaced_mass",
            _("displaced mass over mass"),
            share,
            help=_("1 for a body that floats at rest (Archimedes)."),
        ),
        density,
        Reading(
            "centre_height", _("height of the centre"), round(float(column(experiment, "height")[-1]), 6) + 0.0, "m"
        ),
    )


def outcomes(experiment: Experiment) -> tuple[Outcome, ...]:
    """The statements of the task: a light body floats at rest by Archimedes, heavy side down; a heavy one sinks."""
    built, parameters = experiment.run.built, experiment.parameters
    density, height = mean_density(experiment), built.side * DIAMETER
    final = last_record(experiment)
    if density >= parameters.liquid_density:
        bottom = parameters.liquid_level - built.depth
        words = _("the body, heavier than the liquid, sinks to the bottom: gap below it")
        return (stays_below("sinks", words, final["lowest"] - bottom, 0.0, "m"),)
    # A floating body with the speed v deviates from its rest position by about v sqrt(h/g), and its displaced mass by
    # the fraction v/sqrt(g h).
    share = AT_REST / math.sqrt(max(parameters.gravity, 1e-9) * height)
    entries = (
        stays_below(
            "comes_to_rest",
            _("the body, lighter than the liquid, comes to rest"),
            abs(final["velocity"]),
            AT_REST,
            "m/s",
        ),
        equals("displaces_its_mass", _("it displaces its mass (Archimedes)"), final["displaced"], 1.0, share),
        equals(
            "centres_in_line",
            _("its centre of mass is in line with that of the liquid displaced"),
            final["arm"],
            0.0,
            share * height,
            "m",
        ),
    )
    if built.light_density == built.heavy_density:
        return entries
    side = math.degrees(final["heavy_side"])
    return (*entries, lies_between("heavy_side_below", _("its heavy side is below"), side, -180.0, 0.0, "°"))


def answer(experiment: Experiment) -> Answer:
    """How deep the body floats; of a body that sinks, which of its sides is the first at the bottom."""
    built, final = experiment.run.built, last_record(experiment)
    if mean_density(experiment) >= experiment.parameters.liquid_density:
        bottom = experiment.parameters.liquid_level - built.depth
        there = np.flatnonzero(column(experiment, "lowest") <= bottom)
        if not there.size:
            return Answer(math.nan, _("The body has not reached the bottom yet."))
        time, angle = times(experiment)[there[0]], math.sin(column(experiment, "heavy_side")[there[0]])
        when = Number(float(time), "s", ".1f")
        if angle < 0.0:
            return Answer(float(time), Message("The heavy side is the first at the bottom, after {time}.", time=when))
        return Answer(float(time), Message("The light side is the first at the bottom, after {time}.", time=when))
    depth = float(experiment.parameters.liquid_level - final["lowest"])
    words = Message(
        "It floats {depth} deep, where it displaces {share} times its own mass, its heavy side below.",
        depth=Number(depth, "m", digits=2),
        share=Number(final["displaced"], format=".2f"),
    )
    return Answer(depth, words)


def box(parameters: RaftParameters) -> Box:
    """The liquid and the body above it."""
    size = parameters.side * DIAMETER
    high = parameters.liquid_level + parameters.drop_height + 1.4 * size
    half = 0.75 * (high - parameters.liquid_level + parameters.depth)
    return (-half, parameters.liquid_level - parameters.depth - RADIUS), (half, high)


def focus(experiment: Experiment) -> Box:
    """The surface of the liquid around a floating body."""
    level, size = experiment.parameters.liquid_level, experiment.run.built.side * DIAMETER
    return (-1.5 * size, level - 1.3 * size), (1.5 * size, level + 1.0 * size)


def lines(experiment: Experiment) -> Floats:
    """The bottom of the liquid."""
    built = experiment.run.built
    return ground(built.liquid_level - built.depth)


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """Archimedes."""
    ends = np.array([0.0, experiment.run.built.duration])
    return {"displaced": (Line(_("Archimedes"), ends, np.ones(2)),)}


PLOTS = (
    Plotted("displaced", _("Displaced"), Axis(_("displaced mass over mass")), {_("body"): "displaced"}),
    Plotted("height", _("Height"), Axis(_("height of the centre over the level"), "mm"), {_("body"): "height"}, 1e-3),
)

SCENE = Scene(
    name="raft",
    title=_("Square body on a liquid"),
    summary=_("A square body of two densities drops onto a liquid and floats with its heavy side down, or sinks."),
    direction=Direction(
        see=_("The body falls onto the liquid, turns its heavy side down, and floats or sinks."),
        colour=OWN,
        plot="displaced",
        speed=0.2,
        seconds=8.0,
    ),
    group="bodies",
    parameters=RaftParameters,
    model=body_model(start, fields=("liquid",)),
    course=body_course(
        BodyTask(
            start,
            measured,
            outcomes,
            readings,
            ("displaced_mass", "centre_height"),
            action=_("Drop"),
            settles=True,
            answer=answer,
        )
    ),
    view=SceneView(
        box=from_parameters(box),
        focus=focus,
        facets=lines,
        parts=(Part(_("light half"), "wood"), Part(_("heavy half"), "steel")),
        liquid=lambda experiment: (
            experiment.parameters.liquid_level - experiment.run.built.depth,
            experiment.parameters.liquid_level,
        ),
        curves=plotted(PLOTS, expected),
    ),
    limits=BODY_LIMITS,
    lecture=("heavy_density", "light_density", "liquid_density", "liquid_viscosity", "drop_height"),
    test_values={"side": 3, "drop_height": 0.01, "duration": 1.0, "liquid_viscosity": 0.5, "depth": 0.1},
)
