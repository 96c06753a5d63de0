"""Parts of the window that several panels and the layout use: column, strip of actions, keyboard focus."""

from __future__ import annotations

import math
from dataclasses import dataclass

from imgui_bundle import imgui
from repose.app.render.framing import SCALE_BAR_ROOM
from repose.app.render.passes import legend
from repose.app.ui.toasts import show_toast
from repose.app.ui.ui import Ui
from repose.sim.message import _

FOLD = "column"
"""Entry of the settings that says whether the column is unfolded."""
STABILITY = "stability"
"""Name of the window with the numbers of stability."""
GUESS = "guess"
"""Name of the window with the guess of the audience."""
STRIP = 52.0
"""Height of the strip with the actions at the foot of the picture, beside the scale bar [px at scale 1]."""
BELOW_LEGEND = 112.0
"""Where notices begin, so that they never cover the legend [px at scale 1, from the top of the picture]."""
NOTICE = 336.0
"""Width of a notice at the right edge of the picture: that of the legend [px at scale 1]."""
SHORT = 596.0
"""Height of the column below which it has no room for parameters and tools one below the other [px at scale 1]."""
LOW = 444.0
"""Height of the column below which it has no room for the readings above the tabs [px at scale 1]: a tab has them."""
MORE = "more."
"""Beginning of the entries of the settings that say whether a section of the window shows all its controls."""
ACTIONS, MOUSE, TABS, TIME = SECTIONS = tuple(f"{MORE}{part}" for part in ("actions", "mouse", "tabs", "time"))
"""The sections with a button *More*: the actions, the tools of the mouse, the tabs of the column, the bar of time."""
TOOLS = "tab"
"""The row of tabs in the column: its entry in the settings, and the beginning of the names of its widgets."""


ASIDE, LEAST_WORDS = 16.0, 200.0
"""Distance of a high scene from task, legend and upper edge, and least width of the task beside it [px at scale 1]."""
NEARER = 1.15
"""Size of the side of a scene in space that is nearest to the camera, relative to its middle [-]."""


@dataclass
class Focus:
    """The part of the window that gets the keyboard."""

    next: str = ""
    """The part that gets it with the next frame; empty for none."""
    last: str = ""
    """The part that got it last."""


@dataclass
class ParameterArea:
    """Place of the parameters. Written by `repose.app.ui.panels.parameters`."""

    covers_tools: bool = False
    """Whether they need the column to its foot, also the room of the tools."""


@dataclass
class StabilityArea:
    """The numbers of stability over the picture. Written by `repose.app.ui.panels.stability`."""

    shown: bool = False
    due: bool | None = None
    """Whether the state of the last frame shows them by itself; None before the first frame."""


@dataclass
class TaskArea:
    """Place of the task of the scene, or of its outcomes. Written by `repose.app.ui.panels.task`."""

    foot: float | None = None
    """Lower edge, below which the camera shows the scene [px]; None without a task."""
    below_legend: bool = False
    """Whether it is below the legend, where notices begin elsewhere."""
    box: tuple[float, float, float, float] | None = None
    """Left, top, right, bottom [px]; None without a task."""
    table: tuple[float, float, float, float] | None = None
    """The same of the open table of outcomes; None without it."""
    rows: float = 0.0
    """Height of the task above pictures side by side [px]; 0 elsewhere."""


@dataclass
class NoticeArea:
    """Places of the notices and messages over the picture. Written by `repose.app.ui.panels.notices_over_picture`."""

    boxes: tuple[tuple[float, float, float, float], ...] = ()
    """Left, top, right, bottom of each [px]."""


@dataclass
class ToolArea:
    """Place of the buttons of the mouse tools. Written by `repose.app.ui.panels.mouse`."""

    right: float = 0.0
    """Right edge of the buttons, without settings of a tool [px]; 0 without buttons."""
    edge: float = 0.0
    """The same, beside which words on the picture begin [px]; 0 if they need not."""
    corner: tuple[float, float] = (0.0, 0.0)
    """Lower right corner, with the settings of the chosen tool [px]; 0 without anything over the picture."""
    rows: float = 0.0
    """Height of the buttons above pictures side by side [px]; 0 elsewhere."""


@dataclass
class ActionArea:
    """Place of the actions. Written by `repose.app.ui.panels.next_step`."""

    upper_row: float = 0.0
    """Height of a second row for actions whose names do not fit into one [px]; 0 without it."""


@dataclass
class LectureArea:
    """Place of a lecture; 0 without one. Written by `repose.app.ui.panels.lecture`."""

    band: float = 0.0
    """Height of the band above the picture [px]."""
    notes: float = 0.0
    """Height of the notes below the picture [px]."""


@dataclass
class GuessArea:
    """Place of the guess of the audience. Written by `repose.app.ui.panels.guess`."""

    shown: bool = False
    foot: float = 0.0
    """Height below the picture of a lecture or presentation [px]; 0 elsewhere."""
    box: tuple[float, float, float, float] | None = None
    """Left, top, right, bottom over the picture [px]; None if it is not over it."""
    height: float = 0.0
    """Its height over the picture when it was drawn last [px]; 0 before."""
    place: tuple[float, float] | None = None
    """Left edge and foot of its place over the picture without notices above it [px], also while something covers it:
    the picture leaves this room and does not move when the guess comes or goes. None if there is no guess over it."""


