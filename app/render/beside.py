"""A body and its clump as a snapshot for the renderer, the body at the left and the clump at the right in any view."""

from __future__ import annotations

import numpy as np
from repose.app.render.orbit import Camera3D
from repose.app.storage.view_settings import View
from repose.sim.clumps.body import Body
from repose.sim.clumps.clump import Clump
from repose.sim.clumps.distance_field import DistanceField, iso_surface
from repose.sim.engine import world
from repose.sim.experiment.snapshot import Floats, ShownGeometry, ShownGrains, Snapshot

CREASE, MOST_AT_CORNER = 0.7, 12
"""Cosine of the angle between two triangles below which there is an edge [-], and triangles that are compared at a
corner."""
MOST_CELLS = 90
"""Largest number of cells along the longest edge of the drawn surface; more cells add no visible detail."""
GAP = 0.12
"""Distance between body and clump, in radii of the ball that contains either [-]."""


def drawn_surface(body: Body) -> Floats:
    """Corners of the triangles of a body [m] and unit normals at them, shape (triangles, 2, 3, 3)."""
    field, triangles = body.field, body.surface
    stride = -(-max(field.depth.shape) // MOST_CELLS)
    if stride > 1 and len(triangles) > MOST_CELLS**2:
        depth = np.ascontiguousarray(field.depth[::stride, ::stride, ::stride])
        triangles = iso_surface(DistanceField(depth, field.origin, stride * field.step))
    return np.stack([triangles, normals_at_corners(triangles)], axis=1).astype(np.float32)


def normals_at_corners(triangles: world.Floats) -> world.Floats:
    """Unit normals at the corners of triangles, shape (triangles, 3, 3): the mean, weighted by area, over the triangles
    that meet there without an edge between them."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    corners = triangles.reshape(-1, 3)
    wide = float(np.ptp(corners, axis=0).max())
    _, position = np.unique(np.round(corners / (1e-7 * wide)), axis=0, return_inverse=True)
    order = np.argsort(position.ravel(), kind="stable")
    position, own = position.ravel()[order], np.repeat(normal, 3, axis=0)[order]
    unit = own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-300)
    total = own.copy()
    for k in range(1, MOST_AT_CORNER):
        smooth = (position[k:] == position[:-k]) & ((unit[k:] * unit[:-k]).sum(axis=1) > CREASE)
        total[:-k] += smooth[:, None] * own[k:]
        total[k:] += smooth[:, None] * own[:-k]
    total /= np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    normals = np.empty_like(total)
    normals[order] = total
    return normals.reshape(triangles.shape)


def reach(body: Body, clump: Clump) -> float:
    """Radius of the ball about the middle of the body that contains both [m]."""
    middle = _middle(body)
    of_body = np.linalg.norm(body.surface.reshape(-1, 3) - middle, axis=1).max()
    of_clump = (np.linalg.norm(clump.centre - middle, axis=1) + clump.radius).max()
    return float(max(of_body, of_clump))


def places(camera: Camera3D, radius: float) -> world.Floats:
    """Centres of body and clump [m], shape (2, 3); `radius` is that of the ball that contains either [m]."""
    spacing = (1.0 + 0.5 * GAP) * radius * camera.axes()[0]
    return np.stack([-spacing, spacing])


def corners_seen(camera: Camera3D, radius: float) -> world.Floats:
    """Points that are in view if body and clump are in view [m], shape (4, 3)."""
    left, right = places(camera, radius)
    across, up = radius * camera.axes()[:2]
    return np.stack([left - across, right + across, left + up, left - up])


def beside(body: Body, surface: Floats, clump: Clump, camera: Camera3D, radius: float) -> Snapshot:
    """The body at the left, its clump at the right as the camera sees them; `surface` comes from `drawn_surface`."""
    left, right = places(camera, radius) - _middle(body)
    shown = surface.copy()
    shown[:, 0] += left.astype(np.float32)
    count = len(clump.radius)
    radii = clump.radius.astype(np.float32)
    return Snapshot(
        serial=1,
        grains=ShownGrains(
            position=(clump.centre + right).astype(np.float32),
            radius=radii,
            fixed=np.zeros(count, np.bool_),
            sphere_id=np.arange(count),
            columns={"size": radii},
        ),
        geometry=ShownGeometry(box=((-2.0 * radius,) * 3, (2.0 * radius,) * 3), solid=shown),
    )


def view_of_clump(view: View) -> View:
    """The user's view, with the radius as colour, without cut and without ground."""
    return view.model_copy(update={"colour_by": "size", "cut_axis": "", "shown": {"box": False, "caption": False}})


def _middle(body: Body) -> world.Floats:
    corners = body.surface.reshape(-1, 3)
    middle: world.Floats = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    return middle
