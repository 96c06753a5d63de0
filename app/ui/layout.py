"""Layout of the panels: one column at the left, time along the bottom, the picture in the rest of the window.

The column folds to a rim. A panel that raises an error shows it in its place; the other panels continue.
"""

from __future__ import annotations

import logging

from imgui_bundle import imgui, implot
from repose.app.language import translated
from repose.app.render.passes import band
from repose.app.render.text import note, text_width
from repose.app.ui.file_dialog import take_answer
from repose.app.ui.lecture_mode import awaits_run
from repose.app.ui.panels import Panel, Side, all_panels, instead, width_beside
from repose.app.ui.places import (
    GUESS,
    STABILITY,
    TABS,
    TOOLS,
    GuessArea,
    LectureArea,
    ParameterArea,
    StabilityArea,
    TaskArea,
    ToolArea,
    chosen_fold,
    fold,
    give_focus,
    is_low,
    is_short,
    shows_all,
    take_focus,
)
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import begin_tooltips, button, choose_tab
from repose.sim.message import Message, _, plain
from repose.sim.wording import described

log = logging.getLogger(__name__)

COLUMN = 320.0
"""Width of the column [px at scale 1]."""
LARGEST_SHARE = 0.3
"""Largest fraction of the width of the window for the column [-]."""
NARROWEST = 230.0
"""Width below which the column is folded [px at scale 1]."""
RIM = 26.0
"""Width of the folded column [px at scale 1]."""
BAR = 66.0
"""Height of the bar at the bottom [px at scale 1]."""
CHIPS = 58.0
"""Height of the parameters at the bottom in a presentation [px at scale 1]."""
LEAST_PICTURE = 240.0
"""Width kept for the picture [px at scale 1]."""
TAB_PADDING = 6.0
"""Padding beside the name of a tab [px at scale 1]."""
TIGHT_TABS = 3.5
"""The same in a row that ends with a button."""
LEAST_TOOLS = 170.0
"""Height of the tools at the foot of the column below which the column scrolls as a whole [px at scale 1]."""
FIXED = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
    | imgui.WindowFlags_.no_focus_on_appearing
)

RECOVERY = tuple(f"config_error_recovery_enable_{part}" for part in ("assert", "debug_log", "tooltip"))
"""ImGui's reports of calls that it closes for a failed panel: off, because the panel shows the error."""

STOPPED = _("Stopped")
"""Title of the window of a panel that stopped."""


def measure_inset(
    size: tuple[int, int],
    scale: float,
    visible: bool,
    folded: bool = False,
    presented: tuple[float, float] | None = None,
) -> tuple[float, float, float, float]:
    """Pixels the panels cover: left, top, right, bottom; a `folded` column leaves its rim, a presentation no column.

    Nothing at the right: the window adds a panel beside the picture. `presented` are the heights that a lecture or
    presentation needs at top and foot [px]; None without either.
    """
    if not visible:
        return 0.0, 0.0, 0.0, 0.0
    if presented is not None:
        return 0.0, presented[0], 0.0, presented[1]
    column = min(COLUMN * scale, max(LARGEST_SHARE * size[0], NARROWEST * scale))
    if folded or size[0] < column + LEAST_PICTURE * scale:
        column = RIM * scale if size[0] >= (RIM + LEAST_PICTURE) * scale else 0.0
    bottom = BAR * scale if size[1] >= 3 * BAR * scale else 0.0
    return column, 0.0, 0.0, bottom


def fit(ui: Ui) -> None:
    """Set the areas of panels and picture in a window of this size and scale."""
    folded, width = chosen_fold(ui) and instead(ui) is None, ui.window.size[0]
    left, top, _, bottom = measure_inset(
        ui.window.size, ui.window.scale, ui.view.ui_visible, folded, presented_room(ui)
    )
    if ui.mode.presenting and ui.view.ui_visible and instead(ui) is not None:  # a presentation has no other column
        left = min(COLUMN * ui.window.scale, width)
    if ui.beside.runs and ui.view.ui_visible:
        top += ui.states[ToolArea].rows + ui.states[TaskArea].rows
    ui.window.beside = width_beside(ui, width - left)
    ui.window.inset = left, top, ui.window.beside, bottom
    free = width - left - ui.window.beside
    # Below pictures side by side is room, beside them is none; a lecture has no results below them.
    has_band = instead(ui) is None and not (ui.beside.runs and not ui.mode.lecture.on)
    ui.window.band = band(ui.snapshot, ui.view, free, ui.window.scale) if has_band else 0.0


