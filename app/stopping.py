"""Ctrl-C and other signals: the first ends the run between two batches, the second ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from repose.app.signals import CAUGHT, SIGNALS, stop_at_once


class StopAsked(Exception):
    """Raised between two batches, where the state of the run is complete."""


@dataclass
class Stop:
    """Request to end the run."""

    requested: bool = False
    listening: bool = False
    """True once the run checks `requested`; until then, as in the first compilation, a signal ends it at once."""

    def check(self) -> None:
        """Raise `StopAsked` if a signal has requested the end of the run."""
        self.listening = True
        if self.requested:
            raise StopAsked


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Handle the signals that end a program; signals ignored from outside (nohup) stay ignored."""
    stop = Stop(requested=bool(CAUGHT))

    def on_signal(number: int, frame: FrameType | None) -> None:
        at_once = stop.requested or not stop.listening
        stop.requested = True
        if at_once:
            stop_at_once()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, on_signal)
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
