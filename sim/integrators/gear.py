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
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import Integrator
from repose.sim.engine.simd.lanes import absolute, load, select, store
from repose.sim.engine.simd.vectorised import vectorised
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


# Eight spheres at once: each number is read and written once per pass. numba's loop over one derivative after the other
# took twice as long.


@vectorised
def predict_eight(levels, i, dt, like):
    """`predict` for spheres i to i + 7."""
    derivatives = [load(levels[q], i) for q in range(len(like))]
    for q in range(len(like) - 1):
        factor = 1.0
        for p in range(q + 1, len(like)):
            factor = factor * (dt / (p - q))
            derivatives[q] = derivatives[q] + factor * derivatives[p]
        store(levels[q], i, derivatives[q])


@vectorised
def correct_eight(levels, push, inverse_mass, i, shares, like):
    """`correct` for spheres i to i + 7."""
    acceleration = load(push, i) * load(inverse_mass, i)
    deviation = acceleration - load(levels[2], i)
    for q in range(len(like)):
        if q != 2:
            value = load(levels[q], i) + shares[q] * deviation
            store(levels[q], i, value if q < 2 else select(absolute(value) > VANISHED, value, 0.0))
    store(levels[2], i, acceleration)


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
