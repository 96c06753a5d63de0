"""Room to work in: what the step loop needs besides the state of spheres, contacts and walls.

Of all this only the reference positions and the skin last from step to step.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

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

ROUND, PATIENCE = 8, 9
"""Entries of `Crew.gate`, a cache line from the first, which counts who is there: how often all have met, and how long
a thread waits for the others [ms]."""
BROKEN = -(1 << 63)
"""The bit of `Crew.gate[ROUND]` that says that somebody has not come."""
LONGEST_ABSENCE = 60.0
"""Wall time a thread waits for the others [s]. Between two meetings there are microseconds of work: a thread that is
later than this does not run at all, however busy the machine."""

DEEP_RATIO, DEEP_STEP, DEEP_PLACE, DEEP_FIRST, DEEP_SECOND, DEEP_WALL = 0, 1, 2, 5, 6, 7
"""Entries of `World.deepest`, and of each row of `Crew.deepest`; the place takes three."""
DEEP_COUNT = 8


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
    unequal: Floats
    """(R_max + R_min)/R_min of all spheres, shape (1,): no overlap is a larger share of the smaller radius than so many
    times its share of R_i + R_j."""


class Crew(NamedTuple):
    """What the threads share that step one world together; nothing of it lasts longer than a step.

    Each thread has its share of rows and of pairs. Alone, a thread adds the force of a pair to both spheres at once;
    together, forces are put down per pair and gathered by whoever has the sphere, in the same order.
    """

    gate: NDArray[np.int64]
    """How many have arrived, and, a cache line further, ROUND and PATIENCE, shape (16,)."""
    tally: NDArray[np.int64]
    """What each has found, for all to read, a cache line each, shape (threads, 8)."""
    buffer: Floats
    """Columns of one block of pairs each, shape (threads, BUFFER_ROWS * BLOCK)."""
    chosen: NDArray[np.uint32]
    """Of the block at hand the pairs that touch: row in the list, i, j, shape (threads, 3, BLOCK)."""
    heat: Floats
    """Power taken up by damping and fed into friction springs, by chunk of the list [W], shape (2, chunks)."""
    deepest: Floats
    """The largest overlap each thread has found at this evaluation, among pairs and at walls, as `World.deepest` where
    it is larger than that, shape (2, threads, DEEP_COUNT)."""
    push: Floats
    """Of each pair the force on i [N], with rotation the torque on i and that on j [N m],
    shape (capacity, dimension + 2 spin length); empty for one thread."""
    other: NDArray[np.uint32]
    """Pairs of each sphere as j, shape (capacity,); empty for one thread."""
    other_begin: NDArray[np.int32]
    """Where they begin, shape (count + 1,); empty for one thread."""


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


def working_storage(
    threads: int, capacity: int, radius: Floats, walls: int, dimension: int, width: int, skin: Floats
) -> tuple[Aside, Search, Crew]:
    """Room for so many threads to step spheres of these radii and so many pairs, each putting `width` numbers down.

    Nothing has been listed yet. What is needed only while lists are made lies in the same memory as the forces put down
    per pair, which are needed only between two lists.
    """
    spheres = radius.size
    shared, gathered = (capacity, spheres + 1) if threads > 1 else (0, 0)
    (anchor, place, normal_force, cell, i, j, sorted_j, touching), (push,) = overlaid(
        [
            ((dimension, capacity), np.float64),
            ((dimension + 1, spheres), np.float64),
            ((capacity,), np.float64),
            ((dimension, spheres), np.int64),
            *[((capacity,), np.uint32)] * 3,
            ((capacity,), np.uint8),
        ],
        [((shared, width), np.float64)],
    )
    buckets = 1 << max(4, (2 * spheres - 1).bit_length())
    aside = Aside(i=i, j=j, sorted_j=sorted_j, touching=touching, anchor=anchor, normal_force=normal_force)
    search = Search(
        reference=np.full((dimension, spheres), np.inf),
        wall_reference=np.full((walls, dimension), np.inf),
        skin=skin,
        cell=cell,
        order=np.zeros(spheres, np.uint32),
        place=place,
        begin=np.zeros(spheres + 1, np.int32),
        bucket_start=np.zeros(buckets + 1, np.int32),
        box=np.zeros((4, dimension)),
        box_cells=np.zeros((2, dimension), np.int64),
        unequal=np.array([1.0 + radius.max() / radius.min() if spheres else 2.0]),
    )
    crew = Crew(
        gate=np.where(np.arange(16) == PATIENCE, round(1000 * LONGEST_ABSENCE), 0),
        tally=np.zeros((threads, 8), np.int64),
        buffer=np.ones((threads, BUFFER_ROWS * BLOCK + 8)),
        chosen=np.zeros((threads, 3, BLOCK), np.uint32),
        heat=np.zeros((2, capacity // CHUNK + 1)),
        deepest=np.zeros((2, threads, DEEP_COUNT)),
        push=push,
        other=np.zeros(shared, np.uint32),
        other_begin=np.zeros(gathered, np.int32),
    )
    return aside, search, crew


def empty_crew(threads: int) -> Crew:
    """What so many threads share where there are no spheres; none can step a world of 0 threads."""
    return working_storage(threads, 0, np.zeros(0), 0, 2, 0, np.zeros(1))[2]


def overlaid(*groups: list[tuple[tuple[int, ...], type]]) -> list[list[NDArray[Any]]]:
    """Tables of these shapes and types, empty, the groups in the same memory: no two of them are in use at once."""
    words = [[-(-math.prod(shape) * np.dtype(kind).itemsize // 8) for shape, kind in group] for group in groups]
    memory = np.zeros(max(map(sum, words)))
    return [
        [
            memory[end - size : end].view(kind)[: math.prod(shape)].reshape(shape)
            for (shape, kind), size, end in zip(group, sizes, itertools.accumulate(sizes), strict=True)
        ]
        for group, sizes in zip(groups, words, strict=True)
    ]
