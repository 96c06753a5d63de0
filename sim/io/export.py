"""Export of grains for other programs: one table (.csv), a point cloud (.vtk), all tables of the world (.npz).

Numbers in text have 17 significant digits, which represent each number exactly; the other formats are binary. VTK's
legacy format (file formats for VTK 4.2) is a header and tables in big-endian order, which needs no library.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.io.atomic_file import Claim, claim
from repose.sim.io.world_tables import tables_of
from repose.sim.measure.contact_sums import pushes

AXES = "xyz"
VTK_KINDS = {"f": ("double", ">f8"), "i": ("vtktypeint64", ">i8")}


class ExportedState(NamedTuple):
    """A world with step, time and time step."""

    world: World
    step: int
    time: float
    """Simulated time [s]."""
    dt: float
    """Time step [s]."""
    series: Mapping[str, Floats]
    """Samples of the measurements by name, each shape (samples,), as in the plots."""


def require_known_ending(path: Path) -> None:
    """Raise `ValueError` for a name that does not end in one of `SUFFIXES`."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(
            f"{path.name!r} cannot be exported to: its ending must be one of {', '.join(SUFFIXES)}; choose such a name."
        )


def export(state: ExportedState, path: Path) -> None:
    """Write the grains to a new file; raises `ValueError` for an unknown ending, and `OSError`."""
    require_known_ending(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_grains(state, claim(path))


def write_grains(state: ExportedState, place: Claim) -> None:
    """Write the grains to a claimed file; raises `OSError`."""
    place.write(lambda file: SUFFIXES[place.path.suffix.lower()](state, file))


def grain_columns(world: World) -> dict[str, Any]:
    """One column per quantity, named with its unit, one row per sphere, fixed ones included."""
    dimension = world.search.reference.shape[0]
    turning = world.motion[dimension:, 1]
    pushed = pushes(world)
    columns: dict[str, Any] = {"sphere_id": world.sphere_id, "fixed": world.fixed, "material": world.material}
    columns |= {f"{axis} [m]": world.motion[k, 0] for k, axis in enumerate(AXES[:dimension])}
    columns |= {f"v{axis} [m/s]": world.motion[k, 1] for k, axis in enumerate(AXES[:dimension])}
    about = AXES if len(turning) == 3 else "z"
    columns |= {f"spin {axis} [rad/s]": turning[k] for k, axis in zip(range(len(turning)), about)}
    columns |= {"radius [m]": world.radius, "mass [kg]": world.own_mass}
    return columns | {"normal force [N]": pushed.force, "contacts": pushed.contacts.astype(np.int64)}


def _write_csv(state: ExportedState, file: BinaryIO) -> None:
    columns = grain_columns(state.world)
    text = io.TextIOWrapper(file, "utf-8", newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["step", "time [s]", *columns])
    now = [state.step, f"{state.time:.17g}"]
    shown = [
        [f"{value:.17g}" for value in column] if column.dtype.kind == "f" else column.astype(int).tolist()
        for column in columns.values()
    ]
    lines.writerows([*now, *row] for row in zip(*shown))
    text.detach()  # the caller closes the file


def _write_npz(state: ExportedState, file: BinaryIO) -> None:
    tables = tables_of(state.world) | {f"series.{name}": column for name, column in state.series.items()}
    np.savez_compressed(file, **tables, step=state.step, time=state.time, dt=state.dt)


def _write_vtk(state: ExportedState, file: BinaryIO) -> None:
    columns, count = grain_columns(state.world), state.world.sphere_count
    places = [name for name in columns if name in {f"{axis} [m]" for axis in AXES}]
    speeds = [name for name in columns if name in {f"v{axis} [m/s]" for axis in AXES}]

    def line(words: str) -> None:
        file.write(words.encode("ascii") + b"\n")

    def table(values: Any, kind: str) -> None:
        file.write(np.ascontiguousarray(values).astype(kind).tobytes() + b"\n")

    def in_space(names: list[str]) -> Any:
        rows = np.zeros((count, 3))
        for k, name in enumerate(names):
            rows[:, k] = columns.pop(name)
        return rows

    line("# vtk DataFile Version 3.0")
    line(f"Repose, step {state.step}, time {state.time:.17g} s, SI units")
    line("BINARY\nDATASET POLYDATA")
    line(f"POINTS {count} double")
    table(in_space(places), ">f8")
    line(f"VERTICES {count} {2 * count}")
    table(np.column_stack([np.ones(count), np.arange(count)]), ">i4")
    line(f"POINT_DATA {count}\nVECTORS velocity_[m/s] double")
    table(in_space(speeds), ">f8")
    line(f"FIELD grains {len(columns)}")
    for name, column in columns.items():
        words, kind = VTK_KINDS["f" if column.dtype.kind == "f" else "i"]
        line(f"{name.replace(' ', '_')} 1 {count} {words}")  # a name ends at a space
        table(column, kind)


SUFFIXES: dict[str, Callable[[ExportedState, BinaryIO], None]] = {
    ".csv": _write_csv,
    ".vtk": _write_vtk,
    ".npz": _write_npz,
}
