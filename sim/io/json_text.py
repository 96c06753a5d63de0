"""JSON files: results, in which nan and infinity become null, and files of unknown content."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from repose.sim.message import Message, _

LARGEST_FILE = 64 * 2**20
"""Largest size of a file that is read [bytes]."""
MOST_DIGITS = 300
"""Largest number of digits of a whole number: a float represents it."""


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises `OSError`, or `ValueError` if it is too large, too deeply nested or no JSON.
    """
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(Message("it has more than {largest_file} bytes", largest_file=LARGEST_FILE))
    try:
        return json.loads(content, parse_int=whole_number)
    except RecursionError:
        raise ValueError(_("its lists are nested too deeply")) from None


def whole_number(text: str) -> int:
    """The whole number in a JSON file; raises `ValueError` for one of too many digits."""
    if len(text) > MOST_DIGITS:
        raise ValueError(_("it has a number of too many digits"))
    return int(text)


def json_text(value: Any, indent: int | None = None) -> str:
    """The value as JSON with a line end, null for nan and infinity, and messages in English."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    if isinstance(value, Message):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
