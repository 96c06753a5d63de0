"""Shared by the scenes with a liquid at rest: its level, its drag, and bodies that float on it.

Buoyancy and drag act on every particle below the level (repose.sim.fields.liquid). The liquid does not move.
"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from annotated_types import Le
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.fields.liquid import LiquidParameters, Viscosity
from repose.sim.message import _
from repose.sim.parameters import variant
from repose.sim.scenes.common.motion_parameters import TimeStep
from repose.sim.scenes.large_particles.particles import (
    HELD,
    BodyParameters,
    Repelling,
    Unbreakable,
    motion_of,
    rows_of,
)


class AfloatParameters(Unbreakable, Repelling, LiquidParameters, BodyParameters):
    """Bodies on a liquid, in SI."""

    liquid_viscosity: Annotated[Viscosity, Le(5.0)] = 0.1
    # fmt: off
    dt: TimeStep = variant("auto",
        help=_("Time step; 'auto' follows the stiffest spring and the lightest particle, and is exact enough."))
    # fmt: on


def volumes_below(world: World, level: float) -> Floats:
    """Volume below a level of each particle that is not fixed [m³]."""
    free = world.layer != HELD
    radius = world.radius[free]
    depth = np.clip(level - world.motion[1, 0, free] + radius, 0.0, 2.0 * radius)
    below: Floats = math.pi * depth**2 * (radius - depth / 3.0)
    return below


def volume_below(world: World, level: float) -> float:
    """Total volume below a level of the particles that are not fixed [m³]."""
    return float(volumes_below(world, level).sum())


def displaced(experiment: Experiment) -> float:
    """Mass of the liquid that the particles displace [kg]."""
    parameters = experiment.parameters
    return float(parameters.liquid_density) * volume_below(experiment.run.world, parameters.liquid_level)


def set_afloat(world: World, parameters: AfloatParameters) -> World:
    """Move all particles up or down until they displace their mass; if they are too heavy, until they are covered."""
    height, mass = world.motion[1, 0], float(world.mass.sum())
    middle = height.copy()
    low, high = -1.0, 1.0
    for __ in range(50):
        shift = 0.5 * (low + high)
        height[:] = middle + shift
        floats = parameters.liquid_density * volume_below(world, parameters.liquid_level) < mass
        low, high = (low, shift) if floats else (shift, high)
    return world


def bottomless(experiment: Experiment) -> tuple[float, float]:
    """Heights of bottom and level of a liquid whose bottom is outside the picture [m]."""
    return -math.inf, experiment.parameters.liquid_level


def comes_to_rest(speed: float, stiffness: float, mass: float) -> float:
    """Distance that a body of this speed [m/s] still moves against a restoring force per distance [N/m]: v sqrt(m/k),
    the amplitude of its oscillation [m]."""
    return speed * math.sqrt(mass / stiffness)


def speed_of_all(experiment: Experiment) -> float:
    """Root mean square velocity of the particles [m/s]."""
    rows = rows_of(experiment)
    world = experiment.run.world
    mass, velocity = world.mass[rows], world.motion[:2, 1, rows]
    return math.sqrt(float((mass * (velocity**2).sum(axis=0)).sum()) / motion_of(experiment, rows).mass)
