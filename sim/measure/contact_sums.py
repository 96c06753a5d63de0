"""Number of contacts and sum of normal forces of each sphere, from one pass over the lists."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.jit import compiled
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World


class Pushes(NamedTuple):
    """Sums over the contacts of each sphere, walls included; one row per sphere."""

    force: Floats
    """Sum of normal forces [N], shape (count,)."""
    contacts: Floats
    """Number of contacts, shape (count,)."""
    size: Floats
    """Sum of the absolute normal forces [N], shape (count,): cohesive contacts pull, and their sum can be zero."""


def pushes(world: World) -> Pushes:
    """Contacts and normal forces of every sphere after the last step."""
    pairs, touches = world.pairs, world.wall_contacts
    used, near = int(world.counters[PAIR_COUNT]), int(world.counters[WALL_CONTACT_COUNT])
    force, contacts, size = (np.zeros(world.sphere_count) for _ in range(3))
    _add(
        (pairs.i[:used], pairs.j[:used], pairs.touching[:used], pairs.normal_force[:used]),
        (touches.sphere[:near], touches.touching[:near], touches.normal_force[:near]),
        force,
        contacts,
        size,
    )
    return Pushes(force, contacts, size)


def touching_pairs(world: World, position: Any) -> tuple[Any, Any]:
    """Both centres [m], shape (pairs, 2 * dimension), and normal force [N] of the pairs that touch, as float32.

    `position` contains the centres, float32, shape (spheres, dimension).
    """
    used = int(world.counters[PAIR_COUNT])
    count = int(np.count_nonzero(world.pairs.touching[:used]))
    ends, force = np.empty((count, 2 * position.shape[1]), np.float32), np.empty(count, np.float32)
    pairs = world.pairs
    _gather(pairs.i[:used], pairs.j[:used], pairs.touching[:used], pairs.normal_force[:used], position, ends, force)
    return ends, force


# Compiled: numpy takes ten times as long and does not release the GIL.


def _add_up(pairs, walls, force, contacts, size):  # type: ignore[no-untyped-def]
    i, j, touching, normal = pairs
    sphere, at_wall, wall_force = walls
    for p in range(i.size):
        if touching[p]:
            force[i[p]] += normal[p]
            force[j[p]] += normal[p]
            size[i[p]] += abs(normal[p])
            size[j[p]] += abs(normal[p])
            contacts[i[p]] += 1.0
            contacts[j[p]] += 1.0
    for t in range(sphere.size):
        force[sphere[t]] += wall_force[t]
        size[sphere[t]] += abs(wall_force[t])
        if at_wall[t]:
            contacts[sphere[t]] += 1.0


def _ends_of(i, j, touching, normal, position, ends, force):  # type: ignore[no-untyped-def]
    dimension = position.shape[1]
    row = 0
    for p in range(i.size):
        if touching[p]:
            for c in range(dimension):
                ends[row, c] = position[i[p], c]
                ends[row, dimension + c] = position[j[p], c]
            force[row] = normal[p]
            row += 1


_add, _gather = compiled(_add_up), compiled(_ends_of)
