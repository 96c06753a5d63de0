"""compose(model) -> advance(world, params, gravity, dt, steps, numbers): the time step as a table of contents.

Contact law and integrator are plain functions of the model. The loop and its parts (repose.sim.engine.parts) are
compiled with all that they call, so that they are as fast as if written by hand, and the next process finds them on
disk. Functions of a few lines that take many tables are inlined: passing those costs more than they do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from numba import typeof
from numba._dispatcher import compute_fingerprint
from repose.sim.engine.bodies import (
    gather_members,
    own_bodies,
    place_members,
    settle_bodies,
    turn_bodies,
)
from repose.sim.engine.bonds import NO_BOND, BondCall, bond_forces, record_bond_energy
from repose.sim.engine.contacts.largest_overlap import record_largest_overlap
from repose.sim.engine.contacts.pair_forces import force_of_pairs, record_pair_energy
from repose.sim.engine.contacts.wall_forces import move_walls, wall_forces, wall_record
from repose.sim.engine.fields import FieldCall, field_forces, record_field_energy, sum_of
from repose.sim.engine.jit import call, compilable, compiled, fingerprint
from repose.sim.engine.model import NO_NUMBERS, Model, Numbers, Stage
from repose.sim.engine.neighbours.verlet_list import list_as_far, refresh_neighbours
from repose.sim.engine.parts import Parts, addresses, compiled_parts, plain_parts
from repose.sim.engine.threads import in_threads, thread_of, wait
from repose.sim.engine.timestep.stability import damping_fraction
from repose.sim.engine.world import OK, PAIR_COUNT, PENDING, STEP_COUNT, THREAD_MISSING, World


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps, numbers) -> (steps done, status, row of the sphere concerned or -1);
    `params` is the tuple of numbers the law reads, `gravity` a tuple [m/s²], one entry per dimension, `numbers` what
    fields and bonds read (repose.sim.engine.model.Numbers). It never allocates, prints or raises. A status other than
    OK leaves the step unfinished: the next call continues it (tables enlarged), or the world is discarded (a fault).
    With dt = 0 nothing moves and no step is counted: spheres get the accelerations of the present forces, which a
    motion starts with. As many threads step the world as it has tables for, and the result is the same bit by bit for
    any number of them.
    """
    loop, parts = compiled(step_loop(model, fingerprint())), compiled_parts(model)
    known: dict[tuple[bytes, bool, bytes], Parts] = {}
    """Addresses of the parts by the types of the tables, whether there are walls, and the types of the numbers."""
    no_parts = Parts(*(0 for _ in Parts._fields))

    def run(
        world: World,
        params: tuple,
        gravity: tuple,
        dt: float,
        steps: int,
        thread_id: int,
        numbers: Numbers = NO_NUMBERS,
    ) -> tuple[int, int, int]:
        seen = without_unused(world, model)
        given = seen, params, gravity, dt, steps, thread_id, numbers
        kind = (*_tables_of(seen), compute_fingerprint(given[1:]))
        if kind not in known:  # parts for tables of exactly these types, and the loop that calls them
            types = tuple(map(typeof, (*given, no_parts)))
            known[kind] = addresses(
                parts, world, params, gravity, lambda: types in loop.overloads or loop.compile(types)
            )
        answer: tuple[int, int, int] = loop(*given, known[kind])
        return answer

    def is_ready(world: World) -> bool:
        tables = _tables_of(without_unused(world, model))
        return any(kind[:2] == tables for kind in known)

    run.is_ready, run.dispatcher = is_ready, loop  # type: ignore[attr-defined]
    return in_threads(run)


def _tables_of(world: World) -> tuple[bytes, bool]:
    """The types of the tables, as numba tells them apart in a few microseconds, and whether there are walls."""
    return compute_fingerprint(world), world.walls.shape.size > 0


def without_unused(world: World, model: Model) -> World:
    """The same tables without those of bonds and bodies where the model has none: the loop is compiled for one type."""
    if (world.bonds and model.bond is None) or (world.bodies and not model.bodies):
        bonds = world.bonds if model.bond is not None else ()
        return world._replace(bonds=bonds, bodies=world.bodies if model.bodies else ())
    return world


def plain(model: Model) -> Any:
    """`compose` in plain Python, for tests."""
    loop, parts = step_loop(model, ""), plain_parts(model)
    return in_threads(lambda *call: loop(*call, parts))


