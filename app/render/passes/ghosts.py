"""Where a closed form says that grains in 2D should be: empty rings."""

from __future__ import annotations

from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.discs import disc_rows
from repose.sim.experiment.snapshot import Floats

WIDTH = 1.8
"""Of a ring [units of line width]."""


def instances(frame: Frame) -> Floats | None:
    """One ring each."""
    ghosts = frame.snapshot.ghosts
    if not len(ghosts):
        return None
    rows = disc_rows(ghosts[:, :2], ghosts[:, 2])
    rows[:, 7:10] = to_linear(frame.palette.mark)
    rows[:, 10] = 1.0
    rows[:, 11] = WIDTH * frame.scale
    return rows


PASS = Pass("ghosts", order=45, shader="discs", attributes=(2, 1, 4, 4, 1), instances=instances, dimensions=(2,))
