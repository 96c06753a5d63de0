"""Build a world from spheres and walls, check it, add, remove and reorder rows, and make the workspace of a state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim.engine.boundaries import (
    AXES,
    boundary_table,
    flaw_of_bonds,
    flaw_of_room,
    periodic_dimensions,
    shortest_branch,
)
from repose.sim.engine.checked import checked_array, checked_rows, numbers_in
from repose.sim.engine.contacts.kinematics import shared_mass
from repose.sim.engine.contacts.partial_sums import divide_pairs, note_partial_sums
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.engine.model import Model
from repose.sim.engine.tables import filled, joined, taken, zeros
from repose.sim.engine.workspace import (
    BLOCK,
    ELSEWHERE,
    FOUND,
    LANES,
    OVERLAP_COLUMNS,
    SUMS_FULL,
    WALL_LIST_FITS,
    BodyEvaluation,
    BondEvaluation,
    Division,
    Workspace,
    empty_body_evaluation,
    empty_wall_buffer,
    empty_wall_evaluation,
    most_ranges,
    search_storage,
)
from repose.sim.engine.world import (
    COUNTER_COUNT,
    MATERIAL_COUNT,
    PAIR_COUNT,
    WALL_CONTACT_COUNT,
    BodyTable,
    BondTable,
    Floats,
    Pairs,
    Search,
    State,
    WallContacts,
    World,
    empty_bodies,
    empty_bonds,
    empty_pairs,
    empty_wall_contacts,
    empty_walls,
)
from repose.sim.parameters import ParameterError

BOND_COLUMNS = ("i", "j", "rest_length", "own", "intact", "memory")
"""Columns of `BondTable` with one entry per bond."""

SPHERE_COLUMNS = (
    *(
        "motion",
        "previous",
        "force",
        "inverse_mass",
        "mass",
        "radius",
        "sphere_id",
        "layer",
        "material",
        "orientation",
        "turned",
    ),
)
"""Tables of `State` with one entry per sphere along the last axis, without those of bodies and of the search."""

PAIRS_PER_SPHERE = 3
"""Initial capacity of the pair list per sphere of many spheres (`first_room`); the table grows when it is full."""
SHAPES = (PLANE, FACET, CYLINDER)
"""Shapes of walls."""
STRAIGHT = 1e-12
"""Largest component of a normal along a dimension to which a plane is parallel [-]."""
SPARE = 1024
"""Unused entries that a list of any length may have: fewer are not worth the time of a reallocation."""


def empty_world(
    dimension: int = 2,
    spin_length: int = 0,
    levels: int = 6,
    skin: float = 3e-4,
    materials: int = 1,
    *,
    period: ArrayLike = 0.0,
    lowest: ArrayLike | None = None,
) -> World:
    """A world without spheres, ready for `add_spheres`.

    `period` [m] is one number per dimension, 0 for an open one; everything is repeated at this distance. The cell of
    the world begins at the coordinates `lowest` [m], by default at 0. Raises `ParameterError` for periods below 0 and
    numbers that are not finite.
    """
    state = empty_state(dimension, spin_length, levels, skin, materials)
    return with_new_workspace(state._replace(boundary=checked_boundary(dimension, period, lowest)))


def checked_boundary(dimension: int, period: ArrayLike, lowest: ArrayLike | None = None) -> Floats:
    """`State.boundary` with these periods and lowest coordinates [m]; raises `ParameterError`."""
    periods = checked_array("period", period, (dimension,), "m", least=0.0)
    least = None if lowest is None else checked_array("lowest", lowest, (dimension,), "m")
    return boundary_table(dimension, periods, least)


def empty_state(
    dimension: int = 2, spin_length: int = 0, levels: int = 6, skin: float = 3e-4, materials: int = 1
) -> State:
    """The state without spheres."""
    coordinates = dimension + spin_length
    return State(
        motion=zeros((coordinates, levels, 0)),
        previous=zeros((coordinates, 0)),
        force=zeros((coordinates, 0)),
        inverse_mass=zeros((coordinates, 0)),
        mass=np.zeros(0),
        radius=np.zeros(0),
        sphere_id=np.zeros(0, np.int64),
        layer=np.zeros(0, np.int64),
        material=np.zeros(0, np.int64),
        orientation=zeros((4 if spin_length == 3 else spin_length, 0)),
        turned=zeros((spin_length, 0)),
        walls=empty_walls(0, dimension),
        wall_contacts=empty_wall_contacts(0, dimension),
        pairs=empty_pairs(0, dimension),
        search=_unlisted(dimension, 0, 0, np.array([skin]), np.zeros(1)),
        ledger=zeros((3, BLOCK)),
        stiffening=zeros(BLOCK),
        largest_overlap=np.zeros(OVERLAP_COLUMNS),
        counters=np.where(np.arange(COUNTER_COUNT) == MATERIAL_COUNT, materials, 0),
        boundary=boundary_table(dimension),
    )


def _unlisted(dimension: int, spheres: int, walls: int, skin: Floats, reach: Floats) -> Search:
    """Reference positions at infinity: the next step rebuilds the lists."""
    return Search(filled((dimension, spheres), np.inf), filled((walls, dimension), np.inf), skin, reach)


def with_new_workspace(state: State, threads: int = 1) -> World:
    """The world of a state, with a workspace made from it alone for so many threads. The next step has the bits that it
    has in the workspace in which the state was made."""
    dimension, spheres = state.dimension, state.sphere_count
    spin_length = state.motion.shape[0] - dimension
    capacity, near_walls = state.pairs.i.size, state.wall_contacts.sphere.size
    used = int(state.counters[PAIR_COUNT])
    division = Division(zeros((most_ranges(spheres), 6), np.int64), np.ones(1, np.int64))
    sum_rows = division.room(int(divide_pairs(division, state.pairs.i, state.pairs.j, used, spheres)), spheres)
    model = (dimension, spin_length > 0, int(state.counters[MATERIAL_COUNT]))
    columns, pair_buffer, search, shared = search_storage(threads, capacity, state.radius, model, division, sum_rows)
    note_partial_sums(shared, state.pairs.i, state.pairs.j, 0, int(shared.range_count[0]))
    bodies = state.bodies.begin.size - 1 if state.bodies else 0
    workspace = Workspace(
        pairs=columns,
        wall_contacts=empty_wall_evaluation(near_walls, spheres, dimension),
        bonds=bond_evaluation(state),
        bodies=empty_body_evaluation(dimension, spin_length, bodies, spheres if state.bodies else 0),
        search=search,
        pair_buffer=pair_buffer,
        wall_buffer=empty_wall_buffer(near_walls, dimension),
        threads=shared,
    )
    if state.bodies:
        search.body[:] = body_of(state.bodies, spheres)
    count = int(state.counters[WALL_CONTACT_COUNT])
    workspace.wall_contacts.begin[:] = np.searchsorted(state.wall_contacts.sphere[:count], np.arange(spheres + 1))
    search.begin[:] = np.searchsorted(state.pairs.i[:used], np.arange(spheres + 1))
    world = World.of(state, workspace)
    fill_pair_columns(world)
    return world


def _keep_evaluation(world: World, before: BodyEvaluation) -> World:
    """The world with the tables of an earlier evaluation of the same bodies, which are read between steps."""
    both: Iterable[tuple[np.ndarray, np.ndarray]] = zip(before, world.workspace.bodies)
    kept = (old if old.shape == new.shape else new for old, new in both)
    return World.of(world.state, world.workspace._replace(bodies=BodyEvaluation._make(kept)))


def with_bonds(world: World, bonds: BondTable) -> World:
    """The world with these bonds in place of its own."""
    state = world.state._replace(bonds=bonds)
    return World.of(state, world.workspace._replace(bonds=bond_evaluation(state)))


def with_bodies(world: World, bodies: BodyTable, evaluation: BodyEvaluation) -> World:
    """The world with these bodies in place of its own."""
    return World.of(world.state._replace(bodies=bodies), world.workspace._replace(bodies=evaluation))


class SphereGroup(NamedTuple):
    """What spheres that are added together have in common."""

    fixed: bool = False
    """Whether they keep their places."""
    layer: int = -1
    """`State.layer`."""
    material: int = 0
    """Index of their material."""
    first_id: int = 0
    """Id of the first one; the others count up from it."""


SINGLE_GROUP = SphereGroup()
"""Movable spheres of the first material, with ids from 0."""


def add_spheres(
    world: World,
    position: ArrayLike,
    radius: ArrayLike,
    mass: ArrayLike,
    group: SphereGroup = SINGLE_GROUP,
    *,
    velocity: ArrayLike = 0.0,
    acceleration: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
) -> World:
    """The world with spheres appended.

    position (n, dimension) [m], radius (n,) [m], mass (n,) [kg], velocity [m/s] and acceleration [m/s²]
    broadcast to (n, dimension), spin [rad/s] to (n, spin length). Raises `ParameterError` for values that are
    not finite or of another shape, and for radii and masses that are not positive.
    """
    coordinates, levels, before = world.motion.shape
    dimension = world.dimension
    position = checked_positions(position, dimension)
    count = len(position)
    radius = checked_array("radius", radius, (count,), "m", above=0.0)
    if flaw := flaw_of_room(world.boundary, 2.0 * float(np.max(radius, initial=0.0))):
        raise ParameterError(flaw)
    mass = checked_array("mass", mass, (count,), "kg", above=0.0)
    motion = np.zeros((coordinates, levels, count))
    motion[:dimension, 0] = position.T
    motion[:dimension, 1] = checked_array("velocity", velocity, (count, dimension), "m/s").T
    motion[:dimension, 2] = checked_array("acceleration", acceleration, (count, dimension), "m/s²").T
    motion[dimension:, 1] = checked_array("spin", spin, (count, coordinates - dimension), "rad/s").T
    # Moment of inertia of a solid disc (one spin component) or sphere (three).
    inertia = (0.4 if coordinates - dimension == 3 else 0.5) * mass * radius**2
    inverse_mass = np.zeros((coordinates, count))
    if not group.fixed:
        inverse_mass[:dimension] = 1.0 / mass
        inverse_mass[dimension:] = 1.0 / inertia
    upright = np.zeros((len(world.orientation), count))
    upright[:1] = 0.0 if coordinates - dimension == 1 else 1.0
    grown = world._replace(
        motion=joined(world.motion, motion),
        previous=joined(world.previous, motion[:, 0]),
        force=joined(world.force, np.zeros((coordinates, count))),
        inverse_mass=joined(world.inverse_mass, inverse_mass),
        mass=joined(world.mass, mass),
        radius=joined(world.radius, radius),
        sphere_id=np.concatenate([world.sphere_id, group.first_id + np.arange(count)]),
        layer=np.concatenate([world.layer, np.full(count, group.layer)]),
        material=np.concatenate([world.material, np.full(count, group.material)]),
        orientation=joined(world.orientation, upright),
        turned=joined(world.turned, np.zeros((coordinates - dimension, count))),
    )
    if grown.bodies:
        loose = {
            "offset": np.concatenate([grown.bodies.offset, np.zeros((dimension, count))], axis=1),
            "own_mass": np.concatenate([grown.bodies.own_mass, mass]),
        }
        grown = grown._replace(bodies=grown.bodies._replace(**loose))
    return fitted(grown, world.pairs, max(world.pairs.i.size, first_room(before + count)))


def checked_positions(position: ArrayLike, dimension: int) -> Floats:
    """Positions of spheres or bodies [m], shape (n, dimension), also of one that is given without brackets around it;
    raises `ParameterError`."""
    places = np.atleast_2d(numbers_in("position", position))
    if places.size == 0 and places.ndim == 2:
        return np.zeros((0, dimension))
    if places.ndim != 2 or places.shape[1] != dimension:
        raise ParameterError(
            f"position has the shape {places.shape} and is refused: give {dimension} coordinates for each sphere, an "
            f"array of the shape (spheres, {dimension})."
        )
    return checked_array("position", places, places.shape, "m")


def add_bonds(
    world: World, i: ArrayLike, j: ArrayLike, own: ArrayLike, *, rest_length: ArrayLike | None = None
) -> World:
    """The world with bonds appended between the spheres of rows i and j, each of shape (bonds,). `own` are the numbers
    of the bonds, shape (columns, bonds) or (columns,). `rest_length` [m] is by default the present length.

    Raises `ParameterError` for rows that do not exist, coinciding centres (a sphere bonded to itself), a number of
    columns that differs from that of existing bonds, and numbers that are not finite.
    """
    spheres, dimension = world.sphere_count, world.dimension
    first = np.atleast_1d(checked_rows("i", i, spheres, "spheres"))
    second = np.atleast_1d(checked_rows("j", j, spheres, "spheres"))
    if first.ndim > 1 or first.shape != second.shape:
        raise ParameterError(
            f"i has the shape {first.shape} and j {second.shape}: give one row of each for every bond."
        )
    count, given = first.size, np.atleast_1d(numbers_in("own", own))
    numbers = checked_array("own", given.reshape(len(given), -1), (len(given), count))
    position = world.motion[:dimension, 0]
    branch = shortest_branch((position[:, first] - position[:, second]).T, world.boundary)
    distance = np.sqrt((branch.T**2).sum(axis=0))
    if not (distance > 0.0).all():
        bond = int((distance > 0.0).argmin())
        raise ParameterError(
            f"Bond {bond} joins spheres {first[bond]} and {second[bond]}, which are at the same place: a bond needs "
            "two spheres at different places."
        )
    length = checked_array("rest_length", distance if rest_length is None else rest_length, (count,), "m", above=0.0)
    if flaw := flaw_of_bonds(world.boundary, np.maximum(length, distance)):
        raise ParameterError(flaw)
    made = empty_bonds(count, world.motion.shape[0] - dimension, len(numbers))
    made.i[:], made.j[:], made.rest_length[:], made.own[:] = first, second, length, numbers
    if world.bonds:
        if len(world.bonds.own) != len(numbers):
            raise ParameterError(f"Bonds of this world have {len(world.bonds.own)} numbers each, not {len(numbers)}.")
        joined = {
            name: np.concatenate([getattr(world.bonds, name), getattr(made, name)], axis=-1) for name in BOND_COLUMNS
        }
        made = made._replace(**joined, lost=world.bonds.lost.copy())
    return with_bonds(world, made)


def bond_evaluation(state: State) -> BondEvaluation:
    """Tables for the forces of the bonds of a state, and its bonds by sphere."""
    bonds = state.bonds or empty_bonds(0, 0, 0)
    count, spheres = bonds.i.size, state.sphere_count if state.bonds else 0
    width = 2 * state.motion.shape[0] - state.dimension
    ends = np.concatenate([bonds.i, bonds.j]).astype(np.int64)
    labels = np.concatenate([np.arange(1, count + 1), -np.arange(1, count + 1)])
    order = np.lexsort((np.abs(labels), ends))
    return BondEvaluation(
        push=np.zeros((count, width)),
        power=np.zeros((2, count)),
        incident=labels[order],
        begin=np.searchsorted(ends[order], np.arange(spheres + 1)),
    )


def _kept_bonds(world: World, new_row: NDArray[np.int64]) -> Any:
    """The bonds between remaining spheres, with their new rows."""
    if not world.bonds:
        return ()
    bonds = world.bonds
    i, j = new_row[bonds.i], new_row[bonds.j]
    stays = (i >= 0) & (j >= 0)
    left = {name: np.ascontiguousarray(getattr(bonds, name)[..., stays]) for name in BOND_COLUMNS}
    left |= {"i": i[stays].astype(np.uint32), "j": j[stays].astype(np.uint32)}
    return bonds._replace(**left)


def body_of(bodies: BodyTable, spheres: int) -> NDArray[np.int32]:
    """Row of the body of each member sphere, -1 for spheres of no body, shape (spheres,)."""
    rows = np.full(spheres, -1, np.int32)
    rows[bodies.member] = np.repeat(np.arange(bodies.begin.size - 1), np.diff(bodies.begin))
    return rows


def _in_whole_bodies(world: World, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The given rows without members of bodies that have a member outside these rows."""
    if not world.bodies or world.bodies.begin.size == 1:
        return rows
    kept = np.zeros(world.sphere_count, bool)
    kept[rows] = True
    body = world.body
    broken = np.bincount(body[~kept & (body >= 0)], minlength=world.bodies.begin.size - 1) > 0
    return rows[~((body[rows] >= 0) & broken[body[rows]])]


