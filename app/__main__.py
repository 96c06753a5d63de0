"""Entry point of the program: `repose`, or `python -m repose.app`."""

from __future__ import annotations

import os
import sys

from repose.app.signals import INTERRUPTED, Interrupt, heed_signals


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        heed_signals()
        # pygame prints a greeting to standard output, which must hold only one JSON object with --json.
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        from repose.app.cli import standard_streams

        standard_streams.secure()
        from repose.app.cli.commands import run_command_line

        sys.exit(run_command_line(sys.argv[1:]))
    except Interrupt:  # a signal before the command line handles signals
        sys.stderr.write("Stopped.\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
