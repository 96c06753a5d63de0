"""Grains and contacts as text: a table, a dump as LAMMPS writes it, extended XYZ.

Numbers have 17 significant digits, which represent each number exactly. Formats: LAMMPS manual, `dump custom` and
`dump local`, which OVITO reads too; extended XYZ: specification of the libAtoms project.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from repose.sim.io.exported_state import ExportedState, contacts_of, grain_columns

Add = Callable[[ExportedState], None]
"""Writes one more state to a file that is open."""


@contextmanager
def table(file: BinaryIO) -> Iterator[Add]:
    """A table with a header; several states follow each other, with step and time in the first columns."""
    text = io.TextIOWrapper(file, "utf-8", newline="")
    lines = csv.writer(text, lineterminator="\n")
    begun = False

    def add(state: ExportedState) -> None:
        nonlocal begun
        columns = grain_columns(state)
        if not begun:
            lines.writerow(["step", "time [s]", *columns])
            begun = True
        now = [state.step, f"{state.time:.17g}"]
        lines.writerows([*now, *row] for row in zip(*map(_shown, columns.values())))

    yield add
    text.detach()  # the caller closes the file


@contextmanager
def dump(file: BinaryIO) -> Iterator[Add]:
    """A dump of LAMMPS with one frame per state; ids begin at 1, the type is the material + 1."""

    def add(state: ExportedState) -> None:
        world = state.world
        columns: dict[str, Any] = {"id": world.sphere_id + 1, "type": world.material + 1}
        columns |= dict(zip(("x", "y", "z"), state.position.T))
        columns |= dict(zip(("vx", "vy", "vz"), state.velocity.T))
        columns |= dict(zip(("omegax", "omegay", "omegaz"), state.spin.T))
        others = grain_columns(state)
        columns |= {"radius": world.radius, "mass": world.own_mass, "fixed": world.fixed}
        columns |= {"normal_force": others["normal force [N]"], "contacts": others["contacts"]}
        _write_frame(file, state, "NUMBER OF ATOMS", "ATOMS", columns)

    yield add


@contextmanager
def contact_dump(file: BinaryIO) -> Iterator[Add]:
    """A local dump of LAMMPS with the contacts of spheres; ids as in `dump`."""

    def add(state: ExportedState) -> None:
        contacts = contacts_of(state, walls=False)
        columns = {"id1": contacts.ids[:, 0] + 1, "id2": contacts.ids[:, 1] + 1}
        columns |= dict(zip(("fx", "fy", "fz"), contacts.force.T))
        columns |= {
            "normal_force": contacts.normal_force,
            "shear_force": contacts.shear_force,
            "overlap": contacts.overlap,
        }
        _write_frame(file, state, "NUMBER OF ENTRIES", "ENTRIES", columns)

    yield add


def _write_frame(file: BinaryIO, state: ExportedState, counted: str, listed: str, columns: dict[str, Any]) -> None:
    low, high = state.box
    rows = [
        *(("ITEM: UNITS", "si") if not file.tell() else ()),  # written once: otherwise OVITO finds one frame only
        *("ITEM: TIME", f"{state.time:.17g}", "ITEM: TIMESTEP", str(state.step)),
        *(f"ITEM: {counted}", str(len(next(iter(columns.values())))), "ITEM: BOX BOUNDS mm mm mm"),
        *(f"{a:.17g} {b:.17g}" for a, b in zip(low, high)),
        f"ITEM: {listed} {' '.join(columns)}",
        *_lines(columns.values()),
    ]
    file.write(("\n".join(rows) + "\n").encode("ascii"))


@contextmanager
def extended_xyz(file: BinaryIO) -> Iterator[Add]:
    """Extended XYZ with one frame per state; lengths are in metres, the species of every sphere is X."""

    def add(state: ExportedState) -> None:
        world, (low, high) = state.world, state.box
        columns: dict[str, tuple[str, Any]] = {
            "pos": ("R:3", state.position),
            "velo": ("R:3", state.velocity),
            "spin": ("R:3", state.spin),
            "radius": ("R:1", world.radius),
            "mass": ("R:1", world.own_mass),
            "id": ("I:1", world.sphere_id),
            "material": ("I:1", world.material),
            "fixed": ("I:1", world.fixed),
            "normal_force": ("R:1", grain_columns(state)["normal force [N]"]),
        }
        edges = np.diag(high - low).ravel()
        facts = {
            "Lattice": _text(" ".join(f"{x:.17g}" for x in edges)),
            "Origin": _text(" ".join(f"{x:.17g}" for x in low)),
            "pbc": _text("F F F"),
            "Properties": ":".join(["species:S:1", *(f"{name}:{kind}" for name, (kind, _) in columns.items())]),
            "Time": f"{state.time:.17g}",
            "Step": str(state.step),
            "units": _text("SI"),
            **{name.replace(" ", "_"): _text(words) for name, words in state.origin.items()},
        }
        values = [column for _, values in columns.values() for column in np.atleast_2d(values.T)]
        head = f"{world.sphere_count}\n{' '.join(f'{name}={value}' for name, value in facts.items())}\n"
        file.write((head + "".join(f"X {row}\n" for row in _lines(values))).encode("utf-8"))

    yield add


def _text(words: str) -> str:
    """Words in quotes, with quotes and backslashes escaped."""
    return json.dumps(words, ensure_ascii=False)


def _shown(column: Any) -> list[str]:
    """The numbers of a column as text."""
    if column.dtype.kind == "f":
        return [f"{value:.17g}" for value in column]
    return [str(int(value)) for value in column]


def _lines(columns: Iterable[Any]) -> Iterator[str]:
    """One line per row, numbers with spaces between them."""
    return (" ".join(row) for row in zip(*map(_shown, columns)))
