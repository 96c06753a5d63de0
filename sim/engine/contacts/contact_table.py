"""All contacts as a table: the law evaluated once more, at the present state of the world, which does not change.

The step loop keeps only the normal force of a pair. Stress needs the whole vector, and the survey of energies and of
the time step (repose.sim.engine.timestep.survey) needs the stiffness; to store them at every step would cost memory
traffic that nothing else needs. Only what evaluates the law is compiled for each law: what reads the table is not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof
from numba._dispatcher import compute_fingerprint
from numpy.typing import NDArray
from repose.sim.engine import vector
from repose.sim.engine.builder import empty_world
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import wall_contact, wall_kind
from repose.sim.engine.jit import address_of, argument_type, call, compilable, compiled, compiled_part, fingerprint
from repose.sim.engine.model import BoundLaw, Model, Shapes
from repose.sim.engine.packed import likeness, numbers_at, packed, while_same
from repose.sim.engine.records import Record, TablesAt, record_of
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World


class ContactTable(NamedTuple):
    """Every two spheres that touch, or act on each other at a distance, and likewise spheres and walls; one column per
    contact. Of the last two fields those without room are not computed."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    """The other sphere, -1 for a wall, shape (contacts,)."""
    overlap: Floats
    """[m], shape (contacts,)."""
    distance: Floats
    """From the centre of j, or from the wall, to the centre of i [m], shape (contacts,)."""
    normal: Floats
    """Unit vector from j to i, shape (dimension, contacts)."""
    force: Floats
    """On i, from j or the wall, shear force included [N], shape (dimension, contacts)."""
    elasticity: Floats
    """Energy of the repulsion and of the friction spring [J], normal and shear stiffness [N/m], normal and shear
    damping [kg/s], shape (6, contacts)."""

    @property
    def branch(self) -> Floats:
        """x_i - x_j, at a wall from the point touched to x_i [m], shape (dimension, contacts)."""
        return self.distance * self.normal


class ContactRange(NamedTuple):
    """What an evaluation reads and writes; the compiled one gets records of world and table."""

    world: World | Record
    params: int
    """Address of the numbers of the law."""
    first: int
    last: int
    """The entries `first` to `last` - 1 of the list of pairs, followed by that of walls."""
    table: ContactTable | Record


def contact_table(model: Model) -> Callable[[World, tuple], ContactTable]:
    """table(world, params) -> ContactTable with forces."""
    evaluation = evaluation_of(model)

    def table(world: World, params: tuple) -> ContactTable:
        blank = blank_table(world, entries_of(world), force=True)
        return acting(blank, _filled(world, evaluation(world, params), blank) if blank.i.size else 0)

    return table


def compile_table(model: Model, world: World, params: tuple) -> None:
    """Compile what fills the table of contacts, whether or not something touches."""
    _filled(world, evaluation_of(model)(world, params), blank_table(world, 0))


def _filled(world: World, evaluation: Evaluation, blank: ContactTable) -> int:
    """Number of contacts that the evaluation has written to a table for all entries of the lists."""
    record = recorded(blank)
    return int(compiled_fill()(evaluation.address, record_of(world), evaluation.params, blank.i.size, record))


def acting(table: ContactTable, count: int) -> ContactTable:
    """The first `count` contacts of a table, without those within reach that exert no force."""
    found = ContactTable._make(column[..., :count] for column in table)
    acts = (found.overlap > 0.0) | found.force.any(axis=0)
    if acts.all():
        return found
    return ContactTable._make(column[..., acts] if column.shape[-1] > 0 else column for column in found)


def entries_of(world: World) -> int:
    """The length of both lists."""
    return int(world.counters[PAIR_COUNT] + world.counters[WALL_CONTACT_COUNT])


def blank_table(world: World, room: int, force: bool = False, elasticity: bool = False) -> ContactTable:
    """A table with room for so many contacts."""
    dimension = world.search.reference.shape[0]
    return ContactTable(
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room),
        np.empty(room),
        np.empty((dimension, room)),
        np.empty((dimension, room if force else 0)),
        np.empty((6, room if elasticity else 0)),
    )


def recorded(table: ContactTable) -> Record:
    """The table as compiled code gets it."""
    return Record(table, table_type())


@cache
def table_type() -> TablesAt:
    """The type of its record."""
    return TablesAt(typeof(blank_table(empty_world(), 0)))


class Evaluation(NamedTuple):
    """The evaluation of a contact law, compiled."""

    address: int
    params: int
    """Address of the numbers of the law."""
    memory: NDArray[np.int64]
    """Where these are, as long as this is kept."""


def evaluation_of(model: Model) -> Callable[[World, tuple], Evaluation]:
    """evaluation(world, params) -> the evaluation of the model's law for tables like those of this world."""
    known: dict[bytes, int] = {}
    """Addresses by the types of the numbers."""

    @while_same
    def pack(params: tuple) -> tuple[NDArray[np.int64], list[int], bytes]:
        return *packed(params), compute_fingerprint((params,))

    def evaluation(world: World, params: tuple) -> Evaluation:
        memory, (address,), kind = pack(params)
        if kind not in known:
            argument = ContactRange(record_of(world), 0, 0, 0, recorded(blank_table(world, 0)))
            known[kind] = address_of(compiled_evaluation(model.law, model.shapes, params), argument_type(argument))
        return Evaluation(known[kind], address, memory)

    return evaluation


