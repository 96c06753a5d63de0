"""Periodic boundaries: images of spheres and points.

Each dimension is open or periodic by itself. In a periodic dimension everything is repeated at the distance of the
period, and a sphere that leaves the cell on one side enters it on the other. Positions are stored unwrapped: the
coordinate of this sphere passes the border and grows on. Its displacement, the work of its weight, friction springs,
bonds and members of bodies are therefore those of an open world. Only two places know of images: the search, in which
each sphere is in the cell and is compared with the images of its neighbours beyond the border (`image_of`), and the
branch of a pair, which is the shortest one between two images (`nearest_branch`). All else follows from the branch.

Rejected: positions wrapped into the cell, with an image count per sphere. Coordinates then keep their last digits on
paths of any length, but each quantity that is not a difference of two positions needs the count. After a path of a
million radii the overlap of a contact, of a thousandth of a radius, has seven correct digits.

A world without a periodic dimension has an empty table `State.boundary`, and is stepped by code that does not contain
images (`Shapes.periodic`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.contacts.wall_geometry import CYLINDER, PLANE
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.world import LOWEST, PERIOD, Floats

AXES = "xyz"
BOND_ROOM = 3.0
"""Least period over the length of a bond [-]."""
STRAIGHT = 1e-12
"""Largest component of a normal along a dimension to which a plane is parallel [-]."""
TO_WHOLE = 6755399441055744.0
"""3/2 2^52: a number of doubles above which only whole numbers exist. Added and subtracted again, it rounds to the
nearest whole number, in registers of any width."""


@compilable(forceinline=True)
def inverse_period(period):
    """1/period [1/m], and 0 for an open dimension: then no difference is shortened."""
    return 1.0 / period if period > 0.0 else 0.0


@compilable(forceinline=True)
def nearest(difference, period, inverse):
    """The difference of two coordinates [m] to the nearest image; unchanged if period and inverse are 0."""
    return difference - period * ((difference * inverse + TO_WHOLE) - TO_WHOLE)


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


def boundary_table(dimension: int, period: Floats | None = None, lowest: Floats | None = None) -> Floats:
    """`State.boundary` with these periods and lowest coordinates [m], of a length of `dimension`; a period of 0 leaves
    a dimension open. Without a periodic dimension the table is empty."""
    if period is None or not np.any(period):
        return np.zeros((2, 0))
    table = np.zeros((2, dimension))
    table[PERIOD] = period
    table[LOWEST] = np.where(table[PERIOD] > 0.0, 0.0 if lowest is None else lowest, 0.0)
    return table


def periodic_dimensions(boundary: Floats) -> NDArray[np.intp]:
    """The dimensions that are periodic."""
    return np.flatnonzero(boundary[PERIOD])


def flaw_of_room(boundary: Floats, distance: float) -> str:
    """What is wrong with periods if spheres act on each other up to this distance of their centres [m], as a sentence;
    empty if nothing is. A sphere must not touch two images of another one."""
    for c in periodic_dimensions(boundary):
        if not boundary[PERIOD, c] > 2.0 * distance:
            return (
                f"The period along {AXES[c]}, {boundary[PERIOD, c]:g} m, is too short: it must exceed "
                f"{2.0 * distance:g} m, twice the distance at which the two largest spheres touch."
            )
    return ""


def flaw_of_bonds(boundary: Floats, length: Floats) -> str:
    """What is wrong with bonds of these lengths [m], as a sentence; empty if nothing is. A bond must not be nearer to
    another image of its second sphere when it is stretched."""
    longest = float(np.max(length, initial=0.0))
    for c in periodic_dimensions(boundary):
        if not boundary[PERIOD, c] > BOND_ROOM * longest:
            return (
                f"A bond is {longest:g} m long, more than a third of the period along {AXES[c]}, "
                f"{boundary[PERIOD, c]:g} m: shorten the bond, or lengthen the period."
            )
    return ""


def flaw_of_bodies(boundary: Floats, extent: float) -> str:
    """What is wrong with a body whose members reach this far from its centre [m], as a sentence; empty if nothing is.
    Members of one body do not touch: it must not reach its own image."""
    for c in periodic_dimensions(boundary):
        if not boundary[PERIOD, c] > 2.0 * extent:
            return (
                f"A body with members up to {extent:g} m from its centre reaches its own image, at the period along "
                f"{AXES[c]} of {boundary[PERIOD, c]:g} m: lengthen the period."
            )
    return ""


def flaw_at_border(boundary: Floats, shape: NDArray[np.int64], corner: Floats) -> str:
    """What is wrong with walls that cross a periodic border, as a sentence; empty if nothing is. `shape` and `corner`
    as in `Walls`: a wall must be the same everywhere along a periodic dimension."""
    for c in periodic_dimensions(boundary):
        direction = np.abs(corner[:, 1, c]) if len(corner) else np.zeros(0)
        level = (shape == PLANE) & (direction <= STRAIGHT)
        along = (shape == CYLINDER) & (direction >= 1.0 - STRAIGHT)
        wrong = ~(level | along)
        if wrong.any():
            w = int(wrong.argmax())
            return (
                f"Wall {w} is refused: the world is periodic along {AXES[c]}, where a wall must be a plane parallel to "
                f"{AXES[c]} or a cylinder along it; give fixed spheres in its place, or leave {AXES[c]} open."
            )
    return ""


def in_cell(position: Floats, boundary: Floats) -> Floats:
    """The images in the cell of the world of these points [m], shape (n, dimension); the points themselves in an open
    world."""
    return position - images_of(position, boundary) * boundary[PERIOD] if boundary.size else position


def images_of(position: Floats, boundary: Floats) -> NDArray[np.int64]:
    """How many periods these points [m], shape (n, dimension), are away from the cell in each dimension."""
    if not boundary.size:
        return np.zeros(position.shape, np.int64)
    inverse = np.array([inverse_period(period) for period in boundary[PERIOD]])
    images: NDArray[np.int64] = np.floor((position - boundary[LOWEST]) * inverse).astype(np.int64)
    return images


def shortest_branch(branch: Floats, boundary: Floats) -> Floats:
    """The shortest vectors between images of two points [m], from the vectors between the points, shape (n,
    dimension)."""
    if not boundary.size:
        return branch
    inverse = np.array([inverse_period(period) for period in boundary[PERIOD]])
    shortest: Floats = nearest(branch, boundary[PERIOD], inverse)
    return shortest
