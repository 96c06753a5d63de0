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
"""Contacts whose law is evaluated together; 20 to 35 columns of 128 numbers stay in the first-level cache."""

CHUNK = 8 * BLOCK
"""Pairs one thread takes at a time; energies are summed by chunk, so that the sum does not know how many there are."""

BUFFER_ROWS = 40
"""Columns kept per block, in the largest case: three dimensions with rotation and materials (sim.blocks)."""

LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS = 0, 1, 2
"""Rows of `World.ledger`."""

(
    PAIR_COUNT,
    REBUILD_COUNT,
    STEP_COUNT,
    REBUILT_AT,
    PENDING,
    TOUCH_COUNT,
    MATERIAL_COUNT,
    COUNTER_COUNT,
) = range(8)
"""Entries of `World.counters`; TOUCH_COUNT is the length of the list of spheres near walls."""

MOVED, STATUS, CULPRIT, FOUND, TOUCHES, KEPT = range(6)
"""Entries of `Crew.tally`."""


class Pairs(NamedTuple):
    """Candidate pairs: every two spheres closer than touching + skin, i < j, sorted by i and then by j, capacity fixed.

    The order is one of rows, not of places: forces on a sphere add up in the same order wherever it lies, however the
    cells are laid and whoever adds. Rejected: one list per sphere (Box2D and most molecular-dynamics codes). A
    flat list costs a scatter but lets the compiler evaluate the law on a whole block at once, which is worth twice
    the speed.
    """

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    radius_sum: Floats
    """R_i + R_j [m], shape (capacity,)."""
    effective_mass: Floats
    """1/(1/m_i + 1/m_j) [kg], from the masses of both, fixed spheres included, shape (capacity,)."""
    held: NDArray[np.uint8]
    """1 if one of the two cannot move, else 0, shape (capacity,)."""
    effective_radius: Floats
    """1/(1/R_i + 1/R_j) [m], shape (capacity,)."""
    kind: NDArray[np.uint16]
    """Which pair of materials meets: material_i * material count + material_j, shape (capacity,)."""
    touching: NDArray[np.uint8]
    """1 if the pair was in contact at the last evaluation, else 0, shape (capacity,)."""
    anchor: Floats
    """Contact memory [m], shape (dimension, capacity). Without rotation the branch vector at first touch, dragged by
    slip; with rotation the tangential displacement itself, turned along with the pair."""
    normal_force: Floats
    """Normal force at the last evaluation, positive pushes apart [N], shape (capacity,)."""


class Walls(NamedTuple):
    """Walls of infinite mass, which move as they are told."""

    shape: NDArray[np.int64]
    """PLANE, FACET or CYLINDER (sim.walls), shape (walls,)."""
    corner: Floats
    """Plane: point, normal, unused. Facet: its corners, the last two the same for a line in the plane.
    Cylinder: point on the axis, direction of the axis, (radius, +1 inside or -1 outside, 0).
    Where the wall was at first [m], shape (walls, 3, dimension)."""
    velocity: Floats
    """[m/s], shape (walls, dimension)."""
    moved: Floats
    """How far it has moved since [m], shape (walls, dimension)."""
    material: NDArray[np.int64]
    """Shape (walls,)."""
    force: Floats
    """From the grains at the last evaluation [N], shape (walls, dimension)."""


