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

from repose.sim import registry
from repose.sim.experiment import saved_run
from repose.sim.experiment.command_log import SavedRun, SavedSideBySide
from repose.sim.io import archive
from repose.sim.io.archive import SUFFIX, ArchiveError, why_unreadable
from repose.sim.io.atomic_file import write_whole_file
from repose.sim.message import Message, _, plural
from repose.sim.wording import value_text

CONTENTS = "side-by-side.json"
"""Archive member with the data common to all runs."""
FORMAT = 1
LARGEST_CONTENTS = 16 * 2**20
"""Largest size of the member `CONTENTS` [bytes]."""
FEWEST, MOST = 2, 4
"""Number of runs in a file."""

Saved = SavedRun | SavedSideBySide


def save(saved: Saved, path: Path, photo: bytes = b"") -> None:
    """Write one run or several, and a photograph if given; a crash leaves either the old or the new file. Raises
    `OSError`."""
    write_whole_file(path, lambda file: write(saved, file, photo=photo))


def write(saved: Saved, file: BinaryIO, picture: bytes = b"", photo: bytes = b"") -> None:
    """Write one run or several, a small picture and a photograph if given, to an open file; equal runs give equal
    files."""
    if isinstance(saved, SavedRun):
        saved_run.write(saved, file, picture, photo)
        return
    contents = {
        "format": FORMAT,
        "runs": len(saved.runs),
        "own": sorted(saved.differing),
        "meetings": [list(then) for then in saved.meetings],
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as opened:
        _add(opened, CONTENTS, json.dumps(contents).encode())
        for number, run in enumerate(saved.runs):
            packed = io.BytesIO()
            saved_run.write(run, packed, *((picture, photo) if number == 0 else ()))
            _add(opened, _name(number), packed.getvalue())


def load(path: str | Path) -> Saved:
    """The run or the runs in a file of unknown content; raises `ArchiveError` with the name of the file. The scene of a
    script is then found by its name, in place of that of an earlier file."""
    saved = saved_run.opened(path, read)
    first = saved.runs[0] if isinstance(saved, SavedSideBySide) else saved
    if first.made_of is not None:
        by_hand = registry.by_hand()
        registry.add_module(by_hand.module_of(by_hand.scene_of(first.made_of.world, first.made_of.recipe)))
    return saved


def load_single(path: str | Path) -> SavedRun:
    """The run in a file of one run; raises `ArchiveError` with the name of the file."""
    saved = load(path)
    if isinstance(saved, SavedRun):
        return saved
    raise ArchiveError(
        plural(
            "{path} contains {count} run side by side: unpack it as a ZIP archive and name one of them, "
            "such as {name}.",
            "{path} contains {count} runs side by side: unpack it as a ZIP archive and name one of them, "
            "such as {name}.",
            count=len(saved.runs),
            path=value_text(path),
            name=_name(0),
        )
    )


def read(file: BinaryIO) -> Saved:
    """The run or the runs in an open file; raises `ArchiveError`."""
    contents = _contents_of(file)
    if contents is None:
        return saved_run.read(file)
    differing, meetings = contents["own"], contents["meetings"]
    packed = [io.BytesIO(_content(file, number)) for number in range(contents["runs"])]
    if (unpacked := sum(map(archive.unpacked_size, packed))) > archive.LARGEST_FILE:
        raise ArchiveError(
            Message(
                "The file unpacks to more than {largest_file} bytes ({unpacked}); it is not read.",
                largest_file=archive.LARGEST_FILE,
                unpacked=unpacked,
            )
        )
    runs = tuple(map(saved_run.read, packed))
    if not _in_order(meetings, runs):
        raise ArchiveError(_("The equal times of the runs in the file are impossible: the file is damaged."))
    return SavedSideBySide(runs, frozenset(differing), tuple(map(tuple, meetings)))


def glimpse(path: Path) -> saved_run.Glimpse:
    """Scene, seed, time and picture of the only or the first run in a file; raises `ArchiveError`, `OSError`."""
    with path.open("rb") as file:
        if _contents_of(file) is None:
            return saved_run.glimpse_of(file)
        return saved_run.glimpse_of(io.BytesIO(_content(file, 0)))


def photo_in(path: Path) -> bytes:
    """The bytes of the photograph beside the only or the first run in a file, empty if there is none; raises
    `ArchiveError`, `OSError`."""
    with path.open("rb") as file:
        if _contents_of(file) is None:
            return saved_run.photo_of(file)
        return saved_run.photo_of(io.BytesIO(_content(file, 0)))


def singles(saved: Saved) -> tuple[SavedRun, ...]:
    """The single runs."""
    return (saved,) if isinstance(saved, SavedRun) else saved.runs


def _name(number: int) -> str:
    return f"run-{number + 1}{SUFFIX}"


def _add(opened: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member without a time stamp: equal runs give equal files."""
    opened.writestr(zipfile.ZipInfo(name), content)


def _contents_of(file: BinaryIO) -> dict[str, Any] | None:
    """The data common to all runs; None if the file is not one of several runs.

    Only `CONTENTS` is read. The sizes of all members are checked: they are stored uncompressed, and together they are
    smaller than the file, so that the file cannot need more memory than its own size.
    """
    size = file.seek(0, 2)
    try:
        with zipfile.ZipFile(file) as opened:
            entries = {entry.filename: entry for entry in opened.infolist()}
            if CONTENTS not in entries:
                return None
            _require_stored(opened.infolist(), size)
            contents = json.loads(opened.read(CONTENTS))
    except ArchiveError:
        raise
    except zipfile.BadZipFile:
        return None  # the reader of single runs reports the reason
    except Exception as error:  # a damaged archive can raise any error in the libraries that read it
        raise ArchiveError(
            Message("The file cannot be read as runs side by side: {error}.", error=why_unreadable(error))
        ) from None
    finally:
        file.seek(0)
    _check(contents, set(entries))
    return contents  # type: ignore[no-any-return]


def _require_stored(entries: list[zipfile.ZipInfo], size: int) -> None:
    """Raise `ArchiveError` unless the members, as they were written, fit into a file of this size [bytes]."""
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise ArchiveError(
                Message(
                    "The file's part {filename} is compressed ({compress_size} bytes for {file_size}), and "
                    "only uncompressed parts are read: save the runs again, or pack the archive without "
                    "compression.",
                    filename=value_text(entry.filename),
                    compress_size=entry.compress_size,
                    file_size=entry.file_size,
                )
            )
        most = LARGEST_CONTENTS if entry.filename == CONTENTS else archive.LARGEST_FILE
        if entry.file_size > min(size, most):
            raise ArchiveError(
                Message(
                    "The file's part {filename} is said to have {file_size} bytes, and at most {size} are "
                    "read: the file is damaged.",
                    filename=value_text(entry.filename),
                    file_size=entry.file_size,
                    size=min(size, most),
                )
            )
    if len(entries) > 1 + MOST or len({entry.filename for entry in entries}) < len(entries):
        raise ArchiveError(
            plural(
                "The file has {count} part, more than {most} or some of them twice.",
                "The file has {count} parts, more than {most} or some of them twice.",
                count=len(entries),
                most=1 + MOST,
            )
        )
    if (whole := sum(entry.file_size for entry in entries)) > size:
        raise ArchiveError(
            Message(
                "The file's parts have {whole} bytes, the file has {size}: the file is damaged.", whole=whole, size=size
            )
        )


def _check(contents: Any, members: set[str]) -> None:
    """Raise `ArchiveError` unless the contents have the declared form and name members that exist."""
    if not isinstance(contents, dict):
        raise ArchiveError(Message("The file's {contents} is no table: the file is damaged.", contents=CONTENTS))
    version, count, differing = contents.get("format"), contents.get("runs"), contents.get("own")
    if type(version) is not int or version != FORMAT:
        raise ArchiveError(
            Message(
                "The file has format {found} of runs side by side; this program reads {format}.",
                found=value_text(version),
                format=FORMAT,
            )
        )
    if type(count) is not int or not FEWEST <= count <= MOST:
        raise ArchiveError(
            Message(
                "The file's number of runs side by side is {number}; {fewest} to {most} are read.",
                number=value_text(count),
                fewest=FEWEST,
                most=MOST,
            )
        )
    for number in range(count):
        if _name(number) not in members:
            raise ArchiveError(
                plural(
                    "The file has {count} run side by side, but {name} is missing: the file is damaged.",
                    "The file has {count} runs side by side, but {name} is missing: the file is damaged.",
                    count=count,
                    name=_name(number),
                )
            )
    if not isinstance(differing, list) or not all(isinstance(name, str) for name in differing):
        raise ArchiveError(
            Message(
                "The file's own = {own} is refused: it must be a list of names of parameters; the file is damaged.",
                own=value_text(differing),
            )
        )
    meetings = contents.get("meetings")
    if not isinstance(meetings, list) or not all(_are_steps(then, count) for then in meetings):
        raise ArchiveError(
            plural(
                "The equal times of the runs in the file are impossible: they must be a list with a list of "
                "{count} number of steps for each time; the file is damaged.",
                "The equal times of the runs in the file are impossible: they must be a list with a list of "
                "{count} numbers of steps for each time; the file is damaged.",
                count=count,
            )
        )


def _are_steps(then: Any, count: int) -> bool:
    """Whether this is a number of steps for each of the runs."""
    return isinstance(then, list) and len(then) == count and all(type(at) is int and at >= 0 for at in then)


def _content(file: BinaryIO, number: int) -> bytes:
    """The file of one run; raises `ArchiveError`."""
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as opened:
            return opened.read(_name(number))
    except Exception as error:  # a damaged archive can raise any error in the libraries that read it
        raise ArchiveError(
            Message("{number} in the file cannot be read: {error}.", number=_name(number), error=why_unreadable(error))
        ) from None


def _in_order(meetings: list[list[int]], runs: tuple[SavedRun, ...]) -> bool:
    """Whether the steps never decrease and end at the present states of the runs."""
    pairs = itertools.pairwise(meetings)
    return (
        bool(meetings)
        and meetings[-1] == [run.now.at for run in runs]
        and all(earlier <= later for before, after in pairs for earlier, later in zip(before, after, strict=True))
    )
