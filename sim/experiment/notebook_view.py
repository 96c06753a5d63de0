"""How a run and its results show themselves in a notebook (Jupyter): picture, parameters and readings as HTML.

Every text is escaped: names of parameters, messages and values of a plug-in are text there, no HTML.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.named_records import readings_of
from repose.sim.measure.display import Reading
from repose.sim.parameters import ParameterError

MOST_DRAWN = 5000
"""Most spheres of a picture in a notebook, which is stored in its file: 0.1 MB per 1000."""
HEIGHT = 320
"""Largest height of the picture [pixel of the browser]."""


def html_of(experiment: Experiment, heading: str) -> str:
    """Picture, readings and parameters of a run at present; parameters that differ from their defaults come first."""
    values = experiment.parameters.in_units()
    given = experiment.parameters.given
    rows = [
        (
            f"{entry.quantity.label} {entry.quantity.symbol}".strip(),
            str(entry.shown(given(name))),
            getattr(experiment.parameters, name) != entry.default,
        )
        for name, entry in values.items()
    ]
    rows.sort(key=lambda row: not row[2])
    readings = [_row(reading) for reading in readings_of(experiment) if math.isfinite(reading.value)]
    fault = "" if experiment.fault is None else f"<p><strong>{escape(str(experiment.fault.message))}</strong></p>"
    return (
        f"<div><p><strong>{escape(heading)}</strong></p>{fault}{_picture(experiment)}"
        f"{_table('Readings', readings)}"
        f"<details><summary>Parameters</summary>{_table('', [row[:2] for row in rows], [row[2] for row in rows])}"
        "</details></div>"
    )


def _picture(experiment: Experiment) -> str:
    """Grains and forces as a vector graphic."""
    count = experiment.run.world.sphere_count
    if count > MOST_DRAWN:
        return f"<p>{count} spheres: more than {MOST_DRAWN} are not drawn here; repose.app.jobs.notebook.live does.</p>"
    if not count:
        return "<p>There are no spheres yet.</p>"
    # These import scipy.spatial, and the window, which starts without it, imports this module by way of `Simulation`.
    from repose.sim.experiment.export_state import state_of
    from repose.sim.io.export_svg import vector_graphic

    file = io.BytesIO()
    with vector_graphic(file) as add:
        add(state_of(experiment))
    text = file.getvalue().decode("utf-8")
    head, body = text[text.index("<svg") :].split(">", 1)
    style = f'style="max-width: 100%; max-height: {HEIGHT}px; height: auto; background: white"'
    return f"{head} {style}>{body}"


def _row(reading: Reading) -> tuple[str, str]:
    shown = reading.readable()
    error = f" ± {shown.error:.2g}" if shown.error is not None and math.isfinite(shown.error) else ""
    return str(shown.whole_label), f"{shown.digits}{error} {shown.unit}".strip()


def _table(heading: str, rows: Sequence[tuple[str, str]], bold: Sequence[bool] = ()) -> str:
    if not rows:
        return ""
    marks = bold or [False] * len(rows)
    cells = "".join(
        f"<tr><td style='text-align: left'>{_marked(label, mark)}</td><td>{_marked(value, mark)}</td></tr>"
        for (label, value), mark in zip(rows, marks, strict=True)
    )
    caption = f"<caption>{escape(heading)}</caption>" if heading else ""
    return f"<table>{caption}{cells}</table>"


def _marked(text: str, bold: bool) -> str:
    return f"<strong>{escape(text)}</strong>" if bold else escape(text)


class RunResults(dict[str, Any]):
    """The content of result.json, which shows itself as a table in a notebook."""

    def _repr_html_(self) -> str:
        rows = [(name, _written(value)) for name, value in flat(self) if value is not None]
        return f"<div style='max-height: 26em; overflow: auto'>{_table('', rows)}</div>"

    def to_frame(self) -> Any:
        """A table of pandas with one row: numbers and texts by their names, as "angle_of_repose.degrees"; raises
        `ParameterError` without pandas."""
        return pandas().DataFrame([dict(flat(self))])


def flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Numbers, texts and missing values with their whole names; lists are left out."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name}.")
        elif not isinstance(value, list | tuple):
            yield f"{before}{name}", value


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def pandas() -> Any:
    """The library pandas; raises `ParameterError` without it."""
    try:
        import pandas
    except ImportError:
        raise ParameterError("Tables need the package pandas, which is not installed: pip install pandas.") from None
    return pandas
