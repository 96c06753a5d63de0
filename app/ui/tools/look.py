"""Move the picture: every drag moves the camera."""

from __future__ import annotations

from repose.app.ui.tools import Tool
from repose.sim.message import _

TOOL = Tool("look", _("Move view"), 0, "Q", _("Drag moves the picture, in 3D it rotates it."), first=True)
