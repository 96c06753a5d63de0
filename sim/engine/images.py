"""Images of spheres in compiled code: the branch of a pair, and the spheres beyond a border in the search.

What is periodic, and what is not, is in `repose.sim.engine.boundaries`. `periodic_like` is `Shapes.periodic`: in a
world without a periodic dimension it is empty, and no function here leaves an instruction in the loop.
"""

from __future__ import annotations

import math

from repose.sim.engine.boundaries import inverse_period, nearest
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.world import LOWEST, PERIOD

for function in (inverse_period, nearest):
    compilable(function, forceinline=True)


def nearest_branch(branch, boundary, periodic_like):
    """The shortest vector between images of two points [m], from the vector between the points; `periodic_like` is
    `Shapes.periodic`."""
    if len(periodic_like) == 0:
        return branch
    periods = [float(boundary[PERIOD, c]) for c in range(len(branch))]
    return tuple(nearest(x, period, inverse_period(period)) for x, period in zip(branch, periods, strict=True))


@overload(nearest_branch)
def _nearest_branch(branch, boundary, periodic_like):
    def unchanged(branch, boundary, periodic_like):
        return branch

    def in_plane(branch, boundary, periodic_like):
        return (shortest(branch[0], boundary, 0), shortest(branch[1], boundary, 1))

    def in_space(branch, boundary, periodic_like):
        return (shortest(branch[0], boundary, 0), shortest(branch[1], boundary, 1), shortest(branch[2], boundary, 2))

    if len(periodic_like) == 0:
        return unchanged
    return in_plane if len(branch) == 2 else in_space


@compilable(forceinline=True)
def shortest(difference, boundary, c):
    """`nearest` in dimension c."""
    return nearest(difference, boundary[PERIOD, c], inverse_period(boundary[PERIOD, c]))


def periods_of(boundary, like, periodic_like):
    """Periods of all dimensions [m] and their inverse values [1/m], of the length of `like`; empty for an open
    world."""
    if len(periodic_like) == 0:
        return ()
    periods = tuple(float(boundary[PERIOD, c]) for c in range(len(like)))
    return periods, tuple(map(inverse_period, periods))


@overload(periods_of)
def _periods_of(boundary, like, periodic_like):
    def none(boundary, like, periodic_like):
        return ()

    def in_plane(boundary, like, periodic_like):
        x, y = boundary[PERIOD, 0], boundary[PERIOD, 1]
        return (x, y), (inverse_period(x), inverse_period(y))

    def in_space(boundary, like, periodic_like):
        x, y, z = boundary[PERIOD, 0], boundary[PERIOD, 1], boundary[PERIOD, 2]
        return (x, y, z), (inverse_period(x), inverse_period(y), inverse_period(z))

    if len(periodic_like) == 0:
        return none
    return in_plane if len(like) == 2 else in_space


def nearest_of_periods(branch, periods):
    """`nearest_branch` with the answer of `periods_of`."""
    return tuple(map(nearest, branch, *periods)) if len(periods) > 0 else branch


@overload(nearest_of_periods)
def _nearest_of_periods(branch, periods):
    def unchanged(branch, periods):
        return branch

    def in_plane(branch, periods):
        lengths, inverse = periods
        return (nearest(branch[0], lengths[0], inverse[0]), nearest(branch[1], lengths[1], inverse[1]))

    def in_space(branch, periods):
        lengths, inverse = periods
        return (
            nearest(branch[0], lengths[0], inverse[0]),
            nearest(branch[1], lengths[1], inverse[1]),
            nearest(branch[2], lengths[2], inverse[2]),
        )

    if len(periods) == 0:
        return unchanged
    return in_plane if len(branch) == 2 else in_space


@compilable(forceinline=True)
def coordinate_in_cell(x, boundary, c, periodic_like):
    """Coordinate c of the image in the cell of the world [m]."""
    if len(periodic_like) == 0:
        return x
    period = boundary[PERIOD, c]
    return x - period * math.floor((x - boundary[LOWEST, c]) * inverse_period(period))


def point_in_cell(point, boundary, periodic_like):
    """The image of a point in the cell of the world [m]."""
    return tuple(coordinate_in_cell(x, boundary, c, periodic_like) for c, x in enumerate(point))


@overload(point_in_cell)
def _point_in_cell(point, boundary, periodic_like):
    def unchanged(point, boundary, periodic_like):
        return point

    def in_plane(point, boundary, periodic_like):
        return (
            coordinate_in_cell(point[0], boundary, 0, periodic_like),
            coordinate_in_cell(point[1], boundary, 1, periodic_like),
        )

    def in_space(point, boundary, periodic_like):
        return (
            coordinate_in_cell(point[0], boundary, 0, periodic_like),
            coordinate_in_cell(point[1], boundary, 1, periodic_like),
            coordinate_in_cell(point[2], boundary, 2, periodic_like),
        )

    if len(periodic_like) == 0:
        return unchanged
    return in_plane if len(point) == 2 else in_space


@compilable(forceinline=True)
def place_of_image(image, c):
    """Number of periods by which an image is moved in dimension c: -1, 0 or 1. Images are counted in base three."""
    for _ in range(c):
        image //= 3
    return image % 3 - 1


@compilable(forceinline=True)
def moved_coordinate(x, boundary, image, c):
    """Coordinate c of an image [m]."""
    return x + place_of_image(image, c) * boundary[PERIOD, c]


def image_of(point, boundary, image):
    """An image of a point [m]."""
    return tuple(moved_coordinate(x, boundary, image, c) for c, x in enumerate(point))


@overload(image_of)
def _image_of(point, boundary, image):
    def in_plane(point, boundary, image):
        return (moved_coordinate(point[0], boundary, image, 0), moved_coordinate(point[1], boundary, image, 1))

    def in_space(point, boundary, image):
        return (
            moved_coordinate(point[0], boundary, image, 0),
            moved_coordinate(point[1], boundary, image, 1),
            moved_coordinate(point[2], boundary, image, 2),
        )

    return in_plane if len(point) == 2 else in_space


@compilable
def image_is_near(motion, i, boundary, image, across):
    """Whether an image of sphere i is another one than that in the cell, and is within `across` [m] of the cell."""
    moved = False
    for c in range(boundary.shape[1]):
        place = place_of_image(image, c)
        low, period = boundary[LOWEST, c], boundary[PERIOD, c]
        if place != 0:
            x = motion[c, 0, i]
            x = x - period * math.floor((x - low) * inverse_period(period)) + place * period
            if not (period > 0.0 and low - across <= x <= low + period + across):
                return False
            moved = True
    return moved


@compilable
def is_near_border(motion, i, boundary, across):
    """Whether sphere i is within `across` [m] of a periodic border: else it has no image near the cell."""
    for c in range(boundary.shape[1]):
        low, period = boundary[LOWEST, c], boundary[PERIOD, c]
        if period > 0.0:
            x = motion[c, 0, i] - low
            x -= period * math.floor(x * inverse_period(period))
            if x <= across or x >= period - across:
                return True
    return False
