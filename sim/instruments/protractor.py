"""A protractor: the angle between two arms."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed, Point, Points
from repose.sim.measure.measurement import System
from repose.sim.message import _

ARC, ARC_POINTS = 0.5, 25
"""Radius of the arc [lengths of the shorter arm], and its number of points."""


def arms_of(points: Points) -> tuple[Floats, Floats]:
    """The vectors from the vertex to the ends of both arms [m]."""
    vertex, first, second = np.array(points)
    return first - vertex, second - vertex


def angle_of(points: Points) -> float:
    """The angle between the arms [rad]: atan2 of the lengths of the cross and the dot product, exact at 0 and 180°."""
    first, second = arms_of(points)
    dot = float(first @ second)
    area = math.sqrt(max(float(first @ first) * float(second @ second) - dot * dot, 0.0))
    if first.size == 2:
        area = abs(float(first[0] * second[1] - first[1] * second[0]))
    return math.atan2(area, dot)


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """The angle [rad]."""
    return (angle_of(instrument.points),)


def begin(start: Point, end: Point, axis: int | None, depth: tuple[float, float]) -> Points:
    """The drag is the first arm; the second one is horizontal, to the same side."""
    level = 1 if axis == 0 else 0
    length = math.copysign(math.dist(start, end), end[level] - start[level])
    return start, end, tuple(x + length if c == level else x for c, x in enumerate(start))


def outline(points: Points) -> list[Floats]:
    """Both arms and the arc between them."""
    vertex, first, second = np.array(points)
    arms = [np.array((first, vertex, second))]
    along, other = arms_of(points)
    sizes = np.linalg.norm(along), np.linalg.norm(other)
    if not min(sizes) > 0.0:
        return arms
    along, other = along / sizes[0], other / sizes[1]
    across = other - (other @ along) * along
    size = float(np.linalg.norm(across))
    if size < 1e-9:  # no plane contains the arc
        return arms
    turn = np.linspace(0.0, angle_of(points), ARC_POINTS)[:, None]
    arc = vertex + ARC * min(sizes) * (np.cos(turn) * along + np.sin(turn) * across / size)
    return [*arms, arc]


INSTRUMENT = InstrumentKind(
    "protractor",
    _("Protractor"),
    40,
    _(
        "Drag from the vertex along one arm: the angle to the horizontal. The second arm can then be moved. In space "
        "both are in a plane through the middle of the scene."
    ),
    lambda dimension: (InstrumentQuantity("angle", _("angle"), "θ", "°", math.pi / 180.0),),
    read,
    {2: 3, 3: 3},
    shortest=0.01,
    begin=begin,
    outline=outline,
    of_points=lambda points: (angle_of(points),),
)
