"""What the instruments of an experiment read now, as rows of the series, readings and results."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Sequence
from typing import Any

import numpy as np
from repose.sim import registry
from repose.sim.engine.boundaries import periodic_dimensions
from repose.sim.engine.world import LOWEST, PERIOD, Floats
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.run import PlacedInstruments
from repose.sim.experiment.series import series_names
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed
from repose.sim.measure.measurement import System

LONGEST_NAME = 40
"""Largest number of characters of a name."""
NOT_IN_NAMES = './,"\\'
"""Characters that separate parts of the names of columns and files."""
MOST_COLOURS = 1000
"""Bound of the number of a colour."""
RATE_TIME = 0.25
"""Time over which a rate is the mean, in units of the time scale of the scene [s]."""


def kind_of(instrument: Instrument) -> InstrumentKind:
    """The kind of an instrument."""
    kind: InstrumentKind = registry.instruments()[instrument.kind]
    return kind


def columns_of(placed: PlacedInstruments, dimension: int) -> tuple[str, ...]:
    """Columns of the series that these instruments have."""
    return tuple(name for entry in placed.instruments for name in kind_of(entry).columns(entry, dimension))


def fits(instrument: Instrument, dimension: int) -> bool:
    """Whether an instrument read from a file has the points and the grain that its kind needs, and its name is
    allowed."""
    kind, points = kind_of(instrument), instrument.points
    finite = all(len(point) == dimension and all(map(math.isfinite, point)) for point in points)
    whole = kind.of_grain == (instrument.grain is not None) and 0 <= instrument.colour < MOST_COLOURS
    whole = whole and 0.0 <= instrument.time < math.inf
    return finite and whole and len(points) == kind.points[dimension] and is_name(instrument.name)


def is_name(name: str) -> bool:
    """Whether an instrument can have this name: printable, and distinct from the names of measurements."""
    plain = 0 < len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()
    return (
        plain
        and not set(name) & set(NOT_IN_NAMES)
        and not any(column.startswith(f"{name}.") for column in series_names())
    )


def shown_columns(experiment: Experiment) -> dict[str, Floats]:
    """The samples of the measurements and of the instruments that are there, by name."""
    run = experiment.run
    names = {*series_names(), *columns_of(run.placed, experiment.scene.model.dimension)}
    return {name: column for name, column in run.series.columns().items() if name in names}


def limits_of(box: Sequence[Sequence[float]], boundary: Floats) -> tuple[Floats, Floats]:
    """Lower and upper corner of the region in which instruments can be [m]: that of the picture, in a periodic world
    the cell."""
    low, high = (np.array(corner, float) for corner in box)
    for c in periodic_dimensions(boundary) if boundary.size else ():
        low[c], high[c] = boundary[LOWEST, c], boundary[LOWEST, c] + boundary[PERIOD, c]
    return low, high


def reading_values(experiment: Experiment, system: System, number: int) -> dict[str, float]:
    """The present values of an instrument by column, SI."""
    run, dimension = experiment.run, experiment.scene.model.dimension
    instrument, passed = run.placed.instruments[number], run.placed.passed[number]
    kind = kind_of(instrument)
    quantities = kind.quantities(dimension)
    given = dict(
        zip(
            (quantity.column(instrument) for quantity in quantities if not quantity.rate_of),
            kind.read(instrument, system, passed),
            strict=True,
        )
    )
    return {
        quantity.column(instrument): given[quantity.column(instrument)]
        if not quantity.rate_of
        else _rate(experiment, instrument, passed, quantity, given)
        for quantity in quantities
    }


def _rate(
    experiment: Experiment,
    instrument: Instrument,
    passed: Passed,
    quantity: InstrumentQuantity,
    values: dict[str, float],
) -> float:
    """Growth per time of the quantity `rate_of` over the last `RATE_TIME`, or since its count began [SI]."""
    run = experiment.run
    column = f"{instrument.name}.{quantity.rate_of}"
    span = RATE_TIME * experiment.scene.limits.time_scale(run.built)
    columns = run.series.columns()
    time, samples = columns["time"], columns[column]
    first = int(np.searchsorted(time, run.time - span))
    then, value = (passed.since, 0.0) if run.time - passed.since <= span else (math.nan, math.nan)
    if math.isnan(then) and first < len(time):
        then, value = float(time[first]), float(samples[first])
    return (values[column] - value) / (run.time - then) if run.time > then else math.nan


def present_values(experiment: Experiment, system: System) -> dict[str, float]:
    """The present values of all instruments by column, SI."""
    numbers = range(len(experiment.run.placed.instruments))
    return dict(ChainMap(*(reading_values(experiment, system, number) for number in numbers)))


def units_of(experiment: Experiment) -> dict[str, str]:
    """Display unit of every column of the instruments."""
    dimension = experiment.scene.model.dimension
    return {
        quantity.column(entry): quantity.unit
        for entry in experiment.run.placed.instruments
        for quantity in kind_of(entry).quantities(dimension)
    }


def sampled_values(experiment: Experiment, system: System, due: bool) -> dict[str, float]:
    """The values of all instruments for a row of the series by column, SI; those of a costly one are read again if they
    are `due` or not yet known."""
    values: dict[str, float] = {}
    run, dimension = experiment.run, experiment.scene.model.dimension
    for number, instrument in enumerate(run.placed.instruments):
        kind = kind_of(instrument)
        names = kind.columns(instrument, dimension)
        if kind.costly and not due and run.series.count and math.isfinite(run.series.last(names[0])):
            values |= {name: run.series.last(name) for name in names}
        else:
            values |= reading_values(experiment, system, number)
    return values


def results_of_instruments(experiment: Experiment, system: System) -> dict[str, Any]:
    """Entry in result.json: place and present values of every instrument, SI."""
    entries: dict[str, Any] = {}
    for number, instrument in enumerate(experiment.run.placed.instruments):
        values = reading_values(experiment, system, number)
        begin = len(instrument.name) + 1
        entries[instrument.name] = {
            "kind": instrument.kind,
            "points": [list(point) for point in instrument.points],
            "grain": instrument.grain,
            **{name[begin:]: value if math.isfinite(value) else None for name, value in values.items()},
        }
        if kind_of(instrument).has_moment:
            entries[instrument.name]["counted_since"] = experiment.run.placed.passed[number].since
    return entries
