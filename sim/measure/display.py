"""How a quantity is shown: a number beside the picture, a plot with its lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Reading:
    """One number to show beside the picture."""

    label: str
    value: float
    unit: str = ""
    error: float | None = None
    """Standard error, in the same unit."""
    help: str = ""
    error_of: str = ""
    """What the error is the error of, in words such as "line fit"; empty where that goes without saying."""


@dataclass(frozen=True)
class Line:
    """One line, or set of points, of a plot."""

    label: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    points: bool = False
    error: NDArray[np.float64] | None = None
    """Standard error of y, for points, or what `scatter` says."""
    scatter: str = "standard error"
    fitted: bool = False
    """Whether it is a law fitted to the points of the plot."""


@dataclass(frozen=True)
class Curve:
    """A plot with axes of its own."""

    title: str
    x_label: str
    """With its unit."""
    y_label: str
    lines: tuple[Line, ...]
    heading: str = ""
    """What is plotted, in words; empty where the axes say it."""
    note: str = ""
    """Of which runs, in words; empty where there is only one."""
    table: tuple[tuple[str, ...], ...] = ()
    """Head and rows of a table to show beside the plot."""
    log: bool = False
    """Whether the vertical axis is logarithmic."""


@dataclass(frozen=True)
class Label:
    """Words at a sphere of the picture; the spheres that have them are told apart by colour."""

    sphere_id: int
    text: str
    """What distinguishes the sphere, such as "e = 0.8"."""
    note: str = ""
    """What it does now; empty for nothing."""


@dataclass(frozen=True)
class Track:
    """Path of the centre of a sphere in the picture, in the colour of its label."""

    sphere_id: int
    points: NDArray[np.float64]
    """[m], shape (points, dimension)."""
    expected: bool = False
    """Whether a closed form says so: then every point is a dot, otherwise a line joins them."""


@dataclass(frozen=True)
class Plot:
    """A tab of plots over time; measurements of one tab stand one above the other."""

    name: str
    title: str
    order: int
    """Tabs are sorted by this number."""
    always: bool = False
    """Whether the tab is shown before its measurements have a value."""


MOTION = Plot("motion", "Motion", 10, always=True)
SLOPE = Plot("angle", "Angle", 20)
CONTACTS = Plot("contacts", "Z", 30, always=True)
PACKING = Plot("packing", "P, φ", 40)
ENERGY = Plot("ledger", "Energy", 50, always=True)
OTHER = Plot("other", "Other", 60)
