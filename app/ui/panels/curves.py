"""Plots of a scene: its run beside the expected law, and the comparison of its runs."""

from __future__ import annotations

import math

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.language import translated
from repose.app.render.colours import category, to_srgb
from repose.app.render.text import draw_text, in_one_piece, shortened, text_width
from repose.app.render.theme import Colour, colour32, vector
from repose.app.ui.axis_ticks import set_axis
from repose.app.ui.plot_area import pen, plot_area
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tooltip
from repose.sim.measure.display import Curve, Line
from repose.sim.message import Message, joined

MARGIN = 0.06
"""Margin between the data and the edges of the plot, as a fraction of the range of the data [-]."""
SMALLEST = 0.7
"""Smallest size of a heading wider than its panel, relative to running text."""
LEAST_PLOT = 110.0
"""Height of a plot below which table and legend are not shown [px at scale 1]; the large plot shows them."""
LEAST_LINES = 6.0
"""Least height of a plot [lines of text]."""
ROOM = 1.25
"""Factor by which a logarithmic axis extends beyond its decades."""
NOTE = 0.86
"""Size of the note under the heading, relative to normal text [-]."""
SIZES = (1.0, 0.9, 0.8)
"""Sizes of the labels in place of the heading, the first that fits, relative to normal text [-]."""
NEAR_ZERO = 0.6
"""An axis begins at zero if the lowest value is below this share of the highest."""


def draw_curve(ui: Ui, curve: Curve) -> None:
    """Draw points with errors over lines, axes with units, and below them legend and table if they fit."""
    style, line = imgui.get_style(), imgui.get_text_line_height()
    free = imgui.get_content_region_avail().y
    start = imgui.get_cursor_screen_pos()
    imgui.dummy(imgui.ImVec2(1.0, line))
    free -= imgui.get_text_line_height_with_spacing()
    if curve.note:
        free -= _draw_note(ui, curve.note)
    least = LEAST_PLOT * ui.window.scale
    legend = _legend_height(curve)
    legend = legend if free - legend >= least else 0.0
    table = len(curve.table) * (line + 2.0 * style.cell_padding.y) + style.item_spacing.y if curve.table else 0.0
    table = table if free - legend - table >= least else 0.0
    size = imgui.ImVec2(-1, max(free - legend - table, LEAST_LINES * line))
    # A label longer than its axis would overlap the others.
    named = size.y - 3.0 * line > text_width(curve.y_label)
    heading = (
        curve.heading if named else Message("{y_label} over {x_label}", y_label=curve.y_label, x_label=curve.x_label)
    )
    below = size.y - imgui.get_text_line_height_with_spacing()
    if not legend and not named and below >= LEAST_LINES * line:  # the heading has the units: labels come below it
        if _draw_labels(ui, curve, imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x):
            imgui.dummy(imgui.ImVec2(1.0, line))
            size.y = below
        _draw_heading(ui, heading, start)
    elif legend or not _draw_labels(
        ui, curve, start, imgui.get_content_region_avail().x, "" if named else units_of(curve)
    ):
        _draw_heading(ui, heading or curve.title, start)
    length = imgui.ImVec2(imgui.get_content_region_avail().x - 5.0 * line, size.y - (3.5 if named else 2.0) * line)
    with plot_area(f"##{curve.name}", size) as shown:
        if shown:
            (left, right), (low, high) = limits(curve)
            bare = 0 if named else int(implot.AxisFlags_.no_label)
            implot.setup_axes(in_one_piece(curve.x_label), in_one_piece(curve.y_label), bare, bare)
            implot.setup_axes_limits(left, right, low, high, implot.Cond_.always)
            set_axis(implot.ImAxis_.x1, left, right, length.x, log=curve.log_x)
            set_axis(implot.ImAxis_.y1, low, high, length.y, log=curve.log)
            for entry, colour in _by_prominence(ui, curve):
                _draw_line(entry, colour, curve.stride(entry))
    if legend:
        _draw_legend(ui, curve)
    if table:
        _draw_table(ui, curve)


def _draw_heading(ui: Ui, heading: Message, start: imgui.ImVec2) -> None:
    """Draw the heading of a plot, in smaller letters if it is wider than the panel."""
    fitting = imgui.get_content_region_avail().x / max(text_width(heading), 1.0)
    draw_text(start.x, start.y, heading, ui.palette.muted, min(1.0, max(fitting, SMALLEST)))


