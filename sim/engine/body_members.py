"""Members of rigid bodies: their motion follows from that of the body, and the body gets the sum of their forces.

A member at the offset s has the position X + R s and the velocity V + w x R s. The force on a body is the sum of the
forces on its members. The torque is the sum of their torques about the centre without that of their weights: uniform
gravity exerts no torque on a body.

Most members touch nothing: their tables would be written at every evaluation only to be read by nobody. Between the
first and the last evaluation of a batch only the members in the lists of pairs and of contacts with walls are placed,
which are noted whenever the lists change, and only what contacts read is written: the rows of spheres. Positions before
this evaluation are those of the bodies' poses before it. Whether another member may have moved too far for the lists
follows from the motion of its body. The results have the same bits as if all members were placed.
"""

from __future__ import annotations

import math

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.bodies import own_bodies
from repose.sim.engine.contacts.pair_blocks import copy_column, to_line
from repose.sim.engine.contacts.sphere_rows import entry, read_row, write_row
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.packed import coefficients_at
from repose.sim.engine.threads import share, wait
from repose.sim.engine.workspace import (
    IN_PAIR,
    NEAR_WALL,
    NOTED,
    SPARING,
    displacement_at,
    rotation_at,
    row_width,
    spin_at,
    sum_width,
)
from repose.sim.engine.world import PAIR_COUNT

CERTAIN = 1.0 - 1e-6
"""Part of half the skin up to which the bound of the motion of a body decides: it is rounded [-]."""


def arm_of(matrix, b, offset):
    """The offset [m] of a member of body b, rotated into space."""
    d = len(offset)
    return tuple(sum(float(matrix[d * r + c, b]) * offset[c] for c in range(d)) for r in range(d))


@overload(arm_of)
def _arm_of(matrix, b, offset):
    def in_plane(matrix, b, offset):
        return (
            matrix[0, b] * offset[0] + matrix[1, b] * offset[1],
            matrix[2, b] * offset[0] + matrix[3, b] * offset[1],
        )

    def in_space(matrix, b, offset):
        return (
            matrix[0, b] * offset[0] + matrix[1, b] * offset[1] + matrix[2, b] * offset[2],
            matrix[3, b] * offset[0] + matrix[4, b] * offset[1] + matrix[5, b] * offset[2],
            matrix[6, b] * offset[0] + matrix[7, b] * offset[1] + matrix[8, b] * offset[2],
        )

    return in_plane if len(offset) == 2 else in_space


@compilable(forceinline=True)
def any_free(body, first, last):
    """Whether one of the spheres first to last - 1 is no member of a body; `body` is `SearchTables.body`."""
    free = 0
    owners = body[first:last]
    for k in range(owners.size):  # counted, which compiles to wide registers
        free += 1 if owners[k] < 0 else 0
    return free > 0


@compilable
def place_members(tables, shapes):
    """Set position, velocity and spin of the members among this thread's spheres from their bodies, and their higher
    derivatives to zero. Returns 0."""
    world = tables.world
    thread = tables.thread
    body = world.workspace.search.body
    for row in range(thread.first, thread.last):
        if body[row] >= 0:
            place_member(tables, shapes, np.uint64(row))
    motion = world.motion
    first = thread.first
    size = thread.last - first
    for c in range(motion.shape[0]):
        for level in range(2, motion.shape[1]):
            row_of_level = motion[c, level, first : first + size]
            owner = body[first : first + size]
            for k in range(owner.size):
                row_of_level[k] = row_of_level[k] if owner[k] < 0 else 0.0
    return 0


