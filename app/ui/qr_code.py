"""QR codes in the window."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from imgui_bundle import imgui
from repose.app.ui.ui import Ui

QUIET = 4
"""White modules around a QR code, as its standard requires."""
BLACK, WHITE = 0xFF000000, 0xFFFFFFFF


@lru_cache(maxsize=4)
def qr_of(text: str) -> Any:
    """The QR code of a text with a medium error correction."""
    import segno

    return segno.make(text, error="m", micro=False, boost_error=False)


def draw_qr(ui: Ui, name: str, text: str, side: float) -> None:
    """Draw black modules on white in every theme, neighbours in a row as one rectangle, with edges at whole pixels, in
    a square of at most `side` [px]. `name` is the name in the probe."""
    rows = [*qr_of(text).matrix]
    step = max(int(side / (len(rows) + 2 * QUIET)), 1)
    low, draw = imgui.get_cursor_screen_pos(), imgui.get_window_draw_list()
    whole = step * (len(rows) + 2 * QUIET)
    draw.add_rect_filled(low, imgui.ImVec2(low.x + whole, low.y + whole), WHITE)
    for y, row in enumerate(rows):
        top, start = low.y + step * (y + QUIET), None
        for x, dark in enumerate((*row, 0)):
            if dark and start is None:
                start = x
            elif not dark and start is not None:
                left, right = (low.x + step * (at + QUIET) for at in (start, x))
                draw.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(right, top + step), BLACK)
                start = None
    imgui.dummy(imgui.ImVec2(whole, whole))
    ui.probe.mark(name)
