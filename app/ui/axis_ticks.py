"""Ticks of an axis: at least three, at round numbers, and only as many as have room for their labels."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

from imgui_bundle import imgui, implot
from repose.app.language import decimal_sign, typeset
from repose.app.render.text import text_width
from repose.sim.message import POINT

FEWEST = 3
"""Smallest number of ticks of an axis: two do not show the scale between them."""
MOST = 11
"""Largest number of ticks beside each other."""
STEPS = (Decimal(1), Decimal(2), Decimal(5))
"""Distances between ticks, times a power of ten."""
ODD_STEPS = (Decimal("2.5"), Decimal(3), Decimal(4))
"""Distances if none of the others gives three ticks with room for their labels."""
LARGEST_PLAIN, SMALLEST_PLAIN = 5, -4
"""Powers of ten beyond which labels are written with a power."""
GAP = 1.6
"""Distance between the middles of two labels, relative to their size, below which they count as touching."""


@lru_cache(maxsize=128)  # a plot is drawn in every frame, and tries several numbers of ticks
def linear_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Round numbers from `low` to `high`, at most `most` of them but at least `FEWEST`, and their labels."""
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [], []
    enough, ends = _enough(low, high), (Decimal(low), Decimal(high))
    fitting = {step: count for step, count in enough.items() if count <= most}
    round_ones = {step: count for step, count in fitting.items() if step.as_tuple().digits in ((1,), (2,), (5,))}
    best = round_ones or fitting
    step = max(best, key=lambda step: best[step]) if best else max(enough)
    first = math.ceil(ends[0] / step)
    ticks = [number * step for number in range(first, first + enough[step])]
    return [float(tick) for tick in ticks], _labels(ticks)


@lru_cache(maxsize=16)
def _enough(low: float, high: float) -> dict[Decimal, int]:
    """Distances between ticks that give at least `FEWEST` of them from `low` to `high`, with their number."""
    power = math.floor(math.log10(high - low))
    steps = [step * Decimal(10) ** exponent for exponent in (power - 1, power) for step in (*STEPS, *ODD_STEPS)]
    ends = Decimal(low), Decimal(high)
    return {step: count for step in steps if (count := _count(*ends, step)) >= FEWEST}


def _count(low: Decimal, high: Decimal, step: Decimal) -> int:
    return math.floor(high / step) - math.ceil(low / step) + 1


def _labels(ticks: list[Decimal]) -> list[str]:
    """All labels of an axis have the same number of decimals."""
    power = max(tick.adjusted() for tick in ticks if tick)
    last = min(int(tick.normalize().as_tuple().exponent) for tick in ticks if tick)
    if SMALLEST_PLAIN <= power <= LARGEST_PLAIN:
        return [f"{tick:.{max(0, -last)}f}".replace("-", "−") for tick in ticks]
    decimals = max(0, power - last)
    words = [f"{tick.scaleb(-power):.{decimals}f}e{power:+d}".replace("-", "−", tick < 0) for tick in ticks]
    return [typeset(word) if tick else "0" for tick, word in zip(ticks, words, strict=True)]


def log_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """About `most` powers of ten from `low` to `high`, at least `FEWEST` where there are so many."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    stride = max(1, math.ceil((last - first) / max(most - 1.0, 1.0)))
    stride = max(1, min(stride, (last - first) // (FEWEST - 1)))
    powers = [*range(last, first - 1, -stride)][::-1]
    return [10.0**power for power in powers], [typeset(f"1e{power:+d}") for power in powers]


def set_axis(axis: int, low: float, high: float, length: float, log: bool = False, labels: bool = True) -> None:
    """Ticks of an axis of a plot that is being set up, `length` long [px]."""
    line = imgui.get_text_line_height()
    if log:
        implot.setup_axis_scale(axis, implot.Scale_.log10)
        values, words = log_ticks(low, high, length / (GAP * line))
    elif axis == implot.ImAxis_.x1:
        values, words = linear_ticks(low, high, _most_beside_each_other(low, high, length))
    else:
        values, words = linear_ticks(low, high, length / (GAP * line))
    if not values:  # ImPlot would write numbers of its own, in English
        values, words = [low], [""]
    shown = [word.replace(POINT, decimal_sign()) for word in words] if labels else [""] * len(values)
    implot.setup_axis_ticks(axis, values, shown, False)


def _most_beside_each_other(low: float, high: float, length: float) -> float:
    """Number of labels that have room beside each other on `length` [px]."""
    for wanted in range(MOST, FEWEST, -1):
        widest = max((text_width(word) for word in linear_ticks(low, high, wanted)[1]), default=1.0)
        if wanted * GAP * widest <= length:
            return wanted
    return FEWEST
