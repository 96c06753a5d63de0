"""The signals that end programs, answered from the first instant on; imports nothing that takes time."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
INTERRUPTED = 130
"""Exit code of what was stopped by Ctrl-C or a signal."""

CAUGHT: list[int] = []
"""Signals so far: what is raised while a library loads may be swallowed there, and is asked for here again."""


class Interrupt(BaseException):
    """What a signal raises: where KeyboardInterrupt passes an `exec` CPython loses the exit code and typer the word."""


_held: list[bool] = []
"""For every block of `held` that is being carried out, whether a signal has come in it."""


@contextmanager
def held() -> Iterator[None]:
    """Answer signals at the end of the block.

    A library in C++ that runs Python code while it is loaded, as imgui_bundle does, aborts the program if that raises.
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
    """Raise `Interrupt`, inside a block of `held` at its end."""
    if not _held:
        raise Interrupt
    _held[-1] = True


def interrupt(number: int, frame: FrameType | None) -> None:
    """Answer a signal at once."""
    CAUGHT.append(number)
    stop_at_once()


def heed_signals() -> None:
    """Answer all of them as Ctrl-C is; those ignored from outside (nohup) stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
