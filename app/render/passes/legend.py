"""The legend of the colours, with symbol, unit and round ticks, in the upper right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import Colour, Colouring, bands, shades, to_srgb
from repose.app.render.fringes import FRINGES, colours_of_orders
from repose.app.render.passes import Frame, Pass, Switch
from repose.app.render.text_size import LEAST_TEXT, TEXT_SIZE
from repose.app.render.tick_labels import tick_label
from repose.sim.message import Message, _, joined, plain
from repose.sim.scales import nice_ticks, prefix_of

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

SWITCH = Switch("legend", _("Legend"), _("Quantity, unit and values of the colours."))
WIDTH, BAR, PAD = 280.0, 15.0, 14.0
"""Width and height of the bar, and margin around it [units]."""
HEADING, TICK = 1.15, 1.05
"""Text sizes, relative to ordinary text: readable on a projector."""
SLICES = 48
"""Number of pieces of a continuous bar; the colours are interpolated between their ends."""


def left_edge(width: float, unit: float) -> float:
    """Left edge of the legend of a picture of this width, without panels at its sides [pixel]."""
    return max(width - (WIDTH + 3.0 * PAD) * unit, PAD * unit)


def foot(unit: float) -> float:
    """Lower edge of the legend in a picture without panels [pixel], known before letters are drawn."""
    line = max(round(HEADING * TEXT_SIZE * unit), LEAST_TEXT)
    return (1.4 * PAD + 5.0 + BAR + PAD) * unit + 2.0 * line


def plate(frame: Frame, canvas: Canvas) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of the legend [pixel]; None if there is no legend, or no room for it."""
    if frame.scale_of_colours is None or not frame.has_legend or not frame.shows(SWITCH):
        return None
    unit, (left, above, right, _) = frame.scale, frame.inset
    right -= frame.beside  # a panel beside the picture begins below the legend, which keeps its place
    width = min(WIDTH * unit, frame.size[0] - left - right - 4.0 * PAD * unit)
    if width < 60.0 * unit:
        return None
    line = canvas.text_extent("0", HEADING, bold=True)[1]
    x1 = round(frame.size[0] - right - 2.0 * PAD * unit)
    x0, y0 = round(x1 - width), round(above + 1.4 * PAD * unit)
    foot = round(y0 + line + 5.0 * unit) + round(BAR * unit)
    return x0 - PAD * unit, y0 - 0.7 * PAD * unit, x1 + PAD * unit, foot + line + PAD * unit


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw heading, bar and ticks on a plate that hides most of the grains behind it."""
    area, shown = plate(frame, canvas), frame.scale_of_colours
    if area is None or shown is None:
        return
    with canvas.anywhere():  # also above a panel beside the picture
        _draw(frame, canvas, area, shown)


def _draw(
    frame: Frame, canvas: Canvas, area: tuple[float, float, float, float], shown: tuple[Colouring, tuple[float, float]]
) -> None:
    unit, palette, (colouring, span) = frame.scale, frame.palette, shown
    canvas.rectangle(area[:2], area[2:], palette.background, alpha=0.82, rounding=6.0)
    heading, ticks = describe(colouring, span)
    x0, y0, x1 = round(area[0] + PAD * unit), round(area[1] + 0.7 * PAD * unit), round(area[2] - PAD * unit)
    bar = round(y0 + canvas.text_extent("0", HEADING, bold=True)[1] + 5.0 * unit)
    foot = bar + round(BAR * unit)
    size = HEADING * min(1.0, (x1 - x0) / canvas.scripted_width(heading, HEADING, bold=True))
    canvas.scripted((x0, y0), heading, palette.text, size, bold=True)
    _draw_bar(frame, canvas, shown, (x0, bar), (x1, foot))
    widest = max(canvas.text_extent(text, TICK)[0] for _, text in ticks) + 8.0 * unit
    spacing = (ticks[1][0] - ticks[0][0]) * (x1 - x0) if len(ticks) > 1 else widest
    for share, text in ticks[:: math.ceil(widest / spacing)]:
        x = x0 + share * (x1 - x0)
        if colouring.kind == "continuous":
            left_edge = min(round(x), x1 - round(unit))
            canvas.rectangle((left_edge, foot), (left_edge + max(1.0, round(unit)), foot + 4.0 * unit), palette.text)
        half = canvas.text_extent(text, TICK)[0] / 2
        x = min(max(x, x0 + half - 0.7 * PAD * unit), x1 - half + 0.7 * PAD * unit)
        canvas.text((x, foot + 5.0 * unit), text, palette.text, TICK, anchor=(0.5, 0.0))


def describe(colouring: Colouring, span: tuple[float, float]) -> tuple[Message, list[tuple[float, Message]]]:
    """The heading, and each tick as (share of the bar, text)."""
    low, high = span
    if colouring.kind == "discrete":
        heading = joined((colouring.label, colouring.symbol), "  ") if colouring.symbol else colouring.label
        return heading, _band_labels(low, high, colouring)
    # From 0.2 on the unit without prefix is easier to read: 0.5 m/s instead of 500 mm/s.
    factor, unit = prefix_of(high, colouring.unit, least=0.2)
    heading = joined((colouring.label, colouring.symbol, f"[{unit}]"), "  ")
    ticks = nice_ticks(low / factor, high / factor)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else max(abs(ticks[0]), 1.0)
    return heading, [((tick * factor - low) / (high - low), tick_label(tick, step)) for tick in ticks]


def _band_labels(low: float, high: float, colouring: Colouring) -> list[tuple[float, Message]]:
    """The middle of each band, and its whole number or the first of its group."""
    count = bands(low, high)
    total = round(high - low) + 1
    first = round(low) + colouring.first
    labels = [str(first + -(-k * total // count)) for k in range(count)]
    if colouring.more:
        labels[-1] += "+"
    return [((k + 0.5) / count, plain(text)) for k, text in enumerate(labels)]


def _draw_bar(
    frame: Frame,
    canvas: Canvas,
    shown: tuple[Colouring, tuple[float, float]],
    low: tuple[float, float],
    high: tuple[float, float],
) -> None:
    colouring, span = shown
    (x0, y0), (x1, y1) = low, high
    discrete = colouring.kind == "discrete"
    count = bands(*span) if discrete else SLICES
    edges = x0 + np.arange(count + 1) / count * (x1 - x0)
    shares = np.arange(count) / max(count - 1, 1) if discrete else np.arange(count + 1) / count
    if shown == frame.fringes:
        light = colours_of_orders(shares * FRINGES, frame.view.white_light)
    else:
        light = shades(shares, frame.view.colour_map, frame.palette)
    colours: list[Colour] = [tuple(row) for row in to_srgb(light)]
    for k in range(count):
        a, b = (round(edges[k]), y0), (round(edges[k + 1]), y1)
        canvas.gradient(a, b, colours[k], colours[k if discrete else k + 1])


PASS = Pass("legend", order=90, overlay=overlay, switch=SWITCH)
