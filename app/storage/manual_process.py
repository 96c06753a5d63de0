"""The manual in the browser, from the window: another process builds it where it is missing."""

from __future__ import annotations

import subprocess
import sys
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from repose.sim.message import Clause, Message, plain
from repose.sim.wording import LONGEST, reason_of, short

COMMAND = (sys.executable, "-X", "utf8", "-m", "repose.app", "manual", "--no-browser")
LONGEST_REASON = 2 * LONGEST
"""Largest number of characters of the sentence of the process, which contains a path."""


def open_in_browser(tell: Callable[[Message], None]) -> None:
    """Start the process, wait for it in a thread, and open the page that it prints.

    `tell` is called with one sentence where this fails, in any thread.
    """
    try:
        process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        tell(_cannot(reason_of(error)))
        return
    threading.Thread(target=_open_when_built, args=(process, tell), daemon=True).start()


def _open_when_built(process: subprocess.Popen[str], tell: Callable[[Message], None]) -> None:
    printed, said = (text.strip().splitlines() for text in process.communicate())
    if process.returncode or not printed:
        ended = Message("its process ended with code {code}", code=process.returncode)
        tell(_cannot(plain(Clause(plain(short(said[-1], LONGEST_REASON)))) if said else ended))
    elif not webbrowser.open(Path(printed[-1]).as_uri()):
        tell(Message("No browser was found: open {path} in one.", path=printed[-1]))


def _cannot(reason: Message) -> Message:
    return Message("The manual cannot be opened: {reason}.", reason=reason)
