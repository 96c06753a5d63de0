"""Angle of repose of a heap in space, from its profile averaged over all directions and from a fitted cone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from repose.sim.message import Message, _

SECTORS = 8
"""Number of sectors whose slopes give the standard error."""
ERROR_OF, CONE_ERROR_OF = Message("{sectors} sectors", sectors=SECTORS), _("cone fit")
"""Source of the standard errors of one measurement; heaps of other seeds scatter more."""
ERROR_NAME = f"{SECTORS}_sectors"
"""Name of the source of the first of them in results."""

TIP, FOOT = 0.15, 0.85
"""The rings between these fractions of the radius of the foot are fitted, because tip and foot of a heap are
rounded."""

LOWEST = 1.5
"""Least height of the rings of a heap, in diameters of a grain."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ConeAngle:
    """One measurement of the slope of a heap whose axis is the vertical axis through the origin."""

    angle: float
    """Angle of the averaged profile [rad]."""
    standard_error: float
    """Standard error of the angle, from the scatter of the sectors [rad]."""
    cone_angle: float
    """Angle of the cone through the same surface grains, with a free position of its axis [rad]."""
    cone_error: float
    """Standard error of the angle of the cone [rad]."""
    distance: Floats
    """Distances of the rings of the profile from the axis [m], shape (rings,)."""
    height: Floats
    """Heights of the surface at the rings [m], shape (rings,)."""
    intercept: float
    """Height of the fitted line at the axis [m]."""
    fitted: tuple[float, float]
    """Interval of distances in which the line is fitted [m]."""
    used_ids: NDArray[np.int64]
    """Identity of each surface grain used, shape (used,)."""
    grains_left: int


def measure_cone(
    position: Floats, radius: Floats, sphere_id: NDArray[np.int64], diameter: float | None = None, fineness: int = 1
) -> ConeAngle | None:
    """The slope of a heap of spheres, position (n, 3) [m], or None for too few grains or rings.

    `diameter` is the diameter of a grain [m], by default the mean of the spheres. Surface grains are the highest grains
    of each cell of a polar grid with `fineness` cells per diameter in both directions; the surface passes through their
    tops.
    """
    if radius.size < 20:
        return None
    diameter = 2.0 * float(radius.mean()) if diameter is None else diameter
    width = diameter / fineness
    distance = np.hypot(position[:, 0], position[:, 1])
    bearing = np.arctan2(position[:, 1], position[:, 0])
    top = position[:, 2] + radius
    surface = _surface_rows(distance, bearing, top, width)
    ring = np.floor(distance[surface] / width).astype(np.int64)
    counts = np.bincount(ring)
    profile = np.bincount(ring, top[surface]) / np.maximum(counts, 1)
    # The foot: the first ring that is lower than one and a half grains; one layer lies flat at any slope.
    low = np.flatnonzero((profile < LOWEST * diameter) | (counts == 0))
    foot = width * float(low[0] if low.size else profile.size)
    inside = (distance[surface] > TIP * foot) & (distance[surface] < FOOT * foot)
    used = surface[inside]
    if used.size < 3 * SECTORS or np.unique(ring[inside]).size < 3:
        return None
    rings = np.unique(ring[inside])
    middle = np.bincount(ring[inside], distance[used])[rings] / np.bincount(ring[inside])[rings]
    mean_top = np.bincount(ring[inside], top[used])[rings] / np.bincount(ring[inside])[rings]
    slope, intercept = (float(number) for number in np.polyfit(middle, mean_top, 1))
    sector = np.floor((bearing[used] + np.pi) / (2.0 * np.pi) * SECTORS).astype(np.int64) % SECTORS
    slopes = [
        np.polyfit(distance[used][sector == s], top[used][sector == s], 1)[0]
        for s in range(SECTORS)
        if np.unique(distance[used][sector == s]).size > 2
    ]
    error = float(np.std(slopes, ddof=1) / np.sqrt(len(slopes))) if len(slopes) > 1 else float("nan")
    cone, cone_error = _cone(position[used, :2], top[used], slope)
    return ConeAngle(
        angle=float(np.arctan(-slope)),
        standard_error=error / (1.0 + slope**2),
        cone_angle=float(np.arctan(-cone)),
        cone_error=cone_error / (1.0 + cone**2),
        distance=width * (np.flatnonzero(counts > 0).astype(np.float64) + 0.5),
        height=profile[counts > 0],
        intercept=intercept,
        fitted=(float(middle.min()), float(middle.max())),
        used_ids=sphere_id[used],
        grains_left=int(radius.size),
    )


def _surface_rows(distance: Floats, bearing: Floats, top: Floats, width: float) -> NDArray[np.int64]:
    """Rows of the highest grain of each cell."""
    ring = np.floor(distance / width).astype(np.int64)
    cells = np.maximum(1, np.round(2.0 * np.pi * (ring + 0.5))).astype(np.int64)
    cell = np.floor((bearing + np.pi) / (2.0 * np.pi) * cells).astype(np.int64) % cells
    order = np.lexsort((-top, cell, ring))
    key = ring[order] * (cells.max() + 1) + cell[order]
    return np.sort(order[np.flatnonzero(np.diff(key, prepend=-1))])


def _cone(position: Floats, top: Floats, slope: float) -> tuple[float, float]:
    """Slope of the cone z = h + s |(x, y) - (x0, y0)| through the grains, and its standard error."""
    from scipy.optimize import least_squares  # scipy is slow to import: only when measuring

    def misfit(cone: Floats) -> Floats:
        away = np.hypot(position[:, 0] - cone[2], position[:, 1] - cone[3])
        residual: Floats = cone[0] + cone[1] * away - top
        return residual

    fit = least_squares(misfit, [float(top.max()), slope, 0.0, 0.0], x_scale=[0.01, 0.1, 0.01, 0.01])
    variance = 2.0 * fit.cost / max(1, top.size - 4)
    covariance = variance * np.linalg.pinv(fit.jac.T @ fit.jac)
    return float(fit.x[1]), float(np.sqrt(covariance[1, 1]))
