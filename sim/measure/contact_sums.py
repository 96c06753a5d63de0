"""Number of contacts and sum of normal forces of each sphere, and grains connected by contacts, from one pass over the
lists."""

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


def touching_ids(world: World) -> Any:
    """Ids of both spheres of the pairs that touch, in the order of `touching_pairs`, shape (pairs, 2)."""
    pairs = world.pairs
    touching = np.flatnonzero(pairs.touching[: int(world.counters[PAIR_COUNT])])
    return np.column_stack((world.sphere_id[pairs.i[touching]], world.sphere_id[pairs.j[touching]]))


def connected(node: Any, i: Any, j: Any) -> Any:
    """Number of the cluster of each node, 0 for the largest, shape (nodes,): nodes that are connected by the contacts
    of the spheres in rows `i` and `j`. Equally large clusters are in the order of their first nodes.

    `node` is the node of each sphere, -1 for none, shape (spheres,).
    """
    root = np.arange(int(node.max(initial=-1)) + 1)
    _connect(node, i, j, root)
    size = np.bincount(root, minlength=root.size)
    first = np.flatnonzero(size)
    number = np.empty(root.size, np.int64)
    number[first[np.argsort(-size[first], kind="stable")]] = np.arange(first.size)
    return number[root]


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


def _connect_roots(node, i, j, root):  # type: ignore[no-untyped-def]
    for p in range(i.size):
        a, b = node[i[p]], node[j[p]]
        if a < 0 or b < 0:
            continue
        while root[a] != a:
            root[a] = root[root[a]]  # halves the path
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a < b:  # the first node of a cluster is its root
            root[b] = a
        else:
            root[a] = b
    for k in range(root.size):
        root[k] = root[root[k]]  # that of an earlier node is final


_add, _gather, _connect = compiled(_add_up), compiled(_ends_of), compiled(_connect_roots)
