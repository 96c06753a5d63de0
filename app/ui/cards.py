"""Cards: a picture with a title and a few lines of text that can be clicked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from imgui_bundle import imgui
from repose.app.language import translated
from repose.app.render.text import RAISED, draw_symbol, symbol_width
from repose.app.render.theme import Colour, colour32
from repose.app.storage.thumbnails import SIZE
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.message import EMPTY, Message, joined

WIDTH = 208.0
"""Least width of a card [px at scale 1]."""
ASPECT = SIZE[1] / SIZE[0]
"""Height over width of a picture."""
LINES, MOST_LINES = 5, 8
"""Least and most lines of text under the title; a text with more lines is also the tooltip."""
TITLE_LINES, TITLE_LINE = 2, 1.15
"""Most lines of a title, and the height of one [lines of text]."""
PAD = 8.0
"""Margin around the text [px at scale 1]."""


@dataclass(frozen=True)
class CardFace:
    """Content of a card."""

    name: str
    """Name of its widget and of its picture."""
    title: Message
    about: Message = EMPTY
    question: Message = EMPTY
    see: Message = EMPTY
    """What the audience should see, for the tooltip."""
    picture: Callable[[], bytes] = bytes
    current: bool = False
    """Whether the window shows this scene or run now."""


def draw_cards(ui: Ui, faces: list[CardFace]) -> str | None:
    """Draw cards in rows as wide as the window; returns the name of the card that was clicked."""
    chosen = None
    gap = imgui.get_style().item_spacing.x
    width = imgui.get_content_region_avail().x
    columns = max(1, int((width + gap) / (WIDTH * ui.window.scale + gap)))
    each = (width - (columns - 1) * gap) / columns
    line = imgui.get_text_line_height()
    for first in range(0, len(faces), columns):
        row = faces[first : first + columns]
        text = each - 2.0 * PAD * ui.window.scale
        tall = min(max(max(sum(_text_heights(face, text)) for face in row), LINES * line), MOST_LINES * line)
        with _in_bold(ui):
            titles = [title_lines(face.title, text) for face in row]
        head = max(len(title.lines) for title in titles)
        for index, (face, title) in enumerate(zip(row, titles, strict=True)):
            if index:
                imgui.same_line()
            if _draw_card(ui, face, each, tall, title, head):
                chosen = face.name
    return chosen


class TitleLines(NamedTuple):
    """A title divided into lines."""

    lines: list[str]
    is_cut: bool
    """Whether the title is longer; an ellipsis ends the last line then."""


def title_lines(title: Message, width: float) -> TitleLines:
    """The title in at most `TITLE_LINES` lines of this width [px]. Lines are divided at spaces, and within a word that
    is wider than a line; a longer title is cut."""
    lines = [""]
    for word in re.findall(r"\S+\s*", translated(title)):
        for piece in [word] if symbol_width(word.rstrip(), RAISED) <= width else word:
            if lines[-1] and symbol_width((lines[-1] + piece).rstrip(), RAISED) > width:
                lines.append("")
            lines[-1] += piece
    is_cut = len(lines) > TITLE_LINES
    if is_cut:
        last = lines[TITLE_LINES - 1].rstrip()
        while last and symbol_width(f"{last}…", RAISED) > width:
            last = last[:-1].rstrip()
        lines[TITLE_LINES - 1 :] = [f"{last}…"]
    return TitleLines([line.rstrip() for line in lines], is_cut)


@contextmanager
def _in_bold(ui: Ui) -> Iterator[None]:
    """Measure and draw text in bold letters during the block, if there is a bold font."""
    if ui.window.bold is None:
        yield
        return
    imgui.push_font(ui.window.bold, 0.0)
    try:
        yield
    finally:
        imgui.pop_font()


def _text_heights(face: CardFace, width: float) -> tuple[float, float]:
    """Heights of the text and of the question, divided into lines of this width [px]."""
    about, question = (
        float(imgui.calc_text_size(translated(words), False, width).y) if words else 0.0
        for words in (face.about, face.question)
    )
    return about, question


def card_text(face: CardFace) -> Message:
    """The text of a card with its question."""
    return joined([part for part in (face.about, face.question) if part], " ")


def _draw_card(ui: Ui, face: CardFace, width: float, tall: float, title: TitleLines, head: int) -> bool:
    """Draw a card with a text `tall` [px] and `head` lines for its title; returns True when it is clicked."""
    line, pad = imgui.get_text_line_height(), PAD * ui.window.scale
    high = width * ASPECT
    size = imgui.ImVec2(width, high + (TITLE_LINE * head + 0.1) * line + tall + 2.0 * pad)
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
    if about + question > tall or title.is_cut:
        tooltip(ui, joined([part for part in (face.title, card_text(face)) if part], "\n"))
    elif face.see:
        tooltip(ui, face.see)
    draw.push_clip_rect(imgui.ImVec2(low.x + pad, low.y), imgui.ImVec2(end.x - pad, end.y - 0.5 * pad), True)
    y = low.y + high + pad
    with _in_bold(ui):
        for index, words in enumerate(title.lines):
            draw_symbol(low.x + pad, y + index * TITLE_LINE * line, words, ui.palette.text, RAISED)
    y += TITLE_LINE * head * line
    _write(face.about, low.x + pad, y, text, ui.palette.muted)
    _write(face.question, low.x + pad, y + about, text, ui.palette.accent)
    draw.pop_clip_rect()
    return pressed


def _draw_frame(ui: Ui, face: CardFace, low: imgui.ImVec2, end: imgui.ImVec2, high: float, hot: bool) -> None:
    """Draw background and picture, and a frame around the card under the mouse and the current one."""
    draw, rounding = imgui.get_window_draw_list(), 6.0 * ui.window.scale
    draw.add_rect_filled(low, end, colour32(ui.palette.raised), rounding)
    foot = imgui.ImVec2(end.x, low.y + high)
    picture = ui.window.texture(face.name, face.picture)
    corners = imgui.ImDrawFlags_.round_top
    if picture is None:
        draw.add_rect_filled(low, foot, colour32(ui.palette.line), rounding, corners)
    else:
        whole = imgui.ImVec2(0.0, 0.0), imgui.ImVec2(1.0, 1.0)
        draw.add_image_rounded(picture, low, foot, *whole, 0xFFFFFFFF, rounding, corners)
    if hot or face.current:
        ink: Colour = ui.palette.accent if hot else ui.palette.muted
        draw.add_rect(low, end, colour32(ink), rounding, thickness=2.0 * ui.window.scale)


def _write(text: Message, x: float, y: float, width: float, colour: Colour) -> None:
    """The text divided into lines of this width."""
    draw = imgui.get_window_draw_list()
    draw.add_text(
        imgui.get_font(), imgui.get_font_size(), imgui.ImVec2(x, y), colour32(colour), translated(text), width
    )
