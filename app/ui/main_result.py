"""The main result of a scene in large letters, and the text of the readings."""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading
from repose.sim.message import EMPTY, Message, Number, formatted, joined, plain
from repose.sim.registry import measurements

ROUNDING = 1e-9
"""Relative error below which an error is due to rounding and is not shown [-]."""


class Headline(NamedTuple):
    """A number as texts: value with unit, error if known, and label."""

    name: str
    """Name of the reading."""
    value: Message
    error: Message
    label: Message
    outdated: Message = EMPTY
    """Up to which change of the heap it applied; empty while it applies."""

    @property
    def whole_label(self) -> Message:
        """The label, and whether the number is outdated."""
        return joined((self.label, self.outdated)) if self.outdated else self.label


def headline(snapshot: Snapshot) -> Headline | None:
    """The measured angle, or what the preset asks for, or the first result with an error, or the first result; None
    before there is a result."""
    measured = snapshot.results.slope
    if measured is not None:
        error = math.degrees(measured.standard_error)
        value = formatted(math.degrees(measured.angle), ".1f", "°")
        words = joined(("± ", Number(error, "°", ".1f"), " (", measured.error_of, ")"), "")
        return Headline(measured.name, value, words if math.isfinite(error) else EMPTY, measured.label)
    readings = [entry for entry in snapshot.results.readings if not entry.given]
    readings.sort(key=lambda entry: entry.error is None)
    first = _asked(snapshot) or next(iter(readings), None)
    if first is None:
        return None
    first = first.readable()
    angle = first.unit == "°"
    value = (
        formatted(round(first.value, 1) + 0.0, ".1f", ("°"))
        if angle
        else formatted(first.value, first.format, first.unit)
    )
    scatter = EMPTY
    if first.error is not None:
        number = Number(first.error, "°", ".1f") if angle else Number(first.error, first.unit, two_digits(first.error))
        scatter = joined(("± ", number), "")
    return Headline(first.name, value, scatter, first.label, first.outdated)


def _asked(snapshot: Snapshot) -> Reading | None:
    """The measurement whose plot opens in a preset that asks another question than its scene; None in others."""
    if not snapshot.run.own_answer:
        return None
    plots = {name: record.plot.name for name, record in measurements().items() if record.plot is not None}
    wanted = snapshot.run.direction.plot
    return next((entry for entry in snapshot.results.bulk_readings if plots.get(entry.name) == wanted), None)


def two_digits(error: float) -> str:
    """The format of an error with two digits, also if the second is zero; from 100 to 10⁶ without a power of ten."""
    return ".0f" if 99.5 <= error < 1e6 else "#.2g"


def in_words(reading: Reading) -> Message:
    """Value, error and unit of a reading; the value has as many decimals as the error, an angle without error has
    one."""
    value, error = numbers(reading)
    return joined((value, error), " ± ") if error is not None else plain(value)


def numbers(reading: Reading) -> tuple[Number, Number | None]:
    """Value and error of a reading as they are shown; the unit is with the last of them, a degree sign with both."""
    reading = reading.readable()
    angle = reading.unit == "°"
    if reading.error is not None and ROUNDING * abs(reading.value) < reading.error < math.inf:
        rounded = float(f"{reading.error:.2g}")
        decimals = max(0, 1 - math.floor(math.log10(rounded)))
        value = Number(reading.value, reading.unit if angle else "", f".{decimals}f")
        return value, Number(reading.error, reading.unit, two_digits(reading.error))
    return Number(reading.value, reading.unit, ".1f" if angle else reading.format), None
