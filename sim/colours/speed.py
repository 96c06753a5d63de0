"""Speed of each grain, in the range of free fall through the scene."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.colours.colour import GrainColour
from repose.sim.colours.ranges import from_zero, to_round
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.colour_source import Grains
from repose.sim.message import _

FALL_SHARE = 0.5
"""Upper end of the fixed range of speeds, in speeds of free fall through the scene: in a flow few grains are faster."""


def values(grains: Grains) -> NDArray[Any]:
    """Speeds of the centres [m/s]."""
    speed: NDArray[Any] = np.sqrt(np.sum(grains.world.motion[: grains.dimension, 1] ** 2, axis=0))
    return speed


def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """Like `from_zero`, at least to the settle speed."""
    settled = float(snapshot.run.parameters.values.get("settle_speed", 1e-2))
    return from_zero(2.0 * settled)(values, snapshot)


def free_fall(wanted: tuple[float, float], snapshot: Snapshot) -> tuple[float, float]:
    """From zero to a share of the speed of free fall through the scene: known before the grains move."""
    up = len(snapshot.geometry.box[0]) - 1
    gravity = float(snapshot.run.parameters.values.get("gravity", 9.81))
    height = max(snapshot.geometry.box[1][up] - snapshot.geometry.box[0][up], 0.0)
    fall = FALL_SHARE * math.sqrt(2.0 * gravity * height)
    if fall <= 0.0:
        return to_round(wanted, snapshot)
    power = 10.0 ** math.floor(math.log10(fall))
    return 0.0, next(lead * power for lead in (1.0, 1.5, 2.0, 3.0, 5.0, 10.0) if lead * power >= 0.95 * fall)


COLOUR = GrainColour(
    "speed",
    _("speed"),
    "v",
    "m/s",
    values,
    span=span,
    fixed=free_fall,
    widens=False,
    legend=_("Speed"),
    exported=False,  # the components of the velocity are
    order=10,
)
