"""Quantities over simulated time as curves with labelled axes: for files of plots, and for films of lectures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import EMPTY, Message, _, joined
from repose.sim.scales import time_unit


def opening(snapshot: Snapshot) -> float | None:
    """Time of the first slope, to one sample of the series [s]; None without one, or if there is a slope from the
    beginning on.

    A scene reads a slope only once the grains can flow; `Scene.view.slope_since` names this event.
    """
    angle, time = snapshot.results.series.get("angle", np.empty(0)), snapshot.results.series.get("time", np.empty(0))
    known = np.isfinite(angle)
    if not known.any() or known[0]:
        return None
    return float(time[np.argmax(known)])


def zero_words(snapshot: Snapshot) -> Message:
    """Zero of the time axis in words."""
    return snapshot.results.slope_since


def axis_unit(snapshot: Snapshot, span: tuple[float, float]) -> tuple[float, str]:
    """Factor and unit of a time axis over this span [s], which suit the time farthest from its zero."""
    zero = opening(snapshot) or 0.0
    return time_unit(max(abs(position - zero) for position in span))


def whole_span(snapshot: Snapshot) -> tuple[float, float]:
    """Time span after the opening, or of the whole run [s]."""
    time = snapshot.results.series.get("time", np.empty(0))
    end = float(time[-1]) if len(time) else 0.0
    end = end or 1.0  # a run that has not begun
    begin = opening(snapshot) or 0.0
    return (begin, end) if end > begin else (0.0, end)


def curves_over_time(snapshot: Snapshot, plot: str, span: tuple[float, float]) -> tuple[Curve, ...]:
    """One curve per axis of the tab `plot`, with all samples of the span [s]; empty without values."""
    return _curves(snapshot, plot, span[0], opening(snapshot), *axis_unit(snapshot, span))


def curves_of_runs(runs: Sequence[Snapshot], plot: str) -> tuple[Curve, ...]:
    """The curves of all runs side by side over the whole time since the beginning, in one plot per axis."""
    begin, end = (
        0.0,
        max(float(run.results.series["time"][-1]) if len(run.results.series.get("time", ())) else 0.0 for run in runs),
    )
    return together(runs, [_curves(run, plot, begin, None, *time_unit(end)) for run in runs])


def together(runs: Sequence[Snapshot], curves: Sequence[Sequence[Curve]]) -> tuple[Curve, ...]:
    """Curves of equal axes of several runs as one plot: each line has the label of its run. A line that all runs have,
    such as a law beside their points, exists once."""
    axes: dict[tuple[str, Axis], list[tuple[Snapshot, Curve]]] = {}
    for run, own in zip(runs, curves, strict=True):
        for curve in own:
            axes.setdefault((curve.name, curve.y), []).append((run, curve))
    return tuple(replace(same[0][1], lines=tuple(_lines_of(same))) for same in axes.values())


def _lines_of(runs: Sequence[tuple[Snapshot, Curve]]) -> Iterator[Line]:
    """The lines of a plot of several runs; a series of a run has its own colour, as has its fitted law."""
    several = len({line.label for _, curve in runs for line in curve.lines}) > 1
    for number, (run, curve) in enumerate(runs):
        for line in curve.lines:
            if several and all(any(_equal(line, other) for other in beside.lines) for _, beside in runs):
                if number == 0:
                    yield line
                continue
            name = joined((line.label, run.run.label)) if several else run.run.label
            yield replace(line, label=name, group=number + len(runs) * line.group, source="")


def _equal(line: Line, other: Line) -> bool:
    return (
        line.label == other.label
        and np.array_equal(line.x, other.x)
        and np.array_equal(line.y, other.y, equal_nan=True)
    )


def _curves(
    snapshot: Snapshot, plot: str, begin: float, zero: float | None, factor: float, unit: str
) -> tuple[Curve, ...]:
    """One curve per axis from the time `begin` on [s]; the axis counts from `zero`, or from the beginning."""
    time = snapshot.results.series.get("time", np.empty(0))
    inside = time >= begin
    shown = (time[inside] - (zero or 0.0)) / factor
    since = _("simulated time t") if zero is None else Message("time from {event} t", event=zero_words(snapshot))
    axis = Axis(since, unit, over_time=True)
    rows = [entry for entry in snapshot.results.quantities if entry.plot is not None and entry.plot.name == plot]
    title = next((entry.plot.title for entry in rows if entry.plot is not None), EMPTY)
    curves = []
    for y, group in groupby(rows, lambda entry: entry.axis):
        entries = [*group]
        columns = {entry: snapshot.results.series.get(entry.name, np.empty(0)) for entry in entries}
        lines = tuple(
            Line(entry.label, shown, column[inside] / entry.scale)
            for entry, column in columns.items()
            if len(column) == len(time) and np.isfinite(column).any()
        )
        if lines:
            curves.append(Curve(entries[0].name, title, axis, y, lines, log=entries[0].log))
    return tuple(curves)
