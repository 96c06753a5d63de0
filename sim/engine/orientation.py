"""Orientation of spheres, for drawing; the motion of spheres outside bodies does not depend on it.

The step loop integrates the components of the spin like coordinates. The change of these coordinates between two
updates is a rotation vector, by which the unit quaternion is rotated; this is exact for a constant axis.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.world import BodyTable, Floats, World

MOST_AT_ONCE = 2**16
"""Number of spheres that are rotated together: the numbers on the way take no more memory for a million."""


def update(world: World) -> None:
    """Rotate every orientation by the rotation since the last update, in place."""
    dimension = world.search.reference.shape[0]
    spin_length = world.motion.shape[0] - dimension
    if spin_length == 0:
        return
    for begin in range(0, world.sphere_count, MOST_AT_ONCE):
        rows = slice(begin, begin + MOST_AT_ONCE)
        now = world.motion[dimension:, 0, rows]
        step = now - world.turned[:spin_length, rows]
        world.turned[:spin_length, rows] = now
        if spin_length == 1:
            world.orientation[0, rows] = np.remainder(world.orientation[0, rows] + step[0], 2.0 * np.pi)
        elif world.bodies:
            free = np.flatnonzero(world.body[rows] < 0)
            world.orientation[:, begin + free] = rotated(world.orientation[:, begin + free], step[:, free])
        else:
            world.orientation[:, rows] = rotated(world.orientation[:, rows], step)
    if world.bodies and spin_length == 3:
        of_members = np.repeat(world.bodies.reference, np.diff(world.bodies.begin), axis=1)
        world.orientation[:, world.bodies.member] = of_members


def rotated(quaternion: Floats, step: Floats) -> Floats:
    """Unit quaternions (4, n) after a further rotation by the vectors `step` (3, n) [rad]."""
    angle = np.linalg.norm(step, axis=0)
    half = 0.5 * angle
    # sin(a/2)/a, which is 1/2 at a = 0
    x, y, z = step * 0.5 * np.sinc(half / np.pi)
    w = np.cos(half)
    qw, qx, qy, qz = quaternion
    turned = np.array(
        [
            w * qw - x * qx - y * qy - z * qz,
            w * qx + x * qw + y * qz - z * qy,
            w * qy - x * qz + y * qw + z * qx,
            w * qz + x * qy - y * qx + z * qw,
        ]
    )
    normal: Floats = turned / np.linalg.norm(turned, axis=0)
    return normal


def matrices(quaternion: Floats) -> Floats:
    """Rotation matrices of unit quaternions (w, x, y, z), shape (n, 4) to (n, 3, 3)."""
    w, x, y, z = quaternion.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def body_spins(bodies: BodyTable, momentum: Floats) -> Floats:
    """Angular velocity of every body [rad/s] from its angular momentum over the reference moment of inertia [rad/s];
    both have the shape (spin length, bodies)."""
    if len(momentum) == 1:
        return momentum
    turn = matrices(bodies.reference.T)
    spins: Floats = momentum + np.einsum("nak,kn,nbk,bn->an", turn, bodies.unequal, turn, momentum)
    return spins
