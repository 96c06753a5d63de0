"""Filling of the hourglass: radii are drawn, and grains are placed at random without contacts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from repose.sim.engine.builder import add_spheres, empty_world, set_walls
from repose.sim.engine.neighbours.cell_list import in_order_of_place
from repose.sim.engine.world import Floats, World
from repose.sim.io.plain import Array
from repose.sim.scenes.common.phases import PhaseState
from repose.sim.scenes.hourglass.glass import NECK, WIDTH, Parameters, clearance, walls
from repose.sim.scenes.hourglass.parameters import HourglassGlassParameters, SharedHourglassParameters

TRIES = (10, 40, 150, 400, 400)
"""Numbers of positions tried in one block. The filling ends when a grain has no free position in 1000 tries (Duffau
& Lynch 2020, section 4.4)."""

FAR = 2.0 + 1e-9
"""Distance of two centres beyond which no grains touch, with room for rounding [radii of the largest grain]."""

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
    return float(parameters.mass_of(np.array([radius]))[0]), radius


def random_start(parameters: Parameters, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Centres, shape (n, 3), and radii, shape (n,), of grains that touch neither each other nor the glass [m].

    A grain has the same radius in all its tries: small grains are not preferred.
    """
    low, high = _radii(parameters)
    # A cell with a diagonal of 2 low contains at most one centre.
    cell = 2.0 * low / math.sqrt(3.0)
    reach = math.ceil(2.0 * high / cell)
    corner = np.array([-0.5 * WIDTH, -0.5 * WIDTH, NECK])
    size = np.array([WIDTH, WIDTH, parameters.fill_height - NECK])
    owner = np.full(np.ceil(size / cell).astype(np.int64) + 2 * reach + 1, -1, np.int64)
    around = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    # Centres in cells that are farther apart than two of the largest grains cannot be those of grains that touch.
    least = cell * np.linalg.norm(np.maximum(np.abs(around) - 1, 0), axis=1)
    steps = around[least < FAR * high] @ (np.array(owner.strides) // owner.itemsize)
    owners = owner.reshape(-1)
    position, radius = np.zeros((parameters.grain_count, 3)), np.zeros(parameters.grain_count)
    for grain in range(parameters.grain_count):
        own = generator.uniform(low, high)
        for tries in TRIES:
            tried = corner + size * generator.uniform(size=(tries, 3))
            tried = tried[(clearance(parameters, tried) > own) & (tried[:, 2] - own > NECK)]
            at = np.floor((tried - corner) / cell).astype(np.int64) + reach
            others = owners[np.ravel_multi_index(tuple(at.T), owner.shape)[:, None] + steps]
            row, column = np.nonzero(others >= 0)
            other = others[row, column]
            distance = np.linalg.norm(tried[row] - position[other], axis=-1)
            blocked = np.zeros(len(tried), bool)
            blocked[row[~(distance > own + radius[other])]] = True
            free = np.flatnonzero(~blocked)
            if free.size:
                position[grain], radius[grain] = tried[free[0]], own
                owner[tuple(at[free[0]])] = grain
                break
        else:
            return position[:grain].copy(), radius[:grain].copy()
    return position, radius


def _radii(parameters: SharedHourglassParameters) -> tuple[float, float]:
    spread = parameters.radius_spread * parameters.mean_radius
    return parameters.mean_radius - spread, parameters.mean_radius + spread
