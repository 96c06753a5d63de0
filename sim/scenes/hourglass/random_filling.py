"""Filling of the hourglass: radii are drawn, and grains are placed at random without contacts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.builder import add_spheres, empty_world, set_walls
from repose.sim.engine.neighbours.cell_list import in_order_of_place
from repose.sim.engine.world import Floats, World
from repose.sim.io.plain import Array
from repose.sim.scenes.common.grain_sizes import drawn_radii
from repose.sim.scenes.common.phases import PhaseState
from repose.sim.scenes.common.random_places import place_at_random
from repose.sim.scenes.hourglass.glass import NECK, Parameters, clearance, walls
from repose.sim.scenes.hourglass.parameters import HourglassGlassParameters

FEWER = 0.95
"""Number of grains of the next attempt, over the number for which the last one had room [-]."""

BANDS = 8
"""Number of bands of height by which the grains are coloured at the start."""


@dataclass
class HourglassState(PhaseState):
    """State of the experiment."""

    phase: str = "flowing"
    placed: int = 0
    heights: Array = field(default_factory=lambda: np.empty(0))
    """Height of every grain at the last sample [m]; minus infinity once the grain has been counted."""
    passages: list[float] = field(default_factory=list)
    """Times at which grains passed the neck [s], ascending, since the glass was last turned."""
    beside: int = 0
    """How many of them were outside the neck when they were at its height."""
    densities: list[float] = field(default_factory=list)
    """Grains per volume in the upper half while flowing [1/m³]."""
    density_at: float = 0.0
    """Time of the last sample in `densities` [s]."""
    opened: float = 0.0
    """Time at which the flow began [s]."""
    turns: int = 0
    run_all: bool = False


def begin(parameters: Parameters, seed: int) -> tuple[World, HourglassState]:
    """The filled glass, all grains at rest in the air."""
    position, radius = random_start(parameters, np.random.default_rng(seed))
    order = in_order_of_place(position, 3.0 * parameters.mean_radius)
    position, radius = position[order], radius[order]
    rotates = isinstance(parameters, HourglassGlassParameters)
    world = empty_world(3, 3 if rotates else 0, skin=0.3 * parameters.mean_radius, materials=2)
    mass = parameters.mass_of(radius)
    height = (position[:, 2] - NECK) / (parameters.fill_height - NECK)
    world = add_spheres(world, position, radius, mass)
    world.layer[:] = np.minimum(BANDS * height, BANDS - 1).astype(np.int64)
    shape, corner = walls(parameters, parameters.lid)
    world = set_walls(world, shape, corner, material=1)
    state = HourglassState(
        phase="filling" if parameters.lid else "flowing", placed=radius.size, heights=position[:, 2].copy()
    )
    return world, state


def smallest_grain(parameters: Parameters) -> tuple[float, float]:
    """Mass [kg] and radius [m] of the smallest possible grain."""
    radius = parameters.mean_radius * (1.0 - parameters.radius_spread)
    if parameters.sizes:
        radius = parameters.radius_limits[0]
    return float(parameters.mass_of(np.array([radius]))[0]), radius


def random_start(parameters: Parameters, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Centres, shape (n, 3), and radii, shape (n,), of grains that touch neither each other nor the glass [m].

    Stated sizes keep their distribution: if not all grains fit, fewer are drawn and placed from the largest down.
    """
    width = parameters.width
    box = np.array([-0.5 * width, -0.5 * width, NECK]), np.array([width, width, parameters.fill_height - NECK])

    def free(centres: Floats, radius: float) -> NDArray[np.bool_]:
        inside: NDArray[np.bool_] = clearance(parameters, centres) > radius
        return inside & (centres[:, 2] - radius > NECK)

    limits, count = parameters.radius_limits, parameters.grain_count
    if not parameters.sizes:
        drawn = (generator.uniform(*limits) for _grain in range(count))
        return place_at_random(drawn, count, limits, box, free, generator)
    while True:
        radii = -np.sort(-drawn_radii(parameters, generator, count))
        position, placed = place_at_random(radii, count, limits, box, free, generator, descending=True)
        if placed.size == count:
            return position, placed
        count = max(1, int(FEWER * count * float((placed**3).sum() / (radii**3).sum())))
