"""Texts on the terminal, and progress of work without a window, on standard error so that standard output stays clean.

Texts can contain names and errors from outside: control characters, which a terminal obeys, are written as escapes.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import Any

from repose.sim.message import Message, Number
from repose.sim.wording import printable

STRIDE = 0.25
"""Fraction of a phase between two lines where there is no terminal for a bar."""
FIRST_SILENCE, LONGEST_SILENCE = 0.5, 60.0
"""Wall time between two such lines of a run [s], which doubles from the first to the longest."""


def print_line(sentence: Message | str) -> None:
    """Write a line to standard error, control characters as escapes; do nothing if standard error is closed."""
    with suppress(OSError, ValueError):
        print(printable(str(sentence)), file=sys.stderr, flush=True)


def write_out(text: str) -> None:
    """Write lines to standard output, control characters as escapes."""
    print("\n".join(map(printable, text.split("\n"))), flush=True)


class Progress:
    """A bar on a terminal, a few plain lines elsewhere, nothing when quiet."""

    def __init__(self, title: str, quiet: bool = False) -> None:
        self._title = title
        self._quiet = quiet
        self._bar: Any = None
        self._task: Any = None
        self._said = ("", -1.0)
        self._silence = FIRST_SILENCE
        self._due = 0.0

    def __enter__(self) -> Progress:
        if self._quiet:
            return self
        print_line(self._title)
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeElapsedColumn())
            console = Console(stderr=True, markup=False)
            self._bar = Progress(*columns, TextColumn("{task.description}", markup=False), console=console)
            self._bar.start()
            self._task = self._bar.add_task("", total=None)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if self._bar is not None:
            if kind is None:
                self._bar.update(self._task, total=1.0, completed=1.0, description="done")
            self._bar.stop()

    def print_line(self, sentence: str) -> None:
        """Print a permanent line above the bar."""
        if self._bar is not None:
            self._bar.console.print(printable(sentence), highlight=False, soft_wrap=True)
        elif not self._quiet:
            print_line(sentence)

    def show(self, phase: str, share: float | None, outlook: str = "", stage: str = "") -> None:
        """Show the phase, the fraction of it done, 0 to 1, or None if unknown, and the remaining time.

        Without a terminal a new line is due when the `stage` changes, or without a stage, when the phase does; with an
        outlook or a stage also from time to time, because neither has to change for many minutes.
        """
        if self._bar is not None:
            words = f"{phase}; {outlook}" if outlook else phase
            self._bar.update(
                self._task, description=printable(words), total=None if share is None else 1.0, completed=share or 0.0
            )
        elif not self._quiet:
            before, at = self._said
            name = stage or phase
            timed = bool(outlook or stage)
            late = timed and time.monotonic() >= self._due
            if name != before or (share is not None and share >= at + STRIDE) or late:
                self._said = (name, share or 0.0)
                if timed:
                    self._silence = min(self._silence * (2.0 if late else 1.0), LONGEST_SILENCE)
                    self._due = time.monotonic() + self._silence
                said = f"  {phase}" + (f" ({Number(share, format='.0%')})" if share else "")
                print_line(f"{said}; {outlook}" if outlook else said)
