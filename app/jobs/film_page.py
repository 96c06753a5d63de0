"""Title pages, heads and labels for films of experiments side by side, whose pictures have no room for text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.camera import Size
from repose.app.render.director import Picture
from repose.app.render.film_words import Lines
from repose.app.render.text import OF_SCRIPT, RAISED, SHIFT, pieces
from repose.app.render.text_size import LEAST_TEXT
from repose.app.window.notes_window import ACCENT, FAINT, GROUND, INK, Letters

if TYPE_CHECKING:
    import pygame

LETTER = 0.042
"""Height of ordinary letters [share of the height of the film]."""
PLACE, TITLE, QUESTION, CARD = 0.75, 1.25, 0.9, 1.9
"""Sizes of the place in the lecture, of title and question over the pictures, and of the title on its card, relative to
ordinary letters."""
MARGIN = 0.6
"""Free edge around text [heights of letters]."""
Colour = tuple[int, int, int]


def title_card(size: Size, lines: Lines, labels: tuple[str, ...], origin: str) -> Picture:
    """Title and question in the middle of the film, with the labels of the experiments."""
    surface, unit = _surface(size), LETTER * size[1]
    rows = [
        *_rows(lines.place, PLACE * unit, FAINT, size[0]),
        *_rows(lines.title, CARD * unit, INK, size[0], bold=True),
        *_rows(lines.question, unit, INK, size[0]),
        *_rows("  ·  ".join(labels), unit, FAINT, size[0]),
        *_rows(origin, PLACE * unit, FAINT, size[0]),
    ]
    y = 0.5 * (size[1] - sum(letters.line for _, letters, _ in rows))
    for line, letters, colour in rows:
        _write(surface, line, 0.5 * (size[0] - _width(line, letters)), y, letters, colour)
        y += letters.line
    return _picture(surface)


def head_height(size: Size, title: str, sentences: tuple[str, ...]) -> int:
    """Height of the head with the longest of the sentences [pixel]."""
    unit = LETTER * size[1]
    longest = max((len(_rows(words, QUESTION * unit, INK, size[0])) for words in sentences), default=0)
    titles = _rows(title, TITLE * unit, INK, size[0], bold=True)
    return round(
        2.0 * MARGIN * unit + sum(letters.line for _, letters, _ in titles) + longest * Letters(QUESTION * unit).line
    )


def head(size: Size, height: int, lines: Lines) -> Picture:
    """Title and question above the pictures of a film; after the end of the step the answer instead of the question."""
    surface, unit = _surface((size[0], height)), LETTER * size[1]
    y = MARGIN * unit
    for line, letters, colour in [
        *_rows(lines.title, TITLE * unit, INK, size[0], bold=True),
        *_rows(lines.question, QUESTION * unit, ACCENT if lines.over else INK, size[0]),
    ]:
        _write(surface, line, MARGIN * unit, y, letters, colour)
        y += letters.line
    return _picture(surface)


def strip_height(size: Size) -> int:
    """Height of the name of an experiment above its picture, in a film of this size [pixel]."""
    return round(1.6 * LETTER * size[1])


def strip(width: int, height: int, label: str) -> Picture:
    """The name of an experiment, in letters that fit."""
    surface = _surface((width, height))
    size = 0.62 * height
    letters = Letters(size * min(1.0, 0.9 * width / max(_width(label, Letters(size, bold=True)), 1.0)), bold=True)
    _write(surface, label, 0.5 * (width - _width(label, letters)), 0.5 * (height - letters.line), letters, INK)
    return _picture(surface)


def _rows(text: str, size: float, colour: Colour, width: int, bold: bool = False) -> list[tuple[str, Letters, Colour]]:
    letters = Letters(size, bold)
    return [(line, letters, colour) for line in letters.lines(text, width - 2.0 * MARGIN * size)]


def _width(line: str, letters: Letters) -> float:
    """Width of a line in which symbols have subscripts and units have exponents [pixel]."""
    return sum(part.width(text) for text, _, part in _parts(line, letters))


def _write(surface: pygame.Surface, line: str, x: float, y: float, letters: Letters, colour: Colour) -> None:
    """Write a line with subscripts and exponents; its upper left corner is at (x, y) [pixel]."""
    for text, script, part in _parts(line, letters):
        part.write(surface, text, x, y + SHIFT[script] * letters.line, colour)
        x += part.width(text)


def _parts(line: str, letters: Letters) -> list[tuple[str, str, Letters]]:
    """Text, script and letters of every piece of a line."""
    small = Letters(max(OF_SCRIPT * letters.size, min(LEAST_TEXT, letters.size)), letters.bold)
    return [(text, script, small if script else letters) for text, script in pieces(line, RAISED)]


def _surface(size: Size) -> pygame.Surface:
    import pygame

    surface = pygame.Surface(size)
    surface.fill(GROUND)
    return surface


def _picture(surface: pygame.Surface) -> Picture:
    import pygame

    return np.ascontiguousarray(pygame.surfarray.array3d(surface).transpose(1, 0, 2))
