"""The title card of a film: scene, parameters, seed and version, on the colour of the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.app.language import translated
from repose.app.render.colours import Colour
from repose.app.render.film_words import wrapped
from repose.app.render.passes import Frame, Pass
from repose.sim.message import Message

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

TITLE, PARAMETER, ORIGIN = 3.4, 1.7, 1.2
"""Text sizes, relative to ordinary text."""
GAP = 12.0
"""Distance between two lines [units]."""
WIDEST = 0.86
"""Largest width of a line [widths of the picture]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw lines in the middle of the picture, with the opacity of the card."""
    words = frame.film
    if words is None or words.card <= 0.0:
        return
    width, height = frame.size
    palette, alpha = frame.palette, words.card
    canvas.rectangle((0.0, 0.0), (width, height), palette.background, alpha=alpha)
    room = WIDEST * width
    title: tuple[Message | str, float, bool, Colour] = (
        words.title,
        _fitting(canvas, words.title, TITLE, room),
        True,
        palette.text,
    )
    lines = [title]
    if words.lines is not None:
        heading = words.lines.place
        lines.insert(0, (heading, _fitting(canvas, heading, ORIGIN, room), False, palette.faint))
        asked = wrapped(words.lines.question, lambda text: canvas.text_extent(text, PARAMETER)[0], room)
        lines += [(text, PARAMETER, False, palette.text) for text in asked]
    lines += [(text, PARAMETER, False, palette.text) for text in _lines(words.parameters, canvas, room)]
    lines += [(words.origin, _fitting(canvas, words.origin, ORIGIN, room), False, palette.faint)]
    gap = GAP * frame.scale
    heights = [canvas.text_extent(text, size, bold)[1] for text, size, bold, _ in lines]
    y = (height - sum(heights) - gap * (len(lines) + 1)) / 2
    for k, ((text, size, bold, colour), line) in enumerate(zip(lines, heights, strict=True)):
        x = (width - canvas.scripted_width(text, size, bold)) / 2
        canvas.scripted((x, y), text, colour, size, bold, alpha=alpha)
        # The distance is double after the title and before the last line.
        y += line + gap * (2.0 if k in (lines.index(title), len(lines) - 2) else 1.0)


def _fitting(canvas: Canvas, text: Message | str, size: float, room: float) -> float:
    """The largest text size up to `size` at which the text is at most `room` [pixel] wide."""
    return size * min(1.0, room / max(canvas.text_extent(text, size, bold=True)[0], 1.0))


def _lines(parameters: tuple[Message, ...], canvas: Canvas, room: float) -> list[str]:
    """Parameters in lines, as many in a line as fit into `room` [pixel]."""
    lines: list[str] = []
    for text in map(translated, parameters):
        longer = f"{lines[-1]}     {text}" if lines else text
        if lines and canvas.scripted_width(longer, PARAMETER) <= room:
            lines[-1] = longer
        else:
            lines.append(text)
    return lines


PASS = Pass("title_card", order=200, overlay=overlay)