def high_scene(ui: Ui) -> tuple[float, float] | None:
    """Left and right edge of the part of the picture between the task and the legend [px], where a high scene is larger
    than below them; None for a scene that is too wide for it."""
    left, top, right, bottom = ui.window.inset
    geometry, unit, guess = ui.snapshot.geometry, ui.window.scale, ui.states[GuessArea].place
    edge = legend.left_edge(ui.window.size[0] - right - ui.window.band, unit) - ASIDE * unit
    edge = edge if guess is None else min(edge, guess[0] - ASIDE * unit)
    extent = [high - low for low, high in zip(*geometry.box)]
    # Grains that leave their focus, as those of a heap, need the width below task and legend.
    if ui.beside.runs or not ui.view.ui_visible or geometry.focus is not None or extent[-1] <= 0.0:
        return None
    height = ui.window.size[1] - top - bottom - (SCALE_BAR_ROOM + ASIDE) * unit - ui.states[ActionArea].upper_row
    across = extent[0]
    if len(extent) == 3:
        across = NEARER * {"front": extent[0], "side": extent[1]}.get(
            ui.snapshot.run.direction.look, math.hypot(*extent[:2])
        )
    start = edge - height * across / extent[-1]
    beside = max(left, ui.states[ToolArea].right) + (LEAST_WORDS + ASIDE) * unit
    return (start, edge) if start >= beside and height > 0.0 else None


def free_of_buttons(ui: Ui) -> tuple[float, float, float, float]:
    """Pixels that panels and buttons cover at the edges of the picture: left, top, right, bottom."""
    left, top, right, bottom = ui.window.inset
    return max(left, ui.states[ToolArea].edge), top, right, bottom


def over_picture(ui: Ui) -> tuple[tuple[float, float, float, float], ...]:
    """Left, top, right and bottom of the buttons of the tools, of the task with its table, of the guess, of notices and
    of messages, which hide words of the picture [px]."""
    (left, top, __, ___), (right, bottom) = ui.window.inset, ui.states[ToolArea].corner
    tools, task = ((left, top, right, bottom),) if right else (), ui.states[TaskArea]
    plates = (box for box in (task.box, task.table, ui.states[GuessArea].box) if box is not None)
    return (*tools, *plates, *ui.states[NoticeArea].boxes)


def strip_height(ui: Ui) -> float:
    """Height of the strip of actions above the bar of time [px]."""
    return STRIP * ui.window.scale + ui.states[ActionArea].upper_row


def free_of_actions(ui: Ui) -> tuple[float, float, float, float]:
    """Pixels that panels, and the strip of actions with the scale bar, cover at the edges of the picture."""
    left, top, right, bottom = ui.window.inset
    return left, top, right, bottom + (strip_height(ui) if bottom and not ui.mode.presenting else 0.0)


def give_focus(ui: Ui, names: list[str]) -> None:
    """Give the keyboard focus to the one of these parts of the window that follows the part that got it last."""
    focus = ui.states[Focus]
    index = names.index(focus.last) + 1 if focus.last in names else 0
    focus.next = focus.last = names[index % len(names)]


def take_focus(ui: Ui, name: str) -> None:
    """Give the keyboard focus to the window that begins next, if it is the turn of this `name`."""
    if ui.states[Focus].next == name:
        ui.states[Focus].next = ""
        imgui.set_next_window_focus()


def is_shown(ui: Ui, name: str, at_start: bool = False) -> bool:
    """Whether a part of the window that the user opens and closes is open; stored in the settings."""
    return ui.settings.choices.unfolded.get(name, at_start)


def show(ui: Ui, name: str, shown: bool) -> None:
    """Open or close such a part of the window."""
    ui.settings.choices.unfolded = {**ui.settings.choices.unfolded, name: shown}


def shows_all(ui: Ui, section: str) -> bool:
    """Whether one of the `SECTIONS` shows all its controls: in the expert layout, or after *More*."""
    return ui.settings.choices.expert or is_shown(ui, section)


def toggle_section(ui: Ui, section: str) -> None:
    """Show all controls of a section, or only those used most."""
    show(ui, section, not is_shown(ui, section))


def toggle_more(ui: Ui) -> None:
    """Show all controls of all sections, or only those used most if every section shows all; say so in a layout that
    has all anyway."""
    if ui.settings.choices.expert:
        show_toast(ui, _("The expert layout shows all controls; it is chosen in the tab Window."))
        return
    everything = all(is_shown(ui, section) for section in SECTIONS)
    for section in SECTIONS:
        show(ui, section, not everything)


def fold(ui: Ui) -> None:
    """Fold the column to its rim, or unfold it."""
    show(ui, FOLD, chosen_fold(ui))


def chosen_fold(ui: Ui) -> bool:
    """Whether the user has folded the column."""
    return not is_shown(ui, FOLD, at_start=True)


def is_short(ui: Ui) -> bool:
    """Whether the window is too low, or its text too large, for parameters and tools one below the other."""
    return ui.window.size[1] - ui.window.inset[3] < SHORT * ui.window.scale


def is_low(ui: Ui) -> bool:
    """Whether the readings are in a tab, because five sliders and four readings do not fit into the column."""
    return ui.window.size[1] - ui.window.inset[3] < LOW * ui.window.scale


def room_in_column() -> float:
    """Height left below the cursor in the column, or in the tab that is drawn [px]."""
    return float(imgui.get_window_height() - imgui.get_cursor_pos_y() - imgui.get_style().window_padding.y)
