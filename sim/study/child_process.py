"""Processes that the program starts: they end with it, also if it is killed."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from multiprocessing import parent_process

ABANDONED = 1
"""Exit code of a process whose parent has ended, which nobody reads."""
BELOW_NORMAL_PRIORITY_CLASS = 0x4000
"""Of Windows."""


def end_with_parent() -> None:
    """End this process as soon as its parent ends, even inside the compiler."""
    parent = parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(ABANDONED)

    threading.Thread(target=leave, daemon=True).start()


def lower_priority() -> None:
    """Let all other programs go before this process, where the system allows that."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS)
    else:
        with suppress(OSError):
            os.nice(19)
