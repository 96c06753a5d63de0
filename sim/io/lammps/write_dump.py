"""Dumps as LAMMPS writes them (`dump custom` and `dump local` of its manual), which OVITO reads too.

Numbers have 17 significant digits, which represent each number exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from repose.sim.io.export_text import Add, lines_of
from repose.sim.io.exported_state import ExportedContacts, ExportedState, contacts_of, ends_of, grain_columns
from repose.sim.io.lammps.names import FORCE, IMAGE, POSITION, SPIN, UNITS, VELOCITY

OF_CONTACTS = (*FORCE, "normal_force", "shear_force", "overlap")
"""Columns of forces and overlaps of contacts."""
OVITO_COLUMNS = ("Particle Identifiers.1", "Particle Identifiers.2", "Length", *OF_CONTACTS)
"""Properties of bonds in OVITO for the columns of `contact_dump`."""


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
    """A local dump of LAMMPS with the contacts of spheres; ids as in `dump`. The window of OVITO knows the names
    of the first three columns, both ids and the distance of the centres [m]. Its scripts map no column of a local dump
    by itself, whatever its name (tried with OVITO 3.17.2): they are given `OVITO_COLUMNS`."""

    def add(state: ExportedState) -> None:
        contacts = contacts_of(state, walls=False)
        columns = {"batom1": contacts.ids[:, 0] + 1, "batom2": contacts.ids[:, 1] + 1}
        columns["dist"] = np.linalg.norm(contacts.branch, axis=1)
        _write_frame(file, state, "NUMBER OF ENTRIES", "ENTRIES", columns | _forces(contacts, slice(None)))

    yield add


@contextmanager
def wall_contact_dump(file: BinaryIO) -> Iterator[Add]:
    """A dump of LAMMPS with the contacts of spheres with walls in place of atoms: the nearest point of the wall, the
    radius of the circle in which sphere and wall intersect [m], and the force on the sphere. A local dump names two
    spheres."""

    def add(state: ExportedState) -> None:
        contacts = contacts_of(state, walls=True)
        kept = contacts.rows[:, 1] < 0
        radius, overlap = state.world.radius[contacts.rows[kept, 0]], contacts.overlap[kept]
        columns: dict[str, Any] = {"id": np.arange(1, len(radius) + 1)}
        columns |= dict(zip(POSITION, ends_of(state, contacts)[kept, 1].T))
        columns |= {"radius": np.sqrt(np.maximum(overlap * (2.0 * radius - overlap), 0.0))}
        columns |= {"sphere_id": contacts.ids[kept, 0] + 1}
        _write_frame(file, state, "NUMBER OF ATOMS", "ATOMS", columns | _forces(contacts, kept))

    yield add


def _forces(contacts: ExportedContacts, rows: Any) -> dict[str, Any]:
    """Forces and overlaps of some contacts."""
    others = contacts.normal_force[rows], contacts.shear_force[rows], contacts.overlap[rows]
    return dict(zip(OF_CONTACTS, (*contacts.force[rows].T, *others)))


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
