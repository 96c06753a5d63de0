"""Plots over simulated time: time span, vertical axes, marks where a parameter changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from imgui_bundle import imgui, implot
from numpy.typing import NDArray
from repose.app.figure import FigureAxis, Trace, figure_over_time
from repose.app.language import translated
from repose.app.render.text import text_width
from repose.app.render.theme import Colour, vector
from repose.app.storage.time_curves import axis_unit, opening, whole_span, zero_words
from repose.app.ui.places import TABS, shows_all
from repose.app.ui.plot_area import AxisRoom, draw_figure, pen
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import choose, draw_tooltip
from repose.sim.message import EMPTY, Message, _, joined, plain, time_text

Floats = NDArray[np.float64]

MOST_POINTS = 1500
"""Largest number of points per curve; a plot has fewer pixels."""
LINE, BROAD = 1.6, 2.4
"""Width of a line, and of the line of a chosen run, relative to the text."""
SINCE_OPENING = -1.0
"""Entry of `SPANS` for the time after the opening of the wall."""
SPANS = {
    SINCE_OPENING: _("from {zero} [{unit}]"),
    0.0: _("over all time [{unit}]"),
    20.0: _("over the last 20 s"),
    5.0: _("over the last 5 s"),
    1.0: _("over the last 1 s"),
}
"""Time spans of the plots [s], 0 for the whole run, and their labels."""
NEAR = 4.0
"""Distance from a mark within which the mouse shows its text [px]."""
LEAST_HEIGHT = 6.0
"""Least height of a plot [lines of text]: room for three ticks and their labels."""


def draw_over_time(
    ui: Ui,
    label: Message,
    curves: Mapping[str, tuple[float, Colour]],
    height: float | None = None,
    log: bool = False,
    ticks: bool = True,
    from_zero: bool = True,
) -> None:
    """Series of the snapshot, given by name with factor and colour, against simulated time, with a mark where a
    parameter changed."""
    imgui.text_colored(vector(ui.palette.muted), translated(label))
    choosable = shows_all(ui, TABS) or ui.mode.overlay  # the large plot has all its choices
    if ticks and choosable and _draw_span(ui) and height is not None:
        height -= imgui.get_text_line_height_with_spacing()
    elif ticks and not choosable:
        _draw_time_unit(ui)
    if height is not None:
        height -= imgui.get_text_line_height_with_spacing()
    room = height if height is not None else imgui.get_content_region_avail().y
    size = imgui.ImVec2(-1, max(room, LEAST_HEIGHT * imgui.get_text_line_height()))
    width = imgui.get_content_region_avail().x - 3.0 * imgui.get_font_size()
    zero = opening(ui.snapshot) or 0.0
    factor, unit = time_unit_of(ui)
    begin, end = ((position - zero) / factor for position in shown_span(ui))
    time = (thinned(shown_column(ui, "time")) - zero) / factor
    columns = [
        Trace(plain(name), time, thinned(shown_column(ui, name)) * scale, colour, LINE)
        for name, (scale, colour) in curves.items()
    ]
    axis = FigureAxis(plain(f"t [{unit}]"), begin, end)
    figure = figure_over_time(axis, label, columns, log, from_zero)
    rooms = AxisRoom(width, numbers=ticks), AxisRoom(size.y - imgui.get_text_line_height())
    draw_figure(f"##{label}", size, figure, rooms, pen(), draw_over=partial(_draw_marks, ui, zero, factor))


def time_unit_of(ui: Ui) -> tuple[float, str]:
    """Factor and unit of the time axis, by the time farthest from its zero [s]."""
    return axis_unit(ui.snapshot, shown_span(ui))


def _draw_time_unit(ui: Ui) -> None:
    """Write what the horizontal axis shows beside the label of the vertical one, where there is no list of spans."""
    words = plain(f"t [{time_unit_of(ui)[1]}]")
    imgui.same_line()
    spare = imgui.get_content_region_avail().x - text_width(words)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(spare, 0.0))
    imgui.text_colored(vector(ui.palette.muted), translated(words))
    ui.probe.mark("plots.time_unit")


def _draw_span(ui: Ui) -> bool:
    """Draw the list of time spans, one choice for all plots over time; returns True if it is on a line of its own."""
    choices = ui.settings.choices
    zero, unit = zero_words(ui.snapshot), time_unit_of(ui)[1]
    spans = {str(span): Message(text.template, zero=zero, unit=unit) for span, text in SPANS.items()}
    pad = imgui.get_style().frame_padding.x
    around = imgui.get_text_line_height() + pad
    widest = max(text_width(text) for text in spans.values()) + around
    chosen_now = choices.plot_span
    if opening(ui.snapshot) is None:
        del spans[str(SINCE_OPENING)]
        chosen_now = max(chosen_now, 0.0)
    beside = imgui.get_content_region_avail().x - imgui.get_item_rect_size().x - imgui.get_style().item_spacing.x
    fits = beside >= text_width(spans[str(chosen_now)]) + around
    if fits:
        imgui.same_line()
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(imgui.get_content_region_avail().x - widest, 0.0))
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(pad, 0.0))
    chosen = choose(ui, "plots.span", EMPTY, spans, str(chosen_now))
    imgui.pop_style_var()
    if chosen is not None:
        choices.plot_span = float(chosen)
    return not fits


def shown_span(ui: Ui) -> tuple[float, float]:
    """Begin and end of the time axis in simulated time [s]: the time after the opening, the last seconds, or all."""
    time, span = ui.snapshot.results.series.get("time", np.empty(0)), ui.settings.choices.plot_span
    end = float(time[-1]) if len(time) else 0.0
    end = end or 1.0  # a run that has not begun
    if span == SINCE_OPENING:
        return whole_span(ui.snapshot)
    return (max(end - span, 0.0) if span else 0.0), end


def shown_column(ui: Ui, name: str) -> Floats:
    """Samples of a series within the time span, and the sample before if the span begins between two samples."""
    time = ui.snapshot.results.series.get("time", np.empty(0))
    begin = shown_span(ui)[0]
    first = int(np.searchsorted(time, begin))
    first -= 0 if first == len(time) or time[first] == begin else min(first, 1)
    return ui.snapshot.results.series.get(name, np.empty(0))[first:]


def _draw_marks(ui: Ui, zero: float, factor: float) -> None:
    """Draw a thin line where a parameter changed; the mouse on the line shows the change.

    `zero` and `factor` are zero and unit of the time axis [s].
    """
    marks = ui.control.edits.all_marks
    if not marks:
        return
    times = (np.array([mark.time for mark in marks]) - zero) / factor
    grey = implot.Spec(
        line_color=vector(ui.palette.muted, 0.55), line_weight=ui.window.scale, flags=implot.ItemFlags_.no_fit
    )
    implot.plot_inf_lines("##changes", times, grey)
    if implot.is_plot_hovered():
        width = implot.get_plot_limits().x.size()
        reach = NEAR * ui.window.scale * width / max(implot.get_plot_size().x, 1.0)
        near = int(np.argmin(np.abs(times - implot.get_plot_mouse_pos().x)))
        if abs(times[near] - implot.get_plot_mouse_pos().x) < reach:
            x, y, high = implot.get_plot_pos().x, implot.get_plot_pos().y, implot.get_plot_size().y
            at = x + implot.get_plot_size().x * (times[near] - implot.get_plot_limits().x.min) / width
            area = (at - NEAR, y, at + NEAR, y + high)
            draw_tooltip(ui, joined((time_text(factor * times[near]), marks[near].text), ": "), area)


def thinned(series: Floats) -> Floats:
    """Every n-th sample, so that no curve has more points than can be seen; contiguous, as ImPlot requires."""
    stride = -(-len(series) // MOST_POINTS) if len(series) else 1
    return np.ascontiguousarray(series[::stride], dtype=np.float64)
