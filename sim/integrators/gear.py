"""Gear predictor-corrector of orders 3, 4 and 5, one force evaluation a step (P-E-C).

Predict every derivative by its Taylor series; evaluate the force there; with D = a - a_predicted, correct

    r^(q) += alpha_q q!/2 dt^(2-q) D .

Coefficients for forces that depend on velocity: thesis app. A; Allen & Tildesley, Computer Simulation of
Liquids (1987), app. E. With forces of position only 3/20 instead of 3/16 (order 5), 19/120 instead of
19/90 (order 4) is more accurate; grains are damped, so it is not offered.
"""

from __future__ import annotations

import numpy as np
from repose.sim.engine.jit import compilable
from repose.sim.engine.model import Integrator

COEFFICIENTS = np.array(
    [
        (1 / 6, 5 / 6, 1.0, 1 / 3, 0.0, 0.0),
        (19 / 90, 3 / 4, 1.0, 1 / 2, 1 / 12, 0.0),
        (3 / 16, 251 / 360, 1.0, 11 / 18, 1 / 6, 1 / 60),
    ]
)
"""alpha_q for orders 3, 4 and 5, shape (orders, 6) [-]. The order is one less than the levels of `motion`."""

VANISHED = 1e-200
"""Higher derivatives below this are set to zero. In free flight they fall by a constant factor a step and would
reach subnormal numbers, on which processors are ten times slower."""


@compilable
def before(motion, first, last, stage, dt):
    """Predict: Taylor series of every derivative, in place, lowest first."""
    order = motion.shape[1] - 1
    for c in range(motion.shape[0]):
        for q in range(order):
            here = motion[c, q, first:last]
            factor = 1.0
            for p in range(q + 1, order + 1):
                factor *= dt / (p - q)
                above = motion[c, p, first:last]
                for i in range(here.size):
                    here[i] += factor * above[i]


@compilable
def after(motion, force, inverse_mass, first, last, stage, dt):
    """Correct: bring all derivatives in line with the force at the predicted point, the acceleration last."""
    order = motion.shape[1] - 1
    for c in range(motion.shape[0]):
        predicted = motion[c, 2, first:last]
        push = force[c, first:last]
        inverse = inverse_mass[c, first:last]
        factor = 0.5 * dt * dt
        for q in range(2):
            share = factor * COEFFICIENTS[order - 3, q]
            factor /= dt
            here = motion[c, q, first:last]
            for i in range(here.size):
                here[i] += share * (push[i] * inverse[i] - predicted[i])
        factor = 3.0 / dt
        for q in range(3, order + 1):
            share = factor * COEFFICIENTS[order - 3, q]
            factor *= (q + 1) / dt
            here = motion[c, q, first:last]
            for i in range(here.size):
                value = here[i] + share * (push[i] * inverse[i] - predicted[i])
                here[i] = value if abs(value) > VANISHED else 0.0
        for i in range(predicted.size):
            predicted[i] = push[i] * inverse[i]


INTEGRATORS = tuple(
    Integrator(f"gear{order}", f"Gear, order {order}", levels=order + 1, before=before, after=after)
    for order in (3, 4, 5)
)
