"""Quantities over simulated time as curves with labelled axes: for files of plots, and for films of lectures."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Curve, Line
from repose.sim.numbers import time_unit


def opening(snapshot: Snapshot) -> float | None:
    """Time when the wall was opened, to one sample of the series [s]; None without a wall, or while it is closed.

    A scene reads a slope only once the grains can flow; a heap in space therefore counts from the end of its filling.
    """
    angle, time = snapshot.series.get("angle", np.empty(0)), snapshot.series.get("time", np.empty(0))
    known = np.isfinite(angle)
    if not known.any() or known[0]:
        return None
    return float(time[np.argmax(known)])


def zero_words(snapshot: Snapshot) -> str:
    """Zero of the time axis in words."""
    return "the opening" if snapshot.position.shape[1] == 2 else "the end of filling"


def axis_unit(snapshot: Snapshot, span: tuple[float, float]) -> tuple[float, str]:
    """Factor and unit of a time axis over this span [s], which suit the time farthest from its zero."""
    zero = opening(snapshot) or 0.0
    return time_unit(max(abs(place - zero) for place in span))


def whole_span(snapshot: Snapshot) -> tuple[float, float]:
    """Time span after the opening, or of the whole run [s]."""
    time = snapshot.series.get("time", np.empty(0))
    end = float(time[-1]) if len(time) else 1.0
    begin = opening(snapshot) or 0.0
    return (begin, end) if end > begin else (0.0, end)


def curves_over_time(snapshot: Snapshot, plot: str, span: tuple[float, float]) -> tuple[Curve, ...]:
    """One curve per axis of the tab `plot`, with all samples of the span [s]; empty without values."""
    zero, (factor, unit) = opening(snapshot), axis_unit(snapshot, span)
    time = snapshot.series.get("time", np.empty(0))
    inside = time >= span[0]
    shown = (time[inside] - (zero or 0.0)) / factor
    x_label = f"simulated time t [{unit}]" if zero is None else f"time from {zero_words(snapshot)} t [{unit}]"
    dimension = snapshot.position.shape[1]
    found = [entry for entry in snapshot.measurements if entry.plot is not None and entry.plot.name == plot]
    title = next((entry.plot.title for entry in found if entry.plot is not None), "")
    curves = []
    for label, group in groupby(found, lambda entry: entry.axis_label(dimension)):
        entries = [*group]
        columns = {entry: snapshot.series.get(entry.name, np.empty(0)) for entry in entries}
        lines = tuple(
            Line(entry.label(), shown, column[inside] / entry.scale)
            for entry, column in columns.items()
            if len(column) == len(time) and np.isfinite(column).any()
        )
        if lines:
            curves.append(Curve(title, x_label, label, lines, log=entries[0].log))
    return tuple(curves)
