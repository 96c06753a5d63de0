"""Table of all contacts: the law evaluated at the present state of the world, which does not change.

The step loop stores only the normal force of a pair. Stress needs the whole force, and the survey of energies and of
the time step (repose.sim.engine.timestep.survey) needs the stiffness; storing them at every step would cost memory
traffic. Only the evaluation of the law is compiled per law; code that reads the table is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine import vector
from repose.sim.engine.builder import empty_world
from repose.sim.engine.compiler import TablesAt, address_of, argument_type, key_of_types
from repose.sim.engine.contacts.kinematics import at_last_overlap, force_of
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import wall_contact, wall_material_pair
from repose.sim.engine.jit import call, compilable, compiled, compiled_part, fingerprint
from repose.sim.engine.model import BoundLaw, Model, Shapes, for_world
from repose.sim.engine.packed import coefficients_at, likeness, packed, while_same
from repose.sim.engine.records import Record, record_of, tables_type
from repose.sim.engine.world import MATERIAL_COUNT, PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World

ELASTICITY = 7
"""Rows of `ContactTable.elasticity`."""


class ContactTable(NamedTuple):
    """Every two spheres, or sphere and wall, that touch or act on each other at a distance; one column per contact.
    `force` and `elasticity` are computed only if the table has columns for them."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """The other sphere, -1 for a wall, shape (contacts,)."""
    overlap: Floats
    """[m], shape (contacts,)."""
    distance: Floats
    """Distance from the centre of j, or from the wall, to the centre of i [m], shape (contacts,)."""
    normal: Floats
    """Unit vector from j to i, shape (dimension, contacts)."""
    force: Floats
    """Force on i from j or the wall, shear force included [N], shape (dimension, contacts)."""
    elasticity: Floats
    """Energy of the repulsion and of the friction spring [J], normal and shear stiffness [N/m], normal and shear
    damping [kg/s], and energy stored in the friction spring since the last evaluation of forces [J],
    shape (ELASTICITY, contacts)."""

    @property
    def branch(self) -> Floats:
        """x_i - x_j; at a wall from the nearest point of the wall to x_i [m], shape (dimension, contacts)."""
        return self.distance * self.normal


class ContactRange(NamedTuple):
    """Arguments of an evaluation; compiled code gets records in place of world and table."""

    world: World | Record
    params: int
    """Address of the numbers of the law."""
    first: int
    last: int
    """The entries `first` to `last` - 1 of the list of pairs followed by the list of contacts with walls."""
    table: ContactTable | Record


def contact_table(model: Model) -> Callable[..., ContactTable]:
    """table(world, params, walls_only=False) -> ContactTable with forces; `walls_only` gives only the contacts with
    walls, with `elasticity` instead of forces."""
    evaluation = evaluation_of(model)

    def table(world: World, params: tuple, walls_only: bool = False) -> ContactTable:
        first, last = entries_of(world, walls_only)
        blank, record = recorded_table(world, last - first, force=not walls_only, elasticity=walls_only)
        count = _filled(world, evaluation(world, params), first, last, record) if blank.i.size else 0
        return first_of(blank, count)

    return table


def compile_table(model: Model, world: World, params: tuple) -> None:
    """Compile the code that fills the table of contacts, also if nothing touches."""
    _filled(world, evaluation_of(model)(world, params), 0, 0, recorded_table(world, 0)[1])


def _filled(world: World, evaluation: Evaluation, first: int, last: int, table: Record) -> int:
    """Evaluate the entries `first` to `last` - 1 of the lists into the table; returns the number of contacts
    written."""
    return int(compiled_fill()(evaluation.address, record_of(world), evaluation.params, first, last, table))


def first_of(table: ContactTable, count: int) -> ContactTable:
    """The first `count` contacts of a table."""
    if count == table.i.size:
        return table
    return ContactTable._make([column[..., :count] for column in table])


def entries_of(world: World, walls_only: bool = False) -> tuple[int, int]:
    """First entry and last entry + 1 of the list of pairs followed by the list of contacts with walls, or of the second
    list alone."""
    pairs = int(world.counters[PAIR_COUNT])
    return pairs if walls_only else 0, pairs + int(world.counters[WALL_CONTACT_COUNT])


def blank_table(world: World, room: int, force: bool = False, elasticity: bool = False) -> ContactTable:
    """A table for up to `room` contacts."""
    return _table_in(_block(world, room, force, elasticity), world, force, elasticity)


def recorded_table(
    world: World, room: int, force: bool = False, elasticity: bool = False
) -> tuple[ContactTable, Record]:
    """A table for up to `room` contacts, and its record, which compiled code reads."""
    block = _block(world, room, force, elasticity)
    dimension = world.search.reference.shape[0]
    start, row = block.__array_interface__["data"][0], 8 * room
    forces, elastic = (room if force else 0), (room if elasticity else 0)
    across, end = start + row * (4 + dimension), start + row * (4 + dimension * (1 + force))
    words = (
        *(start, room, start + row, room, start + 2 * row, room, start + 3 * row, room),
        *(start + 4 * row, dimension, room, across, dimension, forces, end, ELASTICITY, elastic),
    )
    return _table_in(block, world, force, elasticity), Record.of_words(words, table_type())


def _block(world: World, room: int, force: bool, elasticity: bool) -> Floats:
    """The memory of all columns of a table, of numbers of 8 bytes: one block is made faster than seven columns."""
    dimension = world.search.reference.shape[0]
    return np.empty((4 + dimension * (1 + force) + ELASTICITY * elasticity, room))


def _table_in(block: Floats, world: World, force: bool, elasticity: bool) -> ContactTable:
    """The columns of a table in its block."""
    dimension = world.search.reference.shape[0]
    ends = 4 + dimension, 4 + dimension * (1 + force)
    whole = block[:2].view(np.int64)
    forces = block[ends[0] : ends[1]] if force else np.empty((dimension, 0))
    elastic = block[ends[1] :] if elasticity else np.empty((ELASTICITY, 0))
    return ContactTable(whole[0], whole[1], block[2], block[3], block[4 : ends[0]], forces, elastic)


@cache
def table_type() -> TablesAt:
    """The type of the records of tables."""
    return tables_type(blank_table(empty_world(), 0))


class Evaluation(NamedTuple):
    """The compiled evaluation of a contact law."""

    address: int
    params: int
    """Address of the numbers of the law."""
    memory: NDArray[np.int64]
    """The memory of these numbers; their address is valid while it exists."""


def evaluation_of(model: Model) -> Callable[[World, tuple], Evaluation]:
    """evaluation(world, params) -> the evaluation of the model's law for tables like those of this world."""
    address_by_types: dict[tuple[bool, bytes], int] = {}
    """Addresses of the evaluation by whether the world is periodic and the types of the numbers of the law."""

    @while_same
    def pack(params: tuple) -> tuple[NDArray[np.int64], list[int], bytes]:
        return *packed(params), key_of_types((params,))

    def evaluation(world: World, params: tuple) -> Evaluation:
        memory, (address,), numbers = pack(params)
        kind = world.is_periodic, numbers
        if kind not in address_by_types:
            argument = ContactRange(record_of(world), 0, 0, 0, recorded_table(world, 0)[1])
            dispatcher = compiled_evaluation(model.law, for_world(model, world.is_periodic).shapes, params)
            address_by_types[kind] = address_of(dispatcher, argument_type(argument))
        return Evaluation(address_by_types[kind], address, memory)

    return evaluation


