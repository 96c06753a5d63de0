"""Measures of how well a clump approximates its body."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.body import Body
from repose.sim.clumps.clump import PLANES_AT_ONCE, Clump, checked_kappa, slabs
from repose.sim.clumps.distance_field import DistanceField, ShowProgress, depth_on, iso_points, part_of, silent
from repose.sim.engine.world import Floats
from repose.sim.message import _

LEVEL = 1.5
"""Depth of the surface on which roughness is measured [steps of the grid]."""
CELLS = 16
"""Cells along the longest edge of the box around points, in which they are grouped."""
GROUPS_PER_CALL = 200
"""Groups of points between two calls of `ShowProgress`."""


class Quality(NamedTuple):
    """All measures; the first two are those of Karavaev, Kopysov and Sarmakeeva (2015)."""

    volume_ratio: float
    """Q_V: volume of the clump over that of the body [-]."""
    roughness: float
    """Q_r: fraction of the points of the surface at the depth `LEVEL` that are outside the clump [-]; nan if no point
    of the body is as deep."""
    overlap: float
    """IoU: volume of the intersection of clump and body over that of their union [-]."""
    surface_error: float
    """Root mean square distance of the body's surface from the clump's, over the radius of a ball of the body's volume
    [-]."""
    protrusion: float
    """Share of the volume of the clump that is outside the body [-]."""


def quality(
    body: Body, clump: Clump, kappa: float = 0.5, level: float = LEVEL, show_progress: ShowProgress = silent
) -> Quality:
    """Quality of a clump, by points of the distance kappa steps of the body's grid."""

    common, of_clump, of_body = overlap_volumes(body, clump, kappa, part_of(show_progress, 0.0, 0.4))
    ball = (3.0 * body.volume / (4.0 * np.pi)) ** (1.0 / 3.0)
    return Quality(
        of_clump / body.volume,
        roughness(body, clump, kappa, level, part_of(show_progress, 0.4, 0.8)),
        common / (of_clump + of_body - common),
        surface_error(body, clump, part_of(show_progress, 0.8, 1.0)) / ball,
        1.0 - common / of_clump,
    )


def overlap_volumes(
    body: Body, clump: Clump, kappa: float = 0.5, show_progress: ShowProgress = silent
) -> tuple[float, float, float]:
    """Volumes of the intersection of clump and body, of the clump, and of the body [m³]."""
    field = body.field
    low = np.minimum((clump.centre - clump.radius[:, None]).min(axis=0), field.origin)
    high = np.maximum(
        (clump.centre + clump.radius[:, None]).max(axis=0),
        field.origin + field.step * (np.array(field.depth.shape) - 1.0),
    )
    fine = checked_kappa(kappa) * field.step
    common = of_clump = of_body = 0
    for slab in slabs(clump, low, high, fine, show_progress):
        inside = depth_on(field, slab.x, slab.y, slab.z) > 0.0
        covered = slab.covered.astype(bool)
        common += int((inside & covered).sum())
        of_clump += int(covered.sum())
        of_body += int(inside.sum())
    return common * fine**3, of_clump * fine**3, of_body * fine**3


def roughness(
    body: Body, clump: Clump, kappa: float = 0.5, level: float = LEVEL, show_progress: ShowProgress = silent
) -> float:
    """Q_r: fraction of the points of the surface at a depth of `level` steps that are outside the clump [-]; nan if no
    point of the body is as deep. The surface is computed on a grid of kappa times the step, some planes at a time."""
    field = body.field
    fine = checked_kappa(kappa) * field.step
    x, y, z = (
        field.origin[c] + np.arange(0.0, field.step * (field.depth.shape[c] - 1) + 1e-9 * fine, fine) for c in range(3)
    )
    outside = total = 0
    for first in range(0, x.size - 1, PLANES_AT_ONCE):
        show_progress(_("surface below that of the body"), first / x.size)
        planes = x[first : first + PLANES_AT_ONCE + 1]
        part = DistanceField(depth_on(field, planes, y, z), np.array([planes[0], y[0], z[0]]), fine)
        points, __ = iso_points(part, level * field.step)
        points = points[points[:, 0] < planes[-1] - 1e-6 * fine]  # the next planes include these points again
        outside += int((depth_in(clump, points) < 0.0).sum())
        total += len(points)
    return outside / total if total else float("nan")


def surface_error(body: Body, clump: Clump, show_progress: ShowProgress = silent) -> float:
    """Root mean square distance of the points of the body's surface from the surface of the clump [m].

    For points inside the clump this is the distance to the surface of the member in which they are deepest, a lower
    bound.
    """
    points, corners = iso_points(body.field)
    triangles = points[corners]
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1)
    depth = depth_in(clump, triangles.mean(axis=1), show_progress)
    return float(np.sqrt((area * depth**2).sum() / area.sum()))


def depth_in(clump: Clump, points: Floats, show_progress: ShowProgress = silent) -> Floats:
    """Depth of points [m], shape (points, 3), in the union of the members [m]; negative outside."""
    from repose.sim.clumps.grid_loops import deepest

    depth = np.zeros(len(points))
    owner = np.zeros(len(points), np.int32)
    rows, begin = neighbours_together(points)
    near = np.ascontiguousarray(points[rows])
    for number, (first, last) in enumerate(itertools.pairwise(begin)):
        if number % GROUPS_PER_CALL == 0:
            show_progress(_("distances of the surfaces"), first / len(points))
        # With b and w the middle and the half width of the group, a member whose r - |b - c| is smaller by 2 w than the
        # largest one contains no point of the group as deeply.
        middle = 0.5 * (near[first:last].min(axis=0) + near[first:last].max(axis=0))
        wide = float(np.sqrt(((near[first:last] - middle) ** 2).sum(axis=1).max()))
        reach = clump.radius - np.sqrt(((clump.centre - middle) ** 2).sum(axis=1))
        chosen = reach >= reach.max() - 2.0 * wide * (1.0 + 1e-9)
        deepest(near, clump.centre[chosen], clump.radius[chosen], first, last, depth, owner)
    result = np.empty(len(points))
    result[rows] = depth
    return result


def neighbours_together(points: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """An order of points [m], shape (points, 3), in which points of one cell are contiguous, and the first entry of
    each group, with the end."""
    low, wide = points.min(axis=0, initial=np.inf), float(np.ptp(points, axis=0).max()) if len(points) else 1.0
    cell = np.minimum((points - low) * (CELLS / max(wide, 1e-300)), CELLS - 1).astype(int) @ (CELLS * CELLS, CELLS, 1)
    rows = np.argsort(cell, kind="stable")
    begin = np.flatnonzero(np.diff(cell[rows], prepend=-1))
    return rows, np.append(begin, len(points))
