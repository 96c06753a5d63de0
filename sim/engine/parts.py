"""Parts of the step that are compiled on their own, and that the step loop calls by their addresses.

What finds neighbours depends on neither contact law nor integrator: it is compiled once per dimension. Forces depend on
the law and not on the integrator. What walls need is compiled when the first world with walls is stepped. Each part has
one argument, a named tuple of the tables that it reads and writes, and returns a whole number: to hand over the whole
world at every step would cost as much as a hundred contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from repose.sim.engine.contacts.pair_forces import force_of_pairs, pair_forces
from repose.sim.engine.contacts.wall_forces import (
    acting_search,
    evaluate_walls,
    force_of_walls,
    record_wall_energy,
    search_acting,
    wall_record,
)
from repose.sim.engine.jit import address_of, argument_type, compiled_part, fingerprint
from repose.sim.engine.model import BoundLaw, LawCall, Model, Shapes, Stage, Thread
from repose.sim.engine.neighbours.cell_list import Cells
from repose.sim.engine.neighbours.verlet_list import renew_lists, renewal
from repose.sim.engine.neighbours.wall_list import refresh_wall_list, wall_listing
from repose.sim.engine.world import World


class Parts(NamedTuple):
    """The parts: addresses for the compiled loop, 0 where a world without walls needs none; functions for the plain
    one."""

    push_pairs: Any
    """Weight and forces of pairs; 0 if a thread is missing."""
    renew_lists: Any
    """Both lists, when something has moved too far; a status."""
    list_walls: Any
    """Spheres near walls; 0 if they do not fit."""
    search_acting: Any
    """Gaps to walls, and which contacts with walls push; how many."""
    push_walls: Any
    """Forces of walls."""
    record_walls: Any
    """Sum of the forces on each wall, and the energy of contacts with walls."""
    needs_material: int
    """A number: 1 if pairs need the kind of their materials and their effective radius, else 0."""


NUMBER = "needs_material"
"""The field of `Parts` that is none."""


def plain_parts(model: Model) -> Parts:
    """The parts of a model as plain Python."""
    push_pairs, push_walls = _forces(model.law, model.shapes)
    renew, list_walls, acting, record = _geometry(model.dimension)
    return Parts(push_pairs, renew, list_walls, acting, push_walls, record, int(model.needs_material))


def compiled_parts(model: Model) -> Parts:
    """The parts of a model as numba's dispatchers; nothing is compiled by asking for them."""
    parts = plain_parts(model)
    return parts._replace(**{name: _dispatcher(getattr(parts, name)) for name in Parts._fields if name != NUMBER})


def addresses(
    parts: Parts, world: World, params: tuple, gravity: tuple, between: Callable[[], object] = lambda: None
) -> Parts:
    """The addresses of compiled parts, compiled or loaded for tables like those of this world.

    `between` is called when the parts that depend on the law are ready: the others may be compiled elsewhere meanwhile.
    """
    stage, thread = Stage(0.0, 1.0), Thread(0, 1, 0, 0)
    of_law = {
        "push_pairs": argument_type(force_of_pairs(world, params, gravity, world.mass, stage, thread)),
        "push_walls": argument_type(force_of_walls(world, params, stage, thread, 0)),
    }
    of_dimension = geometry_types(world)
    needed = needed_parts(world.walls.shape.size > 0)
    found = {name: address_of(getattr(parts, name), kind) for name, kind in of_law.items() if name in needed}
    between()
    found |= {name: address_of(getattr(parts, name), kind) for name, kind in of_dimension.items() if name in needed}
    return Parts(*(found.get(name, 0) for name in Parts._fields))._replace(needs_material=parts.needs_material)


def needed_parts(walled: bool) -> tuple[str, ...]:
    """The parts that a world with or without walls needs."""
    walls = ("push_walls", "list_walls", "search_acting", "record_walls")
    return ("push_pairs", "renew_lists", *walls) if walled else ("push_pairs", "renew_lists")


def geometry_types(world: World) -> dict[str, Any]:
    """Types of the arguments of the parts that do not depend on the law."""
    thread = Thread(0, 1, 0, 0)
    return {
        "list_walls": argument_type(wall_listing(world, Cells(1, 0.0, (0.0, 0.0), (0.0, 0.0)))),
        "renew_lists": argument_type(renewal(world, 0.0, thread, 0, 0)),
        "search_acting": argument_type(acting_search(world, thread)),
        "record_walls": argument_type(wall_record(world, 0.0)),
    }


def compile_geometry(model: Model, world: World, walled: bool) -> None:
    """Compile the parts that depend on the dimension alone, those of walls only if there are any."""
    parts = compiled_parts(model)
    for name, kind in geometry_types(world).items():
        if name in needed_parts(walled):
            address_of(getattr(parts, name), kind)


_dispatcher = cache(compiled_part)


@lru_cache(maxsize=64)
def _forces(law: BoundLaw, shapes: Shapes) -> tuple[Callable, Callable]:
    """`Parts.push_pairs` and `Parts.push_walls`; the integrator does not matter to them."""
    force, material, energy, lasts, reach_of = law.force, law.material, law.energy, law.lasts, law.reach
    source = fingerprint()

    def push_pairs(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        call = LawCall(force, material, energy, lasts, tables.params, reach_of(tables.params))
        return pair_forces(tables, call, shapes)

    def push_walls(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        call = LawCall(force, material, energy, lasts, tables.params, reach_of(tables.params))
        return evaluate_walls(tables, call, shapes, shapes.spin, shapes.material, shapes.reach)

    return push_pairs, push_walls


@cache
def _geometry(dimension: int) -> tuple[Callable, Callable, Callable, Callable]:
    """`Parts.renew_lists`, `list_walls`, `search_acting` and `record_walls`; the law does not matter to them."""
    position_like = (0.0,) * dimension
    source = fingerprint()

    def renew(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        return renew_lists(tables, position_like)

    def list_walls(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        return refresh_wall_list(tables, position_like)

    def acting(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        return search_acting(tables, position_like)

    def record(tables):  # type: ignore[no-untyped-def]
        source  # noqa: B018
        return record_wall_energy(tables)

    return renew, list_walls, acting, record
