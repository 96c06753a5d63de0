"""Ticks of an axis of a plot in the window: only as many as have room for their labels."""

from __future__ import annotations

from functools import lru_cache

from imgui_bundle import imgui, implot
from repose.app.language import decimal_sign, typeset
from repose.app.render.text import text_width
from repose.sim.message import POINT
from repose.sim.scales import FEWEST, linear_ticks, log_ticks

MOST = 11
"""Largest number of ticks beside each other."""
GAP = 1.6
"""Distance between the middles of two labels, relative to their size, below which they count as touching."""


@lru_cache(maxsize=128)  # a plot is drawn in every frame, and tries several numbers of ticks
def _typeset_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """The ticks of a linear axis with labels as they are drawn."""
    values, words = linear_ticks(low, high, most)
    return values, [typeset(word) for word in words]


def set_axis(axis: int, low: float, high: float, length: float, log: bool = False, labels: bool = True) -> None:
    """Ticks of an axis of a plot that is being set up, `length` long [px]."""
    line = imgui.get_text_line_height()
    if log:
        implot.setup_axis_scale(axis, implot.Scale_.log10)
        values, powers = log_ticks(low, high, length / (GAP * line))
        words = [typeset(power) for power in powers]
    elif axis == implot.ImAxis_.x1:
        values, words = _typeset_ticks(low, high, _most_beside_each_other(low, high, length))
    else:
        values, words = _typeset_ticks(low, high, length / (GAP * line))
    if not values:  # ImPlot would write numbers of its own, in English
        values, words = [low], [""]
    shown = [word.replace(POINT, decimal_sign()) for word in words] if labels else [""] * len(values)
    implot.setup_axis_ticks(axis, values, shown, False)


def _most_beside_each_other(low: float, high: float, length: float) -> float:
    """Number of labels that have room beside each other on `length` [px]."""
    for wanted in range(MOST, FEWEST, -1):
        widest = max((text_width(word) for word in _typeset_ticks(low, high, wanted)[1]), default=1.0)
        if wanted * GAP * widest <= length:
            return wanted
    return FEWEST
