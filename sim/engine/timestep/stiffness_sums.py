"""Stiffness and damping matrices of spheres and of rigid bodies, summed over contacts, and bounds of their eigenvalues.

A sphere has one matrix for its translation; rotation enlarges its part perpendicular to the normal. A body has one
matrix for translation and rotation together. Let v be the displacement of the body per unit force t at the arm r, in
coordinates in which its mass and its moments of inertia are 1:

    v = (t/sqrt(m), I^-1/2 R^T (r x t)),      |v|² = 1/m + (r x t).I^-1 (r x t) .

A contact adds (1 + b_j/b_i) (k_n v_n v_n^T + k_t (sum over two directions perpendicular to n of v v^T)) to body i. The
ratio must be the same on both sides (repose.sim.engine.timestep.survey); here b_i and b_j are the bounds of
`repose.sim.engine.body_builder.most_easily_moved`, each times a weight of its body. Every choice of positive weights
gives a bound. With equal ones the stiffest body alone decides, as if its neighbours moved as easily; with weights that
follow from the bounds of the bodies (`weigh_bodies`) a stiff body among softer ones has a lower bound. The sum over
three perpendicular directions does not depend on their choice: the part perpendicular to n is the sum over x, y and z
minus the part along n.
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
    weight: Floats
    """Weight of each body in the bounds of its contacts [-], shape (bodies,)."""


class ElasticContact(NamedTuple):
    """What one contact adds to the matrices of one of its spheres."""

    normal: tuple[float, ...]
    """Unit vector from sphere j to sphere i."""
    elasticity: tuple[float, float, float, float]
    """Normal and shear stiffness [N/m], normal and shear damping [kg/s]: rows 2 to 5 of `ContactTable.elasticity`."""
    moving: float
    """Sum of both inverse masses along the normal, each times its weight [1/kg]."""
    turning: float
    """What rotation adds to this sum perpendicular to the normal [1/kg]."""


def blank_body_sums(world: World) -> Any:
    """Zero sums for the bodies of a world; () if it has none."""
    if not world.bodies:
        return ()
    coordinates, _, count = world.bodies.motion.shape
    return BodySums(world.body, np.zeros((2, coordinates, coordinates, count)), np.ones(count))


def weight_of(of_bodies, row):
    """Weight of the body of a sphere; 1 for a sphere of no body."""
    return 1.0 if not of_bodies or of_bodies.body[row] < 0 else of_bodies.weight[of_bodies.body[row]]


@overload(weight_of)
def _weight_of(of_bodies, row):
    def with_bodies(of_bodies, row):
        b = of_bodies.body[row]
        return of_bodies.weight[b] if b >= 0 else 1.0

    return with_bodies if len(of_bodies) > 0 else lambda of_bodies, row: 1.0


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
def largest_eigenvalue_by_square(matrix, i):
    """Closer upper bound for a matrix without negative eigenvalues: the root of the bound of its square, in which the
    largest eigenvalue stands out more. Of six eigenvalues 1, 0.8, ..., 0 it gives 1.08 instead of 1.26."""
    size = matrix.shape[0]
    mean = 0.0
    for a in range(size):
        for b in range(size):
            mean += matrix[a, b, i] * matrix[a, b, i] / size
    spread = 0.0
    for a in range(size):
        for b in range(size):
            entry = -mean if a == b else 0.0
            for c in range(size):
                entry += matrix[a, c, i] * matrix[c, b, i]
            spread += entry * entry
    return math.sqrt(mean + math.sqrt((size - 1) / size * spread))


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
    weight = of_bodies.weight[b]
    normal_square = along * contact.moving / (weight * straight)
    shear_square = across * (contact.moving + contact.turning) / (weight * sideways)
    normal_rate = damped_along * contact.moving / (weight * straight)
    shear_rate = damped_across * (contact.moving + contact.turning) / (weight * sideways)
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


LEAST_SHARE = 1e-3
"""Least ratio of the shortest stable step to that of a body by which its weight changes [-]."""


@compilable
def weigh_bodies(world, sums, of_bodies, limits, stable):
    """Reduce the weight of each body by the root of the shortest stable step, `stable` [s], over its own: about the
    motion of the bodies in the mode of the highest frequency, after some repetitions. Sums begin anew."""
    bodies = world.bodies
    for b in range(bodies.begin.size - 1):
        first = bodies.member[bodies.begin[b]]
        share = LEAST_SHARE
        square = sums[0, 0, 0, first]  # a bound in place of a matrix: see `merge_members`
        if square > 0.0:
            share = max(share, stable / step_for(square, sums[1, 0, 0, first], limits))
        of_bodies.weight[b] *= math.sqrt(share)
    clear(sums)
    clear(of_bodies.sums)


@compilable
def clear(table):
    """Set a table of four dimensions to zero."""
    for a in range(table.shape[0]):
        for b in range(table.shape[1]):
            for c in range(table.shape[2]):
                for k in range(table.shape[3]):
                    table[a, b, c, k] = 0.0


@compilable
def step_for(square, rate, limits):
    """Largest stable step [s] at this square of a frequency [1/s²] and this rate of damping [1/s]; `limits` are
    `repose.sim.engine.timestep.survey.Limits`."""
    w = math.sqrt(square)
    return interpolate(rate / (2.0 * w), limits.ratios, limits.omega_dt) / w


@compilable
def interpolate(x, grid, values):
    """Linear interpolation of 1/value; beyond the last grid point the value falls as 1/x.

    Limits of the time step fall about as 1/x: linear interpolation of the value would overestimate them.
    """
    last = grid.size - 1
    if x >= grid[last]:
        return values[last] * grid[last] / x
    k = 1
    while k < last and grid[k] <= x:  # `searchsorted` takes half a second to compile
        k += 1
    share = (x - grid[k - 1]) / (grid[k] - grid[k - 1])
    return 1.0 / ((1.0 - share) / values[k - 1] + share / values[k])


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
            bound = largest_eigenvalue_by_square(of_bodies.sums[which], b)
            for k in range(bodies.begin[b], bodies.begin[b + 1]):
                i = bodies.member[k]
                for p in range(dimension):
                    bound += sums[which, p, p, i]
                    for q in range(dimension):
                        sums[which, p, q, i] = 0.0
            for p in range(dimension):
                sums[which, p, p, first] = bound
