"""The folder of results of a run, a study or a calibration: claimed before the work, continued or refused, finished."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Self

from repose.app.errors import WindowError
from repose.app.progress import print_line
from repose.sim.io.atomic_file import Claim, claim, remove_leftovers, write_whole_file
from repose.sim.io.json_text import json_text, read_json
from repose.sim.parameters import ParameterError
from repose.sim.wording import described, path_text, reason_of

RESULT = "result.json"
RUNS = "runs"
"""Folder in the folder of results, with the result of each run of a study or calibration."""

Writers = dict[str, Callable[[BinaryIO], object]]
"""Functions that write files, by the names of the files."""


@dataclass(frozen=True)
class RunsInFolder:
    """What a folder contains that a study or a calibration can be continued in."""

    noun: str
    """What it is, in messages: study, calibration."""
    description: Mapping[str, Any]
    """Plain data that tells these runs from others."""
    difference: Callable[[Any], str]
    """What the folder contains instead, in words, from the description found in it, which is None if it cannot be read;
    empty if it can be continued."""
    continues: bool
    """Whether a part of these runs is continued; otherwise the folder is refused."""
    must_exist: bool = False
    """Whether a given folder without any of these runs is refused."""
    continued_by: str = "continue it with --resume, or "
    """What to do instead with runs that are not continued, in messages; empty if they cannot be continued."""

    @property
    def file(self) -> str:
        """Name of the file with the description."""
        return f"{self.noun}.json"

    @property
    def under_way(self) -> str:
        """Name that is claimed as long as the runs are done: it excludes others who would do them too."""
        return f".{self.noun}-under-way"

    def are_in(self, folder: Path | None) -> bool:
        """Whether the folder contains a part of these runs; raises `ParameterError` if that is not to be continued."""
        if folder is None:
            return False
        if not (folder / RUNS).is_dir() and not (folder / self.file).is_file():
            if self.must_exist:
                raise ParameterError(
                    f"--out {path_text(folder)} contains no {self.noun} to continue: leave --resume out."
                )
            return False
        stored: Any = None
        with suppress(OSError, ValueError):
            stored = read_json(folder / self.file)
        if other := self.difference(stored):
            raise ParameterError(f"--out {path_text(folder)} contains {other}: choose another folder.")
        if not self.continues:
            raise ParameterError(
                f"--out {path_text(folder)} contains this {self.noun} already: {self.continued_by}choose another "
                "folder."
            )
        return True


@dataclass
class ResultFolder:
    """A folder whose names for results are claimed. Leaving the context releases those that were not written."""

    path: Path
    is_new: bool
    """Whether the folder was made for these results."""
    claims: dict[str, Claim] = field(default_factory=dict)

    @classmethod
    def claimed(
        cls,
        out: Path | None,
        name: str,
        files: Sequence[str],
        runs: RunsInFolder | None = None,
        option: str = "--out",
    ) -> Self:
        """The folder `out`, given by this option, or the next free `repose-NAME-N`, in which the names of these files
        are claimed.

        With `runs` the folder has no other content, or a part of these runs; then its earlier files are replaced.
        Raises `ParameterError`, and leaves the folder as it was, if it cannot be used.
        """
        continued = runs is not None and runs.are_in(out)
        path, is_new = _usable(out, name, files if runs is None else () if continued else None, option)
        folder = cls(path, is_new)
        try:
            if runs is not None:
                folder._exclude_others(runs)
            for file in files:
                if not (continued and (path / file).exists()):
                    folder.claims[file] = claim_for(option, path / file)
            if runs is not None:
                folder._describe(runs)
        except BaseException:
            folder.release()
            raise
        return folder

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def write(self, file: str, write: Callable[[BinaryIO], object]) -> None:
        """Write a file, as a whole or not at all; it can be written again. Raises what `write` raises."""
        if file in self.claims:
            self.claims[file].write_early(write)
        else:  # of a part that is continued
            write_whole_file(self.path / file, write)

    def finish(self, writers: Writers) -> dict[str, Exception]:
        """Write all files that can be written, and report the others; returns the errors by name of the file."""
        errors = (
            (file, reported(self.path / file, partial(self.write, file, write))) for file, write in writers.items()
        )
        return {file: error for file, error in errors if error is not None}

    def release(self) -> None:
        """Release names that were not used, and remove a new folder that is empty."""
        for reserved in self.claims.values():
            reserved.release()
        if self.is_new:
            with suppress(OSError):
                self.path.rmdir()

    def _exclude_others(self, runs: RunsInFolder) -> None:
        try:
            self.claims[runs.under_way] = claim(self.path / runs.under_way)
        except FileExistsError:
            raise ParameterError(
                f"--out {path_text(self.path)} is being written to by another {runs.noun}: wait for its end or choose "
                "another folder."
            ) from None
        except OSError as error:
            raise ParameterError(f"--out {path_text(self.path)} cannot be written to: {reason_of(error)}.") from None

    def _describe(self, runs: RunsInFolder) -> None:
        """Write the description of the runs beside the folder that they go to."""
        text = json_text(runs.description, indent=2).encode("utf-8")
        write_whole_file(self.path / runs.file, lambda file: file.write(text))
        (self.path / RUNS).mkdir(exist_ok=True)
        remove_leftovers(self.path / RUNS)


def reported(path: Path, write: Callable[[], object]) -> Exception | None:
    """Write a file by `write()`; an error is reported and returned, because it must not lose the other files."""
    try:
        write()
    except WindowError as error:
        print_line(f"No picture: {error}")  # expected on a machine without OpenGL
        return error
    except Exception as error:  # a driver or the drawing library may raise anything
        print_line(f"{path} could not be written: {reason_of(error, described(error))}.")
        return error
    return None


def claim_for(option: str, path: Path) -> Claim:
    """Claim the file name that is the value of an option; raises `ParameterError`."""
    try:
        return claim(path)
    except FileExistsError:
        raise ParameterError(f"{option} {path_text(path)} exists already: choose another name.") from None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise ParameterError(
            f"{option} {path_text(path)} cannot be written to: {reason}; choose another name."
        ) from None


def _usable(wanted: Path | None, name: str, taken: Sequence[str] | None, option: str) -> tuple[Path, bool]:
    """A folder that contains none of the files `taken`, and whether it is new; by default the next free
    `repose-NAME-N`.

    With `taken=None` the folder may contain only hidden files, such as the claim of a running study. Raises
    `ParameterError`.
    """
    try:
        if wanted is None:
            for number in itertools.count(1):
                folder = Path(f"repose-{name}-{number}")
                with suppress(FileExistsError):
                    folder.mkdir()
                    return folder, True
        assert wanted is not None
        new = not wanted.exists()
        wanted.mkdir(parents=True, exist_ok=True)
        remove_leftovers(wanted)
        files = sorted(path.name for path in wanted.iterdir() if not path.name.startswith("."))
        for file in files if taken is None else [name for name in taken if (wanted / name).exists()]:
            raise ParameterError(
                f"{option} {path_text(wanted)} already contains {file}: move it away or choose another folder."
            )
        with tempfile.TemporaryFile(dir=wanted):
            return wanted, new
    except (OSError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        reason = reason_of(error)
        folder_text = wanted if wanted is not None else "the current folder"
        raise ParameterError(
            f"{option} {path_text(folder_text)} cannot be written to: {reason}; choose another folder with {option}."
        ) from None
