"""Renewal of the lists of neighbours by the compiled parts of the step, which every scene with walls needs, too."""

from __future__ import annotations

from typing import Any

import numba
from repose.sim.engine.compiler import address_of
from repose.sim.engine.jit import OPTIONS, call
from repose.sim.engine.model import for_world
from repose.sim.engine.neighbours.verlet_list import renewal
from repose.sim.engine.parts import argument_types, compiled_parts
from repose.sim.engine.records import record_of
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import World

from tests.small_worlds import model_of


@numba.njit(**OPTIONS)
def renew(world: Any, renew_lists: int, list_walls: int, thread: int) -> Any:
    """Renew the share of a thread of both lists; a status."""
    return call(renew_lists, renewal(world, 0.0, thread_of(world, thread), 1, list_walls))


def arguments_of(world: World) -> tuple[Any, int, int]:
    """The first arguments of `renew`."""
    model = for_world(model_of(dimension=world.dimension)[0], world.is_periodic)
    parts, types = compiled_parts(model), argument_types()
    return (
        record_of(world),
        address_of(parts.renew_lists, types["renew_lists"]),
        address_of(parts.list_walls, types["list_walls"]),
    )
