"""Layout of the panels: a column at each side, a bar at the bottom, the picture in the middle.

Small windows omit columns. A panel that raises an error shows it in its place; the other panels continue.
"""

from __future__ import annotations

import logging
from itertools import groupby

from imgui_bundle import imgui, implot
from repose.app.progress import one_line
from repose.app.render.text import note, text_width
from repose.app.ui.panels import Panel, Side, all_panels
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import button, foldable, tab

log = logging.getLogger(__name__)

COLUMN = 300.0
"""Width of a column [px at scale 1]."""
BAR = 46.0
"""Height of the bar at the bottom [px at scale 1]."""
LEAST_PICTURE = 240.0
"""Width kept for the picture [px at scale 1]; columns that leave less are omitted, the right one first."""
LEAST_STRETCH = 170.0
"""Height of a stretching panel below which its column scrolls as a whole [px at scale 1]."""
FOCUS, LAST_FOCUS = "focus", "last focus"
"""Entries of `Ui.memory`: the column that gets the keyboard focus next, and the one that got it last."""
FIXED = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
)

RECOVERY = tuple(f"config_error_recovery_enable_{part}" for part in ("assert", "debug_log", "tooltip"))
"""ImGui's own reports of what it closes for a panel that failed: off, since the panel shows the error."""


def measure_inset(size: tuple[int, int], scale: float, visible: bool) -> tuple[float, float, float, float]:
    """Pixels the panels cover: left, top, right, bottom."""
    if not visible:
        return 0.0, 0.0, 0.0, 0.0
    column, picture = COLUMN * scale, LEAST_PICTURE * scale
    left = column if size[0] >= column + picture else 0.0
    right = column if size[0] >= 2 * column + picture else 0.0
    bottom = BAR * scale if size[1] >= 3 * BAR * scale else 0.0
    return left, 0.0, right, bottom


def draw_panels(ui: Ui) -> None:
    """Draw all panels of the window."""
    left, _, right, bottom = ui.inset
    width, height = ui.size
    if left:
        _draw_column(ui, "left", 0.0, left, height - bottom)
    if right:
        _draw_column(ui, "right", width - right, right, height - bottom)
    if bottom:
        _draw_bar(ui, height - bottom, bottom)
    for panel in _on("over"):
        _draw_over(ui, panel)


def focus_next(ui: Ui) -> None:
    """Move the keyboard focus to the next column or the bar, where arrows, Enter and Esc then act."""
    left, _, right, bottom = ui.inset
    shown = [name for name, width in (("left", left), ("right", right), ("bottom", bottom)) if width]
    if shown:
        last = ui.memory.get(LAST_FOCUS)
        ui.memory[LAST_FOCUS] = ui.memory[FOCUS] = shown[(shown.index(last) + 1) % len(shown) if last in shown else 0]


def _on(side: Side) -> list[Panel]:
    return [panel for panel in all_panels() if panel.side == side]


def _begin(ui: Ui, name: str, x: float, y: float, width: float, height: float, flags: int = 0) -> None:
    imgui.set_next_window_pos(imgui.ImVec2(x, y))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    if ui.memory.get(FOCUS) == name:
        del ui.memory[FOCUS]
        imgui.set_next_window_focus()
    imgui.begin(name, None, FIXED | flags)


def _draw_bar(ui: Ui, top: float, height: float) -> None:
    padding = max((height - imgui.get_frame_height()) / 2, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(imgui.get_style().window_padding.x, padding))
    _begin(ui, "bottom", 0.0, top, ui.size[0], height, imgui.WindowFlags_.no_scrollbar)
    imgui.pop_style_var()
    _draw_edge(ui, 0.0, top, ui.size[0], top)
    for panel in _on("bottom"):
        _draw_guarded(ui, panel)
    imgui.end()


def _draw_column(ui: Ui, side: Side, x: float, width: float, height: float) -> None:
    """Panels from top to bottom; those that stretch share the remaining height."""
    _begin(ui, side, x, 0.0, width, height, 0)
    panels = _on(side)
    heights: dict[str, float] = ui.memory.setdefault("heights", {})
    fixed = sum(heights.get(panel.name, 150 * ui.scale) for panel in panels if not panel.stretch and not panel.group)
    fixed += sum(heights.get(group, 150 * ui.scale) for group in {panel.group for panel in panels} if group)
    fixed += sum(imgui.get_frame_height_with_spacing() for panel in panels if panel.stretch)
    stretching = max(sum(panel.stretch for panel in panels), 1)
    share = max((imgui.get_content_region_avail().y - fixed) / stretching, LEAST_STRETCH * ui.scale)
    for group, members in groupby(panels, key=lambda panel: panel.group or panel.name):
        entries, start = list(members), imgui.get_cursor_pos_y()
        if entries[0].group:
            _draw_tabs(ui, entries)
        elif _draw_header(ui, entries[0]):
            _draw_body(ui, entries[0], share)
        heights[group] = imgui.get_cursor_pos_y() - start
    edge = x + width if side == "left" else x
    _draw_edge(ui, edge, 0.0, edge, height)
    imgui.end()


