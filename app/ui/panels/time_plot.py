"""Plots over simulated time: time span, vertical axes, marks where a parameter changed."""

from __future__ import annotations

import math

import numpy as np
from imgui_bundle import imgui, implot
from numpy.typing import NDArray
from repose.app.render.text import friendly, text_width
from repose.app.render.theme import Colour, vector
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import choose

Floats = NDArray[np.float64]

MOST_POINTS = 1500
"""Per curve; a plot has fewer pixels than that."""
FEWEST_DECADES, MOST_DECADES = 2, 9
"""Shown on a logarithmic axis below the largest value."""
SPANS = {0.0: "over all time [s]", 20.0: "over the last 20 s", 5.0: "over the last 5 s", 1.0: "over the last 1 s"}
"""Time spans of the plots [s], 0 for the whole run, and their labels."""
NEAR = 4.0
"""Distance from a mark within which the mouse shows its text [px]."""


def draw_over_time(
    ui: Ui,
    label: str,
    curves: dict[str, tuple[str, float, Colour]],
    height: float | None = None,
    log: bool = False,
    ticks: bool = True,
    from_zero: bool = True,
) -> None:
    """Curves of the snapshot's series against simulated time, with a mark where a parameter changed."""
    imgui.text_colored(vector(ui.palette.muted), label)
    if ticks:
        _draw_span(ui)
    if height is not None:
        height -= imgui.get_text_line_height_with_spacing()
    size = imgui.ImVec2(-1, max(height if height is not None else imgui.get_content_region_avail().y, 60 * ui.scale))
    flags = implot.Flags_.no_title | implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_legend
    if not implot.begin_plot(f"##{label}", size, flags):
        return
    try:
        begin, end = _shown_span(ui)
        time = thinned(_column(ui, "time"))
        drawn = _finite(ui, curves, time, log)
        bare = implot.AxisFlags_.no_label
        implot.setup_axes("t [s]", "", bare if ticks else bare | implot.AxisFlags_.no_tick_labels, bare)
        low, high = _span([values for values, _ in drawn.values()], log, from_zero)
        implot.setup_axes_limits(begin, end, low, high, implot.Cond_.always)
        implot.setup_axis_format(implot.ImAxis_.y1, "%.3g")
        implot.setup_axis_format(implot.ImAxis_.x1, "%g")
        if log:
            implot.setup_axis_scale(implot.ImAxis_.y1, implot.Scale_.log10)
            implot.setup_axis_ticks(
                implot.ImAxis_.y1, *_decades(low, high, size.y / (2.5 * imgui.get_text_line_height())), False
            )
        for name, (values, colour) in drawn.items():
            implot.plot_line(name, time, values, implot.Spec(line_color=vector(colour), line_weight=1.6 * ui.scale))
        _draw_marks(ui)
    finally:
        implot.end_plot()


def _draw_span(ui: Ui) -> None:
    """The list of time spans, at the right; one choice for all plots over time."""
    choices = ui.settings.choices
    widest = max(text_width(text) for text in SPANS.values()) + imgui.get_frame_height()
    imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(imgui.get_content_region_avail().x - widest, 0.0))
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(imgui.get_style().frame_padding.x, 0.0))
    chosen = choose(ui, "plots.span", "", {str(span): text for span, text in SPANS.items()}, str(choices.plot_span))
    imgui.pop_style_var()
    if chosen is not None:
        choices.plot_span = float(chosen)


def _shown_span(ui: Ui) -> tuple[float, float]:
    """Begin and end of the time axis [s]: the whole run, or its last seconds."""
    time, span = ui.snapshot.series.get("time", np.empty(0)), ui.settings.choices.plot_span
    end = float(time[-1]) if len(time) else 1.0
    return (max(end - span, 0.0) if span else 0.0), end


def _column(ui: Ui, name: str) -> Floats:
    """Samples of a series within the time span, and the one before."""
    time = ui.snapshot.series.get("time", np.empty(0))
    first = max(int(np.searchsorted(time, _shown_span(ui)[0])) - 1, 0)
    return ui.snapshot.series.get(name, np.empty(0))[first:]


def _finite(
    ui: Ui, curves: dict[str, tuple[str, float, Colour]], time: Floats, log: bool
) -> dict[str, tuple[Floats, Colour]]:
    """Values and colour of every curve with finite values; a log axis omits values that are not positive."""
    drawn = {}
    for name, (key, factor, colour) in curves.items():
        values = thinned(_column(ui, key)) * factor
        if log:
            values = np.where(values > 0.0, values, np.nan)
        if len(values) == len(time) and np.isfinite(values).any():
            drawn[name] = np.ascontiguousarray(values), colour
    return drawn


def _span(curves: list[Floats], log: bool, from_zero: bool = True) -> tuple[float, float]:
    """Limits of the vertical axis; ImPlot's own fit is wrong if values are missing or zero."""
    if not curves:
        return (1e-6, 1.0) if log else (0.0, 1.0)
    low = min(float(np.nanmin(values)) for values in curves)
    high = max(float(np.nanmax(values)) for values in curves)
    if log:
        return min(max(low, high * 10.0**-MOST_DECADES), high * 10.0**-FEWEST_DECADES) / 2.0, high * 2.0
    room = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    if not from_zero:
        return low - room, high + room
    return min(low, 0.0) - (room if low < 0.0 else 0.0), high + room


def _decades(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """About `most` powers of ten inside the limits, never more than five, and how they are written."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    stride = max(1, math.ceil((last - first) / max(min(most, 5.0) - 1.0, 1.0)))
    powers = [power for power in range(first, last + 1) if power % stride == 0]
    return [10.0**power for power in powers], [friendly(f"1e{power:+d}") for power in powers]


def _draw_marks(ui: Ui) -> None:
    """A thin line where a parameter changed; the mouse on it shows the change."""
    marks = ui.edits.marks
    if not marks:
        return
    times = np.array([mark.time for mark in marks])
    grey = implot.Spec(line_color=vector(ui.palette.muted, 0.55), line_weight=ui.scale, flags=implot.ItemFlags_.no_fit)
    implot.plot_inf_lines("##changes", times, grey)
    if implot.is_plot_hovered():
        reach = NEAR * ui.scale * implot.get_plot_limits().x.size() / max(implot.get_plot_size().x, 1.0)
        near = int(np.argmin(np.abs(times - implot.get_plot_mouse_pos().x)))
        if abs(times[near] - implot.get_plot_mouse_pos().x) < reach:
            imgui.set_tooltip(f"{marks[near].time:.3f} s: {marks[near].text}")


def thinned(series: Floats) -> Floats:
    """Every n-th sample, so that no curve has more points than can be seen; contiguous, as ImPlot requires."""
    stride = -(-len(series) // MOST_POINTS) if len(series) else 1
    return np.ascontiguousarray(series[::stride], dtype=np.float64)
