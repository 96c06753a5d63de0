"""The nearest point of a wall: planes, triangles, cylinders."""

from __future__ import annotations

import math

from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import compilable
from repose.sim.engine.roots import TINY

PLANE, FACET, CYLINDER = range(3)

APART, NEAR, COVERED, ACTS = range(4)
"""State of a sphere and a wall: apart; within reach, not yet decided; covered by another facet; pushing."""


@compilable
def nearest_on_facet(a, b, c, x):
    """Point of the triangle a b c nearest to x (Ericson 2005, 5.1.5).

    With c = b the triangle is the line from a to b: a facet in the plane.
    """
    ab = vector.sub(b, a)
    ac = vector.sub(c, a)
    ax = vector.sub(x, a)
    d1 = vector.dot(ab, ax)
    d2 = vector.dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    bx = vector.sub(x, b)
    d3 = vector.dot(ab, bx)
    d4 = vector.dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return b
    on_ab = d1 * d4 - d3 * d2
    if on_ab <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return vector.add(a, vector.scale(d1 / (d1 - d3), ab))
    cx = vector.sub(x, c)
    d5 = vector.dot(ab, cx)
    d6 = vector.dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return c
    on_ac = d5 * d2 - d1 * d6
    if on_ac <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return vector.add(a, vector.scale(d2 / (d2 - d6), ac))
    on_bc = d3 * d6 - d5 * d4
    if on_bc <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return vector.add(b, vector.scale(share, vector.sub(c, b)))
    whole = on_ab + on_ac + on_bc
    return vector.add(a, vector.add(vector.scale(on_ac / whole, ab), vector.scale(on_ab / whole, ac)))


@compilable(forceinline=True)
def gap_to(shape, first, second, third, position):
    """Gap between a centre and a wall [m], and the normal from the wall to the centre.

    `first`, `second`, `third` are the entries of `repose.sim.engine.world.Walls.corner`; `position` is the centre minus
    the displacement of the wall. The gap to a plane or a cylinder is negative if the centre has passed the wall: the
    wall still pushes the sphere back.
    """
    if shape == FACET:
        nearest = nearest_on_facet(first, second, third, position)
        away = vector.sub(position, nearest)
        gap = math.sqrt(vector.dot(away, away))
        return gap, vector.scale(1.0 / max(gap, TINY), away)
    offset = vector.sub(position, first)
    along = vector.dot(offset, second)
    if shape == PLANE:
        return along, second
    outward = vector.sub(offset, vector.scale(along, second))
    radius = math.sqrt(vector.dot(outward, outward))
    side = third[1]
    return side * (third[0] - radius), vector.scale(-side / max(radius, TINY), outward)


@compilable(forceinline=True)
def approach(walls, w, x):
    """`gap_to` for wall w of the table and the centre x [m]."""
    return gap_to(
        walls.shape[w],
        arrays.read_entry(walls.corner, (w, 0), x),
        arrays.read_entry(walls.corner, (w, 1), x),
        arrays.read_entry(walls.corner, (w, 2), x),
        vector.sub(x, arrays.read_row(walls.moved, w, x)),
    )
