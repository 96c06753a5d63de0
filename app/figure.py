"""A figure as data: axes with labels and limits, series with their colours, marks and error bars, and the legend.

What a plot shows is decided here, for the window and for files. `app/ui/plot_area` draws a figure by ImPlot,
`app/storage/plot_files` by matplotlib; they decide nothing but where ticks and legend have room.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.measure.display import Curve, Line
from repose.sim.message import EMPTY, Message, joined

Floats = NDArray[np.float64]
Ink = tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""

MARGIN = 0.06
"""Margin between the data and the edges of a plot, as a fraction of the range of the data [-]."""
ROOM = 1.25
"""Factor by which a logarithmic axis extends beyond its decades."""
NEAR_ZERO = 0.6
"""An axis begins at zero if the lowest value is below this share of the highest."""
FEWEST_DECADES, MOST_DECADES = 3, 9
"""Least and largest number of decades below the largest value on a logarithmic axis of quantities over time."""
ROOM_AT_ZERO = 0.02
"""Fraction of the horizontal axis to the left of points at zero, so that the points are not cut, in files."""


def ink(code: str) -> Ink:
    """A colour by its hexadecimal code."""
    red, green, blue = (int(code[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue, 1.0


OURS, PUBLISHED = ink("#0b62b8"), ink("#c4500a")
"""Colours of the results of this program and of published results, on white paper."""
GROUPS = (OURS, *map(ink, ("#8a3fa0", "#007d7d", "#a57c00", "#b03060", "#6a8f00", "#40407a", "#000000")))
MARKS = "o^Dvph*s"
"""Colours and shapes of the means of several groups of runs, in their order."""
LAWS = ((PUBLISHED, "--"), (ink("#5b5b5b"), ":"), (ink("#2b7a3d"), "-."))
"""Colours and dashes of lines that are not fitted to the points, in their order."""
OVER_TIME = (OURS, *map(ink, ("#c4500a", "#2b7a3d", "#8a3fa0", "#a57c00", "#007d7d")))
OVER_TIME += tuple(map(ink, ("#b03060", "#5b5b5b", "#6a8f00", "#40407a", "#000000")))
"""Colours of quantities over time on one axis, in their order."""


class FigureAxis(NamedTuple):
    """One axis of a figure."""

    label: Message
    """Quantity and unit."""
    low: float | None = None
    high: float | None = None
    """Limits; None for an end that fits the data."""
    log: bool = False
    floor: float | None = None
    """The least value of a lower end that fits the data."""
    room: float = 0.0
    """Fraction of the axis before `low`."""
    ticks: Sequence[tuple[float, Message]] | None = None
    """Places and labels of ticks; None for round numbers."""

    @property
    def ends(self) -> tuple[float, float]:
        """Both limits, of an axis that has them."""
        assert self.low is not None
        assert self.high is not None
        return self.low, self.high


@dataclass(frozen=True)
class Trace:
    """One line, or set of marks, of a figure."""

    label: Message
    x: Floats
    y: Floats
    colour: Ink
    width: float = 0.0
    """Width of the line; 0 for marks without a line."""
    mark: str = ""
    """Shape of the marks as a letter, as in matplotlib: "o" for a disc, "x" for a cross; empty for none."""
    size: float = 0.0
    """Size of the marks."""
    error: Floats | None = None
    """Half the length of the error bars."""
    scatter: Message = EMPTY
    """What the error bars show."""
    stride: int = 1
    """Marks are at every n-th point."""
    dashes: str = "-"
    steps: str = ""
    """Where a staircase has its steps: "mid", "pre"; empty for a straight line."""
    hollow: bool = False
    opacity: float = 1.0
    layer: float | None = None
    """Drawn over series of lower layers; None for the order of the series."""

    @property
    def named(self) -> Message:
        """The label, with what the error bars show."""
        return self.label if self.error is None else joined((self.label, self.scatter), " ± ")


class Figure(NamedTuple):
    """Axes, series in the order in which they are drawn, and those of them that have an entry in the legend."""

    x: FigureAxis
    y: FigureAxis
    series: tuple[Trace, ...]
    legend: tuple[Trace, ...] = ()


FEW = 40
"""Largest number of marks that are so large that each is seen from the last row of a lecture hall."""


class ScreenColours(NamedTuple):
    """Colours of the lines of a curve in the window."""

    own: Ink
    """Measured values, and laws fitted to them."""
    sphere: Callable[[int], Ink]
    """Colour of the sphere with this label in the picture."""
    others: tuple[Ink, ...]
    """Other lines, in their order."""


def figure_on_screen(curve: Curve, colours: ScreenColours) -> Figure:
    """A curve in the window: lines below marks below marks with error bars; sizes are relative to those of the text.

    Lines of one label, such as the closed form of each sphere, share a colour and an entry of the legend.
    """
    colour_of = _colours_of_labels(curve, colours)
    entries = {line.label: line for line in curve.lines}
    drawn = {id(line): _on_screen(line, colour_of[line.label], curve.stride(line)) for line in curve.lines}
    ordered = sorted(curve.lines, key=lambda line: (line.points, line.error is not None))
    (left, right), (low, high) = limits_of(curve)
    return Figure(
        FigureAxis(curve.x_label, left, right, curve.log_x),
        FigureAxis(curve.y_label, low, high, curve.log),
        tuple(drawn[id(line)] for line in ordered),
        tuple(drawn[id(line)] for line in entries.values()),
    )


def _on_screen(line: Line, colour: Ink, stride: int) -> Trace:
    series = Trace(line.label, line.x, line.y, colour, error=line.error, scatter=line.scatter, stride=stride)
    if not line.points:
        return replace(series, width=2.4 if line.fitted else 1.6, error=None)
    few = len(line.x) <= FEW and stride == 1
    if line.error is None:
        return replace(series, mark="x", size=6.0 if few else 3.5)
    return replace(series, mark="o", size=7.0 if few else 4.5)


def _colours_of_labels(curve: Curve, colours: ScreenColours) -> dict[Message, Ink]:
    spheres = {line.label: colours.sphere(line.labelled) for line in curve.lines if line.labelled is not None}
    ours = {line.label for line in curve.lines if line.source == "own" or line.fitted}
    labels = tuple(dict.fromkeys(line.label for line in curve.lines))
    others = iter(colours.others * (1 + len(labels)))
    return {
        label: spheres[label] if label in spheres else colours.own if label in ours else next(others)
        for label in labels
    }


def limits_of(curve: Curve) -> tuple[tuple[float, float], tuple[float, float]]:
    """Limits of both axes: all data with errors, from zero if the lowest value is close to zero; a logarithmic axis
    shows whole decades."""
    rows = [line for line in curve.lines if len(line.x)]
    x = np.concatenate([line.x for line in rows]) if rows else np.zeros(1)
    spread = [np.zeros(len(line.y)) if line.error is None else line.error for line in rows]
    y = np.concatenate([part for line, error in zip(rows, spread) for part in (line.y - error, line.y + error)] or [x])
    return (
        _decades(x) if curve.log_x else _span(np.append(x, 0.0) if curve.x_from_zero else x),
        _decades(y) if curve.log else _span(y),
    )


def _decades(values: Floats) -> tuple[float, float]:
    """The decades of all positive values, at least one, with room for the points at their ends."""
    shown = values[np.isfinite(values) & (values > 0.0)]
    if not shown.size:
        return 1.0 / ROOM, 10.0 * ROOM
    low, high = math.floor(math.log10(shown.min())), math.ceil(math.log10(shown.max()))
    return 10.0**low / ROOM, 10.0 ** max(high, low + 1) * ROOM


def _span(values: Floats) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if 0.0 <= low < NEAR_ZERO * high:
        low = 0.0
    room = MARGIN * (high - low) or 0.5 * abs(high) or 1.0
    return (low if low == 0.0 else low - room), high + room


def figure_over_time(
    x: FigureAxis, label: Message, columns: Iterable[Trace], log: bool = False, from_zero: bool = True
) -> Figure:
    """Quantities over time in the window; a logarithmic axis omits values that are not positive."""
    drawn = []
    for series in columns:
        values = np.where(series.y > 0.0, series.y, np.nan) if log else series.y
        if len(values) == len(series.x) and np.isfinite(values).any():
            drawn.append(replace(series, y=values))
    low, high = limits_over_time([series.y for series in drawn], log, from_zero)
    return Figure(x, FigureAxis(label, low, high, log), tuple(drawn))


def limits_over_time(curves: Sequence[Floats], log: bool, from_zero: bool = True) -> tuple[float, float]:
    """Limits of the vertical axis; ImPlot's own fit is wrong if values are missing or zero."""
    if not curves:
        return (1e-6, 1.0) if log else (0.0, 1.0)
    low = min(float(np.nanmin(values)) for values in curves)
    high = max(float(np.nanmax(values)) for values in curves)
    if log:
        return min(max(low, high * 10.0**-MOST_DECADES), high * 10.0**-FEWEST_DECADES) / 2.0, high * 2.0
    room = MARGIN * (high - low) or 0.5 * abs(high) or 1.0
    if not from_zero:
        return low - room, high + room
    return min(low, 0.0) - (room if low < 0.0 else 0.0), high + room


