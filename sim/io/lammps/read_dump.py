"""Dumps of LAMMPS (`dump custom` as text): frames are read when they are shown, from files of any size.

Required columns: id, x y z (or xu yu zu), and radius or diameter, unless the user gives a radius. Optional: mol, mass,
velocities, spins, TIME. Numbers are in SI (`units si`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.io.lammps.names import POSITION, SPIN, UNITS, UNWRAPPED, VELOCITY
from repose.sim.message import _
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of, value_text

Number = TypeVar("Number", int, float)

BEGIN, GZIP = b"ITEM: ", b"\x1f\x8b"
"""First bytes of a text dump, and of a compressed one."""
OPENED = "codes, saved runs (.repose), presets and lectures (.toml), and text dumps of LAMMPS can be opened"
"""End of the refusal of other files."""
MOST_SPHERES = 20_000_000
LONGEST_LINE = 4096
"""Most bytes of a line that are read before it is refused."""
CUT = _("The file ends within a frame, which is left out: LAMMPS still writes it, or was stopped.")
"""Sentence for the user about a file that `is_cut`."""
FRAMES_KEPT = 4
"""Frames in memory: those on both sides of the present time, and the ones before them."""


class FramePosition(NamedTuple):
    """Where a frame is in the file."""

    at: int
    """First byte of its rows."""
    step: int
    time: float | None
    """Simulated time [s]; None if the dump does not contain it."""
    spheres: int
    columns: tuple[str, ...]
    borders: tuple[tuple[float, float] | None, ...] = (None, None, None)
    """Lower and upper border of each dimension that is periodic [m]; None for the others."""


class DumpFrame(NamedTuple):
    """The spheres at one time, sorted by id."""

    sphere_id: NDArray[np.int64]
    position: Floats
    """[m], shape (spheres, 3)."""
    velocity: Floats | None
    """[m/s], shape (spheres, 3); None if the dump does not contain it."""
    spin: Floats | None
    """[rad/s], shape (spheres, 3); None if the dump does not contain it."""
    radius: Floats
    mass: Floats | None
    grain: NDArray[np.int64]
    """A number for each sphere that all spheres of its grain have: those of a molecule, or this sphere alone."""


@dataclass
class Dump:
    """The frames of a file."""

    path: Path
    places: tuple[FramePosition, ...]
    radius: float | None = None
    """Radius of all spheres if the file contains no radii [m]."""
    is_cut: bool = False
    """Whether the file ends within a further frame."""
    _read: dict[int, DumpFrame] = field(default_factory=dict)

    def frame(self, number: int) -> DumpFrame:
        """A frame; raises `ParameterError` if its rows cannot be read."""
        if number not in self._read:
            while len(self._read) >= FRAMES_KEPT:
                del self._read[next(iter(self._read))]
            self._read[number] = self._parsed(self.places[number])
        return self._read[number]

    def _parsed(self, place: FramePosition) -> DumpFrame:
        try:
            with self.path.open("rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about a frame without rows, which is refused below
                file.seek(place.at)
                rows = np.loadtxt(file, max_rows=place.spheres, ndmin=2, comments=None)
        except OSError as error:
            raise ParameterError(f"{path_text(self.path)} cannot be read: {reason_of(error)}.") from None
        except ValueError as error:  # the words of numpy, which contain the text that is no number
            match = NO_NUMBER.search(str(error))
            wrong = f": {value_text(match[2], 60)} in row {int(match[3]) + 1} is no number" if match else ""
            raise ParameterError(
                f"{path_text(self.path)}: the frame of step {place.step} cannot be read{wrong}; each of its "
                f"{place.spheres} rows must have {len(place.columns)} numbers: write the dump again."
            ) from None
        if rows.shape != (place.spheres, len(place.columns)):
            raise ParameterError(
                f"{path_text(self.path)}: the frame of step {place.step} has {len(rows)} rows, not {place.spheres}: "
                "the file ends early."
            )
        column = {name: rows[:, k] for k, name in enumerate(place.columns)}
        for name in ("id", "mol"):
            if name in column and not ((np.abs(column[name]) <= 2.0**53) & (column[name] % 1.0 == 0.0)).all():
                raise ParameterError(
                    f"{path_text(self.path)}: the frame of step {place.step} has a sphere whose {name} is no whole "
                    "number: write the dump again."
                )
        ids = column["id"].astype(np.int64)
        order = np.argsort(ids, kind="stable")
        twice = ids[order][1:][np.diff(ids[order]) == 0]
        if twice.size:
            raise ParameterError(
                f"{path_text(self.path)}: the frame of step {place.step} has the id {twice[0]} twice, so that it is "
                "not known which sphere moves where: give every sphere an id of its own."
            )
        names = next(axes for axes in (POSITION, UNWRAPPED) if set(axes) <= column.keys())
        missing = np.zeros(place.spheres)
        position = np.column_stack([column.get(name, missing) for name in names])[order]
        velocity, spin = (
            np.column_stack([column.get(name, missing) for name in names])[order]
            if set(names) & column.keys()
            else None
            for names in (VELOCITY, SPIN)
        )
        if "radius" in column:
            radius = column["radius"][order]
        elif "diameter" in column:
            radius = 0.5 * column["diameter"][order]
        elif self.radius is not None:
            radius = np.full(place.spheres, self.radius)
        else:
            raise ParameterError(
                f"{path_text(self.path)} has no column radius or diameter: give the radius with --radius."
            )
        mass = column["mass"][order] if "mass" in column else None
        for name, values, least in (
            ("position", position, -LARGEST),
            ("velocity", velocity, -LARGEST),
            ("spin", spin, -LARGEST),
            ("radius", radius, 1.0 / LARGEST),
            ("mass", mass, 1.0 / LARGEST**3),
        ):
            most = LARGEST**3 if name == "mass" else LARGEST
            if values is not None and not ((values >= least) & (values <= most)).all():  # false for nan too
                raise ParameterError(
                    f"{path_text(self.path)}: the frame of step {place.step} has a sphere with a {name} that is not "
                    f"a number from {least:g} to {most:g} in SI: correct the dump, or the radius given with --radius."
                )
        molecule = column["mol"].astype(np.int64)[order] if "mol" in column else np.zeros(place.spheres, np.int64)
        grain = np.where(molecule > 0, -molecule, ids[order])  # ids are positive, and a molecule 0 is none
        return DumpFrame(ids[order], position, velocity, spin, radius, mass, grain)


NO_NUMBER = re.compile(r"could not convert string (['\"])(.*)\1 to \w+ at row (\d+)", re.DOTALL)
"""How `numpy.loadtxt` names a text that is no number, and its row from 0."""
LARGEST = 1e12
"""Largest position [m], velocity [m/s] and radius [m] that is shown, because products of larger numbers overflow.

