"""Rigid bodies of several spheres: their orientation.

The integrator moves the table of bodies like the table of spheres: the centre of mass by force over mass, and the
angular momentum L over a reference moment of inertia I_0 by torque over I_0. Every scheme therefore conserves the
angular momentum of a free body exactly. The angular velocity in space follows from the orientation q,

    w = L/I_0 + R (I_0/I_k - 1) R^T L/I_0 ,    R = R(q),

and equals L/I_0 to the last bit for equal moments. From the end of the last step to each evaluation the orientation is
integrated by a splitting scheme of fourth order (`turned`), with the angular momentum linear in time: the energy of a
free body oscillates without drift. Close to the middle axis the period of a free body depends on its energy so
sensitively that the classical Runge-Kutta scheme, with a relative loss of 1e-8, missed it by 10 %. In the plane the
angle is an ordinary coordinate.

Their members are placed by `repose.sim.engine.body_members`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.pair_blocks import copy_column
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.model import Thread
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
def product(p, q):
    """The product of two quaternions: the rotation q followed by the rotation p, both about axes fixed in space."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@compilable(forceinline=True)
def rotation_between(p, q):
    """The rotation vector from the orientation p to q [rad], with an error of fifth order in the angle.

    It is exactly zero for equal orientations: an evaluation that is begun again adds nothing.
    """
    w, x, y, z = product(q, conjugate(p))
    moved = p[0] != q[0] or p[1] != q[1] or p[2] != q[2] or p[3] != q[3]
    twice = (2.0 if w > 0.0 else -2.0) * (1.0 + (x * x + y * y + z * z) / 6.0) if moved else 0.0
    return (twice * x, twice * y, twice * z)


@compilable(forceinline=True)
def half_angle(square):
    """Numbers c and s with s x/c = tan x for x² = `square`, the half angle of a rotation: a quaternion in proportion to
    cos x and sin x/x, without trigonometric functions. The error of x is x^9/99 000 (Padé)."""
    return 1.0 - square * (3.0 / 7.0 - square / 105.0), 1.0 - square * (2.0 / 21.0)


@compilable(forceinline=True)
def about_axis(angle):
    """Cosine and sine of half an angle times a common factor, and cosine and sine of the angle."""
    c, s = half_angle(0.25 * angle * angle)
    s *= 0.5 * angle
    per = 1.0 / (c * c + s * s)
    return c, s, per * (c * c - s * s), per * (2.0 * c * s)


@compilable(forceinline=True)
def turned_by_parts(q, elapsed, momentum, unequal):
    """The orientation after `elapsed` [s] with a constant L/I_0 in space [rad/s], to second order.

    With I_0/I_k = c + e_k and e_2 = 0, the kinetic energy of rotation is that of a sphere, c L²/(2 I_0), plus
    e_1 L_1²/(2 I_0) and e_3 L_3²/(2 I_0) with the components of L along the principal axes. The motion under each term
    alone is a rotation: about L by the angle c |L| t/I_0, and about axis k of the body by e_k L_k t/I_0, which does not
    change L_k. The first one commutes with the others; those are carried out in the order 1, 3, 1 with half, whole and
    half the time (Dullweber, Leimkuhler & McLachlan, J. Chem. Phys. 107 (1997) 5840). The result is exact if two
    moments are equal, one of them being the middle one.
    """
    common = 1.0 + unequal[1]
    first = elapsed * (unequal[0] - unequal[1])
    third = elapsed * (unequal[2] - unequal[1])
    along = rotated(conjugate(q), momentum)
    c1, s1, cosine, sine = about_axis(0.5 * first * along[0])
    middle = cosine * along[1] + sine * along[2]
    c3, s3, cosine, sine = about_axis(third * (cosine * along[2] - sine * along[1]))
    c2, s2, _, _ = about_axis(0.5 * first * (cosine * along[0] + sine * middle))
    cc, ss, cs, sc = c1 * c2, s1 * s2, c1 * s2, s1 * c2
    inner = (c3 * (cc - ss), c3 * (cs + sc), s3 * (cs - sc), s3 * (cc + ss))  # the product of the three
    half = vector.scale(0.5 * elapsed * common, momentum)
    c, s = half_angle(vector.dot(half, half))
    whole = product((c, s * half[0], s * half[1], s * half[2]), product(q, inner))
    per = 1.0 / math.sqrt(whole[0] * whole[0] + whole[1] * whole[1] + whole[2] * whole[2] + whole[3] * whole[3])
    return (per * whole[0], per * whole[1], per * whole[2], per * whole[3])


