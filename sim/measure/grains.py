"""Grains of a world: every loose sphere and every rigid body is one grain."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats, World

POINTS = 4000
"""Number of sample points per member for the volume share that belongs to it alone: an error of 1e-3."""
SAME = 1e-6
"""Bodies whose members differ by less than this fraction of the largest radius have equal shapes [-]."""
UNIT = {2: np.pi, 3: 4.0 / 3.0 * np.pi}
"""Area of a disc, and volume of a ball, of radius 1."""


def sums_over_grains(world: World, values: Floats) -> Floats:
    """Sums of `values`, shape (spheres,), over the spheres of each grain that can move, shape (grains,)."""
    moving = ~world.fixed
    if not world.bodies:
        return values[moving]
    body = world.body
    member = moving & (body >= 0)
    numbers, row = np.unique(body[member], return_inverse=True)
    return np.concatenate([values[moving & ~member], np.bincount(row, values[member], minlength=numbers.size)])


def with_fixed(world: World, machines: tuple[int, ...]) -> World:
    """The world in which the rigid bodies of these rows are fixed, as walls are, for measurements over grains; other
    tables are shared."""
    if not machines:
        return world
    rows, inverse, of_bodies = list(machines), world.inverse_mass.copy(), world.bodies.inverse_mass.copy()
    inverse[:, np.isin(world.body, rows)] = of_bodies[:, rows] = 0.0
    return world._replace(inverse_mass=inverse, bodies=world.bodies._replace(inverse_mass=of_bodies))


class MovableGrains(NamedTuple):
    """Every grain that can move, in the order of `sums_over_grains`."""

    ids: NDArray[np.int64]
    """Id of the sphere, or of the first member of the body, shape (grains,)."""
    position: Floats
    """Centres of mass [m], not wrapped in a periodic world, shape (grains, dimension)."""
    mass: Floats
    """[kg], shape (grains,)."""


def movable_grains(world: World) -> MovableGrains:
    """The grains that can move, a copy."""
    moving, dimension = ~world.fixed, world.dimension
    loose = moving & (world.body < 0) if world.bodies else moving
    ids, position = world.sphere_id[loose], world.motion[:dimension, 0, loose].T
    if world.bodies:
        numbers = np.unique(world.body[moving & ~loose])
        ids = np.concatenate([ids, world.bodies.body_id[numbers]])
        position = np.concatenate([position, world.bodies.motion[:dimension, 0, numbers].T])
    return MovableGrains(ids, np.ascontiguousarray(position), sums_over_grains(world, world.own_mass))


def grain_count(world: World) -> int:
    """Number of grains that can move."""
    return int(sums_over_grains(world, world.radius).size)


def grain_radii(world: World) -> Floats:
    """Radius of the sphere (in the plane the disc) of equal volume, for each movable grain [m], shape (grains,)."""
    if not world.bodies:
        return world.radius[~world.fixed]
    dimension = world.dimension
    radii: Floats = sums_over_grains(world, own_shares(world) * world.radius**dimension) ** (1.0 / dimension)
    return radii


def own_shares(world: World) -> Floats:
    """Fraction of the volume (in the plane the area) of each sphere that belongs to it alone [-], shape (count,).

    1 for a loose sphere. In an overlap of members of a body, a point belongs to the member with the smallest power
    distance |x - c|² - R²: the volumes of the members times their fractions add up to the volume of their union.
    """
    share = np.ones(world.sphere_count)
    if not world.bodies:
        return share
    bodies = world.bodies
    numbers = np.diff(bodies.begin)
    for members in np.unique(numbers):
        which = bodies.begin[:-1][numbers == members]
        rows = bodies.member[which[:, None] + np.arange(members)].astype(np.int64)
        radius = world.radius[rows]
        shapes = np.concatenate([np.moveaxis(bodies.offset[:, rows], 0, -1), radius[..., None]], axis=2)
        shapes /= radius.max(axis=1)[:, None, None]
        whole = np.round(shapes / SAME).astype(np.int64).reshape(len(rows), -1)
        kinds, kind = np.unique(whole, axis=0, return_inverse=True)
        for number, of_kind in enumerate(kinds):
            share[rows[kind.ravel() == number]] = _shares(of_kind.tobytes(), int(members))
    return share


@lru_cache(maxsize=256)
def _shares(shape: bytes, members: int) -> Floats:
    """`own_shares` of the members of one shape: centres and radii in units of `SAME`."""
    table = SAME * np.frombuffer(shape, np.int64).reshape(members, -1)
    centre, radius = table[:, :-1], table[:, -1]
    points = _points_in_ball(centre.shape[1])
    share = np.ones(members)
    for k in range(members):
        distance = np.sqrt(((centre - centre[k]) ** 2).sum(axis=1))
        near = np.flatnonzero((distance < radius + radius[k]) & (np.arange(members) != k))
        position = radius[k] * points
        own = (position**2).sum(axis=1)[:, None] - radius[k] ** 2
        other = ((position[:, None] - (centre[near] - centre[k])) ** 2).sum(axis=2) - radius[near] ** 2
        # Of two equal spheres at one position the first gets the whole volume.
        mine = (own < other) | ((own == other) & (k < near))
        share[k] = mine.all(axis=1).mean()
    return share


@lru_cache(maxsize=2)
def _points_in_ball(dimension: int) -> Floats:
    """Evenly distributed points in a ball (in the plane a disc) of radius 1, shape (POINTS, dimension): a lattice of
    rank 1 whose steps are powers of the root of x^(d+1) = x + 1 (M. Roberts, 2018)."""
    root = {2: 1.3247179572447458, 3: 1.2207440846057596}[dimension]
    lattice = (0.5 + np.arange(POINTS)[:, None] * root ** -np.arange(1.0, dimension + 1.0)) % 1.0
    radius = lattice[:, :1] ** (1.0 / dimension)
    angle = 2.0 * np.pi * lattice[:, 1]
    flat = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if dimension == 2:
        disc: Floats = radius * flat
        return disc
    height = 2.0 * lattice[:, 2:] - 1.0
    ball: Floats = radius * np.concatenate([np.sqrt(1.0 - height**2) * flat, height], axis=1)
    return ball
