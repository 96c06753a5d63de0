"""World: all tables of one running system, as flat arrays that compiled code can step.

Rows are spheres or candidate pairs; a row index is not an identity, `sphere_id` is. A sphere that
cannot move has inverse mass 0; nothing else distinguishes it.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.workspace import Floats, PairBuffer, Search, Threads, WallBuffer

LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS = 0, 1, 2
"""Rows of `World.ledger`."""

(
    PAIR_COUNT,
    REBUILD_COUNT,
    STEP_COUNT,
    REBUILT_AT,
    PENDING,
    WALL_CONTACT_COUNT,
    MATERIAL_COUNT,
    COUNTER_COUNT,
) = range(8)
"""Entries of `World.counters`: used rows of the pair list; rebuilds of the lists; steps; step of the last rebuild;
stages of a step begun before the tables had to be enlarged; used rows of the list of contacts with walls;
materials."""

OK, PAIRS_FULL, NOT_FINITE, TOO_FAST, THREAD_MISSING = range(5)
"""Status of a step; anything but OK stops the batch, and a missing thread leaves the world unfit for use."""


class Pairs(NamedTuple):
    """Candidate pairs: every two spheres closer than touching + skin, i < j, sorted by i and then by j, capacity fixed.

    The order is that of rows, not of positions: forces on a sphere add up in the same order whatever its position, the
    cells and the number of threads. Rejected: one list per sphere (Box2D and most molecular-dynamics codes). A flat
    list costs a scatter but lets the compiler evaluate the law on a whole block at once, which doubles the speed.
    """

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    radius_sum: Floats
    """R_i + R_j [m], shape (capacity,)."""
    smaller_radius: NDArray[np.float32]
    """The smaller of both radii [m], rounded, kept without rotation only, shape (capacity,)."""
    effective_mass: Floats
    """1/(1/m_i + 1/m_j) [kg], from the masses of both, fixed spheres included, shape (capacity,)."""
    fixed: NDArray[np.uint8]
    """1 if one of the two cannot move, else 0, shape (capacity,)."""
    effective_inertia: Floats
    """1/(1/I_i + 1/I_j) [kg m²], kept with rotation only, shape (capacity,)."""
    kind: NDArray[np.uint16]
    """Pair of materials: material_i * number of materials + material_j, shape (capacity,)."""
    touching: NDArray[np.uint8]
    """1 if the pair was in contact at the last evaluation, else 0, shape (capacity,)."""
    shear_spring: Floats
    """Contact memory [m], shape (dimension, capacity). Without rotation the branch vector at first touch, moved as the
    spring relaxes; with rotation the tangential displacement itself, which turns with the pair."""
    normal_force: Floats
    """Normal force at the last evaluation, positive pushes apart [N], shape (capacity,)."""


class Walls(NamedTuple):
    """Walls of infinite mass with given velocities."""

    shape: NDArray[np.int64]
    """PLANE, FACET or CYLINDER (repose.sim.engine.contacts.wall_forces), shape (walls,)."""
    corner: Floats
    """Plane: point, normal, unused. Facet: its corners, the last two the same for a line in the plane.
    Cylinder: point on the axis, direction of the axis, (radius, +1 inside or -1 outside, 0).
    At the initial position of the wall [m], shape (walls, 3, dimension)."""
    velocity: Floats
    """[m/s], shape (walls, dimension)."""
    moved: Floats
    """Displacement since then [m], shape (walls, dimension)."""
    material: NDArray[np.int64]
    """Shape (walls,)."""
    force: Floats
    """From the grains at the last evaluation [N], shape (walls, dimension)."""


class WallContacts(NamedTuple):
    """Spheres near walls: every sphere and wall closer than touching + skin, sorted by sphere and then by wall."""

    sphere: NDArray[np.uint32]
    wall: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    """As in `Pairs`, shape (capacity,)."""
    shear_spring: Floats
    """As in `Pairs`, with the place on the wall instead of the branch [m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""
    begin: NDArray[np.int32]
    """First entry of each sphere, shape (spheres + 1,)."""
    gap: Floats
    """From the centre to the wall at this evaluation [m], shape (capacity,)."""
    normal: Floats
    """Towards the centre at this evaluation, shape (dimension, capacity)."""
    contact_state: NDArray[np.uint8]
    """APART, NEAR, COVERED or ACTS at this evaluation (repose.sim.engine.contacts.wall_forces), shape (capacity,)."""
    acting: NDArray[np.uint32]
    """Rows of the entries that push at this evaluation, shape (capacity,)."""
    push: Floats
    """Force on the sphere at this evaluation, where the entry pushes [N], shape (dimension, capacity)."""
    heat: Floats
    """Power dissipated by damping, fed into the friction spring, and lost by it as its stiffness changes, where the
    entry pushes [W], shape (3, capacity)."""


class Bonds(NamedTuple):
    """Lasting links between two spheres; contact forces act beside them, where the spheres touch."""

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    """Rows of the two spheres, in any order, shape (bonds,)."""
    rest_length: Floats
    """Distance of the centres at which the bond does not pull [m], shape (bonds,)."""
    own: Floats
    """Numbers of each bond that its law reads, shape (`BoundBond.columns`, bonds)."""
    intact: NDArray[np.uint8]
    """0 for a bond that has broken, shape (bonds,)."""
    memory: Floats
    """Kept with rotation only. In the plane: shear of the bond (x, y) [m] and relative rotation of its ends [rad];
    in space: shear (x, y, z) [m], bending (x, y, z) and twist [rad]; shape (0, 3 or 7, bonds)."""
    lost: Floats
    """Energy stored in bonds when they broke, summed up [J], shape (1,)."""
    push: Floats
    """Force on i [N], and with rotation the torque on i and that on j [N m], at this evaluation,
    shape (bonds, dimension + 2 spin length)."""
    power: Floats
    """Power turned into heat [W], and energy of bonds that break [J], at this evaluation, shape (2, bonds)."""
    incident: NDArray[np.int64]
    """Bonds of each sphere, b + 1 as i and -b - 1 as j, in the order of bonds, shape (2 bonds,)."""
    begin: NDArray[np.int64]
    """Where those of each sphere begin, shape (count + 1,)."""


class Bodies(NamedTuple):
    """Rigid bodies of several spheres. A body moves like a sphere, by tables like those of `World`; its members are
    spheres that are placed before forces are computed, and whose forces are gathered afterwards.

    The rotation coordinates of a body in space are no angles: their velocity is its angular momentum over a reference
    moment of inertia, which changes by torques alone. In the plane they are the angle and the spin.
    """

    motion: Floats
    """As in `World`, of the centre of mass, shape (coordinates, levels, bodies)."""
    force: Floats
    """As in `World`, shape (coordinates, bodies)."""
    inverse_mass: Floats
    """1/mass [1/kg] and 1/(reference moment of inertia) [1/(kg m²)], 0 for a body that cannot move, shape
    (coordinates, bodies)."""
    unequal: Floats
    """Reference moment over principal moment of inertia, less 1 [-], shape (3, bodies) in space; 0 rows in the
    plane."""
    reference: Floats
    """Orientation of the principal axes at the end of the last step: unit quaternion (w, x, y, z), shape (4, bodies);
    unused in the plane."""
    orientation: Floats
    """The same at this evaluation; in the plane cosine and sine of the angle in the first two rows."""
    matrix: Floats
    """Rotation matrix at this evaluation, row by row, shape (dimension², bodies)."""
    spin: Floats
    """Angular velocity at this evaluation [rad/s], shape (spin length, bodies)."""
    arm: Floats
    """Of each sphere from the centre of its body at this evaluation, in space [m], shape (dimension, count)."""
    member: NDArray[np.uint32]
    """Rows of the member spheres, body by body, shape (members,)."""
    begin: NDArray[np.int64]
    """Where the members of each body begin, shape (bodies + 1,)."""
    offset: Floats
    """Of each sphere from the centre of its body, along the principal axes [m], 0 for loose ones, shape
    (dimension, count)."""
    own_mass: Floats
    """Mass that the weight and fields act on at each sphere [kg], shape (count,): for a member its share of the mass of
    the body, which stands in `World.mass`."""
    body_id: NDArray[np.int64]
    """Identity, the id of the first member, shape (bodies,)."""


class World(NamedTuple):
    """Everything one step reads and writes."""

    motion: Floats
    """Time derivatives of the coordinates, shape (coordinates, levels, count): level 0 position
    [m or rad], 1 velocity [m/s or rad/s], 2 acceleration, and further levels of the integrator.
    Coordinates are x, y(, z) and then the rotation, of length 0, 1 or 3."""
    force: Floats
    """Force [N] and torque [N m] on each coordinate, shape (coordinates, count)."""
    inverse_mass: Floats
    """1/mass [1/kg] and 1/inertia [1/(kg m²)], 0 for spheres that cannot move, shape (coordinates, count)."""
    mass: Floats
    """[kg], shape (count,); also of fixed spheres: it enters the effective mass (thesis)."""
    radius: Floats
    """[m], shape (count,)."""
    sphere_id: NDArray[np.int64]
    """Identity, never reused within a run, shape (count,)."""
    layer: NDArray[np.int64]
    """Layer the sphere was poured in, -1 for spheres of walls and base, shape (count,)."""
    material: NDArray[np.int64]
    """Row of the scene's table of materials, shape (count,)."""
    orientation: Floats
    """Unit quaternion (w, x, y, z) in space, angle in the plane in the first row, shape (4, count); updated by
    `repose.sim.engine.orientation`, not by the step loop."""
    turned: Floats
    """Rotation coordinates at the last update of the orientation [rad], shape (3, count)."""
    walls: Walls
    wall_contacts: WallContacts
    pairs: Pairs
    pair_buffer: PairBuffer
    wall_buffer: WallBuffer
    search: Search
    threads: Threads
    ledger: Floats
    """Energy dissipated by damping, fed into friction springs, and supplied by moving walls [J], in BLOCK partial sums
    that are never reset, so that the rounding does not depend on the batch size, shape (3, BLOCK)."""
    stiffening: Floats
    """Energy that friction springs have lost as their stiffness followed the overlap, -xi² dK/2, negative where they
    have gained [J], in as many partial sums, shape (BLOCK,); 0 for laws of constant stiffness."""
    largest_overlap: Floats
    """The largest overlap since the run began: overlap / radius of the smaller sphere that can move [-], step, contact
    point x, y, z [m], ids of both spheres, row of the wall; -1 where there is none, shape (OVERLAP_COLUMNS,)."""
    counters: NDArray[np.int64]
    """Shape (COUNTER_COUNT,)."""
    bonds: Any = ()
    """`Bonds`, or an empty tuple."""
    bodies: Any = ()
    """`Bodies`, or an empty tuple. Of a member `mass` is that of its body, and `inverse_mass` bounds how easily a force
    moves it, rotation of the body included; what the integrator makes of its row is overwritten."""

    @property
    def sphere_count(self) -> int:
        """Rows of the sphere tables."""
        return int(self.radius.size)

    @property
    def own_mass(self) -> Floats:
        """Mass that belongs to each sphere [kg], shape (count,): of a member its share of the mass of its body."""
        owned: Floats = self.bodies.own_mass if self.bodies else self.mass
        return owned

    @property
    def movable_mass(self) -> Floats:
        """Mass with which each sphere answers a force at its centre [kg], shape (count,): that of a member is less than
        that of its body, which turns as well."""
        if not self.bodies:
            return self.mass
        inverse = np.where(self.fixed, 1.0 / self.mass, self.inverse_mass[0])
        answering: Floats = 1.0 / inverse
        return answering

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """True for spheres that cannot move, shape (count,)."""
        fixed: NDArray[np.bool_] = self.inverse_mass[0] == 0.0
        return fixed


def empty_bonds(count: int, dimension: int, spin_length: int, columns: int, spheres: int = 0) -> Bonds:
    """A table of so many bonds, intact, with zeros."""
    return Bonds(
        i=np.zeros(count, np.uint32),
        j=np.zeros(count, np.uint32),
        rest_length=np.zeros(count),
        own=np.zeros((columns, count)),
        intact=np.ones(count, np.uint8),
        memory=np.zeros(({0: 0, 1: 3, 3: 7}[spin_length], count)),
        lost=np.zeros(1),
        push=np.zeros((count, dimension + 2 * spin_length)),
        power=np.zeros((2, count)),
        incident=np.zeros(2 * count, np.int64),
        begin=np.zeros(spheres + 1, np.int64),
    )


def motions(world: World) -> tuple[Floats, ...]:
    """Every table that the integrator moves: of spheres, and of bodies."""
    return (world.motion, world.bodies.motion) if world.bodies else (world.motion,)


def empty_bodies(dimension: int, spin_length: int, levels: int, count: int = 0, spheres: int = 0) -> Bodies:
    """A table of so many bodies, with zeros."""
    coordinates = dimension + spin_length
    return Bodies(
        motion=np.zeros((coordinates, levels, count)),
        force=np.zeros((coordinates, count)),
        inverse_mass=np.zeros((coordinates, count)),
        unequal=np.zeros((spin_length if spin_length == 3 else 0, count)),
        reference=np.zeros((4, count)),
        orientation=np.zeros((4, count)),
        matrix=np.zeros((dimension**2, count)),
        spin=np.zeros((spin_length, count)),
        arm=np.zeros((dimension, spheres)),
        member=np.zeros(0, np.uint32),
        begin=np.zeros(count + 1, np.int64),
        offset=np.zeros((dimension, spheres)),
        own_mass=np.zeros(spheres),
        body_id=np.zeros(count, np.int64),
    )


def empty_pairs(capacity: int, dimension: int, turning: bool) -> Pairs:
    """An empty pair table of spheres that rotate, or do not."""
    rotating, gliding = (capacity, 0) if turning else (0, capacity)
    return Pairs(
        i=np.zeros(capacity, np.uint32),
        j=np.zeros(capacity, np.uint32),
        radius_sum=np.zeros(capacity),
        smaller_radius=np.zeros(gliding, np.float32),
        effective_mass=np.ones(capacity),
        fixed=np.zeros(capacity, np.uint8),
        effective_inertia=np.ones(rotating),
        kind=np.zeros(capacity, np.uint16),
        touching=np.zeros(capacity, np.uint8),
        shear_spring=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
    )


def empty_walls(count: int, dimension: int) -> Walls:
    """A table of walls with zeros."""
    return Walls(
        shape=np.zeros(count, np.int64),
        corner=np.zeros((count, 3, dimension)),
        velocity=np.zeros((count, dimension)),
        moved=np.zeros((count, dimension)),
        material=np.zeros(count, np.int64),
        force=np.zeros((count, dimension)),
    )


def empty_wall_contacts(capacity: int, spheres: int, dimension: int) -> WallContacts:
    """An empty list of spheres near walls."""
    return WallContacts(
        sphere=np.zeros(capacity, np.uint32),
        wall=np.zeros(capacity, np.uint32),
        touching=np.zeros(capacity, np.uint8),
        shear_spring=np.zeros((dimension, capacity)),
        normal_force=np.zeros(capacity),
        begin=np.zeros(spheres + 1, np.int32),
        gap=np.zeros(capacity),
        normal=np.zeros((dimension, capacity)),
        contact_state=np.zeros(capacity, np.uint8),
        acting=np.zeros(capacity, np.uint32),
        push=np.zeros((dimension, capacity)),
        heat=np.zeros((3, capacity)),
    )


def copy_world(world: World) -> World:
    """An independent copy, bit by bit."""

    return copy.deepcopy(world)