def _draw_note(ui: Ui, words: Message) -> float:
    """Draw the note that says which runs are plotted, shortened to one line; returns its height [px]."""
    room = imgui.get_content_region_avail().x
    shown = shortened(words, room, NOTE)
    position = imgui.get_cursor_screen_pos()
    draw_text(position.x, position.y, shown, ui.palette.text, NOTE)
    imgui.dummy(imgui.ImVec2(room, NOTE * imgui.get_text_line_height()))
    ui.probe.mark("plot.note")
    if shown != translated(words):
        tooltip(words)
    return NOTE * imgui.get_text_line_height() + imgui.get_style().item_spacing.y


def limits(curve: Curve) -> tuple[tuple[float, float], tuple[float, float]]:
    """Limits of the axes: all data with errors, from zero if the lowest value is close to zero; a logarithmic axis
    shows whole decades."""
    rows = [line for line in curve.lines if len(line.x)]
    x = np.concatenate([line.x for line in rows]) if rows else np.zeros(1)
    spread = [np.zeros(len(line.y)) if line.error is None else line.error for line in rows]
    y = np.concatenate([part for line, error in zip(rows, spread) for part in (line.y - error, line.y + error)] or [x])
    return _decades(x) if curve.log_x else _span(np.append(x, 0.0) if curve.x_from_zero else x), _decades(
        y
    ) if curve.log else _span(y)


def _decades(values: np.ndarray) -> tuple[float, float]:
    """The decades of all positive values, at least one, with room for the points at their ends."""
    shown = values[np.isfinite(values) & (values > 0.0)]
    if not shown.size:
        return 1.0 / ROOM, 10.0 * ROOM
    low, high = math.floor(math.log10(shown.min())), math.ceil(math.log10(shown.max()))
    return 10.0**low / ROOM, 10.0 ** max(high, low + 1) * ROOM


def _span(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if 0.0 <= low < NEAR_ZERO * high:
        low = 0.0
    room = MARGIN * (high - low) or 0.5 * abs(high) or 1.0
    return (low if low == 0.0 else low - room), high + room


def _colours(ui: Ui, curve: Curve) -> dict[Message, Colour]:
    """Colour of every line by its label: of a sphere in the picture, the accent for measured values, or another one.

    Lines of one label, such as the closed form of each sphere, share a colour.
    """
    palette = ui.palette
    spheres = {line.label: _of_sphere(line.labelled) for line in curve.lines if line.labelled is not None}
    labels = tuple(dict.fromkeys(line.label for line in curve.lines))
    named = bool(ui.snapshot.grains.labels)
    shared = (palette.muted,) if named else (palette.warning, palette.good, palette.bad, palette.muted)
    others = iter(shared * (1 + len(labels)))
    ours = {line.label for line in curve.lines if line.source == "own" or line.fitted}
    return {
        label: spheres[label] if label in spheres else palette.accent if label in ours else next(others)
        for label in labels
    }


def _of_sphere(number: int) -> Colour:
    """Colour of the sphere with that label on the picture."""
    red, green, blue = (float(part) for part in to_srgb(category(number)))
    return red, green, blue, 1.0


def _entries(curve: Curve) -> list[Line]:
    """One line of every label: the entries of the legend."""
    return list({line.label: line for line in curve.lines}.values())


def _by_prominence(ui: Ui, curve: Curve) -> list[tuple[Line, Colour]]:
    """Lines with their colours in drawing order: lines, points, points with errors."""
    colours = _colours(ui, curve)
    ordered = sorted(curve.lines, key=lambda line: (line.points, line.error is not None))
    return [(line, colours[line.label]) for line in ordered]


def _draw_line(line: Line, colour: Colour, stride: int) -> None:
    """Draw a line, or a mark at every point; if there are many points over time, at every `stride`-th one."""
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (line.x, line.y))
    if not len(x):
        return
    ink = vector(colour)
    if not line.points:
        weight = (2.4 if line.fitted else 1.6) * pen()
        implot.plot_line(str(line.label), x, y, implot.Spec(line_color=ink, line_weight=weight))
        return
    bold = line.error is not None
    if line.error is not None:
        error = np.ascontiguousarray(line.error, dtype=np.float64)
        bars = implot.Spec(line_color=ink, line_weight=2.0 * pen(), size=4.0 * pen())
        implot.plot_error_bars(f"##{line.label}", x, y, error, bars)
    kind = implot.Marker_.circle if bold else implot.Marker_.cross
    size = (4.5 if bold else 3.5) * pen()
    points = implot.Spec(
        marker=kind,
        marker_size=size,
        marker_fill_color=ink,
        marker_line_color=ink,
        line_weight=1.0 if bold else 1.4 * pen(),  # a broad outline of a circle has corners
        flags=implot.ScatterFlags_.no_clip,  # a mark on an axis is not cut in half
    )
    implot.plot_scatter(str(line.label), np.ascontiguousarray(x[::stride]), np.ascontiguousarray(y[::stride]), points)


