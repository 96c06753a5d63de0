"""Members of rigid bodies in the plane that touch one another: the picture joins them, so that a body is recognised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.sim.experiment.snapshot import Snapshot

NEAR = 1.1
"""Largest distance of the centres of joined members [sums of their radii]."""


def joints_of(snapshot: Snapshot) -> NDArray[np.int64]:
    """Rows of the two spheres of every pair of touching members of a body, shape (pairs, 2)."""
    members = np.flatnonzero(snapshot.grains.body >= 0)
    order = members[np.argsort(snapshot.grains.body[members], kind="stable")]
    result = [np.empty((0, 2), np.int64)]
    for gap in range(1, len(order)):
        first, second = order[:-gap], order[gap:]
        same = snapshot.grains.body[first] == snapshot.grains.body[second]
        if not same.any():  # no body has so many members
            break
        first, second = first[same], second[same]
        distance = np.linalg.norm(snapshot.grains.position[first] - snapshot.grains.position[second], axis=1)
        near = distance < NEAR * (snapshot.grains.radius[first] + snapshot.grains.radius[second])
        result.append(np.column_stack((first[near], second[near])))
    return np.concatenate(result)
