"""compose(model) -> advance(world, params, gravity, dt, steps, coefficients): the time step, one line per stage.

Contact law and integrator are plain functions of the model. They are compiled together with their callers into parts
(repose.sim.engine.parts), which are as fast as code written by hand for the model. The loop that calls the parts is
compiled once for all models. Loop and parts are cached on disk. The loop reads the world through the address of a
record of its tables (repose.sim.engine.records).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof
from repose.sim.engine.bodies import body_tables, own_bodies, settle_bodies
from repose.sim.engine.bond_forces import bond_tables, record_bond_energy
from repose.sim.engine.compiler import key_of_types
from repose.sim.engine.contacts.overlap_record import record_largest_overlap
from repose.sim.engine.contacts.pair_forces import force_of_pairs, record_pair_energy
from repose.sim.engine.contacts.wall_forces import move_walls, wall_forces, wall_record
from repose.sim.engine.fields import field_tables, record_field_energy
from repose.sim.engine.jit import call, compilable, compiled, fingerprint
from repose.sim.engine.model import (
    NO_COEFFICIENTS,
    Coefficients,
    Corrected,
    Integrator,
    Model,
    PackedCoefficients,
    Predicted,
    Scheme,
    Stage,
)
from repose.sim.engine.neighbours.pair_list import note_branches
from repose.sim.engine.neighbours.verlet_list import forget_jumps, list_as_far, refresh_neighbours, store_positions
from repose.sim.engine.packed import coefficients_at, likeness, packed, while_same
from repose.sim.engine.parts import Parts, addresses, compiled_parts, has_walls, plain_parts
from repose.sim.engine.records import record_of, world_type
from repose.sim.engine.threads import in_threads, thread_of, wait
from repose.sim.engine.timestep.stable_step import damping_fraction
from repose.sim.engine.world import OK, PAIR_COUNT, PENDING, STEP_COUNT, THREAD_MISSING, World

TILE = 128
"""Spheres of which a step ends and the next one begins together."""


class StepCall(NamedTuple):
    """What the loop reads besides the world and what changes from call to call. It is passed by its address: numba
    takes 7 µs to read the 30 numbers of three tuples of Python, more than the step of a few spheres takes."""

    coefficients: PackedCoefficients
    scheme: Scheme
    parts: Parts


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps, coefficients) -> (steps done, status, row of the sphere concerned or -1).
    `params` is the tuple of coefficients that the law reads, `gravity` a tuple of one entry per dimension [m/s²], and
    `coefficients` those of fields and bonds (repose.sim.engine.model.Coefficients). The compiled loop never allocates,
    prints or raises. A status other than OK leaves the step unfinished: after a fault the world is discarded; if the
    tables were full, they are enlarged and the next call continues the step. With dt = 0 nothing moves and no step is
    counted: spheres get the accelerations of the present forces, as a start of the motion. The number of threads is
    that of the thread tables of the world; every number of threads gives the same bits.
    """
    loop, scheme, reach_of = compiled_loop(), scheme_of(model), model.law.reach
    parts_at: dict[tuple[bool, bytes], Parts] = {}
    """Addresses of the parts, by whether the world has walls, and the types of the numbers."""
    types = world_type(), *map(typeof, (0, 0.0, 0, 0))

    @while_same
    def pack(
        params: tuple, gravity: tuple, fields: tuple, bond: tuple, time: float, step: int, walled: bool
    ) -> tuple[Any, int]:
        """The memory of all that the loop reads besides the world, and the address of a `StepCall` in it."""
        memory, (law, weight, of_fields, of_bond) = packed(params, gravity, fields, bond)
        drive = PackedCoefficients(law, weight, of_fields, of_bond, float(reach_of(params)), float(time), int(step))
        kind = walled, key_of_types((params, gravity, fields, bond))
        if kind not in parts_at:  # compile the parts for numbers of exactly these types, and the loop that calls them
            parts = compiled_parts(model, params, Coefficients(fields, bond))
            parts_at[kind] = addresses(parts, walled, lambda: types in loop.overloads or loop.compile(types))
        packed_call, (address,) = packed(StepCall(drive, scheme, parts_at[kind]))
        return (memory, packed_call), address

    def run(
        world: World,
        params: tuple,
        gravity: tuple,
        dt: float,
        steps: int,
        thread_id: int,
        coefficients: Coefficients = NO_COEFFICIENTS,
    ) -> tuple[int, int, int]:
        memory, address = pack(params, gravity, *coefficients, has_walls(world))
        answer: tuple[int, int, int] = loop(record_of(world), address, float(dt), int(steps), thread_id)
        del memory  # the loop reads it by address: it must exist until here
        return answer

    def is_ready(world: World) -> bool:
        return any(walled == has_walls(world) for walled, _ in parts_at)

    run.is_ready, run.parts_at, run.dispatcher = is_ready, parts_at, loop  # type: ignore[attr-defined]
    return in_threads(run)


