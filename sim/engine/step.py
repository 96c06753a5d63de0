"""compose(model) -> advance(world, params, gravity, dt, steps): the time step as a table of contents.

Contact law and integrator are plain functions of the model. The loop and its parts (repose.sim.engine.parts) are
compiled with all that they call, so that they are as fast as if written by hand, and the next process finds them on
disk. Functions of a few lines that take many tables are inlined: passing those costs more than they do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from numba import typeof
from repose.sim.engine.contacts.largest_overlap import record_largest_overlap
from repose.sim.engine.contacts.pair_forces import force_of_pairs, record_pair_energy
from repose.sim.engine.contacts.wall_forces import move_walls, wall_forces, wall_record
from repose.sim.engine.jit import call, compilable, compiled, fingerprint
from repose.sim.engine.model import Model, Stage
from repose.sim.engine.neighbours.verlet_list import refresh_neighbours
from repose.sim.engine.parts import Parts, addresses, compiled_parts, plain_parts
from repose.sim.engine.threads import in_threads, thread_of, wait
from repose.sim.engine.timestep.stability import damping_fraction
from repose.sim.engine.world import OK, PAIR_COUNT, PENDING, STEP_COUNT, THREAD_MISSING, World


@lru_cache(maxsize=64)
def compose(model: Model) -> Any:
    """The compiled step loop of a model.

    advance(world, params, gravity, dt, steps) -> (steps done, status, row of the sphere concerned or -1); `params` is
    the tuple of numbers the law reads, `gravity` a tuple [m/s²], one entry per dimension. It never allocates, prints
    or raises. A status other than OK leaves the step unfinished: the next call continues it (tables enlarged), or the
    world is discarded (a fault). With dt = 0 nothing moves and no step is counted: spheres get the accelerations of
    the present forces, which a motion starts with. As many threads step the world as it has tables for, and the result
    is the same bit by bit for any number of them.
    """
    loop, parts = compiled(step_loop(model, fingerprint())), compiled_parts(model)
    known: dict[bool, Parts] = {}
    """Addresses of the parts by whether the world has walls."""
    no_parts = Parts(*(0 for _ in Parts._fields))

    def run(world: World, params: tuple, gravity: tuple, dt: float, steps: int, thread_id: int) -> tuple[int, int, int]:
        walled = world.walls.shape.size > 0
        if walled not in known:
            call_types = tuple(map(typeof, (world, params, gravity, dt, steps, thread_id, no_parts)))
            known[walled] = addresses(parts, world, params, gravity, lambda: loop.compile(call_types))
        answer: tuple[int, int, int] = loop(world, params, gravity, dt, steps, thread_id, known[walled])
        loop.disable_compile()  # for tables of other types the parts would have to be compiled again, too
        return answer

    def is_ready(world: World) -> bool:
        return bool(loop.signatures) and (world.walls.shape.size > 0) in known

    run.is_ready, run.dispatcher = is_ready, loop  # type: ignore[attr-defined]
    return in_threads(run)


def plain(model: Model) -> Any:
    """`compose` in plain Python, for tests."""
    loop, parts = step_loop(model, ""), plain_parts(model)
    return in_threads(lambda *call: loop(*call, parts))


def step_loop(model: Model, source: str) -> Callable:
    """The loop that each thread runs, as plain Python."""
    before, after, weights = model.integrator.before, model.integrator.after, model.integrator.weights
    stages = len(weights)
    position_like = model.shapes.position
    largest_fraction = damping_fraction(model.integrator)

    def advance(world, params, gravity, dt, steps, thread_id, parts):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        thread = thread_of(world, thread_id)
        static = dt == 0.0
        walled = world.walls.shape.size > 0
        if steps > 0 and not wait(world.threads):  # before anything is changed
            return 0, THREAD_MISSING, -1
        pending = world.counters[PENDING]  # stages begun before the tables had to be enlarged
        for done in range(steps):
            for k in range(stages):
                if pending > k + 1 or (static and k > 0):
                    continue
                stage = Stage(weights[k] * dt, largest_fraction)
                if pending <= k:
                    if not static:
                        before(world.motion, thread.first, thread.last, k, dt)
                    if k == 0 and thread.id == 0:
                        move_walls(world.walls.moved, world.walls.velocity, dt)
                    pending = k + 1
                status, row = refresh_neighbours(world, position_like, dt, thread, parts)
                if status != OK:
                    if thread.id == 0:
                        world.counters[PENDING] = pending
                    return done, status, row
                if call(parts.push_pairs, force_of_pairs(world, params, gravity, stage, thread)) == 0:
                    return done, THREAD_MISSING, -1
                if walled and not wall_forces(world, params, stage, thread, parts):
                    return done, THREAD_MISSING, -1
                if thread.id == 0:
                    record_pair_energy(world.ledger, world.threads.heat, world.counters[PAIR_COUNT], stage.dt)
                    if walled:
                        call(parts.record_walls, wall_record(world, stage.dt))
                    step = world.counters[STEP_COUNT] + (0 if static else 1)
                    record_largest_overlap(world.largest_overlap, world.threads.largest_overlap, step)
                if static:
                    set_accelerations(world.motion, world.force, world.inverse_mass, thread.first, thread.last)
                else:
                    after(world.motion, world.force, world.inverse_mass, thread.first, thread.last, k, dt)
            pending = 0
            if thread.id == 0:
                world.counters[PENDING] = 0
                world.counters[STEP_COUNT] += 0 if static else 1
        return steps, OK, -1

    return advance


@compilable(forceinline=True)
def set_accelerations(motion, force, inverse_mass, first, last):
    """Set the accelerations of these spheres to force / mass."""
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * inverse_mass[c, i]
