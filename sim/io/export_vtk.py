"""Grains and contacts for ParaView and other programs that read VTK: points, lines, series of files.

VTK's legacy format (file formats for VTK 4.2) is a header followed by tables in big-endian order. Its XML format is a
header followed by tables in little-endian order, each preceded by its number of bytes. Neither needs a library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from repose.sim.io.atomic_file import write_new_file
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import AXES, ExportedState, contacts_of, ends_of, grain_columns

LEGACY_KINDS = {"f": ("double", ">f8"), "i": ("vtktypeint64", ">i8")}
KINDS = {"f": ("Float64", "<f8"), "i": ("Int64", "<i8")}


@contextmanager
def legacy(file: BinaryIO) -> Iterator[Add]:
    """Points with columns, one state."""

    def line(words: str) -> None:
        file.write(words.encode("ascii") + b"\n")

    def rows(values: Any, kind: str) -> None:
        file.write(np.ascontiguousarray(values).astype(kind).tobytes() + b"\n")

    def add(state: ExportedState) -> None:
        columns, count = _others(state), state.world.sphere_count
        line("# vtk DataFile Version 3.0")
        line(f"Repose, step {state.step}, time {state.time:.17g} s, SI units")
        line("BINARY\nDATASET POLYDATA")
        line(f"POINTS {count} double")
        rows(state.position, ">f8")
        line(f"VERTICES {count} {2 * count}")
        rows(np.column_stack([np.ones(count), np.arange(count)]), ">i4")
        line(f"POINT_DATA {count}\nVECTORS velocity_[m/s] double")
        rows(state.velocity, ">f8")
        line(f"FIELD grains {len(columns)}")
        for name, column in columns.items():
            words, kind = LEGACY_KINDS["f" if column.dtype.kind == "f" else "i"]
            line(f"{name.replace(' ', '_')} 1 {count} {words}")  # a name ends at a space
            rows(column, kind)

    yield add


def _others(state: ExportedState) -> dict[str, Any]:
    """The columns of the grains without positions and velocities, which are vectors."""
    vectors = {f"{axis} [m]" for axis in AXES} | {f"v{axis} [m/s]" for axis in AXES}
    return {name: column for name, column in grain_columns(state).items() if name not in vectors}


@contextmanager
def grains(file: BinaryIO) -> Iterator[Add]:
    """Points with columns in VTK's XML format, one state."""

    def add(state: ExportedState) -> None:
        count = state.world.sphere_count
        data = {"velocity [m/s]": state.velocity, "spin [rad/s]": state.spin} | {
            name: column for name, column in _others(state).items() if not name.startswith("spin")
        }
        cells = np.arange(count), np.arange(1, count + 1)
        _write_xml(file, state, state.position, "Verts", cells, "PointData", data)

    yield add


@contextmanager
def contacts(file: BinaryIO) -> Iterator[Add]:
    """One line per contact, from centre to centre or from a centre to the nearest point of a wall (sphere_id -1), with
    its forces, in VTK's XML format, one state."""

    def add(state: ExportedState) -> None:
        touching = contacts_of(state, walls=True)
        count = len(touching.rows)
        ends = ends_of(state, touching).reshape(2 * count, 3)
        data = {"force [N]": touching.force, "sphere_id": touching.ids} | {
            name: column for name, column in touching.columns().items() if not name.startswith("force")
        }
        cells = np.arange(2 * count), 2 * np.arange(1, count + 1)
        _write_xml(file, state, ends, "Lines", cells, "CellData", data)

    yield add


def _write_xml(
    file: BinaryIO,
    state: ExportedState,
    points: Any,
    kind: str,
    cells: tuple[Any, Any],
    attached: str,
    data: Mapping[str, Any],
) -> None:
    """Write points, cells of one kind (their points in sequence, and the end of each cell), and columns of both."""
    blocks: list[bytes] = []
    place = 0

    def array(name: str, values: Any) -> str:
        nonlocal place
        words, layout = KINDS["f" if values.dtype.kind == "f" else "i"]
        blob = np.ascontiguousarray(values).astype(layout).tobytes()
        wide = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
        text = f'<DataArray type="{words}" Name={quoteattr(name)}{wide} format="appended" offset="{place}"/>'
        blocks.append(np.uint64(len(blob)).astype("<u8").tobytes() + blob)
        place += len(blocks[-1])
        return text

    count = len(cells[1])
    piece = [
        "<Points>",
        array("Points", points),
        f"</Points>\n<{attached}>",
        *(array(name, values) for name, values in data.items()),
        f"</{attached}>\n<{kind}>",
        array("connectivity", cells[0]),
        array("offsets", cells[1]),
        f"</{kind}>",
    ]
    time = np.array([state.time])
    head = [
        '<?xml version="1.0"?>',
        *(f"<!-- {escape(f'{name}: {words}'.replace('--', '- -'))} -->" for name, words in state.origin.items()),
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        "<PolyData>",
        "<FieldData>",
        array("TimeValue", time).replace(" format", ' NumberOfTuples="1" format'),
        "</FieldData>",
        f'<Piece NumberOfPoints="{len(points)}" NumberOf{kind}="{count}">',
        *piece,
        "</Piece>\n</PolyData>",
        '<AppendedData encoding="raw">\n_',
    ]
    file.write("\n".join(head).encode("utf-8"))
    file.writelines(blocks)
    file.write(b"\n</AppendedData>\n</VTKFile>\n")


SERIES: dict[str, Callable[[BinaryIO], Any]] = {"grains": grains, "contacts": contacts}
"""The series of files, by their names."""


@contextmanager
def paraview(folder: Path) -> Iterator[Add]:
    """Two series in a folder: `grains.pvd` and `contacts.pvd`, which name one file per state with its time."""
    times: list[float] = []

    def add(state: ExportedState) -> None:
        for name, form in SERIES.items():
            with_state(form, state, folder / f"{name}-{len(times):05d}.vtp")
        times.append(state.time)

    yield add
    for name in SERIES:
        rows = [
            f'<DataSet timestep="{time:.17g}" part="0" file="{name}-{index:05d}.vtp"/>'
            for index, time in enumerate(times)
        ]
        text = (
            '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n<Collection>\n'
        )
        text += "\n".join(rows) + "\n</Collection>\n</VTKFile>\n"
        write_new_file(folder / f"{name}.pvd", partial(_write_text, text))


def _write_text(text: str, file: BinaryIO) -> None:
    file.write(text.encode("ascii"))


def with_state(form: Callable[[BinaryIO], Any], state: ExportedState, path: Path) -> None:
    """Write one state to a new file; raises `OSError`."""

    def write(file: BinaryIO) -> None:
        with form(file) as add:
            add(state)

    write_new_file(path, write)
