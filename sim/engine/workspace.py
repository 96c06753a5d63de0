"""Workspace: the tables of the step loop that follow from the state, or that a step writes before it reads them.

A workspace may be discarded between any two steps: `repose.sim.engine.builder.with_new_workspace` makes another one
from the state alone, and the next step has the same bits. What is read of it between steps, such as the spin of bodies,
is that of the last evaluation: in a new workspace there is none before the next one.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.tables import LINE_BYTES, filled, zeros
from repose.sim.engine.thread_count import GRAINS_PER_THREAD

Floats = NDArray[np.float64]

BLOCK = 128
"""Contacts whose law is evaluated together; 20 to 35 columns of 128 numbers stay in the first-level cache."""

LANES = 8
"""Candidates compared at once (repose.sim.engine.neighbours.candidate_lanes). Tables of candidates have LANES entries
of padding, which are read or written but not used."""

CHUNK = 8 * BLOCK
"""Pairs per chunk of work. Energies are summed per chunk: the sum does not depend on the number of threads."""

LINE = 8
"""Numbers in a cache line. Tables that are read as vectors are padded by a line and begin at a line."""

TILE = 128
"""Spheres of which a step ends and the next one begins together. Members of bodies are placed at every evaluation: they
are moved by the scheme only where a tile also has other spheres."""

MOST_RANGES = 16
"""Largest number of ranges of the pair list (repose.sim.engine.contacts.partial_sums)."""

LISTED = 8 * BLOCK
"""Room for the spheres around a body (repose.sim.engine.neighbours.pair_list.list_around)."""

FIRST_CHUNK, LAST_CHUNK, FIRST_ROW, LAST_ROW, SHIFT, PARTIAL_COUNT = range(6)
"""Columns of `Threads.ranges`: first chunk and last chunk + 1 of the pair list; first row and last row + 1 of the
spheres that may have partial sums of this range, and the row of a partial sum in `Threads.sums` minus the row of the
sphere; number of spheres that have one."""

GROUP = 4
"""Numbers of the row of a sphere that are read as one vector (repose.sim.engine.contacts.sphere_rows)."""

MASSES_AT = 6
"""Entry of mass and 1/inertia in the row of a sphere, with rotation only."""


def displacement_at(dimension: int) -> int:
    """Entry of the displacement in the row of a sphere, with rotation only."""
    return GROUP * (dimension - 1)


def spin_at(dimension: int) -> int:
    """Entry of radius and spin in the row of a sphere, with rotation only."""
    return GROUP * dimension


def rotation_at(dimension: int) -> int:
    """Entry of the rotation since the last evaluation in the row of a sphere, with rotation only."""
    return spin_at(dimension) + 2 * (dimension - 1)


ELSEWHERE = 1e9
"""Position at the last evaluation of a sphere that has been put elsewhere [m]: farther than any step."""

LARGE = 3.0
"""Radius above which a sphere is sorted into cells for large spheres, in units of the geometric mean radius [-]."""

BUFFER_ROWS = 47
"""Largest number of columns of a block: in three dimensions with rotation and materials
(repose.sim.engine.contacts.pair_blocks)."""

MOVED, STATUS, CULPRIT, FOUND, WALL_LIST_FITS, KEPT, SUMS_FULL, SPARING, NOTED = range(9)
"""Columns of `Threads.thread_status`: whether a sphere has moved half the skin; status, and row of the sphere
concerned (thread 0 only); number of pairs found; whether the list of contacts with walls fits; number of pairs after
sorting; whether `Threads.sums` has too few rows for the new list (thread 0 only); whether only members in lists are
placed at this evaluation; number of these members."""
IN_PAIR, NEAR_WALL = 1, 2
"""Parts of `BodyEvaluation.mark`."""

ARRIVED, ROUND, WAIT_LIMIT = 0, 8, 9
"""Entries of `Threads.barrier`: number of threads that have arrived; in the next cache line the number of completed
rounds, and the longest time that a thread waits [ms]."""
BROKEN = -(1 << 63)
"""Bit of `Threads.barrier[ROUND]` that is set when a thread has not arrived in time."""
LONGEST_WAIT = 60.0
"""Longest time that a thread waits for the others [s]. Between two barriers there are microseconds of work: a thread
that is later than this does not run at all, even on a busy machine."""

OVERLAP_RATIO, OVERLAP_STEP, OVERLAP_POINT, OVERLAP_FIRST, OVERLAP_SECOND, OVERLAP_WALL = 0, 1, 2, 5, 6, 7
"""Entries of `State.largest_overlap` and of each row of `Threads.largest_overlap`; the contact point has three."""
OVERLAP_COLUMNS = 8


class PairColumns(NamedTuple):
    """Columns of the pair list that follow from its spheres, in the order of `State.pairs`."""

    radius_sum: Floats
    """R_i + R_j [m], shape (capacity,)."""
    smaller_radius: NDArray[np.float32]
    """The smaller of both radii [m] in single precision, without rotation only, shape (capacity,)."""
    effective_mass: Floats
    """1/(1/m_i + 1/m_j) [kg], from the masses of both, fixed spheres included, shape (capacity,); without rotation
    only. With rotation the few pairs in contact read the masses themselves: the list is longer than the caches."""
    fixed: NDArray[np.uint8]
    """1 if one of the two cannot move, else 0, shape (capacity,)."""
    material_pair: NDArray[np.uint16]
    """Pair of materials: material_i * number of materials + material_j, shape (capacity,); no entries if there is one
    material."""
    last_branch: Floats
    """Branch at the last evaluation [m], shape (dimension, capacity), without rotation only: follows from
    `State.previous` (repose.sim.engine.neighbours.pair_list.note_branches). The law evaluates all listed pairs in order
    then, and a table in this order is read several times as fast as the positions of both spheres."""


class WallEvaluation(NamedTuple):
    """Spheres near walls at this evaluation, in the order of `State.wall_contacts`."""

    begin: NDArray[np.int32]
    """First entry of each sphere, shape (spheres + 1,)."""
    gap: Floats
    """Distance from the centre to the wall [m], shape (capacity,)."""
    normal: Floats
    """Unit vector from the wall to the centre, shape (dimension, capacity)."""
    contact_state: NDArray[np.uint8]
    """APART, NEAR, COVERED or ACTS (repose.sim.engine.contacts.wall_forces), shape (capacity,)."""
    acting: NDArray[np.uint32]
    """Rows of the entries that push, shape (capacity,)."""
    force: Floats
    """Force of the wall on the sphere [N], set for acting entries, shape (dimension, capacity)."""
    heat: Floats
    """Power dissipated by damping [W], work done on the friction spring, and energy that the spring loses as its
    stiffness changes, both since the last evaluation [J], set for acting entries, shape (3, capacity)."""
    turning_power: Floats
    """Power that the wall supplies by its spin [W], set for acting entries of walls that turn, shape (capacity,)."""


class BondEvaluation(NamedTuple):
    """Forces of the bonds at this evaluation, and the bonds of each sphere."""

    push: Floats
    """Force on i [N], and with rotation the torques on i and on j [N m], shape (bonds, dimension + 2 spin length)."""
    power: Floats
    """Power dissipated [W], and energy of a bond that breaks [J], shape (2, bonds)."""
    incident: NDArray[np.int64]
    """Bonds of each sphere in the order of bonds: b + 1 if the sphere is i of bond b, -b - 1 if it is j,
    shape (2 bonds,)."""
    begin: NDArray[np.int64]
    """First entry of each sphere in `incident`, shape (count + 1,)."""


class BodyEvaluation(NamedTuple):
    """Forces, orientations and members of the rigid bodies at this evaluation."""

    force: Floats
    """As in `State`, shape (coordinates, bodies)."""
    matrix: Floats
    """Rotation matrix, row by row, shape (dimension², bodies)."""
    spin: Floats
    """Angular velocity [rad/s], shape (spin length, bodies)."""
    arm: Floats
    """Vector from the centre of the body to each member [m], shape (dimension, count)."""
    pose: Floats
    """Centre [m], rotation matrix and rotation [rad] of each body at the present placement of members, shape
    (dimension + dimension² + spin length, bodies)."""
    last_pose: Floats
    """The same at the placement before."""
    noted_pose: Floats
    """The same when the members in lists were noted last (repose.sim.engine.body_members.note_members)."""
    reach: Floats
    """Largest distance of a member from the centre of its body, and largest distance of a member from its reference
    position, when they were noted [m], shape (2, bodies)."""
    mark: NDArray[np.uint8]
    """IN_PAIR and NEAR_WALL, added, of each sphere in the list of pairs and in that of contacts with walls, shape
    (count,)."""
    noted: NDArray[np.uint32]
    """Rows of the members with a mark: those of a thread from its first sphere on, shape (count,)."""


class PairBuffer(NamedTuple):
    """The new pair list during a rebuild, in one section per thread; without rotation in the memory of
    `PairColumns.last_branch` and `PairColumns.effective_mass`."""

    candidate: NDArray[np.uint32]
    """Second spheres of the pairs, in the order of the search."""
    j: NDArray[np.uint32]
    """Second spheres sorted by i and j, without duplicates."""
    touching: NDArray[np.uint8]
    shear_spring: Floats
    """As in `Pairs`, in the order of `j`. Normal forces are not copied: they are computed before they are read."""


class WallBuffer(NamedTuple):
    """Buffer for the rebuild of the list of contacts with walls."""

    first: NDArray[np.uint32]
    second: NDArray[np.uint32]
    """Rows of sphere and wall."""
    shear_spring: Floats
    """[m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""
    following: NDArray[np.int32]
    """Next entry of the same sphere, -1 at the end, shape (capacity,)."""
    sorted_sphere: NDArray[np.uint32]
    sorted_wall: NDArray[np.uint32]
    """The new list while it is sorted, shape (capacity,)."""


class SearchTables(NamedTuple):
    """Tables of the neighbour search: the cells of a rebuild, and the pairs of each sphere."""

    cell: NDArray[np.int64]
    """Cell coordinates of each sphere, shape (dimension, count)."""
    order: NDArray[np.uint32]
    """Sphere rows sorted by bucket, shape (count + LANES,)."""
    position: Floats
    """Positions and radii in the order of `order` [m], shape (dimension + 1, count + LANES)."""
    begin: NDArray[np.int32]
    """First pair of each sphere as i in the list, shape (count + 1,)."""
    new_begin: NDArray[np.int32]
    """First pair of each sphere as i in the buffer of the new list, shape (count,)."""
    wall_head: NDArray[np.int32]
    """First entry of each sphere in `WallBuffer`, -1 for a sphere without entries, shape (count,)."""
    bucket_start: NDArray[np.int32]
    """First entry of each bucket in `order`, shape (buckets + 1,); the number of buckets is a power of two."""
    large_start: NDArray[np.int32]
    """First entry of each bucket of the cells of large spheres, which follow all others in `order`; empty if no sphere
    is large."""
    large: Floats
    """Radius above which a sphere is large [m], shape (1,)."""
    box: Floats
    """Of the wall that is being searched: lowest and highest corner of its box [m], normal, first corner [m]; shape
    (4, dimension)."""
    box_cells: NDArray[np.int64]
    """First and last cell near that box, shape (2, dimension)."""
    body: NDArray[np.int32]
    """Row of the body of each member sphere, -1 for spheres of no body, shape (count,). Members of one body do not
    touch each other."""


class Threads(NamedTuple):
    """Tables that the threads of one world share; their contents are not kept from step to step.

    Each thread has its share of spheres and of ranges of the pair list.
    """

    barrier: NDArray[np.int64]
    """Entries ARRIVED, ROUND and WAIT_LIMIT, shape (16,)."""
    thread_status: NDArray[np.int64]
    """Report of each thread to the others, two cache lines per thread, shape (threads, 16)."""
    buffer: Floats
    """Columns of one block of pairs per thread, shape (threads, BUFFER_ROWS * BLOCK + 8). A block is padded by contacts
    that are evaluated with the previous contents: all numbers are finite, radii, masses and materials positive."""
    chosen: NDArray[np.uint32]
    """Touching pairs of the present block: row in the list, i, j; then the rows of the sums on i and j;
    shape (threads, 5, BLOCK)."""
    listed: NDArray[np.uint32]
    """Rows of the spheres around a body during a rebuild, shape (threads, LISTED)."""
    heat: Floats
    """Power dissipated by damping [W], work done on friction springs and energy that springs lose as their stiffness
    changes, both since the last evaluation [J]; per chunk of the list, shape (3, chunks)."""
    largest_overlap: Floats
    """The largest overlap that each thread has found at this evaluation, among pairs and at walls, if it exceeds that
    of `State.largest_overlap`; shape (2, threads, OVERLAP_COLUMNS)."""
    sphere_rows: Floats
    """The quantities of each sphere that contacts read, one row per sphere (repose.sim.engine.contacts.sphere_rows),
    shape (count * width + 8,)."""
    sums: Floats
    """Force and torque on each sphere, one row per sphere, in the same way; then partial sums."""
    ranges: NDArray[np.int64]
    """Ranges of the pair list with sums of their own (repose.sim.engine.contacts.partial_sums), shape (ranges, 6):
    FIRST_CHUNK, LAST_CHUNK, FIRST_ROW, LAST_ROW, SHIFT, PARTIAL_COUNT."""
    range_count: NDArray[np.int64]
    """Number of ranges of the present list, shape (1,)."""
    partial: NDArray[np.uint32]
    """Rows of the spheres with partial sums, range by range, shape (rows of `sums` that are partial sums,)."""
    field_power: Floats
    """Power that each sphere loses to fields as heat, and power that external agents supply [W], shape (2, count)."""


class Workspace(NamedTuple):
    """All that may be discarded between two steps; `pairs`, `wall_contacts`, `bonds` and `bodies` belong to the tables
    of the same names in `State`."""

    pairs: PairColumns
    wall_contacts: WallEvaluation
    bonds: BondEvaluation
    bodies: BodyEvaluation
    search: SearchTables
    pair_buffer: PairBuffer
    wall_buffer: WallBuffer
    threads: Threads


def row_width(dimension: int, turning: bool) -> int:
    """Length of the row of a sphere in whole groups: position and velocity; with rotation also the displacement since
    the last evaluation of forces, mass and 1/inertia, radius and spin, and the rotation since the last evaluation."""
    return GROUP * (2 * dimension - 1 if turning else dimension - 1)


def sum_width(dimension: int, turning: bool) -> int:
    """Length of the row of sums of a sphere: force, then torque, each padded to a vector of two or four."""
    return 2 * (dimension - 1) * (2 if turning else 1)


def most_ranges(spheres: int) -> int:
    """Largest number of ranges of the pair list for so many spheres: a power of two, so that each of as many threads as
    are worth their time has a range."""
    return min(MOST_RANGES, 1 << (max(1, spheres // GRAINS_PER_THREAD) - 1).bit_length())


def rows_of_sums(ranges: int, spheres: int) -> int:
    """Largest number of rows of sums. The partial sums of four ranges fit also if the n spheres are in random order:
    then the first sphere of pair p of P is near row (1 - sqrt(1 - p/P)) n, and the sums of four ranges take
    (1 + sqrt(3/4) + sqrt(1/2) + 1/2) n = 3.07 n rows. `Threads.sums` has as many rows as the present list needs, and
    some more."""
    return min(4 * ranges, 13) * spheres // 4


class Division(NamedTuple):
    """A pair list divided into ranges (repose.sim.engine.contacts.partial_sums), as in `Threads`."""

    ranges: NDArray[np.int64]
    range_count: NDArray[np.int64]

    def room(self, rows: int, spheres: int) -> int:
        """Number of rows of sums for a list that needs so many `rows`: those of ranges become more while grains mix."""
        return min(rows + (rows - spheres) // 4 + LINE, rows_of_sums(len(self.ranges), spheres))


def empty_wall_evaluation(capacity: int, spheres: int, dimension: int) -> WallEvaluation:
    """Tables for so many contacts with walls."""
    return WallEvaluation(
        begin=zeros(spheres + 1, np.int32),
        gap=zeros(capacity),
        normal=zeros((dimension, capacity)),
        contact_state=zeros(capacity, np.uint8),
        acting=zeros(capacity, np.uint32),
        force=zeros((dimension, capacity)),
        heat=zeros((3, capacity)),
        turning_power=zeros(capacity),
    )


def empty_body_evaluation(dimension: int, spin_length: int, count: int = 0, spheres: int = 0) -> BodyEvaluation:
    """Tables for `count` bodies."""
    pose = dimension + dimension**2 + spin_length
    return BodyEvaluation(
        force=zeros((dimension + spin_length, count)),
        matrix=zeros((dimension**2, count)),
        spin=zeros((spin_length, count)),
        arm=zeros((dimension, spheres)),
        pose=zeros((pose, count)),
        last_pose=zeros((pose, count)),
        noted_pose=zeros((pose, count)),
        reach=zeros((2, count)),
        mark=zeros(spheres, np.uint8),
        noted=zeros(spheres, np.uint32),
    )


def empty_wall_buffer(capacity: int, dimension: int) -> WallBuffer:
    """A buffer of this capacity."""
    return WallBuffer(
        first=zeros(capacity, np.uint32),
        second=zeros(capacity, np.uint32),
        shear_spring=zeros((dimension, capacity)),
        normal_force=zeros(capacity),
        following=zeros(capacity, np.int32),
        sorted_sphere=zeros(capacity, np.uint32),
        sorted_wall=zeros(capacity, np.uint32),
    )


def search_storage(
    threads: int, capacity: int, radius: Floats, model: tuple[int, bool, int], division: Division, sum_rows: int
) -> tuple[PairColumns, PairBuffer, SearchTables, Threads]:
    """Tables for `threads` threads that step spheres of these radii with `capacity` pairs, which are divided already
    and need so many rows of sums; `model` is the dimension, whether the spheres rotate, and the number of materials.

    Tables of a rebuild share their memory with tables used between rebuilds: rows of spheres and sums, and without
    rotation, when rows are short, columns of pairs. So does the power of fields, which act when the rows of spheres
    have been read.
    """
    spheres, (dimension, turning, materials) = radius.size, model
    large = LARGE * float(np.exp(np.log(radius).mean())) if spheres else math.inf
    many = int((radius > large).sum())
    room = capacity + LANES * threads
    gliding = 0 if turning else capacity

    def new_list(room: int) -> list[tuple[tuple[int, ...], type]]:
        return [((dimension, room), np.float64), *[((room,), np.uint32)] * 2]

    in_columns, (last_branch, effective_mass) = overlaid(
        new_list(0 if turning else room), [((dimension, gliding), np.float64), ((gliding,), np.float64)]
    )
    (
        (*in_rows, position, cell, touching, order, new_begin, wall_head, bucket_start, large_start),
        (sphere_rows, sums),
        (field_power,),
    ) = overlaid(
        [
            *new_list(room if turning else 0),
            ((dimension + 1, spheres + LANES), np.float64),
            ((dimension, spheres), np.int64),
            ((room,), np.uint8),
            ((spheres + LANES,), np.uint32),
            *[((spheres,), np.int32)] * 2,
            ((1 + buckets(spheres, 16),), np.int32),
            ((1 + buckets(many, 256) if many else 0,), np.int32),
        ],
        [
            ((row_width(dimension, turning) * spheres + LINE,), np.float64),
            ((sum_width(dimension, turning) * sum_rows + LINE,), np.float64),
        ],
        [((2, spheres), np.float64)],
    )
    columns = PairColumns(
        radius_sum=zeros(capacity),
        smaller_radius=zeros(gliding, np.float32),
        effective_mass=effective_mass,
        fixed=zeros(capacity, np.uint8),
        material_pair=zeros(capacity if materials > 1 else 0, np.uint16),
        last_branch=last_branch,
    )
    shear_spring, candidate, j = in_rows if turning else in_columns
    pair_buffer = PairBuffer(candidate=candidate, j=j, touching=touching, shear_spring=shear_spring)
    search = SearchTables(
        cell=cell,
        order=order,
        position=position,
        begin=zeros(spheres + 1, np.int32),
        new_begin=new_begin,
        wall_head=wall_head,
        bucket_start=bucket_start,
        large_start=large_start,
        large=np.array([large]),
        box=zeros((4, dimension)),
        box_cells=zeros((2, dimension), np.int64),
        body=filled(spheres, -1, np.int32),
    )
    shared_tables = Threads(
        barrier=np.where(np.arange(16) == WAIT_LIMIT, round(1000 * LONGEST_WAIT), 0),
        thread_status=zeros((threads, 16), np.int64),
        buffer=filled((threads, BUFFER_ROWS * BLOCK + 8), 1.0),
        chosen=zeros((threads, 5, BLOCK), np.uint32),
        listed=zeros((threads, LISTED), np.uint32),
        heat=zeros((3, capacity // CHUNK + 1)),
        largest_overlap=zeros((2, threads, OVERLAP_COLUMNS)),
        sphere_rows=sphere_rows,
        sums=sums,
        ranges=division.ranges,
        range_count=division.range_count,
        partial=zeros(sum_rows - spheres, np.uint32),
        field_power=field_power,
    )
    return columns, pair_buffer, search, shared_tables


def buckets(spheres: int, least: int) -> int:
    """Size of a hash table for the cells of `spheres` spheres: a power of two of at least twice their number."""
    return max(least, 1 << (2 * spheres - 1).bit_length())


def overlaid(*groups: list[tuple[tuple[int, ...], type]]) -> list[list[NDArray[Any]]]:
    """Tables of these shapes and types, zero, each beginning at a cache line; the groups share one memory, because no
    two are in use at once."""
    words = [
        [-(-math.prod(shape) * np.dtype(kind).itemsize // LINE_BYTES) * LINE for shape, kind in group]
        for group in groups
    ]
    storage = zeros(max(map(sum, words)))
    return [
        [
            storage[end - size : end].view(kind)[: math.prod(shape)].reshape(shape)
            for (shape, kind), size, end in zip(group, sizes, itertools.accumulate(sizes), strict=True)
        ]
        for group, sizes in zip(groups, words, strict=True)
    ]
