"""Shared by the scenes with a liquid at rest: its level, its drag, and bodies that float on it.

Buoyancy and drag act on every particle below the level (repose.sim.fields.liquid). The liquid does not move.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.fields.liquid import LiquidParameters, Viscosity
from repose.sim.scenes.large_particles.particles import (
    HELD,
    BodyParameters,
    Repelling,
    Unbreakable,
    ground,
    motion_of,
    rows_of,
)


class AfloatParameters(Unbreakable, Repelling, LiquidParameters, BodyParameters):
    """Bodies on a liquid, in SI."""

    liquid_viscosity: Viscosity = 0.1


def volume_below(world: World, level: float) -> float:
    """Volume of the particles below a level [m³], of those that are not held."""
    free = world.layer != HELD
    radius = world.radius[free]
    depth = np.clip(level - world.motion[1, 0, free] + radius, 0.0, 2.0 * radius)
    return float((math.pi * depth**2 * (radius - depth / 3.0)).sum())


def displaced(experiment: Experiment) -> float:
    """Mass of the liquid that the particles displace [kg]."""
    parameters = experiment.parameters
    return float(parameters.liquid_density) * volume_below(experiment.run.world, parameters.liquid_level)


def set_afloat(world: World, parameters: AfloatParameters) -> World:
    """Move all particles up or down until they displace their mass; as low as they are covered, if they are too
    heavy."""
    height, mass = world.motion[1, 0], float(world.mass.sum())
    middle = height.copy()
    low, high = -1.0, 1.0
    for _ in range(50):
        shift = 0.5 * (low + high)
        height[:] = middle + shift
        floats = parameters.liquid_density * volume_below(world, parameters.liquid_level) < mass
        low, high = (low, shift) if floats else (shift, high)
    return world


def level_line(experiment: Experiment) -> Floats:
    """The surface of the liquid across the scene [m], shape (1, 2, 2)."""
    (left, _), (right, _) = experiment.scene.box(experiment)
    return ground(left, right, experiment.parameters.liquid_level)


def speed_of_all(experiment: Experiment) -> float:
    """Root mean square velocity of the particles [m/s]."""
    rows = rows_of(experiment)
    world = experiment.run.world
    mass, velocity = world.mass[rows], world.motion[:2, 1, rows]
    return math.sqrt(float((mass * (velocity**2).sum(axis=0)).sum()) / motion_of(experiment, rows).mass)
