"""The picture of a sweep: what was measured with error bars, beside published values and laws."""

from __future__ import annotations

import textwrap
from typing import Any, BinaryIO

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from repose.sim.measure.display import Curve, Line

DPI = 160
"""Dots per inch a picture of 1920 x 1080 is drawn with: text then stands as large as on a slide."""
OURS, PUBLISHED = "#0b62b8", "#c4500a"
STYLES: dict[str, dict[str, Any]] = {
    "mean": {"color": OURS, "marker": "o", "markersize": 9, "zorder": 5},
    "published": {"color": PUBLISHED, "marker": "s", "markersize": 14, "markerfacecolor": "white", "zorder": 3},
    "single runs": {"color": OURS, "marker": "x", "markersize": 8, "alpha": 0.6, "zorder": 4},
}
"""Of points, by label; told apart by shape too."""
BARS: dict[str, Any] = {"elinewidth": 2.5, "capsize": 7, "capthick": 2.5, "markeredgewidth": 2.5}
LAWS = ((PUBLISHED, "--"), ("#5b5b5b", ":"), ("#2b7a3d", "-."))
"""Colours and dashes of laws that are not fitted here, in their order."""


def draw(curve: Curve, title: tuple[str, str], size: tuple[int, int], file: BinaryIO) -> None:
    """Write the curve as PNG of `size` pixels under `title`, a headline and a smaller line."""
    scale = min(size[0] / 1920, size[1] / 1080)
    figure = Figure(figsize=(size[0] / DPI / scale, size[1] / DPI / scale), dpi=DPI * scale, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    small = textwrap.wrap(title[1], 110)
    headline = f"{title[0]}: {curve.heading[:1].lower()}{curve.heading[1:]}"
    axes.set_title(headline, fontsize=22, weight="bold", pad=12.0 + 18.0 * len(small))
    under: dict[str, Any] = {"xytext": (0.0, 8.0), "textcoords": "offset points", "ha": "center", "va": "bottom"}
    axes.annotate("\n".join(small), (0.5, 1.0), xycoords="axes fraction", fontsize=14, color="#404040", **under)
    names = [_name(line) for line in curve.lines]
    laws = iter(LAWS * (1 + len(curve.lines) // len(LAWS)))
    for line in curve.lines:
        if line.points:
            _points(axes, line)
        else:
            colour, dashes = (OURS, "-") if line.fitted else next(laws)
            axes.plot(line.x, line.y, dashes, color=colour, linewidth=3.0, label=line.label)
    axes.set_xlabel(curve.x_label, fontsize=20)
    axes.set_ylabel(curve.y_label, fontsize=20)
    axes.tick_params(labelsize=17)
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(left=max(0.0, axes.get_xlim()[0]))
    axes.grid(color="#d8d8d8")
    handles, labels = axes.get_legend_handles_labels()  # points with bars come last, whatever the order of drawing
    ordered = sorted(zip(handles, labels), key=lambda entry: names.index(entry[1]))
    axes.legend(*zip(*ordered), fontsize=16, loc="upper left", framealpha=0.95)
    figure.savefig(file, format="png")


def _name(line: Line) -> str:
    """The label, with what the bars are."""
    return line.label if line.error is None else f"{line.label} ± {line.scatter}"


def _points(axes: Axes, line: Line) -> None:
    style = STYLES[line.label]
    if line.error is None:
        axes.plot(line.x, line.y, linestyle="none", label=line.label, **style)
        return
    axes.errorbar(line.x, line.y, line.error, linestyle="none", label=_name(line), **BARS, **style)
