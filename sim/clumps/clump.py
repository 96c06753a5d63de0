"""A clump: the spheres that approximate a body, and the mass properties of their union."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.distance_field import MOST_NODES, ShowProgress, require_memory, silent
from repose.sim.engine.world import Floats
from repose.sim.message import Message, Number, _
from repose.sim.parameters import ParameterError

PLANES_AT_ONCE = 32
"""Number of planes of sampling points in memory at a time."""
LEAST_POINTS = 8
"""Least number of sampling points along the radius of the largest member: its volume is then exact to 2 %."""
MOST_MEMBERS = 100_000
"""Largest number of spheres of a clump."""


class Clump(NamedTuple):
    """Member spheres, in the frame of the body."""

    name: str
    """Name of the body."""
    algorithm: str
    centre: Floats
    """[m], shape (members, 3)."""
    radius: Floats
    """[m], shape (members,)."""


class MassProperties(NamedTuple):
    """Mass properties of the union of the members, for the density 1 kg/m³."""

    volume: float
    """[m³]."""
    centre: Floats
    """Centre of mass [m], shape (3,)."""
    inertia: Floats
    """Tensor of inertia about the centre of mass over the density [m⁵], shape (3, 3)."""
    moments: Floats
    """Principal moments of inertia over the density, smallest first [m⁵], shape (3,)."""
    axes: Floats
    """Principal axes as columns, a right-handed frame, shape (3, 3)."""


class Slab(NamedTuple):
    """Some planes of sampling points."""

    x: Floats
    y: Floats
    z: Floats
    """Coordinates of the points [m]."""
    covered: NDArray[np.uint8]
    """Whether a point is in a member, shape (x, y, z)."""


def checked_kappa(kappa: float) -> float:
    """The ratio of the sampling step to the step of the grid; raises `ParameterError` outside (0, 1]."""
    if not 0.0 < kappa <= 1.0:
        raise ParameterError(
            Message(
                "kappa = {kappa} is refused; the step of sampling over that of the grid is in (0, 1].",
                kappa=Number(kappa, format="g"),
            )
        )
    return kappa


def require_planes(count: Sequence[float] | NDArray[np.int64]) -> None:
    """Raise `ParameterError` if a few planes of `count` sampling points in x, y and z take too much memory."""
    planes = np.array([min(PLANES_AT_ONCE, count[0]), count[1], count[2]]).astype(np.int64)
    require_memory(planes, _("choose a larger kappa or fewer cells"))


def slabs(clump: Clump, low: Floats, high: Floats, step: float, show_progress: ShowProgress = silent) -> Iterator[Slab]:
    """Points at the centres of cells of edge `step` [m] that fill the box from low to high [m], some planes at a time,
    with the mask of points that the clump covers."""
    from repose.sim.clumps.grid_loops import cover

    count = np.maximum(np.ceil((high - low) / step - 1e-9).astype(int), 1)
    require_planes(count)
    start = 0.5 * (low + high) - 0.5 * step * (count - 1)
    x, y, z = (start[c] + step * np.arange(count[c]) for c in range(3))
    for first in range(0, count[0], PLANES_AT_ONCE):
        show_progress(_("sampling"), first / count[0])
        part = x[first : first + PLANES_AT_ONCE]
        near = np.abs(clump.centre[:, 0] - 0.5 * (part[0] + part[-1])) <= clump.radius + 0.5 * (part[-1] - part[0])
        covered = np.zeros((part.size, count[1], count[2]), np.uint8)
        origin = np.array([part[0], start[1], start[2]])
        cover(np.ascontiguousarray(clump.centre[near]), clump.radius[near], origin, step, covered)
        yield Slab(part, y, z, covered)


def mass_properties(
    clump: Clump, step: float, kappa: float = 0.5, show_progress: ShowProgress = silent
) -> MassProperties:
    """Volume, centre of mass and inertia of a clump from sampling points, each of which represents a cube. Their
    distance is kappa times `step` [m], the step of the grid of the clump, or smaller if this is coarse for the
    members."""
    low = (clump.centre - clump.radius[:, None]).min(axis=0)
    high = (clump.centre + clump.radius[:, None]).max(axis=0)
    affordable = float(np.cbrt((high - low).prod() / MOST_NODES))
    fine = min(checked_kappa(kappa) * step, max(float(clump.radius.max()) / LEAST_POINTS, affordable))
    middle = 0.5 * (low + high)
    points = 0.0
    first, second = np.zeros(3), np.zeros((3, 3))
    for slab in slabs(clump, low, high, fine, show_progress):
        xyz = [axis - middle[c] for c, axis in enumerate((slab.x, slab.y, slab.z))]
        for a in range(3):
            for b in range(a + 1, 3):
                flat = slab.covered.sum(axis=3 - a - b, dtype=np.int64)
                second[a, b] += xyz[a] @ flat @ xyz[b]
            line = slab.covered.sum(axis=tuple(c for c in range(3) if c != a), dtype=np.int64)
            first[a] += line @ xyz[a]
            second[a, a] += line @ xyz[a] ** 2
        points += float(slab.covered.sum(dtype=np.int64))
    if points == 0.0:
        raise ParameterError(_("The members are smaller than the distance of the sampling points; use a finer grid."))
    volume = points * fine**3
    mean = first / points
    spread = (second + np.triu(second, 1).T) / points - np.outer(mean, mean) + np.eye(3) * fine**2 / 12.0
    inertia = volume * (np.eye(3) * np.trace(spread) - spread)
    return principal(volume, middle + mean, inertia)


def principal(volume: float, centre: Floats, inertia: Floats) -> MassProperties:
    """Mass properties with the principal moments and axes of a tensor of inertia [m⁵], shape (3, 3)."""
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return MassProperties(volume, centre, inertia, moments, axes)
