"""Export of grains for other programs: the formats, by the ending of a file and by the name of a program.

A format is a context manager that yields a function, which writes one more state. All numbers are in SI units; numbers
in text have 17 significant digits, which represent each float exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from repose.sim.io import export_text, export_vtk
from repose.sim.io.atomic_file import Claim, claim
from repose.sim.io.export_graphml import contact_network
from repose.sim.io.export_hdf5 import hdf5, require_library
from repose.sim.io.export_svg import vector_graphic
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import ExportedState
from repose.sim.io.lammps import write_dump
from repose.sim.io.world_tables import tables_of
from repose.sim.message import plain
from repose.sim.parameters import ParameterError, require_known
from repose.sim.wording import value_text


@contextmanager
def _arrays(file: BinaryIO) -> Iterator[Add]:
    """Every table of the world and the series, for numpy, one state."""

    def add(state: ExportedState) -> None:
        tables = tables_of(state.world) | {f"series.{name}": column for name, column in state.series.items()}
        np.savez_compressed(file, **tables, step=state.step, time=state.time, dt=state.dt)

    yield add


class Format(NamedTuple):
    """One kind of file."""

    begin: Callable[[BinaryIO], AbstractContextManager[Add]]
    several: bool
    """Whether a file can contain several states."""
    require: Callable[[], None] = lambda: None
    """Raises `ParameterError` if a library is missing."""


FORMATS = {
    ".csv": Format(export_text.table, True),
    ".vtk": Format(export_vtk.legacy, False),
    ".vtp": Format(export_vtk.grains, False),
    ".npz": Format(_arrays, False),
    ".svg": Format(vector_graphic, False),
    ".lammpstrj": Format(write_dump.dump, True),
    ".xyz": Format(export_text.extended_xyz, True),
    ".h5": Format(hdf5, True, require_library),
    ".graphml": Format(contact_network, False),
}
"""By the ending of the file."""


class ProgramFiles(NamedTuple):
    """The files that a program reads."""

    files: dict[str, Callable[[BinaryIO], AbstractContextManager[Add]]]
    """Formats by the name of the file; empty for a series of files."""
    hint: str
    """Instruction for opening the files."""
    require: Callable[[], None] = lambda: None


PROGRAMS = {
    "ovito": ProgramFiles(
        {
            "grains.lammpstrj": write_dump.dump,
            "contacts.dump": write_dump.contact_dump,
            "wall_contacts.lammpstrj": write_dump.wall_contact_dump,
        },
        "In OVITO open grains.lammpstrj and add the modifier 'Load trajectory' with contacts.dump. "
        "wall_contacts.lammpstrj has the contacts with walls as points. A script gives LoadTrajectoryModifier the "
        f"columns: source.load('contacts.dump', columns={list(write_dump.OVITO_COLUMNS)}).",
    ),
    "xyz": ProgramFiles({"grains.xyz": export_text.extended_xyz}, "Lengths are in metres."),
    "paraview": ProgramFiles({}, "In ParaView open grains.pvd and contacts.pvd."),
    "hdf5": ProgramFiles({"grains.h5": hdf5}, "The layout is H5MD 1.1.", require_library),
}
"""By the name that `--for` takes; LAMMPS, which continues a run, has its own export."""


def format_of(path: Path, several: bool = False) -> Format:
    """The format of a file, for one state or several; raises `ParameterError`."""
    fitting = [suffix for suffix, form in FORMATS.items() if form.several or not several]
    if path.suffix.lower() not in FORMATS:
        raise ParameterError(
            f"{value_text(path.name)} cannot be exported to: its ending must be one of {', '.join(fitting)}; choose "
            "such a name."
        )
    chosen = FORMATS[path.suffix.lower()]
    if several and not chosen.several:
        raise ParameterError(
            f"{value_text(path.name)} can hold one state only: choose an ending of {', '.join(fitting)}, or --for "
            "paraview."
        )
    chosen.require()
    return chosen


def program_of(name: str) -> ProgramFiles:
    """The files that a program reads, by its name; raises `ParameterError`."""
    require_known(name, ("lammps", *PROGRAMS), plain("program"))
    PROGRAMS[name].require()
    return PROGRAMS[name]


def export(state: ExportedState, path: Path) -> None:
    """Write one state to a new file; raises `ParameterError` for an unknown ending, and `OSError`."""
    format_of(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with_place(claim(path), lambda add: add(state))


def write_state(state: ExportedState, suffix: str, file: BinaryIO) -> None:
    """Write one state to an open file in the format of that ending."""
    with FORMATS[suffix].begin(file) as add:
        add(state)


def with_place(position: Claim, feed: Callable[[Add], object]) -> None:
    """Write a claimed file: `feed(add)` calls `add` for every state; raises `OSError`."""

    def write(file: BinaryIO) -> None:
        with FORMATS[position.path.suffix.lower()].begin(file) as add:
            feed(add)

    position.write(write)


def export_folder(program: ProgramFiles, folder: Path, feed: Callable[[Add], object]) -> None:
    """Write the files that a program reads to a new folder; raises `OSError`. Unfinished files are removed."""
    folder.mkdir(parents=True)
    try:
        with ExitStack() as stack:
            if program.files:
                files = [
                    (begin, stack.enter_context((folder / name).open("w+b"))) for name, begin in program.files.items()
                ]
                adds = [stack.enter_context(begin(file)) for begin, file in files]
            else:
                adds = [stack.enter_context(export_vtk.paraview(folder))]
            feed(lambda state: _add_to_all(adds, state))
    except BaseException:
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        raise


def _add_to_all(adds: Iterable[Add], state: ExportedState) -> None:
    for add in adds:
        add(state)
