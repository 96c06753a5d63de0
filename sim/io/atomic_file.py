"""Atomic writing: after a crash either the old or the new file exists, complete, and no other file is overwritten.

A name is claimed before the work for it begins: an empty file is created exclusively, with a mark beside it that names
its owner. Drafts and claims of a killed process are removed the next time the folder is written to.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import stat
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from repose.sim.message import _

PATIENCE = 2.0
"""Wall time for which a refused replacement is repeated [s]: on Windows another program may have the file open."""
LEFTOVER = re.compile(r"(?s)\.(?P<name>.+)\.(?P<pid>[1-9][0-9]{0,9})(?P<host>-[0-9a-f]{8})?\.(?P<kind>new|claim)")
"""Names of drafts and of marks of claims. They name the machine, because several machines can share a folder; drafts of
earlier versions do not."""

_claiming = threading.Lock()
_held: set[str] = set()
"""Drafts and marks in use by this process; an earlier process with the same process id may have left others."""


@dataclass
class Claim:
    """A file name reserved for this process, until the file is written or the name is released."""

    path: Path
    mark: Path
    _written: tuple[int, int] | None = None
    """Inode and time of change [ns] of the file when this process last wrote it."""

    def write(self, write: Callable[[BinaryIO], object]) -> None:
        """Write the file by `write(file)` and release the name; raises `OSError`."""
        try:
            self.write_early(write)
        finally:
            self.release()

    def write_early(self, write: Callable[[BinaryIO], object]) -> None:
        """Write the file without releasing the name: it can be written again; raises `OSError`."""
        with suppress(FileNotFoundError):
            status = self.path.stat()
            if status.st_size and (status.st_ino, status.st_mtime_ns) != self._written:
                raise FileExistsError(
                    errno.EEXIST, str(_("another program has written it in the meantime")), str(self.path)
                )
        write_whole_file(self.path, write)
        status = self.path.stat()
        self._written = status.st_ino, status.st_mtime_ns

    def release(self) -> None:
        """Release the name; the file is removed if it is empty. A second call does nothing."""
        if str(self.mark) in _held:
            _held.discard(str(self.mark))
            with suppress(OSError):
                self.mark.unlink()
            _remove_empty(self.path)


def claim(path: Path) -> Claim:
    """Claim the name of a new file in an existing folder; raises `FileExistsError`, or another `OSError`."""
    path = Path(os.path.abspath(path))
    remove_leftovers(path.parent)
    mark = path.with_name(f".{path.name}.{os.getpid()}-{machine()}.claim")
    with _claiming:  # registered before it exists, otherwise another thread removes the mark as a leftover
        if str(mark) in _held:
            raise FileExistsError(errno.EEXIST, str(_("claimed by this program")), str(path))
        _held.add(str(mark))
    try:
        mark.open("xb").close()
        path.open("xb").close()
    except BaseException:
        mark.unlink(missing_ok=True)
        _held.discard(str(mark))
        raise
    return Claim(path, mark)


def claim_first(paths: Iterable[Path]) -> Claim:
    """Claim the first of these names that is free; raises `OSError`."""
    for path in paths:
        with suppress(FileExistsError):
            return claim(path)
    raise FileExistsError(errno.EEXIST, str(_("all names are taken")))


def write_new_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a new file; raises `FileExistsError`, or another `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    claim(path).write(write)


def write_whole_file(path: Path, write: Callable[[BinaryIO], object], mode: int = 0o666) -> None:
    """Write a draft beside `path`, then rename it to `path`; raises `OSError`.

    The new file has the permissions `mode`, less those that the umask of the process takes away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_leftovers(path.parent)
    draft = draft_of(path)
    _held.add(str(draft))
    try:
        # HDF5 reads what it has written.
        with open(draft, "w+b", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        _replace(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        _held.discard(str(draft))


def draft_of(path: Path) -> Path:
    """Name of the draft of this process for `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}-{machine()}.new")


def remove_leftovers(folder: Path) -> None:
    """Remove drafts and unused claims of ended processes from `folder`."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.startswith(".")]
    except OSError:
        return
    for name in names:
        match = LEFTOVER.fullmatch(name)
        path = folder / name
        if match is None or not _is_left(path, int(match["pid"]), match["host"]):
            continue
        try:
            path.unlink()
        except OSError:
            continue  # another process has removed it; the name may be claimed again by now
        if match["kind"] == "claim":
            _remove_empty(folder / match["name"])


def _is_left(path: Path, process: int, host: str | None) -> bool:
    """Whether a draft or mark belongs to a process that has ended."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
    except OSError:
        return False
    if host is not None and host != f"-{machine()}":
        return False  # several machines can share a folder
    return str(Path(os.path.abspath(path))) not in _held if process == os.getpid() else not is_alive(process)


def is_alive(process: int) -> bool:
    """Whether a process with this process id exists."""
    if sys.platform == "win32":
        return _is_alive_on_windows(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # a process of another user
    return True


def _is_alive_on_windows(process: int) -> bool:
    import ctypes

    synchronize, timed_out, no_such = 0x00100000, 0x102, 87
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(synchronize, False, process)
    if not handle:
        return bool(kernel.GetLastError() != no_such)
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
    finally:
        kernel.CloseHandle(handle)


def machine() -> str:
    """Eight hexadecimal digits that identify the machine."""
    return f"{zlib.crc32(platform.node().encode('utf-8', 'replace')):08x}"


def _remove_empty(path: Path) -> None:
    with suppress(OSError):
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size == 0:
            path.unlink()


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
