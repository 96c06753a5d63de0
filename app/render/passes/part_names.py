"""The names of the parts of bodies with their colours, in the upper right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.app.render.colours import PARTS, part_colour
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.legend import SWITCH

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

TEXT = 1.1
"""Text size, relative to ordinary text."""
PAD, GAP = 14.0, 20.0
"""Margin around the names, and distance of two of them [units]."""
SWATCH = 0.62
"""Side of a coloured square [heights of the text]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Coloured squares and names in one row, as many as fit; where there is one part only, nothing."""
    parts, unit = frame.snapshot.parts, frame.scale
    if frame.shown != PARTS or len(parts) < 2:
        return
    left, above, right, _ = frame.inset
    extents = [canvas.text_extent(part.name, TEXT) for part in parts]
    height = max(extent[1] for extent in extents)
    side, gap, pad = SWATCH * height, GAP * unit, PAD * unit
    widths = [1.5 * side + extent[0] for extent in extents]
    while widths and sum(widths) + gap * (len(widths) - 1) > frame.size[0] - left - right - 4.0 * pad:
        widths.pop()
    x = frame.size[0] - right - 2.0 * pad - sum(widths) - gap * (len(widths) - 1)
    y = above + 1.4 * pad
    edge = (frame.size[0] - right - pad, y + height + 0.5 * pad)
    canvas.rectangle((x - pad, y - 0.5 * pad), edge, frame.palette.background, alpha=0.82, rounding=6.0)
    for number, (part, width) in enumerate(zip(parts, widths, strict=False)):
        top = y + 0.5 * (height - side)
        canvas.rectangle((x, top), (x + side, top + side), part_colour(part, number), rounding=2.0)
        canvas.text((x + 1.5 * side, y), part.name, frame.palette.text, TEXT)
        x += width + gap


PASS = Pass("part_names", order=91, overlay=overlay, dimensions=(2,), switch=SWITCH)