class Touches(NamedTuple):
    """Spheres near walls: every sphere and wall closer than touching + skin, capacity fixed."""

    sphere: NDArray[np.uint32]
    wall: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    """As in `Pairs`, shape (capacity,)."""
    anchor: Floats
    """As in `Pairs`, with the place on the wall instead of the branch [m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""
    head: NDArray[np.int32]
    """First entry of each sphere, -1 if none, shape (spheres,)."""
    following: NDArray[np.int32]
    """Next entry of the same sphere, -1 at the end, shape (capacity,)."""
    gap: Floats
    """From the centre to the wall at this evaluation [m], shape (capacity,)."""
    normal: Floats
    """Towards the centre at this evaluation, shape (dimension, capacity)."""
    standing: NDArray[np.uint8]
    """APART, NEAR, COVERED or ACTS at this evaluation (sim.walls), shape (capacity,)."""
    acting: NDArray[np.uint32]
    """Entries that push at this evaluation, shape (capacity,)."""


class Aside(NamedTuple):
    """The list of pairs to be, while the old one is still needed, capacity as that of `Pairs`."""

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    """As found, in sections, one per thread."""
    sorted_j: NDArray[np.uint32]
    """Sorted by i and j, pairs found twice left out."""
    touching: NDArray[np.uint8]
    anchor: Floats
    normal_force: Floats
    """As in `Pairs`, and in its order."""


class Memory(NamedTuple):
    """What contacts with walls remember, standing aside while their list is made anew."""

    first: NDArray[np.uint32]
    second: NDArray[np.uint32]
    """Rows of sphere and wall."""
    anchor: Floats
    """[m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""
    head: NDArray[np.int32]
    """Entry of each sphere to begin with, -1 if none, shape (spheres,)."""
    following: NDArray[np.int32]
    """Next entry of the same sphere, -1 at the end, shape (capacity,)."""


class Search(NamedTuple):
    """Working storage of the neighbour search."""

    reference: Floats
    """Positions at the last rebuild [m], shape (dimension, count)."""
    wall_reference: Floats
    """How far the walls had moved then [m], shape (walls, dimension)."""
    skin: Floats
    """How far beyond touching a pair is listed [m], shape (1,); tuned to the state at each rebuild."""
    cell: NDArray[np.int64]
    """Cell coordinates of each sphere, shape (dimension, count)."""
    order: NDArray[np.uint32]
    """Sphere rows sorted by bucket, shape (count,)."""
    place: Floats
    """Positions and radii in that order [m], shape (dimension + 1, count)."""
    begin: NDArray[np.int32]
    """Where the pairs of each sphere as i begin in the list, shape (count + 1,)."""
    bucket_start: NDArray[np.int32]
    """Where each bucket begins in `order`, shape (buckets + 1,), buckets a power of two."""
    box: Floats
    """Of the wall at hand: lowest and highest corner of its box [m], normal, first corner [m], shape (4, dimension)."""
    box_cells: NDArray[np.int64]
    """First and last cell near the box, shape (2, dimension)."""


class Crew(NamedTuple):
    """What the threads share that step one world together; nothing of it lasts longer than a step.

    Each thread has its share of rows and of pairs. Alone, a thread adds the force of a pair to both spheres at once;
    together, forces are put down per pair and gathered by whoever has the sphere, in the same order.
    """

    gate: NDArray[np.int64]
    """How many have arrived, and, a cache line further, how often all have, shape (16,)."""
    tally: NDArray[np.int64]
    """What each has found, for all to read, a cache line each, shape (threads, 8)."""
    buffer: Floats
    """Columns of one block of pairs each, shape (threads, BUFFER_ROWS * BLOCK)."""
    chosen: NDArray[np.uint32]
    """Of the chunk at hand the pairs that touch: row in the list, i, j, shape (threads, 3, CHUNK)."""
    heat: Floats
    """Power taken up by damping and fed into friction springs, by chunk of the list [W], shape (2, chunks)."""
    push: Floats
    """Of each pair the force on i [N], with rotation its torque over the radius [N] and the law's own moment [N m],
    shape (capacity, dimension + 2 spin length); empty for one thread."""
    other: NDArray[np.uint32]
    """Pairs of each sphere as j, shape (capacity,); empty for one thread."""
    other_begin: NDArray[np.int32]
    """Where they begin, shape (count + 1,); empty for one thread."""


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
    material: NDArray[np.int64]
    """Row of the scene's table of materials, shape (count,)."""
    orientation: Floats
    """Unit quaternion (w, x, y, z) in space, angle in the plane in the first row, shape (4, count); kept up by
    `sim.orientation`, not by the step loop."""
    turned: Floats
    """Rotation coordinates when the orientation was last brought up [rad], shape (3, count)."""
    walls: Walls
    touches: Touches
    pairs: Pairs
    aside: Aside
    memory: Memory
    search: Search
    crew: Crew
    ledger: Floats
    """Energy taken up by damping, fed into friction springs, and put in by moving walls [J], in BLOCK partial sums
    that are never reset, so that the rounding does not depend on the batch size, shape (3, BLOCK)."""
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
        held=np.zeros(capacity, np.uint8),
        effective_radius=np.ones(capacity),
        kind=np.zeros(capacity, np.uint16),
        touching=np.zeros(capacity, np.uint8),
        anchor=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
    )


def empty_walls(count: int, dimension: int) -> Walls:
    """A table of walls to be filled in."""
    return Walls(
        shape=np.zeros(count, np.int64),
        corner=np.zeros((count, 3, dimension)),
        velocity=np.zeros((count, dimension)),
        moved=np.zeros((count, dimension)),
        material=np.zeros(count, np.int64),
        force=np.zeros((count, dimension)),
    )


def empty_touches(capacity: int, spheres: int, dimension: int) -> Touches:
    """An empty list of spheres near walls."""
    return Touches(
        sphere=np.zeros(capacity, np.uint32),
        wall=np.zeros(capacity, np.uint32),
        touching=np.zeros(capacity, np.uint8),
        anchor=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
        head=np.full(spheres, -1, np.int32),
        following=np.full(capacity, -1, np.int32),
        gap=np.zeros(capacity),
        normal=np.zeros((dimension, capacity)),
        standing=np.zeros(capacity, np.uint8),
        acting=np.zeros(capacity, np.uint32),
    )


def empty_aside(capacity: int, dimension: int) -> Aside:
    """Room for a list of pairs to be."""
    return Aside(
        i=np.zeros(capacity, np.uint32),
        j=np.zeros(capacity, np.uint32),
        sorted_j=np.zeros(capacity, np.uint32),
        touching=np.zeros(capacity, np.uint8),
        anchor=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
    )


def empty_crew(threads: int, capacity: int, spheres: int, width: int) -> Crew:
    """Room for so many threads to share; `width` numbers are put down per pair."""
    shared = capacity if threads > 1 else 0
    return Crew(
        gate=np.zeros(16, np.int64),
        tally=np.zeros((threads, 8), np.int64),
        buffer=np.zeros((threads, BUFFER_ROWS * BLOCK)),
        chosen=np.zeros((threads, 3, CHUNK), np.uint32),
        heat=np.zeros((2, capacity // CHUNK + 1)),
        push=np.zeros((shared, width)),
        other=np.zeros(shared, np.uint32),
        other_begin=np.zeros(spheres + 1 if threads > 1 else 0, np.int32),
    )


def empty_memory(capacity: int, spheres: int, dimension: int) -> Memory:
    """Room for what contacts with walls remember."""
    return Memory(
        first=np.zeros(capacity, np.uint32),
        second=np.zeros(capacity, np.uint32),
        anchor=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
        head=np.zeros(spheres, np.int32),
        following=np.zeros(capacity, np.int32),
    )


def copy_world(world: World) -> World:
    """An independent copy, bit by bit."""

    return copy.deepcopy(world)
