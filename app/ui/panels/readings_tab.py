"""Readings: a tab with all readings, for a column that is too low for their card."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.render.text import note
from repose.app.ui.panels import Panel
from repose.app.ui.panels.preset_and_readings import draw_readings
from repose.app.ui.ui import Ui
from repose.sim.message import _


def draw(ui: Ui) -> None:
    """The readings, or the reason why there are none."""
    top = imgui.get_cursor_pos_y()
    draw_readings(ui)
    if imgui.get_cursor_pos_y() == top:
        note(_("Readings appear as soon as there are grains."), ui.palette.muted)


PANEL = Panel("readings", _("Readings"), 10, "low", draw)
