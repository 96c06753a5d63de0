"""A plumb line at the top of the picture: an arrow along gravity on a tilted table, with its name and the angle between
it and the normal of the table. Gravity points down in the picture unless the scene is drawn upright."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.framing import LEGEND_ROOM
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.scale_bar import SCALE_BAR
from repose.sim.message import Number, _, joined

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

LENGTH, ARC, TIP, ROOM, ASIDE, LEAST, BESIDE = 66.0, 0.7, 6.0, 44.0, 360.0, 135.0, 28.0
"""Length of the line [units], radius of the arc [lengths of the line], size of the arrow head, room above the line,
distance from the right edge (between the question of a scene and the legend), least distance from the left edge, end of
the words beside the line [units]."""


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the line along gravity, the normal of the table, and the angle between them."""
    gravity = frame.snapshot.geometry.gravity
    if len(gravity) != 2 or gravity[0] == 0.0:
        return
    angle, drawn = math.atan2(gravity[0], -gravity[1]), frame.tilt
    left, above, right, __ = frame.inset
    unit, palette = frame.scale, frame.palette
    end_of_picture = frame.size[0] - right
    beside, below, is_beside = end_of_picture - ASIDE * unit, 0.0, True
    if beside < left + LEAST * unit:  # no room beside the legend
        beside, below = 0.5 * (left + end_of_picture), LEGEND_ROOM if frame.has_legend else 0.0
        is_beside = False
    start = np.array((beside, above + (ROOM + below) * unit))

    def along(turned: float, length: float) -> np.ndarray:
        """The point at this angle from the normal of the table downwards [pixel]."""
        seen = turned - drawn
        point: np.ndarray = start + length * unit * np.array((math.sin(seen), math.cos(seen)))
        return point

    end = along(angle, LENGTH)
    head = [along(angle + turn, LENGTH - TIP) for turn in (-TIP / LENGTH, TIP / LENGTH)]
    arc = np.array([along(turn, ARC * LENGTH) for turn in np.linspace(0.0, angle, 13)])
    for points, width, colour in (
        (np.array((start, along(0.0, LENGTH))), 1.2, palette.faint),
        (arc, 1.2, palette.text),
        (np.array((start, end)), 2.4, palette.mark),
        (np.array((head[0], end, head[1])), 2.4, palette.mark),
    ):
        canvas.polyline(points, palette.background, width + 2.5)
        canvas.polyline(points, colour, width)
    words = joined((_("gravity"), joined(("α", Number(math.degrees(angle), "°", ".1f")), " = ")), "  ")
    at, side = (start[0] + BESIDE * unit, 1.0) if is_beside else (start[0], 0.5)
    canvas.text((at, start[1] - 4.0 * unit), words, palette.text, 1.15, anchor=(side, 1.0), halo=palette.background)


PASS = Pass("plumb_line", order=81, overlay=overlay, dimensions=(2,), switch=SCALE_BAR)
