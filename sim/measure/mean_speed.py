"""Mean speed of the grains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import World
from repose.sim.measure.display import MOTION
from repose.sim.measure.measurement import Measurement


def mean_speed(world: World, among: NDArray[np.bool_] | bool = True) -> float:
    """Mean speed of the movable spheres in `among`, shape (count,) [m/s]; 0 if there are none."""
    moving = ~world.fixed & among
    dimension = world.search.reference.shape[0]
    speed = np.sqrt(np.sum(world.motion[:dimension, 1, moving] ** 2, axis=0))
    return float(speed.mean()) if speed.size else 0.0


MEASUREMENT = Measurement(
    "mean_speed",
    "mean speed",
    "",
    "m/s",
    lambda system: mean_speed(system.world),
    shown=False,
    plot=MOTION,
    order=20,
    log=True,
)
