"""The series of the selection: forces and place of the selected grain or contact since it was selected."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from repose.app.render.selection import contacts_of, forces_on, members_of, rows_of, selected_contact
from repose.app.storage.view_settings import View
from repose.sim.engine.boundaries import periodic_dimensions
from repose.sim.engine.world import PERIOD, Floats
from repose.sim.experiment.snapshot import Snapshot

LONGEST = 3000
"""Largest number of rows."""


@dataclass
class SelectionSeries:
    """One row per snapshot seen since the selection; rows at and after the time of an earlier snapshot are removed."""

    selected: tuple[int, ...] = ()
    run: tuple[object, ...] = ()
    """Scene, seed and log of the rows."""
    rows: list[tuple[float, ...]] = field(default_factory=list)
    """Time [s], two forces [N] (`forces_of`), place of the grain [m]."""
    boundary: Floats = field(default_factory=lambda: np.empty((2, 0)))
    """`ShownGeometry.boundary` of the rows."""

    def follow(self, snapshot: Snapshot, view: View) -> None:
        """Add the row of a snapshot."""
        run = (snapshot.run.scene, snapshot.run.seed, snapshot.history.logs)
        if (self.selected, self.run) != (view.selected, run):
            self.selected, self.run, self.rows = view.selected, run, []
        forces, rows = forces_of(snapshot, view), rows_of(snapshot, view.selected)
        self.boundary = snapshot.geometry.boundary
        while self.rows and self.rows[-1][0] >= snapshot.run.time:
            self.rows.pop()
        if forces is not None and rows is not None:
            position = snapshot.grains.position[members_of(snapshot, rows[0])].mean(axis=0)
            self.rows.append((snapshot.run.time, *forces, *position.tolist()))
            del self.rows[:-LONGEST]

    def table(self, most: int) -> Floats:
        """At most about `most` of the rows, evenly chosen, the last one included, shape (rows, 3 + dimension). In a
        periodic world the path goes on through the border, and ends at the grain in the cell."""
        stride = max(1, len(self.rows) // most)
        table = np.array(self.rows)
        for c in periodic_dimensions(self.boundary) if self.rows else ():
            path = np.unwrap(table[:, 3 + c], period=self.boundary[PERIOD, c])
            table[:, 3 + c] = path + (table[-1, 3 + c] - path[-1])
        return table[::-1][::stride][::-1]


def forces_of(snapshot: Snapshot, view: View) -> tuple[float, float] | None:
    """Normal and shear force of the selected contact, 0 while the contact is open; of a selected grain the sum of the
    magnitudes of its normal forces and the magnitude of its total force [N]. None before the forces are known."""
    forces, rows = snapshot.contacts.forces, rows_of(snapshot, view.selected)
    if forces is None or rows is None:
        return None
    if len(view.selected) == 2:
        contact = selected_contact(snapshot, view)
        if contact is None:
            return 0.0, 0.0
        return float(forces.normal_force[contact]), float(np.linalg.norm(forces.shear_force[contact]))
    members = members_of(snapshot, rows[0])
    near = contacts_of(snapshot, members)
    total = forces_on(forces, near, members).sum(axis=0)
    return float(np.abs(forces.normal_force[near]).sum()), float(np.linalg.norm(total))
