"""Entry point of the program: `repose`, or `python -m repose`."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from typing import NoReturn

from repose.app.signals import INTERRUPTED, Interrupt, heed_signals


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        heed_signals()
        # pygame prints a greeting to standard output, which must hold only one JSON object with --json.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        from repose.app.cli import standard_streams

        standard_streams.secure()
        from repose.app.cli.subcommands import run_command_line

        leave(run_command_line(sys.argv[1:]))
    except Interrupt:  # a signal before the command line handles signals
        sys.stderr.write("Stopped.\n")
        leave(INTERRUPTED)


def leave(code: int) -> NoReturn:
    """End the process after the exit functions and with all output written, but without the destruction of all objects.

    With the compiler loaded their destruction takes a window that has closed six seconds and more while other programs
    use the processors. All threads of the program are daemons: none is waited for.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a closed pipe or a full disk, which the command line has reported
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
