"""The tools of the mouse, one button each, at the upper left of the picture, or in rows above pictures side by side."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.ui.panels import Panel, instead
from repose.app.ui.panels.next_step import HEIGHT, OVER
from repose.app.ui.places import MOUSE, ToolArea, is_shown, show, shows_all, strip_height
from repose.app.ui.tools import Tool, all_tools, choose_tool, chosen_tool
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import MORE_HELP, button, button_width, more_width, with_key
from repose.sim.message import _, joined, plain

BELOW_NUMBER = 136.0
"""Where buttons without titles begin [px at scale 1, from the top of the picture]."""
MARGIN, GAP = 16.0, 4.0
"""Distance from the edges of the picture, and between the buttons [px at scale 1]."""
BESIDE_NUMBER, NAMES = 640.0, 540.0
"""Width of the picture below which the buttons begin below the number beside the legend, and below which they show
their keys only [px at scale 1]."""
MOST_SETTINGS = 4
"""Rows of the tool with most settings; settings that do not fit below the buttons are beside them."""
LEAST_PICTURE = 420.0
"""Width of the picture below which only keys choose a tool [px at scale 1]: the legend needs its room."""


def draw(ui: Ui) -> None:
    """Buttons at the upper left, in as many columns as the height needs, in a narrow picture with their keys only;
    above pictures side by side they are in rows, and cover none of them. The chosen tool is coloured."""
    area = ui.states[ToolArea]
    area.right, area.edge, area.corner, rows_before, area.rows = 0.0, 0.0, (0.0, 0.0), area.rows, 0.0
    left, above, right, bottom = ui.window.inset
    free, hidden = ui.window.size[0] - left - right, not (ui.view.ui_visible and bottom) or ui.mode.presenting
    free += ui.window.beside  # a panel beside the picture moves no button
    if hidden or instead(ui) is not None or free < LEAST_PICTURE * ui.window.scale:
        return
    shown = ui.mode.overlay in ("", PANEL.name) or ui.window.beside > 0.0
    chosen = chosen_tool(ui)
    everything = shows_all(ui, MOUSE) or not chosen.first  # a tool that a key has chosen is seen
    tools = [tool for tool in all_tools() if everything or tool.first]
    if ui.beside.runs:
        rows = _rows(ui, tools, free - MARGIN * ui.window.scale)
        area.rows = len(rows) * _row_height(ui) + (MARGIN - GAP) * ui.window.scale
        if shown:
            _draw_rows(ui, rows, (left + 0.5 * MARGIN * ui.window.scale, above - rows_before))
    elif shown:
        _draw_columns(ui, tools, free)


def draw_on_picture(ui: Ui) -> None:
    """What the chosen tool draws on the picture, where its settings are shown; with the camera of the picture, which
    moves after the panels are drawn."""
    if (mark := chosen_tool(ui).on_picture) is not None and ui.states[ToolArea].corner != (0.0, 0.0):
        mark(ui)


def _draw_columns(ui: Ui, tools: list[Tool], free: float) -> None:
    """Draw the buttons over a picture of the width `free` [px]."""
    area, (left, above, _right, bottom) = ui.states[ToolArea], ui.window.inset
    has_more, wide = not ui.settings.choices.expert, _widest()
    named, beside_number = free >= NAMES * ui.window.scale, free >= BESIDE_NUMBER * ui.window.scale
    width, margin = (
        (wide, MARGIN * ui.window.scale) if named else (HEIGHT * ui.window.scale, 0.5 * MARGIN * ui.window.scale)
    )
    top = above + (margin if beside_number else max(margin, BELOW_NUMBER * ui.window.scale))
    foot = bottom + strip_height(ui)
    down = _row_height(ui)
    per_column = max(int((ui.window.size[1] - foot - top) / down), 1)
    count = len(tools) + has_more
    per_column = -(-count // -(-count // per_column))  # columns of equal height
    taken = -(-count // per_column) * (width + GAP * ui.window.scale) - GAP * ui.window.scale
    area.right = left + margin + taken
    if beside_number:
        area.edge = area.right
    options = chosen_tool(ui).options
    below = (ui.window.size[1] - foot - top) / down >= min(per_column, count) + MOST_SETTINGS
    # A window wider than its buttons would take clicks that are meant for the picture.
    room = max(wide, taken) if options and below else taken
    _begin_buttons(ui, (left + margin, top), room)
    for number, tool in enumerate(tools):
        _begin_column(ui, number, per_column)
        _draw_tool(ui, tool, width, named)
    if has_more:
        _begin_column(ui, len(tools), per_column)
        _draw_more(ui, width, named)
    imgui.end_group()
    if options and below:  # below all buttons, which keep their places: a double-click hits one button twice
        options(ui)
    edge, lowest = left + margin + room, float(imgui.get_cursor_screen_pos().y)
    imgui.end()
    if options and not below:
        under = _draw_settings(ui, (left + margin + taken + GAP * ui.window.scale, top), wide)
        if under > lowest:  # otherwise a label has room below them
            edge, lowest = edge + GAP * ui.window.scale + wide, under
    area.corner = edge, lowest
    imgui.pop_style_var(2)


def _rows(ui: Ui, tools: list[Tool], room: float) -> list[list[tuple[Tool | None, float, bool]]]:
    """The buttons in rows of this width [px], each with its width and whether it shows its key; None is the button
    *More*. Keys give way before there is a second row."""
    more = [] if ui.settings.choices.expert else [(None, more_width(), False)]
    gap = GAP * ui.window.scale
    rows: list[list[tuple[Tool | None, float, bool]]] = []
    for keys in (True, False):
        buttons = [(tool, button_width(tool.title, tool.key if keys else ""), keys) for tool in tools] + more
        rows, used = [[]], 0.0
        for entry in buttons:
            if used + entry[1] > room and rows[-1]:
                rows.append([])
                used = 0.0
            rows[-1].append(entry)
            used += entry[1] + gap
        if len(rows) == 1:
            break
    return rows


def _draw_rows(ui: Ui, rows: list[list[tuple[Tool | None, float, bool]]], corner: tuple[float, float]) -> None:
    """Draw the buttons from this corner on [px], and below them, over the first picture, the settings of the tool."""
    area, gap, margin = ui.states[ToolArea], GAP * ui.window.scale, 0.5 * MARGIN * ui.window.scale
    _begin_buttons(ui, (corner[0], corner[1] + margin), max(sum(width + gap for _, width, _ in row) for row in rows))
    for row in rows:
        for number, (tool, width, keys) in enumerate(row):
            if number:
                imgui.same_line(0.0, gap)
            if tool is None:
                _draw_more(ui, width)
            else:
                _draw_tool(ui, tool, width, has_key=keys)
    imgui.end()
    if chosen_tool(ui).options:
        wide = _widest()
        foot = _draw_settings(ui, (corner[0], corner[1] + area.rows + gap), wide)
        area.corner = corner[0] + wide, foot
    imgui.pop_style_var(2)


def _begin_buttons(ui: Ui, corner: tuple[float, float], width: float) -> None:
    """Begin the window of the buttons, with two style variables that the caller removes."""
    imgui.set_next_window_pos(imgui.ImVec2(*corner))
    imgui.set_next_window_size(imgui.ImVec2(width, 0.0))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(0.0, 0.0))
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(0.0, GAP * ui.window.scale))
    imgui.begin("mouse", None, OVER)


def _draw_settings(ui: Ui, corner: tuple[float, float], width: float) -> float:
    """Draw the settings of the chosen tool in a window of their own; returns its lower edge [px]."""
    imgui.set_next_window_pos(imgui.ImVec2(*corner))
    imgui.set_next_window_size(imgui.ImVec2(width, 0.0))
    imgui.begin("settings of the mouse", None, OVER)
    if options := chosen_tool(ui).options:
        options(ui)
    foot = float(imgui.get_cursor_screen_pos().y)
    imgui.end()
    return foot


def _widest() -> float:
    """Width of the widest button with its name and key [px]."""
    return max(more_width(), *(button_width(tool.title, tool.key) for tool in all_tools()))


def _row_height(ui: Ui) -> float:
    """Height of a row of buttons with the gap below it [px]."""
    return imgui.get_frame_height() + GAP * ui.window.scale


def _draw_tool(ui: Ui, tool: Tool, width: float, named: bool = True, has_key: bool = True) -> None:
    """Draw the button of a tool, with its name or only its key."""
    label, hint = (tool.title, tool.key if has_key else "") if named else (plain(tool.key), "")
    refusal = tool.refusal(ui.snapshot)
    words = refusal or (with_key(tool.help, tool.key) if named else tool.help)
    words = words if named else joined((tool.title, words), ": ")
    emphasis = ui.palette.accent if tool is chosen_tool(ui) else None
    if button(
        ui, f"tool.{tool.name}", label, hint=hint, help=words, emphasis=emphasis, width=width, enabled=not refusal
    ):
        choose_tool(ui, tool)


def _begin_column(ui: Ui, number: int, per_column: int) -> None:
    """Begin another column if the button of this number is its first one."""
    if number % per_column:
        return
    if number:
        imgui.end_group()
        imgui.same_line(0.0, GAP * ui.window.scale)
    imgui.begin_group()


def _draw_more(ui: Ui, width: float, named: bool = True) -> None:
    """The button that shows or hides the tools used less; hiding them lets go of such a tool."""
    shown = is_shown(ui, MOUSE) or not chosen_tool(ui).first
    label = (_("Fewer") if shown else _("More")) if named else plain("…")
    if button(ui, MOUSE, label, width=width, help=MORE_HELP):
        show(ui, MOUSE, not shown)
        if shown and not chosen_tool(ui).first:
            choose_tool(ui, all_tools()[0])


PANEL = Panel("mouse", _("Mouse"), 72, "over", draw)
