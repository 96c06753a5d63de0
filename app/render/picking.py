"""The sphere under a pixel of the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from repose.app.render.camera import Size
from repose.app.render.cutaway import cut_plane, has_field, is_cut
from repose.app.render.orbit import Camera, Camera3D
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot


def sphere_at(
    snapshot: Snapshot, view: View, camera: Camera, size: Size, pixel: Sequence[float], reach: float
) -> int | None:
    """Row of the sphere drawn at a pixel, in space the sphere nearest to the eye.

    If there is none, the row of the movable sphere whose edge is nearest to the pixel and within `reach` [pixel];
    otherwise None.
    """
    position, radius = snapshot.grains.position.astype(np.float64), snapshot.grains.radius.astype(np.float64)
    shown = np.isfinite(position).all(axis=1)
    if isinstance(camera, Camera3D):
        shown &= ~is_cut(
            snapshot.grains.position, cut_plane(view, snapshot.geometry.box, camera, has_field(view, snapshot))
        )
        eye, direction = camera.ray(pixel, size)
        offset = position - eye
        along = offset @ direction
        off = np.linalg.norm(offset - along[:, None] * direction, axis=1)
        shown &= along > camera.near
        nearness, beyond = along, (off - radius) * camera.focal(size) / np.maximum(along, camera.near)
    else:
        off = np.linalg.norm(position - camera.pixel_to_world(pixel, size), axis=1)
        # Grains are drawn over walls.
        nearness, beyond = (
            off + np.where(snapshot.grains.fixed, off.max(initial=0.0), 0.0),
            (off - radius) / camera.resolution(size),
        )
    hit = np.flatnonzero(shown & (beyond <= 0.0))
    if hit.size:
        return int(hit[nearness[hit].argmin()])
    close = np.flatnonzero(shown & ~snapshot.grains.fixed & (beyond <= reach))
    return int(close[beyond[close].argmin()]) if close.size else None


def point_at(camera: Camera, size: Size, pixel: Sequence[float], through: Sequence[float]) -> tuple[float, ...]:
    """The point under a pixel [m]; in space in the plane parallel to the picture through the point `through` [m]."""
    if isinstance(camera, Camera3D):
        eye, direction = camera.ray(pixel, size)
        back = camera.axes()[2]
        point = eye + direction * (float((np.asarray(through) - eye) @ back) / float(direction @ back))
    else:
        point = camera.pixel_to_world(pixel, size)
    return tuple(map(float, point))