def compiled_evaluation(law: BoundLaw, shapes: Shapes, params: tuple) -> Any:
    """numba's dispatcher of the evaluation of a law; nothing is compiled by asking for it."""
    return _dispatcher(plain_evaluation(law, shapes, likeness(params)))


_dispatcher = cache(compiled_part)


@lru_cache(maxsize=64, typed=True)
def plain_evaluation(law: BoundLaw, shapes: Shapes, params_like: tuple) -> Callable[[ContactRange], int]:
    """evaluate(`ContactRange`) -> number of contacts found, in plain Python; the integrator does not matter to it."""
    force_of, material, energy, stiffness, reach_of = law.force, law.material, law.energy, law.stiffness, law.reach
    source = fingerprint()

    def evaluate(tables):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        params = numbers_at(tables.params, params_like)
        called = EvaluatedLaw(force_of, material, energy, stiffness, params, reach_of(params))
        return evaluate_contacts(tables.world, tables.table, tables.first, tables.last, called, shapes)

    return evaluate


@cache
def compiled_fill() -> Any:
    """fill(address of an evaluation, the fields of `ContactRange` but for the first entry) -> number of contacts."""
    source = fingerprint()

    def fill(evaluation, world, params, last, table):
        source  # noqa: B018
        return call(evaluation, ContactRange(world, params, 0, last, table))

    return compiled(fill)


class EvaluatedLaw(NamedTuple):
    """The law's functions that an evaluation calls, and the numbers they read."""

    force: Callable
    material: Callable
    energy: Callable
    stiffness: Callable
    params: tuple
    reach: float
    """How far beyond touching the law acts [m]."""


@compilable
def evaluate_contacts(world, table, first, last, law, shapes):
    """Write the contacts in the order of the lists; returns how many."""
    found = 0
    pair_count = world.counters[PAIR_COUNT]
    # One loop for pairs and walls, so that the law is compiled only once. No time passes: friction springs are read and
    # not stretched.
    for k in range(first, last):
        if k < pair_count:
            i = np.int64(world.pairs.i[k])
            j = np.int64(world.pairs.j[k])
            radius_sum = world.pairs.radius_sum[k]
            contact = pair_contact(world, k, law.material(law.params, world.pairs.kind[k]), shapes)
        else:
            t = k - pair_count
            if world.wall_contacts.normal_force[t] == 0.0:
                continue
            i = np.int64(world.wall_contacts.sphere[t])
            j = np.int64(-1)
            radius_sum = world.radius[i]
            kind = wall_kind(world, i, world.wall_contacts.wall[t])
            contact = wall_contact(world, t, law.material(law.params, kind), shapes)
        if contact.overlap <= -law.reach:
            continue
        table.i[found] = i
        table.j[found] = j
        table.overlap[found] = contact.overlap
        table.distance[found] = radius_sum - contact.overlap
        for c in range(len(contact.normal)):
            table.normal[c, found] = contact.normal[c]
        if table.force.shape[1] > 0:
            answer = law.force(law.params, contact)
            force = vector.add(vector.scale(answer.normal_force, contact.normal), answer.shear_force)
            for c in range(len(contact.normal)):
                table.force[c, found] = force[c]
        if table.elasticity.shape[1] > 0:
            repulsion, spring = law.energy(law.params, contact)
            along, across, damped_along, damped_across = law.stiffness(law.params, contact)
            table.elasticity[0, found] = repulsion
            table.elasticity[1, found] = spring
            table.elasticity[2, found] = along
            table.elasticity[3, found] = across
            table.elasticity[4, found] = damped_along * contact.effective_mass
            table.elasticity[5, found] = damped_across * contact.effective_mass
        found += 1
    return found
