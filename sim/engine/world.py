"""State: the tables of one running system. World: a state with the workspace in which it is stepped.

A copy of the state is a restart point: all else that a step reads follows from it (repose.sim.engine.workspace). Rows
are spheres or candidate pairs. The identity of a sphere is its `sphere_id`: its row can change. A sphere that
cannot move has the inverse mass 0 and is otherwise like any other.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.tables import copied, filled, zeros
from repose.sim.engine.workspace import Floats, Workspace

LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS = 0, 1, 2
"""Rows of `State.ledger`."""

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
"""Entries of `State.counters`: used rows of the pair list; rebuilds of the lists; steps; step of the last rebuild;
stages begun in a step that was interrupted to enlarge the tables; used rows of the list of contacts with walls;
number of materials."""

SERVO_FORCE, SERVO_SPEED, SERVO_VISCOSITY, SERVO_NEXT, SERVO_NORMAL = range(5)
"""Columns of `Walls.servo`."""

LOWEST, PERIOD = range(2)
"""Rows of `State.boundary`."""

OK, PAIRS_FULL, NOT_FINITE, TOO_FAST, THREAD_MISSING = range(5)
"""Status of a step. Any status other than OK ends the batch; after THREAD_MISSING the world must be discarded."""


class Pairs(NamedTuple):
    """Candidate pairs: every two spheres closer than touching + skin, i < j, sorted by i and then by j, capacity fixed.

    Pairs are sorted by row, not by position: the forces on a sphere add up in the same order for any position, cell
    size and number of threads. Rejected: one list per sphere (Box2D and most molecular-dynamics codes). A flat list
    costs a scatter, but the compiler can evaluate the law on a whole block at once, which doubles the speed.
    """

    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    """1 if the pair was in contact at the last evaluation, else 0, shape (capacity,)."""
    shear_spring: Floats
    """Contact memory [m], shape (dimension, capacity). With rotation: the tangential displacement, which turns with the
    pair. Without rotation: the branch vector at first touch, shifted by the relaxation of the spring."""
    normal_force: Floats
    """Normal force at the last evaluation, positive pushes apart [N], shape (capacity,)."""


class Walls(NamedTuple):
    """Walls of infinite mass with given velocities, or with velocities that keep a force (`servo`)."""

    shape: NDArray[np.int64]
    """PLANE, FACET or CYLINDER (repose.sim.engine.contacts.wall_forces), shape (walls,)."""
    corner: Floats
    """Geometry of the wall at its initial position [m], shape (walls, 3, dimension). Plane: point, normal, unused.
    Facet: its corners, the last two equal for a line in the plane. Cylinder: point on the axis, direction of the axis,
    (radius, +1 inside or -1 outside, 0)."""
    velocity: Floats
    """[m/s], shape (walls, dimension)."""
    moved: Floats
    """Displacement from the initial position [m], shape (walls, dimension)."""
    spin: Floats
    """Rate at which a plane turns about its normal through its point, or a cylinder about its axis [rad/s], with
    rotation in space only, shape (walls,). Its place does not change: neither has marks."""
    material: NDArray[np.int64]
    """Shape (walls,)."""
    force: Floats
    """Force of the grains on the wall at the last evaluation [N], shape (walls, dimension)."""
    servo: Floats
    """Walls that keep a force (repose.sim.engine.contacts.servo): the force [N]; the largest speed [m/s], 0 for all
    other walls; the viscosity per contact [kg/s]; the speed at the next evaluation [m/s]; and the unit vector along
    which the wall pushes; shape (walls, 4 + dimension)."""


class WallContacts(NamedTuple):
    """Spheres near walls: every sphere and wall closer than touching + skin, sorted by sphere and then by wall."""

    sphere: NDArray[np.uint32]
    wall: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    """As in `Pairs`, shape (capacity,)."""
    shear_spring: Floats
    """As in `Pairs`, with the nearest point of the wall in place of the branch [m], shape (dimension, capacity)."""
    normal_force: Floats
    """[N], shape (capacity,)."""


class Search(NamedTuple):
    """With what the lists were built: without these numbers a restart would rebuild them, in another order."""

    reference: Floats
    """Positions of the spheres at the last rebuild [m], shape (dimension, count)."""
    wall_reference: Floats
    """Displacements of the walls at the last rebuild [m], shape (walls, dimension)."""
    skin: Floats
    """Distance beyond the reach of the law up to which pairs are listed [m], shape (1,); tuned at each rebuild."""
    reach: Floats
    """Largest gap at which the law acts, as assumed by the lists [m], shape (1,); 0 for a contact law."""


class BondTable(NamedTuple):
    """Lasting links between two spheres; if the spheres touch, the contact force acts in addition."""

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
    """Deformation, with rotation only. In the plane: shear of the bond (x, y) [m] and relative rotation of its ends
    [rad]; in space: shear (x, y, z) [m], bending (x, y, z) and twist [rad]; shape (0, 3 or 7, bonds)."""
    lost: Floats
    """Sum of the energies that broken bonds stored when they broke [J], shape (1,)."""


class BodyTable(NamedTuple):
    """Rigid bodies of several spheres, with tables of motion like those of `State`.

    Before every force evaluation the member spheres are placed; afterwards their forces are summed on the body.

    In the plane the rotation coordinate of a body is its angle, and the velocity of the coordinate its spin. In space
    the coordinates are not angles: their velocity is the angular momentum over a reference moment of inertia, which
    only torques change.
    """

    motion: Floats
    """As in `State`, for the centre of mass, shape (coordinates, levels, bodies)."""
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
    """Orientation at this evaluation, shape (4, bodies); in the plane the first two rows are cosine and sine of the
    angle."""
    rotation: Floats
    """Sum of the rotations between evaluations [rad], shape (spin length, bodies): the rotation coordinates of the
    members. In the plane it is the angle, with equal moments of inertia the integral of the spin."""
    member: NDArray[np.uint32]
    """Rows of the member spheres, body by body, shape (members,)."""
    begin: NDArray[np.int64]
    """First entry of each body in `member`, shape (bodies + 1,)."""
    offset: Floats
    """Vector from the centre of the body to each member, in the principal axes of the body [m], 0 for spheres of no
    body, shape (dimension, count)."""
    own_mass: Floats
    """Mass of each sphere on which weight and fields act [kg], shape (count,): of a member its share of the mass of the
    body; `State.mass` of a member is the mass of the body."""
    body_id: NDArray[np.int64]
    """Identity, the id of the first member, shape (bodies,)."""


class State(NamedTuple):
    """All that a restart with equal bits needs: motion, materials, contacts with their memory, walls, bonds, bodies."""

    motion: Floats
    """Time derivatives of the coordinates, shape (coordinates, levels, count): level 0 position
    [m or rad], 1 velocity [m/s or rad/s], 2 acceleration, and further levels of the integrator.
    Coordinates are x, y(, z) and then the rotation, of length 0, 1 or 3."""
    previous: Floats
    """Position [m] and rotation [rad] of each coordinate at the last evaluation of forces, shape (coordinates, count):
    friction springs and bonds are deformed by the displacement since then."""
    force: Floats
    """Force [N] and torque [N m] on each coordinate, shape (coordinates, count)."""
    inverse_mass: Floats
    """1/mass [1/kg] and 1/inertia [1/(kg m²)], 0 for spheres that cannot move, shape (coordinates, count)."""
    mass: Floats
    """[kg], shape (count,). Fixed spheres have a mass too, which enters the effective mass (thesis)."""
    radius: Floats
    """[m], shape (count,)."""
    sphere_id: NDArray[np.int64]
    """Identity, never reused within a run, shape (count,)."""
    layer: NDArray[np.int64]
    """Layer the sphere was poured in, -1 for spheres of walls and base, shape (count,)."""
    material: NDArray[np.int64]
    """Row of the scene's table of materials, shape (count,)."""
    orientation: Floats
    """Unit quaternion (w, x, y, z) in space, angle in the plane, nothing of spheres that do not rotate, shape (0, 1 or
    4, count); updated by `repose.sim.engine.orientation`, not by the step loop."""
    turned: Floats
    """Rotation coordinates at the last update of the orientation [rad], shape (spin length, count)."""
    walls: Walls
    wall_contacts: WallContacts
    pairs: Pairs
    search: Search
    ledger: Floats
    """Energy dissipated by damping, fed into friction springs, and supplied by moving walls [J], in BLOCK partial sums
    that are never reset, so that the rounding does not depend on the batch size, shape (3, BLOCK)."""
    stiffening: Floats
    """Energy that friction springs have lost because their stiffness followed the overlap, -xi² dK/2 [J], in BLOCK
    partial sums, shape (BLOCK,). A gain is negative; 0 for laws of constant stiffness."""
    largest_overlap: Floats
    """The largest overlap since the run began: overlap / radius of the smaller sphere that can move [-], step, contact
    point x, y, z [m], ids of both spheres, row of the wall; -1 for no second sphere or no wall. Shape
    (OVERLAP_COLUMNS,)."""
    counters: NDArray[np.int64]
    """Shape (COUNTER_COUNT,)."""
    boundary: Floats
    """Lowest coordinate of the periodic cell and period [m], 0 for an open dimension, shape (2, dimension); shape
    (2, 0) if all dimensions are open. Positions are unwrapped (repose.sim.engine.boundaries)."""
    bonds: Any = ()
    """`BondTable`, or an empty tuple."""
    bodies: Any = ()
    """`BodyTable`, or an empty tuple. In the row of a member, `mass` is the mass of its body, and `inverse_mass` is an
    upper bound of acceleration / force, rotation of the body included. The motion of a member follows from its body and
    overwrites the result of the integrator."""

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(self.search.reference.shape[0])

    @property
    def sphere_count(self) -> int:
        """Rows of the sphere tables."""
        return int(self.radius.size)

    @property
    def own_mass(self) -> Floats:
        """Mass of each sphere alone [kg], shape (count,): of a member its share of the mass of its body."""
        owned: Floats = self.bodies.own_mass if self.bodies else self.mass
        return owned

    @property
    def movable_mass(self) -> Floats:
        """Force over acceleration of each sphere for a force at its centre [kg], shape (count,). A member has less than
        the mass of its body, because the body also rotates."""
        if not self.bodies:
            return self.mass
        inverse = np.where(self.fixed, 1.0 / self.mass, self.inverse_mass[0])
        inertial: Floats = 1.0 / inverse
        return inertial

    @property
    def is_periodic(self) -> bool:
        """Whether a dimension is periodic."""
        return self.boundary.size > 0

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """True for spheres that cannot move, shape (count,)."""
        fixed: NDArray[np.bool_] = self.inverse_mass[0] == 0.0
        return fixed


