"""Plots as CSV, PNG, PDF and SVG files, with units and the parameters of the run.

The import of matplotlib takes half a second; it is therefore imported only when a plot is drawn.
"""

from __future__ import annotations

import csv
import io
import logging
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from operator import itemgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from repose.app.language import ENGLISH, Language, read_language
from repose.sim.measure.display import Curve, Line
from repose.sim.message import EMPTY, POINT, Message, _, joined, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCRIPT = re.compile(r"((?<=\b[^\W\d_])_|\^)([^\W_]+(?:\.[0-9]+)?)")
"""A subscript of a symbol of one letter, or a superscript: an underscore may also belong to a name."""
DPI = 160
"""Resolution of a picture of 1920 x 1080 pixels [1/inch]: its text has the size of text on a slide."""
PICTURE = (1920, 1080)
"""Size of a picture [pixel]."""
OURS, PUBLISHED = "#0b62b8", "#c4500a"
"""Colours of the results of this program and of published results."""
STYLES: dict[str, dict[str, Any]] = {
    "own": {"color": OURS, "marker": "o", "markersize": 9, "zorder": 5},
    "published": {"color": PUBLISHED, "marker": "s", "markersize": 14, "markerfacecolor": "white", "zorder": 3},
}
"""Styles of points by their source: different colours and shapes."""
WHOLE: dict[str, Any] = {"linestyle": "none", "clip_on": False}
"""Points on an axis, such as a flow rate of 0, are drawn whole."""
SINGLE: dict[str, Any] = {"marker": "x", "markersize": 8, "alpha": 0.6, "zorder": 4}
"""Style of single runs, in the colour of their means."""
MARKERS, GROUPS = "o^Dvph*s", (OURS, "#8a3fa0", "#007d7d", "#a57c00", "#b03060", "#6a8f00", "#40407a", "#000000")
"""Shapes and colours of the means of several groups of runs, in their order."""
OTHER_POINTS: dict[str, Any] = {"markersize": 8, "zorder": 4}
ROOM_AT_ZERO = 0.02
"""Fraction of the horizontal axis to the left of points at zero, so that the points are not cut."""
FIRST_HEIGHT = 1.5
"""Height of the first of several plots of a comparison over the height of the others."""
MOST_LARGE_ENTRIES = 5
"""Largest number of entries of a legend with text of full size."""
BARS: dict[str, Any] = {"elinewidth": 2.5, "capsize": 7, "capthick": 2.5, "markeredgewidth": 2.5}
LAWS = ((PUBLISHED, "--"), ("#5b5b5b", ":"), ("#2b7a3d", "-."))
"""Colours and dashes of lines that are not fitted to the points, in their order."""
TRACES = (
    OURS,
    "#c4500a",
    "#2b7a3d",
    "#8a3fa0",
    "#a57c00",
    "#007d7d",
    "#b03060",
    "#5b5b5b",
    "#6a8f00",
    "#40407a",
    "#000000",
)
"""Colours of quantities over time on one axis, in their order."""
SIZES = {"title": 22, "facts": 14, "label": 20, "ticks": 17, "legend": 16}
"""Text sizes of a picture with one plot [point]."""


@dataclass(frozen=True)
class Sheet:
    """A picture to write: plots one above the other, and their source."""

    title: Message
    facts: Message
    """Parameters, seed and program in words, under the title."""
    curves: tuple[Curve, ...]
    """Plots one above the other, with the horizontal axis of the lowest one."""
    source: Mapping[str, str] = field(default_factory=dict)
    """Program, scene, seed and every parameter with its unit, by name."""
    over_time: bool = False
    """True for quantities over time, False for points that are compared with laws."""
    language: str = ENGLISH
    """Code of the language of the picture; files are English, a page of a film has the language of the film."""


def write_csv(sheet: Sheet, file: BinaryIO) -> None:
    """Write comments with the source, then a table: one column per line if all lines have the same x, otherwise the
    lines one below the other."""
    text = io.StringIO(newline="")
    text.writelines(f"# {line}\n" for line in (sheet.title, *_source_lines(sheet)))
    table = csv.writer(text, lineterminator="\n")
    lines = [(curve, line) for curve in sheet.curves for line in curve.lines if len(line.x)]
    if lines and all(np.array_equal(line.x, lines[0][1].x) for __, line in lines):
        _write_wide(table, lines)
    else:
        _write_long(table, lines)
    file.write(text.getvalue().encode("utf-8"))


