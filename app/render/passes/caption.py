"""Simulated time, in a film also speed and parameters, in the lower left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.app.language import translated
from repose.app.render.camera import Size
from repose.app.render.film_words import FilmWords, Lines, about_width, result_size, wrapped
from repose.app.render.framing import LEAST_LETTERS
from repose.app.render.pacing import clock_text, describe_speed
from repose.app.render.passes import Frame, Pass, Switch, legend, part_names, scale_bar
from repose.app.render.text_size import TEXT_SIZE
from repose.sim.message import Message, _, joined

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas


SWITCH = Switch("caption", _("Time"), _("Simulated time and phase, for pictures and films."), default=False)
TIME, PHASE, HEADING = 1.4, 1.25, 1.7
"""Text sizes, relative to ordinary text; speed and parameters have 14 pixels in a film of 640 × 360."""
GAP = 18.0
"""Distance between two entries [units]."""
LINE = 1.15
"""Distance of two lines of a result, in units of the height of the letters [-]."""
MARGIN = 24.0
"""Distance of the words from the edges of the picture [units]."""
PAD = 8.0
"""Margin of the plate behind words [units]."""
LEAST_ROOM = 150.0
"""Least room for title and question; without it, as side by side in a small film, only the title card has them
[units]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the time in bold, then as many entries as fit: speed and parameters, or the phase; the result above them."""
    left, __, right, below = frame.inset
    unit, palette, film = frame.scale, frame.palette, frame.film
    x, y = left + 24.0 * unit, frame.size[1] - below - 12.0 * unit
    free = frame.size[0] - left - right
    bar = scale_bar.room(free, unit, frame.dimension, lambda text, size: canvas.text_extent(text, size)[0])
    end = frame.size[0] - right - bar
    time = translated(joined(("t", clock_text(frame.snapshot)), " = "))
    height = canvas.text_extent(time, TIME, bold=True)[1]
    # Digits differ in width: with the width of zeros, the next entry does not move while the digits change.
    zeros = "".join("0" if character.isdigit() else character for character in time)
    time_width = canvas.text_extent(zeros, TIME, bold=True)[0]
    entries = (
        (frame.snapshot.run.phase_label,)
        if film is None
        else (describe_speed(film.speed) if film.speed else frame.snapshot.run.phase_label, *film.parameters)
    )
    last, size = x + time_width, entry_size(unit)
    at, base = last + GAP * unit, y - 2.0 * unit - canvas.text_extent("0", size)[1]
    written = []
    for k, text in enumerate(entries):
        width = canvas.scripted_width(text, size)
        if at + width > end:
            break
        written.append((at, text, palette.faint if film is None else palette.text))
        # The room is that of the longest speed, so that the parameters do not move when the speed changes.
        room = (
            max(width, canvas.text_extent(_("0.05 × slow motion"), size)[0]) if film is not None and k == 0 else width
        )
        last = at + room
        at = last + GAP * unit
    _draw_plate(frame, canvas, (x, y - height), (last, y))
    canvas.scripted((x, y - height), time, palette.text, TIME, bold=True, halo=palette.background)
    for at, text, colour in written:
        canvas.scripted((at, base), text, colour, size, halo=palette.background)
    if film is not None:
        foot = _write_lines(frame, canvas, film.lines)
        _write_result(frame, canvas, film, foot)


def entry_size(unit: float) -> float:
    """Size of speed, parameters and phase, relative to ordinary text: legible also in a small film [-]."""
    return max(PHASE, LEAST_LETTERS / unit)


def _draw_plate(frame: Frame, canvas: Canvas, low: tuple[float, float], high: tuple[float, float]) -> None:
    """Draw a plate under words between two corners, because grains, walls and base can be behind the words."""
    pad = PAD * frame.scale
    low, high = (low[0] - pad, low[1] - pad), (high[0] + pad, high[1] + pad)
    canvas.rectangle(low, high, frame.palette.background, alpha=0.82, rounding=6.0)


def _write_lines(frame: Frame, canvas: Canvas, lines: Lines | None) -> float:
    """Draw title and question in the upper left beside the legend; returns y of their lower edge [pixel]."""
    x, y = frame.inset[0] + 24.0 * frame.scale, frame.inset[1] + 18.0 * frame.scale
    if lines is None:
        return y
    palette, pad = frame.palette, PAD * frame.scale
    area = legend.plate(frame, canvas)
    room = (area[0] - 2.0 * pad if area is not None else frame.size[0] - frame.inset[2]) - x
    if room < LEAST_ROOM * frame.scale:
        return y
    written = [(text, HEADING, True, palette.text) for text in _wrapped(canvas, lines.title, HEADING, room)]
    colour = palette.mark if lines.over else palette.text
    written += [(text, PHASE, False, colour) for text in _wrapped(canvas, lines.question, PHASE, room)]
    if not written:
        return y
    extents = [canvas.text_extent(text, size, bold) for text, size, bold, _ in written]
    foot = y + 1.12 * sum(high for _, high in extents)
    _draw_plate(frame, canvas, (x, y), (x + max(wide for wide, _ in extents), foot))
    for (text, size, bold, ink), (__, high) in zip(written, extents, strict=True):
        canvas.text((x, y), text, ink, size, bold, halo=palette.background)
        y += 1.12 * high
    return foot + 3.0 * pad


def _wrapped(canvas: Canvas, text: str, size: float, room: float) -> list[str]:
    return wrapped(text, lambda line: canvas.text_extent(line, size, bold=size == HEADING)[0], room)


def result_foot(result: tuple[Message, ...], size: Size, scale: float, above: float = 0.0, band: float = 0.0) -> float:
    """Lower edge of the result in a picture of this size, below a legend whose lower edge is `above`, 0 for none
    [pixel], as far as it is known before letters are drawn: the camera leaves room for it. 0 without a result."""
    if not result:
        return 0.0

    room = size[0] - band - 2.0 * MARGIN * scale
    unit = TEXT_SIZE * scale
    letters, lines = result_size(list(map(translated, result)), room, unit, entry_size(scale))
    widest = max(about_width(unit * letters, line) for line in lines)
    beside = room - widest > (legend.WIDTH + 4.0 * PAD) * scale
    top = 18.0 * scale if beside or not above else above + 2.0 * PAD * scale
    return top + PAD * scale + LINE * unit * letters * len(lines)


def _write_result(frame: Frame, canvas: Canvas, film: FilmWords, top: float) -> None:
    """Draw readings and sentences in large letters in the upper left below `top` [pixel], beside or below the legend; a
    sentence that is wider than the picture, or than the column for it, has several lines."""
    if not film.result:
        return
    palette, unit = frame.palette, frame.scale
    x, y = frame.inset[0] + MARGIN * unit, top
    edge = film.column or frame.size[0] - frame.inset[2]
    room = edge - MARGIN * unit - x

    texts = list(map(translated, film.result))
    size, __ = result_size(texts, room, TEXT_SIZE * unit, entry_size(unit))

    def wide(line: str) -> float:
        return canvas.scripted_width(line, size, bold=True)

    written = [line for text in texts for line in wrapped(text, wide, room)]
    widest = max(canvas.scripted_width(text, size, bold=True) for text in written)
    size *= min(1.0, room / max(widest, 1.0))
    width = max(canvas.scripted_width(text, size, bold=True) for text in written)
    names = part_names.row(frame, canvas)
    area = names.area if names is not None else legend.plate(frame, canvas)
    if area is not None and x + width + PAD * unit > area[0]:
        y = max(y, area[3] + 2.0 * PAD * unit)
    line = LINE * canvas.text_extent("0", size, bold=True)[1]
    _draw_plate(frame, canvas, (x, y), (x + width, y + len(written) * line))
    for text in written:
        canvas.scripted((x, y), text, palette.text, size, bold=True, halo=palette.background)
        y += line


PASS = Pass("caption", order=95, overlay=overlay, switch=SWITCH)
