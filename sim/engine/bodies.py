"""Rigid bodies of several spheres: orientation, motion of the members, sums of the forces on the members.

The integrator moves the table of bodies like the table of spheres: the centre of mass by force over mass, and the
angular momentum L over a reference moment of inertia I_0 by torque over I_0. Every scheme therefore conserves the
angular momentum of a free body exactly. The angular velocity in space follows from the orientation q,

    w = L/I_0 + R (I_0/I_k - 1) R^T L/I_0 ,    R = R(q),

and equals L/I_0 to the last bit for equal moments. The orientation obeys q' = 1/2 q R^T w. The classical Runge-Kutta
scheme integrates it from the end of the last step to each evaluation, with the angular momentum linear in time. In the
plane the angle is an ordinary coordinate.

A member at the offset s has the position X + R s and the velocity V + w x R s. The force on a body is the sum of the
forces on its members. The torque is the sum of their torques about the centre without that of their weights: uniform
gravity exerts no torque on a body.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.pair_blocks import copy_column
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.model import Thread
from repose.sim.engine.packed import numbers_at
from repose.sim.engine.threads import share
from repose.sim.engine.workspace import BLOCK
from repose.sim.engine.world import World


@compilable(forceinline=True)
def rotated(q, a):
    """The vector a turned by the unit quaternion q = (w, x, y, z): a + 2 w (u x a) + 2 u x (u x a)."""
    u = (q[1], q[2], q[3])
    once = vector.turn(u, a)
    twice = vector.turn(u, once)
    return vector.add(a, vector.add(vector.scale(2.0 * q[0], once), vector.scale(2.0, twice)))


@compilable(forceinline=True)
def conjugate(q):
    """The quaternion of the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@compilable(forceinline=True)
def rotation_between(p, q):
    """The rotation vector from the orientation p to q [rad], with an error of fifth order in the angle."""
    w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]
    x = q[1] * p[0] - q[0] * p[1] - q[2] * p[3] + q[3] * p[2]
    y = q[2] * p[0] - q[0] * p[2] - q[3] * p[1] + q[1] * p[3]
    z = q[3] * p[0] - q[0] * p[3] - q[1] * p[2] + q[2] * p[1]
    twice = (2.0 if w > 0.0 else -2.0) * (1.0 + (x * x + y * y + z * z) / 6.0)
    return (twice * x, twice * y, twice * z)


@compilable(forceinline=True)
def rate_of(q, momentum, unequal):
    """q' = 1/2 q w, where w is the angular velocity along the principal axes [rad/s]; `momentum` is L/I_0 in space."""
    inside = rotated(conjugate(q), momentum)
    x = inside[0] + unequal[0] * inside[0]
    y = inside[1] + unequal[1] * inside[1]
    z = inside[2] + unequal[2] * inside[2]
    return (
        -0.5 * (x * q[1] + y * q[2] + z * q[3]),
        0.5 * (x * q[0] + z * q[2] - y * q[3]),
        0.5 * (y * q[0] + x * q[3] - z * q[1]),
        0.5 * (z * q[0] + y * q[1] - x * q[2]),
    )


@compilable(forceinline=True)
def moved(q, dt, rate):
    """q + dt q', normalised up to an error of order ((w dt)²/4)³."""
    a = q[0] + dt * rate[0]
    b = q[1] + dt * rate[1]
    c = q[2] + dt * rate[2]
    d = q[3] + dt * rate[3]
    square = a * a + b * b + c * c + d * d
    per = 1.875 - square * (1.25 - 0.375 * square)
    return (per * a, per * b, per * c, per * d)


@compilable(forceinline=True)
def turned(q, elapsed, begin, middle, end, unequal):
    """The orientation after `elapsed` [s]; begin, middle and end are L/I_0 at these times [rad/s]."""
    first = rate_of(q, begin, unequal)
    second = rate_of(moved(q, 0.5 * elapsed, first), middle, unequal)
    third = rate_of(moved(q, 0.5 * elapsed, second), middle, unequal)
    fourth = rate_of(moved(q, elapsed, third), end, unequal)
    sixth = elapsed / 6.0
    a = q[0] + sixth * (first[0] + 2.0 * (second[0] + third[0]) + fourth[0])
    b = q[1] + sixth * (first[1] + 2.0 * (second[1] + third[1]) + fourth[1])
    c = q[2] + sixth * (first[2] + 2.0 * (second[2] + third[2]) + fourth[2])
    d = q[3] + sixth * (first[3] + 2.0 * (second[3] + third[3]) + fourth[3])
    per = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    return (per * a, per * b, per * c, per * d)


