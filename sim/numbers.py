"""Parse the numbers that a user types, and choose the prefixes of units.

The parser accepts ASCII digits, a point and an exponent. Python's `float` also reads 1_0 as 10, digits of other
scripts, nan and inf. The parser refuses these, because an unintended number is worse than a refusal.
"""

from __future__ import annotations

import math
import re
from typing import Any

DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+(?:[eE][+-]?[0-9]+)?)")
LONGEST = 300
"""Largest number of characters of a number."""
LARGEST_EXACT = 2**53
"""A float represents every whole number up to this one."""
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


def read_number(text: str) -> int | float | str:
    """The number that a text of decimal digits, a point and an exponent represents.

    Any other text, such as `0x10` and `1_0`, is returned unchanged, as is a number outside the range of a float (1e400,
    1e-400).
    """
    text = text.strip()
    parts = DECIMAL.fullmatch(text)
    if parts is None or len(text) > LONGEST:
        return text
    if parts[2] is None and parts[3] is None:
        return int(text)
    value = float(text)
    vanished = value == 0.0 and re.search("[1-9]", (parts[1] or "") + (parts[2] or "")) is not None
    return text if vanished or math.isinf(value) else value


def read_whole(text: str) -> int | str:
    """The whole number that a text represents, 1e6 included; any other text is returned unchanged."""
    number = read_number(text)
    if isinstance(number, float):
        return int(number) if number.is_integer() else text
    return number


def whole_if_exact(number: int | float) -> int | float:
    """1e6 as 1000000; a fractional number and a number above `LARGEST_EXACT` are returned unchanged."""
    return int(number) if float(number).is_integer() and abs(number) <= LARGEST_EXACT else number


def as_written(value: Any) -> Any:
    """A value from tomlkit as Python's own type; a number that `read_number` refuses is returned as its text.

    TOML allows 1_0, 0x10, nan and inf. The last two stay numbers; the check of the range refuses them.
    """
    if isinstance(value, dict):
        return {str(key): as_written(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_written(entry) for entry in value]
    plain = value.unwrap() if hasattr(value, "unwrap") else value
    number = isinstance(plain, int | float) and not isinstance(plain, bool)
    if not number or (isinstance(plain, float) and not math.isfinite(plain)):
        return plain
    text = value.as_string() if hasattr(value, "as_string") else repr(plain)
    return text if isinstance(read_number(text), str) else plain


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
