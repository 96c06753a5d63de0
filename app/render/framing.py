"""Boxes for the camera: the whole scene, or the part with grains."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from repose.app.render.camera import Box, Inset, Size
from repose.app.render.orbit import Camera
from repose.sim.experiment.snapshot import Snapshot

LEGEND_ROOM, SCALE_BAR_ROOM = 84.0, 52.0
"""Space above the scene for the legend, and below it for the scale bar [px at scale 1]."""
MOST_ROOM = 0.4
"""Largest fraction of a small picture for both [-]."""
MARGIN = 0.03
"""Space kept free around the scene [fraction of the space available]."""
PICTURE = (1280, 720)
"""A picture of this size has text of scale 1; larger ones have larger text, so that films of all sizes look alike."""
LEAST_LETTERS = 0.875
"""Size of the smallest text of a picture without scaling, relative to ordinary text: 14 pixels [-]."""
HEADROOM = 0.12
"""Height kept above the highest grain [share of the width]."""


def whole_scene(snapshot: Snapshot) -> Box:
    """The whole scene, walls included."""
    return snapshot.geometry.box


def close_up(snapshot: Snapshot) -> Box:
    """The scene without the space above its highest grain, so that a heap at rest fills the picture."""
    low, high = snapshot.geometry.box
    up = len(low) - 1
    moving = ~snapshot.grains.fixed
    tops = snapshot.grains.position[moving, up] + snapshot.grains.radius[moving]
    tops = tops[np.isfinite(tops)]
    if not len(tops):
        return snapshot.geometry.box
    top = max(float(tops.max()), low[up]) + HEADROOM * (high[0] - low[0])
    return low, (*high[:up], min(high[up], top))


def frame_box(camera: Camera, box: Box, size: Size, room: Inset, legend_edge: float, legend_room: float) -> None:
    """Fill the picture with a box [m]: beside the legend if the box stays left of its edge `legend_edge` [px],
    otherwise below it. `legend_room` is the part of the upper inset of `room` that the legend takes [px]."""
    left, top, right, bottom = room
    camera.frame(box, size, (left, top - legend_room, right, bottom), MARGIN)
    corners = camera.world_to_pixel(list(product(*zip(*box))), size)
    if (corners[:, 0] > legend_edge).any():
        camera.frame(box, size, room, MARGIN)


def picture_scale(size: Size) -> float:
    """Text scale of a picture: grows with its size, never too wide for it, never too small to read."""
    area = math.sqrt(size[0] * size[1] / (PICTURE[0] * PICTURE[1]))
    return max(min(area, size[0] / 900.0), 0.7)


def picture_room(size: Size, text_scale: float, band: float = 0.0) -> Inset:
    """Parts of a picture of that size that legend, scale bar and the band at the right cover [pixel]."""
    scale = picture_scale(size) * text_scale
    scale *= min(1.0, MOST_ROOM * size[1] / ((LEGEND_ROOM + SCALE_BAR_ROOM) * scale))
    return 0.0, LEGEND_ROOM * scale, band, SCALE_BAR_ROOM * scale
