"""Text and numbers: symbols with scripts, powers of ten, units with prefixes, sentences that wrap.

Every function that draws or measures a text translates a message into the language of the window. Those that draw one
line also take a `str`: a symbol, a name, or a line that is in this language already.
"""

from __future__ import annotations

import math
import re

from imgui_bundle import imgui
from repose.app.language import as_drawn, decimal_sign, translated
from repose.app.render.text_size import LEAST_TEXT, TEXT_SIZE
from repose.app.render.theme import Colour, colour32, vector
from repose.sim.message import POINT, Message, formatted
from repose.sim.scales import prefix_of

SCRIPT = re.compile(r"([_^])([^\W_]+(?:\.[0-9]+)?)")
"""A subscript or superscript in a symbol or a unit: k_n, N/m^1.5."""
RAISED = re.compile(r"((?<=\b[^\W\d_])_|\^)([^\W_]+(?:\.[0-9]+)?)")
"""A superscript in a sentence, or a subscript of a symbol of one letter; an underscore may also belong to a name."""
SHIFT = {"": 0.0, "_": 0.32, "^": -0.06}
"""Downward offset of scripts [heights of a line]."""
SMALL = LEAST_TEXT / TEXT_SIZE
"""Size of hints, the smallest of all, relative to running text."""
OF_SCRIPT = 0.76
"""Size of a script relative to its text; no script is smaller than the smallest text."""


def text_width(text: Message | str, size: float = 1.0) -> float:
    """Width of a line of text [px], `size` relative to running text."""
    return _width(as_drawn(text), size)


def _width(text: str, size: float = 1.0) -> float:
    if size == 1.0:
        return float(imgui.calc_text_size(text).x)
    style = imgui.get_style()
    # Letters are set on whole pixels: the width of a text is not proportional to its size.
    imgui.push_font(None, _pixels(size) / (style.font_scale_main * style.font_scale_dpi))
    width = float(imgui.calc_text_size(text).x)
    imgui.pop_font()
    return width


def draw_text(x: float, y: float, text: Message | str, colour: Colour, size: float = 1.0) -> float:
    """Draw text at a place on the screen; returns x of its end [px]."""
    return _draw(x, y, as_drawn(text), colour, size)


def _draw(x: float, y: float, text: str, colour: Colour, size: float = 1.0) -> float:
    imgui.get_window_draw_list().add_text(
        imgui.get_font(), _pixels(size), imgui.ImVec2(round(x), round(y)), colour32(colour), text
    )
    return x + _width(text, size)


def shortened(text: Message | str, room: float, size: float = 1.0) -> str:
    """The text in the language of the window, cut to one line of width `room` [px] with an ellipsis."""
    shown = as_drawn(text)
    while _width(shown, size) > room and len(shown) > 1:
        shown = shown.removesuffix("…")[:-1].rstrip() + "…"
    return shown


def draw_symbol(x: float, y: float, symbol: Message | str, colour: Colour, scripts: re.Pattern[str] = SCRIPT) -> float:
    """Draw a symbol or unit such as k_n or N/m^p with its scripts small and set off; returns x of its end [px]."""
    return _draw_symbol(x, y, as_drawn(symbol), colour, scripts)


def _draw_symbol(x: float, y: float, symbol: str, colour: Colour, scripts: re.Pattern[str]) -> float:
    height = imgui.get_font_size()
    for text, script in pieces(symbol, scripts):
        x = _draw(x, y + SHIFT[script] * height, text, colour, OF_SCRIPT if script else 1.0)
    return x


def symbol_width(symbol: Message | str, scripts: re.Pattern[str] = SCRIPT) -> float:
    """Width of a symbol that `draw_symbol` draws [px]."""
    return _symbol_width(as_drawn(symbol), scripts)


def _symbol_width(symbol: str, scripts: re.Pattern[str]) -> float:
    return sum(_width(text, OF_SCRIPT if script else 1.0) for text, script in pieces(symbol, scripts))


