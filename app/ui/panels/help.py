"""Help, over everything else: the page of the widget under the pointer, and the page of every key and mouse action."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import SMALL, heading, text_width, write
from repose.app.render.theme import vector
from repose.app.ui.explanation import Explained
from repose.app.ui.keys import FIELD_MOUSE, MOUSE, PANEL_KEYS, Key, scene_keys
from repose.app.ui.panels import Panel, all_keys
from repose.app.ui.questions import open_question
from repose.app.ui.tools import all_tools
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, button_width
from repose.sim.message import EMPTY, Message, _, plain


@dataclass
class HelpPage:
    """What the open help shows."""

    text: Message = EMPTY
    """The explanation of a widget; empty for the page of all keys."""


Groups = dict[Message, list[tuple[Message, Message]]]
"""Keys and their effects, by heading."""
COLUMNS, TEXT, LEAST_TEXT = 3, 1.0, SMALL
"""Columns of keys, and the largest and smallest size of their text relative to running text."""
APART = 26.0
"""Distance between two columns [px at scale 1]."""
PAGE = 34.0
"""Width of the page of a widget [heights of a letter]."""


def draw(ui: Ui) -> None:
    """Draw a window in the middle: the page of a widget, or columns of keys."""
    if not ui.mode.help_open:
        return
    centre = imgui.ImVec2(ui.window.size[0] / 2, ui.window.size[1] / 2)
    imgui.set_next_window_pos(centre, imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
    limit = imgui.ImVec2(*(math.floor(0.96 * side) for side in ui.window.size))  # ImGui has windows of whole pixels
    imgui.set_next_window_size_constraints(imgui.ImVec2(0, 0), limit)
    imgui.push_style_var(
        imgui.StyleVar_.window_padding, imgui.ImVec2(round(22 * ui.window.scale), round(16 * ui.window.scale))
    )
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.window.scale)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.0)
    flags = (
        imgui.WindowFlags_.no_title_bar
        | imgui.WindowFlags_.no_resize
        | imgui.WindowFlags_.no_move
        | imgui.WindowFlags_.horizontal_scrollbar
        | imgui.WindowFlags_.no_saved_settings
        | imgui.WindowFlags_.always_auto_resize
    )
    imgui.begin("help", None, flags)
    if open_question(ui) is None and ui.snapshot.messages.fault is None:  # these wait for a click
        # A notice comes to the front when it appears, and would lie over the lines of the page.
        imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    imgui.pop_style_var(3)
    page = ui.states[HelpPage].text
    heading(_("Help") if page else _("Keys and mouse"), 1.35, ui.palette.text)
    imgui.same_line(0, 24 * ui.window.scale)
    if button(ui, "help.close", _("Close"), hint=_("Esc"), width=button_width(_("Close"), _("Esc"))):
        close(ui)
    imgui.same_line()
    width = button_width(_("Manual"), _("Ctrl+F1"))
    if button(ui, "help.manual", _("Manual"), hint=_("Ctrl+F1"), width=width):
        ui.control.actions["manual"]()
    if page:
        _draw_page(ui, page)
    else:
        _draw_keys(ui, limit)
    imgui.end()


def _draw_page(ui: Ui, page: Message) -> None:
    """Draw the whole explanation of a widget, and the way to the page of all keys."""
    imgui.same_line()
    width = button_width(_("Keys and mouse"))
    if button(ui, "help.keys", _("Keys and mouse"), width=width):
        ui.states[HelpPage].text = EMPTY
    imgui.dummy(imgui.ImVec2(0, 2 * ui.window.scale))
    write(page, min(PAGE * imgui.get_font_size(), 0.9 * ui.window.size[0] - 48 * ui.window.scale))
    ui.probe.mark("help.page")


def _draw_keys(ui: Ui, limit: imgui.ImVec2) -> None:
    """Draw columns of keys, in letters that fit into a window of at most this size [px]; with the smallest letters they
    scroll."""
    keys = (*scene_keys(ui.snapshot), *all_keys(), *(key for tool in all_tools() for key in tool.keys))
    names = dict.fromkeys(
        (
            _("Experiment"),
            _("Time"),
            _("Parameters"),
            _("Picture"),
            _("Window"),
            _("File"),
            *(key.group for key in keys),
        )
    )
    groups = {name: [(key.shown, key.help) for key in keys if key.group == name] for name in names}
    groups |= {_("Mouse on a parameter"): list(FIELD_MOUSE), _("Mouse on the picture"): list(MOUSE)}
    groups[_("Keyboard in a panel")] = list(PANEL_KEYS)
    pad, top = 48 * ui.window.scale, imgui.get_cursor_pos().y + 16 * ui.window.scale
    room = imgui.ImVec2(limit.x - pad, limit.y - top)
    placed, size = _fitted(groups, room, APART * ui.window.scale, _least_size(ui))
    imgui.push_font(None, imgui.get_style().font_size_base * size)
    spacing = imgui.get_style().item_spacing
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(spacing.x, spacing.y * size))
    for index, column in enumerate(placed):
        if index:
            imgui.same_line(0.0, APART * ui.window.scale)
        imgui.begin_group()
        key_width = _key_width(groups, column)
        for name in column:
            _draw_group(ui, name, groups[name], key_width)
        imgui.end_group()
    imgui.pop_style_var()
    imgui.pop_font()


def _least_size(ui: Ui) -> float:
    """Smallest size of the text of the keys, relative to running text, which a presentation enlarges: the smallest text
    of the same window without a presentation [-]."""
    usual = ui.settings.choices.font_scale * ui.palette.zoom
    return LEAST_TEXT * (min(usual / ui.view.text_scale, 1.0) if ui.mode.presenting else 1.0)


def _fitted(groups: Groups, room: imgui.ImVec2, gap: float, least: float) -> tuple[list[list[Message]], float]:
    """The groups in as many columns as are beside each other in `room` [px], with the size of their text, `least` at
    least [-]; fewer columns scroll, since a line that is cut cannot be read."""
    for count in range(COLUMNS, 0, -1):
        placed = columns(groups, count)
        wide = room.x - (count - 1) * gap - imgui.get_style().scrollbar_size - 1.0
        size = _text_size(groups, placed, imgui.ImVec2(wide, room.y if count == COLUMNS else math.inf), least)
        if _width(groups, placed, size) <= wide:
            break
    return placed, size


def columns(groups: Groups, count: int = COLUMNS) -> list[list[Message]]:
    """The groups in columns of about the same number of lines: each group, the longest first, goes to the column with
    the fewest lines. A column keeps the order of its groups."""
    placed: list[list[Message]] = [[] for _ in range(count)]
    for name in sorted(groups, key=lambda name: -len(groups[name])):
        min(placed, key=lambda column: _line_count(groups, column)).append(name)
    order = list(groups)
    whole = (sorted(column, key=order.index) for column in placed if column)
    return sorted(whole, key=lambda column: order.index(column[0]))


def _line_count(groups: Groups, column: list[Message]) -> int:
    return sum(len(groups[name]) + 1 for name in column)


def _key_width(groups: Groups, column: list[Message], size: float = 1.0) -> float:
    """Width of the keys of a column with the gap behind them [px]."""
    widest = max(text_width(shown, size) for name in column for shown, _ in groups[name])
    return widest + 0.7 * size * imgui.get_font_size()


def _width(groups: Groups, placed: list[list[Message]], size: float) -> float:
    """Width of all columns without the gaps between them [px]."""
    return sum(
        _key_width(groups, column, size) + max(text_width(help, size) for name in column for _, help in groups[name])
        for column in placed
    )


def _text_size(groups: Groups, placed: list[list[Message]], room: imgui.ImVec2, least: float) -> float:
    """Largest size of the text at which the columns fit into `room` [px], relative to running text [-].

    The size is a whole number of pixels, because the width of letters is not proportional to their height.
    """
    lines, high = max(_line_count(groups, column) for column in placed), imgui.get_font_size()
    gaps = (lines + max(map(len, placed))) * imgui.get_style().item_spacing.y
    for pixels in range(round(TEXT * high), round(least * high), -1):
        size = pixels / high
        if _width(groups, placed, size) <= room.x and lines * pixels + size * gaps <= room.y:
            return size
    return least


def _draw_group(ui: Ui, title: Message, lines: list[tuple[Message, Message]], key_width: float) -> None:
    imgui.text_colored(vector(ui.palette.muted), translated(title))
    start = imgui.get_cursor_pos_x()
    for shown, help in lines:
        imgui.text_colored(vector(ui.palette.accent), translated(shown))
        imgui.same_line()
        imgui.set_cursor_pos_x(start + key_width)
        imgui.text_unformatted(translated(help))
        ui.probe.mark(f"help.{shown}")
    imgui.dummy(imgui.ImVec2(0, 0))


def toggle(ui: Ui) -> None:
    """Open the page of the widget under the pointer, without one that of the keys; or close it."""
    ui.mode.help_open = not ui.mode.help_open
    ui.states[HelpPage].text = ui.states[Explained].text


def close(ui: Ui) -> None:
    """Close the help and any other window over the picture."""
    ui.mode.help_open, ui.mode.overlay = False, ""


KEYS = (
    Key("help", plain("F1"), _("this page; on a control, its explanation"), _("Window"), toggle, codes=(pygame.K_F1,)),
    Key("close_help", _("Esc"), _("close this page, or an open list"), _("Window"), close, codes=(pygame.K_ESCAPE,)),
)
PANEL = Panel("help", _("Help"), 90, "over", draw, keys=KEYS)
