"""Grains as a file other programs read: a table (.csv), a cloud of points (.vtk), every table of the world (.npz).

Text has 17 significant digits, which give the same bits back; the other two hold the bits themselves. VTK's legacy
format (file formats for VTK 4.2) is a header and tables in big-endian order, which needs no library.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from repose.sim.experiment.run import Run
from repose.sim.io.atomic_file import Claim, claim
from repose.sim.io.world_tables import tables_of
from repose.sim.measure.contact_sums import pushes

AXES = "xyz"
VTK_KINDS = {"f": ("double", ">f8"), "i": ("vtktypeint64", ">i8")}


def require_known_ending(path: Path) -> None:
    """Raise `ValueError` for a name that does not end in one of `SUFFIXES`."""
    if path.suffix.lower() not in SUFFIXES:
        raise ValueError(
            f"{path.name!r} cannot be exported to: its ending must be one of {', '.join(SUFFIXES)}; name the file so."
        )


def export(run: Run, path: Path) -> None:
    """Write the grains of a run to a new file; raises `ValueError` for an unknown ending, and `OSError`."""
    require_known_ending(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_grains(run, claim(path))


def write_grains(run: Run, place: Claim) -> None:
    """Write the grains of a run to the file that was claimed; raises `OSError`."""
    place.write(lambda file: SUFFIXES[place.path.suffix.lower()](run, file))


def grain_columns(run: Run) -> dict[str, Any]:
    """One column per quantity, named with its unit, one row per sphere, fixed ones included."""
    world = run.world
    dimension = world.search.reference.shape[0]
    turning = world.motion[dimension:, 1]
    pushed = pushes(world)
    columns: dict[str, Any] = {"sphere_id": world.sphere_id, "fixed": world.fixed, "material": world.material}
    columns |= {f"{axis} [m]": world.motion[k, 0] for k, axis in enumerate(AXES[:dimension])}
    columns |= {f"v{axis} [m/s]": world.motion[k, 1] for k, axis in enumerate(AXES[:dimension])}
    about = AXES if len(turning) == 3 else "z"
    columns |= {f"spin {axis} [rad/s]": turning[k] for k, axis in zip(range(len(turning)), about)}
    columns |= {"radius [m]": world.radius, "mass [kg]": world.mass}
    return columns | {"normal force [N]": pushed.force, "contacts": pushed.contacts.astype(np.int64)}


def _write_csv(run: Run, file: BinaryIO) -> None:
    columns = grain_columns(run)
    text = io.TextIOWrapper(file, "utf-8", newline="")
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["step", "time [s]", *columns])
    now = [run.step, f"{run.time:.17g}"]
    shown = [
        [f"{value:.17g}" for value in column] if column.dtype.kind == "f" else column.astype(int).tolist()
        for column in columns.values()
    ]
    lines.writerows([*now, *row] for row in zip(*shown))
    text.detach()  # the file is whoever opened it's to close


def _write_npz(run: Run, file: BinaryIO) -> None:
    np.savez_compressed(file, **tables_of(run.world), step=run.step, time=run.time, dt=run.dt)


def _write_vtk(run: Run, file: BinaryIO) -> None:
    columns, count = grain_columns(run), run.world.sphere_count
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
    line(f"Repose, step {run.step}, time {run.time:.17g} s, SI units")
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
        line(f"{name.replace(' ', '_')} 1 {count} {words}")  # a space would end the name
        table(column, kind)


SUFFIXES: dict[str, Callable[[Run, BinaryIO], None]] = {".csv": _write_csv, ".vtk": _write_vtk, ".npz": _write_npz}
