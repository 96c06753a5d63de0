"""Clumps in one piece: in a thin part of a body, such as the arm of a tetrapod, a sphere at the end can be separate
from all others. A sphere that adds little elsewhere is then placed into the gap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.body import Body
from repose.sim.clumps.distance_field import DistanceField, depth_at
from repose.sim.engine.world import Floats

MOST = 2000
"""Largest number of spheres of a clump whose gaps are closed: the gap between every two of them is computed."""
OVERLAP = 1.1
"""Diameter of a sphere that closes a gap, over the width of the gap [-]."""
MOVED = 8
"""At most 1 + spheres/`MOVED` spheres are moved: a clump of a few spheres in many pieces does not change."""
TRIED = 10
"""Number of candidates, the spheres that add least, of which one is moved into a gap."""


def pieces_of(centre: Floats, radius: Floats) -> NDArray[np.int32]:
    """Number of the piece of each sphere, from 0, shape (spheres,): spheres of a piece overlap, directly or through
    others."""
    from repose.sim.clumps.grid_loops import connect

    low = centre[:, 0] - radius
    rows = np.argsort(low, kind="stable")
    piece = np.zeros(radius.size, np.int32)
    connect(low[rows], np.ascontiguousarray(centre[rows]), radius[rows], piece)
    result = np.empty_like(piece)
    result[rows] = np.unique(piece, return_inverse=True)[1]
    return result


def parts_of(field: DistanceField) -> int:
    """Number of parts of a body on its grid: inner nodes of a part are neighbours, also across a corner of a cell."""
    from scipy.ndimage import label

    return int(label(field.depth > 0.0, np.ones((3, 3, 3)))[1])


def joined(body: Body, centre: Floats, radius: Floats, alone: Floats) -> tuple[Floats, Floats]:
    """Centres and radii [m] after spheres were moved into gaps until the clump is in one piece; unchanged if this needs
    many spheres. `alone` is the volume that only this sphere covers, for each sphere [m³]."""
    before = centre, radius
    if not 2 < radius.size <= MOST:
        return before
    gaps = _gaps(centre, radius)
    piece = _labels(gaps)
    order = np.argsort(alone, kind="stable").tolist()
    for _ in range(1 + radius.size // MOVED):
        if not piece.any():
            break
        gap = np.where(piece[:, None] != piece[None, :], gaps, np.inf)
        nearest = None
        for row in order[:TRIED]:
            others = gap.copy()
            others[row] = others[:, row] = np.inf
            i, j = np.unravel_index(int(others.argmin()), others.shape)
            if np.isinf(others[i, j]):  # the others are in one piece
                continue
            along = (centre[j] - centre[i]) / np.linalg.norm(centre[j] - centre[i])
            middle = centre[i] + (radius[i] + 0.5 * gaps[i, j]) * along
            moved, sizes = centre.copy(), radius.copy()
            moved[row] = middle
            sizes[row] = max(float(depth_at(body.field, middle[None])[0]), 0.5 * OVERLAP * float(gaps[i, j]))
            nearest = _labels(_gaps(moved, sizes))
            if nearest.max() < piece.max():
                break
            nearest = None
        if nearest is None:
            return before
        order.remove(row)  # this sphere connects two pieces
        centre, radius, piece = moved, sizes, nearest
        gaps = _gaps(centre, radius)
    return before if piece.any() else (centre, radius)


def _gaps(centre: Floats, radius: Floats) -> Floats:
    """Distance of the surfaces of every two spheres, negative for an overlap [m]."""
    square = ((centre[:, None] - centre[None]) ** 2).sum(axis=2)
    gaps: Floats = np.sqrt(square) - radius[:, None] - radius[None]
    return gaps


def _labels(gaps: Floats) -> NDArray[np.int32]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    labels: NDArray[np.int32] = connected_components(csr_array(gaps < 0.0), directed=False)[1]
    return labels
