"""Parse the numbers that a user types; units, prefixes and ticks are in repose.sim.scales.

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