The inverse is the smallest radius; the cube and its inverse bound masses [kg]."""


def read_dump(path: Path, radius: float | None = None) -> Dump:
    """The dump in a file, whose frames are found and not read yet; raises `ParameterError`."""
    try:
        places, is_cut = _places(path)
    except OSError as error:
        raise ParameterError(f"{path_text(path)} cannot be opened: {reason_of(error)}.") from None
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(f"{path_text(path)} is no text dump of LAMMPS: {reason_of(error)}.") from None
    if not places:
        raise ParameterError(
            f"{path_text(path)} is a dump of LAMMPS without a complete frame: wait until one is written."
        )
    dump = Dump(path, tuple(places), radius, is_cut)
    dump.frame(0)
    return dump


class _CutError(Exception):
    """The file ends within a frame."""


def _places(path: Path) -> tuple[list[FramePosition], bool]:
    """The frames whose rows are complete, and whether the file ends within a further one."""
    frames: list[FramePosition] = []
    try:
        _find(path, frames)
    except _CutError:
        return frames, True
    return frames, False


def _find(path: Path, frames: list[FramePosition]) -> None:
    """Append the frames whose rows are complete; raises `_CutError` if the file ends within a further one."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(len(BEGIN))
        if start != BEGIN:
            packed = "it is compressed" if start.startswith(GZIP) else "it has no ITEM: TIMESTEP at its beginning"
            raise ValueError(f"{packed}; {OPENED}")
        file.seek(0)
        time: float | None = None
        step = count = 0
        borders: tuple[tuple[float, float] | None, ...] = (None, None, None)
        is_within = False
        while file.tell() < size:
            line, is_within = _line(file), True
            if not line.isascii():
                raise ValueError(f"it contains bytes that are no text after step {step}")
            words = line.decode("ascii").split()
            if words[:2] == ["ITEM:", "TIME"]:
                time = _number(file, float, "TIME")
            elif words[:2] == ["ITEM:", "TIMESTEP"]:
                step = _number(file, int, "TIMESTEP")
            elif words[:4] == ["ITEM:", "NUMBER", "OF", "ATOMS"]:
                count = _number(file, int, "NUMBER OF ATOMS")
                if not 1 <= count <= MOST_SPHERES:
                    raise ValueError(f"{count} spheres at step {step}; 1 to {MOST_SPHERES} can be shown")
            elif words[:3] == ["ITEM:", "BOX", "BOUNDS"]:
                borders = _borders(words[3:], [_line(file) for _ in range(3)])
            elif words[:2] == ["ITEM:", "ATOMS"]:
                columns = tuple(words[2:])
                if not count:
                    raise ValueError("it has ITEM: ATOMS before the number of atoms")
                _require_columns(columns)
                at = file.tell()
                _skip(file, count)
                frames.append(FramePosition(at, step, time, count, columns, borders))
                is_within = False
                _require_later(path, frames[-2:])
            elif words[:2] == ["ITEM:", "UNITS"]:
                units = _line(file).decode(errors="replace").strip()
                if units != UNITS:
                    raise ValueError(f"its units are {value_text(units, 60)}; write it in a run with units {UNITS}")
            elif words[:1] == ["ITEM:"]:
                raise ValueError(f"it has the unknown {' '.join(words)}")
            elif not frames and not words:
                raise ValueError("it begins with an empty line")
        if is_within:
            raise _CutError


