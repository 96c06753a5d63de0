"""Grains that are clumps: one shape for the volume of a ball of radius 1 (in the plane the area of a disc), and rigid
bodies of any size of it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from repose.sim.clumps.clump import Clump, MassProperties
from repose.sim.engine.body_builder import BodyShape, add_bodies, body_shape, most_easily_moved
from repose.sim.engine.builder import SphereGroup
from repose.sim.engine.world import Floats, World

BALL = 4.0 / 3.0 * math.pi
"""Volume of a ball of radius 1."""


class Grain(NamedTuple):
    """A clump with the volume (in the plane area) of a ball of radius 1, about its centre of mass."""

    members: tuple[tuple[float, float, float, float], ...]
    """Centre and radius of each [radii of that ball]."""
    inertia: tuple[tuple[float, float, float], ...]
    """Tensor of inertia over the mass [squares of that radius]; in the plane only the last entry counts."""

    @property
    def reach(self) -> float:
        """Radius of the ball about the centre of mass that contains the clump."""
        return max(math.hypot(x, y, z) + r for x, y, z, r in self.members)

    @property
    def sphericity(self) -> float:
        """Radius of the largest member over that of the ball that contains the clump [-]."""
        return max(r for *_, r in self.members) / self.reach


def grain_of(clump: Clump, mass: MassProperties) -> Grain:
    """The clump moved to its centre of mass and scaled to the volume of a ball of radius 1."""
    scale = (BALL / mass.volume) ** (1.0 / 3.0)
    rows = np.column_stack([scale * (clump.centre - mass.centre), scale * clump.radius])
    inertia = scale**2 * 0.5 * (mass.inertia + mass.inertia.T) / mass.volume
    return Grain(tuple((x, y, z, r) for x, y, z, r in rows.tolist()), tuple((a, b, c) for a, b, c in inertia.tolist()))


def shape_of(grain: Grain, radius: float, mass: float, dimension: int = 3) -> BodyShape:
    """The body with the volume (in the plane area) of a ball of this radius [m], and of this mass [kg]."""
    members = radius * np.array(grain.members)
    inertia = mass * radius**2 * np.array(grain.inertia)
    turning = inertia if dimension == 3 else inertia[2, 2]
    return body_shape(members[:, :dimension], members[:, 3], mass, turning, np.zeros(dimension))


@lru_cache(maxsize=32)
def smallest_moved_mass(grain: Grain, radius: float, mass: float, dimension: int) -> float:
    """Smallest force over acceleration of a member of this clump for a normal force [kg]; as `shape_of`."""
    return 1.0 / float(most_easily_moved(shape_of(grain, radius, mass, dimension))[0].max())


def random_orientations(count: int, generator: np.random.Generator, dimension: int = 3) -> Floats:
    """Unit quaternions of uniformly distributed rotations, shape (count, 4); in the plane angles [rad], shape
    (count,)."""
    if dimension == 2:
        angles: Floats = generator.uniform(0.0, 2.0 * math.pi, count)
        return angles
    result = generator.normal(size=(count, 4))
    unit: Floats = result / np.linalg.norm(result, axis=1, keepdims=True)
    return unit


def add_grains(
    world: World,
    grain: Grain,
    radii: Floats,
    masses: Floats,
    position: Floats,
    group: SphereGroup,
    orientation: Floats,
    velocity: ArrayLike = 0.0,
) -> World:
    """The world with bodies of one shape appended, one size after the other from the smallest. `radii` [m] are those of
    balls of their volume, `masses` [kg] belong to them; other arguments as for `add_bodies`, one row per body."""
    first_id = group.first_id
    for radius in np.unique(radii):
        rows = np.flatnonzero(radii == radius)
        world = add_bodies(
            world,
            shape_of(grain, float(radius), float(masses[rows[0]]), world.dimension),
            position[rows],
            group._replace(first_id=first_id),
            orientation=orientation[rows],
            velocity=velocity,
        )
        first_id += rows.size * len(grain.members)
    return world
