"""Stored packings of the heap, with which a lecture can begin with the opening of the wall.

A packing is used for any friction, stiffness, damping or gravity, but only for the grains and the container with which
it was filled.
"""

from __future__ import annotations

from repose.sim.parameters import Value
from repose.sim.scenes.common.poured import begin_filled
from repose.sim.scenes.common.settled import Packing, any_of, by_name
from repose.sim.scenes.heap.container import HeapState

SMALL = {  # a seed close to the means of many; small heaps scatter
    "small": Packing({"grain_count": 300}, 8, springs=True, single=False),
    "small_fine": Packing({"grain_count": 300, "base_radius": 1e-4}, springs=True, single=False),
    "small_rough": Packing({"grain_count": 300, "base_radius": 1e-3}, springs=True, single=False),
}
"""Columns of a heap beside others, by their base."""

ROLLING: dict[str, Value] = {
    "law": "capillary",
    "rotation": True,
    "friction": 0.3,
    "base_radius": 1e-3,
    "grain_count": 300,
}
CASTLES = {
    "castle_dry": Packing({**ROLLING, "pull_off_force": 0.0}, 3, springs=True, single=False),
    "castle_wet": Packing({**ROLLING, "pull_off_force": 98.1e-3}, 3, springs=True, single=False),
    "castle": Packing({**ROLLING, "pull_off_force": 0.981}, 2, springs=True, single=False),
}
"""Columns of grains that roll, poured with liquid bridges of 0, 10 and 100 weights of a grain."""

PACKINGS = {
    "column": Packing(springs=True, single=False),
    **SMALL,
    **CASTLES,
    "rough": Packing({"base_radius": 1e-3}, springs=True, single=False),
    "large": Packing({"grain_count": 5000, "width": 0.0972}),
    "rotating": Packing({"rotation": True}, springs=True, single=False),
}
"""The packings by name."""

PREPARED = {
    **by_name(PACKINGS, HeapState, begin_filled),
    "small": any_of(SMALL, HeapState, begin_filled),
    "castle": any_of(CASTLES, HeapState, begin_filled),
}
