"""Scale bar: a bar of a round length, in the lower right of the part of the window without panels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from repose.app.render.passes import Frame, Pass, Switch
from repose.sim.message import Message, _, plain
from repose.sim.scales import round_below

if TYPE_CHECKING:
    from repose.app.render.canvas import Canvas

SCALE_BAR = Switch("scale_bar", _("Scale bar"), _("A bar of a round length; in 3D also the directions of the axes."))
LONGEST, LARGEST_SHARE = 170.0, 0.28
"""Largest length of the bar [units], and its largest share of the width without panels [-]."""
MARGIN, GAP = 22.0, 18.0
"""Distances from the bar to the right edge and to the entry at its left [units]."""
PAD = 5.0
"""Padding of the plate below bar and text [units]."""
LABEL = 1.15
"""Size of the text, relative to ordinary text."""
UNITS = ((1e3, "km"), (1.0, "m"), (1e-2, "cm"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm"))


def bar_length(metres_per_pixel: float, pixels: float) -> float:
    """The largest 1, 2 or 5 times a power of ten [m] that is at most `pixels` long."""
    return round_below(metres_per_pixel * pixels)


def length_label(metres: float) -> Message:
    """A length in the largest unit that gives at least 1: "5 mm", "2 cm"."""
    factor, unit = next((pair for pair in UNITS if metres >= pair[0] * (1.0 - 1e-9)), UNITS[-1])
    return plain(f"{metres / factor:g} {unit}")


def longest(free: float, unit: float) -> float:
    """Largest length of the bar in a free part of this width [px]."""
    return min(LONGEST * unit, LARGEST_SHARE * free)


def label(length: Message, dimension: int) -> Message:
    """The text above a bar of this length; in perspective it also names the depth at which the length is true."""
    return Message("{length} at the centre", length=length) if dimension == 3 else length


def room(free: float, unit: float, dimension: int, text_width: Callable[[Message, float], float]) -> float:
    """Width that bar and text need at the right of the free part, for the words and buttons beside them [px].

    `text_width` returns the width of a text in a given size [px].
    """
    widest = text_width(label(plain("500 mm"), dimension), LABEL)
    return max(longest(free, unit), widest) + (MARGIN + GAP) * unit


def longest_bar(frame: Frame) -> float:
    """Length of the longest bar for which the free part of the picture has room [m]."""
    left, _, right, _ = frame.inset
    return bar_length(frame.metres_per_pixel, longest(frame.size[0] - left - right, frame.scale))


def overlay(frame: Frame, canvas: Canvas) -> None:
    """Draw the bar with end marks and the text of its length, also below a panel beside the picture."""
    with canvas.anywhere():
        _draw(frame, canvas)


def _draw(frame: Frame, canvas: Canvas) -> None:
    unit, palette = frame.scale, frame.palette
    _, _, right, below = frame.inset
    length = frame.bar or longest_bar(frame)
    pixels = length / frame.metres_per_pixel
    x1 = round(frame.size[0] - (right - frame.beside) - MARGIN * unit)
    x0 = round(x1 - pixels)
    y = round(frame.size[1] - below - 16.0 * unit)
    thick, tall = max(2.0, round(2.0 * unit)), round(5.0 * unit)
    text = label(length_label(length), frame.dimension)
    if canvas.text_extent(text, LABEL)[0] > x1 - frame.inset[0] - 2.0 * PAD * unit:  # of a narrow picture side by side
        text = length_label(length)
    width, height = canvas.text_extent(text, LABEL)
    pad, low = PAD * unit, y - tall - 3.0 * unit - height
    # Grains can lie or fall behind the bar.
    left = (x1 - max(width, pixels) if frame.dimension == 3 else min(x0, (x0 + x1 - width) / 2)) - pad
    canvas.rectangle((left, low - pad), (x1 + pad, y + thick + pad), palette.background, alpha=0.82, rounding=6.0)
    for grow, colour in ((max(1.0, unit), palette.background), (0.0, palette.text)):
        canvas.rectangle((x0 - grow, y - grow), (x1 + grow, y + thick + grow), colour)
        for x in (x0, x1 - thick):
            canvas.rectangle((x - grow, y - tall - grow), (x + thick + grow, y + thick + grow), colour)
    at, anchor = (x0 + x1) / 2, 0.5
    if frame.dimension == 3:  # the text is wider than the bar
        at, anchor = x1, 1.0
        y -= tall
    canvas.text((at, y - 3.0 * unit), text, palette.text, LABEL, anchor=(anchor, 1.0), halo=palette.background)


PASS = Pass("scale_bar", order=80, overlay=overlay, switch=SCALE_BAR)