def _source_lines(sheet: Sheet) -> list[str]:
    return [f"{name}: {value}" for name, value in sheet.source.items()]


def _write_wide(table: Any, lines: list[tuple[Curve, Line]]) -> None:
    head, columns = [lines[0][0].x_label], [lines[0][1].x]
    for curve, line in lines:
        single = len(curve.lines) == 1
        head.append(curve.y_label if single else Message("{label}, {y_label}", label=line.label, y_label=curve.y_label))
        columns.append(line.y)
        if line.error is not None:
            head.append(Message("{scatter} of {head}", scatter=line.scatter, head=head[-1]))
            columns.append(line.error)
    table.writerow(head)
    table.writerows([_number(value) for value in row] for row in zip(*columns, strict=True))


def _write_long(table: Any, lines: list[tuple[Curve, Line]]) -> None:
    labels = (lines[0][0].x_label, lines[0][0].y_label) if lines else ("x", "y")
    table.writerow(["line", *labels, "error", "the error is"])
    for __, line in lines:
        errors = np.full(len(line.x), np.nan) if line.error is None else line.error
        kind = "" if line.error is None else line.scatter
        table.writerows([line.label, *map(_number, row), kind] for row in zip(line.x, line.y, errors, strict=True))


def _number(value: float) -> str:
    """The shortest decimal number with the same bits; empty for a missing value."""
    return repr(float(value)) if math.isfinite(value) else ""


def with_scripts(text: str, decimal: str = POINT) -> str:
    """A text whose symbols and units, such as R_p and N/m^1.5, have their scripts small and set off; exponents have
    this decimal sign."""

    def script(match: re.Match[str]) -> str:
        words = match[2].replace(POINT, decimal) if match[1] == "^" else match[2]
        return rf"${match[1]}\mathrm{{{words.replace(',', '{,}')}}}$"

    return SCRIPT.sub(script, text)


