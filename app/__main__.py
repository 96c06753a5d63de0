"""The program's entry: `repose`, or `python -m app`."""

from __future__ import annotations

import os
import sys

from repose.app.signals import INTERRUPTED, Interrupt, heed_signals


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        heed_signals()
        # pygame greets on standard output, where --json promises one JSON object and nothing else.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        from repose.app.cli import standard_streams

        standard_streams.secure()
        from repose.app.cli.commands import run_command_line

        sys.exit(run_command_line(sys.argv[1:]))
    except Interrupt:  # before there was a command to answer it
        sys.stderr.write("Stopped.\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
