"""Plots: motion, angle, contacts and energy over time; comparison of runs."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray
from repose.app.render.text import draw_text, si, text_width
from repose.app.render.theme import Colour, colour32
from repose.app.ui.panels import Panel
from repose.app.ui.panels.curves import draw_curve
from repose.app.ui.panels.time_plot import draw_over_time, thinned
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import tab
from repose.sim.measure.stress import stress_unit

Floats = NDArray[np.float64]

TAB_PADDING = 3.5
"""Beside the name of a tab [px at scale 1]."""
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
"""Labels of the entries of the energy ledger."""
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
"""Colours of the entries, the same if others are missing."""


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
    for name, (title, plot) in PLOTS.items():
        if (name == "angle" and not _has_slope(ui)) or (name == "packing" and not _has(ui, "packing_fraction")):
            continue
        if tab(ui, "plots", name, title, TAB_PADDING):
            plot(ui)
            imgui.end_tab_item()
    comparison = ui.snapshot.comparison
    if comparison is None or not any(line.points for line in comparison.lines):
        return
    if tab(ui, "plots", "comparison", comparison.title, TAB_PADDING):
        draw_curve(ui, comparison)
        imgui.end_tab_item()


def _has_slope(ui: Ui) -> bool:
    """Whether the scene is one whose slope is followed over time: it is a heap in the plane, or has had one."""
    return ui.snapshot.position.shape[1] == 2 or _has(ui, "angle")


def _has(ui: Ui, name: str) -> bool:
    """Whether a series has a number to show: nan stands for what there is not."""
    return bool(np.isfinite(thinned(ui.snapshot.series.get(name, np.empty(0)))).any())


def _draw_motion(ui: Ui) -> None:
    """Kinetic energy above mean speed, both over many decades."""
    ticks = imgui.get_text_line_height()
    half = (imgui.get_content_region_avail().y - imgui.get_style().item_spacing.y - ticks) / 2
    energy = {"kinetic energy": ("kinetic_energy", 1.0, ui.palette.accent)}
    speed = {"mean speed": ("mean_speed", 1.0, ui.palette.good)}
    draw_over_time(ui, "kinetic energy [J]", energy, half, log=True, ticks=False)
    draw_over_time(ui, "mean speed [m/s]", speed, half + ticks, log=True)


def _draw_angle(ui: Ui) -> None:
    draw_over_time(ui, "angle [°]", {"angle": ("angle", 180.0 / math.pi, ui.palette.accent)})


def _draw_contacts(ui: Ui) -> None:
    draw_over_time(ui, "contacts per grain Z", {"Z": ("coordination", 1.0, ui.palette.accent)})


def _draw_packing(ui: Ui) -> None:
    """Pressure above packing fraction, both well inside the packing."""
    unit = stress_unit(ui.snapshot.position.shape[1])
    ticks = imgui.get_text_line_height()
    half = (imgui.get_content_region_avail().y - imgui.get_style().item_spacing.y - ticks) / 2
    pressure = {"pressure": ("pressure", 1.0, ui.palette.accent)}
    fraction = {"packing fraction": ("packing_fraction", 1.0, ui.palette.good)}
    draw_over_time(ui, f"pressure P [{unit}]", pressure, half, ticks=False)
    draw_over_time(ui, "packing fraction φ", fraction, half + ticks, from_zero=False)


def _draw_ledger(ui: Ui) -> None:
    """Every entry of the energy ledger that the scene has, with its value now under the plot."""
    names = [name for name in ui.snapshot.series if name.startswith("energy.") and _has(ui, name)]
    curves = {name: (name, 1.0, _from_hex(LEDGER_COLOURS[name.removeprefix("energy.")])) for name in names}
    line = imgui.get_text_line_height() * SMALL_ENTRY + 2 * ui.scale
    foot = -(-len(names) // 2) * line
    height = imgui.get_content_region_avail().y - foot - imgui.get_style().item_spacing.y
    draw_over_time(ui, "energy [J]", curves, height)
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
