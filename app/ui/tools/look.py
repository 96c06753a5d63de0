"""Move the picture: every drag moves the camera."""

from __future__ import annotations

from repose.app.ui.tools import Tool

TOOL = Tool("look", "Move view", 0, "Q", "Drag moves the picture, in 3D it rotates it.")
