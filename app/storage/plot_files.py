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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from repose.app.figure import Figure, FigureAxis, Trace, figure_on_paper
from repose.app.language import ENGLISH, Language, read_language
from repose.sim.measure.display import Curve, Line
from repose.sim.message import EMPTY, POINT, Message, _, joined, label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

SCRIPT = re.compile(r"((?<=\b[^\W\d_])_|\^)([^\W_]+(?:\.[0-9]+)?)")
"""A subscript of a symbol of one letter, or a superscript: an underscore may also belong to a name."""
DPI = 160
"""Resolution of a picture of 1920 x 1080 pixels [1/inch]: its text has the size of text on a slide."""
PICTURE = (1920, 1080)
"""Size of a picture [pixel]."""
Entry = tuple[Any, Trace]
"""What matplotlib has drawn of a series, and the series."""
WHOLE: dict[str, Any] = {"linestyle": "none", "clip_on": False}
"""Points on an axis, such as a flow rate of 0, are drawn whole."""
FIRST_HEIGHT = 1.5
"""Height of the first of several plots of a comparison over the height of the others."""
MOST_LARGE_ENTRIES = 5
"""Largest number of entries of a legend with text of full size."""
BARS: dict[str, Any] = {"elinewidth": 2.5, "capsize": 7, "capthick": 2.5, "markeredgewidth": 2.5}
GRID = "#d8d8d8"
"""Colour of the grid."""
SIZES = {"title": 22, "facts": 14, "label": 20, "ticks": 17, "legend": 16}
"""Text sizes of a picture with one plot [point]."""


@dataclass(frozen=True)
class Style:
    """Size, letters and lines of a picture."""

    inches: tuple[float, float]
    """Width and height [inch]."""
    dpi: float
    """Resolution of what is drawn in pixels [1/inch]."""
    sizes: Mapping[str, float]
    """Text sizes by their use [point]."""
    strokes: float = 1.0
    """Width of lines and size of marks relative to those of a slide [-]."""
    for_print: bool = False
    """Whether title and facts are left to the caption, and the legend stands below the plots, so that they keep the
    whole width."""
    kinds: tuple[str, ...] = ("png", "pdf")
    """Kinds of files that a study writes."""


def slide(size: tuple[int, int] = PICTURE) -> Style:
    """A picture of this size [pixel], with text as large as on a slide."""
    scale = min(size[0] / 1920, size[1] / 1080)
    return Style((size[0] / DPI / scale, size[1] / DPI / scale), DPI * scale, SIZES)


def journal(columns: int) -> Style:
    """A picture as wide as one column of a journal (85 mm) or as two (170 mm), with all text in 8 pt."""
    width = 85.0 * columns / 25.4
    return Style(
        (width, width * (0.8 if columns == 1 else 0.5)), 600.0, dict.fromkeys(SIZES, 8.0), 0.4, True, ("pdf", "svg")
    )


JOURNAL = {"journal": journal(1), "journal-wide": journal(2)}
"""Styles for print, by their names on the command line."""


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


