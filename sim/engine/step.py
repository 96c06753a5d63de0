"""compose(model) -> advance(world, params, gravity, dt, steps, numbers): the time step as a table of contents.

Contact law and integrator are plain functions of the model; only the outermost loop is compiled, so that the result is
one loop as fast as one written by hand, and the next process finds it on disk. Functions of a few lines that take the
whole world are inlined: passing its hundred arrays costs more than they do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from repose.sim.engine.bodies import (
    gather_members,
    own_bodies,
    place_members,
    settle_bodies,
    turn_bodies,
)
from repose.sim.engine.bonds import NO_BOND, BondCall, bond_forces, record_bond_energy
from repose.sim.engine.contacts.largest_overlap import record_largest_overlap
from repose.sim.engine.contacts.pair_forces import pair_forces, record_pair_energy
from repose.sim.engine.contacts.wall_forces import move_walls, record_wall_energy, wall_forces
from repose.sim.engine.fields import FieldCall, field_forces, record_field_energy, sum_of
from repose.sim.engine.jit import compilable, compiled, fingerprint
from repose.sim.engine.model import NO_NUMBERS, LawCall, Model, Stage
from repose.sim.engine.neighbours.verlet_list import list_as_far, refresh_neighbours
from repose.sim.engine.threads import in_threads, thread_of, wait
from repose.sim.engine.timestep.stability import damping_fraction
from repose.sim.engine.world import OK, PENDING, STEP_COUNT, THREAD_MISSING


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps, numbers) -> (steps done, status, row of the sphere concerned or -1);
    `params` is the tuple of numbers the law reads, `gravity` a tuple [m/s²], one entry per dimension, `numbers` what
    fields read (repose.sim.engine.model.Numbers). It never allocates, prints or raises. A status other than OK leaves
    the step unfinished: the next call continues it (tables enlarged), or the world is discarded (a fault). With dt = 0
    nothing moves and no step is counted: spheres get the accelerations of the present forces, which a motion starts
    with. As many threads step the world as it has tables for, and the result is the same bit by bit for any number of
    them.
    """
    return in_threads(compiled(step_loop(model, fingerprint())))


def step_loop(model: Model, source: str) -> Callable:
    """The loop that each thread runs, as plain Python, which the tests run too."""
    force, material, energy, lasts = model.law.force, model.law.material, model.law.energy, model.law.lasts
    reach_of, at_distance = model.law.reach, model.law.acts_at_distance
    before, after, weights = model.integrator.before, model.integrator.after, model.integrator.weights
    needs_material = model.needs_material
    stages = len(weights)
    stage_times = model.integrator.stage_times
    shapes = model.shapes
    has_fields = bool(model.fields)
    field_force = sum_of(model.fields).force
    velocity_lead = model.integrator.velocity_lead
    has_bodies = model.bodies
    has_bonds = model.bond is not None
    bond = model.bond or NO_BOND
    bond_force, bond_energy, bond_breaks, own = bond.force, bond.energy, bond.breaks, (0.0,) * bond.columns
    largest_fraction = damping_fraction(model.integrator)

    # Branches on `has_...` are decided before anything is compiled: what a model does not have generates no code.
    def advance(world, params, gravity, dt, steps, thread_id, numbers=NO_NUMBERS):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        law = LawCall(force, material, energy, lasts, params, reach_of(params))
        thread = thread_of(world, thread_id)
        static = dt == 0.0
        if at_distance and thread.id == 0:
            list_as_far(world.search, law.reach)
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
                        move_walls(world.walls, dt)
                    pending = k + 1
                if has_bodies:
                    turn_bodies(world, shapes, stage_times[k] * dt, velocity_lead * dt, thread)
                    if not wait(world.threads):
                        return done, THREAD_MISSING, -1
                    place_members(world, shapes, thread)
                status, row = refresh_neighbours(world, shapes, needs_material, dt, thread)
                if status != OK:
                    if thread.id == 0:
                        world.counters[PENDING] = pending
                    return done, status, row
                if not pair_forces(world, law, shapes, stage, gravity, weighing, thread):
                    return done, THREAD_MISSING, -1
                if not wall_forces(world, law, shapes, stage, thread):
                    return done, THREAD_MISSING, -1
                if has_bonds:
                    bonds = BondCall(bond_force, bond_energy, bond_breaks, numbers.bond, own)
                    if not bond_forces(world, bonds, shapes, stage, thread):
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_bond_energy(world, stage.dt)
                if has_fields:
                    time = numbers.time + (begun + done - numbers.step + stage_times[k]) * dt
                    if not field_forces(world, FieldCall(field_force, numbers.fields, time), shapes, weighing, thread):
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_field_energy(world, stage.dt)
                if thread.id == 0:
                    record_contacts(world, stage.dt, static)
                if has_bodies:
                    if not wait(world.threads):
                        return done, THREAD_MISSING, -1
                    gather_members(world, shapes, gravity, thread)
                    bodies = world.bodies
                    first, last = own_bodies(world, thread)
                    if static:
                        set_accelerations(bodies, first, last)
                    else:
                        after(bodies.motion, bodies.force, bodies.inverse_mass, first, last, k, dt)
                        if k == stages - 1:
                            settle_bodies(world, thread)
                if static:
                    set_accelerations(world, thread.first, thread.last)
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
def record_contacts(world, dt_stage, static):
    """Add this evaluation to the energy ledger and update the largest overlap."""
    record_pair_energy(world, dt_stage)
    record_wall_energy(world, dt_stage)
    step = world.counters[STEP_COUNT] + (0 if static else 1)
    record_largest_overlap(world.largest_overlap, world.threads.largest_overlap, step)


@compilable(forceinline=True)
def set_accelerations(world, first, last):
    """Set the accelerations of these spheres to force / mass."""
    motion = world.motion
    force = world.force
    inverse_mass = world.inverse_mass
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * inverse_mass[c, i]
