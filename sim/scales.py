"""Prefixes of units, and round numbers for scales: ticks of axes and of legends, steps, lengths of bars.

A tick has a value and a label; labels of large and small numbers have an exponent, as in 2.5e-06, which the window
typesets.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import lru_cache

LARGE_TIME, SMALL_TIME = 0.1, 1e-4
"""Times of at least the first are written in s, of at least the second in ms, shorter times in µs or ns [s]."""
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"), (1e-12, "p"))
"""Powers of ten that a letter before a unit means."""
CENTI = (1e-2, "c")
"""A prefix that is written before a metre with a power only, as in cm², and read before any unit."""
UNIT = re.compile(r"(?P<symbol>[A-Za-zµΩ]+)(?P<power>|²|³|\^1\.5)")
"""One factor of a unit, such as m²."""
BETWEEN_UNITS = re.compile(r"( ?[/·] ?| )")
POWERS = {"": 1.0, "²": 2.0, "³": 3.0, "^1.5": 1.5}
"""Powers of a factor of a unit."""
WITHOUT_GAP = ("", "°")
"""Units that follow their number without a gap, as in SI."""
WITH_PREFIX = ("m", "s", "g", "N", "J", "W", "Pa", "Hz", "rad")
"""First factors of units that take a prefix. Others have one already, as mm and kg have, or take none, as °, % and 1/s.
"""
PLAIN = 4
"""Largest number of digits before the point of a number with a prefix."""

FEWEST = 3
"""Smallest number of ticks of an axis: two do not show the scale between them."""
STEPS = (Decimal(1), Decimal(2), Decimal(5))
"""Distances between ticks, times a power of ten."""
ODD_STEPS = (Decimal("2.5"), Decimal(3), Decimal(4))
"""Distances if none of the others gives three ticks with room for their labels."""
LARGEST_PLAIN, SMALLEST_PLAIN = 5, -4
"""Powers of ten beyond which labels are written with a power."""


def time_unit(longest: float) -> tuple[float, str]:
    """Factor and unit of a time axis that ends at `longest` [s]: (1, "s"), (1e-3, "ms"), (1e-6, "µs")."""
    return (1.0, "s") if abs(longest) >= LARGE_TIME else prefix_of(longest, "s")


def prefixed(value: float, unit: str, digits: int = 4) -> str:
    """A value with `digits` significant digits and a unit whose prefix keeps it readable: "319.8 nJ"."""
    factor, shown = prefix_of(value, unit, digits)
    number = f"{float(f'{value / factor:.{digits}g}'):.{max(digits, PLAIN)}g}"  # 150 with two digits, not 1.5e+02
    gap = "" if shown in WITHOUT_GAP else " "
    return f"{number}{gap}{shown}"


def prefix_of(value: float, unit: str, digits: int = 4, least: float = 1.0) -> tuple[float, str]:
    """The factor and the unit with prefix that keep a value readable: (1e-6, "µs") for 0.00002 s.

    A prefix is raised to the power of its unit: (1e-6, "mm²") for 0.00002 m². `digits` is the number of significant
    digits shown, `least` the smallest number that is shown with a prefix. The prefixes of a power can be so far apart
    that none gives a number from `least` to 10000; then the larger one is used: 0.02 s², not 20000 ms². The result is
    (1, `unit`) if no prefix fits or the unit takes no prefix.
    """
    first = UNIT.fullmatch(BETWEEN_UNITS.split(unit)[0])
    if first is None or first["symbol"] not in WITH_PREFIX or value == 0.0 or not math.isfinite(value):
        return 1.0, unit
    power = POWERS[first["power"]]
    written = sorted((*PREFIXES, CENTI), reverse=True) if first["symbol"] == "m" and power > 1.0 else PREFIXES
    limit = 1.0 - 0.5 * 10.0**-digits
    larger = None
    for step, prefix in written:
        factor = step**power
        if abs(value) >= factor * 10.0**PLAIN * limit:
            break
        if abs(value) >= factor * least * limit:
            return factor, prefix + unit
        larger = factor, prefix + unit
    else:
        return 1.0, unit
    return larger or (1.0, unit)


def ratio_of_units(unit: str, other: str) -> float | None:
    """The factor that turns a number in `unit` into one in `other`: 1000 from "s" to "ms", 1e6 from "m²" to "mm²".

    The two may differ by prefixes only; None if they are units of different quantities, or if that is not known.
    """
    ours, theirs = (text.replace("\u03bc", "µ").strip() for text in (unit, other))  # Greek letter and sign look alike
    if ours == theirs:
        return 1.0
    pairs = [BETWEEN_UNITS.split(text) for text in (ours, theirs)]
    if len(pairs[0]) != len(pairs[1]):
        return None
    ratio, sign = 1.0, 1.0
    for ours, theirs in zip(*pairs, strict=True):
        if BETWEEN_UNITS.fullmatch(ours):
            sign = -1.0 if "/" in ours else sign
        if ours == theirs:
            continue
        matches = [UNIT.fullmatch(text) for text in (ours, theirs)]
        if matches[0] is None or matches[1] is None or matches[0]["power"] != matches[1]["power"]:
            return None
        of, to = (_without_prefix(match["symbol"]) for match in matches if match)
        base = next((base for base in of if base in to), None)
        if base is None:
            return None
        ratio *= (of[base] / to[base]) ** (sign * POWERS[matches[0]["power"]])
    return ratio


def _without_prefix(symbol: str) -> dict[str, float]:
    """The symbol of a unit and its factor, with and without its first letter as a prefix: mm as 1 mm and 10⁻³ m."""
    units = {symbol: 1.0}
    for factor, letter in (*PREFIXES, CENTI):
        if letter and len(symbol) > 1 and symbol.startswith(letter):
            units[symbol.removeprefix(letter)] = factor
    return units


def nice_step(span: float, most: int) -> float:
    """The smallest of 1, 2, 5 times a power of ten that cuts `span` into at most `most` pieces."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= rough * (1.0 - 1e-9))


def round_below(longest: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most `longest`."""
    step = nice_step(longest, 1)
    if step <= longest * (1.0 + 1e-9):
        return step
    lead = f"{step:e}"[0]  # `nice_step` rounds up: the next smaller one
    return step * {"1": 0.5, "2": 0.5, "5": 0.4}[lead]


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round values inside [low, high], at most `most` + 1 of them."""
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low]
    step = nice_step(high - low, most)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [k * step for k in range(first, last + 1)]


def decimals_of(step: float) -> int:
    """Number of decimals that multiples of a step need."""
    return max(0, -math.floor(math.log10(step) + 1e-9))


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
        return [f"{tick:.{max(0, -last)}f}" for tick in ticks]
    decimals = max(0, power - last)
    words = [f"{tick.scaleb(-power):.{decimals}f}e{power:+d}" for tick in ticks]
    return [word if tick else "0" for tick, word in zip(ticks, words, strict=True)]


def log_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """About `most` powers of ten from `low` to `high`, at least `FEWEST` where there are so many."""
    first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
    stride = max(1, math.ceil((last - first) / max(most - 1.0, 1.0)))
    stride = max(1, min(stride, (last - first) // (FEWEST - 1)))
    powers = [*range(last, first - 1, -stride)][::-1]
    return [10.0**power for power in powers], [f"1e{power:+d}" for power in powers]
