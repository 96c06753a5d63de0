"""Mean speed of the grains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import World
from repose.sim.measure.display import MOTION
from repose.sim.measure.measurement import Measurement
from repose.sim.message import _


def mean_speed(world: World, among: NDArray[np.bool_] | bool = True) -> float:
    """Mean speed of the movable spheres in `among`, shape (count,) [m/s]; 0 if there are none."""
    moving = ~world.fixed & among
    dimension = world.dimension
    velocity = world.motion[:dimension, 1]
    square = velocity[0] * velocity[0]
    for component in velocity[1:]:
        square = square + component * component
    speed = np.sqrt(square)[moving]  # selected last: selecting columns of the table takes longer than the rest
    return float(speed.mean()) if speed.size else 0.0


MEASUREMENT = Measurement(
    "mean_speed",
    _("mean speed"),
    "",
    "m/s",
    lambda system: mean_speed(system.grains),
    shown=False,
    plot=MOTION,
    order=20,
    log=True,
)
