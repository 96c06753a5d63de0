"""The orientation of each disc: a mark from its centre towards its rim, in models with rotation."""

from __future__ import annotations

import numpy as np
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.force_chains import FORCE_CHAINS
from repose.sim.experiment.snapshot import Floats

FROM, TO = 0.25, 0.78
"""Ends of the mark [radii]."""
WIDTH = 0.16
"""Width of the mark [radii]."""
LEAST_SEEN = 2.5
"""Smallest radius of a disc with a mark [pixel]."""
OPACITY = 0.75


def instances(frame: Frame) -> Floats | None:
    """One line per disc that can move, in the colour of its rim."""
    snapshot = frame.snapshot
    if snapshot.orientation.shape != (len(snapshot.radius), 1) or frame.shows(FORCE_CHAINS):
        return None
    marked = ~snapshot.fixed & (snapshot.radius > LEAST_SEEN * frame.metres_per_pixel)
    angle = snapshot.orientation[marked, 0]
    radius = snapshot.radius[marked, None]
    arm = radius * np.column_stack((np.cos(angle), np.sin(angle)))
    centre = snapshot.position[marked]
    rows = np.empty((len(centre), 9), np.float32)
    rows[:, 0:2] = centre + FROM * arm
    rows[:, 2:4] = centre + TO * arm
    rows[:, 4] = WIDTH * radius[:, 0] / frame.metres_per_pixel
    rows[:, 5:8] = frame.faces[marked] * frame.palette.rim
    rows[:, 8] = OPACITY
    return rows


PASS = Pass("spin", order=25, shader="lines", attributes=(4, 1, 4), instances=instances, dimensions=(2,))
