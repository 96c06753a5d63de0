"""Grains of a world: every loose sphere is one, and every rigid body is one, of however many spheres it consists."""

from __future__ import annotations

import numpy as np
from repose.sim.engine.world import Floats, World


def sums_over_grains(world: World, values: Floats) -> Floats:
    """Sums of `values`, shape (spheres,), over the spheres of each grain that can move, shape (grains,)."""
    moving = ~world.fixed
    if not world.bodies:
        return values[moving]
    body = world.search.body
    member = moving & (body >= 0)
    numbers, row = np.unique(body[member], return_inverse=True)
    return np.concatenate([values[moving & ~member], np.bincount(row, values[member], minlength=numbers.size)])


def grain_count(world: World) -> int:
    """Number of grains that can move."""
    return int(sums_over_grains(world, world.radius).size)
