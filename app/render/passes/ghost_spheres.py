"""Spheres at the positions of a closed form: translucent shells with a bright contour."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.cutaway import is_cut
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.spheres import ATTRIBUTES, sphere_rows
from repose.sim.experiment.snapshot import Floats

ALPHA = 0.06
"""Opacity of a shell seen at right angles [-]."""
WIDTH = 1.6
"""Width of the contour [units of line width]."""
ENLARGEMENT = 1.01
"""Radius of a shell [radii of its sphere]: at equal depth, shell and sphere would cover each other in patches."""


def instances(frame: Frame) -> Floats | None:
    """One shell per sphere of the closed form, the farthest first."""
    ghosts = frame.snapshot.geometry.ghosts
    if not len(ghosts):
        return None
    ghosts = ghosts[np.isfinite(ghosts).all(axis=1) & ~is_cut(ghosts[:, :3], frame.cut)]
    ghosts = ghosts[np.argsort(-frame.orbit.depth(ghosts[:, :3]))]
    rows = sphere_rows(ghosts[:, :3], ENLARGEMENT * ghosts[:, 3])
    rows[:, 4:7] = rows[:, 8:11] = to_linear(frame.palette.mark)
    rows[:, 7] = ALPHA
    rows[:, 11] = WIDTH * frame.scale
    return rows


PASS = Pass(
    "ghost_spheres",
    order=45,
    shader="spheres",
    attributes=ATTRIBUTES,
    instances=instances,
    dimensions=(3,),
    depth="tested",
)
