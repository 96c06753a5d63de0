"""Grains above a shape, and grains inside its body.

The facets that a vertical line meets below the centre of a grain are counted. With at least one facet the grain is
above the shape, otherwise on the floor. If the surface is closed and the number of facets is odd, the centre is inside
the body, which is an error of the run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats

BLOCK = 1 << 22
"""Number of pairs of grain and facet that are processed together; it limits the memory."""


def facets_beneath(facets: Floats, position: Floats) -> NDArray[np.int64]:
    """Number of facets (facets, 3, 3) [m] vertically below each point (n, 3) [m]; shape (n,).

    Vertical facets, and facets whose edge the line meets exactly, are not counted.
    """
    count = np.zeros(len(position), np.int64)
    step = max(1, BLOCK // max(1, len(facets)))
    for first in range(0, len(position), step):
        points = position[first : first + step, None, :]
        # Twice the signed areas of the triangles of the point and each edge, seen from above.
        area = np.empty((3, points.shape[0], len(facets)))
        for side in range(3):
            start, end = facets[:, side], facets[:, (side + 1) % 3]
            along, arm = end - start, points - start
            area[side] = along[:, 0] * arm[..., 1] - along[:, 1] * arm[..., 0]
        above = (area > 0.0).all(axis=0) | (area < 0.0).all(axis=0)
        whole = np.where(above, area.sum(axis=0), 1.0)
        # The weight of a corner is the area of the triangle with the opposite edge: edge 1 is opposite to corner 0.
        height = sum(area[(side + 1) % 3] * facets[:, side, 2] for side in range(3)) / whole
        count[first : first + step] = (above & (height < points[..., 2])).sum(axis=1)
    return count
