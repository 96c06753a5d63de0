"""The tools of the mouse, one button each, at the upper left of the picture."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.ui.panels import Panel, instead
from repose.app.ui.panels.next_step import HEIGHT, OVER
from repose.app.ui.picture_areas import insets
from repose.app.ui.places import MOUSE, ToolArea, is_shown, show, shows_all, strip_height
from repose.app.ui.tools import all_tools, choose_tool, chosen_tool
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import MORE_HELP, button, button_width, more_width, with_key
from repose.sim.message import _, joined, plain

BELOW_NUMBER = 136.0
"""Where buttons without titles begin [px at scale 1, from the top of the picture]."""
MARGIN, GAP = 16.0, 4.0
"""Distance from the edges of the picture, and between the buttons [px at scale 1]."""
TITLES = 640.0
"""Width of the picture below which the buttons show their keys only [px at scale 1]: the angle needs the room."""
MOST_SETTINGS = 4
"""Rows of the tool with most settings; settings that do not fit below the buttons are beside them."""
LEAST_PICTURE = 420.0
"""Width of the picture below which only keys choose a tool [px at scale 1]: the legend needs its room."""


def draw(ui: Ui) -> None:
    """Buttons at the upper left, in as many columns as the height needs; the chosen tool is coloured. Beside other
    pictures, and in a narrow one, they show their keys only."""
    area = ui.states[ToolArea]
    area.right, area.edge, area.corner = 0.0, 0.0, (0.0, 0.0)
    left, above, right, bottom = ui.window.inset
    free, hidden = ui.window.size[0] - left - right, not (ui.view.ui_visible and bottom) or ui.mode.presenting
    free += ui.window.beside  # a panel beside the picture moves no button
    if (
        hidden
        or not (ui.mode.overlay in ("", PANEL.name) or ui.window.beside)
        or instead(ui) is not None
        or free < LEAST_PICTURE * ui.window.scale
    ):
        return
    chosen, has_more = chosen_tool(ui), not ui.settings.choices.expert
    everything = shows_all(ui, MOUSE) or not chosen.first  # a tool that a key has chosen is seen
    tools = [tool for tool in all_tools() if everything or tool.first]
    wide = max(more_width(), *(button_width(tool.title, tool.key) for tool in all_tools()))
    titled = free >= TITLES * ui.window.scale and not ui.beside.runs
    width, margin = (
        (wide, MARGIN * ui.window.scale) if titled else (HEIGHT * ui.window.scale, 0.5 * MARGIN * ui.window.scale)
    )
    top = above + margin
    if not titled and not ui.beside.runs:  # the number beside the legend needs all of the width
        top = max(top, above + BELOW_NUMBER * ui.window.scale)
    foot = insets(ui)[0][3] if ui.beside.runs else bottom + strip_height(ui)
    across, down = width + GAP * ui.window.scale, imgui.get_frame_height() + GAP * ui.window.scale
    per_column = max(int((ui.window.size[1] - foot - top) / down), 1)
    count = len(tools) + has_more
    per_column = -(-count // -(-count // per_column))  # columns of equal height
    taken = -(-count // per_column) * across - GAP * ui.window.scale
    area.right = left + margin + taken
    if titled or ui.beside.runs:
        area.edge = area.right
    below = (ui.window.size[1] - foot - top) / down >= min(per_column, count) + MOST_SETTINGS
    # A window wider than its buttons would take clicks that are meant for the picture.
    room = max(wide, taken) if chosen.options and below else taken
    imgui.set_next_window_pos(imgui.ImVec2(left + margin, top))
    imgui.set_next_window_size(imgui.ImVec2(room, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(0.0, GAP * ui.window.scale))
    imgui.begin("mouse", None, OVER)
    for number, tool in enumerate(tools):
        _begin_column(ui, number, per_column)
        emphasis = ui.palette.accent if tool is chosen else None
        label, hint = (tool.title, tool.key) if titled else (plain(tool.key), "")
        refusal = tool.refusal(ui.snapshot)
        words = refusal or (with_key(tool.help, tool.key) if titled else tool.help)
        words = words if titled else joined((tool.title, words), ": ")
        name = f"tool.{tool.name}"
        if button(ui, name, label, hint=hint, help=words, emphasis=emphasis, width=width, enabled=not refusal):
            choose_tool(ui, tool)
    if has_more:
        _begin_column(ui, len(tools), per_column)
        _draw_more(ui, width, titled)
    imgui.end_group()
    if chosen.options and below:  # below all buttons, which keep their places: a double-click hits one button twice
        chosen.options(ui)
    edge, lowest = left + margin + room, float(imgui.get_cursor_screen_pos().y)
    imgui.end()
    if chosen.options and not below:
        imgui.set_next_window_pos(imgui.ImVec2(left + margin + taken + GAP * ui.window.scale, top))
        imgui.set_next_window_size(imgui.ImVec2(wide, 0.0))
        imgui.begin("settings of the mouse", None, OVER)
        chosen.options(ui)
        if (under := float(imgui.get_cursor_screen_pos().y)) > lowest:  # otherwise a label has room below them
            edge, lowest = edge + GAP * ui.window.scale + wide, under
        imgui.end()
    area.corner = edge, lowest
    imgui.pop_style_var(2)


def _begin_column(ui: Ui, number: int, per_column: int) -> None:
    """Begin another column if the button of this number is its first one."""
    if number % per_column:
        return
    if number:
        imgui.end_group()
        imgui.same_line(0.0, GAP * ui.window.scale)
    imgui.begin_group()


def _draw_more(ui: Ui, width: float, titled: bool) -> None:
    """The button that shows or hides the tools used less; hiding them lets go of such a tool."""
    shown = is_shown(ui, MOUSE) or not chosen_tool(ui).first
    label = (_("Fewer") if shown else _("More")) if titled else plain("…")
    if button(ui, MOUSE, label, width=width, help=MORE_HELP):
        show(ui, MOUSE, not shown)
        if shown and not chosen_tool(ui).first:
            choose_tool(ui, all_tools()[0])


PANEL = Panel("mouse", _("Mouse"), 72, "over", draw)
