"""Parts of the window that several panels and the layout use: column, strip of actions, keyboard focus."""

from __future__ import annotations

from imgui_bundle import imgui
from repose.app.ui.ui import Ui

FOLD = "column"
"""Entry of the settings that says whether the column is unfolded."""
WHOLE_COLUMN = "whole column"
"""Entry of `Ui.memory`: true while a panel of the column also covers the tools."""

FOCUS, LAST_FOCUS = "focus", "last focus"
"""Entries of `Ui.memory`: the part of the window that gets the keyboard focus next, and the one that got it last."""
STABILITY = "stability"
"""Entry of `Ui.memory`: whether the numbers of stability are shown over the picture; also the name of their window."""
GUESS = "guess"
"""Entry of `Ui.memory`: whether the guess of the audience is shown over the picture; also the name of its window."""
TASK_BELOW = "task below the legend"
"""Entry of `Ui.memory`: whether the task of the scene is below the legend, where notices begin elsewhere."""
TASK_FOOT = "foot of the task"
"""Entry of `Ui.memory`: lower edge of the task or of its outcomes, below which the camera shows the scene [px]."""
MOUSE_EDGE = "edge of the mouse tools"
"""Entry of `Ui.memory`: right edge of the buttons of the mouse tools, beside which words on the picture begin [px]."""
MOUSE_CORNER = "corner of the mouse tools"
"""Entry of `Ui.memory`: lower right corner of the buttons of the mouse tools with the settings of the chosen one [px];
no entry while there are no buttons."""
LECTURE_BAND, LECTURE_FOOT = "band of the lecture", "notes of the lecture"
"""Entries of `Ui.memory`: height of the band above the picture, and of the notes below it [px]; no entries
outside a lecture."""
GUESS_FOOT = "foot with the guess"
"""Entry of `Ui.memory`: height of the guess below the picture of a lecture or presentation [px]; no entry elsewhere."""
STRIP = 52.0
"""Height of the strip with the actions at the foot of the picture, beside the scale bar [px at scale 1]."""
BELOW_LEGEND = 112.0
"""Where notices begin, so that they never cover the legend [px at scale 1, from the top of the picture]."""
NOTICE = 336.0
"""Width of a notice at the right edge of the picture: that of the legend [px at scale 1]."""
SHORT = 570.0
"""Height of the column below which it has no room for parameters and tools one below the other [px at scale 1]."""
LOW = 444.0
"""Height of the column below which it has no room for the readings above the tabs [px at scale 1]: a tab has them."""
TOOLS = "tab"
"""The row of tabs in the column: its entry in the settings, and the beginning of the names of its widgets."""


def free_of_buttons(ui: Ui) -> tuple[float, float, float, float]:
    """Pixels that panels and buttons cover at the edges of the picture: left, top, right, bottom."""
    left, top, right, bottom = ui.inset
    return max(left, ui.memory.get(MOUSE_EDGE, 0.0)), top, right, bottom


def take_focus(ui: Ui, name: str) -> None:
    """Give the keyboard focus to the window that begins next, if it is the turn of this `name`."""
    if ui.memory.get(FOCUS) == name:
        del ui.memory[FOCUS]
        imgui.set_next_window_focus()


def is_shown(ui: Ui, name: str, at_start: bool = False) -> bool:
    """Whether a part of the window that the user opens and closes is open; stored in the settings."""
    return ui.settings.choices.unfolded.get(name, at_start)


def show(ui: Ui, name: str, shown: bool) -> None:
    """Open or close such a part of the window."""
    ui.settings.choices.unfolded = {**ui.settings.choices.unfolded, name: shown}


def fold(ui: Ui) -> None:
    """Fold the column to its rim, or unfold it."""
    show(ui, FOLD, chosen_fold(ui))


def chosen_fold(ui: Ui) -> bool:
    """Whether the user has folded the column."""
    return not is_shown(ui, FOLD, at_start=True)


def is_short(ui: Ui) -> bool:
    """Whether the window is too low, or its text too large, for parameters and tools one below the other."""
    return ui.size[1] - ui.inset[3] < SHORT * ui.scale


def is_low(ui: Ui) -> bool:
    """Whether the readings are in a tab, because five sliders and four readings do not fit into the column."""
    return ui.size[1] - ui.inset[3] < LOW * ui.scale


def room_in_column() -> float:
    """Height left below the cursor in the column, or in the tab that is drawn [px]."""
    return float(imgui.get_window_height() - imgui.get_cursor_pos_y() - imgui.get_style().window_padding.y)
