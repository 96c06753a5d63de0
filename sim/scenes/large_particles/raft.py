"""A square body of two densities drops onto a liquid: it floats, heavy side down, or sinks, as its mean density says.

Maier's task 4: on every particle below the level acts the weight of the liquid that it displaces. A body lighter than
the liquid comes to rest where it displaces its own mass (Archimedes), turned so that its heavy side is below; a heavier
one sinks to the bottom. Densities are those of the particles as spheres; his numbers are lost.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le
from pydantic import Field
from repose.sim.engine.builder import set_walls
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.display import Line, Reading
from repose.sim.scenes.large_particles.afloat import AfloatParameters, displaced, level_line
from repose.sim.scenes.large_particles.particles import (
    DIAMETER,
    RADIUS,
    VOLUME,
    Duration,
    Plotted,
    column,
    ground,
    lattice,
    motion_of,
    new_world,
    particle_scene,
    restart,
    rows_as_high_as,
    rows_of,
    turned,
    upward_plane,
    with_body,
)

ARCHIMEDES = 0.03
"""Largest relative difference of the mass displaced at rest from the mass of the body [-]."""
AT_REST = 0.02
"""Vertical speed below which the body counts as at rest [m/s]."""


class RaftParameters(AfloatParameters):
    """A square body of a light and a heavy half above a liquid, in SI."""

    side: Annotated[
        int,
        Ge(3),
        Le(16),
        restart("side of the body", "n"),
        Field(description="Particles along a side. Takes effect at the next start."),
    ] = 8
    light_density: Annotated[
        float,
        Ge(50.0),
        Le(5000.0),
        restart("density of the left half", "ρ₁", "kg/m³"),
        Field(description="Of the particles. Takes effect at the next start."),
    ] = 400.0
    heavy_density: Annotated[
        float,
        Ge(50.0),
        Le(5000.0),
        restart("density of the right half", "ρ₂", "kg/m³"),
        Field(description="Of the particles. Takes effect at the next start."),
    ] = 1000.0
    drop_height: Annotated[
        float,
        Ge(0.0),
        Le(1.0),
        restart("drop height", "h", "mm", 1e-3),
        Field(description="From the level of the liquid to the body. Takes effect at the next start."),
    ] = 0.1
    depth: Annotated[
        float,
        Ge(0.05),
        Le(2.0),
        restart("depth of the liquid", "H", "mm", 1e-3),
        Field(description="From its level to the bottom. Takes effect at the next start."),
    ] = 0.3
    duration: Duration = 4.0


def start(parameters: RaftParameters, seed: int) -> World:
    """The body above the liquid, a little turned, so that it does not fall exactly flat."""
    centres = lattice(parameters.side, rows_as_high_as(parameters.side))
    mass = VOLUME * np.where(centres[:, 0] > 0.0, parameters.heavy_density, parameters.light_density)
    centres = turned(centres, math.radians(5.0))
    centres[:, 1] += parameters.liquid_level + parameters.drop_height + RADIUS - centres[:, 1].min()
    world = with_body(new_world(), centres, mass, 0)
    return set_walls(world, [PLANE], upward_plane(parameters.liquid_level - parameters.depth))


def mean_density(experiment: Experiment) -> float:
    """Of the particles [kg/m³]."""
    world = experiment.run.world
    return float(world.mass.sum() / (4.0 / 3.0 * math.pi * (world.radius**3).sum()))


def measured(experiment: Experiment) -> dict[str, float]:
    """Height and velocity of the centre of mass, displaced mass over mass, angle of the axis from light to heavy."""
    whole = motion_of(experiment, rows_of(experiment))
    world = experiment.run.world
    middle = world.motion[:2, 0].mean(axis=1)
    x, y = whole.centre - middle
    return {
        "height": float(whole.centre[1] - experiment.parameters.liquid_level),
        "velocity": float(whole.velocity[1]),
        "displaced": displaced(experiment) / whole.mass,
        "heavy_side": math.atan2(y, x),
        "lowest": float((world.motion[1, 0] - world.radius).min()),
    }


def readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Mean density, and how much the body displaces."""
    density = Reading("mean density of the body", mean_density(experiment), "kg/m³")
    if not column(experiment, "displaced").size:
        return (density,)
    share = float(column(experiment, "displaced")[-1])
    return (
        Reading("displaced mass over mass", share, help="1 for a body that floats at rest (Archimedes)."),
        density,
        Reading("height of the centre", round(float(column(experiment, "height")[-1]), 6) + 0.0, "m"),
    )


def check(experiment: Experiment) -> str:
    """A light body floats by Archimedes, heavy side down; a heavy one lies on the bottom."""
    built = experiment.run.built
    speed = abs(float(column(experiment, "velocity")[-1]))
    if mean_density(experiment) < built.liquid_density:
        if speed > AT_REST:
            return f"The body still moves at {speed:.3g} m/s: give it more time."
        share = float(column(experiment, "displaced")[-1])
        if abs(share - 1.0) > ARCHIMEDES:
            return f"The body displaces {share:.3f} of its mass instead of all of it."
        side = float(column(experiment, "heavy_side")[-1])
        if built.light_density != built.heavy_density and math.sin(side) > 0.0:
            return "The heavy side is above."
        return ""
    bottom = built.liquid_level - built.depth
    if float(column(experiment, "lowest")[-1]) > bottom + DIAMETER:
        return "The body is heavier than the liquid and has not sunk to the bottom."
    return ""


def box(parameters: RaftParameters) -> tuple[tuple[float, float], tuple[float, float]]:
    """The liquid and the body above it."""
    size = parameters.side * DIAMETER
    high = parameters.liquid_level + parameters.drop_height + 1.4 * size
    half = 0.75 * (high - parameters.liquid_level + parameters.depth)
    return (-half, parameters.liquid_level - parameters.depth - RADIUS), (half, high)


def lines(experiment: Experiment) -> Floats:
    """The level of the liquid and the bottom."""
    built = experiment.run.built
    (left, _), (right, _) = box(built)
    return np.concatenate([level_line(experiment), ground(left, right, built.liquid_level - built.depth)])


def expected(experiment: Experiment) -> dict[str, tuple[Line, ...]]:
    """Archimedes."""
    ends = np.array([0.0, experiment.run.built.duration])
    return {"Displaced": (Line("Archimedes", ends, np.ones(2)),)}


SCENE = particle_scene(
    name="raft",
    title="Square body on a liquid",
    summary="A square body of two densities drops onto a liquid and floats with its heavy side down, or sinks.",
    parameters=RaftParameters,
    start=start,
    measured=measured,
    check=check,
    box=box,
    readings=readings,
    lines=lines,
    expected=expected,
    fields=("liquid",),
    plots=(
        Plotted("Displaced", "displaced mass over mass", {"body": "displaced"}),
        Plotted("Height", "height of the centre over the level [mm]", {"body": "height"}, 1e-3),
    ),
    action="Drop",
    lecture=("heavy_density", "light_density", "liquid_density", "liquid_viscosity", "drop_height"),
    test_values={"side": 3, "drop_height": 0.01, "duration": 1.0, "liquid_viscosity": 0.5, "depth": 0.1},
)
