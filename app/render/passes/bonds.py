"""Bonds in the plane, and joints of the members of a rigid body, as broad lines behind their particles, so that these
look like one body."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.discs import DIMMED
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.sim.engine.boundaries import nearest_image
from repose.sim.experiment.snapshot import Floats

WIDTH = 1.7
"""Width of a bond [radii of the smaller particle]: the lines of a triangular lattice leave no gap."""
SHADE = 0.55
"""Brightness of a bond relative to its particles, linear [-]."""


def instances(frame: Frame) -> Floats | None:
    """One line per intact bond and per joint; in a body of several parts, in the colour of the first end."""
    snapshot = frame.snapshot
    bonds = np.concatenate((snapshot.contacts.bonds, frame.joints))
    if not len(bonds):
        return None
    first, second = bonds.T
    rows = np.empty((len(bonds), 9), np.float32)
    position = snapshot.grains.position.astype(np.float64)
    ends = position[first], position[second]
    rows[:, 0:2], rows[:, 2:4] = ends[0], nearest_image(*ends, snapshot.geometry.boundary)
    rows[:, 4] = (
        WIDTH * np.minimum(snapshot.grains.radius[first], snapshot.grains.radius[second]) / frame.metres_per_pixel
    )
    rows[:, 5:8] = SHADE * frame.faces[first]
    if frame.shows(FORCE_CHAINS):
        rows[:, 5:8] = DIMMED * rows[:, 5:8] + (1.0 - DIMMED) * to_linear(frame.palette.background)
    rows[:, 8] = 1.0
    return rows[np.isfinite(rows).all(axis=1)]


PASS = Pass("bonds", order=17, shader="lines", attributes=(4, 1, 4), instances=instances, dimensions=(2,))
