"""What distinguishes each of a few spheres, in words above it, such as its restitution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.colours import category, to_srgb
from repose.app.render.passes import Frame, Pass, Switch

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

LABELS = Switch(
    "labels",
    "Labels",
    "What distinguishes each sphere, in words above it.",
    applies=lambda snapshot: bool(snapshot.labels),
)
TEXT, NOTE = 1.35, 1.05
"""Text sizes, relative to ordinary text."""
GAP = 8.0
"""Between a sphere and its label, and between labels [units]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Words above every named sphere in view; where two would overlap, the second is set higher, on a longer stem."""
    snapshot, gap = frame.snapshot, GAP * frame.scale
    rows = {int(sphere): row for row, sphere in enumerate(snapshot.sphere_id)}
    named = [(k, label, rows[label.sphere_id]) for k, label in enumerate(snapshot.labels) if label.sphere_id in rows]
    taken: list[tuple[float, float, float, float]] = []
    for number, label, row in sorted(named, key=lambda entry: float(_top(frame, entry[2])[0])):
        x, y = _top(frame, row)
        if not np.isfinite((x, y)).all():
            continue
        lines = [(label.text, TEXT, True), *([(label.note, NOTE, False)] if label.note else [])]
        extents = [canvas.text_extent(text, size, bold) for text, size, bold in lines]
        width, height = max(extent[0] for extent in extents), sum(extent[1] for extent in extents)
        foot = y - gap
        while any(
            abs(x - other) < (width + wide) / 2 + gap and foot > top and foot - height < below
            for other, top, below, wide in taken
        ):
            foot -= 0.5 * height
        taken.append((x, foot - height, foot, width))
        red, green, blue = (float(part) for part in to_srgb(category(number)))
        canvas.polyline(np.array(((x, foot), (x, y))), (red, green, blue), 1.6)
        at = foot - height
        for (text, size, bold), extent in zip(lines, extents, strict=True):
            colour = frame.palette.text if bold else frame.palette.faint
            canvas.text((x, at), text, colour, size, bold, anchor=(0.5, 0.0), halo=frame.palette.background)
            at += extent[1]


def _top(frame: Frame, row: int) -> np.ndarray:
    """Pixel of the highest point of a sphere as seen, shape (2,); nan behind the eye."""
    snapshot = frame.snapshot
    centre = snapshot.position[row].astype(np.float64)
    pixel = frame.camera.world_to_pixel(centre[None], frame.size)[0]
    return np.asarray((pixel[0], pixel[1] - float(snapshot.radius[row]) / frame.metres_per_pixel))


PASS = Pass("labels", order=60, overlay=overlay, switch=LABELS)
