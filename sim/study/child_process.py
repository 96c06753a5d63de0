"""Child processes, which end with the program, also if the program is killed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnProcess

ABANDONED = 1
"""Exit code of a process whose parent has ended, which nobody reads."""
BELOW_NORMAL_PRIORITY_CLASS = 0x4000
"""Priority class of Windows."""


def start_shielded(process: SpawnProcess) -> None:
    """Start a process that never receives Ctrl-C; its parent ends it.

    Ctrl-C goes to the whole process group, and a process that is still importing would print a traceback. A blocked
    signal stays blocked in the new process, and reaches the parent when this function returns.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        process.start()
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in the child process, which would receive it in Windows."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent() -> None:
    """End this process as soon as its parent ends, even inside the compiler."""
    parent = parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(ABANDONED)

    threading.Thread(target=leave, daemon=True).start()


def lower_priority() -> None:
    """Give this process the lowest priority, if the system supports it."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(kernel.GetCurrentProcess(), BELOW_NORMAL_PRIORITY_CLASS)
    else:
        with suppress(OSError):
            os.nice(19)
