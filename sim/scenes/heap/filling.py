"""Filling the heap's container: its walls and base, the radii drawn, the layers poured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.measure.angle_of_repose import AngleOfRepose
from repose.sim.scenes.common.poured import PouredState, add_layer, generator_of
from repose.sim.scenes.heap.parameters import LARGEST, SMALLEST, HeapParameters


@dataclass
class HeapState(PouredState):
    """Where the experiment stands: empty, filling, filled, flowing or rested."""

    height: float = 0.0
    """Of the walls [m]."""
    slope: AngleOfRepose | None = None
    """Slope measured last; None before the first measurement of this fill."""


def begin(parameters: HeapParameters, seed: int) -> tuple[World, HeapState]:
    """The empty container."""
    generator = np.random.default_rng(seed)
    radii = draw_radii(parameters, generator)
    wall_count = parameters.wall_count(math.pi * float(np.sum(radii**2)))
    wall_y = 2.0 * parameters.wall_radius * np.arange(wall_count)
    base_count = parameters.base_count
    base_x = (np.arange(base_count) + 0.5) * parameters.width / base_count
    world = empty_world(2, int(parameters.rotation), skin=0.3 * parameters.mean_radius)
    layout = (
        (base_x, np.zeros(base_count), parameters.base_radius),
        (np.full(wall_count, -parameters.wall_radius), wall_y, parameters.wall_radius),
        (np.full(wall_count, parameters.width + parameters.wall_radius), wall_y, parameters.wall_radius),
    )
    for x, y, radius in layout:
        mass = mass_of(np.full(x.size, radius), parameters)
        world = add_spheres(world, np.column_stack([x, y]), radius, mass, fixed=True, first_id=world.sphere_count)
    state = HeapState(
        radii=radii.tolist(), next_id=world.sphere_count, height=float(wall_y[-1] + parameters.wall_radius)
    )
    state.random = dict(generator.bit_generator.state)
    return world, state


def draw_radii(parameters: HeapParameters, generator: np.random.Generator) -> Floats:
    """Radii from the truncated normal distribution [m], shape (grain_count,)."""
    mean, spread = parameters.mean_radius, parameters.radius_spread
    radii = generator.normal(mean, spread, parameters.grain_count)
    while (outside := (radii < SMALLEST * mean) | (radii > LARGEST * mean)).any():
        radii[outside] = generator.normal(mean, spread, int(outside.sum()))
    return radii


def smallest_grain(parameters: HeapParameters) -> tuple[float, float]:
    """Before anything is poured: half the mean radius stands for the smallest grain to come."""
    radius = 0.5 * parameters.mean_radius
    return parameters.mass_at_mean * (radius / 1e-3) ** 3, radius


def mass_of(radius: Floats, parameters: HeapParameters) -> Floats:
    """m (R / 1 mm)³ [kg]."""
    return parameters.mass_at_mean * (radius / 1e-3) ** 3


def pour_layer(experiment: Experiment) -> None:
    """Drop the next layer from just above the highest grain, side by side with random gaps."""
    run, parameters = experiment.run, experiment.run.built
    state: HeapState = run.state
    generator = generator_of(state)
    rest = np.array(state.radii[state.poured :])
    fits = np.cumsum(2.0 * rest) <= 0.95 * parameters.width
    radii = rest[: max(1, int(fits.sum()))]
    free = max(0.0, parameters.width - 2.0 * radii.sum())
    gaps = np.diff(np.sort(generator.uniform(0.0, free, radii.size)), prepend=0.0)
    x = np.cumsum(gaps + 2.0 * radii) - radii
    moving = ~run.world.fixed
    top = float((run.world.motion[1, 0] + run.world.radius)[moving].max(initial=parameters.base_radius))
    y = top + radii + generator.uniform(0.0, parameters.mean_radius, radii.size)
    add_layer(experiment, np.column_stack([x, y]), radii, mass_of(radii, parameters), generator)
