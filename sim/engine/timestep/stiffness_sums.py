"""Stiffness and damping matrices of spheres and of rigid bodies, summed over contacts, and bounds of their eigenvalues.

A sphere has one matrix for its translation; rotation enlarges its part perpendicular to the normal. A body has one
matrix for translation and rotation together. Let v be the displacement of the body per unit force t at the arm r, in
coordinates in which its mass and its moments of inertia are 1:

    v = (t/sqrt(m), I^-1/2 R^T (r x t)),      |v|² = 1/m + (r x t).I^-1 (r x t) .

A contact adds (1 + b_j/b_i) (k_n v_n v_n^T + k_t (sum over two directions perpendicular to n of v v^T)) to body i. The
inverse masses b_i and b_j must be the same on both sides (repose.sim.engine.timestep.survey); here they are the bounds
of `repose.sim.engine.body_builder.most_easily_moved`. The sum over three perpendicular directions does not depend on
their choice: the part perpendicular to n is the sum over x, y and z minus the part along n.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine import arrays, vector
from repose.sim.engine.bodies import conjugate, rotated
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.world import Floats, World


class BodySums(NamedTuple):
    """Sums of the contacts of bodies."""

    body: NDArray[np.int32]
    """`Search.body`."""
    sums: Floats
    """Stiffness [1/s²] and damping [1/s] matrices of all bodies, shape (2, coordinates, coordinates, bodies)."""


class ElasticContact(NamedTuple):
    """What one contact adds to the matrices of one of its spheres."""

    normal: tuple[float, ...]
    """Unit vector from sphere j to sphere i."""
    elasticity: tuple[float, float, float, float]
    """Normal and shear stiffness [N/m], normal and shear damping [kg/s]: rows 2 to 5 of `ContactTable.elasticity`."""
    moving: float
    """Sum of both inverse masses along the normal [1/kg]."""
    turning: float
    """What rotation adds to this sum perpendicular to the normal [1/kg]."""


def blank_body_sums(world: World) -> Any:
    """Zero sums for the bodies of a world; () if it has none."""
    if not world.bodies:
        return ()
    coordinates, _, count = world.bodies.motion.shape
    return BodySums(world.body, np.zeros((2, coordinates, coordinates, count)))


@compilable
def largest_eigenvalue(matrix, i):
    """Upper bound of the largest eigenvalue of a symmetric matrix: exact in 2D, m + sqrt((d-1)/d) |A - m 1|."""
    dimension = matrix.shape[0]
    mean = 0.0
    for a in range(dimension):
        mean += matrix[a, a, i] / dimension
    spread = 0.0
    for a in range(dimension):
        for b in range(dimension):
            entry = matrix[a, b, i] - (mean if a == b else 0.0)
            spread += entry * entry
    return mean + math.sqrt((dimension - 1) / dimension * spread)


@compilable
def add_stiffness(sums, row, contact):
    """Add one contact to the stiffness and damping matrices of a sphere (module docstring of the survey)."""
    along, across, damped_along, damped_across = contact.elasticity
    normal = contact.normal
    normal_square = along * contact.moving
    shear_square = across * (contact.moving + contact.turning)
    normal_rate = damped_along * contact.moving
    shear_rate = damped_across * (contact.moving + contact.turning)
    for a in range(len(normal)):
        for b in range(len(normal)):
            outer = normal[a] * normal[b]
            unit = 1.0 if a == b else 0.0
            sums[0, a, b, row] += normal_square * outer + shear_square * (unit - outer)
            sums[1, a, b, row] += normal_rate * outer + shear_rate * (unit - outer)


def add_contact(sums, of_bodies, world, row, side, contact, shapes):
    """Add one contact to the matrices of a sphere, or of the body of which it is a member. `side` is 1 for sphere i of
    the contact and -1 for j."""
    if not of_bodies or of_bodies.body[row] < 0:
        add_stiffness(sums, row, contact)
    else:
        add_to_body(of_bodies, world, row, side, contact, shapes)


@overload(add_contact)
def _add_contact(sums, of_bodies, world, row, side, contact, shapes):
    def with_bodies(sums, of_bodies, world, row, side, contact, shapes):
        if of_bodies.body[row] < 0:
            add_stiffness(sums, row, contact)
        else:
            add_to_body(of_bodies, world, row, side, contact, shapes)

    def without(sums, of_bodies, world, row, side, contact, shapes):
        add_stiffness(sums, row, contact)

    return with_bodies if len(of_bodies) > 0 else without


@compilable
def add_to_body(of_bodies, world, row, side, contact, shapes):
    """`add_contact` for a member of a body."""
    dimension = len(shapes.position)
    along, across, damped_along, damped_across = contact.elasticity
    normal = contact.normal
    b = of_bodies.body[row]
    straight = world.inverse_mass[0, row]
    sideways = straight + world.radius[row] ** 2 * world.inverse_mass[dimension, row]
    centre = arrays.at(arrays.level(world.bodies.motion, 0, 0, shapes.position), b)
    member = arrays.at(arrays.level(world.motion, 0, 0, shapes.position), row)
    to_surface = vector.scale(-side * world.radius[row], normal)
    arm = vector.add(vector.sub(member, centre), to_surface)
    normal_square = along * contact.moving / straight
    shear_square = across * (contact.moving + contact.turning) / sideways
    normal_rate = damped_along * contact.moving / straight
    shear_rate = damped_across * (contact.moving + contact.turning) / sideways
    answer = displacement(world.bodies, b, arm, normal, shapes.spin)
    add_outer(of_bodies.sums, b, normal_square - shear_square, normal_rate - shear_rate, answer)
    for c in range(dimension):
        answer = displacement(world.bodies, b, arm, axis(c, normal), shapes.spin)
        add_outer(of_bodies.sums, b, shear_square, shear_rate, answer)


def axis(c, like):
    """Unit vector along coordinate c."""
    return tuple(1.0 if c == a else 0.0 for a in range(len(like)))


@overload(axis)
def _axis(c, like):
    def in_plane(c, like):
        return (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0)

    def in_space(c, like):
        return (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)

    return in_plane if len(like) == 2 else in_space


def displacement(bodies, b, arm, direction, spin_like):
    """The vector v of the module docstring."""
    return (_in_plane if len(spin_like) == 1 else _in_space)(bodies, b, arm, direction)


@overload(displacement)
def _displacement(bodies, b, arm, direction, spin_like):
    def plane(bodies, b, arm, direction, spin_like):
        return _in_plane(bodies, b, arm, direction)

    def space(bodies, b, arm, direction, spin_like):
        return _in_space(bodies, b, arm, direction)

    return plane if len(spin_like) == 1 else space


@compilable
def _in_plane(bodies, b, arm, direction):
    light = math.sqrt(bodies.inverse_mass[0, b])
    turn = arm[0] * direction[1] - arm[1] * direction[0]
    return (light * direction[0], light * direction[1], math.sqrt(bodies.inverse_mass[2, b]) * turn)


@compilable
def _in_space(bodies, b, arm, direction):
    light = math.sqrt(bodies.inverse_mass[0, b])
    q = (bodies.orientation[0, b], bodies.orientation[1, b], bodies.orientation[2, b], bodies.orientation[3, b])
    turn = rotated(conjugate(q), vector.turn(arm, direction))
    each = bodies.inverse_mass[3, b]  # 1 / reference moment of inertia
    return (
        light * direction[0],
        light * direction[1],
        light * direction[2],
        math.sqrt(each * (1.0 + bodies.unequal[0, b])) * turn[0],
        math.sqrt(each * (1.0 + bodies.unequal[1, b])) * turn[1],
        math.sqrt(each * (1.0 + bodies.unequal[2, b])) * turn[2],
    )


@compilable
def add_outer(sums, b, square, rate, answer):
    """Add v v^T, times `square` and `rate`, to stiffness and damping of body b."""
    for p in range(len(answer)):
        for q in range(len(answer)):
            outer = answer[p] * answer[q]
            sums[0, p, q, b] += square * outer
            sums[1, p, q, b] += rate * outer


@compilable
def merge_members(world, sums, of_bodies):
    """Write the bound of the largest eigenvalue of every body to the row of its first member.

    Fields and bonds add matrices to the rows of members. These enter with their trace, which bounds the largest
    eigenvalue: if u is the unit vector of the motion, translation and rotation, that such a force causes in a body,
    w² is at most the sum of w_e², the trace of the sum of w_e² n n^T.
    """
    bodies = world.bodies
    dimension = sums.shape[1]
    for b in range(bodies.begin.size - 1):
        first = bodies.member[bodies.begin[b]]
        for which in range(2):
            bound = largest_eigenvalue(of_bodies.sums[which], b)
            for k in range(bodies.begin[b], bodies.begin[b + 1]):
                i = bodies.member[k]
                for p in range(dimension):
                    bound += sums[which, p, p, i]
                    for q in range(dimension):
                        sums[which, p, q, i] = 0.0
            for p in range(dimension):
                sums[which, p, p, first] = bound