@compilable(forceinline=True)
def place_member(tables, shapes, i):
    """Set arm, position, velocity, spin and rotation of member i, and with `BodyTables.restores` its position and
    rotation at the last evaluation."""
    world = tables.world
    motion = world.motion
    bodies = world.bodies
    now = world.workspace.bodies
    dimension = len(shapes.position)
    b = np.uint64(world.workspace.search.body[i])
    offset = arrays.at(arrays.rows(bodies.offset, shapes.position), i)
    spin = arrays.at(arrays.rows(now.spin, shapes.spin), b)
    arm = arm_of(now.matrix, b, offset)
    arrays.write_at(arrays.rows(now.arm, shapes.position), i, arm)
    position = vector.add(arrays.at(arrays.level(bodies.motion, 0, 0, shapes.position), b), arm)
    arrays.write_at(arrays.level(motion, 0, 0, shapes.position), i, position)
    velocity = vector.add(speed_of(tables, shapes, b), vector.turn(spin, arm))
    arrays.write_at(arrays.level(motion, 0, 1, shapes.position), i, velocity)
    arrays.write_at(arrays.level(motion, dimension, 1, shapes.spin), i, spin)
    turned = arrays.at(arrays.rows(bodies.rotation, shapes.spin), b)
    arrays.write_at(arrays.level(motion, dimension, 0, shapes.spin), i, turned)
    if tables.restores > 0:
        previous = world.previous
        arrays.write_at(arrays.rows(previous, shapes.position), i, last_position(now.last_pose, b, offset))
        turned = arrays.at(arrays.rows(now.last_pose[dimension + dimension * dimension :], shapes.spin), b)
        arrays.write_at(arrays.rows(previous[dimension:], shapes.spin), i, turned)


@compilable(forceinline=True)
def speed_of(tables, shapes, b):
    """Velocity of the centre of body b at this evaluation [m/s]."""
    motion = tables.world.bodies.motion
    speed = arrays.at(arrays.level(motion, 0, 1, shapes.position), b)
    acceleration = arrays.at(arrays.level(motion, 0, 2, shapes.position), b)
    return vector.add(speed, vector.scale(tables.behind, acceleration))


@compilable(forceinline=True)
def last_position(pose, b, offset):
    """The position of a member of body b at this offset in a pose (`BodyEvaluation.pose`) [m]."""
    dimension = len(offset)
    return vector.add(arrays.at(arrays.rows(pose, offset), b), arm_of(pose[dimension:], b, offset))


@compilable
def note_members(tables, shapes):
    """Note which members are in the lists, and how far those of each body have moved since these were made. All members
    have been placed. Returns 1, or 0 if a thread is missing."""
    world = tables.world
    thread = tables.thread
    threads = world.workspace.threads
    search = world.workspace.search
    now = world.workspace.bodies
    at_walls = world.workspace.wall_contacts.begin
    for row in range(thread.first, thread.last):
        now.mark[row] = NEAR_WALL if at_walls[row + 1] > at_walls[row] else 0
    if not wait(threads):
        return 0
    # Threads that mark the same sphere write the same number.
    first, last = share(world.counters[PAIR_COUNT], thread.id, thread.total)
    for p in range(first, last):
        now.mark[world.pairs.i[p]] |= IN_PAIR
        now.mark[world.pairs.j[p]] |= IN_PAIR
    if not wait(threads):
        return 0
    noted = thread.first
    for row in range(thread.first, thread.last):
        if search.body[row] >= 0 and now.mark[row] > 0:
            now.noted[noted] = row
            noted += 1
    threads.thread_status[thread.id, NOTED] = noted - thread.first
    positions = arrays.level(world.motion, 0, 0, shapes.position)
    reference = arrays.rows(world.search.reference, shapes.position)
    bodies = world.bodies
    first, last = own_bodies(bodies, thread)
    for c in range(now.pose.shape[0]):
        copy_column(now.noted_pose[c, first:last], now.pose[c, first:last])
    for b in range(first, last):
        far = 0.0
        moved = 0.0
        for k in range(bodies.begin[b], bodies.begin[b + 1]):
            i = bodies.member[k]
            arm = arrays.at(arrays.rows(now.arm, shapes.position), i)
            path = vector.sub(arrays.at(positions, i), arrays.at(reference, i))
            far = max(far, vector.dot(arm, arm))
            moved = max(moved, vector.dot(path, path))
        now.reach[0, b] = math.sqrt(far)
        now.reach[1, b] = math.sqrt(moved)
    return 1


