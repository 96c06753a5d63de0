"""Orientation of spheres, for the picture: nothing in their motion depends on it.

The step loop integrates the components of the spin like coordinates. Over the few steps between two updates their sum
is a rotation vector, by which the unit quaternion is rotated; exact for a steady axis.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.world import World


def update(world: World) -> None:
    """Rotate every orientation by the rotation since the last update, in place."""
    dimension = world.search.reference.shape[0]
    spin_length = world.motion.shape[0] - dimension
    if spin_length == 0:
        return
    now = world.motion[dimension:, 0]
    step = now - world.turned[:spin_length]
    world.turned[:spin_length] = now
    if spin_length == 1:
        world.orientation[0] = np.remainder(world.orientation[0] + step[0], 2.0 * np.pi)
        return
    angle = np.linalg.norm(step, axis=0)
    half = 0.5 * angle
    # sin(a/2)/a, which is 1/2 at a = 0.
    x, y, z = step * 0.5 * np.sinc(half / np.pi)
    w = np.cos(half)
    qw, qx, qy, qz = world.orientation
    turned = np.array(
        [
            w * qw - x * qx - y * qy - z * qz,
            w * qx + x * qw + y * qz - z * qy,
            w * qy - x * qz + y * qw + z * qx,
            w * qz + x * qy - y * qx + z * qw,
        ]
    )
    world.orientation[:] = turned / np.linalg.norm(turned, axis=0)