def _legend_height(curve: Curve) -> float:
    return len(_entries(curve)) * imgui.get_text_line_height_with_spacing()


def _draw_legend(ui: Ui, curve: Curve) -> None:
    """Draw every label with its colour under the plot, where the legend covers no point."""
    colours, side = _colours(ui, curve), imgui.get_font_size() * 0.55
    for line in _entries(curve):
        low, high = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
        middle, ink = low.y + high / 2, colour32(colours[line.label])
        draw = imgui.get_window_draw_list()
        if line.points and line.error is not None:
            draw.add_circle_filled(imgui.ImVec2(low.x + side, middle), side * 0.45, ink)
        elif line.points:  # the cross of `_draw_line`
            arm, across = side * 0.4, 1.4 * pen()
            for rise in (-arm, arm):
                ends = (low.x + side - arm, middle - rise), (low.x + side + arm, middle + rise)
                draw.add_line(imgui.ImVec2(*ends[0]), imgui.ImVec2(*ends[1]), ink, across)
        else:
            draw.add_line(imgui.ImVec2(low.x, middle), imgui.ImVec2(low.x + 2 * side, middle), ink, 2.0 * pen())
        imgui.dummy(imgui.ImVec2(2.4 * side, high))
        imgui.same_line()
        words = line.label if line.error is None else joined((line.label, line.scatter), " ± ")
        if text_width(words) > imgui.get_content_region_avail().x:
            words = line.label
        imgui.text_colored(vector(ui.palette.text), translated(words))


def units_of(curve: Curve) -> str:
    """The units of both axes, as short as possible: "y [mm], x [s]"; an axis without unit is left out."""
    return ", ".join(f"{name} [{axis.unit}]" for name, axis in (("y", curve.y), ("x", curve.x)) if axis.unit)


def _draw_labels(ui: Ui, curve: Curve, start: imgui.ImVec2, room: float, units: str = "") -> bool:
    """Draw the labels of several lines in their colours instead of the heading, and `units` after them if these fit.

    For plots whose legend does not fit. Returns False if there is only one line, or if the labels do not fit.
    """
    labels, gap = [line.label for line in _entries(curve)], 0.7 * imgui.get_font_size()
    widths = [sum(text_width(label, size) for label in labels) + gap * (len(labels) - 1) for size in SIZES]
    last = text_width(units, SIZES[-1]) + gap
    if units and widths[-1] + last <= room:
        room -= last
    else:
        units = ""
    size = next((size for size, width in zip(SIZES, widths, strict=True) if width <= room), None)
    if len(labels) < 2 or size is None:
        return False
    colours, x = _colours(ui, curve), start.x
    for label in labels:
        draw_text(x, start.y, label, colours[label], size)
        x += text_width(label, size) + gap
    draw_text(x, start.y, units, ui.palette.muted, SIZES[-1])
    return True


def _draw_table(ui: Ui, curve: Curve) -> None:
    head, *rows = curve.table
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    if not imgui.begin_table(f"##table {curve.name}", len(head), flags):
        return
    for index, words in enumerate((head, *rows)):
        imgui.table_next_row()
        for word in words:
            imgui.table_next_column()
            imgui.text_colored(vector(ui.palette.text if index else ui.palette.muted), translated(word))
    imgui.end_table()