@compilable
def members_moved(tables, shapes):
    """1 if a member of one of this thread's bodies has moved more than half the skin since the lists were made, else 0.
    Members are not placed.

    A body that has moved by d and turned by the angle a has moved its members by at most d + 2 sin(a/2) s at the
    distance s from the centre. The change D of the rotation matrix has the norm |D| = sqrt(8) sin(a/2). Only if this
    bound exceeds half the skin, the members are looked at.
    """
    world = tables.world
    bodies = world.bodies
    now = world.workspace.bodies
    limit = 0.5 * world.search.skin[0]
    dimension = len(shapes.position)
    first, last = own_bodies(bodies, tables.thread)
    for row in range(first, last):
        b = np.uint64(row)
        square = 0.0
        for c in range(dimension):
            path = now.pose[c, b] - now.noted_pose[c, b]
            square += path * path
        turned = 0.0
        for c in range(dimension, dimension + dimension * dimension):
            change = now.pose[c, b] - now.noted_pose[c, b]
            turned += change * change
        bound = now.reach[1, b] + math.sqrt(square) + math.sqrt(0.5 * turned) * now.reach[0, b]
        if not bound <= CERTAIN * limit and any_member_moved(world, b, limit, shapes):  # also if it is not a number
            return 1
    return 0


@compilable
def any_member_moved(world, b, limit, shapes):
    """Whether a member of body b is farther than `limit` [m] from its reference position, or at no finite place."""
    bodies = world.bodies
    offsets = arrays.rows(bodies.offset, shapes.position)
    reference = arrays.rows(world.search.reference, shapes.position)
    for k in range(bodies.begin[b], bodies.begin[b + np.uint64(1)]):
        i = bodies.member[k]
        place = last_position(world.workspace.bodies.pose, b, arrays.at(offsets, i))
        path = vector.sub(place, arrays.at(reference, i))
        if not vector.dot(path, path) <= limit * limit:
            return True
    return False


@compilable
def fill_noted(tables, shapes):
    """Fill the rows of the noted members among this thread's spheres, and set the sums of their forces to weight and
    zero; members near walls are placed. Masses and radii are in the rows already. Returns 0."""
    world = tables.world
    thread = tables.thread
    threads = world.workspace.threads
    bodies = world.bodies
    now = world.workspace.bodies
    gravity = coefficients_at(tables.gravity, shapes.position)
    dimension = len(shapes.position)
    rows = threads.sphere_rows[to_line(threads.sphere_rows) :]
    sums = threads.sums[to_line(threads.sums) :]
    width = row_width(dimension, True)
    of_sums = sum_width(dimension, True)
    body = world.workspace.search.body
    rotation = dimension + dimension * dimension
    turned_to = arrays.rows(now.pose[rotation:], shapes.spin)
    turned_from = arrays.rows(now.last_pose[rotation:], shapes.spin)
    spins = arrays.rows(now.spin, shapes.spin)
    offsets = arrays.rows(bodies.offset, shapes.position)
    centres = arrays.rows(now.pose, shapes.position)
    for k in range(thread.first, thread.first + threads.thread_status[thread.id, NOTED]):
        i = np.uint64(now.noted[k])
        b = np.uint64(body[i])
        offset = arrays.at(offsets, i)
        spin = arrays.at(spins, b)
        arm = arm_of(now.matrix, b, offset)
        position = vector.add(arrays.at(centres, b), arm)
        velocity = vector.add(speed_of(tables, shapes, b), vector.turn(spin, arm))
        if tables.behind != 0.0:  # as for other spheres; the acceleration of a member is zero
            velocity = vector.add(velocity, vector.scale(tables.behind, vector.scale(0.0, gravity)))
            spin = vector.add(spin, vector.scale(tables.behind, vector.scale(0.0, spin)))
        write_row(rows, entry(i, width, 0), position)
        write_row(rows, entry(i, width, dimension), velocity)
        moved = vector.sub(position, last_position(now.last_pose, b, offset))
        write_row(rows, entry(i, width, displacement_at(dimension)), moved)
        write_row(rows, entry(i, width, spin_at(dimension) + 1), spin)
        turned = vector.sub(arrays.at(turned_to, b), arrays.at(turned_from, b))
        write_row(rows, entry(i, width, rotation_at(dimension)), turned)
        write_row(sums, entry(i, of_sums, 0), vector.scale(bodies.own_mass[i], gravity))
        for c in range(dimension, of_sums):  # padding too: it is added to
            sums[entry(i, of_sums, c)] = 0.0
        if now.mark[i] & NEAR_WALL:
            place_member(tables, shapes, i)
    return 0


