"""World: all tables of one running system, as flat arrays that compiled code can step.

Rows are spheres or candidate pairs; a row index is not an identity, `sphere_id` is. A sphere that
does not move has mobility 0 and is nothing special otherwise: no table says which kind a sphere is.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 128
"""Pairs whose law is evaluated together; 20 columns of 128 numbers stay in the first-level cache."""

BUFFER_ROWS = 40
"""Columns the contact loop keeps per block, in the largest case (three dimensions with rotation)."""

LEDGER_DAMPING, LEDGER_FRICTION = 0, 1
"""Rows of `World.ledger`."""

PAIR_COUNT, REBUILD_COUNT, STEP_COUNT, REBUILT_AT, PENDING, COUNTER_COUNT = range(6)
"""Entries of `World.counters`."""


class Pairs(NamedTuple):
    """Candidate pairs: every two spheres closer than touching + skin, i < j, capacity fixed.

    Rejected: one list per sphere (Box2D and most molecular-dynamics codes). A flat list costs a scatter
    but lets the compiler evaluate the law on a whole block at once, which is worth twice the speed.
    """

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    radius_sum: Floats
    """R_i + R_j [m], shape (capacity,)."""
    effective_mass: Floats
    """1/(1/m_i + 1/m_j) [kg], from the masses of both, fixed spheres included, shape (capacity,)."""
    held: Floats
    """1.0 if one of the two cannot move, else 0.0, shape (capacity,)."""
    touching: Floats
    """1.0 if the pair was in contact at the last evaluation, else 0.0, shape (capacity,)."""
    anchor: Floats
    """Branch vector at first touch, dragged by slip [m], shape (dimension, capacity)."""
    normal_force: Floats
    """Normal force at the last evaluation, positive pushes apart [N], shape (capacity,)."""


class Search(NamedTuple):
    """Working storage of the neighbour search."""

    reference: Floats
    """Positions at the last rebuild [m], shape (dimension, count)."""
    skin: Floats
    """How far beyond touching a pair is listed [m], shape (1,); tuned to the state at each rebuild."""
    cell: NDArray[np.int64]
    """Cell coordinates of each sphere, shape (dimension, count)."""
    order: NDArray[np.int64]
    """Sphere rows sorted by bucket, shape (count,)."""
    bucket_start: NDArray[np.int64]
    """Where each bucket begins in `order`, shape (buckets + 1,), buckets a power of two."""
    chain_head: NDArray[np.int64]
    """First touching old pair of each sphere, -1 if none, shape (count,)."""
    chain_next: NDArray[np.int64]
    """Next touching old pair of the same sphere, shape (capacity,)."""


class World(NamedTuple):
    """Everything one step reads and writes."""

    motion: Floats
    """Time derivatives of the coordinates, shape (coordinates, levels, count): level 0 position
    [m or rad], 1 velocity [m/s or rad/s], 2 acceleration, and what the integrator keeps beyond.
    Coordinates are x, y(, z) and then the rotation, of length 0, 1 or 3."""
    force: Floats
    """Force [N] and torque [N m] on each coordinate, shape (coordinates, count)."""
    mobility: Floats
    """1/mass [1/kg] and 1/inertia [1/(kg m²)], 0 for what cannot move, shape (coordinates, count)."""
    mass: Floats
    """[kg], shape (count,); fixed spheres have one too: it enters the effective mass (thesis)."""
    radius: Floats
    """[m], shape (count,)."""
    sphere_id: NDArray[np.int64]
    """Identity, never reused within a run, shape (count,)."""
    layer: NDArray[np.int64]
    """Layer the sphere was poured in, -1 for spheres of walls and base, shape (count,)."""
    pairs: Pairs
    old_pairs: Pairs
    """Where the pairs stand aside while the list is rebuilt."""
    search: Search
    buffer: Floats
    """Columns of one block of pairs, flat, shape (BUFFER_ROWS * BLOCK,)."""
    ledger: Floats
    """Energy taken up by damping and by friction springs [J], in BLOCK partial sums that are never
    reset, so that the rounding does not depend on the batch size, shape (2, BLOCK)."""
    counters: NDArray[np.int64]
    """Shape (COUNTER_COUNT,)."""

    @property
    def sphere_count(self) -> int:
        """Rows of the sphere tables."""
        return int(self.radius.size)

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """True for spheres that cannot move, shape (count,)."""
        held: NDArray[np.bool_] = self.mobility[0] == 0.0
        return held


def empty_pairs(capacity: int, dimension: int) -> Pairs:
    """An empty pair table."""
    return Pairs(
        i=np.zeros(capacity, np.uint32),
        j=np.zeros(capacity, np.uint32),
        radius_sum=np.zeros(capacity),
        effective_mass=np.ones(capacity),
        held=np.zeros(capacity),
        touching=np.zeros(capacity),
        anchor=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
    )


def copy_world(world: World) -> World:
    """An independent copy, bit by bit."""

    return copy.deepcopy(world)