def _draw_header(ui: Ui, panel: Panel) -> bool:
    """The title of a panel; a click folds the panel."""
    if ui.bold is not None:
        imgui.push_font(ui.bold, 0.0)
    unfolded = foldable(ui, f"panel.{panel.name}", True, lambda: imgui.collapsing_header(panel.title))
    if ui.bold is not None:
        imgui.pop_font()
    return unfolded


def _draw_body(ui: Ui, panel: Panel, share: float) -> None:
    if not panel.stretch:
        _draw_guarded(ui, panel)
        return
    imgui.begin_child(
        panel.name, imgui.ImVec2(0.0, share - imgui.get_style().item_spacing.y), imgui.ChildFlags_.nav_flattened
    )
    _draw_guarded(ui, panel)
    imgui.end_child()


def _draw_tabs(ui: Ui, panels: list[Panel]) -> None:
    """The row of tabs, completed before the chosen panel is drawn, because a panel that fails closes open tab bars."""
    chosen = None
    if imgui.begin_tab_bar(panels[0].group):
        for panel in panels:
            if tab(ui, "tab", panel.name, panel.title):
                chosen = panel
                imgui.end_tab_item()
        imgui.end_tab_bar()
    if chosen is not None:
        _draw_guarded(ui, chosen)


def _draw_over(ui: Ui, panel: Panel) -> None:
    """A panel that opens its own windows; if it fails, its error gets a window too."""
    if panel.name not in ui.broken:
        _draw_guarded(ui, panel)
        return
    left, top, right, _ = ui.inset
    imgui.set_next_window_pos(imgui.ImVec2(left, top), imgui.Cond_.appearing)
    imgui.set_next_window_size(imgui.ImVec2(min(COLUMN * ui.scale, ui.size[0] - left - right), 0.0))
    imgui.begin("Stopped", None, imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_collapse)  # one for all
    _draw_guarded(ui, panel)
    imgui.end()


def _draw_guarded(ui: Ui, panel: Panel) -> None:
    """Draw one panel; if it fails, restore ImGui's stacks and show the error until the user tries again."""
    if panel.name in ui.broken:
        _draw_broken(ui, panel)
        return
    before = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(before)
    alpha = imgui.get_style().alpha
    imgui.push_id(panel.name)
    try:
        panel.draw(ui)
        imgui.pop_id()
    except Exception as error:  # an error in a panel must not end the run
        log.exception("The panel %s failed.", panel.name)
        ui.broken[panel.name] = one_line(error)
        _recover(before)
        # ImGui takes a `begin_disabled(False)` left open for its opposite, and sets opacity to 0 for good.
        imgui.get_style().alpha = alpha


def _draw_broken(ui: Ui, panel: Panel) -> None:
    in_bar = panel.side == "bottom"
    width = text_width("Try again") + 4 * imgui.get_style().frame_padding.x if in_bar else -1.0
    again = button(ui, f"{panel.name}.again", "Try again", width=width)
    if in_bar:
        imgui.same_line()
    note(f"The panel {panel.title} stopped ({ui.broken[panel.name]}); the run continues.", ui.palette.bad)
    if again:
        del ui.broken[panel.name]


def _recover(before: imgui.internal.ErrorRecoveryState) -> None:
    """Close what a panel left open; this closes every tab bar and table of its window."""
    if implot.internal.get_current_plot() is not None:
        implot.end_plot()
    io = imgui.get_io()
    kept = {name: getattr(io, name) for name in RECOVERY}
    for name in RECOVERY:
        setattr(io, name, False)
    imgui.internal.error_recovery_try_to_recover_state(before)
    for name, value in kept.items():
        setattr(io, name, value)


def _draw_edge(ui: Ui, x0: float, y0: float, x1: float, y1: float) -> None:
    colour = imgui.get_color_u32(imgui.Col_.border)
    draw = imgui.get_window_draw_list()
    draw.push_clip_rect_full_screen()
    draw.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), colour, max(ui.scale, 1.0))
    draw.pop_clip_rect()