def _borders(kinds: list[str], lines: list[bytes]) -> tuple[tuple[float, float] | None, ...]:
    """Borders of periodic dimensions [m], from the rest of the line of BOX BOUNDS and the lines after it; those of an
    oblique box, whose images are elsewhere, are left out."""
    found: list[tuple[float, float] | None] = []
    for kind, line in zip(kinds, lines) if len(kinds) == 3 else ():
        try:
            low, high = map(float, line.split())
        except ValueError:
            return None, None, None
        sound = kind == "pp" and abs(low) <= LARGEST and abs(high) <= LARGEST and low < high
        found.append((low, high) if sound else None)
    return tuple(found) if len(found) == 3 else (None, None, None)


def _number(file: BinaryIO, kind: Callable[[bytes], Number], item: str) -> Number:
    """The number in the line after an item."""
    line = _line(file)
    try:
        return kind(line)
    except ValueError:
        shown = value_text(line.decode(errors="replace").strip(), 60)
        raise ValueError(f"{shown} follows ITEM: {item}, where a number is needed") from None


def _require_later(path: Path, places: list[FramePosition]) -> None:
    """Raise `ParameterError` if the last of two frames is not after the first."""
    if len(places) < 2:
        return
    before, after = places
    if after.step <= before.step:
        raise ParameterError(
            f"{path_text(path)}: step {after.step} follows step {before.step}, and steps must increase: split a dump "
            "of two runs."
        )
    if before.time is not None and after.time is not None and not after.time > before.time:
        raise ParameterError(
            f"{path_text(path)}: the time goes from {before.time:g} s at step {before.step} to {after.time:g} s at "
            f"step {after.step}, and must increase: split a dump of two runs."
        )


def _require_columns(columns: tuple[str, ...]) -> None:
    if "id" not in columns:
        raise ValueError("it has no column id")
    if not any(set(axes) <= set(columns) for axes in (POSITION, UNWRAPPED)):
        raise ValueError(f"it has the columns {' '.join(columns)}; positions x y z or xu yu zu are needed")


def _line(file: BinaryIO) -> bytes:
    """The next line; raises `_CutError` if the file ends within it."""
    line = file.readline(LONGEST_LINE)
    if len(line) < LONGEST_LINE and not line.endswith(b"\n"):
        raise _CutError
    return line


def _skip(file: BinaryIO, count: int) -> None:
    """Skip `count` lines; raises `_CutError` if there are fewer."""
    left = count
    while left:
        block = file.read(1 << 20)
        if not block:
            raise _CutError
        lines = block.count(b"\n")
        if lines < left:
            left -= lines
            continue
        end = -1
        for _line_number in range(left):
            end = block.index(b"\n", end + 1)
        file.seek(end + 1 - len(block), 1)
        left = 0
