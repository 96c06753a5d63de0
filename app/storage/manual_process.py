"""The manual in the browser, from the window: another process builds it where it is missing, and opens it."""

from __future__ import annotations

import subprocess
import sys
import threading

from repose.sim.message import EMPTY, Message
from repose.sim.wording import reason_of

COMMAND = (sys.executable, "-m", "repose.app", "manual")


def open_in_browser() -> Message:
    """Start the process; returns why it could not be started, or an empty message."""
    try:
        process = subprocess.Popen(
            COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        return Message("The manual cannot be opened: {reason}.", reason=reason_of(error))
    threading.Thread(target=process.wait, daemon=True).start()  # no dead process is left behind
    return EMPTY