def compiled_evaluation(law: BoundLaw, shapes: Shapes, params: tuple) -> Any:
    """numba's dispatcher of the evaluation of a law, not yet compiled."""
    return _dispatcher(plain_evaluation(law, shapes, likeness(params)))


_dispatcher = cache(compiled_part)


@lru_cache(maxsize=64, typed=True)
def plain_evaluation(law: BoundLaw, shapes: Shapes, params_like: tuple) -> Callable[[ContactRange], int]:
    """evaluate(`ContactRange`) -> number of contacts, in plain Python; independent of the integrator."""
    force, material, energy, stiffness = law.force, law.material, law.energy, law.stiffness
    varies = law.shear_stiffness_varies
    source = fingerprint()

    def evaluate(tables):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        params = coefficients_at(tables.params, params_like)
        called = EvaluatedLaw(force, material, energy, stiffness, params, varies)
        return evaluate_contacts(tables.world, tables.table, tables.first, tables.last, called, shapes)

    return evaluate


@cache
def compiled_fill() -> Any:
    """fill(address of an evaluation, fields of `ContactRange`) -> number of contacts."""
    source = fingerprint()

    def fill(evaluation, world, params, first, last, table):
        source  # noqa: B018
        return call(evaluation, ContactRange(world, params, first, last, table))

    return compiled(fill)


