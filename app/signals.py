"""The signals that end programs, answered from the first instant on; imports nothing that takes time."""

from __future__ import annotations

import signal
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
INTERRUPTED = 130
"""Exit code of what was stopped by Ctrl-C or a signal."""

CAUGHT: list[int] = []
"""Signals so far: what is raised while a library loads may be swallowed there, and is asked for here again."""


class Interrupt(BaseException):
    """What a signal raises: where KeyboardInterrupt passes an `exec` CPython loses the exit code and typer the word."""


def interrupt(number: int, frame: FrameType | None) -> None:
    """Answer a signal at once."""
    CAUGHT.append(number)
    raise Interrupt


def heed_signals() -> None:
    """Answer all of them as Ctrl-C is; those ignored from outside (nohup) stay ignored."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
