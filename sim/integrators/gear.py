"""Gear predictor-corrector of orders 3, 4 and 5, one force evaluation a step (P-E-C).

Predict every derivative by its Taylor series; evaluate the force there; with D = a - a_predicted, correct

    r^(q) += alpha_q q!/2 dt^(2-q) D .

Coefficients for forces that depend on velocity: thesis app. A; Allen & Tildesley, Computer Simulation of
Liquids (1987), app. E. For forces that depend on position only, 3/20 instead of 3/16 (order 5) and 19/120 instead of
19/90 (order 4) are more accurate; they are not offered, because grains are damped.

The schemes change the energy of an elastic contact that lasts: by -z⁶/12, +z⁶/8 and -3 z⁶/160 of it per step for
orders 3, 4 and 5, z = w dt → 0 (modulus of the eigenvalue of the amplification matrix beside exp(iz)). Order 5 loses
3e-6 of it per period at z = 0.12, and gains from about z = 0.3 on. Velocity Verlet and leapfrog change nothing.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from repose.sim.engine import lanes
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.model import Integrator
from repose.sim.engine.workspace import LANES
from repose.sim.message import Message

COEFFICIENTS = np.array(
    [
        (1 / 6, 5 / 6, 1.0, 1 / 3, 0.0, 0.0),
        (19 / 90, 3 / 4, 1.0, 1 / 2, 1 / 12, 0.0),
        (3 / 16, 251 / 360, 1.0, 11 / 18, 1 / 6, 1 / 60),
    ]
)
"""alpha_q for orders 3, 4 and 5, shape (orders, 6) [-]. The order is one less than the levels of `motion`."""

VANISHED = 1e-200
"""Higher derivatives below this are set to zero. In free flight they fall by a constant factor per step and would
become subnormal numbers, on which processors are ten times slower."""


@compilable(forceinline=True)
def predict(levels, first, last, dt, like):
    """Advance all derivatives of one coordinate by their Taylor series, in place, lowest first.

    `levels` has shape (levels, spheres), and `like` as many entries as there are levels.
    """
    for i in range(first, last):
        for q in range(len(like) - 1):
            factor = 1.0
            for p in range(q + 1, len(like)):
                factor *= dt / (p - q)
                levels[q, i] += factor * levels[p, i]


@compilable(forceinline=True)
def correct(levels, push, inverse_mass, first, last, shares, like):
    """Correct all derivatives of one coordinate by the deviation of the acceleration from its predicted value, times
    `shares` (`shares_of`)."""
    for i in range(first, last):
        acceleration = push[i] * inverse_mass[i]
        deviation = acceleration - levels[2, i]
        for q in range(2):
            levels[q, i] += shares[q] * deviation
        for q in range(3, len(like)):
            value = levels[q, i] + shares[q] * deviation
            levels[q, i] = value if abs(value) > VANISHED else 0.0
        levels[2, i] = acceleration


@compilable
def shares_of(alpha, dt):
    """alpha_q q!/2 dt^(2-q): the factors of the deviation of the acceleration in the correction of each derivative."""
    position = 0.5 * dt * dt
    third = 3.0 / dt
    fourth = third * (4.0 / dt)
    fifth = fourth * (5.0 / dt)
    return (position * alpha[0], position / dt * alpha[1], 1.0, third * alpha[3], fourth * alpha[4], fifth * alpha[5])


def gear(order: int) -> Integrator:
    """The scheme of this order."""
    like = (0.0,) * (order + 1)
    alpha = tuple(COEFFICIENTS[order - 3].tolist())

    @compilable
    def before(motion, first, last, stage, dt):
        """Predict."""
        for c in range(motion.shape[0]):
            levels = motion[c]
            full = first + (last - first) // LANES * LANES
            for i in range(first, full, LANES):
                predict_eight(levels, i, dt, like)
            predict(levels, full, last, dt, like)

    @compilable
    def after(motion, force, inverse_mass, first, last, stage, dt):
        """Correct."""
        shares = shares_of(alpha, dt)
        for c in range(motion.shape[0]):
            levels, push, inverse = motion[c], force[c], inverse_mass[c]
            full = first + (last - first) // LANES * LANES
            for i in range(first, full, LANES):
                correct_eight(levels, push, inverse, i, shares, like)
            correct(levels, push, inverse, full, last, shares, like)

    return Integrator(
        f"gear{order}", Message("Gear, order {order}", order=order), levels=order + 1, before=before, after=after
    )


INTEGRATORS = tuple(map(gear, (3, 4, 5)))


# Eight spheres at once: each number is read and written once per pass. numba's loop over one derivative after the other
# took twice as long.


def predict_eight(levels, i, dt, like):
    """`predict` for spheres i to i + 7."""
    predict(levels, i, i + LANES, dt, like)


def correct_eight(levels, push, inverse_mass, i, shares, like):
    """`correct` for spheres i to i + 7."""
    correct(levels, push, inverse_mass, i, i + LANES, shares, like)


def _places(context, builder, signature, args, like, i):
    """Pointers to the derivatives of eight spheres."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    width = cgutils.unpack_tuple(builder, array.shape)[1]
    return [builder.gep(array.data, [builder.add(builder.mul(width, lanes.LONG(q)), i)]) for q in range(len(like))]


