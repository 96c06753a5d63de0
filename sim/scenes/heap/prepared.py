"""Stored packings of the heap, with which a lecture can begin with the opening of the wall.

A packing is used for any friction, stiffness, damping or gravity, but only for the grains and the container with which
it was filled.
"""

from __future__ import annotations

from repose.sim.scenes.common.poured import begin_filled
from repose.sim.scenes.common.settled import Packing, by_name
from repose.sim.scenes.heap.container import HeapState

PACKINGS = {
    "column": Packing(springs=True, single=False),
    "small": Packing(
        {"grain_count": 300}, 8, springs=True, single=False
    ),  # close to the means of many; small heaps scatter
    "rough": Packing({"base_radius": 1e-3}, springs=True, single=False),
    "large": Packing({"grain_count": 5000, "width": 0.0972}),
    "rotating": Packing({"rotation": True}, springs=True, single=False),
}
"""The packings by name."""

PREPARED = by_name(PACKINGS, HeapState, begin_filled)
