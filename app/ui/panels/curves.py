"""Plots of a scene: its run against the expected law, its runs compared."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.render.theme import vector
from repose.app.ui.ui import Ui
from repose.sim.measure.display import Curve, Line


def draw_curve(ui: Ui, curve: Curve) -> None:
    """Lines of the run in strong colours, points with their errors, the axes labelled with units, the table below."""
    if curve.heading:
        imgui.text_colored(vector(ui.palette.muted), curve.heading)
    style = imgui.get_style()
    row = imgui.get_text_line_height() + 2.0 * style.cell_padding.y
    below = len(curve.table) * row + style.item_spacing.y if curve.table else 0.0
    height = max(imgui.get_content_region_avail().y - below, 60 * ui.scale)
    flags = implot.Flags_.no_title | implot.Flags_.no_menus | implot.Flags_.no_box_select
    if implot.begin_plot(f"##{curve.title}", imgui.ImVec2(-1, height), flags):
        try:
            fitted = implot.AxisFlags_.auto_fit
            implot.setup_axes(curve.x_label, curve.y_label, fitted, fitted)
            implot.setup_legend(implot.Location_.north_west)
            for line in curve.lines:
                _draw_line(ui, line)
        finally:
            implot.end_plot()
    if curve.table:
        _draw_table(ui, curve)


def _draw_line(ui: Ui, line: Line) -> None:
    x, y = (np.ascontiguousarray(values, dtype=np.float64) for values in (line.x, line.y))
    if not len(x):
        return
    if not line.points:
        implot.plot_line(line.label, x, y, implot.Spec(line_weight=(2.4 if line.fitted else 1.6) * ui.scale))
        return
    implot.plot_scatter(line.label, x, y, implot.Spec(marker=implot.Marker_.circle, marker_size=3 * ui.scale))
    if line.error is not None:
        error = np.ascontiguousarray(line.error, dtype=np.float64)
        bars = implot.Spec(line_color=implot.get_last_item_color(), line_weight=1.4 * ui.scale)
        implot.plot_error_bars(f"##{line.label}", x, y, error, bars)


def _draw_table(ui: Ui, curve: Curve) -> None:
    head, *rows = curve.table
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    if not imgui.begin_table(f"##table {curve.title}", len(head), flags):
        return
    for place, words in enumerate((head, *rows)):
        imgui.table_next_row()
        for word in words:
            imgui.table_next_column()
            imgui.text_colored(vector(ui.palette.text if place else ui.palette.muted), word)
    imgui.end_table()
