"""Writing a file so that a crash, a full disk or a signal leaves either the old or the new one, never half of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

PATIENCE = 2.0
"""Wall time for which a refused replacement is tried again [s]: elsewhere than on Unix, another program may hold it."""


def write_whole_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a new file beside `path`, then put it in its place; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with draft.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        _replace(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _replace(draft: Path, path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            os.replace(draft, path)
            return
        except PermissionError:
            if time.monotonic() > until or path.is_dir():
                raise
            time.sleep(0.05)
