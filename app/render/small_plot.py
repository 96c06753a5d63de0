"""A small plot on the picture: two quantities over time, also in films."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import BackgroundPalette
from repose.app.render.tick_labels import tick_label
from repose.sim.engine.world import Floats
from repose.sim.message import Message, joined, time_text
from repose.sim.scales import nice_ticks, prefix_of

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

TEXT = 0.8
"""Size of the words, relative to ordinary text."""
TICKS = 2
"""Largest number of pieces of the axis."""


def draw_plot(
    canvas: Canvas,
    palette: BackgroundPalette,
    area: tuple[float, float, float, float],
    rows: Floats,
    names: tuple[Message, Message],
    unit: str,
) -> None:
    """Draw rows of time [s] and two values in `unit`, shape (rows, 3), in an area: left, top, right, bottom [pixel]."""
    scale, (left, top, right, bottom) = canvas.scale, area
    line = canvas.text_extent("0", TEXT)[1]
    low, high = min(0.0, float(rows[:, 1:3].min())), float(rows[:, 1:3].max())
    factor, prefixed = prefix_of(high if high > 0.0 else 1.0, unit)
    low, high = low / factor, max(high / factor, 1e-9)
    ticks = nice_ticks(low, high, TICKS)
    labels = [tick_label(tick, ticks[1] - ticks[0] if len(ticks) > 1 else 1.0) for tick in ticks]
    x0 = left + max(canvas.text_extent(label, TEXT)[0] for label in labels) + 6.0 * scale
    y0, y1 = top + line + 4.0 * scale, bottom - line - 3.0 * scale

    def height(values: Floats) -> Floats:
        return y1 - (values - low) / (high - low) * (y1 - y0)

    for tick, label in zip(ticks, labels, strict=True):
        y = float(height(np.array(tick)))
        canvas.polyline(np.array(((x0, y), (right, y))), palette.faint, 1.0, alpha=0.35)
        canvas.text((x0 - 4.0 * scale, y), label, palette.faint, TEXT, False, (1.0, 0.5))
    begin, end = float(rows[0, 0]), float(rows[-1, 0])
    x = x0 + (rows[:, 0] - begin) / max(end - begin, np.finfo(float).tiny) * (right - x0)
    at = x0
    for column, (name, ink) in enumerate(zip(names, (palette.text, palette.chain), strict=True), start=1):
        canvas.polyline(np.column_stack((x, height(rows[:, column] / factor))), ink, 1.6)
        words = joined((name, f"[{prefixed}]"), " ")
        canvas.scripted((at, top), words, ink, TEXT)
        at += canvas.scripted_width(words, TEXT) + 14.0 * scale
    canvas.text((x0, y1 + 2.0 * scale), time_text(begin), palette.faint, TEXT)
    canvas.text((right, y1 + 2.0 * scale), time_text(end), palette.faint, TEXT, False, (1.0, 0.0))
