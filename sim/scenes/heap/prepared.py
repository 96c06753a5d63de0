"""Stored packings of the heap, with which a lecture can begin with the opening of the wall.

A packing is used for any friction, stiffness, damping or gravity, but only for the grains and the container with which
it was filled.
"""

from __future__ import annotations

from repose.sim.scenes.common.poured import begin_filled
from repose.sim.scenes.common.settled import Packing, any_of, by_name
from repose.sim.scenes.heap.container import HeapState

SMALL = {  # a seed close to the means of many; small heaps scatter
    "small": Packing({"grain_count": 300}, 8, springs=True, single=False),
    "small_fine": Packing({"grain_count": 300, "base_radius": 1e-4}, springs=True, single=False),
    "small_rough": Packing({"grain_count": 300, "base_radius": 1e-3}, springs=True, single=False),
}
"""Columns of a heap beside others, by their base."""

PACKINGS = {
    "column": Packing(springs=True, single=False),
    **SMALL,
    "rough": Packing({"base_radius": 1e-3}, springs=True, single=False),
    "large": Packing({"grain_count": 5000, "width": 0.0972}),
    "rotating": Packing({"rotation": True}, springs=True, single=False),
}
"""The packings by name."""

PREPARED = {
    **by_name(PACKINGS, HeapState, begin_filled),
    "small": any_of(SMALL, HeapState, begin_filled),
}
