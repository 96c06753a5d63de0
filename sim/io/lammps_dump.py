"""Dumps of LAMMPS (`dump custom` as text): frames are read when they are shown, from files of any size.

Required columns: id, x y z (or xu yu zu), and radius or diameter, unless the user gives a radius. Optional: type, mass,
velocities, TIME. Numbers are in SI (`units si`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.parameters import ParameterError

Number = TypeVar("Number", int, float)

BEGIN, GZIP = b"ITEM: ", b"\x1f\x8b"
"""First bytes of a text dump, and of a compressed one."""
OPENED = "codes, saved runs (.repose), presets and lectures (.toml), and text dumps of LAMMPS can be opened"
"""End of the refusal of other files."""
MOST_SPHERES = 20_000_000
FRAMES_KEPT = 4
"""Frames in memory: those on both sides of the present time, and the ones before them."""


class Place(NamedTuple):
    """Where a frame is in the file."""

    at: int
    """First byte of its rows."""
    step: int
    time: float | None
    """Simulated time [s]; None if the dump does not contain it."""
    spheres: int
    columns: tuple[str, ...]


class Frame(NamedTuple):
    """The spheres at one time, sorted by id."""

    sphere_id: NDArray[np.int64]
    position: Floats
    """[m], shape (spheres, 3)."""
    velocity: Floats | None
    """[m/s], shape (spheres, 3); None if the dump does not contain it."""
    radius: Floats
    mass: Floats | None
    kind: NDArray[np.int64]
    """LAMMPS' atom type."""


@dataclass
class Dump:
    """The frames of a file."""

    path: Path
    places: tuple[Place, ...]
    radius: float | None = None
    """Radius of all spheres if the file contains no radii [m]."""
    _read: dict[int, Frame] = field(default_factory=dict)

    def frame(self, number: int) -> Frame:
        """A frame; raises `ParameterError` if its rows cannot be read."""
        if number not in self._read:
            while len(self._read) >= FRAMES_KEPT:
                del self._read[next(iter(self._read))]
            self._read[number] = self._parsed(self.places[number])
        return self._read[number]

    def _parsed(self, place: Place) -> Frame:
        try:
            with self.path.open("rb") as file:
                file.seek(place.at)
                rows = np.loadtxt(file, max_rows=place.spheres, ndmin=2, comments=None)
        except OSError as error:
            raise ParameterError(f"{self.path} cannot be read: {error.strerror or error}.") from None
        except ValueError:
            raise ParameterError(
                f"{self.path}: the frame of step {place.step} cannot be read: each of its {place.spheres} rows must "
                f"contain {len(place.columns)} numbers."
            ) from None
        if rows.shape != (place.spheres, len(place.columns)):
            raise ParameterError(
                f"{self.path}: the frame of step {place.step} has {len(rows)} rows, not {place.spheres}: the file ends "
                "early."
            )
        column = {name: rows[:, k] for k, name in enumerate(place.columns)}
        ids = column["id"].astype(np.int64)
        order = np.argsort(ids, kind="stable")
        twice = ids[order][1:][np.diff(ids[order]) == 0]
        if twice.size:
            raise ParameterError(
                f"{self.path}: the frame of step {place.step} has the id {twice[0]} twice, so that it is not known "
                "which sphere moves where: give every sphere an id of its own."
            )
        names = next(axes for axes in AXES if axes[0] in column)
        missing = np.zeros(place.spheres)
        position = np.column_stack([column.get(name, missing) for name in names])[order]
        speeds = ("vx", "vy", "vz")
        velocity = np.column_stack([column.get(name, missing) for name in speeds])[order] if "vx" in column else None
        if "radius" in column:
            radius = column["radius"][order]
        elif "diameter" in column:
            radius = 0.5 * column["diameter"][order]
        elif self.radius is not None:
            radius = np.full(place.spheres, self.radius)
        else:
            raise ParameterError(f"{self.path} has no column radius or diameter: give the radius with --radius.")
        mass = column["mass"][order] if "mass" in column else None
        for name, values, least in (
            ("position", position, -LARGEST),
            ("velocity", velocity, -LARGEST),
            ("radius", radius, 1.0 / LARGEST),
            ("mass", mass, 1.0 / LARGEST**3),
        ):
            most = LARGEST**3 if name == "mass" else LARGEST
            if values is not None and not ((values >= least) & (values <= most)).all():  # false for nan too
                raise ParameterError(
                    f"{self.path}: the frame of step {place.step} has a sphere with a {name} that is not a number from "
                    f"{least:g} to {most:g} in SI: correct the dump, or the radius given with --radius."
                )
        kind = column["type"].astype(np.int64)[order] if "type" in column else np.ones(place.spheres, np.int64)
        return Frame(ids[order], position, velocity, radius, mass, kind)


