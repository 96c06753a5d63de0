"""The cut plane: everything between the plane and the viewer is hidden, to show the inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.app.render.camera import Box
from repose.app.render.orbit import Camera3D
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

Plane = tuple[float, float, float, float]
"""Unit normal n towards the viewer and offset w [m]; points with n·x + w > 0 are hidden."""

NOTHING: Plane = (0.0, 0.0, 0.0, -1.0)
"""The plane that hides nothing."""
AXES = ("x", "y", "z")
FIELD = "stress_field"
"""Switch of the stress field, which needs a plane to be drawn in."""


def has_field(view: View, snapshot: Snapshot) -> bool:
    """Whether the stress field is switched on and can be drawn: grains touch, and no sphere has a label, which is for
    spheres that never touch."""
    forces = snapshot.contacts.forces
    return view.shown.get(FIELD, False) and not snapshot.grains.labels and forces is not None and len(forces.i) > 0


def cut_plane(view: View, box: Box, camera: Camera3D, field: bool = False) -> Plane:
    """The plane chosen by the user, with its normal towards the viewer.

    Without a chosen plane, the stress field (`has_field`) is in the upright plane through the middle of the box that
    faces the viewer.
    """
    chosen = view.cut_axis in AXES
    if not chosen and not field:
        return NOTHING
    facing = 1 if abs(camera.axes()[2][1]) >= abs(camera.axes()[2][0]) else 0
    axis = AXES.index(view.cut_axis) if chosen else facing
    low, high = box[0][axis], box[1][axis]
    position = low + (min(max(view.cut_position, 0.0), 1.0) if chosen else 0.5) * (high - low)
    # The side follows from the direction of view, not from the position: a plane that moves past a near viewer must not
    # change sides.
    side = -1.0 if camera.axes()[2][axis] < 0.0 else 1.0
    normal = [0.0, 0.0, 0.0]
    normal[axis] = side
    return normal[0], normal[1], normal[2], -side * position


def is_cut(points: ArrayLike, plane: Plane) -> NDArray[np.bool_]:
    """Whether points are hidden; shape (..., 3) [m] to (...)."""
    # Spheres after a fault can be at infinity, and infinity times 0 is nan.
    with np.errstate(invalid="ignore"):
        hidden: NDArray[np.bool_] = np.asarray(points) @ np.array(plane[:3], np.float32) + plane[3] > 0.0
    return hidden
