"""The HTML page of `repose validate --report`: for every run its end picture, its plots, and its numbers beside those
expected."""

from __future__ import annotations

import io
import platform
from collections.abc import Sequence
from html import escape
from importlib import metadata

from repose.app.errors import WindowError
from repose.app.jobs.end_picture import draw_end
from repose.app.jobs.html_page import page, picture, table
from repose.app.jobs.requests import FilmRequest
from repose.app.storage.plot_files import Sheet, draw
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.named_records import curves_of
from repose.sim.io import presets
from repose.sim.message import plain, time_text
from repose.sim.study.validation import Comparison

PICTURE = FilmRequest(size="960x600", overlay="none")
TITLE = "Runs with known results"
KINDS = {True: ("agrees", "agrees"), False: ("differs", "differs")}
"""Class of a row and its word, by whether the number is as expected."""


def report_page(compared: Sequence[Comparison], facts: str) -> str:
    """The page: a table of all numbers, then every run; `facts` is one sentence about all of them."""
    rows: list[tuple[object, ...]] = []
    kinds: list[str] = []
    for comparison in compared:
        if comparison.trouble:
            rows.append((comparison.title, comparison.trouble, "–", "–", KINDS[False][1]))
            kinds.append(KINDS[False][0])
        for outcome in comparison.outcomes:
            kind, word = KINDS[outcome.holds]
            rows.append((comparison.title, outcome.statement, outcome.found, outcome.expected, word))
            kinds.append(kind)
    used = ", ".join(f"{name} {metadata.version(name)}" for name in ("repose", "numba", "numpy"))
    about = f"{used}, Python {platform.python_version()}, {platform.system()} {platform.machine()}. {facts}"
    parts = [
        f'<p class="facts">{escape(about)}</p>',
        table(("run", "statement", "found", "expected", ""), rows, kinds),
        *(_section(comparison) for comparison in compared),
    ]
    return page(TITLE, parts)


def _section(comparison: Comparison) -> str:
    experiment = comparison.experiment
    parts = [f'<h2 id="{escape(comparison.preset)}">{escape(comparison.title)}</h2>']
    if experiment is not None:
        parts += [
            f"<p>{escape(presets.load(comparison.preset).about)}</p>",
            f"<pre>repose run --preset {escape(comparison.preset)}</pre>",
            f'<div class="beside"><div>{_end(experiment)}</div><div>{_plots(comparison, experiment)}</div></div>',
        ]
        facts = (
            f"Scene {experiment.scene.name}, seed {experiment.seed}, {experiment.step} steps, "
            f"{time_text(experiment.time)} simulated, {comparison.seconds:.1f} s of wall time with compiling."
        )
        parts.append(f'<p class="facts">{escape(facts)}</p>')
    if comparison.trouble:
        parts.append(f'<p class="differs">{escape(comparison.trouble)}</p>')
    rows = [(each.statement, each.found, each.expected, KINDS[each.holds][1]) for each in comparison.outcomes]
    kinds = [KINDS[each.holds][0] for each in comparison.outcomes]
    parts.append(table(("statement", "found", "expected", ""), rows, kinds))
    return "\n".join(parts)


def _end(experiment: Experiment) -> str:
    """The last state of the run, or why there is no picture."""
    file = io.BytesIO()
    try:
        draw_end(experiment, PICTURE, file)
    except WindowError as error:
        return f'<p class="facts">No picture: {escape(str(error))}</p>'
    return picture(file.getvalue(), "png", f"End of the run of the scene {experiment.scene.name}")


def _plots(comparison: Comparison, experiment: Experiment) -> str:
    """The plots of the scene at the end of the run."""
    drawn = []
    for curve in curves_of(experiment):
        if any(len(line.x) for line in curve.lines):
            file = io.BytesIO()
            draw(Sheet(plain(comparison.title), plain(f"seed {experiment.seed}"), (curve,)), file)
            drawn.append(picture(file.getvalue(), "png", f"{curve.y.quantity} over {curve.x_label}"))
    return "\n".join(drawn)