def _with_kept_bodies(world: World, chosen: World, rows: NDArray[np.intp], new_row: NDArray[np.int64]) -> World:
    """`chosen` with the bodies of remaining members, in the order of their first members."""
    if not world.bodies:
        return chosen
    bodies, evaluation = world.bodies, world.workspace.bodies
    counts = np.diff(bodies.begin)
    first = new_row[bodies.member[bodies.begin[:-1]]] if counts.size else np.zeros(0, np.int64)
    order = np.argsort(first, kind="stable")
    order = order[first[order] >= 0]
    members = [new_row[bodies.member[bodies.begin[b] : bodies.begin[b + 1]]] for b in order]
    columns = ("motion", "inverse_mass", "unequal", "reference", "orientation", "rotation", "body_id")
    left = bodies._replace(
        **{name: np.ascontiguousarray(getattr(bodies, name)[..., order]) for name in columns},
        member=np.concatenate([np.zeros(0, np.int64), *members]).astype(np.uint32),
        begin=np.concatenate([[0], np.cumsum(counts[order])]).astype(np.int64),
        offset=np.ascontiguousarray(bodies.offset[:, rows]),
        own_mass=bodies.own_mass[rows],
    )
    present = evaluation._replace(
        **{name: np.ascontiguousarray(getattr(evaluation, name)[..., order]) for name in ("force", "matrix", "spin")},
        arm=np.zeros((bodies.offset.shape[0], rows.size)),
    )
    return with_bodies(chosen, left, present)


