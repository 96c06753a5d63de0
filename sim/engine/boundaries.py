"""Periodic boundaries: which dimensions are repeated, and images of points.

Each dimension is open or periodic by itself. In a periodic dimension everything is repeated at the distance of the
period, and a sphere that leaves the cell on one side enters it on the other. Positions are stored unwrapped: the
coordinate of this sphere passes the border and grows on. Its displacement, the work of its weight, friction springs,
bonds and members of bodies are therefore those of an open world. Only two places know of images
(repose.sim.engine.images): the search, in which each sphere is in the cell and is compared with the images of its
neighbours beyond the border, and the branch of a pair, which is the shortest one between two images. All else follows
from the branch.

Rejected: positions wrapped into the cell, with an image count per sphere. Coordinates then keep their last digits on
paths of any length, but each quantity that is not a difference of two positions needs the count. After a path of a
million radii the overlap of a contact, of a thousandth of a radius, has seven correct digits; a path is at most ten
times as long (repose.sim.experiment.faults.FARTHEST).

A world without a periodic dimension has an empty table `State.boundary`, and is stepped by code that does not contain
images (`Shapes.periodic`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import LOWEST, PERIOD, Floats

AXES = "xyz"
BOND_ROOM = 3.0
"""Least period over the length of a bond [-]."""
TO_WHOLE = 6755399441055744.0
"""3/2 2^52: a number of doubles above which only whole numbers exist. Added and subtracted again, it rounds to the
nearest whole number, in registers of any width."""


def inverse_period(period: Any) -> Any:
    """1/period [1/m], and 0 for an open dimension: then no difference is shortened."""
    return 1.0 / period if period > 0.0 else 0.0


def nearest(difference: Any, period: Any, inverse: Any) -> Any:
    """The difference of two coordinates [m] to the nearest image; unchanged if period and inverse are 0."""
    return difference - period * ((difference * inverse + TO_WHOLE) - TO_WHOLE)


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


def nearest_image(point: Floats, other: Floats, boundary: Floats) -> Floats:
    """The image of each `other` point that is nearest to a point [m], shape (n, dimension); the other points themselves
    in an open world."""
    return point - shortest_branch(point - other, boundary) if boundary.size else other


def images_beside(position: Floats, boundary: Floats, reach: float) -> tuple[NDArray[np.intp], Floats]:
    """The images of points in or near the cell, shape (n, dimension), that are beside it, up to `reach` [m] from its
    border: rows of the points, and places [m]."""
    rows, places = np.arange(len(position)), position
    for c in periodic_dimensions(boundary):
        low, high = boundary[LOWEST, c] - reach, boundary[LOWEST, c] + boundary[PERIOD, c] + reach
        found = [(rows, places)]
        for side in (-1.0, 1.0):
            moved = places.copy()
            moved[:, c] += side * boundary[PERIOD, c]
            near = (moved[:, c] >= low) & (moved[:, c] <= high)
            found.append((rows[near], moved[near]))
        rows, places = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return rows[len(position) :], places[len(position) :]


def with_images(position: Floats, boundary: Floats, reach: float) -> tuple[NDArray[np.intp], Floats]:
    """Points in the cell, shape (n, dimension), followed by their images up to `reach` [m] beside it: rows and places
    [m]; the points themselves in an open world."""
    rows = np.arange(len(position))
    if not boundary.size:
        return rows, position
    inside = in_cell(position, boundary)
    beside, places = images_beside(inside, boundary, reach)
    return np.concatenate((rows, beside)), np.concatenate((inside, places))
