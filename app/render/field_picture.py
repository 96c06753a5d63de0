"""The stress field to draw: which component, how smooth, in which plane, and the range of its colours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import Colouring, Ranges, to_round
from repose.app.render.cutaway import Plane
from repose.app.storage.view_settings import View
from repose.sim.engine.boundaries import images_beside, nearest_image
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.contact_forces import ContactForces
from repose.sim.measure.packing import UNIT
from repose.sim.measure.stress import stress_unit
from repose.sim.measure.stress_field import BEYOND, StressGrid, grid_over, kinetic_stress, smoothed, stress_field
from repose.sim.message import Message, _, with_prefix

MOST_POINTS = 16_000
"""Largest number of points of the field: each is drawn in every frame."""
EMPTY, FILLED = 0.08, 0.2
"""Smoothed packing fraction below which the field is invisible, and from which on it is opaque [-]."""
LOWEST = 0.05
"""Share of the largest stress by which stresses must be negative for the range of the colours to begin below zero."""


def _pressure(stress: Floats, axes: tuple[int, int]) -> Floats:
    result: Floats = np.einsum("aaij->ij", stress) / len(stress)
    return result


def _largest_shear(stress: Floats, axes: tuple[int, int]) -> Floats:
    values = np.linalg.eigvalsh(np.moveaxis(0.5 * (stress + stress.swapaxes(0, 1)), (0, 1), (-2, -1)))
    result: Floats = 0.5 * (values[..., -1] - values[..., 0])
    return result


def _horizontal(stress: Floats, axes: tuple[int, int]) -> Floats:
    result: Floats = stress[axes[0], axes[0]]
    return result


def _vertical(stress: Floats, axes: tuple[int, int]) -> Floats:
    result: Floats = stress[-1, -1]
    return result


@dataclass(frozen=True)
class Component:
    """One number of the stress tensor."""

    title: Message
    symbol: str
    of: Callable[[Floats, tuple[int, int]], Floats]
    """of(stress, axes of the plane) -> its value at every point of the grid."""


COMPONENTS = {
    "pressure": Component(_("Pressure"), "P", _pressure),
    "shear": Component(_("Largest shear stress"), "τ", _largest_shear),
    "vertical": Component(_("Vertical stress"), "σ_v", _vertical),
    "horizontal": Component(_("Horizontal stress"), "σ_h", _horizontal),
}
"""Components to choose from, by the name in `View.stress_component`."""


@dataclass(frozen=True)
class FieldPicture:
    """A field on a grid."""

    grid: StressGrid
    values: Floats
    """[Pa; in the plane N/m], shape `grid.shape`."""
    filled: Floats
    """Opacity, 0 where there are no grains, shape `grid.shape`."""
    colouring: Colouring
    span: tuple[float, float]
    """Range of the colours [Pa; in the plane N/m]."""


def means_of_grains(snapshot: Snapshot, values: NDArray[Any]) -> Floats:
    """A vector of every sphere, such as its position, averaged over the grain that the sphere belongs to, shape (count,
    dimension).

    Of a rigid body the mean of its members, weighted by their volumes: nearly that of its centre of mass. The choice of
    the centre does not change the stress of bodies in equilibrium without weight.
    """
    values = values.astype(np.float64)
    loose = snapshot.grains.body < 0
    if loose.all() or not len(snapshot.grains.body):
        return values
    body = np.where(loose, 0, snapshot.grains.body)
    volume = np.where(loose, 0.0, snapshot.grains.radius.astype(np.float64) ** values.shape[1])
    total = np.bincount(body, volume)
    sums = np.stack([np.bincount(body, volume * column) for column in values.T], axis=1)
    return np.where(loose[:, None], values, sums[body] / np.maximum(total[body], np.finfo(float).tiny)[:, None])


def stress_of_motion(snapshot: Snapshot, width: float, grid: StressGrid) -> Floats:
    """The kinetic part of the stress: every grain once, at its centre."""
    grains = np.isfinite(snapshot.grains.mass) & np.isfinite(snapshot.grains.position).all(axis=1)
    grains &= np.isfinite(snapshot.grains.velocity).all(axis=1)
    if len(snapshot.grains.body):
        _, first = np.unique(snapshot.grains.body, return_index=True)
        grains &= (snapshot.grains.body < 0) | np.isin(np.arange(len(grains)), first)
    position, velocity = (
        means_of_grains(snapshot, column)[grains] for column in (snapshot.grains.position, snapshot.grains.velocity)
    )
    mass = snapshot.grains.mass[grains, None].astype(np.float64)
    position, (velocity, mass) = with_images(snapshot, position, (velocity, mass), width)
    return kinetic_stress(position, velocity, mass[:, 0], width, grid)


def with_images(
    snapshot: Snapshot, position: Floats, columns: tuple[Floats, ...], width: float
) -> tuple[Floats, tuple[Floats, ...]]:
    """Positions [m] and columns with rows for them, and those of their images beside the cell of a periodic world that
    reach into it; `width` [m] is that of the field."""
    reach = BEYOND * width + 2.0 * float(snapshot.grains.radius.max(initial=0.0))
    rows, places = images_beside(position, snapshot.geometry.boundary, reach)
    if not len(rows):
        return position, columns
    return np.concatenate((position, places)), tuple(np.concatenate((column, column[rows])) for column in columns)


def branches(snapshot: Snapshot, forces: ContactForces) -> tuple[Floats, Floats]:
    """Centre of the grain i [m] and branch from j to i of every contact, each shape (contacts, dimension)."""
    centre = means_of_grains(snapshot, snapshot.grains.position)
    end = centre[forces.i]
    other = nearest_image(end, centre[forces.j], snapshot.geometry.boundary)
    return end, end - np.where((forces.j >= 0)[:, None], other, forces.point)


def in_periodic_cell(snapshot: Snapshot, c: int, place: Floats) -> NDArray[np.bool_]:
    """Whether coordinates along dimension c [m] are in the cell of the world; all are along an open dimension."""
    boundary = snapshot.geometry.boundary
    if not boundary.size or boundary[1, c] == 0.0:
        return np.ones(place.shape, bool)
    return np.asarray((place >= boundary[0, c]) & (place <= boundary[0, c] + boundary[1, c]))


def field_picture(snapshot: Snapshot, view: View, plane: Plane, ranges: Ranges) -> FieldPicture | None:
    """The field of a snapshot; in space in the plane of the cut. None before the forces are known, and where no grains
    touch."""
    forces, dimension = snapshot.contacts.forces, snapshot.grains.position.shape[1]
    moving = ~snapshot.grains.fixed & np.isfinite(snapshot.grains.position).all(axis=1)
    if forces is None or not moving.any():
        return None
    end, branch = branches(snapshot, forces)
    force = forces.normal_force[:, None] * forces.normal + forces.shear_force
    known = np.isfinite(end).all(axis=1) & np.isfinite(branch).all(axis=1) & np.isfinite(force).all(axis=1)
    if not known.any():
        return None
    end, branch, force = end[known], branch[known], force[known]
    radius = snapshot.grains.radius[moving].astype(np.float64)
    width = view.stress_width * 2.0 * float(radius.mean())
    axes, across = (0, 1), math.nan
    if dimension == 3:
        normal = int(np.argmax(np.abs(plane[:3])))
        axes = (1, 2) if normal == 0 else (0, 2) if normal == 1 else (0, 1)
        across = -plane[3] / plane[normal]
    corners = np.concatenate((end, end - branch))[:, list(axes)]
    grid = grid_over(corners.min(axis=0), corners.max(axis=0), width, axes, across, MOST_POINTS)
    end, (branch, force) = with_images(snapshot, end, (branch, force), width)
    chosen = COMPONENTS.get(view.stress_component, COMPONENTS["pressure"])
    stress = stress_field(end, branch, force, width, grid) + stress_of_motion(snapshot, width, grid)
    values = chosen.of(stress, axes)
    position = snapshot.grains.position[moving].astype(np.float64)
    position, (volume,) = with_images(snapshot, position, (UNIT[dimension] * radius[:, None] ** dimension,), width)
    fraction = smoothed(position, volume, width, grid)[0]
    filled = np.clip((fraction - EMPTY) / (FILLED - EMPTY), 0.0, 1.0)
    for axis, place in enumerate(grid.places):  # beyond the border the field is that of some images only
        filled *= np.expand_dims(in_periodic_cell(snapshot, axes[axis], place), 1 - axis)
    inside = values[filled > 0.5]
    if not inside.size:
        return None
    high = max(float(np.percentile(inside, 99.0)), float(np.finfo(np.float32).tiny))
    low = float(np.percentile(inside, 1.0))
    wanted = to_round((0.0, high), snapshot)
    if low < -LOWEST * high:
        wanted = -to_round((0.0, -low), snapshot)[1], wanted[1]
    label = Message("{title}, width {width}", title=chosen.title, width=with_prefix(width, "m", 2))
    name = f"stress {view.stress_component} {view.stress_width}"
    colouring = Colouring(name, label, chosen.symbol, stress_unit(dimension), "continuous", lambda values, shot: wanted)
    span = wanted if view.range_follows else ranges.held(name, wanted, snapshot)
    return FieldPicture(grid, values, filled, colouring, span)
