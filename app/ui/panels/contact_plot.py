"""Forces of the selected contact or grain over time, above its numbers in the picture."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui, implot
from repose.app.render.passes.microscope import ABOVE_FOOT, HEIGHT, WIDTH
from repose.app.render.selection import contacts_of, forces_on, members_of, rows_of, selected_contact
from repose.app.ui.axis_ticks import set_axis
from repose.app.ui.panels import Panel
from repose.app.ui.toasts import tell
from repose.app.ui.ui import Ui
from repose.sim.numbers import prefix_of

COURSE = "course of the selection"
"""Entry of `Ui.memory`: what is selected, and rows of time [s] and two forces [N]."""
LONGEST = 3000
"""Largest number of rows."""
TALL = 120.0
"""Height [px at scale 1]."""


def draw(ui: Ui) -> None:
    """A small window at the left of the picture, while something is selected."""
    view, snapshot = ui.view, ui.snapshot
    if view.selected and rows_of(snapshot, view.selected) is None:
        tell(ui, f"Grain {view.selected[0]} has left the scene: nothing is selected any more.")
        view.selected = ()
    if not view.selected:
        ui.memory.pop(COURSE, None)
        return
    course = _course(ui)
    left, _, right, bottom = ui.inset
    place = ui.size[1] - bottom - (ABOVE_FOOT[snapshot.position.shape[1]] + HEIGHT + TALL + 8.0) * ui.scale
    hidden = ui.overlay not in ("", PANEL.name) or ui.presenting or not view.ui_visible
    if hidden or place < 0.3 * ui.size[1] or len(course) < 2:
        return
    imgui.set_next_window_pos(imgui.ImVec2(left + 16.0 * ui.scale, place))
    imgui.set_next_window_size(imgui.ImVec2(min(WIDTH * ui.scale, ui.size[0] - left - right), TALL * ui.scale))
    flags = imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_move
    flags |= imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_nav | imgui.WindowFlags_.no_focus_on_appearing
    imgui.begin("contact plot", None, flags)
    _draw_plot(np.array(course), ("normal", "shear") if len(view.selected) == 2 else ("pushes", "sum"))
    ui.probe.mark("contact plot")
    imgui.end()


def _course(ui: Ui) -> list[tuple[float, float, float]]:
    """The forces since the selection, with those of the newest snapshot; what lies after an earlier step goes."""
    selected, course = ui.memory.setdefault(COURSE, (ui.view.selected, []))
    if selected != ui.view.selected:
        selected, course = ui.memory[COURSE] = ui.view.selected, []
    now, time = forces_now(ui), ui.snapshot.time
    while course and course[-1][0] >= time:
        course.pop()
    if now is not None:
        course.append((time, *now))
        del course[:-LONGEST]
    rows: list[tuple[float, float, float]] = course
    return rows


def forces_now(ui: Ui) -> tuple[float, float] | None:
    """Normal and shear force of the contact, 0 while it is open; of a grain the sum of the sizes of its normal forces
    and the size of the sum of its forces [N]. None before the forces are known."""
    snapshot, forces = ui.snapshot, ui.snapshot.forces
    rows = rows_of(snapshot, ui.view.selected)
    if forces is None or rows is None:
        return None
    if len(ui.view.selected) == 2:
        contact = selected_contact(snapshot, ui.view)
        if contact is None:
            return 0.0, 0.0
        return float(forces.normal_force[contact]), float(np.linalg.norm(forces.shear_force[contact]))
    members = members_of(snapshot, rows[0])
    near = contacts_of(snapshot, members)
    total = forces_on(forces, near, members).sum(axis=0)
    return float(np.abs(forces.normal_force[near]).sum()), float(np.linalg.norm(total))


def _draw_plot(rows: np.ndarray, names: tuple[str, str]) -> None:
    highest = float(rows[:, 1:].max())
    factor, unit = prefix_of(highest if highest > 0.0 else 1.0, "N")
    flags = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text | implot.Flags_.no_title
    room = imgui.get_content_region_avail()
    if implot.begin_plot("##contact", imgui.ImVec2(-1, -1), flags):
        try:
            implot.setup_axes("", f"[{unit}]", implot.AxisFlags_.no_label, 0)
            implot.setup_legend(implot.Location_.north_west, implot.LegendFlags_.horizontal)
            begin, end = float(rows[0, 0]), float(rows[-1, 0])
            low, high = min(0.0, float(rows[:, 1:].min()) / factor), 1.4 * max(highest / factor, 1e-9)
            implot.setup_axes_limits(begin, end, low, high, implot.Cond_.always)
            set_axis(implot.ImAxis_.x1, begin, end, 0.7 * room.x)
            set_axis(implot.ImAxis_.y1, low, high, 0.6 * room.y)
            for number, name in enumerate(names):
                values = np.ascontiguousarray(rows[:, 1 + number] / factor)
                implot.plot_line(name, np.ascontiguousarray(rows[:, 0]), values)
        finally:
            implot.end_plot()


PANEL = Panel("contact_plot", "Contact", 74, "over", draw)
