"""Simulated time and phase, in the upper left: a picture or a film says what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.passes import Frame, Pass

if TYPE_CHECKING:
    from app.canvas import Canvas


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Time in bold, what is going on beneath it."""
    if not frame.view.show_caption:
        return
    left, above, _, _ = frame.inset
    unit, palette = frame.scale, frame.palette
    x, y = left + 24.0 * unit, above + 18.0 * unit
    canvas.text((x, y), f"t = {frame.snapshot.time:.3f} s", palette.text, 1.4, bold=True, halo=palette.background)
    if frame.snapshot.phase_label:
        y += canvas.text_extent("t", 1.4, bold=True)[1] + 2.0 * unit
        canvas.text((x, y), frame.snapshot.phase_label, palette.faint, 1.15, halo=palette.background)


PASS = Pass("caption", order=95, overlay=overlay)
