"""Help: every key and mouse action, over everything else."""

from __future__ import annotations

import pygame
from imgui_bundle import imgui
from repose.app.render.text import heading, text_width
from repose.app.render.theme import vector
from repose.app.ui.keys import FIELD_MOUSE, MOUSE, PANEL_KEYS, Key, scene_keys
from repose.app.ui.panels import Panel, all_keys
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button


def draw(ui: Ui) -> None:
    """A window in the middle, two columns of keys."""
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
        imgui.WindowFlags_.no_decoration
        | imgui.WindowFlags_.no_move
        | imgui.WindowFlags_.no_saved_settings
        | imgui.WindowFlags_.always_auto_resize
    )
    imgui.begin("help", None, flags)
    imgui.pop_style_var(3)
    heading("Keys and mouse", 1.35, ui.palette.text)
    imgui.same_line(0, 24 * ui.scale)
    if button(ui, "help.close", "Close", hint="Esc"):
        close(ui)
    keys = (*scene_keys(ui.snapshot), *all_keys())
    left = ("Experiment", "Time", "Parameters")
    right = tuple(dict.fromkeys(("Picture", "File", "Window", *(key.group for key in keys if key.group not in left))))
    key_width = max(text_width(key.shown) for key in keys) + 18 * ui.scale
    wide = key_width + max(
        text_width(line) for line in (*(key.help for key in keys), *(text for _, text in (*MOUSE, *PANEL_KEYS)))
    )
    imgui.begin_group()
    for group in left:
        _draw_group(ui, group, [(key.shown, key.help) for key in keys if key.group == group], key_width)
    _draw_group(ui, "Mouse on a parameter", list(FIELD_MOUSE), key_width)
    imgui.end_group()
    imgui.same_line(wide + 60 * ui.scale)
    imgui.begin_group()
    for group in right:
        _draw_group(ui, group, [(key.shown, key.help) for key in keys if key.group == group], key_width)
    _draw_group(ui, "Mouse on the picture", list(MOUSE), key_width)
    _draw_group(ui, "Keyboard in a panel", list(PANEL_KEYS), key_width)
    imgui.end_group()
    imgui.end()


def _draw_group(ui: Ui, title: str, lines: list[tuple[str, str]], key_width: float) -> None:
    imgui.text_colored(vector(ui.palette.muted), title)
    start = imgui.get_cursor_pos_x()
    for shown, help in lines:
        imgui.text_colored(vector(ui.palette.accent), shown)
        imgui.same_line()
        imgui.set_cursor_pos_x(start + key_width)
        imgui.text_unformatted(help)
    imgui.dummy(imgui.ImVec2(0, 2 * ui.scale))


def toggle(ui: Ui) -> None:
    """Open or close the help."""
    ui.help_open = not ui.help_open


def close(ui: Ui) -> None:
    """Close the help, and what else is open over the picture."""
    ui.help_open, ui.overlay = False, ""


KEYS = (
    Key("help", "F1", "this page", "Window", toggle, codes=(pygame.K_F1,)),
    Key("close_help", "Esc", "close this page, or an open list", "Window", close, codes=(pygame.K_ESCAPE,)),
)
PANEL = Panel("help", "Help", 90, "over", draw, keys=KEYS)
