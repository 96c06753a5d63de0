"""Stored packings of clumps in their container, of the presets: their lesson begins when the container is lifted."""

from __future__ import annotations

from repose.sim.scenes.clumps.plate_and_container import ClumpsState
from repose.sim.scenes.common.poured import begin_filled
from repose.sim.scenes.common.settled import Packing, any_of

FILLED = "filled"
"""Name of the prepared state: the packing that belongs to the parameters, if one does."""
LATER = ("lift_speed",)

IN_SPACE = {
    "peanuts_and_balls": Packing(
        {"shape": "peanut", "members": 2, "grain_count": 400, "ball_share": 0.5, "rolling_friction": 0.1},
        later=LATER,
        springs=True,
    ),
    "cubes": Packing({"shape": "cube", "members": 20, "grain_count": 180}, later=LATER, springs=True),
    "rods": Packing({"shape": "rod", "members": 5, "grain_count": 300}, later=LATER, springs=True),
    "tetrapods": Packing(
        {"shape": "caltrop", "members": 17, "grain_count": 240, "young": 2e6, "friction": 0.8},
        later=LATER,
        springs=True,
    ),
    "vertebrae": Packing({"shape": "vertebra", "members": 24, "grain_count": 160}, later=LATER, springs=True),
}
IN_PLANE = {
    "joined_discs": Packing({"grain_count": 250, "ball_share": 0.0}, later=LATER, springs=True),
    "loose_discs": Packing({"grain_count": 250, "ball_share": 1.0}, later=LATER, springs=True),
}
PREPARED = {FILLED: any_of(IN_SPACE, ClumpsState, begin_filled)}
PREPARED_IN_PLANE = {FILLED: any_of(IN_PLANE, ClumpsState, begin_filled)}
