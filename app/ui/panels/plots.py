"""Plots: the measurements over time, the curves of the scene, the comparison of the runs of this session."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
import pygame
from imgui_bundle import imgui
from repose.app.figure import ink
from repose.app.language import translated
from repose.app.render.text import SMALL, draw_text, shortened, si, text_width
from repose.app.render.text_size import LEAST_TEXT, TEXT_SIZE
from repose.app.render.theme import Colour, colour32, vector
from repose.app.storage.paths import runs_folder
from repose.app.storage.plot_files import WRITERS, Sheet
from repose.app.storage.time_curves import curves_over_time
from repose.app.ui.keys import Key
from repose.app.ui.panels import Panel
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.panels.time_plot import (
    draw_over_time,
    shown_span,
    thinned,
)
from repose.app.ui.places import TABS, shows_all
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, choose_tab
from repose.sim.experiment.origin import origin_of
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.measure.display import Curve, Plot, SampledQuantity
from repose.sim.message import Message, _, joined, plain
from repose.sim.registry import scenes

ROW = "plots"
"""The row of tabs in the column."""
HELP = {
    ".csv": _("A table with units; scene, seed, version and every parameter in the comments of its head."),
    ".png": _("A picture of 1920 × 1080 pixels for a slide."),
    ".svg": _("A vector graphic, sharp at every size."),
}
"""Kinds of file a plot is saved as."""

TAB_PADDING = 3.5
"""Padding beside the name of a tab [px at scale 1]."""
LEAST_AXIS = 7.0
"""Height of an axis below which its legend is not shown [lines of text]."""
ROUNDING = 1e-12
"""Fraction of the largest value of an axis below which a value is due to rounding, and the legend writes zero [-]."""
LONGEST_VALUE = -0.000888
"""The longest value beside the title of a line in the legend, apart from values with a power of ten."""
ENTRY, LARGE_ENTRY = SMALL, 0.7
"""Size of the legend under a plot of several lines, and under a large plot, relative to running text."""
ENTRY_WIDTH = 15.0
"""Width of an entry of this legend, of which at least two are beside each other [heights of its letters]."""
LINE_COLOURS = (
    *("#5aa9f0", "#8fcf3f", "#f0a04b", "#48b98a", "#d66fb3", "#a58bea"),
    *("#f0645c", "#8a97a6", "#c9b845", "#4fc3c3", "#b0703c"),
)
"""Colours of the lines that share an axis; a line keeps its colour if others are missing."""


@dataclass(frozen=True)
class PlotTab:
    """One plot: the function that draws it in the window, and the function for its content as a file."""

    name: str
    title: Message
    draw: Callable[[Ui], None]
    sheet: Callable[[Ui], Sheet]


@dataclass
class ShownPlot:
    """The plot shown last."""

    name: str = ""


def draw(ui: Ui) -> None:
    """One tab per plot; each fills the panel. While the column shows only what is used most, the chosen plot alone."""
    if shows_all(ui, TABS):
        draw_tabs(ui, ROW)
    elif tabs := {entry.name: entry for entry in tabs_of(ui)}:
        _draw_tab(ui, ROW, tabs.get(ui.settings.choices.tabs.get(ROW, ""), next(iter(tabs.values()))))


def draw_tabs(ui: Ui, row: str) -> None:
    """The tabs of all plots; `row` names them in the settings."""
    tabs = {entry.name: entry for entry in tabs_of(ui)}
    chosen = choose_tab(ui, row, {name: entry.title for name, entry in tabs.items()}, TAB_PADDING)
    if chosen is not None:
        _draw_tab(ui, row, tabs[chosen])


def _draw_tab(ui: Ui, row: str, tab: PlotTab) -> None:
    ui.states[ShownPlot].name = tab.name
    low, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
    imgui.push_id(tab.name)
    tab.draw(ui)
    imgui.pop_id()
    _draw_menu(ui, row, low, imgui.ImVec2(low.x + room.x, low.y + room.y))


def tabs_of(ui: Ui) -> list[PlotTab]:
    """The plots of the scene, of the measurements, and of compared runs; a plot keeps its place during the run."""
    snapshot = ui.snapshot
    possible = scenes()[snapshot.run.scene].plots if snapshot.run.scene in scenes() else ("",)
    entries = [_tab_of_curve(curve) for curve in snapshot.results.curves]
    plots = {entry.plot for entry in snapshot.results.quantities if entry.plot is not None}
    for plot in sorted(plots, key=lambda plot: plot.order):
        measurements = [entry for entry in snapshot.results.quantities if entry.plot == plot]
        known = plot.needs == "values" and any(_has(ui, entry.name) for entry in measurements)
        if known or plot.needs in possible:
            draw, sheet = partial(_draw_axes, measurements=measurements), partial(_time_sheet, plot)
            entries.append(PlotTab(plot.name, plot.title, draw, sheet))
    comparison = snapshot.results.comparison
    if comparison is not None:
        entries.append(_tab_of_curve(comparison))
    return entries


def _tab_of_curve(curve: Curve) -> PlotTab:
    draw, sheet = partial(draw_curve, curve=curve), partial(_curve_sheet, curve)
    return PlotTab(curve.name, curve.title, draw, sheet)


def _draw_menu(ui: Ui, row: str, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
    """The menu of a right-click on the plot."""
    over = imgui.HoveredFlags_.child_windows | imgui.HoveredFlags_.allow_when_blocked_by_active_item
    inside = imgui.is_mouse_hovering_rect(low, high) and imgui.is_window_hovered(over)
    if inside and imgui.is_mouse_released(1):
        imgui.open_popup("plot menu")
    if not imgui.begin_popup("plot menu"):
        return
    width = 180 * ui.window.scale
    imgui.text_colored(vector(ui.palette.muted), translated(_("Save this plot")))
    for suffix, help in HELP.items():
        label = suffix.removeprefix(".").upper()
        if button(ui, f"plots.save{suffix}", plain(label), help=help, width=width):
            save(ui, (suffix,))
            imgui.close_current_popup()
    if button(ui, "plots.save.all", _("All three"), hint=_("Ctrl+E"), width=width):
        save(ui)
        imgui.close_current_popup()
    if row == ROW and button(ui, "plots.large", _("Show large"), hint="P", width=width):
        ui.control.actions["large_plot"]()
        imgui.close_current_popup()
    imgui.end_popup()


def save(ui: Ui, suffixes: Sequence[str] = tuple(WRITERS)) -> None:
    """Write the plot shown last to free names in the folder of the runs."""
    tabs = tabs_of(ui)
    if not tabs:
        return
    shown = next((entry for entry in tabs if entry.name == ui.states[ShownPlot].name), tabs[0])
    sheet = shown.sheet(ui)
    if not any(len(line.x) for curve in sheet.curves for line in curve.lines):
        ui.work.run_saver.trouble = Message("The plot {title} has no values yet, and is not saved.", title=shown.title)
        return
    name = "-".join(re.findall(r"[a-z0-9]+", f"{ui.snapshot.run.scene} {shown.name}".lower()))
    ui.work.run_saver.save_plot(sheet, runs_folder(), name, suffixes)


def _time_sheet(plot: Plot, ui: Ui) -> Sheet:
    """Every axis of a tab with all samples of the time span shown."""
    curves = curves_over_time(ui.snapshot, plot.name, shown_span(ui))
    what = joined(dict.fromkeys(curve.y.quantity for curve in curves))
    return _sheet(ui, what, curves, over_time=True)


def _curve_sheet(curve: Curve, ui: Ui) -> Sheet:
    return _sheet(ui, joined(filter(None, (curve.heading or curve.title, curve.note))), (curve,), over_time=False)


def _sheet(ui: Ui, what: Message, curves: tuple[Curve, ...], over_time: bool) -> Sheet:
    """The curves with scene, seed, program and parameters."""
    snapshot, parameters = ui.snapshot, parameters_of(ui.snapshot.run)
    scene = scenes()[snapshot.run.scene]
    declared = parameters.in_units() if parameters is not None else {}
    values = {name: parameters.given(name) for name in declared} if parameters is not None else {}
    source = origin_of(scene, snapshot.run.seed, snapshot.run.time, parameters)
    changed = [source[f"parameter {name}"] for name, entry in declared.items() if values[name] != entry.default]
    facts = joined(
        [*(changed or (_("default parameters"),)), Message("seed {seed}", seed=snapshot.run.seed), source["program"]]
    )
    return Sheet(joined((scene.title, what), ": "), facts, curves, source, over_time)


def _has(ui: Ui, name: str) -> bool:
    """Whether a series has a value to show: nan stands for a missing value."""
    return bool(np.isfinite(thinned(ui.snapshot.results.series.get(name, np.empty(0)))).any())


def _draw_axes(ui: Ui, measurements: list[SampledQuantity]) -> None:
    """Draw the axes of a tab one above the other, the time at the lowest; a legend for lines that share an axis."""
    axes = [(axis, [*group]) for axis, group in groupby(measurements, lambda entry: entry.axis)]
    line = _entry_line(ui)
    beside = _entries_beside(ui)
    legends = [-(-_shown_count(ui, group) // beside) * line if len(group) > 1 else 0.0 for _, group in axes]
    ticks, gap = imgui.get_text_line_height(), imgui.get_style().item_spacing.y
    free = imgui.get_content_region_avail().y - (len(axes) - 1) * gap
    free -= sum(legend + gap for legend in legends if legend) + ticks
    height = free / len(axes)
    if height < LEAST_AXIS * ticks:  # the large plot shows the legends
        legends = [0.0] * len(axes)
        height = (imgui.get_content_region_avail().y - (len(axes) - 1) * gap - ticks) / len(axes)
    for row, ((axis, group), legend) in enumerate(zip(axes, legends, strict=True)):
        last = row == len(axes) - 1
        first = group[0]
        curves = {
            entry.name: (1.0 / entry.scale, _colour(ui, row, index, len(group)))
            for index, entry in enumerate(group)
            if len(group) == 1 or _has(ui, entry.name)
        }
        size = height + (ticks if last else 0.0)
        draw_over_time(ui, axis.label, curves, size, log=first.log, ticks=last, from_zero=first.from_zero)
        if legend:
            _draw_legend(ui, [(entry, curves[entry.name][1]) for entry in group if entry.name in curves], legend)


def _shown_count(ui: Ui, group: list[SampledQuantity]) -> int:
    return sum(_has(ui, entry.name) for entry in group)


def _colour(ui: Ui, row: int, position: int, lines: int) -> Colour:
    """Colour of a line: by its place among lines that share an axis, else by the row of its axis."""
    if lines > 1:
        return ink(LINE_COLOURS[position % len(LINE_COLOURS)])
    return ui.palette.good if row % 2 else ui.palette.accent


def _draw_legend(ui: Ui, entries: list[tuple[SampledQuantity, Colour]], height: float) -> None:
    """Draw every line of an axis with its latest value, in columns."""
    low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    line, beside = _entry_line(ui), min(_entries_beside(ui), len(entries))
    latest = {entry.name: _latest(ui, entry) for entry, _ in entries}
    noise = ROUNDING * max((abs(value) for value in latest.values() if math.isfinite(value)), default=0.0)
    for index, (entry, colour) in enumerate(entries):
        x, y = low.x + (index % beside) * (width / beside + 4 * ui.window.scale), low.y + index // beside * line
        value = 0.0 if abs(latest[entry.name]) < noise else latest[entry.name]
        _draw_entry(ui, entry, value, colour, x, y, width / beside - 8 * ui.window.scale)
    imgui.dummy(imgui.ImVec2(width, height))


def _entry_line(ui: Ui) -> float:
    """Height of a line of the legend [px]."""
    return imgui.get_text_line_height() * _entry_size(ui) + (1 if ui.mode.overlay else 2) * ui.window.scale


def _entry_size(ui: Ui) -> float:
    """Size of the letters of the legend relative to running text [-]."""
    is_large = imgui.get_font_size() > 1.01 * TEXT_SIZE * ui.window.scale
    return max(LARGE_ENTRY, LEAST_TEXT / imgui.get_font_size()) if is_large else ENTRY


def _entries_beside(ui: Ui) -> int:
    """Number of the columns of the legend."""
    each = ENTRY_WIDTH * _entry_size(ui) * imgui.get_font_size()
    return max(2, int(imgui.get_content_region_avail().x / each))


def _latest(ui: Ui, entry: SampledQuantity) -> float:
    samples = ui.snapshot.results.series.get(entry.name, np.empty(0))
    return float(samples[-1]) / entry.scale if len(samples) else 0.0


def _draw_entry(
    ui: Ui, entry: SampledQuantity, latest: float, colour: Colour, x: float, y: float, width: float
) -> None:
    """Colour, title and latest value of one line."""
    side, size = imgui.get_font_size() * 0.5, _entry_size(ui)
    top = y + (imgui.get_font_size() * size - side) / 2
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(x, top), imgui.ImVec2(x + side, top + side), colour32(colour), 2 * ui.window.scale
    )
    unit = entry.unit
    # The size of the title follows from the longest usual value, so that it stays while the value changes.
    value = si(latest, unit)
    room = width - side * 1.7 - max(text_width(text, size) for text in (value, si(LONGEST_VALUE, unit)))
    draw_text(x + side * 1.7, y, shortened(entry.title, room, size), ui.palette.muted, size)
    draw_text(x + width - text_width(value, size), y, value, ui.palette.text, size)


KEYS = (
    Key(
        "save_plot",
        _("Ctrl+E"),
        _("save the plot as CSV, PNG and SVG"),
        _("File"),
        save,
        codes=(pygame.K_e,),
        ctrl=True,
    ),
)
PANEL = Panel("plots", _("Plots"), 20, "tools", draw, keys=KEYS)
