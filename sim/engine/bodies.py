"""Rigid bodies of several spheres: orientation, places of the members, forces gathered from them.

The integrator moves the table of bodies as it moves that of spheres: centre of mass by force over mass, angular
momentum L over a reference moment of inertia I_0 by torque over I_0. So every scheme conserves the angular momentum of
a free body exactly. The angular velocity in space follows from the orientation q,

    w = L/I_0 + R (I_0/I_k - 1) R^T L/I_0 ,    R = R(q),

which for equal moments is L/I_0 to the last bit. The orientation obeys q' = 1/2 w q. It is integrated over each step by
the classical Runge-Kutta scheme, from the end of the last step to each evaluation, with the angular momentum taken as
linear in time. In the plane the angle is a coordinate like others.

A member at the offset s has the position X + R s and the velocity V + w x R s. Gathered are its force, and its torque
about the centre, less that of its weight, which uniform gravity does not exert.
"""

from __future__ import annotations

import math

from repose.sim.engine import arrays, vector
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.threads import share


@compilable(forceinline=True)
def rotated(q, a):
    """The vector a turned by the unit quaternion q = (w, x, y, z): a + 2 w (u x a) + 2 u x (u x a)."""
    u = (q[1], q[2], q[3])
    once = vector.turn(u, a)
    twice = vector.turn(u, once)
    return vector.add(a, vector.add(vector.scale(2.0 * q[0], once), vector.scale(2.0, twice)))


@compilable(forceinline=True)
def conjugate(q):
    """The opposite rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@compilable(forceinline=True)
def angular_velocity(q, momentum, unequal):
    """Angular velocity in space [rad/s] from L/I_0 [rad/s] and I_0/I_k - 1."""
    inside = rotated(conjugate(q), momentum)
    scaled = (unequal[0] * inside[0], unequal[1] * inside[1], unequal[2] * inside[2])
    return vector.add(momentum, rotated(q, scaled))


@compilable(forceinline=True)
def rate_of(q, w):
    """q' = 1/2 w q."""
    return (
        -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]),
        0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]),
        0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]),
        0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]),
    )


@compilable(forceinline=True)
def moved(q, dt, rate):
    """q + dt q', made a unit quaternion."""
    a = q[0] + dt * rate[0]
    b = q[1] + dt * rate[1]
    c = q[2] + dt * rate[2]
    d = q[3] + dt * rate[3]
    per = 1.0 / math.sqrt(a * a + b * b + c * c + d * d)
    return (per * a, per * b, per * c, per * d)


@compilable(forceinline=True)
def turned(q, elapsed, begin, middle, end, unequal):
    """The orientation after `elapsed` [s], with L/I_0 at the beginning, in the middle and at the end."""
    first = rate_of(q, angular_velocity(q, begin, unequal))
    half = moved(q, 0.5 * elapsed, first)
    second = rate_of(half, angular_velocity(half, middle, unequal))
    half = moved(q, 0.5 * elapsed, second)
    third = rate_of(half, angular_velocity(half, middle, unequal))
    whole = moved(q, elapsed, third)
    fourth = rate_of(whole, angular_velocity(whole, end, unequal))
    mean = (
        (first[0] + 2.0 * (second[0] + third[0]) + fourth[0]) / 6.0,
        (first[1] + 2.0 * (second[1] + third[1]) + fourth[1]) / 6.0,
        (first[2] + 2.0 * (second[2] + third[2]) + fourth[2]) / 6.0,
        (first[3] + 2.0 * (second[3] + third[3]) + fourth[3]) / 6.0,
    )
    return moved(q, elapsed, mean)


def orient(bodies, b, elapsed, behind, spin_like):
    """Set the orientation of body b `elapsed` [s] after its reference; its stored velocity is `behind` [s] behind."""
    if len(spin_like) == 1:
        angle = bodies.motion[2, 0, b]
        bodies.orientation[0, b], bodies.orientation[1, b] = math.cos(angle), math.sin(angle)
        return
    _orient_in_space(bodies, b, elapsed, behind)


@compilable
def _orient_in_space(bodies, b, elapsed, behind):
    q = (bodies.reference[0, b], bodies.reference[1, b], bodies.reference[2, b], bodies.reference[3, b])
    if elapsed > 0.0:
        motion = bodies.motion
        now = (motion[3, 1, b], motion[4, 1, b], motion[5, 1, b])
        slope = (motion[3, 2, b], motion[4, 2, b], motion[5, 2, b])
        end = vector.add(now, vector.scale(behind, slope))
        middle = vector.sub(end, vector.scale(0.5 * elapsed, slope))
        begin = vector.sub(end, vector.scale(elapsed, slope))
        q = turned(q, elapsed, begin, middle, end, _unequal(bodies, b))
    for c in range(4):
        bodies.orientation[c, b] = q[c]


@compilable(forceinline=True)
def _unequal(bodies, b):
    return (bodies.unequal[0, b], bodies.unequal[1, b], bodies.unequal[2, b])


@overload(orient)
def _orient(bodies, b, elapsed, behind, spin_like):
    def in_plane(bodies, b, elapsed, behind, spin_like):
        angle = bodies.motion[2, 0, b]
        bodies.orientation[0, b] = math.cos(angle)
        bodies.orientation[1, b] = math.sin(angle)

    def in_space(bodies, b, elapsed, behind, spin_like):
        _orient_in_space(bodies, b, elapsed, behind)

    return in_plane if len(spin_like) == 1 else in_space


