"""The stages of a step: which part each of them calls, when it waits for the other threads, and what it writes down.

A stage that the model does not have does nothing. A stage returns False if the loop must end: a thread is missing, a
sphere has left or is too fast, or a list is full; `why_ended` then gives the status.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine.bodies import body_tables, own_bodies, settle_bodies
from repose.sim.engine.body_members import any_free
from repose.sim.engine.bond_forces import bond_tables, record_bond_energy
from repose.sim.engine.contacts.overlap_record import record_largest_overlap
from repose.sim.engine.contacts.pair_forces import force_of_pairs, record_pair_energy
from repose.sim.engine.contacts.servo import KEPT, LAST, SINGLE
from repose.sim.engine.contacts.wall_forces import force_of_walls, move_walls, wall_record
from repose.sim.engine.fields import field_tables, record_field_energy
from repose.sim.engine.jit import call, compilable
from repose.sim.engine.model import Corrected, Predicted, Share, Stage
from repose.sim.engine.neighbours.pair_list import note_branches
from repose.sim.engine.neighbours.verlet_list import (
    count_moved,
    forget_jumps,
    list_as_far,
    refresh_lists,
    renew,
    store_positions,
)
from repose.sim.engine.threads import is_missing, wait
from repose.sim.engine.workspace import CULPRIT, SPARING, STATUS, TILE
from repose.sim.engine.world import (
    NOT_FINITE,
    OK,
    PAIR_COUNT,
    PENDING,
    STEP_COUNT,
    THREAD_MISSING,
    TOO_FAST,
)


class Batch(NamedTuple):
    """The steps of one call."""

    dt: float
    """Time step [s]; 0 if nothing moves."""
    steps: int
    begun: int
    """Steps of the world before the call."""
    pending: int
    """Stages begun in a step that was interrupted to enlarge the tables."""


class Moment(NamedTuple):
    """One evaluation of forces in a batch."""

    k: int
    """Stage of the step."""
    step: int
    """Steps of the world before this one."""
    dt: float
    """Time step [s]; 0 if nothing moves."""
    time: float
    """Time of the evaluation from the beginning of the step, in units of dt [-]."""
    stage: Stage
    skipped: bool
    """Whether this stage was finished before the step was interrupted, or is not needed because nothing moves."""
    begun: bool
    """Whether the spheres were already predicted for this stage before the step was interrupted."""
    first: bool
    """Whether this is the first evaluation of the batch."""
    joined: bool
    """Whether the spheres were predicted together with the end of the last step."""
    joins: bool
    """Whether the spheres are predicted for the next step together with the end of this one."""
    last: bool
    """Whether this is the last stage of the step."""
    between: bool
    """Whether there is an evaluation before and one after this in the batch, and something moves."""


@compilable(forceinline=True)
def batch_of(world, dt, steps):
    """The steps of this call. Called before any thread has changed the counters."""
    return Batch(dt, steps, world.counters[STEP_COUNT], world.counters[PENDING])


@compilable(forceinline=True)
def moment_of(batch, scheme, done, k):
    """Stage k of the step after `done` steps of the batch."""
    stages = scheme.weights.size
    static = batch.dt == 0.0
    pending = batch.pending if done == 0 else 0
    time = float(scheme.stage_times[k])
    last_time = float(scheme.stage_times[k - 1]) - (1.0 if k == 0 else 0.0)
    weight = float(scheme.weights[k])
    behind = scheme.velocity_lead * batch.dt
    last = k == stages - 1
    first = done == 0 and k == max(pending - 1, 0)
    return Moment(
        k,
        batch.begun + done,
        batch.dt,
        time,
        Stage(weight * batch.dt, weight * scheme.damping_fraction, behind, (time - last_time) * batch.dt),
        pending > k + 1 or (static and k > 0),
        pending == k + 1,
        first,
        done > 0 and k == 0,
        last and done < batch.steps - 1 and not static,
        last,
        not (first or static or (last and done == batch.steps - 1)),
    )


@compilable(forceinline=True)
def begin_batch(world, numbers, steps, thread, parts):
    """Prepare what a batch reads from before: reach of the law, positions and branches at the last evaluation."""
    threads = world.workspace.threads
    if thread.id == 0:
        list_as_far(world.search, numbers.reach)
    if steps == 0:
        return True
    if not wait(threads):  # a missing thread is noticed before the world changes
        return False
    if parts.turn_bodies == 0:
        forget_jumps(world, thread.first, thread.last)
        if not wait(threads):
            return False
    if thread.id == 0:  # the other threads wait for it before they need branches
        of_pairs, count = world.workspace.pairs, world.counters[PAIR_COUNT]
        note_branches(world.pairs, of_pairs.last_branch, world.previous, world.boundary, 0, count)
    return True


@compilable(forceinline=True)
def before(world, now, thread, parts):
    """Predict or drift: spheres, rigid bodies and walls move to the time of the evaluation."""
    if now.begun:
        return
    if now.dt != 0.0:
        if not now.joined and parts.turn_bodies == 0:
            call(parts.before, Predicted(world.motion, thread.first, thread.last, now.k, now.dt))
        elif not now.joined:
            begin_free_spheres(world, thread.first, thread.last, now.k, now.dt, parts)
        if parts.turn_bodies != 0:
            first, last = own_bodies(world.bodies, thread)
            call(parts.before, Predicted(world.bodies.motion, first, last, now.k, now.dt))
    if thread.id == 0:
        move_walls(world.walls, now.stage.elapsed)
        world.counters[PENDING] = now.k + 1


@compilable(forceinline=True)
def place_members(world, numbers, now, thread, parts):
    """Turn the rigid bodies and place their members; between the first and the last evaluation of a batch, only those
    that pair forces need then."""
    if parts.turn_bodies == 0:
        return True
    bound = tables_of_bodies(world, numbers, now, thread, parts)
    call(parts.turn_bodies, bound)
    if not wait(world.workspace.threads):
        return False
    sparing = now.between and spares(parts)
    world.workspace.threads.thread_status[thread.id, SPARING] = 1 if sparing else 0
    if not sparing:
        call(parts.place_members, bound)
    return True


@compilable(forceinline=True)
def spares(parts):
    """Whether forces act only on members in lists: bonds and fields act on others, too."""
    return parts.add_bond_forces == 0 and parts.add_field_forces == 0


@compilable(forceinline=True)
def tables_of_bodies(world, numbers, now, thread, parts):
    """The argument of the parts of bodies at this evaluation. After the first evaluation of a batch, the positions at
    the last one follow from the poses of the bodies."""
    restores = 1 if spares(parts) and not now.first else 0
    return body_tables(world, numbers.gravity, now.time * now.dt, now.stage.behind, restores, thread)


@compilable(forceinline=True)
def refresh_neighbours(world, numbers, now, thread, parts):
    """Rebuild the lists if a sphere has moved half the skin."""
    if parts.turn_bodies == 0:
        return refresh_lists(world, now.dt, thread, parts) == OK
    return refresh_with_members(world, numbers, now, thread, parts)


@compilable(forceinline=True)
def refresh_with_members(world, numbers, now, thread, parts):
    """`refresh_neighbours` with rigid bodies: all members are placed before a rebuild, and noted after it."""
    bound = tables_of_bodies(world, numbers, now, thread, parts)
    of_thread = world.workspace.threads.thread_status[thread.id]
    moved = count_moved(world, call(parts.members_moved, bound) if of_thread[SPARING] > 0 else 0, thread, parts)
    if moved < 0:
        return False
    if moved > 0:
        if of_thread[SPARING] > 0:
            call(parts.place_members, bound)
            of_thread[SPARING] = 0
        if renew(world, now.dt, thread, parts) != OK:
            return False
    if now.first:  # members are in their places only now
        forget_jumps(world, thread.first, thread.last)
    return call(parts.note_members, bound) != 0 if now.first or moved > 0 else True


@compilable(forceinline=True)
def pair_forces(world, numbers, now, thread, parts):
    """Set the forces to the weight and add those of pairs."""
    mass = world.bodies.own_mass if parts.turn_bodies != 0 else world.mass  # of a member: its share
    return call(parts.add_pair_forces, force_of_pairs(world, numbers, mass, now.stage, thread, parts)) != 0


@compilable(forceinline=True)
def wall_forces(world, numbers, now, thread, parts):
    """Add the forces of walls and advance their contact memory."""
    if world.walls.shape.size == 0:
        return True
    acting = call(parts.search_acting, Share(world, thread))
    call(parts.add_wall_forces, force_of_walls(world, numbers.law, now.stage, thread, acting, parts))
    return wait(world.workspace.threads)


@compilable(forceinline=True)
def bond_forces(world, numbers, now, thread, parts):
    """Add the forces of bonds, and book their heat."""
    if parts.add_bond_forces == 0:
        return True
    if call(parts.add_bond_forces, bond_tables(world, numbers.bond, now.stage, thread)) == 0:
        return False
    if thread.id == 0:
        record_bond_energy(world, now.stage.dt)
    return True


@compilable(forceinline=True)
def field_forces(world, numbers, now, thread, parts):
    """Add the forces of fields, and book their heat and work."""
    if parts.add_field_forces == 0:
        return True
    time = numbers.time + (now.step - numbers.step + now.time) * now.dt
    mass = world.bodies.own_mass if parts.turn_bodies != 0 else world.mass  # of a member: its share
    if call(parts.add_field_forces, field_tables(world, numbers.fields, time, now.stage.behind, mass, thread)) == 0:
        return False
    if thread.id == 0:
        record_field_energy(world, now.stage.dt)
    return True


@compilable(forceinline=True)
def record_contacts(world, now, thread, parts):
    """Book the energy of contacts, record the largest overlap, and store the positions of this evaluation."""
    if thread.id == 0:
        record_pair_energy(world, parts.needs_stiffening, now.stage.dt)
        if world.walls.shape.size > 0:
            follows = KEPT if not now.last or now.dt == 0.0 else (SINGLE if now.k == 0 else LAST)
            call(parts.record_walls, wall_record(world, now.stage.dt, parts.needs_stiffening, follows))
        step = world.counters[STEP_COUNT] + (0 if now.dt == 0.0 else 1)
        record_largest_overlap(world.largest_overlap, world.workspace.threads.largest_overlap, step)
    if world.workspace.threads.thread_status[thread.id, SPARING] > 0:
        store_free_positions(world, thread)
    else:
        store_positions(world.previous, world.motion, thread.first, thread.last)
    return True


@compilable(forceinline=True)
def store_free_positions(world, thread):
    """`store_positions`, except where all spheres are members of bodies."""
    for begin in range(thread.first, thread.last, TILE):
        end = min(begin + TILE, thread.last)
        if any_free(world.workspace.search.body, begin, end):
            store_positions(world.previous, world.motion, begin, end)


@compilable(forceinline=True)
def gather_members(world, numbers, now, thread, parts):
    """Sum the forces and torques of members on their bodies."""
    if parts.turn_bodies == 0:
        return True
    if not wait(world.workspace.threads):
        return False
    call(parts.gather_members, tables_of_bodies(world, numbers, now, thread, parts))
    return True


@compilable(forceinline=True)
def after(world, now, thread, parts):
    """Correct or kick spheres and rigid bodies; if nothing moves, set their accelerations."""
    motion, force, inverse_mass = world.motion, world.force, world.inverse_mass
    first, last = thread.first, thread.last
    if parts.turn_bodies != 0:
        correct_bodies(world, now, thread, parts)
    if now.dt == 0.0:
        set_accelerations(motion, force, inverse_mass, first, last)
    elif now.joins or parts.turn_bodies != 0:
        end_and_begin_step(world, first, last, now, parts)
    else:
        call(parts.after, Corrected(motion, force, inverse_mass, first, last, now.k, now.dt))


@compilable(forceinline=True)
def correct_bodies(world, now, thread, parts):
    """`after` for the rigid bodies of this thread."""
    bodies, force = world.bodies, world.workspace.bodies.force
    first, last = own_bodies(bodies, thread)
    if now.dt == 0.0:
        set_accelerations(bodies.motion, force, bodies.inverse_mass, first, last)
    else:
        call(parts.after, Corrected(bodies.motion, force, bodies.inverse_mass, first, last, now.k, now.dt))
        if now.last:
            settle_bodies(bodies, first, last)


@compilable(forceinline=True)
def end_and_begin_step(world, first, last, now, parts):
    """End a stage for the rows first to last - 1, and if `now.joins` begin the next step: `TILE` spheres at a time,
    whose derivatives stay in the first-level cache in between."""
    motion, force, inverse_mass = world.motion, world.force, world.inverse_mass
    for begin in range(first, last, TILE):
        end = min(begin + TILE, last)
        if parts.turn_bodies != 0 and not any_free(world.workspace.search.body, begin, end):
            continue
        call(parts.after, Corrected(motion, force, inverse_mass, begin, end, now.k, now.dt))
        if now.joins:
            call(parts.before, Predicted(motion, begin, end, 0, now.dt))


@compilable(forceinline=True)
def begin_free_spheres(world, first, last, stage, dt, parts):
    """`before` for the rows first to last - 1 of a world with bodies, except where all spheres are members."""
    for begin in range(first, last, TILE):
        end = min(begin + TILE, last)
        if any_free(world.workspace.search.body, begin, end):
            call(parts.before, Predicted(world.motion, begin, end, stage, dt))


@compilable(forceinline=True)
def set_accelerations(motion, force, inverse_mass, first, last):
    """Set the accelerations of the rows first to last - 1 to force / mass."""
    for c in range(motion.shape[0]):
        for i in range(first, last):
            motion[c, 2, i] = force[c, i] * inverse_mass[c, i]


@compilable(forceinline=True)
def count_step(world, dt, thread):
    """Count a finished step; none is counted if nothing moves."""
    if thread.id == 0:
        world.counters[PENDING] = 0
        world.counters[STEP_COUNT] += 0 if dt == 0.0 else 1


@compilable(forceinline=True)
def end_batch(world, numbers, steps, thread, parts):
    """Place members at the end of the last step, for the readers of the tables."""
    if steps == 0 or parts.turn_bodies == 0:
        return True
    bound = body_tables(world, numbers.gravity, 0.0, 0.0, 0, thread)
    call(parts.turn_bodies, bound)
    if not wait(world.workspace.threads):
        return False
    call(parts.place_members, bound)
    return True


@compilable(forceinline=True)
def why_ended(world, done, thread):
    """Steps done, status, and row of the sphere concerned or -1, after a stage that has returned False."""
    threads = world.workspace.threads
    if is_missing(threads):
        return done, THREAD_MISSING, -1
    status = threads.thread_status[thread.id, STATUS]
    concerned = NOT_FINITE <= status <= TOO_FAST
    return done, status, threads.thread_status[0, CULPRIT] if concerned else -1
