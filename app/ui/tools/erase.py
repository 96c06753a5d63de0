"""Remove the grain that is clicked, with its contacts and its energy; every drag is the camera's."""

from __future__ import annotations

import math

from repose.app.render.picking import sphere_at
from repose.app.ui.tools import Pixel, Tool
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import REMOVED, RemoveGrain

REACH = 3.0
"""Distance from the edge of a grain at which a click still removes it [px at scale 1]."""


def click(ui: Ui, at: Pixel) -> None:
    """Remove the grain there, if it is one that can move."""
    row = sphere_at(ui.snapshot, ui.view, ui.camera, ui.size, at, REACH * ui.scale)
    if row is not None and math.isfinite(ui.snapshot.mass[row]):
        ui.edits.note(REMOVED)
        ui.send(RemoveGrain(int(ui.snapshot.sphere_id[row])))


TOOL = Tool("erase", "Erase", 30, "X", "Click a grain to remove it. Ctrl+Z puts it back.", click=click)