def keep_spheres(world: World, kept: NDArray[np.bool_]) -> World:
    """The world with only the rows for which `kept` is True. The contact history among them keeps its bits. A body
    leaves as a whole if one of its members leaves."""
    return with_rows(world, np.flatnonzero(kept))


def in_order_of_id(world: World) -> World:
    """The same world with rows in the order of ids, the order in which forces add up; its lists remain valid."""
    rows = np.argsort(world.sphere_id)
    if (rows[1:] > rows[:-1]).all():
        return world
    ordered = with_rows(world, rows)
    ordered.search.reference[:] = world.search.reference[:, rows]
    ordered.search.wall_reference[:] = world.search.wall_reference
    return ordered


def with_rows(world: World, rows: NDArray[np.intp]) -> World:
    """The world with only these rows, in this order; the contact history among them keeps its bits."""
    rows = _in_whole_bodies(world, rows)
    new_row = np.full(world.sphere_count, -1)
    new_row[rows] = np.arange(rows.size)
    pairs, left = _kept_pairs(world, new_row)
    wall_contacts, touching = _kept_wall_contacts(world, new_row)
    columns: dict[str, Any] = {name: taken(getattr(world, name), rows) for name in SPHERE_COLUMNS}
    chosen = world._replace(
        **columns,
        wall_contacts=wall_contacts,
        counters=world.counters.copy(),
        bonds=_kept_bonds(world, new_row),
    )
    chosen = _with_kept_bodies(world, chosen, rows, new_row)
    chosen.counters[PAIR_COUNT] = left
    chosen.counters[WALL_CONTACT_COUNT] = touching
    return fitted(chosen, pairs, world.pairs.i.size)


