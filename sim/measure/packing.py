"""Packing fraction: the fraction of a box that is filled by grains, and a box well inside the packing.

The part of each grain inside the box is computed exactly. The members of a rigid body overlap; each counts with the
fraction of its volume that belongs to it alone (`repose.sim.measure.grains`). As usual for soft grains, the lens of
overlap of two grains counts twice: about 0.4 (overlap/radius)² of a sphere, 0.4 (overlap/radius)^(3/2) of a disc. In
the plane the part has a closed form. In space it is the integral of this closed form over slices, z = z_0 + R sin t, by
Gauss–Legendre quadrature, for grains that the surface of the box cuts.

The box is the largest square or cube of cells that all belong to the packing (chessboard distance transform), reduced
by a diameter on all sides: it contains neither walls nor a free surface.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.engine.boundaries import periodic_dimensions, with_images
from repose.sim.engine.world import LOWEST, PERIOD, Floats, World
from repose.sim.measure.grains import UNIT, grain_radii, own_shares
from repose.sim.measure.measurement import System
from repose.sim.message import Message

PACKED = {2: 0.4, 3: 0.3}
"""Packing fraction above which a cell belongs to the packing [-]: half of the lowest value of discs and spheres at
rest."""

SMALLEST_BOX = 3.0
"""Edge of the smallest box that is used [mean diameters]."""

MOST_PLACES = 250_000
"""Largest number of cells; if grains are spread over more, the cells around the middle grain are used."""

BESIDE = 4.0
"""How far beside the cell of a periodic world the packing is continued, so that it does not end at the border [mean
diameters]."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
"""Positions and weights of the slices: the error of a cut grain is 4e-4 of its volume, that of a mean over many grains
1e-7."""


class Box(NamedTuple):
    """A box with edges along the axes."""

    lower: Floats
    """[m], shape (dimension,)."""
    upper: Floats
    """[m], shape (dimension,)."""


def box_in_packing(world: World) -> Box | None:
    """The largest box well inside the packing of the movable spheres; None if it is too small or spheres are bonded,
    since the stress of bonded spheres is that of the bonds.

    Of several equally large boxes the one nearest to the middle of the packing is used.
    """
    from scipy import ndimage  # scipy takes a third of a second to import: only when measuring

    if world.bonds and world.bonds.intact.any():
        return None
    moving = ~world.fixed
    dimension = world.dimension
    grains = grain_radii(world)
    if grains.size < SMALLEST_BOX**dimension / 2.0:
        return None
    edge = 2.0 * float(grains.mean())
    rows, places = with_images(world.motion[:dimension, 0, moving].T, world.boundary, BESIDE * edge)
    radius, shares = world.radius[moving][rows], own_shares(world)[moving][rows]
    position = np.floor(places.T / edge).astype(np.int64)
    middle = np.median(position, axis=1).astype(np.int64)
    reach = int(MOST_PLACES ** (1.0 / dimension)) // 2
    near = np.all(np.abs(position - middle[:, None]) < reach, axis=0)
    position, radius, share = position[:, near], radius[near], shares[near]
    first = position.min(axis=1)
    shape = tuple(position.max(axis=1) - first + 1)
    solid = UNIT[dimension] * (radius / edge) ** dimension * share
    row = np.ravel_multi_index(tuple(position - first[:, None]), shape)
    filled = np.bincount(row, solid, minlength=int(np.prod(shape))).reshape(shape)
    # A cell contains about one grain: the packing fraction is that of its neighbourhood.
    packed = ndimage.uniform_filter(filled, 3, mode="constant") > PACKED[dimension]
    depth = ndimage.distance_transform_cdt(np.pad(packed, 1), metric="chessboard")[(slice(1, -1),) * dimension]
    half = float(depth.max()) - 1.5
    if 2.0 * half < SMALLEST_BOX:
        return None
    deepest = np.argwhere(depth == depth.max())
    distance = np.sum((deepest - np.argwhere(packed).mean(axis=0)) ** 2, axis=1)
    centre = deepest[np.argmin(distance)] + first + 0.5
    lower, upper = (centre - half) * edge, (centre + half) * edge
    for c in periodic_dimensions(world.boundary):  # every place once
        low, high = world.boundary[LOWEST, c], world.boundary[LOWEST, c] + world.boundary[PERIOD, c]
        lower[c], upper[c] = max(lower[c], low), min(upper[c], high)
    return Box(lower, upper) if (upper > lower).all() else None


