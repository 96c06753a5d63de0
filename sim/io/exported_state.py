"""A state to be exported, and its columns: one row per sphere, one row per contact, each named with its unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from repose.sim.engine.boundaries import images_of, in_cell, periodic_dimensions
from repose.sim.engine.world import LOWEST, PERIOD, Floats, World
from repose.sim.measure.colour_source import exported_colours
from repose.sim.measure.contact_sums import pushes

if TYPE_CHECKING:
    from repose.sim.engine.contacts.contact_table import (
        ContactTable,  # imports the compiler, which the window does not load at its start
    )

AXES = "xyz"


@dataclass(frozen=True)
class ExportedState:
    """A world with step, time, time step and origin."""

    world: World
    grains: World
    """The world in which what a machine moves is fixed."""
    step: int
    time: float
    """Simulated time [s]."""
    dt: float
    """Time step [s]."""
    series: Mapping[str, Floats]
    """Samples of the measurements by name, each shape (samples,), as in the plots."""
    find_contacts: Callable[[], ContactTable]
    """Evaluates all contacts; only formats with contacts call it."""
    velocity_shift: float = 0.0
    """Time by which stored velocities are ahead of positions [s]."""
    origin: Mapping[str, str] = field(default_factory=dict)
    """Program, scene, seed, time and parameters in words, by name."""

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.world.dimension)

    @property
    def position(self) -> Floats:
        """Centres [m], shape (spheres, 3), along a periodic dimension in the cell of the world; z is 0 in the plane."""
        return _in_space(in_cell(self.world.motion[: self.dimension, 0].T, self.world.boundary).T)

    @property
    def images(self) -> Any:
        """How many periods each sphere has left the cell, shape (spheres, 3): `position` and these periods are the
        unwrapped position, of which displacements are differences."""
        images = np.zeros((self.world.sphere_count, 3), np.int64)
        images[:, : self.dimension] = images_of(self.world.motion[: self.dimension, 0].T, self.world.boundary)
        return images

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Whether each of the three dimensions is periodic."""
        periodic = periodic_dimensions(self.world.boundary)
        return tuple(c in periodic for c in range(3))

    @property
    def velocity(self) -> Floats:
        """Velocities at the time of the positions [m/s], shape (spheres, 3)."""
        motion = self.world.motion[: self.dimension]
        return _in_space(motion[:, 1] - self.velocity_shift * motion[:, 2])

    @property
    def spin(self) -> Floats:
        """Spins at the time of the positions [rad/s], shape (spheres, 3); zero for spheres that do not rotate."""
        turning = self.world.motion[self.dimension :]
        spin = np.zeros((self.world.sphere_count, 3))
        now = turning[:, 1] - self.velocity_shift * turning[:, 2]
        spin[:, 3 - len(now) :] = now.T  # in the plane about z
        return spin

    @property
    def box(self) -> tuple[Floats, Floats]:
        """Lower and upper corner of the box around all spheres, along a periodic dimension of the cell of the world
        [m], shape (3,) each."""
        radius, centre, boundary = self.world.radius[:, None], self.position, self.world.boundary
        if not len(centre):
            return np.zeros(3), np.ones(3)
        low, high = (centre - radius).min(axis=0), (centre + radius).max(axis=0)
        for c in periodic_dimensions(boundary):
            low[c], high[c] = boundary[LOWEST, c], boundary[LOWEST, c] + boundary[PERIOD, c]
        return low, high


def _in_space(rows: Floats) -> Floats:
    """Rows x, y(, z), shape (dimension, count), as shape (count, 3)."""
    result = np.zeros((rows.shape[1], 3))
    result[:, : len(rows)] = rows.T
    return result


def grain_columns(state: ExportedState) -> dict[str, Any]:
    """One column per quantity, named with its unit, one row per sphere, fixed ones included."""
    world, dimension = state.world, state.dimension
    turning = len(world.motion) - dimension
    pushed = pushes(world)
    columns: dict[str, Any] = {"sphere_id": world.sphere_id, "fixed": world.fixed, "material": world.material}
    columns |= {f"{AXES[k]} [m]": state.position[:, k] for k in range(dimension)}
    columns |= {f"image {AXES[k]}": state.images[:, k] for k in range(dimension) if state.periodic[k]}
    columns |= {f"v{AXES[k]} [m/s]": state.velocity[:, k] for k in range(dimension)}
    columns |= {f"spin {AXES[k]} [rad/s]": state.spin[:, k] for k in range(3 - turning, 3)}
    columns |= {"radius [m]": world.radius, "mass [kg]": world.own_mass}
    columns |= {"normal force [N]": pushed.force, "contacts": pushed.contacts.astype(np.int64)}
    return columns | exported_colours(world, dimension)


@dataclass(frozen=True)
class ExportedContacts:
    """Contacts with ids in place of rows, walls last."""

    rows: Any
    """Rows of both spheres, -1 for a wall, shape (contacts, 2)."""
    ids: Any
    """Ids of both spheres, -1 for a wall, shape (contacts, 2)."""
    branch: Floats
    """x_i - x_j; at a wall from the nearest point of the wall to x_i [m], shape (contacts, 3)."""
    overlap: Floats
    """[m], shape (contacts,)."""
    force: Floats
    """On the first sphere [N], shape (contacts, 3)."""
    normal_force: Floats
    """Positive pushes apart [N], shape (contacts,)."""
    shear_force: Floats
    """Size of the tangential force [N], shape (contacts,)."""

    def columns(self) -> dict[str, Any]:
        """One column per quantity, named with its unit, one row per contact."""
        columns = {f"force {axis} [N]": self.force[:, k] for k, axis in enumerate(AXES)}
        return columns | {
            "normal force [N]": self.normal_force,
            "shear force [N]": self.shear_force,
            "overlap [m]": self.overlap,
        }


def ends_of(state: ExportedState, contacts: ExportedContacts) -> Floats:
    """Both centres of each contact [m], shape (contacts, 2, 3): that of the first sphere in the cell of the world, and
    the nearest image of that of the second one, or the nearest point of the wall."""
    ends: Floats = state.position[contacts.rows]
    moved = np.full(len(ends), any(state.periodic)) | (contacts.rows[:, 1] < 0)
    ends[moved, 1] = ends[moved, 0] - contacts.branch[moved]
    return ends


def contacts_of(state: ExportedState, walls: bool) -> ExportedContacts:
    """The contacts of spheres with each other, and with `walls` those of spheres with walls."""
    table = state.find_contacts()
    kept = np.flatnonzero(table.j >= 0)
    kept = np.concatenate([kept, np.flatnonzero(table.j < 0)]) if walls else kept
    rows = np.column_stack([table.i[kept], table.j[kept]])
    force, normal = _in_space(table.force[:, kept]), _in_space(table.normal[:, kept])
    along = (force * normal).sum(axis=1)
    return ExportedContacts(
        rows=rows,
        ids=np.where(rows >= 0, state.world.sphere_id[rows], -1),
        branch=_in_space(table.branch[:, kept]),
        overlap=table.overlap[kept],
        force=force,
        normal_force=along,
        shear_force=np.linalg.norm(force - along[:, None] * normal, axis=1),
    )