LARGEST = 1e12
"""Largest position [m], velocity [m/s] and radius [m] that is shown, because products of larger numbers overflow.

The inverse is the smallest radius; the cube and its inverse bound masses [kg]."""
AXES = (("x", "y", "z"), ("xu", "yu", "zu"))
"""Columns of a position in metres; scaled ones are refused."""


def read_dump(path: Path, radius: float | None = None) -> Dump:
    """The dump in a file, whose frames are found and not read yet; raises `ParameterError`."""
    try:
        places = tuple(_places(path))
    except OSError as error:
        raise ParameterError(f"{path} cannot be opened: {error.strerror or error}.") from None
    except ParameterError:
        raise
    except ValueError as error:
        raise ParameterError(f"{path} is no text dump of LAMMPS: {error}.") from None
    if not places:
        raise ParameterError(f"{path} is a dump of LAMMPS without a complete frame: wait until one is written.")
    dump = Dump(path, places, radius)
    dump.frame(0)
    return dump


def _places(path: Path) -> list[Place]:
    """The frames whose rows are complete."""
    found, size = [], path.stat().st_size
    with path.open("rb") as file:
        start = file.read(len(BEGIN))
        if start != BEGIN:
            packed = "it is compressed" if start.startswith(GZIP) else "it has no ITEM: TIMESTEP at its beginning"
            raise ValueError(f"{packed}; {OPENED}")
        file.seek(0)
        time: float | None = None
        step = count = 0
        while line := file.readline(4096):
            if not line.isascii():
                raise ValueError(f"it contains bytes that are no text after step {step}")
            words = line.decode("ascii").split()
            if words[:2] == ["ITEM:", "TIME"]:
                time = _number(file.readline(4096), float, "TIME")
            elif words[:2] == ["ITEM:", "TIMESTEP"]:
                step = _number(file.readline(4096), int, "TIMESTEP")
            elif words[:4] == ["ITEM:", "NUMBER", "OF", "ATOMS"]:
                count = _number(file.readline(4096), int, "NUMBER OF ATOMS")
                if not 1 <= count <= MOST_SPHERES:
                    raise ValueError(f"{count} spheres at step {step}; 1 to {MOST_SPHERES} can be shown")
            elif words[:3] == ["ITEM:", "BOX", "BOUNDS"]:
                for _ in range(3):
                    file.readline(4096)
            elif words[:2] == ["ITEM:", "ATOMS"]:
                columns = tuple(words[2:])
                _require_columns(columns)
                at = file.tell()
                _skip(file, count, size)
                if file.tell() > size:
                    break
                found.append(Place(at, step, time, count, columns))
                _require_later(path, found[-2:])
            elif words[:1] == ["ITEM:"] and words[1:2] != ["UNITS"]:
                raise ValueError(f"it has the unknown {' '.join(words)}")
            elif not found and not words:
                raise ValueError("it begins with an empty line")
    return found


def _number(line: bytes, kind: type[Number], item: str) -> Number:
    """The number in the line after an item."""
    try:
        return kind(line)
    except ValueError:
        shown = line.decode("ascii", "backslashreplace").strip()[:40]
        raise ValueError(f"'{shown}' follows ITEM: {item}, where a number is needed") from None


def _require_later(path: Path, places: list[Place]) -> None:
    """Raise `ParameterError` if the last of two frames is not after the first."""
    if len(places) < 2:
        return
    before, after = places
    if after.step <= before.step:
        raise ParameterError(
            f"{path}: step {after.step} follows step {before.step}, and steps must increase: split a dump of two runs."
        )
    if before.time is not None and after.time is not None and not after.time > before.time:
        raise ParameterError(
            f"{path}: the time goes from {before.time:g} s at step {before.step} to {after.time:g} s at step "
            f"{after.step}, and must increase: split a dump of two runs."
        )


def _require_columns(columns: tuple[str, ...]) -> None:
    if "id" not in columns:
        raise ValueError("it has no column id")
    if not any(set(axes) <= set(columns) for axes in AXES):
        raise ValueError(f"it has the columns {' '.join(columns)}; positions x y z or xu yu zu are needed")


def _skip(file: BinaryIO, count: int, size: int) -> None:
    """Skip `count` lines; beyond the end of the file if there are fewer."""
    left = count
    while left:
        block = file.read(1 << 20)
        if not block:
            file.seek(size + 1)
            return
        lines = block.count(b"\n")
        if lines < left:
            left -= lines
            continue
        end = -1
        for _ in range(left):
            end = block.index(b"\n", end + 1)
        file.seek(end + 1 - len(block), 1)
        left = 0
