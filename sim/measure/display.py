"""Records for the display: readings beside the picture, plots with their lines, labels and outcomes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from repose.sim.choices import choice_name
from repose.sim.message import EMPTY, Message, Number, _, as_message, joined, label_of, plain
from repose.sim.scales import prefix_of
from repose.sim.scene_fields import require_name


class Named:
    """A record with a name that files refer to; the label beside it is only shown."""

    kind = ""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Raise `ParameterError` with an example if the name is missing, before Python complains of another field."""
        if given or named:  # a copy is made without arguments
            require_name(cls.kind, given, named)
        return super().__new__(cls)


@dataclass(frozen=True)
class Reading(Named):
    """One number to show beside the picture."""

    kind = "reading"
    name: str
    """Name in lectures, unique within the scene."""
    label: Message
    value: float
    unit: str = ""
    error: float | None = None
    """Standard error, in the same unit."""
    help: Message = EMPTY
    error_of: Message = EMPTY
    """Source of the error, such as "line fit"; empty if it needs no explanation."""
    expected: float | None = None
    """Value of the closed form, in the same unit."""
    given: bool = False
    """Whether it is known before the run, such as the mass of a body: it is no result of the experiment."""
    outdated: Message = EMPTY
    """For a value that no longer applies: up to which change it did, "before the tilt"; otherwise empty."""

    @property
    def whole_label(self) -> Message:
        """The label, and whether the value is outdated."""
        return joined((self.label, self.outdated)) if self.outdated else self.label

    @property
    def digits(self) -> str:
        """The value as shown."""
        return f"{self.value:{self.format}}"

    @property
    def format(self) -> str:
        """The value is shown with four digits; a count with all of its digits."""
        return ".0f" if not self.unit and float(self.value).is_integer() and abs(self.value) < 1e7 else ".4g"

    def readable(self) -> Reading:
        """The same reading with a unit prefix that suits the value: 0.799 ms instead of 0.000799 s."""
        factor, unit = prefix_of(self.value, self.unit)
        error, expected = (number if number is None else number / factor for number in (self.error, self.expected))
        return replace(self, value=self.value / factor, unit=unit, error=error, expected=expected)


STANDARD_ERROR = _("standard error")
"""Usual kind of the error of a mean."""


Source = Literal["", "own", "published"]


@dataclass(frozen=True)
class Line:
    """One line, or set of points, of a plot."""

    label: Message
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    points: bool = False
    error: NDArray[np.float64] | None = None
    """Standard error of y, for points, or the quantity named by `scatter`."""
    scatter: Message = STANDARD_ERROR
    fitted: bool = False
    """Whether it is a law fitted to the points of the plot."""
    group: int = 0
    """Number of the series to which the points or the fitted law belong; each series has its colour."""
    single: bool = False
    """Whether the points are single runs; their means are other points of the plot."""
    labelled: int | None = None
    """Number of the label in the picture whose colour it has (`Label`); None for a colour of its own."""
    source: Source = ""
    """Whether they are the results of this program in a plot with one series, or published ones; empty for others."""


MOST_MARKS = 80
"""Largest number of marks of a line over time."""


@dataclass(frozen=True)
class Axis:
    """What an axis of a plot shows."""

    quantity: Message
    """Name, with its symbol if it has one."""
    unit: str = ""
    over_time: bool = False
    """Whether it is a time, with samples at many moments."""

    @property
    def label(self) -> Message:
        """Quantity and unit."""
        return label_of(self.quantity, "", self.unit)


TIME = Axis(_("time"), "s", over_time=True)
"""The axis of the time since the beginning."""


