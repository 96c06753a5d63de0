"""The tables of a world that a second evaluation of its contacts reads: survey and table of contacts.

To take a whole world apart, a function that Python calls is compiled for most of a second.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats, Pairs, WallContacts, Walls, World


class ContactState(NamedTuple):
    """Tables of `World`, by the same names."""

    motion: Floats
    inverse_mass: Floats
    mass: Floats
    radius: Floats
    sphere_id: NDArray[np.int64]
    material: NDArray[np.int64]
    counters: NDArray[np.int64]
    pairs: Pairs
    walls: Walls
    wall_contacts: WallContacts
    bonds: Any
    """() if the model has none."""
    bodies: Any


def state_of(world: World, bonds: bool = False, bodies: bool = False) -> ContactState:
    """The tables of this world, bonds and bodies only where they are asked for."""
    return ContactState(
        world.motion,
        world.inverse_mass,
        world.mass,
        world.radius,
        world.sphere_id,
        world.material,
        world.counters,
        world.pairs,
        world.walls,
        world.wall_contacts,
        world.bonds if bonds else (),
        world.bodies if bodies else (),
    )