def open_figure(size: tuple[int, int]) -> Figure:
    """An empty figure for a picture of this size [pixel], with text as large as on a slide."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scale = min(size[0] / 1920, size[1] / 1080)
    figure = Figure(figsize=(size[0] / DPI / scale, size[1] / DPI / scale), dpi=DPI * scale, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


@contextmanager
def fonts_of_all_languages() -> Iterator[None]:
    """Letters that the font of matplotlib lacks, the Japanese ones, are drawn within the context."""
    from matplotlib import font_manager, rc_context

    path = str(files("repose.assets").joinpath("fonts", "NotoSansJP-Regular.otf"))
    font_manager.fontManager.addfont(path)
    name = font_manager.FontProperties(fname=path).get_name()
    complaints = logging.getLogger("matplotlib.font_manager")
    level = complaints.level
    complaints.setLevel(logging.ERROR)  # that this font has no bold letters concerns no user of the command line
    try:
        with rc_context({"font.family": ["sans-serif", name]}):
            yield
    finally:
        complaints.setLevel(level)


def save_figure(figure: Figure, title: str, description: str, file: BinaryIO, kind: str) -> None:
    """Write a figure as "png", "svg" or "pdf", with title and description, but without the time of writing, so that
    equal results give equal files."""
    from importlib import metadata

    program = f"Repose {metadata.version('repose')}"
    entries: dict[str, dict[str, str | None]] = {
        "png": {"Title": title, "Description": description, "Software": program},
        "svg": {"Title": title, "Description": description, "Creator": program, "Date": None},
        "pdf": {"Title": title, "Subject": description, "Creator": program, "CreationDate": None},
    }
    figure.savefig(file, format=kind, metadata=entries[kind])


def draw(sheet: Sheet, file: BinaryIO, size: tuple[int, int] = PICTURE, kind: str = "png") -> None:
    """Write the plot as PNG of `size` pixels, or as SVG or PDF with the same ratio of width to height."""
    figure = open_figure(size)
    language = read_language(sheet.language)
    count = len(sheet.curves)
    # Beside the plots of a comparison, a legend takes the rest of the width.
    small = textwrap.wrap(with_scripts(str(sheet.facts)), 110 if count == 1 or sheet.over_time else 80)
    sizes = {name: value * (1.0 if count == 1 else 0.75) for name, value in SIZES.items()}
    heights = [FIRST_HEIGHT, *[1.0] * (count - 1)] if not sheet.over_time else None
    rows = figure.subplots(count, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    rows[0].set_title(
        _written(sheet.title, language), fontsize=SIZES["title"], weight="bold", pad=12.0 + 18.0 * len(small)
    )
    under: dict[str, Any] = {"xytext": (0.0, 8.0), "textcoords": "offset points", "ha": "center", "va": "bottom"}
    rows[0].annotate(
        "\n".join(small), (0.5, 1.0), xycoords="axes fraction", fontsize=SIZES["facts"], color="#404040", **under
    )
    for axes, curve in zip(rows, sheet.curves, strict=True):
        if sheet.over_time:
            _draw_traces(axes, curve, sizes, language)
        else:
            _draw_comparison(axes, curve, language)
            if count == 1:
                _legend(axes, curve, sizes, language)
            elif axes is rows[0]:
                _legend_beside(axes, curve, sizes, language)
        narrow = sheet.over_time and count > 1
        y_label = (
            joined(filter(None, (curve.y.quantity, label_of(EMPTY, (""), curve.y.unit))), "\n")
            if narrow
            else curve.y_label
        )
        axes.set_ylabel(_written(y_label, language), fontsize=sizes["label"])
        axes.tick_params(labelsize=sizes["ticks"])
        _write_decimals(axes, curve, language)
        axes.grid(color="#d8d8d8")
    rows[-1].set_xlabel(_written(sheet.curves[-1].x_label, language), fontsize=sizes["label"])
    save_figure(figure, str(sheet.title), "\n".join((str(sheet.facts), *_source_lines(sheet))), file, kind)


def draw_axes(axes: Axes, curve: Curve) -> None:
    """Draw one comparison into a part of a figure."""
    sizes = {name: 0.62 * value for name, value in SIZES.items()}
    _draw_comparison(axes, curve, read_language(ENGLISH))
    _legend(axes, curve, sizes, read_language(ENGLISH))
    axes.set_xlabel(with_scripts(str(curve.x_label)), fontsize=SIZES["label"])
    axes.set_ylabel(with_scripts(str(curve.y_label)), fontsize=SIZES["label"])
    axes.tick_params(labelsize=SIZES["facts"])
    axes.grid(color="#d8d8d8")


WRITERS: dict[str, Callable[[Sheet, BinaryIO], None]] = {
    ".csv": write_csv,
    ".png": draw,
    ".svg": lambda sheet, file: draw(sheet, file, kind="svg"),
}
"""Functions that write a plot, by the suffix of its file."""


def _written(text: Message, language: Language) -> str:
    """A text in this language, with scripts."""
    return with_scripts(language.drawn(text), language.decimal)


def _write_decimals(axes: Axes, curve: Curve, language: Language) -> None:
    """Write the numbers of both axes with the decimal sign of the language; powers of ten have none."""
    if language.decimal == POINT:
        return
    from matplotlib.ticker import ScalarFormatter

    class Formatter(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(POINT, language.decimal)

    if not curve.log:
        axes.yaxis.set_major_formatter(Formatter())
    if not curve.log_x and not curve.ticks:
        axes.xaxis.set_major_formatter(Formatter())


def _draw_traces(axes: Axes, curve: Curve, sizes: dict[str, float], language: Language) -> None:
    """Draw quantities over time."""
    for index, line in enumerate(curve.lines):
        label = _written(line.label, language)
        axes.plot(line.x, line.y, color=TRACES[index % len(TRACES)], linewidth=1.8, label=label)
    if curve.log:
        axes.set_yscale("log", nonpositive="mask")
    if len(curve.lines) > 1:
        columns = 1 + len(curve.lines) // 6
        axes.legend(fontsize=sizes["legend"], loc="center left", bbox_to_anchor=(1.0, 0.5), ncols=columns)


def _draw_comparison(axes: Axes, curve: Curve, language: Language) -> None:
    """Draw points with error bars, and laws as lines."""
    laws = iter(LAWS * (1 + len(curve.lines) // len(LAWS)))
    for line in curve.lines:
        colour = GROUPS[line.group % len(GROUPS)]
        if line.points:
            _points(axes, line, colour, curve.stride(line))
        else:
            colour, dashes = (colour, "-") if line.fitted else next(laws)
            axes.plot(line.x, line.y, dashes, color=colour, linewidth=3.0, label=line.label)
    if curve.log_x:
        axes.set_xscale("log")
    if curve.ticks:
        axes.set_xticks(range(len(curve.ticks)), [language.drawn(words) for words in curve.ticks])
        axes.set_xlim(-0.5, len(curve.ticks) - 0.5)  # also names without a point have room
    if curve.log:
        axes.set_yscale("log", nonpositive="mask")
    else:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]) if _below_zero(curve) else 0.0)
    below = any(len(line.x) and float(np.nanmin(line.x)) < 0.0 for line in curve.lines)
    if not (curve.log_x or curve.ticks or below):
        left, right = axes.get_xlim()
        at_zero = any(line.points and len(line.x) and float(np.nanmin(line.x)) == 0.0 for line in curve.lines)
        axes.set_xlim(left=-ROOM_AT_ZERO * right if at_zero else 0.0 if curve.x_from_zero else max(0.0, left))


def _legend(axes: Axes, curve: Curve, sizes: dict[str, float], language: Language) -> None:
    """Draw the legend where it covers least; entries name the kind of their error bars."""
    entries = [(handle, _written(label, language)) for handle, label in _entries(axes, curve)]
    if entries:
        size = sizes["legend"] if len(entries) <= MOST_LARGE_ENTRIES else 0.75 * sizes["legend"]
        axes.legend(*zip(*entries), fontsize=size, loc="best", framealpha=0.95)


def _legend_beside(axes: Axes, curve: Curve, sizes: dict[str, float], language: Language) -> None:
    """Draw the legend at the right of several plots of the same lines; its title explains bars and crosses."""
    kinds = dict.fromkeys(line.scatter for line in curve.lines if line.error is not None)
    marks = [Message("bars: {kinds}", kinds=joined(kinds))] if kinds else []
    marks += [_("×: single runs")] if any(line.single and not line.label for line in curve.lines) else []
    named = len(kinds) > 1  # one kind is named in the title, several are named at their lines
    entries = [(handle, _written(label, language)) for handle, label in _entries(axes, curve, named)]
    if entries:
        legend = axes.legend(*zip(*entries), loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=sizes["legend"])
        legend.set_title("\n".join(language.drawn(mark) for mark in marks))
        legend.get_title().set_fontsize(sizes["legend"])
        legend.set_alignment("left")


def _entries(axes: Axes, curve: Curve, named: bool = True) -> list[tuple[Any, Message]]:
    """Handles and labels: points, then fitted laws, then other laws, each in the order of the curve; with `named` the
    labels name the kind of their error bars."""
    order = sorted(curve.lines, key=lambda line: (not line.points, not line.fitted))
    names = [str(_name(line)) for line in order]
    handles, labels = axes.get_legend_handles_labels()  # matplotlib lists points with bars last
    entries = sorted(((handle, names.index(label)) for handle, label in zip(handles, labels)), key=itemgetter(1))
    return [(handle, _name(order[position]) if named else order[position].label) for handle, position in entries]


def _below_zero(curve: Curve) -> bool:
    return any(len(line.y) and float(np.nanmin(line.y)) < 0.0 for line in curve.lines)


def _name(line: Line) -> Message:
    """The label, with the kind of the error bars."""
    return line.label if line.error is None else joined((line.label, line.scatter), " ± ")


def _points(axes: Axes, line: Line, colour: str, stride: int) -> None:
    if line.single:
        axes.plot(line.x, line.y, label=line.label or "_", color=colour, **WHOLE, **SINGLE)
        return
    style = STYLES.get(line.source, OTHER_POINTS | {"color": colour, "marker": MARKERS[line.group % len(MARKERS)]})
    if line.error is None:
        axes.plot(line.x, line.y, label=line.label, markevery=stride, **WHOLE, **style)
        return
    axes.errorbar(line.x, line.y, line.error, label=_name(line), **WHOLE, **BARS, **style)
