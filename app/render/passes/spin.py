"""The orientation of each disc: a mark from its centre towards its rim, in models with rotation; of a rigid body of
several discs: a line through their centres."""

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
JOINT = 0.3
"""Width of the line through the discs of a body [radii]."""


def instances(frame: Frame) -> Floats | None:
    """One line per disc that can move, or per joint of a body, in the colour of its rim."""
    snapshot = frame.snapshot
    if snapshot.grains.orientation.shape != (len(snapshot.grains.radius), 1) or frame.shows(FORCE_CHAINS):
        return None
    seen = ~snapshot.grains.fixed & (snapshot.grains.radius > LEAST_SEEN * frame.metres_per_pixel)
    pairs = frame.joints
    first, second = pairs[seen[pairs].all(axis=1)].T
    marked = seen.copy()
    marked[pairs] = False
    angle = snapshot.grains.orientation[marked, 0]
    radius = snapshot.grains.radius[marked, None]
    arm = radius * np.column_stack((np.cos(angle), np.sin(angle)))
    centre = snapshot.grains.position[marked]
    rows = np.empty((len(centre) + len(first), 9), np.float32)
    marks, joints = rows[: len(centre)], rows[len(centre) :]
    marks[:, 0:2] = centre + FROM * arm
    marks[:, 2:4] = centre + TO * arm
    marks[:, 4] = WIDTH * radius[:, 0] / frame.metres_per_pixel
    marks[:, 5:8] = frame.faces[marked] * frame.palette.rim
    joints[:, 0:2], joints[:, 2:4] = snapshot.grains.position[first], snapshot.grains.position[second]
    joints[:, 4] = JOINT * snapshot.grains.radius[first] / frame.metres_per_pixel
    joints[:, 5:8] = frame.faces[first] * frame.palette.rim
    rows[:, 8] = OPACITY
    return rows


PASS = Pass("spin", order=25, shader="lines", attributes=(4, 1, 4), instances=instances, dimensions=(2,))
