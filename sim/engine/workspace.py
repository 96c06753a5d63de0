"""Room to work in: what the step loop needs besides the state of spheres, contacts and walls.

Of all this only the reference positions and the skin last from step to step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCK = 128
"""Contacts whose law is evaluated together; 20 to 35 columns of 128 numbers stay in the first-level cache."""

CHUNK = 8 * BLOCK
"""Pairs one thread takes at a time; energies are summed by chunk, so that the sum does not know how many there are."""

BUFFER_ROWS = 40
"""Columns kept per block, in the largest case: three dimensions with rotation and materials (repose.sim.engine.contacts.pair_blocks)."""

MOVED, STATUS, CULPRIT, FOUND, TOUCHES, KEPT = range(6)
"""Entries of `Crew.tally`."""


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
    sorted_sphere: NDArray[np.uint32]
    sorted_wall: NDArray[np.uint32]
    """The list to be, while it is sorted, shape (capacity,)."""


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
    """Of the block at hand the pairs that touch: row in the list, i, j, shape (threads, 3, BLOCK)."""
    heat: Floats
    """Power taken up by damping and fed into friction springs, by chunk of the list [W], shape (2, chunks)."""
    push: Floats
    """Of each pair the force on i [N], with rotation the torque on i and that on j [N m],
    shape (capacity, dimension + 2 spin length); empty for one thread."""
    other: NDArray[np.uint32]
    """Pairs of each sphere as j, shape (capacity,); empty for one thread."""
    other_begin: NDArray[np.int32]
    """Where they begin, shape (count + 1,); empty for one thread."""


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
        buffer=np.ones((threads, BUFFER_ROWS * BLOCK + 8)),
        chosen=np.zeros((threads, 3, BLOCK), np.uint32),
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
        sorted_sphere=np.zeros(capacity, np.uint32),
        sorted_wall=np.zeros(capacity, np.uint32),
    )


def empty_search(count: int, walls: int, dimension: int, skin: Floats) -> Search:
    """Room to search neighbours of so many spheres; nothing has been listed yet."""
    buckets = 1 << max(4, (2 * count - 1).bit_length())
    return Search(
        reference=np.full((dimension, count), np.inf),
        wall_reference=np.full((walls, dimension), np.inf),
        skin=skin,
        cell=np.zeros((dimension, count), np.int64),
        order=np.zeros(count, np.uint32),
        place=np.zeros((dimension + 1, count)),
        begin=np.zeros(count + 1, np.int32),
        bucket_start=np.zeros(buckets + 1, np.int32),
        box=np.zeros((4, dimension)),
        box_cells=np.zeros((2, dimension), np.int64),
    )
