"""Stored packing of the heap in space: a filled funnel whose outlet is closed until the experiment begins."""

from __future__ import annotations

from repose.sim.scenes.common.poured import begin_filled
from repose.sim.scenes.common.settled import Packing, by_name
from repose.sim.scenes.heap3d.plate_and_funnel import Heap3dState, close_outlet

PACKINGS = {"funnel": Packing(later=("lift_speed",), fill=close_outlet)}
"""The packings by name."""
PREPARED = by_name(PACKINGS, Heap3dState, begin_filled)