def orient(bodies, buffer, first, last, elapsed, behind, spin_like):
    """Set orientation, rotation matrix and spin of the bodies first to last - 1, `elapsed` [s] after their reference
    orientation. `behind` is the time of this evaluation minus the time of the stored velocity [s]."""
    (orient_in_plane if len(spin_like) == 1 else orient_in_space)(bodies, buffer, first, last, elapsed, behind)


@overload(orient)
def _orient(bodies, buffer, first, last, elapsed, behind, spin_like):
    def in_plane(bodies, buffer, first, last, elapsed, behind, spin_like):
        return orient_in_plane(bodies, buffer, first, last, elapsed, behind)

    def in_space(bodies, buffer, first, last, elapsed, behind, spin_like):
        return orient_in_space(bodies, buffer, first, last, elapsed, behind)

    return in_plane if len(spin_like) == 1 else in_space


@compilable
def orient_in_plane(bodies, buffer, first, last, elapsed, behind):
    """Set rotation matrix and spin from the angle, which is a coordinate."""
    for row in range(first, last):
        b = np.uint64(row)  # a signed index would be tested for being negative, at every access
        angle = bodies.motion[2, 0, b]
        c = math.cos(angle)
        s = math.sin(angle)
        bodies.orientation[0, b] = c
        bodies.orientation[1, b] = s
        bodies.matrix[0, b] = c
        bodies.matrix[1, b] = -s
        bodies.matrix[2, b] = s
        bodies.matrix[3, b] = c
        bodies.spin[0, b] = bodies.motion[2, 1, b] + behind * bodies.motion[2, 2, b]
        bodies.rotation[0, b] = angle


AT_ORIENTATION, AT_UNEQUAL, AT_MOMENTUM, AT_SLOPE, AT_MATRIX, AT_SPIN, AT_BEFORE, AT_ROTATION = 0, 4, 7, 10, 13, 22, 25, 29
"""Columns of a block of bodies in the buffer of a thread. With one table per column, compiled code would have to test
which tables overlap and would turn the bodies one by one: that took three times as long as their contacts."""


@compilable
def orient_in_space(bodies, buffer, first, last, elapsed, behind):
    """Integrate the quaternions from the end of the last step to this evaluation, block by block."""
    for begin in range(first, last, BLOCK):
        size = min(BLOCK, last - begin)
        end = begin + size
        for c in range(4):
            copy_column(buffer[(AT_ORIENTATION + c) * BLOCK :], bodies.reference[c, begin:end])
            copy_column(buffer[(AT_BEFORE + c) * BLOCK :], bodies.orientation[c, begin:end])
        for c in range(3):
            copy_column(buffer[(AT_UNEQUAL + c) * BLOCK :], bodies.unequal[c, begin:end])
            copy_column(buffer[(AT_MOMENTUM + c) * BLOCK :], bodies.motion[3 + c, 1, begin:end])
            copy_column(buffer[(AT_SLOPE + c) * BLOCK :], bodies.motion[3 + c, 2, begin:end])
            copy_column(buffer[(AT_ROTATION + c) * BLOCK :], bodies.rotation[c, begin:end])
        if elapsed > 0.0:
            turn_block(buffer, size, elapsed, behind)
        orient_block(buffer, size, behind)
        for c in range(4):
            copy_column(bodies.orientation[c, begin:end], buffer[(AT_ORIENTATION + c) * BLOCK :][:size])
        for c in range(9):
            copy_column(bodies.matrix[c, begin:end], buffer[(AT_MATRIX + c) * BLOCK :][:size])
        for c in range(3):
            copy_column(bodies.spin[c, begin:end], buffer[(AT_SPIN + c) * BLOCK :][:size])
            copy_column(bodies.rotation[c, begin:end], buffer[(AT_ROTATION + c) * BLOCK :][:size])
    for entry in range((AT_ROTATION + 3) * BLOCK):
        buffer[entry] = 1.0  # contacts that pad a block are evaluated with these numbers, which must be positive


