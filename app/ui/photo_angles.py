"""The angle of each flank, written beside it: that of the photograph, and that of the computed heap with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray
from repose.app.language import as_drawn
from repose.app.render.text import text_width
from repose.app.render.theme import Colour, colour32
from repose.app.storage.photo_results import FLANK
from repose.app.ui.compared_photo import ComputedHeap
from repose.app.ui.ui import Ui
from repose.sim.measure.angle_of_repose import with_error
from repose.sim.message import Message
from repose.sim.photo.heap_in_picture import PictureHeap

COMPUTED = (255, 255, 255)
"""Colour of the lines of the computed heap."""
DARK = (0.05, 0.06, 0.08, 1.0)
PLATE = 0.75
"""Opacity of what is behind the words [-]."""
LEFT, RIGHT = "left", "right"


class AngleLine(NamedTuple):
    """The line through one flank in the window, and its angle in words."""

    ends: NDArray[np.float64]
    """Shape (2, 2) [px]."""
    words: Message
    colour: tuple[int, int, int]

    @property
    def drawn(self) -> Colour:
        """The colour from 0 to 1."""
        red, green, blue = (part / 255.0 for part in self.colour)
        return red, green, blue, 1.0


Lines = dict[str, AngleLine]
"""By the side of the heap."""


def photographed(heap: PictureHeap, window: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Lines:
    """The flanks of the heap in a photograph, whose pixels `window` places in the window."""
    return {
        side: AngleLine(
            window(heap.pixel_of(*np.array((flank.start, flank.end)).T)),
            Message("photograph {angle}", angle=with_error(flank.angle, flank.standard_error)),
            FLANK,
        )
        for side, flank in ((LEFT, heap.left), (RIGHT, heap.right))
        if flank is not None
    }


def computed_lines(ui: Ui, heap: ComputedHeap) -> Lines:
    """The flanks of the computed heap."""
    lines = {}
    for side, sign, flank in ((LEFT, -1.0, heap.flanks.left), (RIGHT, 1.0, heap.flanks.right)):
        if flank is None:
            continue
        outwards = np.array(flank.x_range)
        places = np.zeros((2, ui.snapshot.grains.position.shape[1]))
        places[:, 0] = sign * outwards
        places[:, -1] = heap.floor + flank.intercept + flank.slope * outwards
        ends = np.asarray(ui.camera.world_to_pixel(places, ui.window.size), float)[:, :2]
        if np.isfinite(ends).all():
            words = Message("computed {angle}", angle=with_error(flank.angle, flank.standard_error))
            lines[side] = AngleLine(ends, words, COMPUTED)
    return lines


def draw_angles(ui: Ui, groups: tuple[Lines, ...], low: tuple[float, float], right: float) -> None:
    """Write the angles of every group of lines beside its flanks, between `low` and `right` [px]; the words of heaps
    that lie on each other are below each other."""
    draw, size = imgui.get_background_draw_list(), imgui.get_font_size()
    taken: dict[str, NDArray[np.float64]] = {}
    for lines in groups:
        for side, line in lines.items():
            middle, width = line.ends.mean(axis=0), text_width(line.words)
            above = middle - np.array((0.5 * size if side == LEFT else -0.5 * size, 2.6 * size))
            if side in taken and np.abs(taken[side] - above).max() < 6.0 * size:
                above = taken[side] + np.array((0.0, 1.25 * size))
            taken[side] = above
            start = above[0] - width if side == LEFT else above[0]
            x = float(min(max(start, low[0] + 0.3 * size), right - width - 0.3 * size))
            y = float(max(above[1], low[1]))
            area = x - 0.3 * size, y - 0.1 * size, x + width + 0.3 * size, y + 1.15 * size
            plate = colour32(DARK, PLATE)
            draw.add_rect_filled(imgui.ImVec2(*area[:2]), imgui.ImVec2(*area[2:]), plate, 4.0 * ui.window.scale)
            draw.add_text(
                imgui.get_font(), size, imgui.ImVec2(round(x), round(y)), colour32(line.drawn), as_drawn(line.words)
            )
            ui.probe.mark_area(f"photo.angle.{side}.{'photograph' if line.colour == FLANK else 'computed'}", area)