def figure_on_paper(curve: Curve, over_time: bool = False) -> Figure:
    """A curve in a file: quantities over time, or points with error bars and laws as lines; the legend lists points,
    then fitted laws, then other laws."""
    if over_time:
        series = [
            Trace(line.label, line.x, line.y, OVER_TIME[index % len(OVER_TIME)], width=1.8)
            for index, line in enumerate(curve.lines)
        ]
        legend = tuple(one for one in series if one.label) if len(series) > 1 else ()
        return Figure(FigureAxis(curve.x_label), FigureAxis(curve.y_label, log=curve.log), tuple(series), legend)
    laws = iter(LAWS * (1 + len(curve.lines) // len(LAWS)))
    series = [_on_paper(line, curve.stride(line), laws) for line in curve.lines]
    pairs = sorted(zip(curve.lines, series, strict=True), key=lambda pair: (not pair[0].points, not pair[0].fitted))
    ticks = [(float(place), words) for place, words in enumerate(curve.ticks)]  # words without a point have room too
    below = any(len(line.y) and float(np.nanmin(line.y)) < 0.0 for line in curve.lines)
    return Figure(
        FigureAxis(curve.x_label, -0.5, len(ticks) - 0.5, ticks=ticks) if ticks else _x_on_paper(curve),
        FigureAxis(curve.y_label, None if curve.log or below else 0.0, log=curve.log),
        tuple(series),
        tuple(one for _, one in pairs if one.label),
    )


def _on_paper(line: Line, stride: int, laws: Iterator[tuple[Ink, str]]) -> Trace:
    colour = GROUPS[line.group % len(GROUPS)]
    series = Trace(line.label, line.x, line.y, colour, scatter=line.scatter)
    if not line.points:
        colour, dashes = (colour, "-") if line.fitted else next(laws)
        return replace(series, colour=colour, dashes=dashes, width=3.0)
    if line.single:
        return replace(series, mark="x", size=8.0, opacity=0.6, layer=4.0)
    series = replace(series, error=line.error, stride=stride)
    if line.source == "own":
        return replace(series, colour=OURS, mark="o", size=9.0, layer=5.0)
    if line.source == "published":
        return replace(series, colour=PUBLISHED, mark="s", size=14.0, hollow=True, layer=3.0)
    return replace(series, mark=MARKS[line.group % len(MARKS)], size=8.0, layer=4.0)


def _x_on_paper(curve: Curve) -> FigureAxis:
    """The horizontal axis of a file, in numbers."""
    axis = FigureAxis(curve.x_label, log=curve.log_x)
    known = [line for line in curve.lines if len(line.x)]
    if curve.log_x or any(float(np.nanmin(line.x)) < 0.0 for line in known):
        return axis
    if any(line.points and float(np.nanmin(line.x)) == 0.0 for line in known):
        return axis._replace(low=0.0, room=ROOM_AT_ZERO)
    return axis._replace(low=0.0) if curve.x_from_zero else axis._replace(floor=0.0)
