"""Help: every key and mouse action, over everything else."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import heading, text_width
from repose.app.render.theme import vector
from repose.app.ui.keys import FIELD_MOUSE, MOUSE, PANEL_KEYS, Key, scene_keys
from repose.app.ui.panels import Panel, all_keys
from repose.app.ui.tools import all_tools
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button

COLUMNS, TEXT = 3, 0.9
"""Columns of keys, and the size of their text relative to running text."""


def draw(ui: Ui) -> None:
    """A window in the middle with columns of keys; it scrolls where it is higher than the window."""
    if not ui.help_open:
        return
    centre = imgui.ImVec2(ui.size[0] / 2, ui.size[1] / 2)
    imgui.set_next_window_pos(centre, imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
    limit = imgui.ImVec2(ui.size[0] * 0.96, ui.size[1] * 0.96)
    imgui.set_next_window_size_constraints(imgui.ImVec2(0, 0), limit)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(22 * ui.scale, 16 * ui.scale))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 8 * ui.scale)
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
    imgui.pop_style_var(3)
    heading("Keys and mouse", 1.35, ui.palette.text)
    imgui.same_line(0, 24 * ui.scale)
    if button(ui, "help.close", "Close", hint="Esc"):
        close(ui)
    keys = (*scene_keys(ui.snapshot), *all_keys(), *(key for tool in all_tools() for key in tool.keys))
    names = dict.fromkeys(
        ("Experiment", "Time", "Parameters", "Picture", "Window", "File", *(key.group for key in keys))
    )
    groups = {name: [(key.shown, key.help) for key in keys if key.group == name] for name in names}
    groups |= {"Mouse on a parameter": list(FIELD_MOUSE), "Mouse on the picture": list(MOUSE)}
    groups["Keyboard in a panel"] = list(PANEL_KEYS)
    imgui.push_font(None, imgui.get_style().font_size_base * TEXT)
    for place, column in enumerate(columns(groups)):
        if place:
            imgui.same_line(0.0, 26 * ui.scale)
        imgui.begin_group()
        key_width = max(text_width(shown) for name in column for shown, _ in groups[name]) + 10 * ui.scale
        for name in column:
            _draw_group(ui, name, groups[name], key_width)
        imgui.end_group()
    imgui.pop_font()
    imgui.end()


def columns(groups: dict[str, list[tuple[str, str]]]) -> list[list[str]]:
    """The groups in order, in columns of about the same number of lines."""
    total, filled = sum(len(lines) + 1 for lines in groups.values()), 0
    found: list[list[str]] = [[] for _ in range(COLUMNS)]
    for name, lines in groups.items():
        found[min(COLUMNS * (filled + len(lines) // 2) // total, COLUMNS - 1)].append(name)
        filled += len(lines) + 1
    return [column for column in found if column]


def _draw_group(ui: Ui, title: str, lines: list[tuple[str, str]], key_width: float) -> None:
    imgui.text_colored(vector(ui.palette.muted), translated(title))
    start = imgui.get_cursor_pos_x()
    for shown, help in lines:
        imgui.text_colored(vector(ui.palette.accent), translated(shown))
        imgui.same_line()
        imgui.set_cursor_pos_x(start + key_width)
        imgui.text_unformatted(translated(help))
    imgui.dummy(imgui.ImVec2(0, 2 * ui.scale))


def toggle(ui: Ui) -> None:
    """Open or close the help."""
    ui.help_open = not ui.help_open


def close(ui: Ui) -> None:
    """Close the help and any other window over the picture."""
    ui.help_open, ui.overlay = False, ""


KEYS = (
    Key("help", "F1", "this page", "Window", toggle, codes=(pygame.K_F1,)),
    Key("close_help", "Esc", "close this page, or an open list", "Window", close, codes=(pygame.K_ESCAPE,)),
)
PANEL = Panel("help", "Help", 90, "over", draw, keys=KEYS)
