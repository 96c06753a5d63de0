"""Grains as text: a table, and extended XYZ (specification of the libAtoms project).

Numbers have 17 significant digits, which represent each number exactly. Dumps are in repose.sim.io.lammps.write_dump.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from repose.sim.io.exported_state import ExportedState, grain_columns

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
            "pbc": _text(" ".join("T" if periodic else "F" for periodic in state.periodic)),
            "Properties": ":".join(["species:S:1", *(f"{name}:{kind}" for name, (kind, _) in columns.items())]),
            "Time": f"{state.time:.17g}",
            "Step": str(state.step),
            "units": _text("SI"),
            **{name.replace(" ", "_"): _text(words) for name, words in state.origin.items()},
        }
        values = [column for _, values in columns.values() for column in np.atleast_2d(values.T)]
        head = f"{world.sphere_count}\n{' '.join(f'{name}={value}' for name, value in facts.items())}\n"
        file.write((head + "".join(f"X {row}\n" for row in lines_of(values))).encode("utf-8"))

    yield add


def _text(words: str) -> str:
    """Words in quotes, with quotes and backslashes escaped."""
    return json.dumps(words, ensure_ascii=False)


def _shown(column: Any) -> list[str]:
    """The numbers of a column as text."""
    if column.dtype.kind == "f":
        return [f"{value:.17g}" for value in column]
    return [str(int(value)) for value in column]


def lines_of(columns: Iterable[Any]) -> Iterator[str]:
    """One line per row, numbers with spaces between them."""
    return (" ".join(row) for row in zip(*map(_shown, columns)))
