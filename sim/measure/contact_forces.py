"""Forces, friction springs and Coulomb limits of all contacts, for the picture."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World
from repose.sim.laws.material_columns import FRICTION

if TYPE_CHECKING:
    from repose.sim.engine.contacts.contact_table import (
        ContactTable,  # imports the compiler, which the window does not load at its start
    )


@dataclass(frozen=True)
class ContactForces:
    """One row per contact, liquid bridges included."""

    i: NDArray[np.int64]
    """Rows of the two spheres, shape (contacts,)."""
    j: NDArray[np.int64]
    """-1 for a wall."""
    point: Floats
    """Middle of the overlap [m], shape (contacts, dimension)."""
    normal: Floats
    """Unit vector from j to i, shape (contacts, dimension)."""
    overlap: Floats
    """[m], shape (contacts,)."""
    normal_force: Floats
    """Positive pushes apart [N], shape (contacts,)."""
    shear_force: Floats
    """On i [N], shape (contacts, dimension)."""
    shear: Floats
    """Displacement of the friction spring: of i relative to j since first touch, minus the part relaxed by sliding [m],
    shape (contacts, dimension); nan if unknown."""
    limit: Floats
    """Coulomb limit of the shear force [N], shape (contacts,); nan for a law without friction coefficient."""

    @property
    def mobilised(self) -> Floats:
        """Shear force over its limit [-], shape (contacts,); nan if the limit is zero."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share: Floats = np.linalg.norm(self.shear_force, axis=1) / np.where(self.limit > 0.0, self.limit, np.nan)
        return share

    def of_spheres(self, kept: NDArray[np.bool_]) -> ContactForces:
        """The contacts of the spheres in `kept`, numbered without the other spheres; other spheres that they touch
        become walls."""
        row = np.where(kept, np.cumsum(kept) - 1, -1)
        stays = kept[self.i]
        columns = {entry.name: getattr(self, entry.name)[stays] for entry in fields(self)}
        columns["j"] = np.where(columns["j"] >= 0, row[columns["j"]], -1)
        return ContactForces(**columns | {"i": row[columns["i"]]})


def contact_forces(world: World, table: ContactTable, law_parameters: Any, rotates: bool) -> ContactForces:
    """Forces, friction springs and limits of the contacts of a table; `law_parameters` are the numbers of the law."""
    normal, force = table.normal.T, table.force.T
    normal_force = np.einsum("nc,nc->n", force, normal)
    radius = world.radius[table.i]
    position = world.motion[: normal.shape[1], 0].T
    at_wall = wall_entries(world, table)
    return ContactForces(
        table.i,
        table.j,
        position[table.i] - (radius - 0.5 * table.overlap)[:, None] * normal,
        normal,
        table.overlap,
        normal_force,
        force - normal_force[:, None] * normal,
        shear_of(world, table, at_wall, rotates),
        coulomb_limit(world, table, at_wall, normal_force, law_parameters),
    )


def wall_entries(world: World, table: ContactTable) -> NDArray[np.intp] | None:
    """Entries of `World.wall_contacts` of the contacts with walls in the table, in the same order; None if contacts
    began or ended before the table was made."""
    touching = np.flatnonzero(world.wall_contacts.touching[: int(world.counters[WALL_CONTACT_COUNT])])
    return touching if touching.size == np.count_nonzero(table.j < 0) else None


def shear_of(world: World, table: ContactTable, entries: NDArray[np.intp] | None, rotates: bool) -> Floats:
    """Displacements of the friction springs [m], shape (contacts, dimension)."""
    pairs, walls, at_wall = world.pairs, world.wall_contacts, table.j < 0
    shear = np.full((table.i.size, table.normal.shape[0]), np.nan)
    count = int(world.counters[PAIR_COUNT])
    if count:
        key = pairs.i[:count].astype(np.int64) * world.sphere_count + pairs.j[:count]  # ascending
        entry = np.searchsorted(key, table.i[~at_wall] * world.sphere_count + table.j[~at_wall])
        springs = pairs.shear_spring[:, entry].T
        known = pairs.touching[entry, None] != 0
        shear[~at_wall] = np.where(known, springs if rotates else table.branch.T[~at_wall] - springs, np.nan)
    if entries is not None:
        springs, centre = walls.shear_spring[:, entries].T, world.motion[: shear.shape[1], 0].T[table.i[at_wall]]
        shear[at_wall] = springs if rotates else centre - world.walls.moved[walls.wall[entries]] - springs
    along = np.einsum("nc,cn->n", shear, table.normal)
    result: Floats = shear - along[:, None] * table.normal.T
    return result


def coulomb_limit(
    world: World, table: ContactTable, entries: NDArray[np.intp] | None, normal_force: Floats, law_parameters: Any
) -> Floats:
    """μ (F_n + F_c) [N], where F_c is the force of a liquid bridge, which presses the grains together; for a law with
    materials, μ is the friction of the two materials."""
    if hasattr(law_parameters, "table"):
        count, at_wall = math.isqrt(len(law_parameters.table)), table.j < 0
        other = world.material[np.where(at_wall, 0, table.j)].astype(np.int64)
        if entries is not None:
            other[at_wall] = world.walls.material[world.wall_contacts.wall[entries]]
        friction = law_parameters.table[world.material[table.i] * count + other, FRICTION]
        if entries is None:
            friction = np.where(at_wall, np.nan, friction)
    else:
        friction = getattr(law_parameters, "friction", math.nan)
    bridge = getattr(law_parameters, "pull_off_force", 0.0)
    limit: Floats = friction * np.maximum(normal_force + bridge, 0.0)
    return limit
