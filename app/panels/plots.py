"""Plots: how fast the grains move, the angle, the contacts and the energy over time; what runs are compared by."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from imgui_bundle import imgui, implot
from numpy.typing import NDArray

from app.panels import Panel, Ui
from app.panels.curves import draw_curve
from app.theme import Colour, colour32, vector
from app.widgets import draw_text, friendly, row, si, text_width
from sim.measure.stress import stress_unit

Floats = NDArray[np.float64]

MOST_POINTS = 1500
"""Per curve; a plot has fewer pixels than that."""
FEWEST_DECADES, MOST_DECADES = 2, 9
"""Shown on a logarithmic axis below the largest value."""
NEAR = 4.0
"""Pixels from a mark within which the mouse reads it."""
SMALL_ENTRY = 0.85
"""Size of the entries under the energy plot, relative to running text."""
LEDGER = {
    "translational": "kinetic: centres",
    "rotational": "kinetic: spin",
    "potential": "potential",
    "elastic": "elastic",
    "shear": "shear springs",
    "damping": "lost: damping",
    "sliding": "lost: sliding",
    "poured": "poured in",
    "removed": "carried away",
    "work": "by changes",
    "gap": "unbooked",
}
"""What the ledger's entries are called here."""
LEDGER_COLOURS = dict(
    zip(
        LEDGER,
        (
            *("#5aa9f0", "#8fcf3f", "#f0a04b", "#48b98a", "#d66fb3", "#a58bea"),
            *("#f0645c", "#8a97a6", "#c9b845", "#4fc3c3", "#b0703c"),
        ),
        strict=True,
    )
)
"""An entry keeps its colour where others are missing."""


def draw(ui: Ui) -> None:
    """One tab per plot; each fills the panel."""
    if not imgui.begin_tab_bar("plots", imgui.TabBarFlags_.fitting_policy_shrink):
        return
    for curve in ui.snapshot.curves:
        selected, _ = imgui.begin_tab_item(curve.title)
        ui.probe.mark(f"plots.{curve.title}")
        if selected:
            draw_curve(ui, curve)
            imgui.end_tab_item()
    for name, (title, plot) in PLOTS.items():
        if (name == "angle" and not _has_slope(ui)) or (name == "packing" and not _has(ui, "packing_fraction")):
            continue
        selected, _ = imgui.begin_tab_item(title)
        ui.probe.mark(f"plots.{name}")
        if selected:
            plot(ui)
            imgui.end_tab_item()
    if ui.snapshot.comparison is not None:
        selected, _ = imgui.begin_tab_item(ui.snapshot.comparison.title)
        ui.probe.mark("plots.comparison")
        if selected:
            draw_curve(ui, ui.snapshot.comparison)
            imgui.end_tab_item()
    imgui.end_tab_bar()


def _has_slope(ui: Ui) -> bool:
    """Whether the scene is one whose slope is followed over time: it is a heap in the plane, or has had one."""
    return not ui.snapshot.curves or _has(ui, "angle")


def _has(ui: Ui, name: str) -> bool:
    """Whether a series has a number to show: nan stands for what there is not."""
    return bool(np.isfinite(_thin(ui.snapshot.series.get(name, np.empty(0)))).any())


def _draw_motion(ui: Ui) -> None:
    """Kinetic energy above mean speed, both over many decades."""
    ticks = imgui.get_text_line_height()
    half = (imgui.get_content_region_avail().y - imgui.get_style().item_spacing.y - ticks) / 2
    energy = {"kinetic energy": ("kinetic_energy", 1.0, ui.palette.accent)}
    speed = {"mean speed": ("mean_speed", 1.0, ui.palette.good)}
    _time_plot(ui, "kinetic energy [J]", energy, half, log=True, ticks=False)
    _time_plot(ui, "mean speed [m/s]", speed, half + ticks, log=True)


def _draw_angle(ui: Ui) -> None:
    _time_plot(ui, "angle [°]", {"angle": ("angle", 180.0 / math.pi, ui.palette.accent)})


def _draw_contacts(ui: Ui) -> None:
    _time_plot(ui, "contacts per grain Z", {"Z": ("coordination", 1.0, ui.palette.accent)})


def _draw_packing(ui: Ui) -> None:
    """Pressure above packing fraction, both well inside the packing."""
    unit = stress_unit(ui.snapshot.position.shape[1])
    ticks = imgui.get_text_line_height()
    half = (imgui.get_content_region_avail().y - imgui.get_style().item_spacing.y - ticks) / 2
    pressure = {"pressure": ("pressure", 1.0, ui.palette.accent)}
    fraction = {"packing fraction": ("packing_fraction", 1.0, ui.palette.good)}
    _time_plot(ui, f"pressure P [{unit}]", pressure, half, ticks=False)
    _time_plot(ui, "packing fraction φ", fraction, half + ticks, from_zero=False)


