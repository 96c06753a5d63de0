"""The plot shown last, large beside the picture, so that the audience sees what is measured, with text for the last row
of a lecture hall."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.render.text import text_width
from repose.app.ui.keys import Key
from repose.app.ui.over_picture import begin_over_picture
from repose.app.ui.panels import Panel, plots, width_beside
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import bring_forward, button
from repose.sim.message import _, plain

ROW = "large"
"""The row of tabs."""
LINES, LETTERS = 22.0, 39.0
"""Least height and width of the window [lines, heights of a letter]; the text of a larger window is enlarged so that it
has the same share of the window."""
SHARE, LEAST, LEAST_PICTURE = 0.6, 330.0, 240.0
"""Fraction of the width of the picture for the plot at its right [-], least width of the plot, and least width left for
the grains, below which the plot covers them [px at scale 1]."""


def draw(ui: Ui) -> None:
    """Draw a window beside the picture, where the run stays visible; over the picture if it is too narrow."""
    if ui.mode.overlay != PANEL.name:
        return
    size = begin_over_picture(ui, "large plot", width_beside(ui, ui.window.size[0] - ui.window.inset[0]))
    if size is None:
        return
    high = imgui.get_text_line_height()
    larger = min(size.y / (LINES * high), size.x / (LETTERS * high))
    imgui.push_font(None, imgui.get_style().font_size_base * max(larger, 1.0))
    _draw_close(ui)
    plots.draw_tabs(ui, ROW)
    imgui.pop_font()
    imgui.end()


def beside(ui: Ui, width: float) -> float:
    """Width of the plot beside a picture of this width [px]; 0 if the plot covers the picture."""
    own = max(SHARE * width, LEAST * ui.window.scale)
    return own if width - own >= LEAST_PICTURE * ui.window.scale else 0.0


def _draw_close(ui: Ui) -> None:
    """Draw the button that closes the plot at the upper right, beside the tabs, or above tabs without room beside."""
    start, pad = imgui.get_cursor_pos(), (2.0 * plots.TAB_PADDING + 1.0) * ui.window.scale
    width = text_width(_("Close  P")) + 2.5 * imgui.get_style().frame_padding.x
    tabs = sum(text_width(entry.title) + pad for entry in plots.tabs_of(ui))
    room = imgui.get_content_region_avail().x - width - imgui.get_style().item_spacing.x
    imgui.set_cursor_pos_x(start.x + imgui.get_content_region_avail().x - width)
    if button(ui, "large.close", _("Close"), hint="P", width=width):
        ui.mode.overlay = ""
    if tabs <= room:
        imgui.set_cursor_pos(start)


def toggle(ui: Ui) -> None:
    """Show the plot large, or close it."""
    ui.mode.overlay = "" if ui.mode.overlay == PANEL.name else PANEL.name
    if ui.mode.overlay:
        bring_forward(ui, ROW, ui.states[plots.ShownPlot].name or ui.settings.choices.tabs.get(plots.ROW, ""))


KEYS = (
    Key("large_plot", plain("P"), _("the plot, large beside the picture"), _("Window"), toggle, codes=(pygame.K_p,)),
)
PANEL = Panel("large_plot", _("Large plot"), 70, "over", draw, keys=KEYS, beside=beside)
