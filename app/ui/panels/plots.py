"""Plots: the measurements over time, the curves of the scene, the comparison of the runs of this session."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from imgui_bundle import imgui
from repose.app.render.text import draw_text, si, text_width
from repose.app.render.theme import Colour, colour32
from repose.app.ui.panels import Panel
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.panels.time_plot import draw_over_time, thinned
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tab
from repose.sim.measure.measurement import Measurement

TAB_PADDING = 3.5
"""Beside the name of a tab [px at scale 1]."""
SMALL_ENTRY = 0.85
"""Size of the legend under a plot of several lines, relative to running text."""
LINE_COLOURS = (
    *("#5aa9f0", "#8fcf3f", "#f0a04b", "#48b98a", "#d66fb3", "#a58bea"),
    *("#f0645c", "#8a97a6", "#c9b845", "#4fc3c3", "#b0703c"),
)
"""Colours of the lines that share an axis; a line keeps its colour where others are missing."""


def draw(ui: Ui) -> None:
    """One tab per plot; each fills the panel."""
    style = imgui.get_style()
    # Six tabs have to fit into the column without their names being cut.
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(TAB_PADDING * ui.scale, style.frame_padding.y))
    shown = imgui.begin_tab_bar("plots", imgui.TabBarFlags_.fitting_policy_shrink)
    imgui.pop_style_var()
    if shown:
        # The row is laid out with its first tab, and each is as wide as the padding says when it is drawn.
        imgui.push_style_var(imgui.StyleVar_.item_inner_spacing, imgui.ImVec2(ui.scale, style.item_inner_spacing.y))
        _draw_tabs(ui)
        imgui.pop_style_var()
        imgui.end_tab_bar()


def _draw_tabs(ui: Ui) -> None:
    for curve in ui.snapshot.curves:
        if tab(ui, "plots", curve.title, curve.title, TAB_PADDING):
            draw_curve(ui, curve)
            imgui.end_tab_item()
    plots = {entry.plot for entry in ui.snapshot.measurements if entry.plot is not None}
    for plot in sorted(plots, key=lambda plot: plot.order):
        measurements = [entry for entry in ui.snapshot.measurements if entry.plot == plot]
        if not (plot.always or any(_has(ui, entry.name) for entry in measurements)):
            continue
        if tab(ui, "plots", plot.name, plot.title, TAB_PADDING):
            _draw_axes(ui, measurements)
            imgui.end_tab_item()
    comparison = ui.snapshot.comparison
    if comparison is None or not any(line.points for line in comparison.lines):
        return
    if tab(ui, "plots", "comparison", comparison.title, TAB_PADDING):
        draw_curve(ui, comparison)
        imgui.end_tab_item()


def _has(ui: Ui, name: str) -> bool:
    """Whether a series has a value to show: nan stands for a missing one."""
    return bool(np.isfinite(thinned(ui.snapshot.series.get(name, np.empty(0)))).any())


def _draw_axes(ui: Ui, measurements: list[Measurement]) -> None:
    """The axes of a tab one above the other, the time at the lowest one; a legend where lines share an axis."""
    dimension = ui.snapshot.position.shape[1]
    axes = [(label, [*group]) for label, group in groupby(measurements, lambda entry: entry.axis_label(dimension))]
    line = imgui.get_text_line_height() * SMALL_ENTRY + 2 * ui.scale
    legends = [-(-_shown_count(ui, group) // 2) * line if len(group) > 1 else 0.0 for _, group in axes]
    ticks, gap = imgui.get_text_line_height(), imgui.get_style().item_spacing.y
    free = imgui.get_content_region_avail().y - (len(axes) - 1) * gap
    free -= sum(legend + gap for legend in legends if legend) + ticks
    height = free / len(axes)
    for row, ((label, group), legend) in enumerate(zip(axes, legends, strict=True)):
        last = row == len(axes) - 1
        first = group[0]
        curves = {
            entry.name: (entry.name, 1.0 / entry.scale, _colour(ui, row, place, len(group)))
            for place, entry in enumerate(group)
            if len(group) == 1 or _has(ui, entry.name)
        }
        size = height + (ticks if last else 0.0)
        draw_over_time(ui, label, curves, size, log=first.log, ticks=last, from_zero=first.from_zero)
        if legend:
            _draw_legend(ui, [(entry, curves[entry.name][2]) for entry in group if entry.name in curves], legend)


def _shown_count(ui: Ui, group: list[Measurement]) -> int:
    return sum(_has(ui, entry.name) for entry in group)


def _colour(ui: Ui, row: int, place: int, lines: int) -> Colour:
    """Colour of a line: by its place among lines that share an axis, else by the row of its axis."""
    if lines > 1:
        return _from_hex(LINE_COLOURS[place % len(LINE_COLOURS)])
    return ui.palette.good if row % 2 else ui.palette.accent


def _draw_legend(ui: Ui, entries: list[tuple[Measurement, Colour]], height: float) -> None:
    """Every line of an axis with its latest value, in two columns."""
    low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    line = imgui.get_text_line_height() * SMALL_ENTRY + 2 * ui.scale
    for index, (entry, colour) in enumerate(entries):
        x, y = low.x + (index % 2) * (width / 2 + 4 * ui.scale), low.y + index // 2 * line
        _draw_entry(ui, entry, colour, x, y, width / 2 - 4 * ui.scale)
    imgui.dummy(imgui.ImVec2(width, height))


def _draw_entry(ui: Ui, entry: Measurement, colour: Colour, x: float, y: float, width: float) -> None:
    """Colour, title and latest value of one line."""
    side = imgui.get_font_size() * 0.5
    top = y + (imgui.get_font_size() * SMALL_ENTRY - side) / 2
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(x, top), imgui.ImVec2(x + side, top + side), colour32(colour), 2 * ui.scale
    )
    draw_text(x + side * 1.7, y, entry.title, ui.palette.muted, SMALL_ENTRY)
    samples = ui.snapshot.series.get(entry.name, np.empty(0))
    latest = float(samples[-1]) / entry.scale if len(samples) else 0.0
    value = si(latest, entry.unit_in(ui.snapshot.position.shape[1]))
    draw_text(x + width - text_width(value, SMALL_ENTRY), y, value, ui.palette.text, SMALL_ENTRY)


def _from_hex(code: str) -> Colour:
    return int(code[1:3], 16) / 255, int(code[3:5], 16) / 255, int(code[5:7], 16) / 255, 1.0


PANEL = Panel("plots", "Plots", 20, "tools", draw)
