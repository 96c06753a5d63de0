"""The selected grain or contact in a snapshot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import Size
from repose.app.render.orbit import Camera
from repose.app.render.picking import sphere_at
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces

WALL = -1
"""Second id of a contact with a wall."""
CLOSE = 0.35
"""Distance from a contact within which a click selects it, not the grain [radii of the grain]."""


def rows_of(snapshot: Snapshot, ids: Sequence[int]) -> list[int] | None:
    """Rows of the selected spheres, without a wall; None if a sphere has left, or none is selected."""
    matches = [np.flatnonzero(snapshot.grains.sphere_id == sphere) for sphere in ids if sphere != WALL]
    return [int(rows[0]) for rows in matches] if matches and all(rows.size for rows in matches) else None


def members_of(snapshot: Snapshot, row: int) -> list[int]:
    """Rows of the spheres of the grain to which a sphere belongs: those of its rigid body, or its own row."""
    body = snapshot.grains.body[row]
    return np.flatnonzero(snapshot.grains.body == body).tolist() if body >= 0 else [row]


def contacts_of(snapshot: Snapshot, rows: list[int]) -> NDArray[np.intp]:
    """Contacts in `Snapshot.forces` of a grain, whose spheres have these rows, with other grains and walls."""
    forces = snapshot.contacts.forces
    if forces is None:
        return np.zeros(0, np.intp)
    return np.flatnonzero(np.isin(forces.i, rows) != np.isin(forces.j, rows))


def forces_on(forces: ContactForces, near: NDArray[np.intp], rows: list[int]) -> NDArray[np.float64]:
    """Forces on a grain from its contacts [N], shape (contacts, dimension)."""
    force = forces.normal_force[near, None] * forces.normal[near] + forces.shear_force[near]
    on_grain: NDArray[np.float64] = np.where(np.isin(forces.i[near], rows)[:, None], force, -force)
    return on_grain


def selected_contact(snapshot: Snapshot, view: View) -> int | None:
    """The selected contact in `Snapshot.forces`; None if no contact is selected, or the two do not touch now."""
    rows, forces = rows_of(snapshot, view.selected), snapshot.contacts.forces
    if len(view.selected) != 2 or rows is None or forces is None:
        return None
    if view.selected[1] == WALL:
        matches = np.flatnonzero((forces.i == rows[0]) & (forces.j < 0))
    else:
        low, high = sorted(rows)
        matches = np.flatnonzero((np.minimum(forces.i, forces.j) == low) & (np.maximum(forces.i, forces.j) == high))
    return int(matches[0]) if matches.size else None


def selection_at(
    snapshot: Snapshot, view: View, camera: Camera, size: Size, pixel: Sequence[float], reach: float
) -> tuple[int, ...]:
    """Ids that a click on a pixel selects: the close contact of the grain there, else the grain, else nothing."""
    row = sphere_at(snapshot, view, camera, size, pixel, reach)
    if row is None:
        return ()
    ids, forces = snapshot.grains.sphere_id, snapshot.contacts.forces
    near = contacts_of(snapshot, [row])
    if forces is not None and near.size:
        places = camera.world_to_pixel(forces.point[near], size)
        rim = camera.world_to_pixel(snapshot.grains.position[row], size)
        distance = np.linalg.norm(places - np.asarray(pixel), axis=1)
        # All contacts are on the rim: the farthest one from the centre is seen at its full distance.
        radius = np.nanmax(np.linalg.norm(places - rim, axis=1))
        best = int(np.nanargmin(distance))
        if distance[best] <= max(CLOSE * radius, reach):
            i, j = int(forces.i[near[best]]), int(forces.j[near[best]])
            return int(ids[i]), int(ids[j]) if j >= 0 else WALL
    return (int(ids[row]),)
