"""The main result of a scene in large letters, and the text of the readings."""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.app.render.text import friendly
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading

ROUNDING = 1e-9
"""Relative error below which an error is due to rounding and is not shown [-]."""


class Headline(NamedTuple):
    """A number as texts: value with unit, error if known, and name."""

    value: str
    error: str
    label: str
    outdated: str = ""
    """Up to which change of the heap it applied; empty while it applies."""

    @property
    def name(self) -> str:
        """The label, and whether the number is outdated."""
        return f"{self.label}, {self.outdated}" if self.outdated else self.label


def headline(snapshot: Snapshot) -> Headline | None:
    """The measured angle, or the first result with an error, or the first result; None before there is a result."""
    measured = snapshot.measurement
    if measured is not None:
        error = math.degrees(measured.standard_error)
        value = friendly(f"{math.degrees(measured.angle):.1f}°")
        return Headline(value, f"± {error:.1f}° ({measured.error_of})" if math.isfinite(error) else "", measured.label)
    readings = [entry for entry in snapshot.readings if not entry.given]
    first = next((entry for entry in readings if entry.error is not None), readings[0] if readings else None)
    if first is None:
        return None
    first = first.readable()
    gap = "" if first.unit == "°" else " "
    number = friendly(f"{round(first.value, 1) + 0.0:.1f}" if first.unit == "°" else first.digits)
    digits = "" if first.error is None else f"{first.error:.1f}" if first.unit == "°" else two_digits(first.error)
    scatter = f"± {digits}{gap}{first.unit}".rstrip() if digits else ""
    return Headline(f"{number}{gap}{first.unit}".rstrip(), scatter, first.label, first.outdated)


def two_digits(error: float) -> str:
    """An error with two digits, also if the second is zero; from 100 to 10⁶ with zeros instead of a power of ten."""
    return f"{float(f'{error:.2g}'):.0f}" if 99.5 <= error < 1e6 else f"{error:#.2g}".rstrip(".")


def in_words(reading: Reading) -> str:
    """Value, error and unit of a reading; the value has as many decimals as the error, an angle without error has
    one."""
    reading = reading.readable()
    degree = "°" if reading.unit == "°" else ""
    number, error = f"{reading.value:.1f}" if degree else reading.digits, ""
    if reading.error is not None and ROUNDING * abs(reading.value) < reading.error < math.inf:
        error = f" ± {two_digits(reading.error)}{degree}"
        rounded = float(f"{reading.error:.2g}")
        number = f"{reading.value:.{max(0, 1 - math.floor(math.log10(rounded)))}f}"
    return friendly(f"{number}{degree}{error} {reading.unit.removeprefix(degree)}".rstrip())
