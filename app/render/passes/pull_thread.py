"""The pull on a grain: a thread to its target, and the force as an arrow with its value."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.passes import Frame, Pass
from repose.sim.message import Message, with_prefix

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

LONGEST = 110.0
"""Length of the arrow of the largest force [units]. The length is proportional to the root of the force, so that an
arrow of one weight can be seen beside the hundred weights of a strong pull."""
HEAD, SPREAD = 12.0, 5.0
"""Length and half width of the head of an arrow [units]."""
WIDTH, THREAD = 3.0, 1.2
"""Widths of arrow and thread [units]."""
TEXT = 1.2
"""Size of the value, relative to ordinary text."""
FULL = 0.999
"""Fraction of the largest force above which the words call the force the largest [-]."""


def words(force: float, limit: float) -> Message:
    """The value of the force, and whether it is the largest possible force."""
    return with_prefix(force, "N", 3) + (" (largest)" if force >= FULL * limit else "")


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw thread, arrow and value while a grain is pulled."""
    pull = frame.snapshot.hand.pull
    if pull is None:
        return
    centre, target, force = (np.array(part) for part in (pull.position, pull.target, pull.force))
    size = float(np.linalg.norm(force))
    step = frame.metres_per_pixel * force / max(size, np.finfo(float).tiny)
    start, end, beside = frame.camera.world_to_pixel(np.array((centre, target, centre + step)), frame.size)
    if not np.isfinite((start, end, beside)).all():
        return
    unit = frame.scale
    canvas.polyline(np.array((start, end)), frame.palette.faint, THREAD)
    ring = np.linspace(0.0, math.tau, 17)
    canvas.polyline(end + 4.0 * unit * np.column_stack((np.cos(ring), np.sin(ring))), frame.palette.faint, THREAD)
    length = LONGEST * unit * math.sqrt(min(size / pull.limit, 1.0))
    along = (beside - start) / max(float(np.linalg.norm(beside - start)), np.finfo(float).tiny)
    draw_arrow(frame, canvas, start, along, length, words(size, pull.limit))


def draw_arrow(
    frame: Frame, canvas: Canvas, start: np.ndarray, along: np.ndarray, length: float, text: Message
) -> None:
    """Draw an arrow of this length [px] along a unit vector of the picture, with a value at its tip; only the value if
    the arrow is shorter than its head."""
    unit, ink = frame.scale, frame.palette.chain
    tip = start + length * along
    if length > HEAD * unit:
        across = SPREAD * unit * np.array((-along[1], along[0]))
        back = tip - HEAD * unit * along
        canvas.polyline(np.array((start, tip)), ink, WIDTH)
        canvas.polyline(np.array((back + across, tip, back - across)), ink, WIDTH)
    position = tip + np.array((8.0 * unit, -4.0 * unit))
    canvas.text(position, text, frame.palette.text, TEXT, True, (0.0, 1.0), frame.palette.background)


PASS = Pass("pull", order=62, overlay=overlay)
