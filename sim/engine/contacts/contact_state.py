"""The tables of a world that the table of contacts and the survey read.

To take a whole world apart, a function that Python calls is compiled for most of a second.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.jit import compilable
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
    alone: ContactState = contacts_alone(world)
    return alone._replace(bonds=world.bonds if bonds else (), bodies=world.bodies if bodies else ())


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def contacts_alone(state: Any) -> Any:
    """The same tables without bonds and bodies: the evaluation of a law is compiled for one type."""
    return ContactState(
        state.motion,
        state.inverse_mass,
        state.mass,
        state.radius,
        state.sphere_id,
        state.material,
        state.counters,
        state.pairs,
        state.walls,
        state.wall_contacts,
        (),
        (),
    )