@dataclass(frozen=True)
class Curve(Named):
    """A plot with its own axes."""

    kind = "curve"
    name: str
    """Name in lectures, unique among the plots of the scene."""
    title: Message
    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    heading: Message = EMPTY
    """Heading of the plot; empty if the labels of the axes suffice."""
    note: Message = EMPTY
    """Which runs are plotted; empty if there is only one."""
    table: tuple[tuple[Message, ...], ...] = ()
    """Head and rows of a table to show beside the plot."""
    x_from_zero: bool = False
    """Whether the horizontal axis begins at zero, also if the points are far from zero."""
    log: bool = False
    """Whether the vertical axis is logarithmic."""
    log_x: bool = False
    """Whether the horizontal axis is logarithmic."""
    ticks: tuple[Message, ...] = ()
    """Words at 0, 1, 2 … of the horizontal axis; empty if it has numbers."""

    @property
    def x_label(self) -> Message:
        """Label of the horizontal axis with its unit."""
        return self.x.label

    @property
    def y_label(self) -> Message:
        """Label of the vertical axis with its unit."""
        return self.y.label

    def stride(self, line: Line) -> int:
        """The line is drawn with a mark at every n-th of its points: over time, the marks of all samples would be a
        band that hides the closed form behind them."""
        return -(-len(line.x) // MOST_MARKS) if len(line.x) and self.x.over_time else 1


@dataclass(frozen=True)
class Label:
    """A text at a sphere of the picture; spheres with labels differ by colour."""

    sphere_id: int
    text: Message
    """What distinguishes the sphere, such as "e = 0.8"."""
    note: Message = EMPTY
    """Present motion of the sphere, such as "rolls"; can be empty."""


@dataclass(frozen=True)
class Track:
    """Path of the centre of a sphere in the picture, in the colour of its label."""

    sphere_id: int
    points: NDArray[np.float64]
    """Points of the path [m], shape (points, dimension)."""
    expected: bool = False
    """Whether the path is that of a closed form, drawn as dots; other paths are drawn as lines."""
    name: Message = EMPTY
    """What it is the path of, in the list of the parts of bodies."""


@dataclass(frozen=True)
class Outcome(Named):
    """One outcome that the task of a scene states, compared with the run at its end."""

    kind = "outcome"
    name: str
    """Name in results, unique within the scene."""
    statement: Message
    """The expected outcome, a clause without a full stop: "the momentum stays"."""
    found: Message
    """The number of the run with its unit, or words."""
    expected: Message
    """The bound or the number of the closed form, with its unit, or words."""
    holds: bool

    @property
    def complaint(self) -> Message:
        """The deviation in a sentence; empty if the outcome agrees with the statement."""
        return (
            EMPTY
            if self.holds
            else Message(
                "It does not hold that {statement}: {found} instead of {expected}.",
                statement=self.statement,
                found=self.found,
                expected=self.expected,
            )
        )


WHOLE = 50.0
"""Length of the slider of a guess, in its unit, from which a guess has no decimals."""


@dataclass(frozen=True)
class Guess:
    """The number of a scene that an audience guesses before the run, on a slider or as one of a few choices."""

    words: Message
    """Name of the number, without a full stop: "Angle of the surface in the fastest drum"."""
    unit: str
    low: float
    high: float
    """Ends of the slider, in that unit."""
    choices: tuple[Message, ...] = ()
    """Names of the numbers `low`, `low` + 1, ... `high`, if they are no quantity and each has a name; else empty."""

    @property
    def decimals(self) -> int:
        """Digits after the point of a guess."""
        if self.choices:
            return 0
        span = self.high - self.low
        return max(int(span < WHOLE), 1 - math.floor(math.log10(span)))

    def shown(self, value: float, finer: int = 0) -> Message:
        """A number in its unit, "28°", "3.4 times", or the name of its choice; `finer=1` adds a digit for a result,
        "28.3°"."""
        if self.choices:
            return self.choices[min(max(round(value - self.low), 0), len(self.choices) - 1)]
        number = Number(value, "°" if self.unit == "°" else "", f".{finer + self.decimals}f")
        return plain(number) if self.unit in ("", "°") else joined((number, choice_name(self.unit)), " ")


BARS = 20
"""Largest number of bars of a histogram of guesses."""


@dataclass(frozen=True)
class AudienceGuesses:
    """What the phones of an audience have guessed, without names."""

    guess: Guess
    values: tuple[float, ...]
    """In the unit of the guess, in increasing order."""
    result: float | None = None
    """The result of the run in that unit; None before there is one."""
    shown: bool = False
    """Whether the audience sees them."""

    def histogram(self) -> list[int]:
        """The number of guesses of each choice, or in equal parts of the slider: at most `BARS`, each at least one
        step of a guess wide."""
        low, high = self.guess.low, self.guess.high
        bars = len(self.guess.choices) or min(BARS, max(round((high - low) * 10.0**self.guess.decimals), 1))
        counts = [0] * bars
        for value in self.values:
            counts[min(int((value - low) / (high - low) * bars), bars - 1)] += 1
        return counts


@dataclass(frozen=True)
class Answer:
    """The answer of a run to the question of its scene."""

    value: float
    """The number of the sentence; of a guessed number the true value, in the unit of the guess, of choices the number
    of the right one. Not a number if too little was measured."""
    words: Message
    """One sentence with the number."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", as_message(self.words))  # that of a plug-in may be a plain text


@dataclass(frozen=True)
class Part:
    """A part of the particles of a scene: the spheres whose layer is the index of the part in the list."""

    name: Message
    look: str = ""
    """Its material, which sets its colour in the picture; empty for a colour of its own."""


@dataclass(frozen=True)
class Plot:
    """A tab of plots over time; measurements of one tab are drawn one above the other."""

    name: str
    title: Message
    order: int
    """Tabs are sorted by this number."""
    needs: Literal["", "slope", "contacts", "packing", "values"] = ""
    """The scenes that show the tab from the beginning of a run on: "" all, "slope" those that measure a slope,
    "contacts" those with grains that touch one another, "packing" those with a packing. No tab then moves when a value
    appears. "values": the tab is shown once there is a value."""


@dataclass(frozen=True)
class SampledQuantity:
    """What a plot needs to know of a quantity that is sampled over time."""

    name: str
    """Column of the series."""
    title: Message
    label: Message
    """Title and symbol."""
    unit: str
    """Display unit."""
    scale: float
    """Shown value = value / scale."""
    plot: Plot | None
    """Tab of the plot; None for no plot."""
    axis: Axis
    """Quantities of one tab with equal axes share one."""
    log: bool = False
    """Whether the axis is logarithmic."""
    from_zero: bool = True
    """Whether the axis begins at zero."""


COMPARISON = "comparison"
"""Name of the plot of the runs of this session beside each other."""
MOTION = Plot("motion", _("Motion"), 10)
SLOPE = Plot("angle", _("Angle"), 20, needs="slope")
CONTACTS = Plot("contacts", plain("Z"), 30, needs="contacts")
PACKING = Plot("packing", plain("P, φ"), 40, needs="packing")
ENERGY = Plot("ledger", _("Energy"), 50)
MIXING = Plot("mixing", _("Mixing"), 55, needs="values")
OTHER = Plot("other", _("Other"), 60, needs="values")
