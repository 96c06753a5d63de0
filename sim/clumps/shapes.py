"""The library of shapes: triangles where the surface is flat, elsewhere a function that is positive inside.

The unit of length is arbitrary for each shape; a body scales it. The functions need not be distances: only their zeros
are used, and the functions must be smooth near them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.message import Message, _


class Shape(NamedTuple):
    """One shape."""

    name: str
    words: Message
    half: tuple[float, float, float]
    """Half the edges of its box about the origin."""
    triangles: Floats | None = None
    """Shape (triangles, 3, 3), anticlockwise seen from outside."""
    inside: Callable[[Floats, Floats, Floats], Floats] | None = None
    """Positive inside, at x, y, z."""


def _ball(x: Floats, y: Floats, z: Floats, centre: tuple[float, float, float], radius: float) -> Floats:
    return radius - np.sqrt((x - centre[0]) ** 2 + (y - centre[1]) ** 2 + (z - centre[2]) ** 2)


def _capsule(
    x: Floats,
    y: Floats,
    z: Floats,
    begin: tuple[float, float, float],
    end: tuple[float, float, float],
    first: float,
    last: float,
) -> Floats:
    """A rod with round ends from `begin` to `end`, whose radius changes from `first` to `last`."""
    along = np.subtract(end, begin)
    length = float(along @ along)
    share = ((x - begin[0]) * along[0] + (y - begin[1]) * along[1] + (z - begin[2]) * along[2]) / length
    share = np.clip(share, 0.0, 1.0)
    away = [axis - begin[c] - share * along[c] for c, axis in enumerate((x, y, z))]
    inside: Floats = first + share * (last - first) - np.sqrt(away[0] ** 2 + away[1] ** 2 + away[2] ** 2)
    return inside


def _joined(a: Floats, b: Floats, round_: float) -> Floats:
    """Union of two bodies with a fillet of about this radius (smooth maximum by a polynomial)."""
    blend = np.maximum(round_ - np.abs(a - b), 0.0) / round_
    return np.maximum(a, b) + 0.25 * round_ * blend**2


def _ellipsoid(x: Floats, y: Floats, z: Floats) -> Floats:
    return 1.0 - np.sqrt((x / 3.0) ** 2 + (y / 2.0) ** 2 + z**2)


def _torus(x: Floats, y: Floats, z: Floats) -> Floats:
    return 1.0 - np.sqrt((np.sqrt(x**2 + y**2) - 3.0) ** 2 + z**2)


def _rod(x: Floats, y: Floats, z: Floats) -> Floats:
    return _capsule(x, y, z, (-3.0, 0.0, 0.0), (3.0, 0.0, 0.0), 1.0, 1.0)


def _dumbbell(x: Floats, y: Floats, z: Floats) -> Floats:
    rod = _capsule(x, y, z, (-2.0, 0.0, 0.0), (2.0, 0.0, 0.0), 0.4, 0.4)
    return np.maximum(rod, np.maximum(_ball(x, y, z, (-2.0, 0.0, 0.0), 1.0), _ball(x, y, z, (2.0, 0.0, 0.0), 1.0)))


def _peanut(x: Floats, y: Floats, z: Floats) -> Floats:
    return _joined(_ball(x, y, z, (-0.7, 0.0, 0.0), 1.0), _ball(x, y, z, (0.7, 0.0, 0.0), 1.0), 0.5)


CORNERS = tuple(
    tuple(c / math.sqrt(3.0) for c in corner)
    for corner in ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0))
)
"""Directions from the centre of a tetrahedron to its corners."""


def _four_arms(x: Floats, y: Floats, z: Floats, first: float, last: float, round_: float) -> Floats:
    """Arms of the length 2 from one point, whose radius changes from `first` to `last`."""
    arms = [_capsule(x, y, z, (0.0, 0.0, 0.0), (2.0 * c[0], 2.0 * c[1], 2.0 * c[2]), first, last) for c in CORNERS]
    whole = arms[0]
    for arm in arms[1:]:
        whole = _joined(whole, arm, round_)
    return whole


def _tetrapod(x: Floats, y: Floats, z: Floats) -> Floats:
    return _four_arms(x, y, z, 0.65, 0.45, 0.3)


def _caltrop(x: Floats, y: Floats, z: Floats) -> Floats:
    return _four_arms(x, y, z, 0.25, 0.25, 0.1)


def _vertebra(x: Floats, y: Floats, z: Floats) -> Floats:
    """Round body in front (x > 0), arch around the canal, one spinous, two transverse, four articular processes."""
    x = x - 0.56
    waist = 1.0 - 0.12 * np.cos(np.clip(1.1 * z, -1.5, 1.5))  # the body is narrower between its two plates
    body = np.minimum(waist - np.sqrt(((x - 1.2) / 1.15) ** 2 + (y / 1.45) ** 2), 0.95 - np.abs(z))
    arch = 0.3 - np.sqrt((np.sqrt((x + 0.55) ** 2 + y**2) - 0.95) ** 2 + (0.55 * z) ** 2)
    whole = _joined(body, arch, 0.3)
    side = np.abs(y)
    spinous = _capsule(x, y, z, (-1.4, 0.0, -0.05), (-3.1, 0.0, -0.6), 0.26, 0.3)
    transverse = _capsule(x, side, z, (-0.6, 0.9, 0.1), (-0.95, 2.4, 0.25), 0.28, 0.24)
    articular = _capsule(x, side, np.abs(z), (-0.85, 0.95, 0.0), (-0.9, 1.0, 0.95), 0.28, 0.28)
    for part in (spinous, transverse, articular):
        whole = _joined(whole, part, 0.25)
    canal = np.sqrt((x + 0.5) ** 2 + y**2) - 0.62
    return np.minimum(whole, canal)


def _cube() -> Floats:
    corner = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    rows = [half for f in faces for half in ((f[0], f[1], f[2]), (f[0], f[2], f[3]))]
    triangles: Floats = corner[np.array(rows)]
    return triangles


def _tetrahedron() -> Floats:
    corner = np.array(CORNERS)
    triangles: Floats = corner[np.array([(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)])]
    return triangles


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("ball", _("ball"), (1.0, 1.0, 1.0), inside=lambda x, y, z: _ball(x, y, z, (0.0, 0.0, 0.0), 1.0)),
        Shape("cube", _("cube"), (1.0, 1.0, 1.0), triangles=_cube()),
        Shape("ellipsoid", _("ellipsoid with the axes 3 : 2 : 1"), (3.0, 2.0, 1.0), inside=_ellipsoid),
        Shape("tetrahedron", _("regular tetrahedron"), (1.0 / math.sqrt(3.0),) * 3, triangles=_tetrahedron()),
        Shape("torus", _("torus with the radii 3 and 1"), (4.0, 4.0, 1.0), inside=_torus),
        Shape("rod", _("rod with round ends, four times as long as thick"), (4.0, 1.0, 1.0), inside=_rod),
        Shape("dumbbell", _("two balls on a rod"), (3.0, 1.0, 1.0), inside=_dumbbell),
        Shape("peanut", _("two balls grown together"), (1.7, 1.0, 1.0), inside=_peanut),
        Shape("tetrapod", _("four arms from one point"), (1.605, 1.605, 1.605), inside=_tetrapod),
        Shape("caltrop", _("tetrapod with slender arms"), (1.405, 1.405, 1.405), inside=_caltrop),
        Shape("vertebra", _("vertebra with canal and processes"), (2.84, 2.64, 1.23), inside=_vertebra),
    )
}
"""All shapes by name."""
