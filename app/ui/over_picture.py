"""A window over the picture, between the panels, or beside it."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.ui.places import BELOW_LEGEND, free_of_actions, strip_height
from repose.app.ui.ui import Ui

MARGIN, TIGHT = 20.0, 6.0
"""Margin of the picture around the window; above and below a window beside the picture [px at scale 1]."""


def begin_over_picture(ui: Ui, name: str, beside: float = 0.0) -> imgui.ImVec2 | None:
    """Begin the window and return its size [px]; None, without a window, if the picture has no room for it.

    `beside` is the width that the picture leaves free for it at the right [px], below the legend if there are actions;
    0: the window covers the picture.
    """
    left, top, right, bottom = ui.window.inset
    margin = MARGIN * ui.window.scale
    if beside:
        left, above = ui.window.size[0] - beside - margin, TIGHT * ui.window.scale
        if not ui.mode.presenting:
            top += BELOW_LEGEND * ui.window.scale - above
        size = imgui.ImVec2(beside - margin, ui.window.size[1] - top - free_of_actions(ui)[3] - 2 * above)
    else:
        above = margin
        size = imgui.ImVec2(
            ui.window.size[0] - left - right - 2 * margin,
            ui.window.size[1] - top - bottom - 2 * margin - (0.0 if ui.mode.presenting else strip_height(ui)),
        )
    if min(size.x, size.y) < 100 * ui.window.scale:
        return None
    imgui.set_next_window_pos(imgui.ImVec2(left + margin, top + above))
    imgui.set_next_window_size(size)
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.window.scale)
    padding = imgui.ImVec2(14 * ui.window.scale, (TIGHT if beside else 11) * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_padding, padding)
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    imgui.begin(name, None, flags)
    imgui.pop_style_var(2)
    return size
