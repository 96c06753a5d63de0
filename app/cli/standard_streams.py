"""Handling of standard streams that are closed or full: reported in a sentence, never by a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

from repose.app.progress import print_line
from repose.sim.wording import reason_of

OUTPUT = (errno.EBADF, errno.ENOSPC, errno.EIO, errno.EFBIG)
"""Error codes of writing to a stream, other than the code of a closed pipe; errors of files contain the file name."""


def secure() -> None:
    """Open replacements of closed standard streams.

    Otherwise a file opened later would get the number of a closed stream, and text for the terminal would be written
    into this file. A write to a closed standard output fails when it is flushed, as on a full disk; text for a closed
    standard error is discarded.
    """
    while True:
        number = os.open(os.devnull, os.O_RDWR)
        if number > 2:
            os.close(number)
            break
        if number == 1:
            os.close(number)
            os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def forgive() -> None:
    """Replace characters that the terminal cannot encode by "?" instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def flush() -> None:
    """Flush standard output; raises `OSError`."""
    try:
        sys.stdout.flush()
    except OSError:
        discard()
        raise


def discard() -> None:
    """Discard the rest of standard output, so that Python's own flush at the end succeeds."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def print_error(error: OSError) -> None:
    """Report an error of the operating system in a sentence; nothing if the reader of a pipe has closed it."""
    if isinstance(error, BrokenPipeError):
        return
    shown = error.filename is None and error.errno in OUTPUT
    what = "Standard output cannot be written to" if shown else f"Stopped at {error.filename or 'a file'}"
    print_line(f"{what}: {reason_of(error)}.")
