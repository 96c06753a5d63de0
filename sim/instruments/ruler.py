"""A ruler: the distance of two points."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed, Points
from repose.sim.measure.measurement import System
from repose.sim.message import _

TICK = 0.04
"""Length of the mark at each end [lengths of the ruler]."""


def lengths_of(points: Points) -> tuple[float, ...]:
    """Distance, its horizontal and vertical part [m], and the slope against the horizontal [rad]."""
    along = np.subtract(points[1], points[0])
    across = float(np.linalg.norm(along[:-1]))
    upright = abs(float(along[-1]))
    return float(np.linalg.norm(along)), across, upright, math.atan2(upright, across)


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """The lengths and the slope."""
    return lengths_of(instrument.points)


def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
    """What a ruler reads."""
    return (
        InstrumentQuantity("distance", _("distance"), "d", "mm", 1e-3),
        InstrumentQuantity("across", _("horizontal distance"), "Δx", "mm", 1e-3),
        InstrumentQuantity("upright", _("vertical distance"), "Δy" if dimension == 2 else "Δz", "mm", 1e-3),
        InstrumentQuantity("slope", _("slope"), "α", "°", math.pi / 180.0),
    )


def outline(points: Points) -> list[Floats]:
    """The line, in the plane with a mark at each end."""
    start, end = np.array(points)
    lines = [np.array((start, end))]
    if start.size == 2:
        tick = TICK * np.array((start[1] - end[1], end[0] - start[0]))
        lines += [np.array((place - tick, place + tick)) for place in (start, end)]
    return lines


INSTRUMENT = InstrumentKind(
    "ruler",
    _("Ruler"),
    30,
    _("Drag from one point to another: their distance. In space both are in a plane through the middle of the scene."),
    quantities,
    read,
    {2: 2, 3: 2},
    shortest=0.01,
    outline=outline,
    of_points=lengths_of,
)