def _pixels(size: float) -> float:
    """Height of text `size` times as large as running text, in whole pixels, as ImGui sets it; at least that of the
    smallest text."""
    whole = imgui.get_font_size()
    return float(round(max(whole * size, min(LEAST_TEXT, SMALL * whole))))


def pieces(symbol: str, scripts: re.Pattern[str]) -> list[tuple[str, str]]:
    """Pieces of a symbol, each with "_" for a subscript, "^" for a superscript or "" for neither.

    An exponent has the decimal sign of the language: units are texts, which `translated` leaves as they are.
    """
    plain, *rest = scripts.split(symbol)
    pieces = [(plain, "")]
    for script, text, after in zip(rest[::3], rest[1::3], rest[2::3]):
        pieces += [(_exponent(text) if script == "^" else text, script), (after, "")]
    return [piece for piece in pieces if piece[0]]


def in_one_piece(text: Message | str) -> str:
    """A text in the language of the window where scripts cannot be set off, as along the axes of a plot."""
    return RAISED.sub(lambda match: match[1] + (_exponent(match[2]) if match[1] == "^" else match[2]), as_drawn(text))


def _exponent(number: str) -> str:
    return number.replace(POINT, decimal_sign())


def note(text: Message, colour: Colour) -> None:
    """Draw a sentence that wraps at the edge of the panel."""
    imgui.push_style_color(imgui.Col_.text, vector(colour))
    write(text, imgui.get_content_region_avail().x)
    imgui.pop_style_color()


def heading(text: Message, size: float, colour: Colour) -> None:
    """Draw larger text, in one line if it fits."""
    imgui.push_font(None, imgui.get_style().font_size_base * size)
    imgui.push_style_color(imgui.Col_.text, vector(colour))
    words = translated(text)
    wraps = imgui.calc_text_size(words).x > imgui.get_content_region_avail().x
    imgui.push_text_wrap_pos(0.0 if wraps else -1.0)
    imgui.text_unformatted(words)
    imgui.pop_text_wrap_pos()
    imgui.pop_style_color()
    imgui.pop_font()


def write(text: Message | str, width: float) -> None:
    """Draw text in lines of at most `width` [px], with raised exponents, in ImGui's present colour."""
    imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + width)
    for line in as_drawn(text).split("\n"):
        if RAISED.search(line):
            _write_words(line.split(" "), width)
        else:
            imgui.text_unformatted(line)
    imgui.pop_text_wrap_pos()


def _write_words(words: list[str], width: float) -> None:
    """Draw word by word, because ImGui sets all letters of a line at one height."""
    low, space, line = imgui.get_cursor_screen_pos(), _width(" "), imgui.get_text_line_height()
    x, y = 0.0, 0.0
    colour = imgui.get_style_color_vec4(imgui.Col_.text)
    for word in words:
        wide = _symbol_width(word, RAISED)
        if x and x + wide > width:
            x, y = 0.0, y + line
        ink = (colour.x, colour.y, colour.z, colour.w)
        x = _draw_symbol(low.x + x, low.y + y, word, ink, RAISED) - low.x + space
    imgui.dummy(imgui.ImVec2(width if y else x - space, y + line))


LEAST_DECIMAL = 0.01
"""Least number without a unit that is written without a power of ten [-]."""


def si(value: float, unit: str, digits: int = 3) -> Message:
    """A value with its unit, in the prefix that keeps it readable."""
    if value == 0.0 or not math.isfinite(value):
        return formatted(value, ".0f", unit)
    factor, shown = prefix_of(value, unit, digits)
    if 0.9995 <= abs(value / factor) < 999.5:
        return formatted(value / factor, _decimals(value / factor, digits), shown)
    if not unit and LEAST_DECIMAL <= abs(value) < 1.0:
        return formatted(value, f".{digits - 1 - math.floor(math.log10(abs(value)))}f", unit)
    return formatted(value, ".1e", unit)


def _decimals(value: float, digits: int) -> str:
    """The format of a number with so many significant digits."""
    return f".{max(digits - len(str(int(abs(value)))), 0)}f"


def grouped(number: int) -> str:
    """A whole number with spaces between thousands."""
    return f"{number:,}".replace(",", "\u00a0")
