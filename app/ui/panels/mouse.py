"""The tools of the mouse, one button each, at the upper left of the picture."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.ui.panels import Panel, instead
from repose.app.ui.panels.next_step import OVER
from repose.app.ui.places import TASK_FOOT
from repose.app.ui.tools import all_tools, choose_tool, chosen_tool
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width

MARGIN, GAP = 16.0, 4.0
"""From the edges of the picture, and between the buttons [px at scale 1]."""
LEAST_PICTURE = 420.0
"""Width of the picture below which only keys choose a tool [px at scale 1]: the legend needs its room."""


def draw(ui: Ui) -> None:
    """A column of buttons below the task of the scene, if it states one; the chosen tool is coloured."""
    left, above, right, bottom = ui.inset
    free, hidden = ui.size[0] - left - right, not (ui.view.ui_visible and bottom) or ui.presenting
    if hidden or ui.overlay not in ("", PANEL.name) or instead(ui) is not None or free < LEAST_PICTURE * ui.scale:
        return
    tools, chosen = all_tools(), chosen_tool(ui)
    width = max(button_width(tool.title, tool.key) for tool in tools)
    top = ui.memory.get(TASK_FOOT, above) + MARGIN * ui.scale
    imgui.set_next_window_pos(imgui.ImVec2(left + MARGIN * ui.scale, top))
    imgui.set_next_window_size(imgui.ImVec2(width, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(0.0, GAP * ui.scale))
    imgui.begin("mouse", None, OVER)
    for tool in tools:
        emphasis = ui.palette.accent if tool is chosen else None
        words = f"{tool.help}  Key {tool.key}"
        if button(ui, f"tool.{tool.name}", tool.title, hint=tool.key, help=words, emphasis=emphasis, width=width):
            choose_tool(ui, tool)
    chosen.options(ui)  # below all buttons: they keep their places, so that a double-click hits the same one twice
    imgui.end()
    imgui.pop_style_var(2)


PANEL = Panel("mouse", "Mouse", 72, "over", draw)