@compilable(forceinline=True)
def write_sums_at_walls(world, thread, position_like, spin_like):
    """Write the sums of forces and torques on this thread's spheres near walls to `State.force`."""
    dimension = len(position_like)
    width = sum_width(dimension, len(spin_like) > 0)
    sums = world.workspace.threads.sums[to_line(world.workspace.threads.sums) :]
    forces = arrays.rows(world.force, position_like)
    torques = arrays.rows(world.force[dimension:], spin_like)
    begin = world.workspace.wall_contacts.begin
    for t in range(begin[thread.first], begin[thread.last]):
        i = world.wall_contacts.sphere[t]
        arrays.write_at(forces, i, read_row(sums, entry(i, width, 0), position_like))
        arrays.write_at(torques, i, read_row(sums, entry(i, width, width // 2), spin_like))


@compilable
def gather_members(tables, shapes):
    """Set force and torque of this thread's bodies to the sums over their members, in member order. Returns 0.

    The function reads no positions of members: another thread may have begun to move them.
    """
    world = tables.world
    bodies = world.bodies
    threads = world.workspace.threads
    now = world.workspace.bodies
    dimension = len(shapes.position)
    gravity = coefficients_at(tables.gravity, shapes.position)
    offsets = arrays.rows(bodies.offset, shapes.position)
    forces = arrays.rows(world.force, shapes.position)
    torques = arrays.rows(world.force[dimension:], shapes.spin)
    total_forces = arrays.rows(now.force, shapes.position)
    total_torques = arrays.rows(now.force[dimension:], shapes.spin)
    width = sum_width(dimension, True)
    sums = threads.sums[to_line(threads.sums) :]
    sparing = threads.thread_status[tables.thread.id, SPARING] > 0
    first, last = own_bodies(bodies, tables.thread)
    for row in range(first, last):
        b = np.uint64(row)
        total = vector.scale(0.0, gravity)
        torque = vector.scale(0.0, shapes.spin)
        for k in range(bodies.begin[row], bodies.begin[row + 1]):
            i = bodies.member[np.uint64(k)]
            weight = vector.scale(bodies.own_mass[i], gravity)
            mark = now.mark[i] if sparing else NEAR_WALL
            if mark == 0:
                total = vector.add(total, weight)
                continue
            if mark & NEAR_WALL:
                force = arrays.at(forces, i)
                turn = arrays.at(torques, i)
            else:
                force = read_row(sums, entry(i, width, 0), shapes.position)
                turn = read_row(sums, entry(i, width, width // 2), shapes.spin)
            push = vector.sub(force, weight)
            arm = arm_of(now.matrix, b, arrays.at(offsets, i))
            total = vector.add(total, force)
            torque = vector.add(torque, vector.add(turn, vector.torque(arm, push, shapes.spin)))
        arrays.write_at(total_forces, b, total)
        arrays.write_at(total_torques, b, torque)
    return 0