OUTER = 1.0 / (2.0 - 2.0 ** (1.0 / 3.0))
"""Length of the first and of the third part of a step of `turned` [-]; the second one, 1 - 2 OUTER, runs backwards."""


@compilable(forceinline=True)
def turned(q, elapsed, begin, end, unequal):
    """The orientation after `elapsed` [s]; L/I_0 changes linearly from `begin` to `end` [rad/s] in this time.

    Three steps of second order, each with L in its middle, cancel the error of third order (Yoshida, Phys. Lett. A 150
    (1990) 262). The scheme is symmetric in time, and L is constant without torque: the energy has no drift.
    """
    half = vector.scale(0.5, vector.add(begin, end))
    early = vector.add(begin, vector.scale(0.5 * OUTER, vector.sub(end, begin)))
    late = vector.add(begin, vector.scale(1.0 - 0.5 * OUTER, vector.sub(end, begin)))
    q = turned_by_parts(q, OUTER * elapsed, early, unequal)
    q = turned_by_parts(q, (1.0 - 2.0 * OUTER) * elapsed, half, unequal)
    return turned_by_parts(q, OUTER * elapsed, late, unequal)


def orient(bodies, now, buffer, first, last, elapsed, behind, spin_like):
    """Set orientation, rotation matrix and spin of the bodies first to last - 1, `elapsed` [s] after their reference
    orientation. `behind` is the time of this evaluation minus the time of the stored velocity [s]."""
    (orient_in_plane if len(spin_like) == 1 else orient_in_space)(bodies, now, buffer, first, last, elapsed, behind)


@overload(orient)
def _orient(bodies, now, buffer, first, last, elapsed, behind, spin_like):
    def in_plane(bodies, now, buffer, first, last, elapsed, behind, spin_like):
        return orient_in_plane(bodies, now, buffer, first, last, elapsed, behind)

    def in_space(bodies, now, buffer, first, last, elapsed, behind, spin_like):
        return orient_in_space(bodies, now, buffer, first, last, elapsed, behind)

    return in_plane if len(spin_like) == 1 else in_space


@compilable
def orient_in_plane(bodies, now, buffer, first, last, elapsed, behind):
    """Set rotation matrix and spin from the angle, which is a coordinate."""
    for row in range(first, last):
        b = np.uint64(row)  # a signed index would be tested for being negative, at every access
        angle = bodies.motion[2, 0, b]
        c = math.cos(angle)
        s = math.sin(angle)
        bodies.orientation[0, b] = c
        bodies.orientation[1, b] = s
        now.matrix[0, b] = c
        now.matrix[1, b] = -s
        now.matrix[2, b] = s
        now.matrix[3, b] = c
        now.spin[0, b] = bodies.motion[2, 1, b] + behind * bodies.motion[2, 2, b]
        bodies.rotation[0, b] = angle


AT_ORIENTATION, AT_UNEQUAL, AT_MOMENTUM, AT_SLOPE, AT_MATRIX, AT_SPIN = 0, 4, 7, 10, 13, 22
AT_BEFORE, AT_ROTATION, AT_COORDINATE = 25, 29, 32
"""Columns of a block of bodies in the buffer of a thread. With one table per column, compiled code would have to test
which tables overlap and would turn the bodies one by one: that took three times as long as their contacts."""


