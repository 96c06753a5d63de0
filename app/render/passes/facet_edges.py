"""Outlines of walls in 3D: rims, sharp edges, and silhouettes of curved walls."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.app.render.passes.facets import drawn_facets
from repose.sim.experiment.snapshot import Floats

SHARP = math.cos(math.radians(30.0))
"""Cosine of the angle between two normals below which the edge between two facets is sharp."""
WIDTH, ALPHA = 1.3, 0.75
"""Width [units of line width] and opacity [-] of an outline."""


def instances(frame: Frame) -> Floats | None:
    """One line per rim, sharp edge and silhouette edge."""
    facets = np.ascontiguousarray(drawn_facets(frame), np.float32)
    if not len(facets):
        return None
    ends, first, second, permanent = edges_of(facets)
    normal = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    front = ((frame.orbit.eye() - facets[:, 0]) * normal).sum(axis=1) > 0.0
    drawn = facets.reshape(-1, 3)[ends[permanent | (front[first] != front[second])]]
    rows = np.zeros((len(drawn), 12), np.float32)
    rows[:, 0:6] = drawn.reshape(-1, 6)
    rows[:, 7] = WIDTH * frame.scale
    rows[:, 8:11] = to_linear(frame.palette.faint)
    rows[:, 11] = ALPHA
    return rows


def edges_of(facets: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Every edge of facets, shape (facets, 3, 3), once: the numbers of its ends among all corners, shape (edges, 2),
    its two facets, and whether it is a rim or sharp."""
    return _edges(np.ascontiguousarray(facets, np.float32).tobytes())


@functools.lru_cache(maxsize=4)
def _edges(data: bytes) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    facets = np.frombuffer(data, np.float32).reshape(-1, 3, 3)
    # Corners of the same point can differ in the last bits.
    tolerance = max(float(np.ptp(facets.reshape(-1, 3), axis=0).max()), 1e-30) * 1e-5
    _, corner = np.unique(np.rint(facets.reshape(-1, 3) / tolerance).astype(np.int64), axis=0, return_inverse=True)
    corner = corner.reshape(-1, 3)
    pairs = np.sort(corner[:, ((0, 1), (1, 2), (2, 0))].reshape(-1, 2), axis=1)
    ends = np.arange(3 * len(facets)).reshape(-1, 3)[:, ((0, 1), (1, 2), (2, 0))].reshape(-1, 2)
    owner = np.repeat(np.arange(len(facets)), 3)
    order = np.lexsort(pairs.T)
    pairs, ends, owner = pairs[order], ends[order], owner[order]
    starts = np.flatnonzero(np.r_[True, (pairs[1:] != pairs[:-1]).any(axis=1)])
    shared = np.diff(np.r_[starts, len(pairs)])
    first, second = owner[starts], owner[starts + np.minimum(shared, 2) - 1]
    normal = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1), 1e-30)[:, None]
    sharp = (normal[first] * normal[second]).sum(axis=1) < SHARP
    return ends[starts], first, second, (shared != 2) | sharp


PASS = Pass(
    "facet_edges",
    order=52,
    shader="strokes",
    attributes=(3, 3, 2, 4),
    instances=instances,
    dimensions=(3,),
    depth="tested",
    switch=CONTAINER,
)