class World(State):
    """A state with the workspace in which it is stepped."""

    workspace: Workspace
    """All that a step reads besides the state; no other module than those of the engine writes to it."""
    record: Any = None
    """Addresses of the tables for compiled code, made by `repose.sim.engine.records` at the first use; not part of a
    copy."""

    @classmethod
    def of(cls, state: State, workspace: Workspace) -> Self:
        """The world of these tables."""
        world = cls._make(state)
        world.workspace = workspace
        return world

    @property
    def state(self) -> State:
        """The state alone; it shares the tables."""
        return State._make(self)

    @property
    def body(self) -> NDArray[np.int32]:
        """Row of the body of each member sphere, -1 for spheres of no body, shape (count,)."""
        return self.workspace.search.body

    def _replace(self, **tables: Any) -> Self:
        """The world with other tables of the state, and with the same workspace: it must fit them."""
        return self.of(super()._replace(**tables), self.workspace)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has tables at other addresses, and therefore another record."""
        return World.of, (self.state, self.workspace)


def empty_bonds(count: int, spin_length: int, columns: int) -> BondTable:
    """A table of `count` intact bonds, filled with zeros."""
    return BondTable(
        i=zeros(count, np.uint32),
        j=zeros(count, np.uint32),
        rest_length=zeros(count),
        own=zeros((columns, count)),
        intact=filled(count, 1, np.uint8),
        memory=zeros(({0: 0, 1: 3, 3: 7}[spin_length], count)),
        lost=zeros(1),
    )


def motions(world: World) -> tuple[Floats, ...]:
    """The tables of motion that the integrator advances: of spheres, and of bodies if there are any."""
    return (world.motion, world.bodies.motion) if world.bodies else (world.motion,)


def empty_bodies(dimension: int, spin_length: int, levels: int, count: int = 0, spheres: int = 0) -> BodyTable:
    """A table of `count` bodies, filled with zeros."""
    coordinates = dimension + spin_length
    return BodyTable(
        motion=zeros((coordinates, levels, count)),
        inverse_mass=zeros((coordinates, count)),
        unequal=zeros((spin_length if spin_length == 3 else 0, count)),
        reference=zeros((4, count)),
        orientation=zeros((4, count)),
        rotation=zeros((spin_length, count)),
        member=zeros(0, np.uint32),
        begin=zeros(count + 1, np.int64),
        offset=zeros((dimension, spheres)),
        own_mass=zeros(spheres),
        body_id=zeros(count, np.int64),
    )


def empty_pairs(capacity: int, dimension: int) -> Pairs:
    """An empty pair table."""
    return Pairs(
        i=zeros(capacity, np.uint32),
        j=zeros(capacity, np.uint32),
        touching=zeros(capacity, np.uint8),
        shear_spring=zeros((dimension, capacity)),
        normal_force=zeros(capacity),
    )


def empty_walls(count: int, dimension: int) -> Walls:
    """A table of `count` walls, filled with zeros."""
    return Walls(
        shape=zeros(count, np.int64),
        corner=zeros((count, 3, dimension)),
        velocity=zeros((count, dimension)),
        moved=zeros((count, dimension)),
        spin=zeros(count),
        material=zeros(count, np.int64),
        force=zeros((count, dimension)),
        servo=zeros((count, SERVO_NORMAL + dimension)),
    )


def empty_wall_contacts(capacity: int, dimension: int) -> WallContacts:
    """An empty list of spheres near walls."""
    return WallContacts(
        sphere=zeros(capacity, np.uint32),
        wall=zeros(capacity, np.uint32),
        touching=zeros(capacity, np.uint8),
        shear_spring=zeros((dimension, capacity)),
        normal_force=zeros(capacity),
    )


def copy_world(world: World) -> World:
    """An independent copy with equal bits, of the workspace too."""
    return World.of(copied_state(world), _copied(world.workspace))


def copied_state(state: State) -> State:
    """An independent copy of a state with equal bits."""
    return State._make(_copied(tuple(state)))


def _copied(tables: Any) -> Any:
    """A copy of a tuple of tables and of such tuples; an empty tuple stands for absent tables."""
    copies = (_copied(item) if isinstance(item, tuple) else copied(item) for item in tables)
    return tables._make(copies) if hasattr(tables, "_make") else tuple(copies)
