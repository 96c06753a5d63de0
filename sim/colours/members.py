"""Number of spheres of the grain to which each sphere belongs: it tells balls from clumps, and clumps of two shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.colours.colour import GrainColour
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.measure.colour_source import Grains
from repose.sim.message import _


def values(grains: Grains) -> NDArray[Any]:
    """Spheres in the rigid body of each sphere; 1 for a loose sphere [-]."""
    body = grains.world.body
    members = np.ones(body.size)
    of_body = body >= 0
    if of_body.any():
        members[of_body] = np.bincount(body[of_body])[body[of_body]]
    return members


def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
    """From the smallest to the largest number; two colours at least."""
    low = float(values.min())
    return low, max(float(values.max()), low + 1.0)


COLOUR = GrainColour(
    "members",
    _("spheres of the grain"),
    "",
    "",
    values,
    kind="discrete",
    span=span,
    of_bodies=True,
    legend=_("Spheres of the grain"),
    exported=False,  # as the body of each sphere
    order=55,
)