def _draw_ledger(ui: Ui) -> None:
    """Every entry of the energy ledger that the scene has, with its value now under the plot."""
    names = [name for name in ui.snapshot.series if name.startswith("energy.") and _has(ui, name)]
    curves = {name: (name, 1.0, _from_hex(LEDGER_COLOURS[name.removeprefix("energy.")])) for name in names}
    line = imgui.get_text_line_height() * SMALL_ENTRY + 2 * ui.scale
    foot = -(-len(names) // 2) * line
    height = imgui.get_content_region_avail().y - foot - imgui.get_style().item_spacing.y
    _time_plot(ui, "energy [J]", curves, height)
    low, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    for index, (name, (_, _, colour)) in enumerate(curves.items()):
        x, y = low.x + (index % 2) * (width / 2 + 4 * ui.scale), low.y + index // 2 * line
        _draw_entry(ui, name.removeprefix("energy."), colour, x, y, width / 2 - 4 * ui.scale)
    imgui.dummy(imgui.ImVec2(width, foot))


def _draw_entry(ui: Ui, name: str, colour: Colour, x: float, y: float, width: float) -> None:
    """Colour, name and present value of one entry of the ledger."""
    side = imgui.get_font_size() * 0.5
    top = y + (imgui.get_font_size() * SMALL_ENTRY - side) / 2
    imgui.get_window_draw_list().add_rect_filled(
        imgui.ImVec2(x, top), imgui.ImVec2(x + side, top + side), colour32(colour), 2 * ui.scale
    )
    draw_text(x + side * 1.7, y, LEDGER[name], ui.palette.muted, SMALL_ENTRY)
    value = si(ui.snapshot.energy.get(name, 0.0), "J")
    draw_text(x + width - text_width(value, SMALL_ENTRY), y, value, ui.palette.text, SMALL_ENTRY)


def _time_plot(
    ui: Ui,
    label: str,
    curves: dict[str, tuple[str, float, Colour]],
    height: float | None = None,
    log: bool = False,
    ticks: bool = True,
    from_zero: bool = True,
) -> None:
    """Curves of the snapshot's series against simulated time, with a mark where a parameter changed."""
    row(label, "over time [s]" if ticks else "", ui, ui.palette.muted)
    if height is not None:
        height -= imgui.get_text_line_height_with_spacing()
    size = imgui.ImVec2(-1, max(height if height is not None else imgui.get_content_region_avail().y, 60 * ui.scale))
    flags = implot.Flags_.no_title | implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_legend
    if not implot.begin_plot(f"##{label}", size, flags):
        return
    try:
        time = _thin(ui.snapshot.series.get("time", np.empty(0)))
        drawn = _finite(ui, curves, time, log)
        bare = implot.AxisFlags_.no_label
        implot.setup_axes("t [s]", "", bare if ticks else bare | implot.AxisFlags_.no_tick_labels, bare)
        low, high = _span([values for values, _ in drawn.values()], log, from_zero)
        implot.setup_axes_limits(0.0, float(time[-1]) if len(time) else 1.0, low, high, implot.Cond_.always)
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


def _finite(
    ui: Ui, curves: dict[str, tuple[str, float, Colour]], time: Floats, log: bool
) -> dict[str, tuple[Floats, Colour]]:
    """Values and colour of every curve that has something to show; what a log axis cannot show is left out."""
    drawn = {}
    for name, (key, factor, colour) in curves.items():
        values = _thin(ui.snapshot.series.get(key, np.empty(0))) * factor
        if log:
            values = np.where(values > 0.0, values, np.nan)
        if len(values) == len(time) and np.isfinite(values).any():
            drawn[name] = np.ascontiguousarray(values), colour
    return drawn


def _span(curves: list[Floats], log: bool, from_zero: bool = True) -> tuple[float, float]:
    """Limits of the upright axis; ImPlot's own fit goes astray where values are missing or zero."""
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
    """A thin line where a parameter changed; the mouse on it reads which."""
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


def _thin(series: Floats) -> Floats:
    """Every n-th sample, so that no curve has more points than can be seen; contiguous, as ImPlot wants it."""
    stride = -(-len(series) // MOST_POINTS) if len(series) else 1
    return np.ascontiguousarray(series[::stride], dtype=np.float64)


def _from_hex(code: str) -> Colour:
    return int(code[1:3], 16) / 255, int(code[3:5], 16) / 255, int(code[5:7], 16) / 255, 1.0


PLOTS: dict[str, tuple[str, Callable[[Ui], None]]] = {
    "motion": ("Motion", _draw_motion),
    "angle": ("Angle", _draw_angle),
    "contacts": ("Z", _draw_contacts),
    "packing": ("P, φ", _draw_packing),
    "ledger": ("Energy", _draw_ledger),
}

PANEL = Panel("plots", "Plots", 20, "right", draw, stretch=True)
