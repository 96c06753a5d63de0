"""Unbalanced force ratio: how far the grains are from equilibrium."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import World
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.measurement import Measurement
from repose.sim.message import _


def unbalanced_force(world: World, among: NDArray[np.bool_] | bool = True) -> float:
    """Mean net force on a grain, weight included, over the mean size of the normal force of a contact [-], for the
    loose spheres in `among`, shape (count,), and all bodies.

    Grains that do not accelerate are in equilibrium: 0. Without contacts it is infinite while a grain accelerates.
    """
    dimension = world.dimension
    loose = ~world.fixed & among
    if world.bodies:
        loose &= world.body < 0
    net = np.sqrt(np.sum(world.motion[:dimension, 2, loose] ** 2, axis=0)) * world.mass[loose]
    if world.bodies:
        inverse = world.bodies.inverse_mass[0]
        acceleration = world.bodies.motion[:dimension, 2, inverse > 0.0]
        net = np.concatenate([net, np.sqrt(np.sum(acceleration**2, axis=0)) / inverse[inverse > 0.0]])
    total = float(net.sum())
    if total == 0.0:
        return 0.0
    pushed, moving = pushes(world), ~world.fixed & among
    contacts, force = float(pushed.contacts[moving].sum()), float(pushed.size[moving].sum())
    return total / net.size * contacts / force if force > 0.0 else np.inf


MEASUREMENT = Measurement(
    "unbalanced_force",
    _("unbalanced force"),
    "",
    "",
    lambda system: unbalanced_force(system.grains),
    shown=False,
    plot=None,
)
"""Mean net force over mean contact force; below 10⁻³ the grains are in equilibrium."""
