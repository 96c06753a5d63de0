"""A line that grains cross; in space a flat section, drawn as a line and as deep as the scene.

A grain has crossed where the straight way of its centre between two looks meets the section. The looks are the checks,
every `CHECK_STEPS` steps of the run: the count is the same for every batch, in a replay and after loading, and the
number of grains on one side of a section through the whole container changes by exactly this number. A grain that
crosses and comes back between two looks, about one contact duration, counts as not crossed.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import images_of, periodic_dimensions
from repose.sim.engine.world import PERIOD, Floats
from repose.sim.instruments.instrument import (
    Instrument,
    InstrumentKind,
    InstrumentQuantity,
    Passed,
    Point,
    Points,
    shifted,
)
from repose.sim.measure.measurement import System
from repose.sim.message import _

ARROW = 0.12
"""Length of the arrow in the positive direction [lengths of the line]."""


def edges_of(points: Points) -> tuple[Floats, Floats, Floats]:
    """The vectors from the first point along the line, normal to the section in the positive direction, and in space
    into its depth [m]; the third one is empty in the plane. Positive is from left to right of the line as it is drawn:
    downwards through a line from left to right."""
    start, end = np.array(points[0]), np.array(points[1])
    along = end - start
    if along.size == 2:
        return along, np.array((along[1], -along[0])), np.empty(0)
    into = np.array(points[2]) - start
    return along, np.cross(into, along), into


def crossings(instrument: Instrument, before: Floats, now: Floats, boundary: Floats) -> NDArray[np.int64]:
    """How often each grain has crossed the section, with sign, shape (grains,)."""
    count = np.zeros(len(now), np.int64)
    if not boundary.size:
        _add_crossings(count, instrument.points, before, now)
        return count
    wrapped = images_of(before, boundary) * boundary[PERIOD]  # the way begins in the cell and can leave it
    periods = [(-1, 0, 1) if c in periodic_dimensions(boundary) else (0,) for c in range(now.shape[1])]
    for images in itertools.product(*periods):
        shift = wrapped - np.array(images) * boundary[PERIOD]
        _add_crossings(count, instrument.points, before - shift, now - shift)
    return count


def _add_crossings(count: NDArray[np.int64], points: Points, before: Floats, now: Floats) -> None:
    along, normal, into = edges_of(points)
    corner = np.array(points[0])
    was, behind = (before - corner) @ normal, (now - corner) @ normal
    rows = np.flatnonzero((was >= 0.0) != (behind >= 0.0))
    if not rows.size:
        return
    share = was[rows] / (was[rows] - behind[rows])
    at = before[rows] - corner + share[:, None] * (now[rows] - before[rows])
    square = float(normal @ normal)
    # Where the way meets the section, in units of its edges; an end belongs to the section, the other one does not.
    if into.size:
        places = [-(np.cross(at, into) @ normal) / square, np.cross(at, along) @ normal / square]
    else:
        places = [at @ along / square]
    inside = np.logical_and.reduce([(place >= 0.0) & (place < 1.0) for place in places])
    count[rows[inside]] += np.where(behind[rows[inside]] >= 0.0, 1, -1)


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """Number and mass of the grains that have passed."""
    return float(passed.number), passed.mass


def begin(start: Point, end: Point, axis: int | None, depth: tuple[float, float]) -> Points:
    """The line of a drag; in space the section from the front to the back of the scene."""
    if axis is None:
        return start, end

    def at(point: Point, place: float) -> Point:
        return tuple(place if c == axis else x for c, x in enumerate(point))

    return at(start, depth[0]), at(end, depth[0]), at(start, depth[1])


def outline(points: Points) -> list[Floats]:
    """The line or the edges of the section, and an arrow in the positive direction."""
    along, normal, into = edges_of(points)
    start = np.array(points[0])
    end = start + along
    lines = [np.array((start, end))]
    middle = start + 0.5 * along
    if into.size:
        lines = [np.array((start, end, end + into, start + into, start))]
        middle = middle + 0.5 * into
    upright = np.linalg.norm(normal)
    if upright == 0.0:  # a drag along the border of the region, which holds both ends at one place
        return lines
    tip = middle + ARROW * np.linalg.norm(along) * normal / upright
    barb = 0.3 * (middle - tip)
    side = 0.2 * ARROW * along
    return [*lines, np.array((middle, tip)), np.array((tip + barb + side, tip, tip + barb - side))]


def handles(points: Points) -> Points:
    """The ends; in space the middles of the short edges."""
    half = tuple(0.5 * float(x) for x in edges_of(points)[2]) or (0.0,) * len(points[0])
    return shifted(points[0], half), shifted(points[1], half)


def drag(points: Points, handle: int, by: Point) -> Points:
    """The section with one end moved, and as deep as before."""
    moved = [shifted(point, by) if number == handle else point for number, point in enumerate(points[:2])]
    into = edges_of(points)[2]
    return (*moved, shifted(moved[0], tuple(map(float, into)))) if into.size else tuple(moved)


def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
    """Grains and mass that have passed, and their rates."""
    return (
        InstrumentQuantity("number", _("grains passed"), "N", tab="N"),
        InstrumentQuantity("mass", _("mass passed"), "M", "g", 1e-3, tab="M"),
        InstrumentQuantity("number_rate", _("flux of grains"), "W", "1/s", tab="N", rate_of="number"),
        InstrumentQuantity("mass_rate", _("flux of mass"), "W_m", "g/s", 1e-3, tab="M", rate_of="mass"),
    )


INSTRUMENT = InstrumentKind(
    "line",
    _("Line"),
    10,
    _(
        "Drag a line: it counts the grains whose centres cross it, positive in the direction of its arrow, and their "
        "mass. In space it is a section as deep as the scene."
    ),
    quantities,
    read,
    {2: 2, 3: 3},
    count=crossings,
    begin=begin,
    outline=outline,
    handles=handles,
    drag=drag,
)