def attitude(bodies, b, momentum, offset):
    """Angular velocity of body b [rad/s] from its L/I_0, and an offset turned into space [m]."""
    if len(momentum) == 1:
        c, s = bodies.orientation[0, b], bodies.orientation[1, b]
        return momentum, (c * offset[0] - s * offset[1], s * offset[0] + c * offset[1])
    q = tuple(float(bodies.orientation[k, b]) for k in range(4))
    return angular_velocity(q, momentum, _unequal(bodies, b)), rotated(q, offset)


@overload(attitude)
def _attitude(bodies, b, momentum, offset):
    def in_plane(bodies, b, momentum, offset):
        c = bodies.orientation[0, b]
        s = bodies.orientation[1, b]
        return momentum, (c * offset[0] - s * offset[1], s * offset[0] + c * offset[1])

    def in_space(bodies, b, momentum, offset):
        q = (bodies.orientation[0, b], bodies.orientation[1, b], bodies.orientation[2, b], bodies.orientation[3, b])
        return angular_velocity(q, momentum, _unequal(bodies, b)), rotated(q, offset)

    return in_plane if len(momentum) == 1 else in_space


@compilable(forceinline=True)
def own_bodies(world, thread):
    """First and last + 1 of the bodies of one thread."""
    return share(world.bodies.begin.size - 1, thread.id, thread.total)


@compilable
def turn_bodies(world, shapes, elapsed, behind, thread):
    """Set the orientations of this thread's bodies for this evaluation."""
    first, last = own_bodies(world, thread)
    for b in range(first, last):
        orient(world.bodies, b, elapsed, behind, shapes.spin)


@compilable
def settle_bodies(world, thread):
    """Make the present orientations those at the end of a step."""
    bodies = world.bodies
    first, last = own_bodies(world, thread)
    for c in range(4):
        for b in range(first, last):
            bodies.reference[c, b] = bodies.orientation[c, b]


@compilable
def place_members(world, shapes, thread):
    """Give the members among this thread's spheres position, velocity and spin of their bodies, and no acceleration."""
    bodies = world.bodies
    body = world.search.body
    dimension = len(shapes.position)
    centres = arrays.level(bodies.motion, 0, 0, shapes.position)
    speeds = arrays.level(bodies.motion, 0, 1, shapes.position)
    momenta = arrays.level(bodies.motion, dimension, 1, shapes.spin)
    offsets = arrays.rows(bodies.offset, shapes.position)
    positions = arrays.level(world.motion, 0, 0, shapes.position)
    velocities = arrays.level(world.motion, 0, 1, shapes.position)
    spins = arrays.level(world.motion, dimension, 1, shapes.spin)
    for i in range(thread.first, thread.last):
        b = body[i]
        if b < 0:
            continue
        spin, arm = attitude(bodies, b, arrays.at(momenta, b), arrays.at(offsets, i))
        arrays.write_at(positions, i, vector.add(arrays.at(centres, b), arm))
        arrays.write_at(velocities, i, vector.add(arrays.at(speeds, b), vector.turn(spin, arm)))
        arrays.write_at(spins, i, spin)
        for c in range(dimension, world.motion.shape[0]):
            world.motion[c, 0, i] = bodies.motion[c, 0, b]
        for c in range(world.motion.shape[0]):
            for level in range(2, world.motion.shape[1]):
                world.motion[c, level, i] = 0.0


@compilable
def gather_members(world, shapes, gravity, thread):
    """Set force and torque of this thread's bodies to those on their members, in the order of the members.

    Positions of members are not read: another thread may have begun to move them already.
    """
    bodies = world.bodies
    dimension = len(shapes.position)
    momenta = arrays.level(bodies.motion, dimension, 1, shapes.spin)
    offsets = arrays.rows(bodies.offset, shapes.position)
    forces = arrays.rows(world.force, shapes.position)
    torques = arrays.rows(world.force[dimension:], shapes.spin)
    total_forces = arrays.rows(bodies.force, shapes.position)
    total_torques = arrays.rows(bodies.force[dimension:], shapes.spin)
    first, last = own_bodies(world, thread)
    for b in range(first, last):
        momentum = arrays.at(momenta, b)
        total = vector.scale(0.0, gravity)
        torque = vector.scale(0.0, shapes.spin)
        for k in range(bodies.begin[b], bodies.begin[b + 1]):
            i = bodies.member[k]
            force = arrays.at(forces, i)
            push = vector.sub(force, vector.scale(bodies.own_mass[i], gravity))
            _, arm = attitude(bodies, b, momentum, arrays.at(offsets, i))
            total = vector.add(total, force)
            torque = vector.add(torque, vector.add(arrays.at(torques, i), vector.torque(arm, push, shapes.spin)))
        arrays.write_at(total_forces, b, total)
        arrays.write_at(total_torques, b, torque)


@compilable
def merge_members(world, sums):
    """Add up the stiffness and damping of all members of a body in the row of its first one.

    Of a body the trace bounds the largest eigenvalue: rotation couples all directions. Let u be the unit vector of
    what a contact moves in a body, of translation and rotation: w² <= the largest eigenvalue of the sum of w_e² u u^T,
    which is at most the sum of w_e², the trace of the sum of w_e² n n^T.
    """
    bodies = world.bodies
    dimension = world.search.cell.shape[0]
    for b in range(bodies.begin.size - 1):
        first = bodies.member[bodies.begin[b]]
        for which in range(2):
            trace = 0.0
            for k in range(bodies.begin[b], bodies.begin[b + 1]):
                i = bodies.member[k]
                for p in range(dimension):
                    trace += sums[which, p, p, i]
                    for q in range(dimension):
                        sums[which, p, q, i] = 0.0
            for p in range(dimension):
                sums[which, p, p, first] = trace
