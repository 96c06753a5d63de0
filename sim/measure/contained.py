"""What a shape holds: grains that have it beneath them, and grains that have got inside its body.

Every facet a vertical line meets below a grain's centre is counted. The grain is held if there is one, on the floor if
there is none; if the surface is closed and their number is odd, the centre is inside the body, where it cannot be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats

BLOCK = 1 << 22
"""Pairs of grain and facet looked at together: bounds the memory."""


def facets_beneath(facets: Floats, place: Floats) -> NDArray[np.int64]:
    """How many facets (facets, 3, 3) [m] are straight below each point (n, 3) [m]; shape (n,).

    A facet that stands upright, or a line exactly through an edge, is not met.
    """
    count = np.zeros(len(place), np.int64)
    step = max(1, BLOCK // max(1, len(facets)))
    for first in range(0, len(place), step):
        points = place[first : first + step, None, :]
        # Twice the signed areas that the point spans with each edge, seen from above.
        area = np.empty((3, points.shape[0], len(facets)))
        for side in range(3):
            start, end = facets[:, side], facets[:, (side + 1) % 3]
            along, arm = end - start, points - start
            area[side] = along[:, 0] * arm[..., 1] - along[:, 1] * arm[..., 0]
        above = (area > 0.0).all(axis=0) | (area < 0.0).all(axis=0)
        whole = np.where(above, area.sum(axis=0), 1.0)
        # The area opposite a corner is its weight: edge 1 faces corner 0.
        height = sum(area[(side + 1) % 3] * facets[:, side, 2] for side in range(3)) / whole
        count[first : first + step] = (above & (height < points[..., 2])).sum(axis=1)
    return count
