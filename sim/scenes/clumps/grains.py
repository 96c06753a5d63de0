"""The clumps that are poured: their members for the volume of a ball of radius 1, and such a body of any size."""

from __future__ import annotations

import math
import os
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.clump import Clump, MassProperties, mass_properties
from repose.sim.clumps.clump_file import read_clump
from repose.sim.clumps.fitted import fitted_clump
from repose.sim.engine.body_builder import BodyShape, body_shape
from repose.sim.engine.world import Floats
from repose.sim.parameters import ParameterError

CELLS = 48
"""Cells along the longest edge of a body of the library."""
MOST_MEMBERS = 200
"""Largest number of spheres of a clump that is poured."""
BALL = 4.0 / 3.0 * math.pi
"""Volume of a ball of radius 1."""


class Grain(NamedTuple):
    """A clump with the volume of a ball of radius 1, about its centre of mass."""

    members: tuple[tuple[float, float, float, float], ...]
    """Centre and radius of each [radii of that ball]."""
    inertia: tuple[tuple[float, float, float], ...]
    """Tensor of inertia for the density 1."""

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
    inertia = scale**5 * mass.inertia
    return Grain(tuple((x, y, z, r) for x, y, z, r in rows.tolist()), tuple((a, b, c) for a, b, c in inertia.tolist()))


@lru_cache(maxsize=32)
def grain_of_shape(name: str, members: int) -> Grain:
    """At most so many spheres fitted to a shape of the library."""
    body = body_of_shape(name, CELLS, 1.0)
    clump = fitted_clump(body, members)
    return grain_of(clump, mass_properties(clump, body.field.step))


def grain_of_file(path: str) -> Grain:
    """The clump in a file; raises `ParameterError`, also for one with more than `MOST_MEMBERS`."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return _read(path, (0, 0))  # which says what is wrong
    return _read(path, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=4)
def _read(path: str, stamp: tuple[int, int]) -> Grain:
    read = read_clump(path)
    if len(read.clump.radius) > MOST_MEMBERS:
        raise ParameterError(
            f"Clump file {path!r} has {len(read.clump.radius)} spheres, at most {MOST_MEMBERS} are poured; make it "
            "again with fewer."
        )
    return grain_of(read.clump, read.mass)


def shape_of(grain: Grain, radius: float, density: float) -> BodyShape:
    """The body with the volume of a ball of this radius [m] and of this density [kg/m³]."""
    members = radius * np.array(grain.members)
    inertia = density * radius**5 * np.array(grain.inertia)
    return body_shape(members[:, :3], members[:, 3], density * BALL * radius**3, inertia, np.zeros(3))


def random_orientations(count: int, generator: np.random.Generator) -> Floats:
    """Unit quaternions of uniformly distributed rotations, shape (count, 4)."""
    found = generator.normal(size=(count, 4))
    unit: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit
