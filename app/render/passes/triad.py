"""Directions of x, y and z as three short lines in the lower left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.scale_bar import SCALE_BAR
from repose.sim.engine.world import Floats

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

LENGTH = 26.0
"""Length of an axis seen at right angles [units]."""
REACH = 44.0
"""Distance from the origin at which the letters end [units]."""
PLACE = (50.0, 92.0)
"""Origin, measured from the lower left of the part without panels [units]: above the caption."""


def origin_of(frame: Frame) -> Floats:
    """Where the axes begin [px]."""
    left, _, _, below = frame.inset
    return np.array((left + PLACE[0] * frame.scale, frame.size[1] - below - PLACE[1] * frame.scale))


def area_of(frame: Frame) -> tuple[float, float, float, float]:
    """The part of the picture that axes and letters can cover, from the upper left to the lower right corner [px]."""
    (x, y), reach = origin_of(frame), REACH * frame.scale
    return float(x - reach), float(y - reach), float(x + reach), float(y + reach)


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the three axes, first the axis that points away from the eye."""
    unit, palette = frame.scale, frame.palette
    origin = origin_of(frame)
    axes = frame.orbit.axes()
    for k in np.argsort(axes[2]):
        right, up, back = axes[:, k]
        across = np.array((right, -up))
        tip = origin + LENGTH * unit * across
        canvas.polyline(np.array((origin, tip)), palette.background, 4.0)
        canvas.polyline(np.array((origin, tip)), palette.text if back >= 0.0 else palette.faint, 1.8)
        if np.hypot(*across) > 0.2:
            at = tip + 9.0 * unit * across / np.hypot(*across)
            canvas.text(at, "xyz"[k], palette.text, anchor=(0.5, 0.5), halo=palette.background)


PASS = Pass("triad", order=82, overlay=overlay, dimensions=(3,), switch=SCALE_BAR)