@compilable(forceinline=True)
def turn_block(buffer, size, elapsed, behind):
    """Integrate the orientations of a block of bodies over `elapsed` [s]."""
    for k in range(size):
        q = arrays.read_block(buffer, AT_ORIENTATION, BLOCK, k, (0.0, 0.0, 0.0, 0.0))
        unequal = arrays.read_block(buffer, AT_UNEQUAL, BLOCK, k, (0.0, 0.0, 0.0))
        now = arrays.read_block(buffer, AT_MOMENTUM, BLOCK, k, (0.0, 0.0, 0.0))
        slope = arrays.read_block(buffer, AT_SLOPE, BLOCK, k, (0.0, 0.0, 0.0))
        end = vector.add(now, vector.scale(behind, slope))
        middle = vector.sub(end, vector.scale(0.5 * elapsed, slope))
        begin = vector.sub(end, vector.scale(elapsed, slope))
        arrays.write_block(buffer, AT_ORIENTATION, BLOCK, k, turned(q, elapsed, begin, middle, end, unequal))


@compilable(forceinline=True)
def orient_block(buffer, size, behind):
    """Set rotation matrices (row by row) and angular velocities of a block of bodies, and add the rotation since the
    last evaluation."""
    for k in range(size):
        q = arrays.read_block(buffer, AT_ORIENTATION, BLOCK, k, (0.0, 0.0, 0.0, 0.0))
        unequal = arrays.read_block(buffer, AT_UNEQUAL, BLOCK, k, (0.0, 0.0, 0.0))
        stored = arrays.read_block(buffer, AT_MOMENTUM, BLOCK, k, (0.0, 0.0, 0.0))
        slope = arrays.read_block(buffer, AT_SLOPE, BLOCK, k, (0.0, 0.0, 0.0))
        now = vector.add(stored, vector.scale(behind, slope))
        before = arrays.read_block(buffer, AT_BEFORE, BLOCK, k, (0.0, 0.0, 0.0, 0.0))
        rotation = arrays.read_block(buffer, AT_ROTATION, BLOCK, k, (0.0, 0.0, 0.0))
        arrays.write_block(buffer, AT_ROTATION, BLOCK, k, vector.add(rotation, rotation_between(before, q)))
        x = rotated(q, (1.0, 0.0, 0.0))
        y = rotated(q, (0.0, 1.0, 0.0))
        z = rotated(q, (0.0, 0.0, 1.0))
        arrays.write_block(buffer, AT_MATRIX, BLOCK, k, (x[0], y[0], z[0]))
        arrays.write_block(buffer, AT_MATRIX + 3, BLOCK, k, (x[1], y[1], z[1]))
        arrays.write_block(buffer, AT_MATRIX + 6, BLOCK, k, (x[2], y[2], z[2]))
        inside = rotated(conjugate(q), now)
        faster = rotated(q, (unequal[0] * inside[0], unequal[1] * inside[1], unequal[2] * inside[2]))
        arrays.write_block(buffer, AT_SPIN, BLOCK, k, vector.add(now, faster))


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


class BodyTables(NamedTuple):
    """Arguments of the parts that move bodies and their members: a world and this evaluation."""

    world: World
    gravity: int
    """Address (repose.sim.engine.packed) of the gravity [m/s²]."""
    elapsed: float
    """Time since the end of the last step [s]."""
    behind: float
    """Time of this evaluation minus time of the stored velocity [s]."""
    thread: Thread


@compilable(forceinline=True)
def body_tables(world, gravity, elapsed, behind, thread):
    """The argument of `turn_bodies`, `place_members` and `gather_members`."""
    return BodyTables(world, gravity, elapsed, behind, thread)


@compilable(forceinline=True)
def own_bodies(bodies, thread):
    """First row and last row + 1 of the bodies of one thread."""
    return share(bodies.begin.size - 1, thread.id, thread.total)


