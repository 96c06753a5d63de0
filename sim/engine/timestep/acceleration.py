"""The largest acceleration by fields, which bounds the speed of a sphere at the next check of the time step."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine import arrays, vector
from repose.sim.engine.fields import Sphere, sum_of
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.model import BoundField, Coefficients, Shapes
from repose.sim.engine.world import Floats, World


class MovableSpheres(NamedTuple):
    """The tables of `World` that fields read, under the same names."""

    motion: Floats
    inverse_mass: Floats
    own_mass: Floats
    radius: Floats
    sphere_id: NDArray[np.int64]


def field_acceleration(
    fields: tuple[BoundField, ...], shapes: Shapes, world: World, coefficients: Coefficients
) -> float:
    """Largest acceleration that these fields give to a sphere at rest at its present position [m/s²]; 0 without fields.

    Drag vanishes at rest: a moving sphere does not accelerate more.
    """
    if not fields:
        return 0.0
    tables = MovableSpheres(world.motion, world.inverse_mass, world.own_mass, world.radius, world.sphere_id)
    like = shapes._replace(material=(), reach=())
    return float(_compiled(fields, like)(tables, coefficients.fields, float(coefficients.time)))


@lru_cache(maxsize=16)
def _compiled(fields: tuple[BoundField, ...], shapes: Shapes) -> Any:
    return compiled(acceleration_loop(fields, shapes, fingerprint()))


def acceleration_loop(fields, shapes, source):
    """The loop over all spheres, as plain Python."""
    force = sum_of(fields).force

    def largest(tables, params, time):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        positions = arrays.level(tables.motion, 0, 0, shapes.position)
        highest = 0.0
        for i in range(tables.radius.size):
            if tables.inverse_mass[0, i] == 0.0:
                continue
            still = vector.scale(0.0, shapes.position)
            spin = vector.scale(0.0, shapes.spin)
            mass = tables.own_mass[i]
            sphere = Sphere(arrays.at(positions, i), still, spin, tables.radius[i], mass, tables.sphere_id[i])
            push = force(params, sphere, time).force
            highest = max(highest, math.sqrt(vector.dot(push, push)) / mass)
        return highest

    return largest
