"""The nearest point of a wall: planes, triangles, cylinders."""

from __future__ import annotations

import math

from numba.extending import register_jitable

from sim import tables, vec
from sim.contact import TINY

PLANE, FACET, CYLINDER = range(3)


@register_jitable
def nearest_on_facet(a, b, c, x):
    """Point of the triangle a b c nearest to x (Ericson 2005, 5.1.5).

    With c = b it is the line from a to b: in the plane, a facet.
    """
    ab = vec.sub(b, a)
    ac = vec.sub(c, a)
    ax = vec.sub(x, a)
    d1 = vec.dot(ab, ax)
    d2 = vec.dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    bx = vec.sub(x, b)
    d3 = vec.dot(ab, bx)
    d4 = vec.dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return b
    on_ab = d1 * d4 - d3 * d2
    if on_ab <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return vec.add(a, vec.scale(d1 / (d1 - d3), ab))
    cx = vec.sub(x, c)
    d5 = vec.dot(ab, cx)
    d6 = vec.dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return c
    on_ac = d5 * d2 - d1 * d6
    if on_ac <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return vec.add(a, vec.scale(d2 / (d2 - d6), ac))
    on_bc = d3 * d6 - d5 * d4
    if on_bc <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return vec.add(b, vec.scale(share, vec.sub(c, b)))
    whole = on_ab + on_ac + on_bc
    return vec.add(a, vec.add(vec.scale(on_ac / whole, ab), vec.scale(on_ab / whole, ac)))


@register_jitable(forceinline=True)
def gap_to(shape, first, second, third, place):
    """Gap between a centre and a wall [m], and the normal towards the centre.

    `first`, `second`, `third` are the wall's corners (sim.state.Walls), `place` the centre relative to how far
    the wall has moved. The gap to a plane or a cylinder is negative once the centre has passed it: it is pushed
    back all the same.
    """
    if shape == FACET:
        nearest = nearest_on_facet(first, second, third, place)
        away = vec.sub(place, nearest)
        gap = math.sqrt(vec.dot(away, away))
        return gap, vec.scale(1.0 / max(gap, TINY), away)
    offset = vec.sub(place, first)
    along = vec.dot(offset, second)
    if shape == PLANE:
        return along, second
    outward = vec.sub(offset, vec.scale(along, second))
    radius = math.sqrt(vec.dot(outward, outward))
    side = third[1]
    return side * (third[0] - radius), vec.scale(-side / max(radius, TINY), outward)


@register_jitable(forceinline=True)
def approach(walls, w, x):
    """`gap_to` for wall w of the table and the centre x."""
    return gap_to(
        walls.shape[w],
        tables.entry(walls.corner, (w, 0), x),
        tables.entry(walls.corner, (w, 1), x),
        tables.entry(walls.corner, (w, 2), x),
        vec.sub(x, tables.row_at(walls.moved, w, x)),
    )
