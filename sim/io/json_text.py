"""Results as JSON text, in which nan and infinity become null."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any, indent: int | None = None) -> str:
    """The value as JSON with a line end, null for nan and infinity."""
    return json.dumps(_finite(value), indent=indent, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
