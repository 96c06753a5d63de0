"""Handlers of the signals that end programs; this module imports nothing slow, so that they are installed first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
INTERRUPTED = 130
"""Exit code of a command stopped by Ctrl-C or another signal."""

CAUGHT: list[int] = []
"""Numbers of the signals so far. A library may swallow `Interrupt` while it loads; `stoppable` reads them again."""


class Interrupt(BaseException):
    """Raised by a signal instead of `KeyboardInterrupt`, for which CPython loses the exit code in an `exec`, and typer
    the message."""


_held: list[bool] = []
"""For each running block of `held`: whether a signal has come in this block."""


@contextmanager
def held() -> Iterator[None]:
    """Postpone the answer to signals to the end of the block.

    A C++ library that runs Python code while it loads, such as imgui_bundle, aborts the program if this code raises.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    _held.append(False)
    try:
        yield
    finally:
        if _held.pop():
            stop_at_once()


def stop_at_once() -> None:
    """Raise `Interrupt`: now, or at the end of a block of `held`."""
    if not _held:
        raise Interrupt
    _held[-1] = True


def interrupt(number: int, frame: FrameType | None) -> None:
    """Answer a signal at once."""
    CAUGHT.append(number)
    stop_at_once()


def heed_signals() -> None:
    """Handle all `SIGNALS` like Ctrl-C; signals ignored from outside (nohup) stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