def presented_room(ui: Ui) -> tuple[float, float] | None:
    """Heights at top and foot of the window that a lecture or presentation needs [px]; None without either."""
    mode, chips, guess = ui.mode.lecture, _chips(ui.window.size, ui.window.scale), ui.states[GuessArea].foot
    if not mode.on:
        return (0.0, chips + guess) if ui.mode.presenting else None
    if not mode.step.controls:
        chips = 0.0
    foot = ui.states[LectureArea].notes if mode.notes_shown else chips
    return ui.states[LectureArea].band, foot + guess


def _chips(size: tuple[int, int], scale: float) -> float:
    """Height of the parameters at the foot of a presentation [px]."""
    return CHIPS * scale if size[1] >= 4 * CHIPS * scale else 0.0


def is_folded(ui: Ui) -> bool:
    """Whether the column is folded to its rim, by choice or because the window is narrow."""
    return ui.window.inset[0] <= RIM * ui.window.scale


def draw_panels(ui: Ui) -> None:
    """Draw all panels of the window, and take the answer of an open file dialog, whichever panels are drawn."""
    take_answer(ui)
    begin_tooltips(ui)
    left, _, _, bottom = ui.window.inset
    height = ui.window.size[1]
    if ui.mode.presenting:
        bottom = 0.0
    own = next((panel for panel in _on("instead") if panel.name == ui.mode.overlay), None)
    if own is not None and ui.view.ui_visible:
        width = left if not is_folded(ui) else min(COLUMN * ui.window.scale, ui.window.size[0])
        top, foot = _lecture_room(ui)
        _draw_instead(ui, own, width, top, height - max(bottom, foot) - top)
    elif left and is_folded(ui):
        _draw_rim(ui, left, height - bottom)
    elif left:
        _draw_column(ui, left, height - bottom)
    if bottom:
        _draw_bar(ui, height - bottom, bottom)
    for panel in _on("over"):
        _draw_over(ui, panel)


def focus_next(ui: Ui) -> None:
    """Move the keyboard focus to column, bar, actions or a window over the picture; arrows, Enter and Esc act there."""
    left, _, _, bottom = ui.window.inset
    bar = bottom and not ui.mode.presenting
    shown = [
        name for name, there in (("column", left and not is_folded(ui)), ("bottom", bar), ("actions", bar)) if there
    ]
    over = ((STABILITY, ui.states[StabilityArea].shown), (GUESS, ui.states[GuessArea].shown))
    shown += [name for name, there in over if bottom and there]
    if shown:
        give_focus(ui, shown)


def _on(side: Side) -> list[Panel]:
    return [panel for panel in all_panels() if panel.side == side]


def _begin(ui: Ui, name: str, x: float, y: float, width: float, height: float, flags: int = 0) -> None:
    imgui.set_next_window_pos(imgui.ImVec2(x, y))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    take_focus(ui, name)
    imgui.begin(name, None, FIXED | flags | _ground(ui))


def _ground(ui: Ui) -> int:
    """ImGui's flag for a panel without a background: the picture fills the background of the panels, because software
    fills faster than it blends."""
    filled = instead(ui) is None and "picture" not in ui.program.broken and not awaits_run(ui)
    return int(imgui.WindowFlags_.no_background) if filled else 0


def _draw_bar(ui: Ui, top: float, height: float) -> None:
    _begin(ui, "bottom", 0.0, top, ui.window.size[0], height, imgui.WindowFlags_.no_scrollbar)
    _draw_edge(ui, 0.0, top, ui.window.size[0], top)
    for panel in _on("bottom"):
        _draw_guarded(ui, panel)
    imgui.end()


def _draw_rim(ui: Ui, width: float, height: float) -> None:
    """The folded column: a button that unfolds it."""
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(2 * ui.window.scale, 8 * ui.window.scale))
    _begin(ui, "rim", 0.0, 0.0, width, height)
    imgui.pop_style_var()
    if button(ui, "column.unfold", plain("»"), help=_("Show the column at the left.  Key F4")):
        fold(ui)
    _draw_edge(ui, width, 0.0, width, height)
    imgui.end()


def _draw_column(ui: Ui, width: float, height: float) -> None:
    """Panels from top to bottom; the tools, a tab each, take the remaining height.

    In a short column only the first panel is above the tabs, and the other panels become tabs, which fit into the
    window; in a low column the readings become a tab too.
    """
    imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    take_focus(ui, "column")
    imgui.begin("column", None, (FIXED | _ground(ui)) & ~int(imgui.WindowFlags_.no_scrollbar))
    start = imgui.get_cursor_pos_y()
    panels, short = _on("column"), is_short(ui)
    above = panels[:1] if short else panels
    for panel in above:
        _draw_guarded(ui, panel)
    used = imgui.get_cursor_pos_y() - start
    if short or not ui.states[ParameterArea].covers_tools:
        room = height - used - 2 * imgui.get_style().window_padding.y
        tools = _on("tools") if shows_all(ui, TABS) else _on("tools")[:1]
        tabs = panels[len(above) :] + (_on("low") if is_low(ui) else []) + tools
        _draw_tools(ui, tabs, max(room, LEAST_TOOLS * ui.window.scale))
    _draw_edge(ui, width, 0.0, width, height)
    imgui.end()


