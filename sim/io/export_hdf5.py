"""Grains, contacts and measurements over time as HDF5, in the layout H5MD 1.1 (de Buyl et al., Comput. Phys. Commun.
185, 1546, 2014).

Frames before the first appearance of a sphere have the id -1 and nan in its row. The contacts of all frames are
concatenated in `repose/contacts`; frame k has the rows begin[k] to begin[k + 1] - 1. The library h5py is an extra of
the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from repose.sim.io.export_text import Add
from repose.sim.io.exported_state import ExportedState, contacts_of
from repose.sim.parameters import ParameterError

MISSING = (
    "HDF5 needs the package h5py, which is not installed: pip install 'repose[hdf5]', or export to another format."
)
UNITS = {
    "position": "m",
    "velocity": "m s-1",
    "spin": "s-1",
    "radius": "m",
    "mass": "kg",
    "material": "",
    "fixed": "",
    "id": "",
    "image": "",
}


def require_library() -> None:
    """Raise `ParameterError` without h5py."""
    try:
        import h5py  # noqa: F401
    except ImportError:
        raise ParameterError(MISSING) from None


@contextmanager
def hdf5(file: BinaryIO) -> Iterator[Add]:
    """One frame per state, in a file that can also be read."""
    import h5py

    # The file contains no time stamps: equal runs give equal files.
    with h5py.File(file, "w", track_order=False) as book:
        particles = book.create_group("particles/grains")
        last: list[ExportedState] = []

        def add(state: ExportedState) -> None:
            if not last:
                _begin(book, state)
            _append_particles(particles, state)
            _append_contacts(book, state)
            last[:] = [state]

        yield add
        if last:
            _end(book, last[0])


def _begin(book: Any, state: ExportedState) -> None:
    """Write the groups that H5MD requires, and the origin of the run."""
    head = book.create_group("h5md")
    head.attrs["version"] = np.array([1, 1], np.int32)
    head.create_group("author").attrs["name"] = "unknown"
    creator = head.create_group("creator")
    program, _, version = state.origin.get("program", "Repose").partition(" ")
    creator.attrs["name"], creator.attrs["version"] = program, version
    box = book["particles/grains"].create_group("box")
    box.attrs["dimension"] = 3
    box.attrs["boundary"] = ["periodic" if periodic else "none" for periodic in state.periodic]
    if any(state.periodic):
        low, high = state.box
        box.create_dataset("edges", data=high - low).attrs["unit"] = "m"
        box.attrs["origin"] = low
    source = book.create_group("parameters/repose")
    for name, words in state.origin.items():
        source.attrs[name] = words


def _append_particles(group: Any, state: ExportedState) -> None:
    world = state.world
    columns = {
        "position": state.position,
        "velocity": state.velocity,
        "spin": state.spin,
        "radius": world.radius,
        "mass": world.own_mass,
        "material": world.material,
        "fixed": world.fixed.astype(np.int64),
        "id": world.sphere_id,
    }
    if any(state.periodic):
        columns["image"] = state.images
    for name, values in columns.items():
        if name not in group:
            _create_element(group, name, values)
        element = group[name]
        frame, room = len(element["step"]), max(len(values), element["value"].shape[1])
        element["value"].resize((frame + 1, room, *values.shape[1:]))
        element["value"][frame, : len(values)] = values
        for key, number in (("step", state.step), ("time", state.time)):
            element[key].resize((frame + 1,))
            element[key][frame] = number


def _create_element(group: Any, name: str, values: Any) -> None:
    """An H5MD element without frames."""
    element = group.create_group(name)
    whole = values.dtype.kind in "iu"
    value = element.create_dataset(
        "value",
        shape=(0, len(values), *values.shape[1:]),
        maxshape=(None, None, *values.shape[1:]),
        chunks=(1, max(len(values), 1), *values.shape[1:]),
        dtype=np.int64 if whole else np.float64,
        fillvalue=-1 if whole else np.nan,
        compression="gzip",
        compression_opts=1,
    )
    if UNITS[name]:
        value.attrs["unit"] = UNITS[name]
    element.create_dataset("step", shape=(0,), maxshape=(None,), dtype=np.int64)
    element.create_dataset("time", shape=(0,), maxshape=(None,), dtype=np.float64).attrs["unit"] = "s"


def _append_contacts(book: Any, state: ExportedState) -> None:
    """Contacts of spheres with each other and, with the id -1, with walls."""
    contacts = contacts_of(state, walls=True)
    columns = {
        "id": (contacts.ids, ""),
        "force": (contacts.force, "N"),
        "branch": (contacts.branch, "m"),
        "normal_force": (contacts.normal_force, "N"),
        "shear_force": (contacts.shear_force, "N"),
        "overlap": (contacts.overlap, "m"),
    }
    group = book.require_group("repose/contacts")
    if "begin" not in group:
        group.create_dataset("begin", data=np.zeros(1, np.int64), maxshape=(None,), chunks=(256,))
    for name, (values, unit) in columns.items():
        if name not in group:
            rest = values.shape[1:]
            shape = {"shape": (0, *rest), "maxshape": (None, *rest), "chunks": (4096, *rest)}
            created = group.create_dataset(name, dtype=values.dtype, compression="gzip", compression_opts=1, **shape)
            if unit:
                created.attrs["unit"] = unit
        table = group[name]
        first = len(table)
        table.resize(first + len(values), axis=0)
        table[first:] = values
    begin = group["begin"]
    begin.resize((len(begin) + 1,))
    begin[-1] = begin[-2] + len(contacts.rows)


def _end(book: Any, state: ExportedState) -> None:
    """The measurements of the whole run, as H5MD observables."""
    times = state.series.get("time")
    for name, column in state.series.items():
        if name != "time" and times is not None:
            group = book.create_group(f"observables/{name}")
            group.create_dataset("value", data=column)
            group.create_dataset("time", data=times).attrs["unit"] = "s"
            group.create_dataset("step", data=np.arange(len(times)))