@cache
def compiled_loop() -> Any:
    """The step loop of all models as numba's dispatcher."""
    return compiled(step_loop(fingerprint()))


def scheme_of(model: Model) -> Scheme:
    """The numbers of the integrator of a model."""
    scheme: Integrator = model.integrator
    times = np.array(scheme.weights), np.array(scheme.stage_times)
    return Scheme(*times, float(scheme.velocity_lead), float(damping_fraction(scheme)))


def plain(model: Model) -> Any:
    """`compose` in plain Python, for tests."""
    loop, parts = step_loop(""), plain_parts(model)
    scheme = scheme_of(model)

    def run(
        world: World,
        params: tuple,
        gravity: tuple,
        dt: float,
        steps: int,
        thread_id: int,
        coefficients: Coefficients = NO_COEFFICIENTS,
    ) -> tuple[int, int, int]:
        reach = model.law.reach(params)
        fields, bond = coefficients.fields, coefficients.bond
        packed: Any = PackedCoefficients  # in plain Python with the tuples in place of their addresses
        drive = packed(params, gravity, fields, bond, reach, coefficients.time, coefficients.step)
        answer: tuple[int, int, int] = loop(world, StepCall(drive, scheme, parts), dt, steps, thread_id)
        return answer

    return in_threads(run)


