"""Errors whose sentence says why something is refused, apart from modules that need libraries of window and films."""

from __future__ import annotations


class RecorderError(RuntimeError):
    """A film cannot be begun or continued; the text is one sentence with the reason."""


class WindowError(RuntimeError):
    """Why there is no window: one sentence with the cause and what to do."""
