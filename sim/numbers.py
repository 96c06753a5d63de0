"""The one reader of numbers that people write: ASCII digits, a point, an exponent.

Python's own also takes 1_0 for 10, digits of other scripts, nan and inf: what looks like a slip is told as one here,
since a wrong number is worse than a question.
"""

from __future__ import annotations

import math
import re
from typing import Any

DECIMAL = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
COMMA = re.compile(r"([+-]?[0-9]+),([0-9]+(?:[eE][+-]?[0-9]+)?)")
LONGEST = 300
"""Characters a number may have."""


def read_number(text: str) -> int | float | str:
    """The number a text stands for: decimal digits, a point, an exponent.

    Anything else, such as `0x10` and `1_0`, comes back as it is, and so does what a float cannot hold: 1e400, 1e-400.
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
    """The whole number a text stands for, 1e6 included; anything else comes back as it is."""
    number = read_number(text)
    if isinstance(number, float):
        return int(number) if number.is_integer() else text
    return number


def about_comma(text: Any) -> str:
    """What to do about a number written with a comma, beginning with a blank; empty for anything else."""
    parts = COMMA.fullmatch(text.strip()) if isinstance(text, str) and len(text) <= LONGEST else None
    return f" Use a point: {parts[1]}.{parts[2]}." if parts else ""


def as_written(value: Any) -> Any:
    """What tomlkit has read, as plain Python; numbers that `read_number` would not take, as the text they are.

    TOML has 1_0 and 0x10 for numbers, nan and inf for what is none; these two stay numbers, to be refused by range.
    """
    if isinstance(value, dict):
        return {str(key): as_written(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_written(entry) for entry in value]
    plain = value.unwrap() if hasattr(value, "unwrap") else value
    if isinstance(plain, bool) or not isinstance(plain, int | float) or not math.isfinite(plain):
        return plain
    text = value.as_string() if hasattr(value, "as_string") else repr(plain)
    return text if isinstance(read_number(text), str) else plain