def _kept_pairs(world: World, new_row: NDArray[np.int64]) -> tuple[Pairs, int]:
    """The pair list without removed spheres, sorted by the new rows, without unused entries, and its length."""
    count = int(world.counters[PAIR_COUNT])
    i, j = new_row[world.pairs.i[:count]], new_row[world.pairs.j[:count]]
    low, high = np.minimum(i, j), np.maximum(i, j)
    entries = np.flatnonzero(low >= 0)
    # Mostly sorted already, which a stable sort of one key notices.
    entries = entries[np.argsort(low[entries] * new_row.size + high[entries], kind="stable")]
    pairs = Pairs._make(np.take(column, entries, axis=-1) for column in world.pairs)
    pairs.i[:], pairs.j[:] = low[entries], high[entries]
    # The contact memory changes sign if i and j are exchanged.
    other = np.flatnonzero(i[entries] > j[entries])
    pairs.shear_spring[:, other] *= -1.0
    return pairs, entries.size


def set_walls(
    world: World,
    shape: ArrayLike,
    corner: ArrayLike,
    *,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
    material: ArrayLike = 0,
) -> World:
    """The world with these walls in place of its present walls; `repose.sim.engine.world.Walls` defines shapes and
    corners.

    shape (walls,), corner (walls, 3, dimension) [m], velocity (walls, dimension) [m/s], spin (walls,) [rad/s] and
    material broadcast. Raises `ParameterError` for corners that are not finite, normals and axes that are not unit
    vectors, facets without extent or with a spin, a spin without grains that rotate in space, and arrays of other
    shapes.
    """
    dimension = world.dimension
    corners = numbers_in("corner", corner)
    if corners.size % (3 * dimension) or corners.shape[-1:] not in ((dimension,), (0,)):
        raise ParameterError(
            f"corner has the shape {corners.shape} and is refused: give three points with {dimension} coordinates for "
            f"every wall, an array of the shape (walls, 3, {dimension})."
        )
    corners = checked_array(
        "corner", corners.reshape(-1, 3, dimension), (corners.size // (3 * dimension), 3, dimension)
    )
    count = len(corners)
    walls = empty_walls(count, dimension)
    walls.corner[:], walls.shape[:] = corners, checked_rows("shape", shape, len(SHAPES), "shapes of walls", (count,))
    walls.velocity[:] = checked_array("velocity", velocity, (count, dimension), "m/s")
    walls.spin[:] = checked_array("spin", spin, (count,), "rad/s")
    walls.material[:] = checked_array("material", material, (count,), least=0.0)
    turns = flaw_of_spin(walls.shape, walls.spin, dimension, world.motion.shape[0] - dimension)
    if flaw := flaw_of_walls(walls.shape, corners) or turns or flaw_at_border(world.boundary, walls.shape, corners):
        raise ParameterError(flaw)
    counters = world.counters.copy()
    counters[WALL_CONTACT_COUNT] = 0
    return fitted(world._replace(walls=walls, counters=counters), world.pairs, world.pairs.i.size)


def flaw_of_walls(shape: NDArray[np.int64], corners: Floats) -> str:
    """What is wrong with these walls, as a sentence; empty if nothing is. corners [m], shape (walls, 3, dimension)."""
    faceted = shape == FACET
    endless = ~np.isfinite(corners).all(axis=(1, 2))
    if endless.any():
        w = int(endless.argmax())
        return f"Wall {w} has a corner that is not finite: {corners[w].tolist()}."
    points = faceted & ~np.ptp(corners, axis=1).any(axis=1)
    if points.any():
        w = int(points.argmax())
        return f"Facet {w} has no extent: all its corners are at {corners[w][0].tolist()} m."
    crooked = ~faceted & (np.abs(np.sqrt((corners[:, 1] ** 2).sum(axis=1)) - 1.0) > 1e-9)
    if crooked.any():
        w = int(crooked.argmax())
        return f"Wall {w} needs a normal or axis of length 1, got {corners[w][1].tolist()}."
    return ""


def flaw_of_spin(shape: NDArray[np.int64], spin: Floats, dimension: int, spin_length: int) -> str:
    """What is wrong with the spins of these walls [rad/s], as a sentence; empty if nothing is. `spin_length` is the
    number of components of the spin of a sphere."""
    if not spin.any():
        return ""
    w = int((spin != 0.0).argmax())
    if dimension == 2 or spin_length == 0:
        return f"Wall {w} with a spin of {spin[w]:g} rad/s is refused: walls turn in space and with grains that rotate."
    turns = (spin != 0.0) & (shape == FACET)
    if turns.any():
        w = int(turns.argmax())
        return (
            f"Facet {w} with a spin of {spin[w]:g} rad/s is refused: its place would change; let planes turn about "
            "their normal and cylinders about their axis."
        )
    return ""


def flaw_at_border(boundary: Floats, shape: NDArray[np.int64], corner: Floats) -> str:
    """What is wrong with walls that cross a periodic border, as a sentence; empty if nothing is. `shape` and `corner`
    as in `Walls`: a wall must be the same everywhere along a periodic dimension."""
    for c in periodic_dimensions(boundary):
        direction = np.abs(corner[:, 1, c]) if len(corner) else np.zeros(0)
        level = (shape == PLANE) & (direction <= STRAIGHT)
        along = (shape == CYLINDER) & (direction >= 1.0 - STRAIGHT)
        wrong = ~(level | along)
        if wrong.any():
            w = int(wrong.argmax())
            return (
                f"Wall {w} is refused: the world is periodic along {AXES[c]}, where a wall must be a plane parallel to "
                f"{AXES[c]} or a cylinder along it; give fixed spheres in its place, or leave {AXES[c]} open."
            )
    return ""


def _kept_wall_contacts(world: World, new_row: NDArray[np.int64]) -> tuple[WallContacts, int]:
    """The list of contacts with walls without removed spheres, sorted by the new rows, and its length."""
    count = int(world.counters[WALL_CONTACT_COUNT])
    sphere = new_row[world.wall_contacts.sphere[:count]]
    entries = np.argsort(sphere, kind="stable")
    entries = entries[sphere[entries] >= 0]
    left = entries.size
    wall_contacts = empty_wall_contacts(world.wall_contacts.sphere.size, world.dimension)
    for name in WallContacts._fields:
        getattr(wall_contacts, name)[..., :left] = getattr(world.wall_contacts, name)[..., entries]
    wall_contacts.sphere[:left] = sphere[entries]
    return wall_contacts, left


def enlarge_pairs(world: World) -> World:
    """The same world with a larger capacity of the list that was full: by an eighth for pairs (by half for few pairs),
    by half for contacts with walls; or with more rows of sums if they were too few. Everything else is unchanged, also
    the reference positions."""
    pairs, walls = world.pairs.i.size, world.wall_contacts.sphere.size
    status = world.workspace.threads.thread_status
    if status[0, SUMS_FULL]:
        return _with_other_workspace(world, len(status))
    walls_full = world.walls.shape.size > 0 and status[0, WALL_LIST_FITS] == 0
    if (status[:, FOUND] < 0).any() or not walls_full:
        pairs = max(64, pairs + max(pairs // 8, min(pairs // 2, SPARE)))
    return _refitted(world, pairs, max(64, 3 * walls // 2) if walls_full else walls)


def trimmed(world: World) -> World:
    """The same world with smaller lists, if the lists fill less than six sevenths of their capacity.

    Lists are longer while grains are poured or flow than when they rest, and a pair takes at least 100 bytes.
    """
    pairs = _trimmed(world.pairs.i.size, int(world.counters[PAIR_COUNT]))
    walls = _trimmed(world.wall_contacts.sphere.size, int(world.counters[WALL_CONTACT_COUNT]))
    if (pairs, walls) == (world.pairs.i.size, world.wall_contacts.sphere.size):
        return world
    return _refitted(world, pairs, walls)


def _trimmed(capacity: int, needed: int) -> int:
    """Capacity of a list with `needed` entries: `capacity` if not much too large, else an eighth above `needed`."""
    return capacity if 6 * capacity <= 7 * needed + 6 * SPARE else room_for(needed)


def first_room(spheres: int) -> int:
    """Initial capacity of the pair list: few spheres have room for one more pair each."""
    return PAIRS_PER_SPHERE * spheres + min(spheres, SPARE)


def room_for(entries: int) -> int:
    """Capacity of a list with some room beyond its entries: an eighth."""
    return 9 * entries // 8 + LANES


def with_threads(world: World, threads: int) -> World:
    """The same world with tables for `threads` threads."""
    if threads == world.workspace.threads.thread_status.shape[0]:
        return world
    return _with_other_workspace(world, threads)


def _with_other_workspace(world: World, threads: int) -> World:
    """The same state with a new workspace; it shares the tables of the state."""
    return _keep_evaluation(with_new_workspace(world.state, threads), world.workspace.bodies)


def _refitted(world: World, capacity: int, wall_capacity: int) -> World:
    """`fitted` for unchanged spheres and walls: the lists remain valid."""
    grown = fitted(world, world.pairs, capacity, wall_capacity)
    grown.search.reference[:] = world.search.reference
    grown.search.wall_reference[:] = world.search.wall_reference
    return grown


def fill_pair_columns(world: World) -> None:
    """Compute the columns of listed pairs that follow from their spheres, with the same bits as in
    `repose.sim.engine.neighbours.pair_list`."""
    used = int(world.counters[PAIR_COUNT])
    pairs = world.workspace.pairs
    i, j = world.pairs.i[:used], world.pairs.j[:used]
    fixed = world.fixed
    pairs.radius_sum[:used] = world.radius[i] + world.radius[j]
    pairs.fixed[:used] = fixed[i] | fixed[j]
    if (materials := int(world.counters[MATERIAL_COUNT])) > 1:
        pairs.material_pair[:used] = world.material[i] * materials + world.material[j]
    if world.inverse_mass.shape[0] == world.dimension:
        pairs.effective_mass[:used] = shared_mass(world.mass[i], world.mass[j])
        pairs.smaller_radius[:used] = np.minimum(world.radius[i], world.radius[j])


def with_parts(world: World, model: Model) -> World:
    """The world with an empty table of bonds or bodies if the model has one and the world does not."""
    dimension, spheres = world.dimension, world.sphere_count
    spin_length = world.motion.shape[0] - dimension
    if model.bond is not None and not world.bonds:
        world = with_bonds(world, empty_bonds(0, spin_length, model.bond.columns))
    if model.bodies and not world.bodies:
        bodies = empty_bodies(dimension, spin_length, world.motion.shape[1], spheres=spheres)
        evaluation = empty_body_evaluation(dimension, spin_length, spheres=spheres)
        world = with_bodies(world, bodies._replace(own_mass=world.mass.copy()), evaluation)
    return world


def forget_neighbours(world: World) -> None:
    """Force a rebuild of both lists at the next step."""
    world.search.reference[:] = np.inf


def reset_displacements(world: World) -> None:
    """Count displacements and rotations anew from the next evaluation of forces: spheres that have been put elsewhere
    have not slipped."""
    world.previous[: world.search.reference.shape[0]] = ELSEWHERE


def with_levels(world: World, levels: int) -> World:
    """The world with the levels of another integrator; levels above the acceleration begin at zero."""
    motion = zeros((world.motion.shape[0], levels, world.sphere_count))
    motion[:, :3] = world.motion[:, :3]
    if world.bodies:
        moved = zeros((world.motion.shape[0], levels, world.bodies.motion.shape[2]))
        moved[:, :3] = world.bodies.motion[:, :3]
        world = world._replace(bodies=world.bodies._replace(motion=moved))
    return world._replace(motion=motion)


def fitted(
    world: World, pairs: Pairs, capacity: int, wall_capacity: int | None = None, threads: int | None = None
) -> World:
    """The world with a workspace for its number of spheres, the given capacities of the lists of pairs and of contacts
    with walls, and `threads` threads; the defaults are the present values.

    The reference positions are infinite: the next step rebuilds the lists.
    """
    state = with_capacity(world.state, pairs, capacity, wall_capacity)
    grown = with_new_workspace(state, threads or world.workspace.threads.thread_status.shape[0])
    return _keep_evaluation(grown, world.workspace.bodies)


def with_capacity(state: State, pairs: Pairs, capacity: int, wall_capacity: int | None = None) -> State:
    """The state with these pairs, the given capacities of its lists, and infinite reference positions."""
    dimension = state.dimension
    capacity = max(1, -(-capacity // LANES)) * LANES  # every row of a table of pairs begins at a cache line
    wide = empty_pairs(capacity, dimension)
    used = int(state.counters[PAIR_COUNT])
    for name in Pairs._fields:
        getattr(wide, name)[..., :used] = getattr(pairs, name)[..., :used]
    count = int(state.counters[WALL_CONTACT_COUNT])
    if wall_capacity is None:
        # Grains near a wall are a third of a thousand grains in a box, and a twentieth of a million.
        beginning = min(state.sphere_count // 4, SPARE + state.sphere_count // 16) if state.walls.shape.size else 0
        wall_capacity = max(state.wall_contacts.sphere.size, beginning)
    wall_contacts = empty_wall_contacts(max(wall_capacity, count), dimension)
    for name in WallContacts._fields:
        getattr(wall_contacts, name)[..., :count] = getattr(state.wall_contacts, name)[..., :count]
    search = _unlisted(
        dimension, state.sphere_count, state.walls.shape.size, state.search.skin.copy(), state.search.reach.copy()
    )
    return state._replace(wall_contacts=wall_contacts, pairs=wide, search=search)
