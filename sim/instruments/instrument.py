"""What an instrument is, and the record of a kind of instrument.

An instrument is data: kind, name, place, colour. A module of this package, or of a plug-in, that offers `INSTRUMENT`
(an `InstrumentKind` or a tuple of them) adds a kind to the tool of the window, to presets and scripts, and its
quantities to series, plots, results and exports. An example, complete:

    def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
        return (InstrumentQuantity("grains", "grains nearby", "n", tab="n"),)

    def grains_nearby(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
        distance = np.linalg.norm(movable_grains(system.grains).position - instrument.points[0], axis=1)
        return (float((distance < 0.01).sum()),)

    INSTRUMENT = InstrumentKind(
        "nearby", "Nearby", 60, "Drag from a point: grains within 10 mm.", quantities, grains_nearby, {2: 2, 3: 2})
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.measure.display import Axis, Named, Plot, Reading, SampledQuantity
from repose.sim.measure.measurement import System
from repose.sim.message import EMPTY, Message, label_of, plain

Point = tuple[float, ...]
"""Coordinates in the plane or in space [m]."""
Points = tuple[Point, ...]

FIRST_TAB = 70
"""Tabs of instruments come after those of the measurements."""


@dataclass(frozen=True)
class Instrument:
    """One instrument at its place."""

    kind: str
    """Name of its `InstrumentKind`."""
    name: str
    """Name of its own, which series, results and exports contain."""
    points: Points = ()
    """What these points are depends on the kind [m]."""
    grain: int | None = None
    """Id of a sphere of the grain to which it is attached; None for an instrument at rest."""
    colour: int = 0
    """Number of its colour in the picture."""
    time: float = 0.0
    """Simulated time before which it marks no grains [s]."""


@dataclass(frozen=True)
class Passed:
    """What has passed an instrument that counts, or which grains it has marked, since it was placed or moved."""

    since: float = 0.0
    """Simulated time at which the count began [s]."""
    number: int = 0
    """Grains that have crossed in the positive direction, less those in the other one."""
    mass: float = 0.0
    """Their mass, counted likewise [kg]."""
    marked: tuple[float, ...] = ()
    """Ids of the grains that it marked."""
    others: tuple[float, ...] = ()
    """Ids of the other grains at that moment."""


@dataclass(frozen=True)
class InstrumentQuantity:
    """One quantity that an instrument reads."""

    name: str
    """Last part of its column in the series, after the name of the instrument."""
    title: Message
    symbol: str = ""
    unit: str = ""
    """Display unit."""
    scale: float = 1.0
    """Shown value = value / scale."""
    tab: str = ""
    """Symbols that name its tab among the plots of the instrument; empty for no plot. Quantities of one tab and unit
    with the same `axis` share an axis."""
    axis: Message = EMPTY
    """Label of the axis; empty for that of the quantity alone."""
    rate_of: str = ""
    """Name of the quantity whose growth per time it is; it is then not read."""
    beside: bool = True
    """Whether it is written beside the instrument in the picture."""

    def column(self, instrument: Instrument) -> str:
        """Its column in the series."""
        return f"{instrument.name}.{self.name}"

    def reading(self, instrument: Instrument, value: float) -> Reading:
        """The value [SI] as it is shown."""
        return Reading(self.column(instrument), label_of(self.title, self.symbol), value / self.scale, self.unit)


def first_points(start: Point, end: Point, axis: int | None, depth: tuple[float, float]) -> Points:
    """Both ends of a drag."""
    return start, end


def lines_between(points: Points) -> list[Floats]:
    """A line through all points."""
    return [np.array(points, float)]


def shifted(point: Point, by: Point) -> Point:
    """The point moved by a vector [m]."""
    return tuple(here + there for here, there in zip(point, by, strict=True))


def drag_point(points: Points, handle: int, by: Point) -> Points:
    """The points after a drag of one of them."""
    return tuple(shifted(point, by) if number == handle else point for number, point in enumerate(points))


def distances(points: Points) -> list[float]:
    """Distance of each point from the first one [m]."""
    return [math.dist(points[0], point) for point in points[1:]]


@dataclass(frozen=True)
class InstrumentKind(Named):
    """One kind of instrument."""

    kind = "instrument"
    name: str
    title: Message
    order: int
    help: Message
    """How it is placed by hand and what it measures."""
    quantities: Callable[[int], tuple[InstrumentQuantity, ...]]
    """quantities(dimension) -> what it reads in the plane or in space."""
    read: Callable[[Instrument, System, Passed], tuple[float, ...]]
    """read(instrument, system, passed) -> the values of the quantities that are no rates, in their order, SI; nan for a
    missing value."""
    points: Mapping[int, int]
    """Number of points by dimension."""
    of_grain: bool = False
    """Whether it is attached to a grain instead."""
    costly: bool = False
    """Whether a reading costs more than a few steps; it is then taken as seldom as a costly measurement."""
    count: Callable[[Instrument, Floats, Floats, Floats], NDArray[np.int64]] | None = None
    """count(instrument, before, now, boundary) -> how often each grain has crossed on its way between two positions,
    with sign, shape (grains,); positions [m], shape (grains, dimension), `State.boundary`. None: it counts nothing."""
    marks: Callable[[Instrument, Floats], NDArray[np.bool_]] | None = None
    """marks(instrument, position) -> which grains it marks once, shape (grains,); positions [m] in the cell of a
    periodic world, shape (grains, dimension). None: it marks none."""
    lengths: Callable[[Points], list[float]] = distances
    """Lengths that must not be zero [m]."""
    shortest: float = 1.0
    """The least of these lengths, in radii of the smallest grain [-]."""
    begin: Callable[[Point, Point, int | None, tuple[float, float]], Points] = first_points
    """begin(start, end, axis, depth) -> the points that a drag in the picture gives. In space start and end are in a
    plane across the coordinate `axis` through the middle of the scene, which extends along it from `depth[0]`, the side
    of the viewer, to `depth[1]` [m]; None in the plane."""
    outline: Callable[[Points], list[Floats]] = lines_between
    """Lines to draw [m], each of shape (points, dimension)."""
    handles: Callable[[Points], Points] = lambda points: points
    """Places at which the mouse changes it [m]."""
    drag: Callable[[Points, int, Point], Points] = drag_point
    """drag(points, handle, by) -> the points after a handle was moved by a vector [m]."""
    of_points: Callable[[Points], tuple[float, ...]] | None = None
    """What it reads, if that follows from its points alone: it is then written beside the pointer during a drag."""

    @property
    def has_moment(self) -> bool:
        """Whether what it reads depends on when it was placed."""
        return self.count is not None or self.marks is not None

    def columns(self, instrument: Instrument, dimension: int) -> tuple[str, ...]:
        """Its columns in the series."""
        return tuple(quantity.column(instrument) for quantity in self.quantities(dimension))

    def sampled(self, instrument: Instrument, dimension: int) -> tuple[SampledQuantity, ...]:
        """Its quantities as they are plotted, by tab."""
        tabs: list[str] = []
        entries = []
        for quantity in self.quantities(dimension):
            if quantity.tab and quantity.tab not in tabs:
                tabs.append(quantity.tab)
            label = label_of(quantity.title, quantity.symbol)
            axis = Axis(quantity.axis or label, quantity.unit)
            plot = None
            if quantity.tab:
                place = FIRST_TAB + instrument.colour * 10 + tabs.index(quantity.tab)
                title = plain(f"{instrument.name}: {quantity.tab}")
                plot = Plot(f"{instrument.name}.{quantity.tab}", title, place)
            entries.append(
                SampledQuantity(
                    quantity.column(instrument),
                    quantity.title,
                    label,
                    quantity.unit,
                    quantity.scale,
                    plot,
                    axis,
                    from_zero=False,
                )
            )
        return tuple(entries)


def unused_name(names: Iterable[str], kind: str) -> str:
    """A name for another instrument of this kind: line1, line2, ..."""
    used = set(names)
    return next(name for number in itertools.count(1) if (name := f"{kind}{number}") not in used)


def unused_colour(colours: Iterable[int]) -> int:
    """The first colour that none of the instruments has."""
    used = set(colours)
    return next(number for number in itertools.count() if number not in used)