def packing_box(system: System) -> Box | None:
    """The present box well inside the packing of an experiment."""
    return box_in_packing(system.grains)


def packing_fraction(
    position: ArrayLike, radius: ArrayLike, lower: ArrayLike, upper: ArrayLike, share: ArrayLike = 1.0
) -> float:
    """Fraction of the box from `lower` to `upper` [m] inside spheres at `position` (count, dimension) [m].

    In the plane it is the fraction of the area inside discs. The volume of each sphere is multiplied by `share` [-],
    shape (count,). Raises ValueError for a box without volume.
    """
    position, radius = np.asarray(position, float), np.asarray(radius, float)
    share = np.broadcast_to(np.asarray(share, float), radius.shape)
    lower, upper = np.asarray(lower, float), np.asarray(upper, float)
    if not (upper > lower).all():
        raise ValueError(
            Message(
                "A box from {tolist} to {tolist2} m has no volume: give upper > lower.",
                tolist=lower.tolist(),
                tolist2=upper.tolist(),
            )
        )
    room = np.minimum(position - lower, upper - position).min(axis=1)
    whole, cut = room >= radius, np.abs(room) < radius
    dimension = len(lower)
    # Near an edge of the box `room` can select a sphere outside the box, whose part is then zero.
    complete = UNIT[dimension] * np.sum(radius[whole] ** dimension * share[whole])
    low, high = lower - position[cut], upper - position[cut]
    part = disc_in_rectangle(radius[cut], low, high) if dimension == 2 else sphere_in_box(radius[cut], low, high)
    return float((complete + (part * share[cut]).sum()) / np.prod(upper - lower))


def disc_in_rectangle(radius: Floats, low: Floats, high: Floats) -> Floats:
    """Area of discs about the origin inside their rectangles from `low` to `high`, each shape (..., 2)."""
    (x0, y0), (x1, y1) = np.moveaxis(low, -1, 0), np.moveaxis(high, -1, 0)
    return (
        area_below(radius, x1, y1)
        - area_below(radius, x0, y1)
        - area_below(radius, x1, y0)
        + area_below(radius, x0, y0)
    )


def area_below(radius: Floats, x: Floats, y: Floats) -> Floats:
    """Area of the disc left of x and below y.

    A column at u has the half height s = sqrt(R² - u²). Its length below y is y + s if |y| < s, that is for
    |u| < c = sqrt(R² - y²), and otherwise (1 + sign y) s, all of it or nothing. Both are integrated from -R to x.
    """
    x, y = np.clip(x, -radius, radius), np.clip(y, -radius, radius)
    c = np.sqrt(radius**2 - y**2)
    m = np.clip(x, -c, c)
    side = np.sign(y)
    everything = (1.0 + side) * (_half(radius, x) - _half(radius, -radius))
    area: Floats = everything - side * (_half(radius, m) - _half(radius, -c)) + y * (m + c)
    return area


def _half(radius: Floats, u: Floats) -> Floats:
    """Integral of sqrt(R² - u²)."""
    value: Floats = 0.5 * (u * np.sqrt(np.maximum(radius**2 - u**2, 0.0)) + radius**2 * np.arcsin(u / radius))
    return value


def sphere_in_box(radius: Floats, low: Floats, high: Floats) -> Floats:
    """Volume of spheres about the origin inside their boxes from `low` to `high`, each shape (count, 3)."""
    begin = np.arcsin(np.clip(low[:, 2] / radius, -1.0, 1.0))
    end = np.arcsin(np.clip(high[:, 2] / radius, -1.0, 1.0))
    angle = 0.5 * (begin + end)[:, None] + 0.5 * (end - begin)[:, None] * NODES
    # A slice of thickness R cos t dt has the radius R cos t.
    slice_radius = radius[:, None] * np.cos(angle)
    slices = disc_in_rectangle(slice_radius, low[:, None, :2], high[:, None, :2])
    volume: Floats = 0.5 * (end - begin) * np.sum(WEIGHTS * slices * slice_radius, axis=1)
    return volume