def open_figure(style: Style) -> Picture:
    """An empty figure of this style."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    figure = Picture(figsize=style.inches, dpi=style.dpi, layout="constrained")
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


def save_figure(figure: Picture, title: str, description: str, file: BinaryIO, kind: str) -> None:
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


SLIDE = slide()


def draw(sheet: Sheet, file: BinaryIO, style: Style = SLIDE, kind: str = "png") -> None:
    """Write the plot as "png", "svg" or "pdf"."""
    figure = open_figure(style)
    language = read_language(sheet.language)
    count = len(sheet.curves)
    if style.for_print:  # several plots need the height for the labels of their axes
        figure.set_size_inches(style.inches[0], style.inches[1] * (1.0 + 0.4 * (count - 1)))
    # Beside the plots of a comparison, a legend takes the rest of the width.
    small = textwrap.wrap(with_scripts(str(sheet.facts)), 110 if count == 1 or sheet.over_time else 80)
    sizes = {name: value * (1.0 if count == 1 or style.for_print else 0.75) for name, value in style.sizes.items()}
    heights = [FIRST_HEIGHT, *[1.0] * (count - 1)] if not sheet.over_time else None
    rows = figure.subplots(count, 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    if not style.for_print:
        rows[0].set_title(
            _written(sheet.title, language), fontsize=style.sizes["title"], weight="bold", pad=12.0 + 18.0 * len(small)
        )
        under: dict[str, Any] = {"xytext": (0.0, 8.0), "textcoords": "offset points", "ha": "center", "va": "bottom"}
        rows[0].annotate(
            "\n".join(small),
            (0.5, 1.0),
            xycoords="axes fraction",
            fontsize=style.sizes["facts"],
            color="#404040",
            **under,
        )
    for axes, curve in zip(rows, sheet.curves, strict=True):
        entries = draw_figure(axes, figure_on_paper(curve, sheet.over_time), language, style.strokes)
        if style.for_print:
            if axes is rows[0]:
                legend_below(figure, entries, style, language)
        elif sheet.over_time:
            _legend_of_traces(axes, entries, sizes, language)
        elif count == 1:
            _legend(axes, entries, sizes, language)
        elif axes is rows[0]:
            _legend_beside(axes, curve, entries, sizes, language)
        y = curve.y
        narrow = sheet.over_time and count > 1
        label = joined(filter(None, (y.quantity, label_of(EMPTY, (""), y.unit))), "\n") if narrow else y.label
        name_axes(axes, "", _written(label, language), sizes["label"], sizes["ticks"])
    _widen(rows[0], sheet.curves)
    rows[-1].set_xlabel(_written(sheet.curves[-1].x_label, language), fontsize=sizes["label"])
    save_figure(figure, str(sheet.title), "\n".join((str(sheet.facts), *_source_lines(sheet))), file, kind)


def _widen(axes: Axes, curves: Sequence[Curve]) -> None:
    """Let the axis that plots share reach the last value of all of them; the first plot has set it for its own."""
    values = [line.x[np.isfinite(line.x)] for curve in curves for line in curve.lines]
    last, (low, high) = max((float(one.max()) for one in values if one.size), default=-math.inf), axes.get_xlim()
    if last > high:
        axes.set_xlim(low, last + 0.05 * (last - low))


def draw_axes(axes: Axes, curve: Curve, style: Style = SLIDE) -> None:
    """Draw one comparison into a part of a figure."""
    sizes = {name: (1.0 if style.for_print else 0.62) * value for name, value in style.sizes.items()}
    language = read_language(ENGLISH)
    _legend(axes, draw_figure(axes, figure_on_paper(curve), language, style.strokes), sizes, language)
    labels = (_written(curve.x_label, language), _written(curve.y_label, language))
    name_axes(axes, *labels, style.sizes["label"], style.sizes["facts"])


def name_axes(
    axes: Axes, x_label: str, y_label: str, size: float = SIZES["label"], ticks: float = SIZES["facts"]
) -> None:
    """Label both axes, and draw the grid."""
    axes.set_xlabel(x_label, fontsize=size)
    axes.set_ylabel(y_label, fontsize=size)
    axes.tick_params(labelsize=ticks)
    axes.grid(color=GRID)


WRITERS: dict[str, Callable[[Sheet, BinaryIO], None]] = {
    ".csv": write_csv,
    ".png": draw,
    ".svg": lambda sheet, file: draw(sheet, file, kind="svg"),
}
"""Functions that write a plot, by the suffix of its file."""


def _written(text: Message, language: Language) -> str:
    """A text in this language, with scripts."""
    return with_scripts(language.drawn(text), language.decimal)


def draw_figure(axes: Axes, figure: Figure, language: Language | None = None, strokes: float = 1.0) -> list[Entry]:
    """Draw a figure into a part of a picture, without its legend and the labels of its axes; returns the entries of the
    legend. Lines and marks are `strokes` times as large as on a slide."""
    language = language or read_language(ENGLISH)
    drawn = {id(series): _draw_series(axes, series, strokes) for series in figure.series}
    if figure.x.log:
        axes.set_xscale("log")
    if figure.x.ticks is not None:
        places, words = zip(*figure.x.ticks, strict=True)
        axes.set_xticks(places, [language.drawn(word) for word in words])
    if figure.y.log:
        axes.set_yscale("log", nonpositive="mask")
    _set_limits(axes.get_xlim, axes.set_xlim, figure.x)
    _set_limits(axes.get_ylim, axes.set_ylim, figure.y)
    for axis, shown in ((axes.xaxis, figure.x), (axes.yaxis, figure.y)):
        if language.decimal != POINT and not (shown.log or shown.ticks):  # powers of ten have no decimal sign
            axis.set_major_formatter(_with_decimal_sign(language.decimal))
    return [(drawn[id(series)], series) for series in figure.legend]


def _set_limits(present: Callable[[], tuple[float, float]], limit: Callable[..., object], axis: FigureAxis) -> None:
    low, high = present()
    if axis.low is not None:
        limit(axis.low - axis.room * high, axis.high)
    elif axis.floor is not None:
        limit(max(axis.floor, low), axis.high)


def _draw_series(axes: Axes, series: Trace, strokes: float) -> Any:
    """Draw a line or a staircase, or marks with error bars; returns what a legend shows of it."""
    look: dict[str, Any] = {"color": series.colour}
    look |= {"alpha": series.opacity} if series.opacity < 1.0 else {}
    if not series.mark:
        look |= {"linestyle": series.dashes, "linewidth": strokes * series.width}
        look |= {"drawstyle": f"steps-{series.steps}"} if series.steps else {}
        return axes.plot(series.x, series.y, **look)[0]
    look |= {"marker": series.mark, "markersize": strokes * series.size, "zorder": series.layer}
    look |= {"markerfacecolor": "white"} if series.hollow else {}
    if series.error is None:
        return axes.plot(series.x, series.y, markevery=series.stride, **WHOLE, **look)[0]
    bars = {name: strokes * width for name, width in BARS.items()}
    return axes.errorbar(series.x, series.y, series.error, **WHOLE, **bars, **look)


def _with_decimal_sign(sign: str) -> Any:
    """Numbers of an axis with this decimal sign."""
    from matplotlib.ticker import ScalarFormatter

    class Formatter(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(super().__call__(x, pos)).replace(POINT, sign)

    return Formatter()


def _legend_of_traces(axes: Axes, entries: list[Entry], sizes: dict[str, float], language: Language) -> None:
    """Draw the legend of quantities over time at the right of their axis."""
    if entries:
        columns = 1 + len(entries) // 6
        place_legend(
            axes,
            entries,
            language,
            fontsize=sizes["legend"],
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            ncols=columns,
        )


def _legend(axes: Axes, entries: list[Entry], sizes: dict[str, float], language: Language) -> None:
    """Draw the legend where it covers least; entries name the kind of their error bars."""
    if entries:
        size = sizes["legend"] if len(entries) <= MOST_LARGE_ENTRIES else 0.75 * sizes["legend"]
        place_legend(axes, entries, language, fontsize=size, loc="best", framealpha=0.95)


def _legend_beside(axes: Axes, curve: Curve, entries: list[Entry], sizes: dict[str, float], language: Language) -> None:
    """Draw the legend at the right of several plots of the same lines; its title explains bars and crosses."""
    kinds = dict.fromkeys(line.scatter for line in curve.lines if line.error is not None)
    marks = [Message("bars: {kinds}", kinds=joined(kinds))] if kinds else []
    marks += [_("×: single runs")] if any(line.single and not line.label for line in curve.lines) else []
    if entries:
        named = len(kinds) > 1  # one kind is named in the title, several are named at their lines
        legend = place_legend(
            axes, entries, language, named, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=sizes["legend"]
        )
        legend.set_title("\n".join(language.drawn(mark) for mark in marks))
        legend.get_title().set_fontsize(sizes["legend"])
        legend.set_alignment("left")


def legend_below(figure: Picture, entries: list[Entry], style: Style, language: Language) -> None:
    """Draw the legend of all plots below them, in one column of a narrow picture and two of a wide one; the picture
    becomes higher by its lines."""
    if not entries:
        return
    columns = 1 if style.inches[0] < 4.0 else min(2, len(entries))
    lines = -(-len(entries) // columns)
    figure.set_size_inches(style.inches[0], figure.get_figheight() + 1.3 * lines * style.sizes["legend"] / 72.0)
    words = [_written(series.named, language) for _, series in entries]
    handles = [handle for handle, _ in entries]
    figure.legend(
        handles, words, loc="outside lower center", ncols=columns, fontsize=style.sizes["legend"], frameon=False
    )


def place_legend(
    axes: Axes, entries: list[Entry], language: Language | None = None, named: bool = True, **how: Any
) -> Any:
    """Draw a legend; with `named` the labels name the kind of their error bars."""
    language = language or read_language(ENGLISH)
    handles = [handle for handle, _ in entries]
    labels = [_written(series.named if named else series.label, language) for _, series in entries]
    return axes.legend(handles, labels, **how)
