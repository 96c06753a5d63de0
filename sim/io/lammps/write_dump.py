"""Dumps as LAMMPS writes them (`dump custom` and `dump local` of its manual), which OVITO reads too.

Numbers have 17 significant digits, which represent each number exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from repose.sim.io.export_text import Add, lines_of
from repose.sim.io.exported_state import ExportedState, contacts_of, grain_columns
from repose.sim.io.lammps.names import FORCE, IMAGE, POSITION, SPIN, UNITS, VELOCITY


@contextmanager
def dump(file: BinaryIO) -> Iterator[Add]:
    """A dump of LAMMPS with one frame per state; ids begin at 1, the type is the material + 1."""

    def add(state: ExportedState) -> None:
        world = state.world
        columns: dict[str, Any] = {"id": world.sphere_id + 1, "type": world.material + 1}
        columns |= dict(zip(POSITION, state.position.T))
        if any(state.periodic):
            columns |= dict(zip(IMAGE, state.images.T))
        columns |= dict(zip(VELOCITY, state.velocity.T))
        columns |= dict(zip(SPIN, state.spin.T))
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
        columns |= dict(zip(FORCE, contacts.force.T))
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
        *(("ITEM: UNITS", UNITS) if not file.tell() else ()),  # written once: otherwise OVITO finds one frame only
        *("ITEM: TIME", f"{state.time:.17g}", "ITEM: TIMESTEP", str(state.step)),
        *(f"ITEM: {counted}", str(len(next(iter(columns.values()))))),
        f"ITEM: BOX BOUNDS {' '.join('pp' if periodic else 'mm' for periodic in state.periodic)}",
        *(f"{a:.17g} {b:.17g}" for a, b in zip(low, high)),
        f"ITEM: {listed} {' '.join(columns)}",
        *lines_of(columns.values()),
    ]
    file.write(("\n".join(rows) + "\n").encode("ascii"))