@compilable
def orient_in_space(bodies, now, buffer, first, last, elapsed, behind):
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
            copy_column(buffer[(AT_COORDINATE + c) * BLOCK :], bodies.motion[3 + c, 0, begin:end])
        if elapsed > 0.0:
            turn_block(buffer, size, elapsed, behind)
        orient_block(buffer, size, behind)
        for c in range(4):
            copy_column(bodies.orientation[c, begin:end], buffer[(AT_ORIENTATION + c) * BLOCK :][:size])
        for c in range(9):
            copy_column(now.matrix[c, begin:end], buffer[(AT_MATRIX + c) * BLOCK :][:size])
        for c in range(3):
            copy_column(now.spin[c, begin:end], buffer[(AT_SPIN + c) * BLOCK :][:size])
            copy_column(bodies.rotation[c, begin:end], buffer[(AT_ROTATION + c) * BLOCK :][:size])
    for entry in range((AT_COORDINATE + 3) * BLOCK):
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
        begin = vector.sub(end, vector.scale(elapsed, slope))
        arrays.write_block(buffer, AT_ORIENTATION, BLOCK, k, turned(q, elapsed, begin, end, unequal))


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
        rotation = vector.add(rotation, rotation_between(before, q))
        integrated = arrays.read_block(buffer, AT_COORDINATE, BLOCK, k, (0.0, 0.0, 0.0))
        equal = vector.dot(unequal, unequal) == 0.0  # the coordinate is then the integral of the spin, as of a sphere
        arrays.write_block(buffer, AT_ROTATION, BLOCK, k, vector.pick(equal, integrated, rotation))
        x = rotated(q, (1.0, 0.0, 0.0))
        y = rotated(q, (0.0, 1.0, 0.0))
        z = rotated(q, (0.0, 0.0, 1.0))
        arrays.write_block(buffer, AT_MATRIX, BLOCK, k, (x[0], y[0], z[0]))
        arrays.write_block(buffer, AT_MATRIX + 3, BLOCK, k, (x[1], y[1], z[1]))
        arrays.write_block(buffer, AT_MATRIX + 6, BLOCK, k, (x[2], y[2], z[2]))
        inside = rotated(conjugate(q), now)
        faster = rotated(q, (unequal[0] * inside[0], unequal[1] * inside[1], unequal[2] * inside[2]))
        arrays.write_block(buffer, AT_SPIN, BLOCK, k, vector.add(now, faster))


class BodyTables(NamedTuple):
    """Arguments of the parts that move bodies and their members (repose.sim.engine.body_members): a world and this
    evaluation."""

    world: World
    gravity: int
    """Address (repose.sim.engine.packed) of the gravity [m/s²]."""
    elapsed: float
    """Time since the end of the last step [s]."""
    behind: float
    """Time of this evaluation minus time of the stored velocity [s]."""
    restores: int
    """1 if the previous positions of members are to be computed from `BodyEvaluation.last_pose`, else 0."""
    thread: Thread


@compilable(forceinline=True)
def body_tables(world, gravity, elapsed, behind, restores, thread):
    """The argument of the parts that move bodies and their members."""
    return BodyTables(world, gravity, elapsed, behind, restores, thread)


@compilable(forceinline=True)
def own_bodies(bodies, thread):
    """First row and last row + 1 of the bodies of one thread."""
    return share(bodies.begin.size - 1, thread.id, thread.total)


@compilable
def turn_bodies(tables, shapes):
    """Set orientations and spins of this thread's bodies for this evaluation. Returns 0."""
    bodies = tables.world.bodies
    first, last = own_bodies(bodies, tables.thread)
    buffer = tables.world.workspace.threads.buffer[tables.thread.id]
    now = tables.world.workspace.bodies
    orient(bodies, now, buffer, first, last, tables.elapsed, tables.behind, shapes.spin)
    keep_pose(bodies, now, len(shapes.position), first, last)
    return 0


@compilable
def keep_pose(bodies, now, dimension, first, last):
    """Store centre, rotation matrix and rotation of these bodies, and keep those of the last placement."""
    poses = now.pose.shape[0]
    for c in range(poses):
        copy_column(now.last_pose[c, first:last], now.pose[c, first:last])
    matrix = dimension * dimension
    for c in range(dimension):
        copy_column(now.pose[c, first:last], bodies.motion[c, 0, first:last])
    for c in range(matrix):
        copy_column(now.pose[dimension + c, first:last], now.matrix[c, first:last])
    for c in range(poses - dimension - matrix):
        copy_column(now.pose[dimension + matrix + c, first:last], bodies.rotation[c, first:last])


@compilable
def settle_bodies(bodies, first, last):
    """Store the present orientations of these bodies as those at the end of a step."""
    for c in range(4):
        copy_column(bodies.reference[c, first:last], bodies.orientation[c, first:last])
