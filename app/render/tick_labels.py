"""Labels of ticks in pictures."""

from __future__ import annotations

from repose.sim.message import Message, formatted
from repose.sim.scales import decimals_of


def tick_label(value: float, step: float) -> Message:
    """A tick with just the digits its step needs, and a true minus sign."""
    return formatted(value + 0.0, f".{decimals_of(step)}f")
