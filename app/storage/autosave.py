"""Automatic saves, to be offered after a crash: one folder per window, locked while the process lives.

The operating system releases the lock whenever the process ends. A folder that can be locked was therefore left by a
crash; the folder of another open window cannot be locked. A clean end deletes the folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from repose.app.storage import paths
from repose.sim.message import Message

if TYPE_CHECKING:
    from repose.sim.experiment.saved_side_by_side import Saved

GENERATIONS = 3
"""Number of files kept per run: if the newest is damaged, the previous one is offered."""
LOCK = "lock"
MOST_LEFT_BEHIND = 5
"""Number of runs of crashed windows that are kept; older ones are deleted."""


@dataclass
class AutosaveFolder:
    """A folder with the last states of one run, locked by this process."""

    folder: Path
    lock: IO[bytes]

    def files(self) -> list[Path]:
        """The files of the states in the folder, newest first."""
        return sorted(self.folder.glob("run-*.repose"), reverse=True)

    def save(self, saved: Saved, photo: bytes = b"") -> None:
        """Write one more state, with the photograph beside it if given, and delete the oldest; raises `OSError`."""
        from repose.sim.experiment.saved_side_by_side import save

        before = self.files()
        number = int(before[0].stem.removeprefix("run-")) + 1 if before else 1
        save(saved, self.folder / f"run-{number:06d}.repose", photo)
        for path in self.files()[GENERATIONS:]:
            path.unlink(missing_ok=True)

    def newest(self) -> tuple[Saved, bytes] | None:
        """The newest state that can be read, and the photograph beside it (empty for none); None if there is none."""
        from repose.sim.experiment.saved_side_by_side import load, photo_in
        from repose.sim.io.archive import ArchiveError

        for path in self.files():
            with suppress(ArchiveError):
                return load(path), photo_in(path)
        return None

    def clear(self) -> None:
        """Delete the folder, at a clean end or when its run is discarded."""
        self.lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def begin() -> AutosaveFolder:
    """A folder for a new window; raises `OSError`."""
    root = paths.autosave_folder()
    paths.make_private(root)
    for number in range(1000):
        folder = root / f"{time.time_ns():020d}-{os.getpid()}-{number}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            saves = _locked(folder)
            if saves is not None:
                return saves
    raise OSError(Message("no folder could be created in {root}", root=str(root)))


def left_behind() -> AutosaveFolder | None:
    """The newest run of a crashed window, now locked by this process; empty folders are deleted."""
    root = paths.autosave_folder()
    folders = sorted((entry for entry in root.glob("*") if entry.is_dir()), reverse=True) if root.is_dir() else []
    newest = None
    kept = 0
    for folder in folders:
        saves = _locked(folder)
        if saves is None:
            continue
        kept += 1
        if not saves.files() or kept > MOST_LEFT_BEHIND:
            saves.clear()
            kept -= 1
        elif newest is None:
            newest = saves
        else:
            saves.lock.close()
    return newest


def _locked(folder: Path) -> AutosaveFolder | None:
    """The folder with its lock held, or None while another process holds it."""
    try:
        lock = (folder / LOCK).open("ab")
    except OSError:
        return None
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return AutosaveFolder(folder, lock)