@compilable
def turn_bodies(tables, shapes):
    """Set orientations and spins of this thread's bodies for this evaluation. Returns 0."""
    bodies = tables.world.bodies
    first, last = own_bodies(bodies, tables.thread)
    buffer = tables.world.threads.buffer[tables.thread.id]
    orient(bodies, buffer, first, last, tables.elapsed, tables.behind, shapes.spin)
    return 0


@compilable
def settle_bodies(bodies, first, last):
    """Store the present orientations of these bodies as those at the end of a step."""
    for c in range(4):
        for b in range(first, last):
            bodies.reference[c, b] = bodies.orientation[c, b]


@compilable
def place_members(tables, shapes):
    """Set position, velocity and spin of the members among this thread's spheres from their bodies, and their higher
    derivatives to zero. Returns 0."""
    motion = tables.world.motion
    bodies = tables.world.bodies
    body = tables.world.search.body
    thread = tables.thread
    dimension = len(shapes.position)
    centres = arrays.level(bodies.motion, 0, 0, shapes.position)
    speeds = arrays.level(bodies.motion, 0, 1, shapes.position)
    turning = arrays.rows(bodies.spin, shapes.spin)
    offsets = arrays.rows(bodies.offset, shapes.position)
    arms = arrays.rows(bodies.arm, shapes.position)
    positions = arrays.level(motion, 0, 0, shapes.position)
    velocities = arrays.level(motion, 0, 1, shapes.position)
    spins = arrays.level(motion, dimension, 1, shapes.spin)
    angles = arrays.level(motion, dimension, 0, shapes.spin)
    turned_by = arrays.rows(bodies.rotation, shapes.spin)
    accelerations = arrays.level(bodies.motion, 0, 2, shapes.position)
    for row in range(thread.first, thread.last):
        if body[row] < 0:
            continue
        i = np.uint64(row)  # a signed index would be tested for being negative, at every access
        b = np.uint64(body[i])
        spin = arrays.at(turning, b)
        arm = arm_of(bodies.matrix, b, arrays.at(offsets, i))
        arrays.write_at(arms, i, arm)
        arrays.write_at(positions, i, vector.add(arrays.at(centres, b), arm))
        speed = vector.add(arrays.at(speeds, b), vector.scale(tables.behind, arrays.at(accelerations, b)))
        arrays.write_at(velocities, i, vector.add(speed, vector.turn(spin, arm)))
        arrays.write_at(spins, i, spin)
        arrays.write_at(angles, i, arrays.at(turned_by, b))
    first = thread.first
    size = thread.last - first
    for c in range(motion.shape[0]):
        for level in range(2, motion.shape[1]):
            row_of_level = motion[c, level, first : first + size]
            owner = body[first : first + size]
            for k in range(owner.size):
                row_of_level[k] = row_of_level[k] if owner[k] < 0 else 0.0
    return 0


@compilable
def gather_members(tables, shapes):
    """Set force and torque of this thread's bodies to the sums over their members, in member order. Returns 0.

    The function reads arms and no positions: another thread may have begun to move the members.
    """
    bodies = tables.world.bodies
    dimension = len(shapes.position)
    gravity = numbers_at(tables.gravity, shapes.position)
    arms = arrays.rows(bodies.arm, shapes.position)
    forces = arrays.rows(tables.world.force, shapes.position)
    torques = arrays.rows(tables.world.force[dimension:], shapes.spin)
    total_forces = arrays.rows(bodies.force, shapes.position)
    total_torques = arrays.rows(bodies.force[dimension:], shapes.spin)
    first, last = own_bodies(bodies, tables.thread)
    for row in range(first, last):
        b = np.uint64(row)
        total = vector.scale(0.0, gravity)
        torque = vector.scale(0.0, shapes.spin)
        for k in range(bodies.begin[row], bodies.begin[row + 1]):
            i = bodies.member[np.uint64(k)]
            force = arrays.at(forces, i)
            push = vector.sub(force, vector.scale(bodies.own_mass[i], gravity))
            arm = arrays.at(arms, i)
            total = vector.add(total, force)
            torque = vector.add(torque, vector.add(arrays.at(torques, i), vector.torque(arm, push, shapes.spin)))
        arrays.write_at(total_forces, b, total)
        arrays.write_at(total_torques, b, torque)
    return 0
