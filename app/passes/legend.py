"""The legend: what the colours mean, with symbol, unit and round ticks, in the upper right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.colours import Colour, Colouring, bands, nice_ticks, prefixed, shades, tick_label, to_srgb
from app.passes import Frame, Pass

if TYPE_CHECKING:
    from app.canvas import Canvas

WIDTH, BAR, PAD = 250.0, 14.0, 14.0
"""Bar width and height, and space around [units]."""
SLICES = 48
"""Pieces a continuous bar is drawn in; between them colours are interpolated."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Heading, bar and ticks on a quiet plate, so that grains behind it do not disturb."""
    if not frame.view.show_legend or frame.colouring is None or frame.span is None:
        return
    unit, palette, colouring = frame.scale, frame.palette, frame.colouring
    left, above, right, _ = frame.inset
    width = min(WIDTH * unit, frame.size[0] - left - right - 4.0 * PAD * unit)
    if width < 60.0 * unit:
        return
    heading, ticks = describe(colouring, frame.span)
    _, line = canvas.text_extent(heading)
    x1 = round(frame.size[0] - right - 2.0 * PAD * unit)
    x0, y0 = round(x1 - width), round(above + 1.4 * PAD * unit)
    bar = round(y0 + line + 5.0 * unit)
    foot = bar + round(BAR * unit)
    canvas.rectangle(
        (x0 - PAD * unit, y0 - 0.7 * PAD * unit),
        (x1 + PAD * unit, foot + line + 1.1 * PAD * unit),
        palette.background,
        alpha=0.82,
        rounding=6.0,
    )
    canvas.text((x0, y0), heading, palette.text, bold=True)
    _draw_bar(frame, canvas, (x0, bar), (x1, foot))
    free = float(x0) - PAD * unit
    for share, text in ticks:
        x = x0 + share * (x1 - x0)
        half = canvas.text_extent(text, 0.93)[0] / 2
        # A number that would touch the one before it is left out; the first and last stay on the plate.
        x_text = min(max(x, x0 + half - 0.7 * PAD * unit), x1 - half + 0.7 * PAD * unit)
        if x_text - half < free:
            continue
        if colouring.kind == "continuous":
            canvas.rectangle(
                (round(x), foot), (round(x) + max(1.0, round(unit)), foot + round(4.0 * unit)), palette.text
            )
        canvas.text((x_text, foot + 5.0 * unit), text, palette.text, 0.93, anchor=(0.5, 0.0))
        free = x_text + half + 6.0 * unit


def describe(colouring: Colouring, span: tuple[float, float]) -> tuple[str, list[tuple[float, str]]]:
    """The heading, and each tick as (share of the bar, text)."""
    low, high = span
    if colouring.kind == "discrete":
        heading = f"{colouring.label}  {colouring.symbol}".rstrip()
        return heading, _band_labels(low, high, open_end=colouring.name == "coordination")
    factor, unit = prefixed(high, colouring.unit)
    heading = f"{colouring.label}  {colouring.symbol}  [{unit}]"
    ticks = nice_ticks(low / factor, high / factor)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else max(abs(ticks[0]), 1.0)
    return heading, [((tick * factor - low) / (high - low), tick_label(tick, step)) for tick in ticks]


def _band_labels(low: float, high: float, open_end: bool) -> list[tuple[float, str]]:
    """The middle of each band with the whole number, or the first of the group, it stands for."""
    count = bands(low, high)
    total = round(high - low) + 1
    firsts = [round(low) + -(-k * total // count) for k in range(count)]
    labels = [str(first) for first in firsts]
    if open_end:
        labels[-1] += "+"
    return [((k + 0.5) / count, text) for k, text in enumerate(labels)]


def _draw_bar(frame: Frame, canvas: Canvas, low: tuple[float, float], high: tuple[float, float]) -> None:
    colouring, span = frame.colouring, frame.span
    if colouring is None or span is None:
        return
    (x0, y0), (x1, y1) = low, high
    discrete = colouring.kind == "discrete"
    count = bands(*span) if discrete else SLICES
    edges = x0 + np.arange(count + 1) / count * (x1 - x0)
    shares = np.arange(count) / max(count - 1, 1) if discrete else np.arange(count + 1) / count
    colours: list[Colour] = [tuple(row) for row in to_srgb(shades(shares, frame.view.colour_map, frame.palette))]
    for k in range(count):
        a, b = (round(edges[k]), y0), (round(edges[k + 1]), y1)
        canvas.gradient(a, b, colours[k], colours[k if discrete else k + 1])


PASS = Pass("legend", order=90, overlay=overlay)