def step_loop(source: str) -> Callable:
    """advance(world, address of a `StepCall`, dt, steps, thread): the loop that each thread runs, as plain Python."""
    call_like = likeness(StepCall(PackedCoefficients(), Scheme(np.zeros(1), np.zeros(1), 0.0, 0.0), Parts()))

    def advance(world, step_call, dt, steps, thread_id):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        coefficients, scheme, parts = coefficients_at(step_call, call_like)
        thread = thread_of(world, thread_id)
        first, last = thread.first, thread.last
        stages = scheme.weights.size
        static = dt == 0.0
        walled = world.walls.shape.size > 0
        bonded = parts.add_bond_forces != 0
        bodied = parts.turn_bodies != 0
        if thread.id == 0:
            list_as_far(world.search, coefficients.reach)
        if steps > 0 and not wait(world.workspace.threads):  # a missing thread is noticed before the world changes
            return 0, THREAD_MISSING, -1
        if steps > 0 and not bodied:
            forget_jumps(world, first, last)
            if not wait(world.workspace.threads):
                return 0, THREAD_MISSING, -1
        if steps > 0 and thread.id == 0:  # the other threads wait for it before they need branches
            note_branches(world.pairs, world.workspace.pairs.last_branch, world.previous, 0, world.counters[PAIR_COUNT])
        begun = world.counters[STEP_COUNT]
        bodies = world.bodies
        weighing = world.mass
        first_body = last_body = 0
        if bodied:
            weighing = bodies.own_mass
            first_body, last_body = own_bodies(bodies, thread)
        begins = True
        predicted = False  # whether the spheres are already in the first stage of this step
        pending = world.counters[PENDING]  # stages begun in a step that was interrupted to enlarge the tables
        for done in range(steps):
            for k in range(stages):
                if pending > k + 1 or (static and k > 0):
                    continue
                stage_time = float(scheme.stage_times[k])
                last_time = float(scheme.stage_times[k - 1]) - (1.0 if k == 0 else 0.0)
                elapsed = (stage_time - last_time) * dt
                behind = scheme.velocity_lead * dt
                weight = float(scheme.weights[k])
                stage = Stage(weight * dt, weight * scheme.damping_fraction, behind, elapsed)
                if pending <= k:
                    if not static:
                        if not predicted:
                            call(parts.before, Predicted(world.motion, first, last, k, dt))
                        if bodied:
                            call(parts.before, Predicted(bodies.motion, first_body, last_body, k, dt))
                    if thread.id == 0:
                        move_walls(world.walls.moved, world.walls.velocity, elapsed)
                    pending = k + 1
                    predicted = False
                if bodied:
                    bound = body_tables(world, coefficients.gravity, stage_time * dt, behind, thread)
                    call(parts.turn_bodies, bound)
                    if not wait(world.workspace.threads):
                        return done, THREAD_MISSING, -1
                    call(parts.place_members, bound)
                status, row = refresh_neighbours(world, dt, thread, parts)
                if status != OK:
                    if thread.id == 0:
                        world.counters[PENDING] = pending
                    return done, status, row
                if bodied and begins:  # members are in their places only now
                    forget_jumps(world, first, last)
                begins = False
                if (
                    call(parts.add_pair_forces, force_of_pairs(world, coefficients, weighing, stage, thread, parts))
                    == 0
                ):
                    return done, THREAD_MISSING, -1
                if walled and not wall_forces(world, coefficients.law, stage, thread, parts):
                    return done, THREAD_MISSING, -1
                if bonded:
                    if call(parts.add_bond_forces, bond_tables(world, coefficients.bond, stage, thread)) == 0:
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_bond_energy(world, stage.dt)
                if parts.add_field_forces != 0:
                    time = coefficients.time + (begun + done - coefficients.step + stage_time) * dt
                    if (
                        call(
                            parts.add_field_forces,
                            field_tables(world, coefficients.fields, time, behind, weighing, thread),
                        )
                        == 0
                    ):
                        return done, THREAD_MISSING, -1
                    if thread.id == 0:
                        record_field_energy(world, stage.dt)
                if thread.id == 0:
                    record_pair_energy(world, parts.needs_stiffening, stage.dt)
                    if walled:
                        call(parts.record_walls, wall_record(world, stage.dt, parts.needs_stiffening))
                    step = world.counters[STEP_COUNT] + (0 if static else 1)
                    record_largest_overlap(world.largest_overlap, world.workspace.threads.largest_overlap, step)
                store_positions(world.previous, world.motion, first, last)
                if bodied:
                    if not wait(world.workspace.threads):
                        return done, THREAD_MISSING, -1
                    call(parts.gather_members, bound)
                    motion, force, inverse = bodies.motion, world.workspace.bodies.force, bodies.inverse_mass
                    if static:
                        set_accelerations(motion, force, inverse, first_body, last_body)
                    else:
                        call(parts.after, Corrected(motion, force, inverse, first_body, last_body, k, dt))
                        if k == stages - 1:
                            settle_bodies(bodies, first_body, last_body)
                if static:
                    set_accelerations(world.motion, world.force, world.inverse_mass, first, last)
                elif k == stages - 1 and done < steps - 1:
                    end_and_begin_step(world, first, last, k, dt, parts)
                    predicted = True
                else:
                    call(parts.after, Corrected(world.motion, world.force, world.inverse_mass, first, last, k, dt))
            pending = 0
            if thread.id == 0:
                world.counters[PENDING] = 0
                world.counters[STEP_COUNT] += 0 if static else 1
        if bodied and steps > 0:  # members at the end of the step, for the readers of the tables
            bound = body_tables(world, coefficients.gravity, 0.0, 0.0, thread)
            call(parts.turn_bodies, bound)
            if not wait(world.workspace.threads):
                return steps, THREAD_MISSING, -1
            call(parts.place_members, bound)
        return steps, OK, -1

    return advance


@compilable(forceinline=True)
def end_and_begin_step(world, first, last, stage, dt, parts):
    """End the last stage of a step for the rows first to last - 1, and begin the next step: `TILE` spheres at a time,
    whose derivatives stay in the first-level cache in between."""
    motion, force, inverse_mass = world.motion, world.force, world.inverse_mass
    for begin in range(first, last, TILE):
        end = min(begin + TILE, last)
        call(parts.after, Corrected(motion, force, inverse_mass, begin, end, stage, dt))
        call(parts.before, Predicted(motion, begin, end, 0, dt))


@compilable(forceinline=True)
def set_accelerations(motion, force, inverse_mass, first, last):
    """Set the accelerations of the rows first to last - 1 to force / mass."""
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * inverse_mass[c, i]