@intrinsic
def _predict_eight(typing, levels, i, dt, like):
    def generate(context, builder, signature, args):
        places = _places(context, builder, signature, args, like, args[1])
        derivatives = [lanes.load(builder, position, lanes.REAL) for position in places]
        for q in range(len(like) - 1):
            factor = lanes.REAL(1.0)
            for p in range(q + 1, len(like)):
                factor = builder.fmul(factor, builder.fdiv(args[2], lanes.REAL(p - q)))
                more = builder.fmul(lanes.splat(builder, factor), derivatives[p])
                derivatives[q] = builder.fadd(derivatives[q], more)
            lanes.store(builder, derivatives[q], places[q])
        return context.get_dummy_value()

    return types.void(levels, types.int64, types.float64, like), generate


@intrinsic
def _correct_eight(typing, levels, push, inverse_mass, i, shares, like):
    def generate(context, builder, signature, args):
        places = _places(context, builder, signature, args, like, args[3])
        forces, inverse = (context.make_array(signature.args[k])(context, builder, args[k]).data for k in (1, 2))
        forces, inverse = (lanes.load(builder, builder.gep(data, [args[3]]), lanes.REAL) for data in (forces, inverse))
        acceleration = builder.fmul(forces, inverse)
        deviation = builder.fsub(acceleration, lanes.load(builder, places[2], lanes.REAL))
        absolute = ir.FunctionType(deviation.type, (deviation.type,))
        absolute = cgutils.get_or_insert_function(builder.module, absolute, f"llvm.fabs.v{LANES}f64")
        least, zero = (ir.Constant(deviation.type, [x] * LANES) for x in (VANISHED, 0.0))
        for q, share in enumerate(cgutils.unpack_tuple(builder, args[4])[: len(like)]):
            if q == 2:
                continue
            value = lanes.load(builder, places[q], lanes.REAL)
            value = builder.fadd(value, builder.fmul(lanes.splat(builder, share), deviation))
            if q > 2:
                large = builder.fcmp_ordered(">", builder.call(absolute, (value,)), least)
                value = builder.select(large, value, zero)
            lanes.store(builder, value, places[q])
        lanes.store(builder, acceleration, places[2])
        return context.get_dummy_value()

    return types.void(levels, push, inverse_mass, types.int64, shares, like), generate


@overload(predict_eight, forceinline=True)
def _predict_eight_compiled(levels, i, dt, like):
    return lambda levels, i, dt, like: _predict_eight(levels, i, dt, like)


@overload(correct_eight, forceinline=True)
def _correct_eight_compiled(levels, push, inverse_mass, i, shares, like):
    return lambda levels, push, inverse_mass, i, shares, like: _correct_eight(
        levels, push, inverse_mass, i, shares, like
    )
