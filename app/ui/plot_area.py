"""Figures in the window, drawn by ImPlot without its own menus, legend and title, and with room for the labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.figure import Figure, FigureAxis, Trace
from repose.app.language import translated
from repose.app.render.text_size import TEXT_SIZE
from repose.app.render.theme import vector
from repose.app.ui.axis_ticks import set_axis
from repose.sim.message import _

BARE = (
    implot.Flags_.no_title
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_legend
    | implot.Flags_.no_mouse_text
)
REACH = 0.36
"""Length by which a number at the end of an axis extends beyond the axis [heights of the text]: half a digit."""


def pen() -> float:
    """Unit of the widths of lines and marks, which have a fixed ratio to the present text: the marks of a large plot
    are seen as far as its text is [px at scale 1]."""
    return float(imgui.get_font_size()) / TEXT_SIZE


@contextmanager
def plot_area(name: str, size: imgui.ImVec2, flags: int = 0) -> Iterator[bool]:
    """Begin a plot of this size [px] and end it; yields False if ImPlot draws no plot.

    The paddings are so large that the numbers of the two axes do not overlap at their corner, nor the line of text
    above the plot, at any size of the text.
    """
    style, reach = implot.get_style(), REACH * imgui.get_font_size()
    paddings = {implot.StyleVar_.plot_padding: style.plot_padding, implot.StyleVar_.label_padding: style.label_padding}
    for variable, x, y in [(variable, padding.x, padding.y) for variable, padding in paddings.items()]:
        implot.push_style_var(variable, imgui.ImVec2(x, max(y, reach)))
    shown = implot.begin_plot(name, size, BARE | flags)
    try:
        yield shown
    finally:
        if shown:
            implot.end_plot()
        implot.pop_style_var(len(paddings))


class AxisRoom(NamedTuple):
    """How the window shows an axis."""

    length: float
    """Length for the numbers at its ticks [px]."""
    name: str = ""
    """Label beside the axis, as it is drawn; empty for none."""
    numbers: bool = True
    """Whether the ticks have numbers."""


def draw_figure(
    name: str,
    size: imgui.ImVec2,
    figure: Figure,
    rooms: tuple[AxisRoom, AxisRoom],
    unit: float,
    flags: int = 0,
    draw_over: Callable[[], None] = lambda: None,
) -> None:
    """Draw a figure whose axes have both limits on an area of this size [px], with widths and sizes in `unit` [px];
    `draw_over` adds marks to the plot."""
    with plot_area(name, size, flags) as shown:
        if shown:
            _set_up(figure, rooms)
            for number, series in enumerate(figure.series):
                _draw_series(series, number, unit)
            if not any(np.isfinite(series.y).any() for series in figure.series):
                _write_in_the_middle(translated(_("no values yet")))
            draw_over()


def _write_in_the_middle(words: str) -> None:
    """Write words into the middle of the plot, on as many lines as its width needs."""
    low, room = implot.get_plot_pos(), implot.get_plot_size()
    size = imgui.calc_text_size(words, False, room.x)
    at = imgui.ImVec2(low.x + 0.5 * max(room.x - size.x, 0.0), low.y + 0.5 * (room.y - size.y))
    ink = imgui.get_color_u32(imgui.Col_.text_disabled)
    font = imgui.get_font()
    implot.get_plot_draw_list().add_text(font, imgui.get_font_size(), at, ink, words, room.x)


def _set_up(figure: Figure, rooms: tuple[AxisRoom, AxisRoom]) -> None:
    bare, unnumbered = implot.AxisFlags_.no_label, implot.AxisFlags_.no_tick_labels
    flags = [(0 if room.name else bare) | (0 if room.numbers else unnumbered) for room in rooms]
    implot.setup_axes(rooms[0].name, rooms[1].name, *map(int, flags))
    implot.setup_axes_limits(*figure.x.ends, *figure.y.ends, implot.Cond_.always)
    for place, axis, room in zip((implot.ImAxis_.x1, implot.ImAxis_.y1), (figure.x, figure.y), rooms, strict=True):
        _set_ticks(place, axis, room)


def _set_ticks(place: Any, axis: FigureAxis, room: AxisRoom) -> None:
    if axis.ticks is None:
        set_axis(place, *axis.ends, room.length, axis.log, room.numbers)
        return
    if axis.log:
        implot.setup_axis_scale(place, implot.Scale_.log10)
    values, words = zip(*axis.ticks, strict=True)
    implot.setup_axis_ticks(place, list(values), [translated(word) for word in words], False)


def _draw_series(series: Trace, number: int, unit: float) -> None:
    """Draw a line, or a mark at every point; if there are many points over time, at every `stride`-th one."""
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (series.x, series.y))
    if not len(x):
        return
    name, ink = f"{series.label}##{number}", vector(series.colour)
    if not series.mark:
        implot.plot_line(name, x, y, implot.Spec(line_color=ink, line_weight=series.width * unit))
        return
    if series.error is not None:
        error = np.ascontiguousarray(series.error, dtype=np.float64)
        bars = implot.Spec(line_color=ink, line_weight=2.0 * unit, size=4.0 * unit)
        implot.plot_error_bars(f"##bars {number}", x, y, error, bars)
    disc = series.mark == "o"
    kind = implot.Marker_.circle if disc else implot.Marker_.cross
    mark: dict[str, Any] = {
        "marker": kind,
        "marker_size": series.size * unit,
        "marker_fill_color": ink,
        "marker_line_color": ink,
    }
    if series.width > 0.0:
        implot.plot_line(name, x, y, implot.Spec(line_color=ink, line_weight=series.width * unit, **mark))
        return
    points = implot.Spec(
        line_weight=1.0 if disc else 1.4 * unit,  # a broad outline of a circle has corners
        flags=implot.ScatterFlags_.no_clip,  # a mark on an axis is not cut in half
        **mark,
    )
    stride = series.stride
    implot.plot_scatter(name, np.ascontiguousarray(x[::stride]), np.ascontiguousarray(y[::stride]), points)
