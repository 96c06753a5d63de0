"""Simulated time and phase, in the lower left: a picture or a film says what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repose.app.render.passes import Frame, Pass, Switch

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas


SWITCH = Switch("caption", "Time", "Simulated time and phase, for pictures and films.", default=False)
TIME, PHASE = 1.4, 1.15
"""Text sizes, relative to ordinary text."""
SCALE_BAR = 210.0
"""Room left for the length scale on the right [units]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Time in bold and the phase, on one line under the scene."""
    left, _, right, below = frame.inset
    unit, palette, snapshot = frame.scale, frame.palette, frame.snapshot
    x, y = left + 24.0 * unit, frame.size[1] - below - 12.0 * unit
    time = f"t = {snapshot.time:.3f} s"
    canvas.text((x, y), time, palette.text, TIME, bold=True, anchor=(0.0, 1.0), halo=palette.background)
    x += canvas.text_extent(time, TIME, bold=True)[0] + 16.0 * unit
    # A narrow picture has no room for the phase beside the scale bar; the time says more.
    if x + canvas.text_extent(snapshot.phase_label, PHASE)[0] < frame.size[0] - right - SCALE_BAR * unit:
        y -= 2.0 * unit
        canvas.text((x, y), snapshot.phase_label, palette.faint, PHASE, anchor=(0.0, 1.0), halo=palette.background)


PASS = Pass("caption", order=95, overlay=overlay, switch=SWITCH)