class EvaluatedLaw(NamedTuple):
    """The functions of a law that an evaluation calls, and the numbers that they read."""

    force: Callable
    material: Callable
    energy: Callable
    stiffness: Callable
    params: tuple
    shear_stiffness_varies: bool
    """`BoundLaw.shear_stiffness_varies`."""


@compilable(forceinline=True)
def stored_since(law, contact, stiffness):
    """Energy stored in a friction spring since the last evaluation of forces [J]: the work on it, minus what it loses
    as its stiffness follows the overlap (`repose.sim.engine.contacts.pair_blocks.by_stiffening`)."""
    work = law.force(law.params, contact).friction_work
    if not law.shear_stiffness_varies:
        return work
    change = stiffness - law.stiffness(law.params, at_last_overlap(contact))[1]
    last = vector.sub(contact.shear, contact.slip)
    return work + 0.5 * change * vector.dot(last, last)


@compilable
def evaluate_contacts(world, table, first, last, law, shapes):
    """Write the contacts to the table in the order of the lists; returns their number."""
    count = 0
    pair_count = world.counters[PAIR_COUNT]
    # One loop for pairs and walls: the law is compiled only once. No time passes: friction springs are read, not
    # stretched.
    for k in range(first, last):
        if k < pair_count:
            i = np.int64(world.pairs.i[k])
            j = np.int64(world.pairs.j[k])
            radius_sum = world.workspace.pairs.radius_sum[k]
            kind = world.workspace.pairs.material_pair[k] if world.counters[MATERIAL_COUNT] > 1 else np.uint16(0)
            contact = pair_contact(world, k, law.material(law.params, kind), shapes)
        else:
            t = k - pair_count
            if world.wall_contacts.normal_force[t] == 0.0:
                continue
            i = np.int64(world.wall_contacts.sphere[t])
            j = np.int64(-1)
            radius_sum = world.radius[i]
            kind = wall_material_pair(world, i, world.wall_contacts.wall[t])
            contact = wall_contact(world, t, law.material(law.params, kind), shapes)
        if contact.overlap <= -world.search.reach[0]:
            continue
        if table.force.shape[1] > 0:
            force = force_of(contact, law.force(law.params, contact))
            acts = contact.overlap > 0.0
            for c in range(len(contact.normal)):
                table.force[c, count] = force[c]
                acts = acts or force[c] != 0.0
            if not acts:
                continue
        table.i[count] = i
        table.j[count] = j
        table.overlap[count] = contact.overlap
        table.distance[count] = radius_sum - contact.overlap
        for c in range(len(contact.normal)):
            table.normal[c, count] = contact.normal[c]
        if table.elasticity.shape[1] > 0:
            repulsion, spring = law.energy(law.params, contact)
            share = 1.0  # as in `repose.sim.engine.contacts.pair_blocks.evaluate`
            if len(contact.relative_spin) > 0:
                share = 1.0 - contact.overlap / radius_sum
            along, across, damped_along, damped_across = law.stiffness(law.params, contact)
            table.elasticity[0, count] = repulsion
            table.elasticity[1, count] = share * spring
            table.elasticity[2, count] = along
            table.elasticity[3, count] = across
            table.elasticity[4, count] = damped_along * contact.effective_mass
            table.elasticity[5, count] = damped_across * contact.effective_mass
            table.elasticity[6, count] = share * stored_since(law, contact, across)
        count += 1
    return count
