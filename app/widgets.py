"""The small pieces all panels are made of: buttons with key hints, readouts, symbols with subscripts, notes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.theme import Colour, colour32, vector

if TYPE_CHECKING:
    from app.panels import Ui

SCRIPT = re.compile(r"([_^])([^\W_]+)")
"""A subscript or superscript in a symbol or a unit: k_n, N/m^p."""
POWER = re.compile(r"\b(?P<mantissa>\d+(?:\.\d+)?)e(?P<sign>[+-])0*(?P<exponent>\d+)")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SMALL = 0.76
"""Size of subscripts and hints relative to running text."""


def _pixels(size: float) -> float:
    """Height of text `size` times as large as running text, in whole pixels, as ImGui sets it."""
    return float(round(imgui.get_font_size() * size))


def text_width(text: str, size: float = 1.0) -> float:
    """Width of a line of text [px], `size` relative to running text."""
    if size == 1.0:
        return float(imgui.calc_text_size(text).x)
    style = imgui.get_style()
    # Letters are set on whole pixels: the width of small text is not that share of the width of large text.
    imgui.push_font(None, _pixels(size) / (style.font_scale_main * style.font_scale_dpi))
    width = float(imgui.calc_text_size(text).x)
    imgui.pop_font()
    return width


def draw_text(x: float, y: float, text: str, colour: Colour, size: float = 1.0) -> float:
    """Text at a place on the screen; returns where it ends [px]."""
    imgui.get_window_draw_list().add_text(
        imgui.get_font(), _pixels(size), imgui.ImVec2(round(x), round(y)), colour32(colour), text
    )
    return x + text_width(text, size)


def draw_symbol(x: float, y: float, symbol: str, colour: Colour) -> float:
    """A symbol or unit such as k_n or N/m^p with its scripts small and set off; returns where it ends [px]."""
    height = imgui.get_font_size()
    for text, script in _scripts(symbol):
        shift = {"": 0.0, "_": 0.32, "^": -0.06}[script] * height
        x = draw_text(x, y + shift, text, colour, SMALL if script else 1.0)
    return x


def symbol_width(symbol: str) -> float:
    """Width of a symbol as `draw_symbol` sets it [px]."""
    return sum(text_width(text, SMALL if script else 1.0) for text, script in _scripts(symbol))


def _scripts(symbol: str) -> list[tuple[str, str]]:
    """Pieces of a symbol, each with "_" for a subscript, "^" for a superscript or "" for neither."""
    plain, *rest = SCRIPT.split(symbol)
    pieces = [(plain, "")]
    for script, text, after in zip(rest[::3], rest[1::3], rest[2::3]):
        pieces += [(text, script), (after, "")]
    return [piece for piece in pieces if piece[0]]


def friendly(text: str) -> str:
    """Numbers such as 2.5e+06 as a person writes them: 2.5·10⁶."""

    def power(match: re.Match[str]) -> str:
        sign = "⁻" if match["sign"] == "-" else ""
        times = "" if match["mantissa"] in ("1", "") else f"{match['mantissa']}·"
        return f"{times}10{sign}{match['exponent'].translate(RAISED)}"

    return POWER.sub(power, text)


def slide(ui: Ui, name: str, texts: tuple[str, ...], where: float, width: float = -1.0) -> float | None:
    """A bar to drag, with the first of the texts that fits in it; the place dragged to, 0 to 1, or None."""
    size = imgui.ImVec2(imgui.get_content_region_avail().x if width < 0 else width, imgui.get_frame_height())
    imgui.invisible_button(f"##{name}", size)
    ui.probe.mark(name)
    low, pad = imgui.get_item_rect_min(), imgui.get_style().frame_padding
    draw_bar(ui, low, size, where)
    text = next((entry for entry in texts if text_width(entry) < size.x - pad.x), "")
    draw_text(low.x + (size.x - text_width(text)) / 2, low.y + pad.y, text, ui.palette.text)
    return dragged(ui, low.x, size.x)


def draw_bar(ui: Ui, low: imgui.ImVec2, size: imgui.ImVec2, where: float, filled: bool = True) -> None:
    """The track of a slider up to `where`, 0 to 1, under the item just drawn."""
    draw, rounding = imgui.get_window_draw_list(), imgui.get_style().frame_rounding
    high = imgui.ImVec2(low.x + size.x, low.y + size.y)
    hot = imgui.is_item_hovered() or imgui.is_item_active()
    ground = imgui.Col_.frame_bg_hovered if hot else imgui.Col_.frame_bg
    draw.add_rect_filled(low, high, imgui.get_color_u32(ground), rounding)
    edge = low.x + size.x * where
    if not filled:
        quiet = colour32(ui.palette.muted)
        draw.add_line(imgui.ImVec2(edge, low.y), imgui.ImVec2(edge, high.y), quiet, ui.scale)
        return
    draw.push_clip_rect(low, imgui.ImVec2(edge, high.y), True)
    draw.add_rect_filled(low, high, colour32(ui.palette.fill), rounding)
    draw.pop_clip_rect()
    grip = ui.scale
    at = min(max(edge, low.x + grip), high.x - grip)
    draw.add_rect_filled(imgui.ImVec2(at - grip, low.y), imgui.ImVec2(at + grip, high.y), colour32(ui.palette.accent))


def dragged(ui: Ui, left: float, width: float) -> float | None:
    """Where on the item just drawn the mouse holds and moves it, 0 to 1, or None."""
    io = imgui.get_io()
    moved = imgui.is_item_active() and (io.mouse_delta.x or io.mouse_delta.y)
    if not (imgui.is_item_activated() or moved):
        return None
    # The ends are reached a little before the rim, so that they can be hit.
    rim = 3.0 * ui.scale
    return min(max((io.mouse_pos.x - left - rim) / max(width - 2 * rim, 1.0), 0.0), 1.0)


def note(text: str, colour: Colour) -> None:
    """A sentence that wraps at the panel's edge."""
    imgui.push_style_color(imgui.Col_.text, vector(colour))
    imgui.push_text_wrap_pos(0.0)
    imgui.text_unformatted(friendly(text))
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
    resting = imgui.HoveredFlags_.stationary | imgui.HoveredFlags_.delay_normal | imgui.HoveredFlags_.no_shared_delay
    if imgui.is_item_hovered(resting | imgui.HoveredFlags_.allow_when_disabled):
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
    if imgui.begin_combo(f"##{name}", options.get(current, current), imgui.ComboFlags_.height_largest):
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
    if value == 0.0 or not math.isfinite(value):
        return f"{value:.0f} {unit}"
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")):
        if factor * 0.9995 <= abs(value) < factor * 999.5:
            return f"{_digits(value / factor, digits)} {prefix}{unit}"
    return friendly(f"{value:.1e} {unit}")


def _digits(value: float, digits: int) -> str:
    whole = len(str(int(abs(value))))
    return f"{value:.{max(digits - whole, 0)}f}"


def grouped(number: int) -> str:
    """A whole number with spaces between thousands."""
    return f"{number:,}".replace(",", "\u00a0")