def _lecture_room(ui: Ui) -> tuple[float, float]:
    """Heights of what a lecture shows over the whole width of the window, at its top and at its foot [px]."""
    mode, area = ui.mode.lecture, ui.states[LectureArea]
    if not mode.on:
        return 0.0, 0.0
    return area.band, ui.states[GuessArea].foot + (area.notes if mode.notes_shown else 0.0)


def _draw_instead(ui: Ui, panel: Panel, width: float, top: float, height: float) -> None:
    """Draw the panel that replaces the column."""
    _begin(ui, "column instead", 0.0, top, width, height)
    _draw_guarded(ui, panel)
    _draw_edge(ui, width, top, width, top + height)
    imgui.end()


def _draw_tools(ui: Ui, panels: list[Panel], height: float) -> None:
    """The row of tabs, completed before the chosen panel is drawn, because a panel that fails closes open tab bars."""
    top = imgui.get_cursor_pos_y()
    section = "" if ui.settings.choices.expert else TABS
    padding = TIGHT_TABS if section and shows_all(ui, TABS) else TAB_PADDING
    chosen = choose_tab(ui, TOOLS, {panel.name: panel.title for panel in panels}, padding, section)
    if chosen is None:
        return
    left = max(height - (imgui.get_cursor_pos_y() - top), ui.window.scale)
    imgui.begin_child(chosen, imgui.ImVec2(0.0, left), imgui.ChildFlags_.nav_flattened)
    _draw_guarded(ui, next(panel for panel in panels if panel.name == chosen))
    imgui.end_child()


def _draw_over(ui: Ui, panel: Panel) -> None:
    """A panel that opens its own windows; if it fails, its error gets a window too."""
    if panel.name not in ui.program.broken:
        _draw_guarded(ui, panel)
        return
    left, top, right, __ = ui.window.inset
    imgui.set_next_window_pos(imgui.ImVec2(left, top), imgui.Cond_.appearing)
    imgui.set_next_window_size(imgui.ImVec2(min(COLUMN * ui.window.scale, ui.window.size[0] - left - right), 0.0))
    imgui.begin(
        f"{translated(STOPPED)}###stopped",
        None,
        imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_collapse,
    )  # one window for all panels that fail
    _draw_guarded(ui, panel)
    imgui.end()


def _draw_guarded(ui: Ui, panel: Panel) -> None:
    """Draw one panel; if it fails, restore ImGui's stacks and show the error until the user tries again."""
    if panel.name in ui.program.broken:
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
        ui.program.broken[panel.name] = described(error)
        _recover(before)
        # ImGui treats a `begin_disabled(False)` left open as its opposite, and leaves the opacity at 0.
        imgui.get_style().alpha = alpha


def _draw_broken(ui: Ui, panel: Panel) -> None:
    in_bar = panel.side == "bottom"
    width = text_width(_("Try again")) + 4 * imgui.get_style().frame_padding.x if in_bar else -1.0
    again = button(ui, f"{panel.name}.again", _("Try again"), width=width)
    if in_bar:
        imgui.same_line()
    note(
        Message(
            "The panel {title} stopped ({broken}); the run continues.",
            title=panel.title,
            broken=ui.program.broken[panel.name],
        ),
        ui.palette.bad,
    )
    if again:
        del ui.program.broken[panel.name]


def _recover(before: imgui.internal.ErrorRecoveryState) -> None:
    """Close what a panel left open; this closes every tab bar and table of its window."""
    if implot.internal.get_current_plot() is not None:
        implot.end_plot()
    io = imgui.get_io()
    before_recovery = {name: getattr(io, name) for name in RECOVERY}
    for name in RECOVERY:
        setattr(io, name, False)
    imgui.internal.error_recovery_try_to_recover_state(before)
    for name, value in before_recovery.items():
        setattr(io, name, value)


def _draw_edge(ui: Ui, x0: float, y0: float, x1: float, y1: float) -> None:
    colour = imgui.get_color_u32(imgui.Col_.border)
    draw = imgui.get_window_draw_list()
    draw.push_clip_rect_full_screen()
    draw.add_line(imgui.ImVec2(x0, y0), imgui.ImVec2(x1, y1), colour, max(ui.window.scale, 1.0))
    draw.pop_clip_rect()
