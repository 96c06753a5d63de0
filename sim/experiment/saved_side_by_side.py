"""Files of experiments side by side: a ZIP archive with the file of every single run, and the steps of equal times.

Every `run-N.repose` in the archive is an ordinary saved run. The functions also read and write files of a single run:
the caller need not know which kind a file is.
"""

from __future__ import annotations

import io
import itertools
import json
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

from repose.sim.experiment import saved_run
from repose.sim.experiment.command_log import SavedRun, SavedSideBySide
from repose.sim.io.archive import LARGEST_FILE, SUFFIX, ArchiveError
from repose.sim.io.atomic_file import write_whole_file

CONTENTS = "side-by-side.json"
"""Archive member with the data common to all runs."""
FORMAT = 1
LARGEST_CONTENTS = 16 * 2**20
"""Largest size of the member `CONTENTS` [bytes]."""
FEWEST, MOST = 2, 4
"""Number of runs in a file."""

Saved = SavedRun | SavedSideBySide


def save(saved: Saved, path: Path) -> None:
    """Write one run or several; a crash leaves either the old or the new file. Raises `OSError`."""
    write_whole_file(path, lambda file: write(saved, file))


def write(saved: Saved, file: BinaryIO, picture: bytes = b"") -> None:
    """Write one run or several, and a small picture if given, to an open file; equal runs give equal files."""
    if isinstance(saved, SavedRun):
        saved_run.write(saved, file, picture)
        return
    contents = {
        "format": FORMAT,
        "runs": len(saved.runs),
        "own": sorted(saved.own),
        "meetings": [list(then) for then in saved.meetings],
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, CONTENTS, json.dumps(contents).encode())
        for number, run in enumerate(saved.runs):
            packed = io.BytesIO()
            saved_run.write(run, packed, picture if number == 0 else b"")
            _add(archive, _name(number), packed.getvalue())


def load(path: str | Path) -> Saved:
    """The run or the runs in a file of unknown content; raises `ArchiveError` with the name of the file."""
    return saved_run.opened(path, read)


def load_single(path: str | Path) -> SavedRun:
    """The run in a file of one run; raises `ArchiveError` with the name of the file."""
    saved = load(path)
    if isinstance(saved, SavedRun):
        return saved
    raise ArchiveError(
        f"{str(path)!r} contains {len(saved.runs)} runs side by side: unpack it as a ZIP archive and name one of them, "
        f"such as {_name(0)}."
    )


def read(file: BinaryIO) -> Saved:
    """The run or the runs in an open file; raises `ArchiveError`."""
    packed = _runs_in(file)
    if packed is None:
        return saved_run.read(file)
    contents, files = packed
    runs = tuple(saved_run.read(io.BytesIO(content)) for content in files)
    try:
        own = frozenset(contents["own"])
        meetings = tuple(tuple(then) for then in contents["meetings"])
    except (KeyError, TypeError) as error:
        raise ArchiveError(f"The file is damaged: {error}.") from None
    if not all(isinstance(name, str) for name in own) or not _in_order(meetings, runs):
        raise ArchiveError("The equal times of the runs in the file are impossible: the file is damaged.")
    return SavedSideBySide(runs, own, meetings)


def glimpse(path: Path) -> saved_run.Glimpse:
    """Scene, seed, time and picture of the only or the first run in a file; raises `ArchiveError`, `OSError`."""
    with path.open("rb") as file:
        packed = _runs_in(file)
        if packed is None:
            return saved_run.glimpse(path)
        return saved_run.glimpse_of(io.BytesIO(packed[1][0]))


def singles(saved: Saved) -> tuple[SavedRun, ...]:
    """The single runs."""
    return (saved,) if isinstance(saved, SavedRun) else saved.runs


def _name(number: int) -> str:
    return f"run-{number + 1}{SUFFIX}"


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member without a time stamp: equal runs give equal files."""
    archive.writestr(zipfile.ZipInfo(name), content)


def _runs_in(file: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """Contents and files of the runs; None if the file is not one of several runs."""
    try:
        with zipfile.ZipFile(file) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
            if CONTENTS not in sizes:
                return None
            if sizes[CONTENTS] > LARGEST_CONTENTS or sum(sizes.values()) > LARGEST_FILE:
                raise ArchiveError(f"The file unpacks to more than {LARGEST_FILE} bytes; it is not read.")
            contents = json.loads(archive.read(CONTENTS))
            found, count = contents.get("format"), contents.get("runs")
            if found != FORMAT or isinstance(found, bool):
                raise ArchiveError(f"The file has format {found!r} of runs side by side; this program reads {FORMAT}.")
            if type(count) is not int or not FEWEST <= count <= MOST:
                raise ArchiveError(f"The file has {count!r} runs side by side; {FEWEST} to {MOST} are read.")
            return contents, [archive.read(_name(number)) for number in range(count)]
    except ArchiveError:
        raise
    except zipfile.BadZipFile:
        return None  # the reader of single runs reports the reason
    except Exception as error:  # a damaged archive can raise any error in the libraries that read it
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        raise ArchiveError(f"The file cannot be read as runs side by side: {reason}.") from None
    finally:
        file.seek(0)


def _in_order(meetings: tuple[tuple[Any, ...], ...], runs: tuple[SavedRun, ...]) -> bool:
    """Whether the steps never decrease and end at the present states of the runs."""
    ends = tuple(run.now.at for run in runs)
    whole = all(len(then) == len(runs) and all(type(at) is int and at >= 0 for at in then) for then in meetings)
    pairs = itertools.pairwise(meetings)
    return (
        whole
        and bool(meetings)
        and meetings[-1] == ends
        and all(earlier <= later for before, after in pairs for earlier, later in zip(before, after, strict=True))
    )
