"""Cards: a picture with a title and a few lines of text that can be clicked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import draw_symbol
from repose.app.render.theme import Colour, colour32
from repose.app.storage.thumbnails import SIZE
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip

WIDTH = 208.0
"""Least width of a card [px at scale 1]."""
ASPECT = SIZE[1] / SIZE[0]
"""Height over width of a picture."""
LINES, MOST_LINES = 5, 8
"""Least and most lines of text under the title; a text with more lines is also the tooltip."""
PAD = 8.0
"""Margin around the text [px at scale 1]."""


@dataclass(frozen=True)
class CardFace:
    """Content of a card."""

    name: str
    """Name of its widget and of its picture."""
    title: str
    about: str = ""
    question: str = ""
    picture: Callable[[], bytes] = bytes
    current: bool = False
    """Whether the window shows this scene or run now."""


def draw_cards(ui: Ui, faces: list[CardFace]) -> str | None:
    """Draw cards in rows as wide as the window; returns the name of the card that was clicked."""
    chosen = None
    gap = imgui.get_style().item_spacing.x
    width = imgui.get_content_region_avail().x
    columns = max(1, int((width + gap) / (WIDTH * ui.scale + gap)))
    each = (width - (columns - 1) * gap) / columns
    line = imgui.get_text_line_height()
    for first in range(0, len(faces), columns):
        row = faces[first : first + columns]
        tall = max(sum(_text_heights(face, each - 2.0 * PAD * ui.scale)) for face in row)
        tall = min(max(tall, LINES * line), MOST_LINES * line)
        for place, face in enumerate(row):
            if place:
                imgui.same_line()
            if _draw_card(ui, face, each, tall):
                chosen = face.name
    return chosen


def _text_heights(face: CardFace, width: float) -> tuple[float, float]:
    """Heights of the text and of the question, divided into lines of this width [px]."""
    about, question = (
        float(imgui.calc_text_size(translated(words), False, width).y) if words else 0.0
        for words in (face.about, face.question)
    )
    return about, question


def _draw_card(ui: Ui, face: CardFace, width: float, tall: float) -> bool:
    """Draw a card of this width with a text `tall` [px]; returns True when it is clicked."""
    line, pad = imgui.get_text_line_height(), PAD * ui.scale
    high = width * ASPECT
    size = imgui.ImVec2(width, high + 1.25 * line + tall + 2.0 * pad)
    pressed = imgui.invisible_button(f"##{face.name}", size, imgui.ButtonFlags_.enable_nav)
    ui.probe.mark(f"card.{face.name}")
    if not imgui.is_item_visible():
        return pressed
    low = imgui.get_item_rect_min()
    end = imgui.ImVec2(low.x + size.x, low.y + size.y)
    hot = imgui.is_item_hovered() or imgui.is_item_focused()
    _draw_frame(ui, face, low, end, high, hot)
    draw = imgui.get_window_draw_list()
    text = width - 2 * pad
    about, question = _text_heights(face, text)
    if about + question > tall:
        tooltip(f"{face.about} {face.question}".strip())
    draw.push_clip_rect(imgui.ImVec2(low.x + pad, low.y), imgui.ImVec2(end.x - pad, end.y - 0.5 * pad), True)
    y = low.y + high + pad
    if ui.bold is not None:
        imgui.push_font(ui.bold, 0.0)
    draw_symbol(low.x + pad, y, face.title, ui.palette.text)
    if ui.bold is not None:
        imgui.pop_font()
    y += 1.15 * line
    _write(face.about, low.x + pad, y, text, ui.palette.muted)
    _write(face.question, low.x + pad, y + about, text, ui.palette.accent)
    draw.pop_clip_rect()
    return pressed


def _draw_frame(ui: Ui, face: CardFace, low: imgui.ImVec2, end: imgui.ImVec2, high: float, hot: bool) -> None:
    """Draw background and picture, and a frame around the card under the mouse and the current one."""
    draw, rounding = imgui.get_window_draw_list(), 6.0 * ui.scale
    draw.add_rect_filled(low, end, colour32(ui.palette.raised), rounding)
    foot = imgui.ImVec2(end.x, low.y + high)
    picture = ui.texture(face.name, face.picture)
    corners = imgui.ImDrawFlags_.round_top
    if picture is None:
        draw.add_rect_filled(low, foot, colour32(ui.palette.line), rounding, corners)
    else:
        whole = imgui.ImVec2(0.0, 0.0), imgui.ImVec2(1.0, 1.0)
        draw.add_image_rounded(picture, low, foot, *whole, 0xFFFFFFFF, rounding, corners)
    if hot or face.current:
        ink: Colour = ui.palette.accent if hot else ui.palette.muted
        draw.add_rect(low, end, colour32(ink), rounding, thickness=2.0 * ui.scale)


def _write(text: str, x: float, y: float, width: float, colour: Colour) -> None:
    """The text divided into lines of this width."""
    draw = imgui.get_window_draw_list()
    draw.add_text(
        imgui.get_font(), imgui.get_font_size(), imgui.ImVec2(x, y), colour32(colour), translated(text), width
    )