def step_loop(model: Model, source: str) -> Callable:
    """The loop that each thread runs, as plain Python."""
    before, after, weights = model.integrator.before, model.integrator.after, model.integrator.weights
    stages = len(weights)
    shapes = model.shapes
    position_like = shapes.position
    reach_of, at_distance = model.law.reach, model.law.acts_at_distance
    stage_times = model.integrator.stage_times
    velocity_lead = model.integrator.velocity_lead
    has_bodies = model.bodies
    has_fields = bool(model.fields)
    field_force = sum_of(model.fields).force
    has_bonds = model.bond is not None
    bond = model.bond or NO_BOND
    bond_force, bond_energy, bond_breaks, own = bond.force, bond.energy, bond.breaks, (0.0,) * bond.columns
    largest_fraction = damping_fraction(model.integrator)

    # Branches on `has_...` are decided before anything is compiled: what a model does not have generates no code.
    def advance(world, params, gravity, dt, steps, thread_id, numbers, parts):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        thread = thread_of(world, thread_id)
        static = dt == 0.0
        walled = world.walls.shape.size > 0
        if at_distance and thread.id == 0:
            list_as_far(world.search, reach_of(params))
        if steps > 0 and not wait(world.threads):  # before anything is changed
            return 0, THREAD_MISSING, -1
        begun = world.counters[STEP_COUNT]
        weighing = world.mass
        if has_bodies:
            weighing = world.bodies.own_mass
        pending = world.counters[PENDING]  # stages begun before the tables had to be enlarged
        for done in range(steps):
            for k in range(stages):
                if pending > k + 1 or (static and k > 0):
                    continue
                stage = Stage(weights[k] * dt, largest_fraction)
                if pending <= k:
                    if not static:
                        before(world.motion, thread.first, thread.last, k, dt)
                        if has_bodies:
                            first, last = own_bodies(world, thread)
                            before(world.bodies.motion, first, last, k, dt)
                    if k == 0 and thread.id == 0:
                        move_walls(world.walls.moved, world.walls.velocity, dt)
                    pending = k + 1
                if has_bodies:
                    turn_bodies(world, shapes, stage_times[k] * dt, velocity_lead * dt, thread)
                    if not wait(world.threads):
                        return done, THREAD_MISSING, -1
                    place_members(world, shapes, thread)
                status, row = refresh_neighbours(world, position_like, dt, thread, parts)
                if status != OK:
                    if thread.id == 0:
                        world.counters[PENDING] = pending
                    return done, status, row
                if call(parts.push_pairs, force_of_pairs(world, params, gravity, weighing, stage, thread)) == 0:
                    return done, THREAD_MISSING, -1
                if walled and not wall_forces(world, params, stage, thread, parts):
                    return done, THREAD_MISSING, -1
                if has_bonds:
                    bonds = BondCall(bond_force, bond_energy, bond_breaks, numbers.bond, own)
                    if not bond_forces(world, bonds, shapes, stage, thread):
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_bond_energy(world, stage.dt)
                if has_fields:
                    time = numbers.time + (begun + done - numbers.step + stage_times[k]) * dt
                    field = FieldCall(field_force, numbers.fields, time)
                    if not field_forces(world, field, shapes, weighing, thread):
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_field_energy(world, stage.dt)
                if thread.id == 0:
                    record_pair_energy(world.ledger, world.threads.heat, world.counters[PAIR_COUNT], stage.dt)
                    if walled:
                        call(parts.record_walls, wall_record(world, stage.dt))
                    step = world.counters[STEP_COUNT] + (0 if static else 1)
                    record_largest_overlap(world.largest_overlap, world.threads.largest_overlap, step)
                if has_bodies:
                    if not wait(world.threads):
                        return done, THREAD_MISSING, -1
                    gather_members(world, shapes, gravity, thread)
                    bodies = world.bodies
                    first, last = own_bodies(world, thread)
                    if static:
                        set_accelerations(bodies.motion, bodies.force, bodies.inverse_mass, first, last)
                    else:
                        after(bodies.motion, bodies.force, bodies.inverse_mass, first, last, k, dt)
                        if k == stages - 1:
                            settle_bodies(world, thread)
                if static:
                    set_accelerations(world.motion, world.force, world.inverse_mass, thread.first, thread.last)
                else:
                    after(world.motion, world.force, world.inverse_mass, thread.first, thread.last, k, dt)
            pending = 0
            if thread.id == 0:
                world.counters[PENDING] = 0
                world.counters[STEP_COUNT] += 0 if static else 1
        if has_bodies and steps > 0:  # as they are at the end of the step, for whoever reads the tables
            turn_bodies(world, shapes, 0.0, 0.0, thread)
            if not wait(world.threads):
                return steps, THREAD_MISSING, -1
            place_members(world, shapes, thread)
        return steps, OK, -1

    return advance


@compilable(forceinline=True)
def set_accelerations(motion, force, inverse_mass, first, last):
    """Set the accelerations of these spheres to force / mass."""
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * inverse_mass[c, i]
