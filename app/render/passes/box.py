"""The body of walls and base: a solid band behind the fixed grains."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass, Switch
from repose.app.render.passes.discs import disc_rows
from repose.sim.experiment.snapshot import Floats
from repose.sim.message import _

CONTAINER = Switch("box", _("Container"), _("Outline of the container."))
BAND = 3.5
"""Width of the band around the fixed grains [units of line width]."""


def instances(frame: Frame) -> Floats | None:
    """A wider disc behind each fixed grain; together the discs form a continuous outline."""
    snapshot = frame.snapshot
    if not snapshot.grains.fixed.any():
        return None
    fixed = snapshot.grains.fixed
    band = np.float32(BAND * frame.scale * frame.metres_per_pixel)
    rows = disc_rows(snapshot.grains.position[fixed], snapshot.grains.radius[fixed] + band)
    rows[:, 3:6] = to_linear(frame.palette.solid)
    rows[:, 6] = 1.0
    return rows


PASS = Pass(
    "box", order=10, shader="discs", attributes=(2, 1, 4, 4, 1), instances=instances, dimensions=(2,), switch=CONTAINER
)
