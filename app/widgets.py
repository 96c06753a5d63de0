"""The small pieces all panels are made of: buttons with key hints, readouts, symbols with subscripts, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.theme import Colour, colour32, vector

if TYPE_CHECKING:
    from app.panels import Ui

SUBSCRIPT = re.compile(r"_(\w+)")
SMALL = 0.76
"""Size of subscripts and hints relative to running text."""


def text_width(text: str, size: float = 1.0) -> float:
    """Width of a line of text [px], `size` relative to running text."""
    return imgui.calc_text_size(text).x * size


def draw_text(x: float, y: float, text: str, colour: Colour, size: float = 1.0) -> float:
    """Text at a place on the screen; returns where it ends [px]."""
    imgui.get_window_draw_list().add_text(
        imgui.get_font(), imgui.get_font_size() * size, imgui.ImVec2(x, y), colour32(colour), text
    )
    return x + text_width(text, size)


def draw_symbol(x: float, y: float, symbol: str, colour: Colour) -> float:
    """A symbol such as k_n with its subscript set low; returns where it ends [px]."""
    drop = imgui.get_font_size() * 0.32
    for index, part in enumerate(SUBSCRIPT.split(symbol)):
        low = index % 2 == 1
        x = draw_text(x, y + (drop if low else 0.0), part, colour, SMALL if low else 1.0)
    return x


def symbol_width(symbol: str) -> float:
    """Width of a symbol as `draw_symbol` sets it [px]."""
    return sum(text_width(part, SMALL if i % 2 else 1.0) for i, part in enumerate(SUBSCRIPT.split(symbol)))


def note(text: str, colour: Colour) -> None:
    """A sentence that wraps at the panel's edge."""
    imgui.push_style_color(imgui.Col_.text, vector(colour))
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(text)
    imgui.pop_text_wrap_pos()
    imgui.pop_style_color()


def heading(text: str, size: float, colour: Colour) -> None:
    """A line of larger text."""
    imgui.push_font(None, imgui.get_style().font_size_base * size)
    imgui.push_style_color(imgui.Col_.text, vector(colour))
    imgui.text_unformatted(text)
    imgui.pop_style_color()
    imgui.pop_font()


def tooltip(text: str) -> None:
    """Explain the widget just drawn, once the mouse rests on it."""
    if imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled):
        imgui.begin_tooltip()
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def button(
    ui: Ui,
    name: str,
    label: str,
    *,
    hint: str = "",
    help: str = "",
    width: float = -1.0,
    enabled: bool = True,
    emphasis: Colour | None = None,
) -> bool:
    """A button with its key at the right; True when pressed. `name` is what the probe calls it."""
    size = imgui.ImVec2(imgui.get_content_region_avail().x if width < 0 else width, imgui.get_frame_height())
    colours = 0
    if emphasis is not None and enabled:
        imgui.push_style_color(imgui.Col_.button, vector(emphasis))
        imgui.push_style_color(imgui.Col_.button_hovered, vector(emphasis, 0.85))
        imgui.push_style_color(imgui.Col_.button_active, vector(emphasis, 0.7))
        colours = 3
    imgui.begin_disabled(not enabled)
    pressed = imgui.button(f"##{name}", size)
    imgui.end_disabled()
    imgui.pop_style_color(colours)
    ui.probe.mark(name)
    if help:
        tooltip(help)
    low, pad = imgui.get_item_rect_min(), imgui.get_style().frame_padding
    ink = ui.palette.text if emphasis is None or not enabled else ui.palette.on_accent
    fade = 1.0 if enabled else imgui.get_style().disabled_alpha
    hint_width = text_width(hint, SMALL)
    free = size.x - (hint_width + pad.x if hint else 0.0)
    draw_text(low.x + max((free - text_width(label)) / 2, pad.x * 0.5), low.y + pad.y, label, _faded(ink, fade))
    if hint:
        lift = imgui.get_font_size() * (1 - SMALL) / 2
        quiet = ui.palette.muted if emphasis is None or not enabled else ui.palette.on_accent
        draw_text(low.x + size.x - hint_width - pad.x, low.y + pad.y + lift, hint, _faded(quiet, fade), SMALL)
    return pressed


def row(left: str, right: str, ui: Ui, colour: Colour | None = None) -> None:
    """A quiet name at the left and its value at the right edge."""
    imgui.text_colored(vector(ui.palette.muted), left)
    width = text_width(right)
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(imgui.get_content_region_avail().x - width, 0.0))
    imgui.text_colored(vector(colour or ui.palette.text), right)


def choose(ui: Ui, name: str, label: str, options: dict[str, str], current: str) -> str | None:
    """A list to choose from, its label inside at the left; the key chosen, or None if none was."""
    chosen = None
    width = imgui.get_content_region_avail().x
    indent = text_width(label) + imgui.get_style().item_inner_spacing.x if label else 0.0
    if label:
        imgui.align_text_to_frame_padding()
        imgui.text_colored(vector(ui.palette.muted), label)
        imgui.same_line(0.0, imgui.get_style().item_inner_spacing.x)
    imgui.set_next_item_width(width - indent)
    if imgui.begin_combo(f"##{name}", options.get(current, current)):
        for key, text in options.items():
            if imgui.selectable(text, key == current)[0]:
                chosen = key
            ui.probe.mark(f"{name}.{key}")
        imgui.end_combo()
    else:
        ui.probe.mark(name)
    return chosen


def checkbox(ui: Ui, name: str, label: str, value: bool, help: str = "") -> bool:
    """A tick box; the value it now has."""
    _, value = imgui.checkbox(f"{label}##{name}", value)
    ui.probe.mark(name)
    if help:
        tooltip(help)
    return value


def _faded(colour: Colour, alpha: float) -> Colour:
    return colour[0], colour[1], colour[2], colour[3] * alpha


def si(value: float, unit: str, digits: int = 3) -> str:
    """A value with its unit, in the prefix that keeps it readable."""
    if value == 0.0 or value != value:
        return f"{value:.0f} {unit}"
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")):
        if abs(value) >= factor * 0.9995:
            return f"{_digits(value / factor, digits)} {prefix}{unit}"
    return f"{value:.{digits - 1}e} {unit}"


def _digits(value: float, digits: int) -> str:
    whole = len(str(int(abs(value))))
    return f"{value:.{max(digits - whole, 0)}f}"


def grouped(number: int) -> str:
    """A whole number with thin spaces between thousands."""
    return f"{number:,}".replace(",", "\u2009")
