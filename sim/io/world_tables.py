"""Conversion of a state to named tables and back with checks; files of the prepared worlds of the program.

The tables are those of `repose.sim.engine.world.State`, which a step reads from an earlier step. These include the
reference positions of the neighbour search: neighbour lists built at another step have another order, and sums are
rounded differently. The workspace of a world is made anew from its state.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from repose.sim.engine.boundaries import flaw_of_room
from repose.sim.engine.builder import (
    empty_state,
    first_room,
    flaw_at_border,
    flaw_of_spin,
    flaw_of_walls,
    in_order_of_id,
    room_for,
    with_capacity,
    with_new_workspace,
)
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.engine.tables import copied, same_bits
from repose.sim.engine.workspace import OVERLAP_RATIO, OVERLAP_STEP
from repose.sim.engine.world import (
    MATERIAL_COUNT,
    PAIR_COUNT,
    PENDING,
    PERIOD,
    REBUILT_AT,
    SERVO_SPEED,
    SERVO_VISCOSITY,
    STEP_COUNT,
    WALL_CONTACT_COUNT,
    BodyTable,
    BondTable,
    State,
    World,
    empty_bodies,
    empty_bonds,
)
from repose.sim.io import archive
from repose.sim.io.archive import ArchiveError
from repose.sim.io.plain import PlainError, as_json, decode
from repose.sim.message import EMPTY, Message, _

FORMAT = 10
"""Format of the files of prepared worlds."""
READABLE = (2, 3, 4, 5, 6, 7, 8, 9, FORMAT)
"""Formats that can be read. Format 2 has further columns that follow from the others; formats 2 and 3 have no largest
overlap; up to format 4 tables have the names in OLD_NAMES; up to format 5 there are no positions of the last
evaluation (`_with_previous`); from format 7 on the tables in `SINGLE` can be in single precision; from format 8 on a
world can have periodic dimensions (`boundary`), from format 9 on walls that keep a force (`walls.servo`),
from format 10 on walls that turn (`walls.spin`)."""

OLD_NAMES = {
    "mobility": "inverse_mass",
    "deepest": "largest_overlap",
    "pairs.anchor": "pairs.shear_spring",
    "touches.sphere": "wall_contacts.sphere",
    "touches.wall": "wall_contacts.wall",
    "touches.touching": "wall_contacts.touching",
    "touches.anchor": "wall_contacts.shear_spring",
    "touches.normal_force": "wall_contacts.normal_force",
}
"""Names of tables in older formats, of prepared worlds and of saved runs, and their present names."""

OPTIONAL: dict[str, Any] = {"bonds": BondTable, "bodies": BodyTable}
"""Tables that most worlds do not have."""
ABSENT = ("search.reach", "stiffening", "boundary", "walls.servo", "walls.spin")
"""Tables that are left out if they are zero or empty."""
REFERENCES = ("search.reference", "search.wall_reference")
"""Tables that are infinite until the first lists are built."""
SINGLE = (
    *("motion", "orientation", "previous", "turned", "force", "search.reference"),
    *(f"{part}.{name}" for part in ("pairs", "wall_contacts") for name in ("shear_spring", "normal_force")),
    *(f"bodies.{name}" for name in ("motion", "orientation", "reference", "rotation", "offset")),
)
"""Tables that can be in single precision in a file: places and forces, not the properties of spheres."""
ROWS_IN_FILE = {"orientation": 4, "turned": 3}
"""Rows in files of the tables that have fewer rows in the plane or without rotation."""
LARGEST_FLOAT = float(np.finfo(np.float64).max)
EMPTY_STATE = empty_state()
MOST_MATERIALS = 256
LIGHTEST, HEAVIEST = 1e-30, 1e30
"""Limits of the masses in a file [kg]: a product of two masses does not overflow."""
SMALLEST, LARGEST = 1e-9, 1e4
"""Limits of the radii [m]."""
FARTHEST_CELL = 1e15
"""Largest distance from the origin in radii of the largest sphere [-]: cell indices have 64 bits."""
MOST = 1e30
"""Limit of positions, velocities, forces and energies [SI]; accelerations and higher derivatives may be its square."""
MOST_STEPS = 2**53
"""Largest number of steps that a float represents exactly."""

StoreError = ArchiveError


def tables_of(state: State) -> dict[str, Any]:
    """Every table of the state by name as in files, trimmed to the rows in use."""
    return {name: _as_in_file(name, table) for name, table in _in_use(state).items()}


def _as_in_file(name: str, table: Any) -> Any:
    """A table as it is in files, where orientations have as many rows for all spheres as for those that rotate in
    space; spheres that do not rotate have the quaternion of no rotation."""
    if len(table) == ROWS_IN_FILE.get(name, len(table)):
        return table
    whole = np.zeros((ROWS_IN_FILE[name], table.shape[1]))
    whole[: len(table)] = table
    if name == "orientation" and len(table) == 0:
        whole[0] = 1.0
    return whole


def _as_in_state(tables: dict[str, Any], blank: State) -> dict[str, Any]:
    """Tables of a file with as many rows of orientations as in such a state without spheres."""
    rows = {name: len(getattr(blank, name)) for name in ROWS_IN_FILE}
    return tables | {name: copied(tables[name][:few]) for name, few in rows.items() if few < ROWS_IN_FILE[name]}


def _in_use(state: State) -> dict[str, Any]:
    """Every table of the state by name, trimmed to the rows in use."""
    used = {"pairs": int(state.counters[PAIR_COUNT]), "wall_contacts": int(state.counters[WALL_CONTACT_COUNT])}
    tables: dict[str, Any] = {}
    for name in State._fields:
        part: Any = getattr(state, name)
        if not isinstance(part, tuple):
            tables[name] = part
            continue
        for column in getattr(part, "_fields", ()):
            whole = getattr(part, column)
            in_use = used.get(name, whole.shape[-1])
            tables[f"{name}.{column}"] = whole if in_use == whole.shape[-1] else whole[..., :in_use]
    return {name: np.ascontiguousarray(table) for name, table in tables.items() if name not in ABSENT or table.any()}


def packed(state: State, like: State | None = None) -> State:
    """A copy of a state, or of that of a world, with lists trimmed to the rows in use: a restart point. It shares the
    tables that have the same bits in `like`, an earlier one."""
    known = {} if like is None or isinstance(like, World) else _in_use(like)
    tables = {
        name: known[name] if name in known and same_bits(known[name], table) else copied(table)
        for name, table in _in_use(state).items()
    }
    return _state_of(_absent_of(empty_state(*_sizes(tables)), tables["walls.shape"].size) | tables)


def unpacked(state: State) -> World:
    """A world that can be advanced, from a state, which does not change."""
    lists = {name: (getattr(state, name), getattr(EMPTY_STATE, name)) for name in ("pairs", "wall_contacts")}
    rest = packed(state._replace(**{name: empty for name, (_, empty) in lists.items()}))
    return _with_room(rest._replace(**{name: full for name, (full, _) in lists.items()}))  # which copies the lists


def world_of(tables: dict[str, Any], prefix: str = "") -> World:
    """The world of unchecked tables, named `prefix` + name in `tables_of`; raises `StoreError`."""
    return unpacked(state_of(tables, prefix))


def state_of(tables: dict[str, Any], prefix: str = "") -> State:
    """The state of unchecked tables, which it contains, named `prefix` + name in `tables_of`; raises `StoreError`."""
    named = {name.removeprefix(prefix): table for name, table in tables.items() if name.startswith(prefix)}
    by_name = {OLD_NAMES.get(name, name): table for name, table in named.items()}
    try:
        dimension, spin_length, levels = _sizes(by_name)
        count, counters, walls = by_name["motion"].shape[2], by_name["counters"], by_name["walls.shape"].size
    except (KeyError, ValueError, IndexError):
        raise StoreError(
            _("The file cannot be read as a saved world: it does not have the tables of a world.")
        ) from None
    if dimension not in (2, 3) or spin_length not in (0, 2 * dimension - 3) or not 3 <= levels <= 16:
        raise StoreError(
            Message(
                "The file's world is impossible: dimension = {dimension}, coordinates = {coordinates}, "
                "levels = {levels}.",
                dimension=dimension,
                coordinates=dimension + spin_length,
                levels=levels,
            )
        )
    blank = empty_state(dimension, spin_length, levels)
    by_name.setdefault("largest_overlap", blank.largest_overlap)  # of an older format
    by_name = _with_previous(by_name, dimension)
    by_name = _absent_of(blank, walls) | by_name
    if counters.shape != blank.counters.shape or counters.dtype != blank.counters.dtype:
        raise StoreError(_("The table of counters of the file's world has a wrong type or shape: the file is damaged."))
    if walls == 0:
        by_name.setdefault("search.wall_reference", blank.search.wall_reference)
    rows = {
        "pairs": int(counters[PAIR_COUNT]),
        "wall_contacts": int(counters[WALL_CONTACT_COUNT]),
        "walls": walls,
        "boundary": dimension if by_name["boundary"].any() else 0,
        "": count,
    }
    for name, table in (tables_of(blank) | _absent_of(blank)).items():
        shape = _shape(name, table.shape, rows)
        if name not in by_name or (by_name[name].shape, by_name[name].dtype) != (shape, table.dtype):
            raise StoreError(
                Message("Table '{name}' of the file's world has a wrong type or shape: the file is damaged.", name=name)
            )
    if why := _flaw(by_name, rows):
        raise StoreError(Message("The file's world {why}: the file is damaged.", why=why))
    if flaw := flaw_of_parts(by_name, count, dimension, spin_length, levels):
        raise StoreError(Message("The file's world {why}: the file is damaged.", why=flaw))
    state = _state_of(_as_in_state(by_name, blank))
    in_order = bool((np.diff(state.sphere_id) > 0).all())
    return state if in_order else packed(in_order_of_id(unpacked(state)))


def _with_previous(tables: dict[str, Any], dimension: int) -> dict[str, Any]:
    """The tables with the positions of the last evaluation: in an older format the present ones, from which those of
    leapfrog and velocity Verlet do not differ."""
    if "previous" in tables or tables["motion"].ndim != 3:
        return tables
    tables = tables | {"previous": np.array(tables["motion"][:, 0])}
    if "bodies.motion" in tables:
        tables["bodies.rotation"] = np.array(tables["bodies.motion"][dimension:, 0])  # as those of the members
    return tables


def _absent_of(state: State, walls: int = 0) -> dict[str, Any]:
    """The tables of a state with so many walls that may be left out."""
    servo = np.zeros((walls, state.walls.servo.shape[1]))
    return {
        "search.reach": state.search.reach,
        "stiffening": state.stiffening,
        "boundary": state.boundary,
        "walls.servo": servo,
        "walls.spin": np.zeros(walls),
    }


def _sizes(tables: dict[str, Any]) -> tuple[int, int, int]:
    """Dimension, length of a spin and levels."""
    coordinates, levels, _ = tables["motion"].shape
    dimension = tables["search.reference"].shape[0]
    return dimension, coordinates - dimension, levels


def _shape(name: str, empty: tuple[int, ...], rows: dict[str, int]) -> tuple[int, ...]:
    """The shape that a table must have, from its shape in an empty world."""
    part, _, column = name.rpartition(".")
    if name == "boundary":
        return (2, rows[name])
    if name in ("ledger", "stiffening", "largest_overlap", "counters", "search.skin", "search.reach"):
        return empty
    if part == "walls" or column == "wall_reference":
        return (rows["walls"], *empty[1:])
    return (*empty[:-1], rows.get(part, rows[""]))


def _flaw(tables: dict[str, Any], rows: dict[str, int]) -> str:
    """The first impossible property of a world of the right shape. If it is empty, no step reads or writes outside the
    tables, and no number is nan."""
    spheres, walls, counters = rows[""], rows["walls"], tables["counters"]
    kinds = int(counters[MATERIAL_COUNT])
    i, j = tables["pairs.i"], tables["pairs.j"]
    steps = int(counters[STEP_COUNT])
    farthest = FARTHEST_CELL * min(float(tables["radius"].max(initial=0.0)), LARGEST)
    complaints = {
        "has counters below zero": (np.delete(counters, REBUILT_AT) < 0).any(),
        "is in the middle of a step": counters[PENDING] != 0,
        "has neighbour lists of a later step": counters[REBUILT_AT] > steps,
        "has no materials": not 1 <= kinds <= MOST_MATERIALS,
        "has positions that are not finite": not _between(tables["motion"], -LARGEST_FLOAT, LARGEST_FLOAT),
        "has numbers that are not finite": not all(
            _between(table, -LARGEST_FLOAT, LARGEST_FLOAT)
            for name, table in tables.items()
            if table.dtype.kind == "f" and name not in REFERENCES
        ),
        "has radii or masses that are not positive": not (
            (tables["radius"] > 0.0).all() and (tables["mass"] > 0.0).all() and (tables["inverse_mass"] >= 0.0).all()
        ),
        f"has masses that are not between {LIGHTEST:g} and {HEAVIEST:g} kg": not _between(
            tables["mass"], LIGHTEST, HEAVIEST
        ),
        f"has radii that are not between {SMALLEST:g} and {LARGEST:g} m": not _between(
            tables["radius"], SMALLEST, LARGEST
        ),
        "has positions too far from the origin": not _between(
            tables["motion"][: len(tables["search.reference"]), 0], -farthest, farthest
        ),
        f"has numbers larger than {MOST:g}": not all(
            _between(table, -MOST, MOST)
            for name, table in (tables | {"motion": tables["motion"][:, :2]}).items()
            if table.dtype.kind == "f" and name not in ("inverse_mass", *REFERENCES)
        ),
        f"has accelerations or inverse masses larger than {MOST**2:g}": not all(
            _between(table, -(MOST**2), MOST**2) for table in (tables["motion"], tables["inverse_mass"])
        ),
        f"has counters beyond {MOST_STEPS}": (counters > MOST_STEPS).any(),
        "has an impossible largest overlap": not (
            tables["largest_overlap"][OVERLAP_RATIO] >= 0.0 and 0.0 <= tables["largest_overlap"][OVERLAP_STEP] <= steps
        ),
        "has two spheres with one id": not (np.diff(tables["sphere_id"]) > 0).all()
        and np.unique(tables["sphere_id"]).size < spheres,
        "has a negative reach": (tables["search.reach"] < 0.0).any(),
        "has a skin that is not positive": not (tables["search.skin"] > 0.0).all(),
        "refers to spheres that do not exist": not ((i < j).all() and (j < spheres).all())
        or not (tables["wall_contacts.sphere"] < spheres).all(),
        "has pairs in wrong order": (np.diff(i.astype(np.int64) * spheres + j) <= 0).any(),
        "has wall contacts in wrong order": (
            np.diff(tables["wall_contacts.sphere"].astype(np.int64) * walls + tables["wall_contacts.wall"]) <= 0
        ).any(),
        "refers to walls that do not exist": not (tables["wall_contacts.wall"] < walls).all(),
        "refers to materials that do not exist": not (
            _within(tables["material"], kinds) and _within(tables["walls.material"], kinds)
        ),
        "has walls without extent or direction": flaw_of_walls(tables["walls.shape"], tables["walls.corner"]) != "",
        "has walls of negative speed or viscosity": (
            (tables["walls.servo"][:, [SERVO_SPEED, SERVO_VISCOSITY]] < 0.0).any()
            or (tables["walls.servo"][tables["walls.servo"][:, SERVO_SPEED] > 0.0, SERVO_VISCOSITY] == 0.0).any()
        ),
        "has walls that cannot turn": flaw_of_spin(tables["walls.shape"], tables["walls.spin"], *_sizes(tables)[:2])
        != "",
        "has periods that are not positive": (tables["boundary"][PERIOD] < 0.0).any(),
        "has walls that cross a periodic border": flaw_at_border(
            tables["boundary"], tables["walls.shape"], tables["walls.corner"]
        )
        != "",
        "has spheres that touch two images of another one": flaw_of_room(
            tables["boundary"], 2.0 * float(tables["radius"].max(initial=0.0))
        )
        != "",
        "has walls of unknown shape": not np.isin(tables["walls.shape"], (PLANE, FACET, CYLINDER)).all(),
    }
    return next((words for words, holds in complaints.items() if holds), "")


def _between(values: Any, low: float, high: float) -> bool:
    """Whether all numbers are within these limits, and none is nan; without a table of as many answers."""
    return bool(values.size == 0 or (values.min() >= low and values.max() <= high))


def _within(rows: Any, count: int) -> bool:
    return bool(((rows >= 0) & (rows < count)).all())


def _state_of(tables: dict[str, Any]) -> State:
    """The state of these tables."""
    blank = empty_state(*_sizes(tables))

    def part(name: str, kind: Any) -> Any:
        return kind(**{column: tables[f"{name}.{column}"] for column in kind._fields})

    kinds = {name: type(item) for name, item in blank._asdict().items() if isinstance(item, tuple) and item}
    kinds |= {name: kind for name, kind in OPTIONAL.items() if f"{name}.{kind._fields[0]}" in tables}
    flat = {name: tables[name] for name in State._fields if name in tables}
    return blank._replace(**flat, **{name: part(name, kind) for name, kind in kinds.items()})


def flaw_of_parts(tables: dict[str, Any], spheres: int, dimension: int, spin_length: int, levels: int) -> Message:
    """The first impossible property of the tables of bonds and bodies, or an empty string."""
    for part, kind in OPTIONAL.items():
        kept = kind._fields
        given = [name for name in tables if name.startswith(f"{part}.")]
        if not given:
            continue
        if sorted(given) != sorted(f"{part}.{name}" for name in kept):
            return Message("has other tables of {part} than this program", part=part)
        rows = tables[given[0]].shape[-1] if part == "bonds" else tables["bodies.motion"].shape[-1]
        if part == "bonds":
            like: Any = empty_bonds(rows, spin_length, len(tables["bonds.own"]))
        else:
            like = empty_bodies(dimension, spin_length, levels, rows, spheres)
            like = like._replace(member=np.zeros(tables["bodies.member"].size, np.uint32))
        for name in kept:
            table, blank = tables[f"{part}.{name}"], getattr(like, name)
            if (table.shape, table.dtype) != (blank.shape, blank.dtype):
                return Message("has a table '{part}.{name}' that is not what it should be", part=part, name=name)
            if table.dtype.kind == "f" and not (np.isfinite(table).all() and (np.abs(table) <= MOST**2).all()):
                return Message("holds numbers of {part} that are not finite or too large", part=part)
    if "bonds.i" in tables and _flawed_bonds(tables, spheres):
        return _("has bonds between spheres that are not there, or of no length")
    if "bodies.motion" in tables and _flawed_bodies(tables, spheres):
        return _("has bodies whose members, masses or orientations cannot be")
    return EMPTY


def _flawed_bonds(tables: dict[str, Any], spheres: int) -> bool:
    i, j = tables["bonds.i"], tables["bonds.j"]
    there = (i < spheres).all() and (j < spheres).all() and (i != j).all()
    return not (there and (tables["bonds.rest_length"] > 0.0).all() and (tables["bonds.intact"] <= 1).all())


def _flawed_bodies(tables: dict[str, Any], spheres: int) -> bool:
    member, begin = tables["bodies.member"], tables["bodies.begin"]
    lengths = np.diff(begin)
    chained = begin[0] == 0 and (lengths > 0).all() and begin[-1] == member.size
    unique = (member < spheres).all() and np.unique(member).size == member.size
    size = (tables["bodies.reference"] ** 2).sum(axis=0)
    sound = (tables["bodies.inverse_mass"] >= 0.0).all() and (tables["bodies.own_mass"] >= 0.0).all()
    sound = sound and (tables["bodies.unequal"] > -1.0).all() and (np.abs(size - 1.0) < 1e-6).all()
    return not (chained and unique and sound)


def _with_room(state: State) -> World:
    """The world of a state with room in its lists; the lists are the same."""
    listed = int(state.counters[PAIR_COUNT])
    room = room_for(listed) if listed else first_room(state.sphere_count)
    roomy = with_capacity(state, state.pairs, max(64, room))
    return with_new_workspace(roomy._replace(search=state.search))


def to_bytes(world: State, state: Any, facts: dict[str, Any], single: bool = False) -> bytes:
    """A prepared world, the state of the scene (a dataclass) and facts of types that JSON has, as one file; `single`:
    places and forces in single precision."""
    blob = io.BytesIO()
    tables = tables_of(world)
    if single:
        tables |= {name: tables[name].astype(np.float32) for name in SINGLE if name in tables}
    archive.write(blob, {"format": FORMAT, "state": as_json(state), "facts": facts}, tables)
    return blob.getvalue()


def from_bytes(blob: bytes, state_type: type) -> tuple[World, Any, dict[str, Any]]:
    """World, scene state and facts of a prepared world; raises `StoreError`."""
    manifest, tables = archive.read(io.BytesIO(blob), _("a saved world"))
    try:
        if manifest["format"] not in READABLE:
            raise StoreError(
                Message(
                    "The file has format {manifest}; this program reads {format}.",
                    manifest=manifest["format"],
                    format=FORMAT,
                )
            )
        tables |= {name: tables[name].astype(float) for name in SINGLE if name in tables and _is_single(tables[name])}
        return world_of(tables), decode(state_type, manifest["state"], tables, "state"), manifest["facts"]
    except (KeyError, TypeError, PlainError) as error:
        raise StoreError(
            Message("The file cannot be read as a saved world: {error}.", error=archive.why_unreadable(error))
        ) from None


def _is_single(table: Any) -> bool:
    return bool(table.dtype == np.float32)
