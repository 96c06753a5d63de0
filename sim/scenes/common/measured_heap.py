"""Whether a heap is still the one that was measured: the one rule by which its measurement becomes outdated.

The rule compares states and not commands: any cause (a tilt, a tool of the mouse, a parameter, grains that slide)
counts once gravity, walls, the number of grains or the position of a measured grain differ. It changes no state.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats, World
from repose.sim.experiment.experiment import Experiment
from repose.sim.message import EMPTY, Message, _, plural

MOVED = 0.05
"""Displacement from which a measured grain has moved [radii]. Grains at rest move by less than 1e-4 radii, and the
elastic change of a heap when stiffness or gravity changes a little is of the same order."""


@dataclass(frozen=True)
class MeasuredHeap:
    """A heap when it was measured. Checkpoints share it, because it never changes."""

    poured: int
    removed: int
    gravity: tuple[float, ...]
    """In the frame of the table [m/s²]."""
    walls: int
    """Checksum of the walls at their positions; fixed spheres are not among them."""
    sphere_id: tuple[int, ...]
    """Ids of the measured grains, ascending."""
    position: tuple[tuple[float, ...], ...]
    """Their centres [m]."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def note_measured(experiment: Experiment, sphere_id: Iterable[int]) -> None:
    """Store the present heap as the measured one, with the grains that determine the measurement."""
    run = experiment.run
    ids = np.unique(np.fromiter(sphere_id, np.int64))
    run.state.measured = MeasuredHeap(
        run.state.poured,
        run.state.removed,
        experiment.engine.gravity,
        _checksum(run.world),
        tuple(ids.tolist()),
        tuple(map(tuple, _positions(run.world, experiment.scene.model.dimension, ids)[1].tolist())),
    )


def change_since_measured(experiment: Experiment) -> Message:
    """The first change of the heap since its measurement, in words such as "before the tilt"; empty if there is no
    change or no measurement."""
    run = experiment.run
    measured: MeasuredHeap | None = run.state.measured
    if measured is None:
        return EMPTY
    if experiment.engine.gravity != measured.gravity:
        before, now = math.hypot(*measured.gravity), math.hypot(*experiment.engine.gravity)
        turned = math.isclose(before, now, rel_tol=1e-9)
        return _("before the tilt") if turned else _("before the change of gravity")
    if run.state.poured != measured.poured:
        return _("before grains were added")
    if run.state.removed != measured.removed:
        return _("before grains left")
    if _checksum(run.world) != measured.walls:
        return _("before the change of the walls")
    rows, now_at = _positions(run.world, experiment.scene.model.dimension, np.array(measured.sphere_id, np.int64))
    if len(rows) < len(measured.sphere_id):
        return _("before grains left")
    path = np.sqrt(((now_at - np.reshape(measured.position, now_at.shape)) ** 2).sum(axis=1))
    moved = int((path > MOVED * run.world.radius[rows]).sum())
    return plural("before {count} grain moved", "before {count} grains moved", count=moved) if moved else EMPTY


def measured_flaw(measured: MeasuredHeap | None) -> bool:
    """Whether a measured heap read from a file is impossible."""
    if measured is None:
        return False
    places, dimension = measured.position, len(measured.gravity)
    return (
        dimension not in (2, 3)
        or [len(position) for position in places] != [dimension] * len(measured.sphere_id)
        or not all(math.isfinite(x) for position in (measured.gravity, *places) for x in position)
        or not all(0 <= number < 2**53 for number in measured.sphere_id)
    )


def _checksum(world: World) -> int:
    return zlib.crc32((world.walls.corner + world.walls.moved[:, None, :]).tobytes())


def _positions(world: World, dimension: int, sphere_id: NDArray[np.int64]) -> tuple[NDArray[np.intp], Floats]:
    """Rows of the spheres with these ascending ids that still exist, in this order, and their centres [m]."""
    rows = np.searchsorted(world.sphere_id, sphere_id)  # rows are in the order of ids
    rows = rows[np.append(world.sphere_id, -1)[rows] == sphere_id]
    return rows, world.motion[:dimension, 0, rows].T
