"""The plot shown last, large over the picture, with text that the last row of a lecture hall can read."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.render.text import text_width
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel, plots
from repose.app.ui.places import STRIP
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward, button

ROW = "large"
"""The row of tabs."""
TEXT, LINES = 1.45, 22.0
"""Largest size of its text relative to running text [-], and smallest height [lines of text]."""
MARGIN = 20.0
"""Margin of the picture around it [px at scale 1]."""


def draw(ui: Ui) -> None:
    """A window over the picture between the panels."""
    if ui.overlay != PANEL.name:
        return
    left, top, right, bottom = ui.inset
    margin = MARGIN * ui.scale
    size = imgui.ImVec2(
        ui.size[0] - left - right - 2 * margin, ui.size[1] - top - bottom - 2 * margin - STRIP * ui.scale
    )
    if min(size.x, size.y) < 100 * ui.scale:
        return
    imgui.set_next_window_pos(imgui.ImVec2(left + margin, top + margin))
    imgui.set_next_window_size(size)
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.scale)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(14 * ui.scale, 11 * ui.scale))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    imgui.begin("large plot", None, flags)
    imgui.pop_style_var(2)
    lines = size.y / imgui.get_text_line_height()
    imgui.push_font(None, imgui.get_style().font_size_base * min(max(lines / LINES, 1.0), TEXT))
    _draw_close(ui)
    plots.draw_tabs(ui, ROW)
    imgui.pop_font()
    imgui.end()


def _draw_close(ui: Ui) -> None:
    """At the upper right, beside the tabs."""
    start = imgui.get_cursor_pos()
    width = text_width("Close  P") + 2.5 * imgui.get_style().frame_padding.x
    imgui.set_cursor_pos_x(start.x + imgui.get_content_region_avail().x - width)
    if button(ui, "large.close", "Close", hint="P", width=width):
        ui.overlay = ""
    imgui.set_cursor_pos(start)


def toggle(ui: Ui) -> None:
    """Show the plot large, or close it."""
    ui.overlay = "" if ui.overlay == PANEL.name else PANEL.name
    if ui.overlay:
        bring_forward(ui, ROW, ui.memory.get(plots.SHOWN, ui.settings.choices.tabs.get(plots.ROW, "")))


KEYS = (Key("large_plot", "P", "the plot, large over the picture", "Window", toggle, codes=(pygame.K_p,)),)
PANEL = Panel("large_plot", "Large plot", 70, "over", draw, keys=KEYS)
