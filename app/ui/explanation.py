"""Explanations of widgets: their lines, and a place where they cover neither the picture nor their widget."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from repose.app.ui.picture_areas import results_area
from repose.app.ui.ui import Ui
from repose.sim.message import EMPTY, Message

MOST_LINES = 2
"""Most lines of a tooltip; the whole text is on the page of the widget, which F1 opens."""
COLUMN_LINE, FOOT_LINE = 24.0, 60.0
"""Longest line of a tooltip, and of one in the bar at the foot, which is low and wide [heights of a letter]."""

Area = tuple[float, float, float, float]
"""Left, top, right, bottom [px]."""


@dataclass
class Explained:
    """The widget under the pointer. Written by `repose.app.ui.widgets`."""

    text: Message = EMPTY
    """Its whole explanation, which F1 shows; empty for none."""
    lines: tuple[str, ...] = ()
    """Lines of the tooltip of this frame; empty without a tooltip."""
    pressed: int = 0
    """Widget that has been pressed and not left since: what it has changed is seen now; 0 for none."""


class TooltipShape(NamedTuple):
    """A tooltip as it is drawn in an area."""

    lines: list[str]
    is_cut: bool
    """Whether the text is longer."""
    size: tuple[float, float]
    """Width and height [px]."""


def divided(text: str, width: float, measure: Callable[[str], float]) -> list[str]:
    """The text in lines of this width [px]: divided at its line breaks, at spaces, and within a word that is wider than
    a line, as in Japanese. `measure` gives the width of a text [px]."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.append("")
        for word in re.findall(r"\S+\s*", paragraph):
            for piece in [word] if measure(word.rstrip()) <= width else word:
                if lines[-1] and measure((lines[-1] + piece).rstrip()) > width:
                    lines.append("")
                lines[-1] += piece
    return [line.rstrip() for line in lines]


def cut(lines: list[str], most: int, room: float, measure: Callable[[str], float]) -> list[str]:
    """The first `most` of the lines; an ellipsis ends the last one, which is at most `room` wide [px], if there are
    more."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1].rstrip()
    while last and measure(f"{last}…") > room:
        last = last[:-1].rstrip()
    return [*lines[: most - 1], f"{last}…"]


def quiet_areas(ui: Ui) -> list[Area]:
    """Parts of the window that never show grains: column, bar, the band above a lecture, the panel beside the picture,
    and the results below pictures side by side."""
    (left, top, right, bottom), (wide, high) = ui.window.inset, ui.window.size
    areas = [(0.0, 0.0, left, high - bottom), (0.0, high - bottom, wide, high), (0.0, 0.0, wide, top)]
    areas.append((wide - right, top, wide, high - bottom))
    if ui.beside.runs:
        x, y, across, down = results_area(ui)
        areas.append((x, y, x + across, y + down))
    return [area for area in areas if area[2] > area[0] and area[3] > area[1]]


def place(
    shapes: list[tuple[Area, tuple[float, float]]], widget: Area, pointer: tuple[float, float], gap: float
) -> tuple[int, float, float] | None:
    """Number of the area, left and top of a tooltip [px]: as near to the pointer as possible, inside one of the areas,
    and not over the widget. `shapes` are the areas, each with the size that the tooltip has there.

    None if no area has room for it.
    """
    best, nearest = None, math.inf
    for number, (area, (wide, high)) in enumerate(shapes):
        if wide > area[2] - area[0] or high > area[3] - area[1]:
            continue
        left, top, right, bottom = widget
        start = max(left, min(pointer[0], right - wide))
        for x, y in ((start, bottom + gap), (start, top - gap - high), (right + gap, top), (left - gap - wide, top)):
            x, y = min(max(x, area[0]), area[2] - wide), min(max(y, area[1]), area[3] - high)
            if x < right and x + wide > left and y < bottom and y + high > top:
                continue
            across = max(x - pointer[0], pointer[0] - x - wide, 0.0)
            down = max(y - pointer[1], pointer[1] - y - high, 0.0)
            if (distance := math.hypot(across, down)) < nearest - max(gap, 1.0):  # below, if hardly nearer elsewhere
                best, nearest = (number, x, y), distance
    return best
