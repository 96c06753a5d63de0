"""The English words of messages, to compare them with texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from repose.sim.message import Message


def english(value: Any) -> Any:
    """The value with the English text in place of each message in it: in lists, tuples, sets and tables."""
    if isinstance(value, Message):
        return str(value)
    if isinstance(value, Mapping):
        return {english(key): english(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        kind = type(value) if type(value) in (list, tuple, set, frozenset) else tuple
        return kind(english(entry) for entry in value)
    return value
