"""The answers of an audience in films and saved pictures: a histogram below the legend, with the result of the run. The
window has it beside the guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.app.render.passes import BELOW_LEGEND, PLATE_MARGIN, Frame, Pass, legend
from repose.sim.measure.display import AudienceGuesses
from repose.sim.message import plural

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

HEIGHT, PAD, LINE, TEXT = 118.0, 10.0, 19.0, 0.9
"""Height and margin of the plate, and height of a line [units]; size of the words relative to ordinary text."""
CHOICE, THIN = 27.0, 5.0
"""Height of a choice with its words and its bar, and of the bar alone [units]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the histogram in a film, if the lecturer has shown the answers."""
    guesses = frame.snapshot.results.audience
    if frame.film is not None and guesses is not None:
        with canvas.anywhere():
            (_draw_choices if guesses.guess.choices else _draw)(frame, canvas, guesses)


def _plate(frame: Frame, canvas: Canvas, guesses: AudienceGuesses, height: float) -> tuple[float, float, float]:
    """Draw the plate with the number of answers; left and right end of the bars, and the foot of the words [pixel]."""
    unit, palette = frame.scale, frame.palette
    right = frame.size[0] - frame.inset[2] - frame.band - PLATE_MARGIN * unit
    left, top, pad = right - legend.WIDTH * unit, frame.inset[1] + BELOW_LEGEND * unit, PAD * unit
    canvas.rectangle((left, top), (right, top + height * unit), palette.background, 0.85, 6.0)
    count = plural("{count} answer", "{count} answers", count=len(guesses.values))
    canvas.text((left + pad, top + 0.5 * pad), count, palette.text, TEXT, True)
    return left + pad, right - pad, top + 0.5 * pad + LINE * unit


def _draw_choices(frame: Frame, canvas: Canvas, guesses: AudienceGuesses) -> None:
    """The choices below one another, each with a bar and its number of answers."""
    unit, palette, guess = frame.scale, frame.palette, guesses.guess
    x0, x1, y = _plate(frame, canvas, guesses, LINE + PAD + CHOICE * len(guess.choices))
    counts = guesses.histogram()
    for number, (words, found) in enumerate(zip(guess.choices, counts, strict=True)):
        right = guesses.result == guess.low + number
        room = x1 - x0 - canvas.text_extent(str(found), TEXT, True)[0] - PAD * unit
        size = TEXT * min(1.0, room / max(canvas.text_extent(words, TEXT, right)[0], 1.0))
        colour = palette.mark if right else palette.text
        canvas.text((x0, y + LINE * unit), words, colour, size, right, (0.0, 1.0))
        canvas.text((x1, y + LINE * unit), str(found), colour, TEXT, True, (1.0, 1.0))
        low, y = y + (LINE + 1.0) * unit, y + CHOICE * unit
        if found:
            bar = x0 + (x1 - x0) * found / max(counts), low + THIN * unit
            canvas.rectangle((x0, low), bar, palette.mark if right else palette.chain)


def _draw(frame: Frame, canvas: Canvas, guesses: AudienceGuesses) -> None:
    unit, palette, guess = frame.scale, frame.palette, guesses.guess
    x0, x1, y0 = _plate(frame, canvas, guesses, HEIGHT)
    y1 = y0 + (HEIGHT - PAD - 2.0 * LINE) * unit
    counts = guesses.histogram()
    wide, most = (x1 - x0) / len(counts), max(counts)
    for number, found in enumerate(counts):
        if found:
            low = x0 + number * wide + 0.5 * unit, y1 - (y1 - y0) * found / most
            canvas.rectangle(low, (x0 + (number + 1) * wide - 0.5 * unit, y1), palette.chain)
    canvas.text((x0, y1 + 2.0 * unit), guess.shown(guess.low), palette.faint, TEXT)
    canvas.text((x1, y1 + 2.0 * unit), guess.shown(guess.high), palette.faint, TEXT, False, (1.0, 0.0))
    if guesses.result is not None:
        at = x0 + (x1 - x0) * min(max((guesses.result - guess.low) / (guess.high - guess.low), 0.0), 1.0)
        canvas.rectangle((at - 1.5 * unit, y0), (at + 1.5 * unit, y1), palette.mark)
        canvas.text((at, y1 + 2.0 * unit), guess.shown(guesses.result, finer=1), palette.mark, TEXT, True, (0.5, 0.0))


PASS = Pass("audience", order=68, overlay=overlay)
