"""Working storage of the step loop, besides the state of spheres, contacts and walls.

Only the reference positions and the skin are kept from step to step.
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

LANES = 8
"""Candidates compared at once (repose.sim.engine.neighbours.lanes). Tables of candidates have so many entries more,
which are read or written but not used."""

CHUNK = 8 * BLOCK
"""Pairs per chunk of work; energies are summed by chunk, so that the sum does not depend on the number of threads."""

LINE = 8
"""Numbers in a cache line: tables that are read as vectors have so many entries more, and begin at a line."""

GROUP = 4
"""Numbers of the row of a sphere that are read as one vector (repose.sim.engine.contacts.sphere_rows)."""

LARGE = 3.0
"""Radius above which a sphere has cells of its own, in units of the geometric mean radius [-]."""

BUFFER_ROWS = 41
"""Columns of a block in the largest case: three dimensions with rotation and materials
(repose.sim.engine.contacts.pair_blocks)."""

MOVED, STATUS, CULPRIT, FOUND, WALL_LIST_FITS, KEPT = range(6)
"""Columns of `Threads.thread_status`: whether a sphere moved half the skin; status and row of the sphere concerned, of
thread 0; number of pairs found, and kept after sorting; whether the list of contacts with walls fits."""

ARRIVED, ROUND, WAIT_LIMIT = 0, 8, 9
"""Entries of `Threads.barrier`: threads that have arrived; a cache line further the number of times all have met, and
the longest time a thread waits [ms]."""
BROKEN = -(1 << 63)
"""Bit of `Threads.barrier[ROUND]` that says that a thread has not arrived."""
LONGEST_WAIT = 60.0
"""Wall time a thread waits for the others [s]. Between two barriers there are microseconds of work: a thread that is
later than this does not run at all, however busy the machine."""

OVERLAP_RATIO, OVERLAP_STEP, OVERLAP_POINT, OVERLAP_FIRST, OVERLAP_SECOND, OVERLAP_WALL = 0, 1, 2, 5, 6, 7
"""Entries of `World.largest_overlap`, and of each row of `Threads.largest_overlap`; the place takes three."""
OVERLAP_COLUMNS = 8


class PairBuffer(NamedTuple):
    """The new pair list while it is collected, in sections, one per thread."""

    found: NDArray[np.uint32]
    """Second spheres of pairs, as found."""
    j: NDArray[np.uint32]
    """Sorted by i and j, pairs found twice left out."""
    touching: NDArray[np.uint8]
    shear_spring: Floats
    """As in `Pairs`, and in the order of `j`. Normal forces are computed anew before anything reads them."""


class WallBuffer(NamedTuple):
    """Buffer for rebuilding the list of contacts with walls."""

    first: NDArray[np.uint32]
    second: NDArray[np.uint32]
    """Rows of sphere and wall."""
    shear_spring: Floats
    """[m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""
    head: NDArray[np.int32]
    """Entry of each sphere to begin with, -1 if none, shape (spheres,)."""
    following: NDArray[np.int32]
    """Next entry of the same sphere, -1 at the end, shape (capacity,)."""
    sorted_sphere: NDArray[np.uint32]
    sorted_wall: NDArray[np.uint32]
    """The new list while it is sorted, shape (capacity,)."""


class Search(NamedTuple):
    """Working storage of the neighbour search."""

    reference: Floats
    """Positions at the last rebuild [m], shape (dimension, count)."""
    wall_reference: Floats
    """How far the walls had moved then [m], shape (walls, dimension)."""
    skin: Floats
    """How far beyond the reach of the law a pair is listed [m], shape (1,); tuned to the state at each rebuild."""
    reach: Floats
    """How far beyond touching the law acts, as the lists allow for [m], shape (1,); 0 for a contact law."""
    cell: NDArray[np.int64]
    """Cell coordinates of each sphere, shape (dimension, count)."""
    order: NDArray[np.uint32]
    """Sphere rows sorted by bucket, shape (count + LANES,)."""
    place: Floats
    """Positions and radii in that order [m], shape (dimension + 1, count + LANES)."""
    begin: NDArray[np.int32]
    """Where the pairs of each sphere as i begin in the list, shape (count + 1,)."""
    new_begin: NDArray[np.int32]
    """The same for the new list, in its buffer, shape (count,)."""
    bucket_start: NDArray[np.int32]
    """Where each bucket begins in `order`, shape (buckets + 1,), buckets a power of two."""
    large_start: NDArray[np.int32]
    """The same for the cells of large spheres, which follow the others in `order`; empty where no sphere is large."""
    large: Floats
    """Radius above which a sphere is large [m], shape (1,)."""
    box: Floats
    """Of the present wall: lowest and highest corner of its box [m], normal, first corner [m], shape (4, dimension)."""
    box_cells: NDArray[np.int64]
    """First and last cell near the box, shape (2, dimension)."""
    body: NDArray[np.int32]
    """Row of the body that each sphere is a member of, -1 for a loose sphere, shape (count,): members of one body do
    not touch each other."""


class Threads(NamedTuple):
    """What the threads that step one world share; nothing of it is kept from step to step.

    Each thread has its share of rows and of pairs. The first adds the force of a pair to both spheres at once; the
    others, whose pairs come later in the list, write forces per pair, which are then added in the same order.
    """

    barrier: NDArray[np.int64]
    """ARRIVED, ROUND and WAIT_LIMIT, shape (16,)."""
    thread_status: NDArray[np.int64]
    """What each thread reports to the others, one cache line per thread, shape (threads, 8)."""
    buffer: Floats
    """Columns of one block of pairs each, shape (threads, BUFFER_ROWS * BLOCK + 8). Contacts that only fill a block are
    evaluated with what is there: all numbers are finite, radii, masses and materials positive."""
    chosen: NDArray[np.uint32]
    """Touching pairs of the present block: row in the list, i, j, shape (threads, 3, BLOCK)."""
    heat: Floats
    """Power taken up by damping, fed into friction springs, and lost by them as their stiffness changes, by chunk of
    the list [W], shape (3, chunks)."""
    largest_overlap: Floats
    """The largest overlap each thread has found at this evaluation, among pairs and at walls, as
    `World.largest_overlap` where it is larger than that, shape (2, threads, OVERLAP_COLUMNS)."""
    sphere_rows: Floats
    """What contacts read of each sphere, one row per sphere (repose.sim.engine.contacts.sphere_rows), shape
    (count * width + 8,)."""
    sums: Floats
    """Force and torque on each sphere in one row, likewise."""
    push: Floats
    """Of each pair from `first_pushed` on (repose.sim.engine.threads) the force on i [N], with rotation the torque on i
    and that on j [N m], shape (pushed * (dimension + 2 spin length),); empty for one thread."""
    field_power: Floats
    """Power that each sphere loses to fields as heat, and that an agent outside gives to it [W], shape (2, count)."""
    other: NDArray[np.uint32]
    """Pairs of each sphere as j, counted from `first_pushed` on, shape (pushed,); empty for one thread."""
    other_begin: NDArray[np.int32]
    """Where they begin, shape (count + 1,); empty for one thread."""


def row_width(dimension: int, turning: bool) -> int:
    """Numbers in the row of a sphere: position and velocity, then spin and radius, each filled up to whole groups."""
    return GROUP * ((dimension + 1) // 2 + (1 if turning else 0))


def sum_width(dimension: int, turning: bool) -> int:
    """Numbers in the sum of a sphere: force, then torque, each filled up to a vector of two or four."""
    return 2 * (dimension - 1) * (2 if turning else 1)


def empty_wall_buffer(capacity: int, spheres: int, dimension: int) -> WallBuffer:
    """A buffer of this capacity."""
    return WallBuffer(
        first=np.zeros(capacity, np.uint32),
        second=np.zeros(capacity, np.uint32),
        shear_spring=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
        head=np.zeros(spheres, np.int32),
        following=np.zeros(capacity, np.int32),
        sorted_sphere=np.zeros(capacity, np.uint32),
        sorted_wall=np.zeros(capacity, np.uint32),
    )


def working_storage(
    threads: int, capacity: int, radius: Floats, walls: int, dimension: int, width: int, skin: Floats, reach: Floats
) -> tuple[PairBuffer, Search, Threads]:
    """Room for so many threads to step spheres of these radii with so many pairs; `width` numbers are written per pair.

    Nothing has been listed yet. What is needed only during a rebuild shares its memory with the forces written per
    pair and the power of fields, which are needed only between two rebuilds.
    """
    spheres = radius.size
    # At most so many pairs come after the whole chunks of the first thread.
    pushed = min(capacity, capacity - capacity // threads + CHUNK) if threads > 1 else 0
    turning = width > dimension
    room = capacity + LANES * threads
    (
        (shear_spring, place, cell, found, j, touching),
        (
            push,
            field_power,
            sphere_rows,
            sums,
        ),
    ) = overlaid(
        [
            ((dimension, room), np.float64),
            ((dimension + 1, spheres + LANES), np.float64),
            ((dimension, spheres), np.int64),
            *[((room,), np.uint32)] * 2,
            ((room,), np.uint8),
        ],
        [
            ((pushed * width,), np.float64),
            ((2, spheres), np.float64),
            ((row_width(dimension, turning) * spheres + LINE,), np.float64),
            ((sum_width(dimension, turning) * spheres + LINE,), np.float64),
        ],
    )
    large = LARGE * float(np.exp(np.log(radius).mean())) if spheres else math.inf
    many = int((radius > large).sum())
    pair_buffer = PairBuffer(found=found, j=j, touching=touching, shear_spring=shear_spring)
    search = Search(
        reference=np.full((dimension, spheres), np.inf),
        wall_reference=np.full((walls, dimension), np.inf),
        skin=skin,
        reach=reach,
        cell=cell,
        order=np.zeros(spheres + LANES, np.uint32),
        place=place,
        begin=np.zeros(spheres + 1, np.int32),
        new_begin=np.zeros(spheres, np.int32),
        bucket_start=np.zeros(1 + buckets(spheres, 16), np.int32),
        large_start=np.zeros(1 + buckets(many, 256) if many else 0, np.int32),
        large=np.array([large]),
        box=np.zeros((4, dimension)),
        box_cells=np.zeros((2, dimension), np.int64),
        body=np.full(spheres, -1, np.int32),
    )
    shared_tables = Threads(
        barrier=np.where(np.arange(16) == WAIT_LIMIT, round(1000 * LONGEST_WAIT), 0),
        thread_status=np.zeros((threads, 8), np.int64),
        buffer=np.ones((threads, BUFFER_ROWS * BLOCK + 8)),
        chosen=np.zeros((threads, 3, BLOCK), np.uint32),
        heat=np.zeros((3, capacity // CHUNK + 1)),
        largest_overlap=np.zeros((2, threads, OVERLAP_COLUMNS)),
        sphere_rows=sphere_rows,
        sums=sums,
        push=push,
        field_power=field_power,
        other=np.zeros(pushed, np.uint32),
        other_begin=np.zeros(spheres + 1 if threads > 1 else 0, np.int32),
    )
    return pair_buffer, search, shared_tables


def buckets(spheres: int, least: int) -> int:
    """Size of a table for the cells of so many spheres: a power of two, so that few cells share a bucket."""
    return max(least, 1 << (2 * spheres - 1).bit_length())


def empty_threads(threads: int) -> Threads:
    """What so many threads share without spheres; a world of 0 threads cannot be stepped."""
    return working_storage(threads, 0, np.zeros(0), 0, 2, 0, np.zeros(1), np.zeros(1))[2]


def overlaid(*groups: list[tuple[tuple[int, ...], type]]) -> list[list[NDArray[Any]]]:
    """Tables of these shapes and types, empty, the groups in the same memory: no two of them are in use at once."""
    words = [[-(-math.prod(shape) * np.dtype(kind).itemsize // 8) for shape, kind in group] for group in groups]
    storage = np.zeros(max(map(sum, words)))
    return [
        [
            storage[end - size : end].view(kind)[: math.prod(shape)].reshape(shape)
            for (shape, kind), size, end in zip(group, sizes, itertools.accumulate(sizes), strict=True)
        ]
        for group, sizes in zip(groups, words, strict=True)
    ]
