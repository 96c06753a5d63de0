"""What to point the camera at: the whole scene, or only what has grains in it."""

from __future__ import annotations

import numpy as np

from app.camera import Box
from sim.snapshot import Snapshot

HEADROOM = 0.12
"""Height kept above the highest grain [share of the width]."""


def whole_scene(snapshot: Snapshot) -> Box:
    """All the scene asks to have in view, walls included."""
    return snapshot.box


def close_up(snapshot: Snapshot) -> Box:
    """The scene cut off above its highest grain: a heap at rest fills the picture, empty walls do not."""
    (x0, y0), (x1, y1) = (corner[:2] for corner in snapshot.box)
    moving = ~snapshot.fixed
    tops = snapshot.position[moving, 1] + snapshot.radius[moving]
    tops = tops[np.isfinite(tops)]
    if not len(tops):
        return snapshot.box
    return (x0, y0), (x1, min(y1, max(float(tops.max()), y0) + HEADROOM * (x1 - x0)))
