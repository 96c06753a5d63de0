"""Simulated time and phase, in the upper left: a picture or a film says what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.passes import Frame, Pass

if TYPE_CHECKING:
    from app.canvas import Canvas


TIME, PHASE = 1.4, 1.15
"""Text sizes, relative to ordinary text."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Time in bold, what is going on beneath it, on a quiet plate."""
    if not frame.view.show_caption:
        return
    left, above, _, _ = frame.inset
    unit, palette = frame.scale, frame.palette
    x, y = left + 24.0 * unit, above + 18.0 * unit
    lines = [(f"t = {frame.snapshot.time:.3f} s", palette.text, TIME, True)]
    if frame.snapshot.phase_label:
        lines.append((frame.snapshot.phase_label, palette.faint, PHASE, False))
    extents = [canvas.text_extent(text, size, bold) for text, _, size, bold in lines]
    width, height = max(extent[0] for extent in extents), sum(extent[1] for extent in extents)
    pad = 10.0 * unit
    canvas.rectangle(
        (x - pad, y - 0.7 * pad), (x + width + pad, y + height + pad), palette.background, alpha=0.82, rounding=6.0
    )
    for (text, colour, size, bold), (_, tall) in zip(lines, extents, strict=True):
        canvas.text((x, y), text, colour, size, bold)
        y += tall + 2.0 * unit


PASS = Pass("caption", order=95, overlay=overlay)
