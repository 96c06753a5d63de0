"""Parts of the step that are compiled separately and that the step loop calls by their addresses.

Neighbour search and motion of rigid bodies depend on neither contact law nor integrator: they are compiled once per
dimension. Forces depend on the law but not on the integrator, and the parts of an integrator depend on nothing else.
The parts for walls are compiled when the first world with walls is stepped. The step loop is the same for all models.

A part has one argument, a named tuple of the record of the world (repose.sim.engine.records) and of further values, and
returns an integer. The types of the arguments are the same for all worlds and models.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.bodies import body_tables, turn_bodies
from repose.sim.engine.body_members import fill_noted, gather_members, members_moved, note_members, place_members
from repose.sim.engine.bond_forces import BondCall, bond_forces, bond_tables
from repose.sim.engine.builder import empty_world
from repose.sim.engine.compiler import address_of, argument_type
from repose.sim.engine.contacts.pair_blocks import Block, evaluate_block
from repose.sim.engine.contacts.pair_forces import force_of_pairs, pair_forces
from repose.sim.engine.contacts.wall_forces import (
    add_wall_forces,
    force_of_walls,
    record_wall_energy,
    search_acting,
    wall_record,
)
from repose.sim.engine.fields import FieldCall, field_forces, field_tables, sum_of
from repose.sim.engine.jit import compiled_part, fingerprint
from repose.sim.engine.model import (
    AT_REST,
    NO_COEFFICIENTS,
    BoundBond,
    BoundField,
    BoundLaw,
    Coefficients,
    Corrected,
    Integrator,
    LawCall,
    Model,
    PackedCoefficients,
    Predicted,
    Scheme,
    Shapes,
    Share,
    Thread,
)
from repose.sim.engine.neighbours.cell_list import Cells
from repose.sim.engine.neighbours.verlet_list import moved_too_far, renew_lists, renewal
from repose.sim.engine.neighbours.wall_list import refresh_wall_list, wall_listing
from repose.sim.engine.packed import coefficients_at, likeness
from repose.sim.engine.records import record_of
from repose.sim.engine.world import World


class Parts(NamedTuple):
    """The parts: addresses in the compiled loop, functions in the plain loop; 0 for a part that is not needed."""

    evaluate_pairs: Any = 0
    """Evaluates the contact law for a block of pairs."""
    evaluate_walls: Any = 0
    """Evaluates the contact law for a block of contacts with walls."""
    add_pair_forces: Any = 0
    """Adds weight and forces of pairs; returns 0 if a thread is missing."""
    before: Any = 0
    """Predictor or drift of the integrator, before the forces."""
    after: Any = 0
    """Corrector or kick of the integrator, after the forces."""
    moved_too_far: Any = 0
    """Tests whether a sphere of the thread has moved half the skin."""
    renew_lists: Any = 0
    """Rebuilds both lists; returns a status."""
    list_walls: Any = 0
    """Lists spheres near walls; returns 0 if the list is full."""
    search_acting: Any = 0
    """Computes gaps to walls and selects the acting contacts; returns their number."""
    add_wall_forces: Any = 0
    """Adds the forces of walls."""
    record_walls: Any = 0
    """Sums the forces on each wall, and books the energy of contacts with walls."""
    add_bond_forces: Any = 0
    """Adds the forces of bonds; returns 0 if a thread is missing."""
    add_field_forces: Any = 0
    """Adds the forces of fields; returns 0 if a thread is missing."""
    turn_bodies: Any = 0
    """Sets orientations and spins of bodies."""
    place_members: Any = 0
    """Sets position, velocity and spin of the members of bodies."""
    gather_members: Any = 0
    """Sums force and torque of the members on their bodies."""
    note_members: Any = 0
    """Notes which members are in lists; returns 0 if a thread is missing."""
    members_moved: Any = 0
    """Tests whether a member that is not placed has moved half the skin."""
    fill_noted: Any = 0
    """Fills the rows of the noted members that contacts read."""
    needs_material: int = 0
    """1 if pairs need their pair of materials and their effective radius, else 0; a number, not a part."""
    needs_kind: int = 0
    """1 if the law reads the materials of a contact, else 0; a number."""
    needs_radius: int = 0
    """1 if the law reads the effective radius of spheres that do not rotate, else 0; a number."""
    needs_stiffening: int = 0
    """1 if the stiffness of friction springs follows the overlap, else 0; a number."""


class StepCall(NamedTuple):
    """What the loop reads besides the world and what changes from call to call. It is passed by its address: numba
    takes 7 µs to read the 30 numbers of three tuples of Python, more than the step of a few spheres takes."""

    coefficients: PackedCoefficients
    scheme: Scheme
    parts: Parts


def call_like() -> Any:
    """The type information by which the loop reads a `StepCall` (repose.sim.engine.packed)."""
    return likeness(StepCall(PackedCoefficients(), Scheme(np.zeros(1), np.zeros(1), 0.0, 0.0), Parts()))


NUMBERS = ("needs_material", "needs_kind", "needs_radius", "needs_stiffening")
"""The fields of `Parts` that are numbers, not parts."""

OF_WALLS = {"list_walls", "search_acting", "evaluate_walls", "add_wall_forces", "record_walls"}
"""Parts that only worlds with walls need."""

OF_BODIES = (turn_bodies, place_members, gather_members, note_members, members_moved, fill_noted)
"""Functions of the parts that only models with bodies need; a part has the name of its function."""

FUSED = {"evaluate_pairs"}
"""Parts in which a product and the sum with it may be rounded once, which saves a tenth of the step of beads and a
twenty-fifth of that of discs. Blocks of pairs are filled to whole registers, so that each pair is rounded in the same
way wherever it is. In the geometry of walls products must cancel exactly."""

OF_DIMENSION = ("renew_lists", "list_walls", "search_acting", "moved_too_far", "record_walls")
"""Parts that depend on the dimension alone, in the order of their compile times, the longest first."""


def plain_parts(model: Model, params: tuple = (), coefficients: Coefficients = NO_COEFFICIENTS) -> Parts:
    """The parts of a model as plain Python functions. Parts to be compiled depend on the types of the numbers that law,
    fields and bonds read; plain parts do not."""
    law, shapes = model.law, model.shapes
    open_shapes = shapes._replace(periodic=())
    evaluate_pairs, evaluate_walls = _of_law(law, open_shapes, likeness(params))
    before, after = _of_integrator(model.integrator)
    lengths, position = open_shapes._replace(material=(), reach=(), stiffening=()), shapes.position
    of_law = open_shapes._replace(material=(), stiffening=())  # other parts only depend on whether the law has a reach
    parts = Parts(
        evaluate_pairs=evaluate_pairs,
        evaluate_walls=evaluate_walls,
        add_pair_forces=_part(pair_forces, of_law._replace(periodic=shapes.periodic)),
        before=before,
        after=after,
        moved_too_far=_part(moved_too_far, position),
        renew_lists=_part(renew_lists, position, shapes.periodic),
        list_walls=_part(refresh_wall_list, position),
        search_acting=_part(search_acting, position),
        add_wall_forces=_part(add_wall_forces, of_law, of_law.spin, of_law.reach),
        record_walls=_part(record_wall_energy),
        needs_material=int(model.needs_material),
        needs_kind=int(law.needs_material),
        needs_radius=int(law.reads_radius),
        needs_stiffening=int(law.shear_stiffness_varies),
    )
    if model.bond is not None:
        of_bond = lengths._replace(periodic=shapes.periodic)
        parts = parts._replace(add_bond_forces=_of_bond(model.bond, of_bond, likeness(coefficients.bond)))
    if model.fields:
        parts = parts._replace(add_field_forces=_of_fields(model.fields, lengths, likeness(coefficients.fields)))
    if model.bodies:
        of_bodies: dict[str, Any] = {one.__name__: _part(one, lengths) for one in OF_BODIES}
        parts = parts._replace(**of_bodies)
    return parts


def compiled_parts(model: Model, params: tuple = (), coefficients: Coefficients = NO_COEFFICIENTS) -> Parts:
    """The parts of a model as numba's dispatchers, not yet compiled. The parts of law, fields and bonds are for numbers
    of the types of `params` and `coefficients`."""
    parts = plain_parts(model, params, coefficients)
    named = ((name, part) for name, part in parts._asdict().items() if name not in NUMBERS and part != 0)
    made = {name: _dispatcher(part, fused=name in FUSED) for name, part in named}
    return parts._replace(**made)


def addresses(parts: Parts, walled: bool, between: Callable[[], object] = lambda: None) -> Parts:
    """The addresses of the compiled parts that a world needs, with walls or without; parts are compiled or loaded from
    the cache.

    `between` is called after the parts that depend on the law, before the parts that depend on the dimension alone.
    Another process may be compiling these, the longest first (repose.sim.experiment.compile_beside): this one begins
    with the shortest, and each part is compiled by the process that comes to it first.
    """
    needed = needed_parts(parts, walled)
    kinds = argument_types()
    first = {name: address_of(getattr(parts, name), kinds[name]) for name in needed if name not in OF_DIMENSION}
    between()
    then = {name: address_of(getattr(parts, name), kinds[name]) for name in reversed(OF_DIMENSION) if name in needed}
    return Parts(**first, **then, **{name: getattr(parts, name) for name in NUMBERS})


def has_walls(world: World) -> bool:
    """Whether a world has walls."""
    return world.walls.shape.size > 0


def needed_parts(parts: Parts, walled: bool) -> tuple[str, ...]:
    """Names of the parts that a world needs; `walled`: it has walls."""
    names = (name for name, part in parts._asdict().items() if name not in NUMBERS and part != 0)
    return tuple(name for name in names if walled or name not in OF_WALLS)


@cache
def argument_types() -> dict[str, Any]:
    """Types of the arguments of the parts, the same for all worlds and models."""
    stage, thread = AT_REST, Thread(0, 1, 0, 0)
    row, table, motion = np.zeros(0), np.zeros((2, 0)), np.zeros((2, 3, 0))
    world = record_of(empty_world())
    block = Block(row, 0, 0, 0, stage)
    bodies = body_tables(world, 0, 0.0, 0.0, 0, thread)
    arguments = {
        "evaluate_pairs": block,
        "evaluate_walls": block,
        "add_pair_forces": force_of_pairs(world, PackedCoefficients(), row, stage, thread, Parts()),
        "before": Predicted(motion, 0, 0, 0, 0.0),
        "after": Corrected(motion, table, table, 0, 0, 0, 0.0),
        "moved_too_far": Share(world, thread),
        "renew_lists": renewal(world, 0.0, thread, 0, 0),
        "list_walls": wall_listing(world, Cells(1, 0.0, (0.0, 0.0), (0.0, 0.0))),
        "search_acting": Share(world, thread),
        "add_wall_forces": force_of_walls(world, 0, stage, thread, 0, Parts()),
        "record_walls": wall_record(world, 0.0, 0, 0),
        "add_field_forces": field_tables(world, 0, 0.0, 0.0, row, thread),
        "add_bond_forces": bond_tables(world, 0, stage, thread),
        **{one.__name__: bodies for one in OF_BODIES},
    }
    return {name: argument_type(argument) for name, argument in arguments.items()}


def compile_geometry(model: Model, walled: bool) -> None:
    """Compile the parts that depend on the dimension alone; the parts for walls only if `walled`."""
    parts, kinds = compiled_parts(model), argument_types()
    for name in OF_DIMENSION:
        if walled or name not in OF_WALLS:
            address_of(getattr(parts, name), kinds[name])


def parts_of_walls(parts: Parts) -> tuple[str, ...]:
    """Names of the parts that a world needs only if it has walls."""
    return tuple(name for name in needed_parts(parts, walled=True) if name in OF_WALLS)


def compile_walls(parts: Parts) -> None:
    """Compile or load the parts of a model for walls in advance, which avoids a wait at the first drawn wall."""
    kinds = argument_types()
    for name in parts_of_walls(parts):
        address_of(getattr(parts, name), kinds[name])


_dispatcher = cache(compiled_part)


@cache
def _part(function: Callable, *given: Any) -> Callable:
    """function(tables, *given) as a part with one argument."""
    source = fingerprint()

    def part(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        return function(tables, *given)

    part.__qualname__ = f"{part.__qualname__}.{function.__name__}"  # a file of its own in the cache
    return part


# `typed`, because equal tuples of numbers can differ in type. `source` belongs to the closure of each part: see
# repose.sim.engine.jit.


@lru_cache(maxsize=64, typed=True)
def _of_law(law: BoundLaw, shapes: Shapes, params_like: tuple) -> tuple[Callable, Callable]:
    """`Parts.evaluate_pairs` and `Parts.evaluate_walls`, which depend on the law and the lengths of vectors alone."""
    force, material, energy, lasts, stiffness = law.force, law.material, law.energy, law.lasts, law.stiffness
    source = fingerprint()

    def evaluate_pairs(block):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        params = coefficients_at(block.params, params_like)
        call = LawCall(force, material, energy, lasts, stiffness, params)
        return evaluate_block(block, call, shapes, (), shapes.material)

    def evaluate_walls(block):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        params = coefficients_at(block.params, params_like)
        call = LawCall(force, material, energy, lasts, stiffness, params)
        return evaluate_block(block, call, shapes, shapes.position, shapes.material)

    return evaluate_pairs, evaluate_walls


@cache
def _of_integrator(integrator: Integrator) -> tuple[Callable, Callable]:
    """`Parts.before` and `Parts.after`."""
    before, after = integrator.before, integrator.after
    source = fingerprint()

    def predict(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        before(tables.motion, tables.first, tables.last, tables.stage, tables.dt)
        return 0

    def correct(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        after(tables.motion, tables.force, tables.inverse_mass, tables.first, tables.last, tables.stage, tables.dt)
        return 0

    return predict, correct


@lru_cache(maxsize=64, typed=True)
def _of_bond(bond: BoundBond, shapes: Shapes, params_like: tuple) -> Callable:
    """`Parts.add_bond_forces`."""
    force, energy, breaks, own = bond.force, bond.energy, bond.breaks, (0.0,) * bond.columns
    source = fingerprint()

    def add_bond_forces(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        call = BondCall(force, energy, breaks, coefficients_at(tables.params, params_like), own)
        return bond_forces(tables, call, shapes)

    return add_bond_forces


@lru_cache(maxsize=64, typed=True)
def _of_fields(fields: tuple[BoundField, ...], shapes: Shapes, params_like: tuple) -> Callable:
    """`Parts.add_field_forces`."""
    force = sum_of(fields).force
    source = fingerprint()

    def add_field_forces(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        call = FieldCall(force, coefficients_at(tables.params, params_like), tables.time)
        return field_forces(tables, call, shapes)

    return add_field_forces
