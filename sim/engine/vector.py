"""Vectors as tuples of two or three numbers: the formulas that depend on the dimension.

A position has length 2 or 3, a tangential vector (perpendicular to the normal of a contact) 1 or 3, a spin 0 (no
rotation), 1 (in the plane) or 3 (in space).
In plain Python each function works on tuples of any length. Compiled code uses a variant that is written out for each
length, because numba indexes a tuple by constants only; a spin of length 0 then costs no time.
"""

from __future__ import annotations

import math

from repose.sim.engine.jit import overload
from repose.sim.engine.roots import TINY, inverse_root


def add(a, b):
    """a + b."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def sub(a, b):
    """a - b."""
    return tuple(x - y for x, y in zip(a, b, strict=True))


def scale(factor, a):
    """factor times a."""
    return tuple(factor * x for x in a)


def dot(a, b):
    """Scalar product; 0.0 for empty tuples."""
    return sum((x * y for x, y in zip(a, b, strict=True)), 0.0)


def tangential(a, along, normal):
    """The part of `a` across the unit vector `normal`, where `along` is the component of `a` along it.

    A tangential vector has one component in the plane, to the left of the normal: n_x a_y - n_y a_x. In space it has
    three: a - along normal.
    """
    if len(normal) == 2:
        return (normal[0] * a[1] - normal[1] * a[0],)
    return sub(a, scale(along, normal))


def in_coordinates(a, normal):
    """The tangential vector `a` in coordinates: the inverse of `tangential`."""
    return (-a[0] * normal[1], a[0] * normal[0]) if len(normal) == 2 else a


def length(a):
    """Length of a tangential vector, in the plane without a root."""
    return abs(a[0]) if len(a) == 1 else math.sqrt(dot(a, a))


def length_and_inverse(a):
    """Length of a tangential vector, and 1/length, which is huge at zero."""
    size = length(a)
    return size, 1.0 / max(size, TINY)


def limited(a, longest):
    """A tangential vector shortened to at most `longest`."""
    if len(a) == 1:
        return (max(-longest, min(a[0], longest)),)
    return scale(min(1.0, longest * length_and_inverse(a)[1]), a)


def pick(condition, a, b):
    """a if the condition holds, else b; compiled to a select instruction without a branch."""
    return a if condition else b


def either(a, b):
    """a if it has components, else b; decided at compile time."""
    return a if len(a) > 0 else b


def turn(spin, arm):
    """spin x arm: the velocity [m/s] at `arm` [m] from the centre of a body that rotates with `spin` [rad/s]."""
    if len(spin) == 0:
        return tuple(0.0 * x for x in arm)
    if len(spin) == 1:
        return (-spin[0] * arm[1], spin[0] * arm[0])
    return _cross(spin, arm)


def torque(arm, force, spin):
    """arm x force: the torque [N m], with as many components as `spin` has (0, 1 or 3)."""
    if len(spin) == 0:
        return ()
    if len(spin) == 1:
        return (arm[0] * force[1] - arm[1] * force[0],)
    return _cross(arm, force)


def upward(length, like):
    """The vector of this length along the last axis, with as many components as `like`."""
    return (*(0.0 * x for x in like[1:]), length)


def twist_rate(spin, normal):
    """Component of a spin along the normal [rad/s]; 0 in the plane."""
    return dot(spin, normal) if len(spin) == 3 else 0.0


def about(rate, normal, spin):
    """The spin of this rate [rad/s] about the normal, with as many components as `spin`."""
    return scale(rate, normal) if len(spin) == 3 else scale(0.0, spin)


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def outside(x, low, high, reach):
    """Whether x is farther than `reach` [m] from the box between two corners."""
    return sum(max(a - c, 0.0, c - b) ** 2 for c, a, b in zip(x, low, high, strict=True)) > reach * reach


@overload(add)
def _add(a, b):
    return (
        lambda a, b: (),
        lambda a, b: (a[0] + b[0],),
        lambda a, b: (a[0] + b[0], a[1] + b[1]),
        lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2]),
    )[len(a)]


@overload(sub)
def _sub(a, b):
    return (
        lambda a, b: (),
        lambda a, b: (a[0] - b[0],),
        lambda a, b: (a[0] - b[0], a[1] - b[1]),
        lambda a, b: (a[0] - b[0], a[1] - b[1], a[2] - b[2]),
    )[len(a)]


@overload(scale)
def _scale(factor, a):
    return (
        lambda factor, a: (),
        lambda factor, a: (factor * a[0],),
        lambda factor, a: (factor * a[0], factor * a[1]),
        lambda factor, a: (factor * a[0], factor * a[1], factor * a[2]),
    )[len(a)]


@overload(dot)
def _dot(a, b):
    return (
        lambda a, b: 0.0,
        lambda a, b: a[0] * b[0],
        lambda a, b: a[0] * b[0] + a[1] * b[1],
        lambda a, b: a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
    )[len(a)]


@overload(tangential)
def _tangential(a, along, normal):
    if len(normal) == 2:
        return lambda a, along, normal: (normal[0] * a[1] - normal[1] * a[0],)
    return lambda a, along, normal: sub(a, scale(along, normal))


@overload(in_coordinates)
def _in_coordinates(a, normal):
    if len(normal) == 2:
        return lambda a, normal: (-a[0] * normal[1], a[0] * normal[0])
    return lambda a, normal: a


@overload(length)
def _length(a):
    return (lambda a: abs(a[0])) if len(a) == 1 else (lambda a: math.sqrt(dot(a, a)))


@overload(length_and_inverse)
def _length_and_inverse(a):
    def in_plane(a):
        size = abs(a[0])
        return size, 1.0 / max(size, TINY)

    def in_space(a):
        square = dot(a, a)
        inverse = inverse_root(max(square, TINY))
        return square * inverse, inverse

    return in_plane if len(a) == 1 else in_space


@overload(limited)
def _limited(a, longest):
    if len(a) == 1:
        return lambda a, longest: (max(-longest, min(a[0], longest)),)
    return lambda a, longest: scale(min(1.0, longest * length_and_inverse(a)[1]), a)


@overload(pick)
def _pick(condition, a, b):
    return (
        lambda condition, a, b: (),
        lambda condition, a, b: (a[0] if condition else b[0],),
        lambda condition, a, b: (a[0] if condition else b[0], a[1] if condition else b[1]),
        lambda condition, a, b: (
            a[0] if condition else b[0],
            a[1] if condition else b[1],
            a[2] if condition else b[2],
        ),
    )[len(a)]


@overload(either)
def _either(a, b):
    return (lambda a, b: a) if len(a) > 0 else (lambda a, b: b)


@overload(turn)
def _turn(spin, arm):
    if len(spin) == 0:
        return lambda spin, arm: scale(0.0, arm)
    if len(spin) == 1:
        return lambda spin, arm: (-spin[0] * arm[1], spin[0] * arm[0])
    return lambda spin, arm: (
        spin[1] * arm[2] - spin[2] * arm[1],
        spin[2] * arm[0] - spin[0] * arm[2],
        spin[0] * arm[1] - spin[1] * arm[0],
    )


@overload(upward)
def _upward(length, like):
    return {2: lambda length, like: (0.0, length), 3: lambda length, like: (0.0, 0.0, length)}[len(like)]


@overload(twist_rate)
def _twist_rate(spin, normal):
    return (lambda spin, normal: dot(spin, normal)) if len(spin) == 3 else (lambda spin, normal: 0.0)


@overload(about)
def _about(rate, normal, spin):
    if len(spin) == 3:
        return lambda rate, normal, spin: scale(rate, normal)
    return lambda rate, normal, spin: scale(0.0, spin)


@overload(torque)
def _torque(arm, force, spin):
    if len(spin) == 0:
        return lambda arm, force, spin: ()
    if len(spin) == 1:
        return lambda arm, force, spin: (arm[0] * force[1] - arm[1] * force[0],)
    return lambda arm, force, spin: turn(arm, force)


@overload(outside)
def _outside(x, low, high, reach):
    def outside2(x, low, high, reach):
        a = max(low[0] - x[0], 0.0, x[0] - high[0])
        b = max(low[1] - x[1], 0.0, x[1] - high[1])
        return a * a + b * b > reach * reach

    def outside3(x, low, high, reach):
        a = max(low[0] - x[0], 0.0, x[0] - high[0])
        b = max(low[1] - x[1], 0.0, x[1] - high[1])
        c = max(low[2] - x[2], 0.0, x[2] - high[2])
        return a * a + b * b + c * c > reach * reach

    return {2: outside2, 3: outside3}[len(x)]
