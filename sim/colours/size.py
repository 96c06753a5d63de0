"""Radius of each grain."""

from __future__ import annotations

import numpy as np
from repose.sim.colours.colour import GrainColour
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.message import _


def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """The middle 98 %; equal grains get a range around their one size."""
    low, high = (float(v) for v in np.percentile(values, (1.0, 99.0)))
    return (low, high) if high - low > 1e-3 * high else (0.9 * low, 1.1 * high)


COLOUR = GrainColour(
    "size",
    _("radius"),
    "R",
    "m",
    lambda grains: grains.world.radius,
    span=span,
    legend=_("Radius"),
    exported=False,  # as "radius"
    order=50,
)
