"""Walls in 3D: translucent triangles, drawn after the grains."""

from __future__ import annotations

import numpy as np
from repose.app.render.colours import to_linear
from repose.app.render.passes import Frame, Pass
from repose.app.render.passes.box import CONTAINER
from repose.app.render.passes.measured_slope import SLOPE
from repose.sim.experiment.snapshot import Floats

DENSITY = 0.035
"""Opacity of a wall seen at right angles [-]."""
LEVEL = 1e-3
"""Largest distance of the corners of a facet on the ground from the ground [heights of the box]."""


def drawn_facets(frame: Frame) -> Floats:
    """Facets to draw [m], shape (facets, 3, 3): all, or with a measured slope those below the highest grain."""
    snapshot = frame.snapshot
    facets = snapshot.geometry.facets
    if facets.ndim != 3 or facets.shape[1:] != (3, 3):
        return np.empty((0, 3, 3), np.float32)
    facets = facets[np.isfinite(facets).all(axis=(1, 2))]
    if snapshot.results.slope is None or not frame.shows(SLOPE):
        return facets
    tops = (snapshot.grains.position[:, 2] + snapshot.grains.radius)[~snapshot.grains.fixed]
    highest = np.max(tops, initial=-np.inf, where=np.isfinite(tops))
    drawn: Floats = facets[facets[..., 2].min(axis=1) <= highest]
    return drawn


def instances(frame: Frame) -> Floats | None:
    """One triangle per facet, the farthest first."""
    facets = drawn_facets(frame)
    if not len(facets):
        return None
    low, high = (corner[2] for corner in frame.snapshot.geometry.box)
    # A plate on the ground would cover the shadow; its outline is sufficient.
    flat = (np.abs(facets[..., 2] - low) <= LEVEL * (high - low)).all(axis=1)
    facets = facets[~flat]
    back_to_front = np.argsort(-frame.orbit.depth(facets.mean(axis=1)), kind="stable")
    rows = np.empty((len(facets), 13), np.float32)
    rows[:, :9] = facets[back_to_front].reshape(-1, 9)
    rows[:, 9:12] = to_linear(frame.palette.glass)
    rows[:, 12] = DENSITY
    return rows


PASS = Pass(
    "facets",
    order=50,
    shader="facets",
    attributes=(3, 3, 3, 4),
    instances=instances,
    dimensions=(3,),
    depth="tested",
    switch=CONTAINER,
)
