"""Start-up of the Gear scheme from six small Runge-Kutta steps (thesis app. A).

Seven accelerations h = dt/130 apart are sampled around the present; the polynomial through them gives the third
and higher derivatives. (The thesis' listing mixes samples 3 and 4 and skips index 5 in a copy loop: slips.)
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from repose.sim.engine.builder import enlarge_pairs, with_levels, with_threads
from repose.sim.engine.model import NO_NUMBERS, Model, Numbers
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.step import compose
from repose.sim.engine.world import STEP_COUNT, Floats, World, copy_world
from repose.sim.integrators.rk4 import RK4

SAMPLES = 7
FRACTION = 1.0 / 130.0
"""Length of a Runge-Kutta step in units of dt [-]."""


def higher_derivatives(
    world: World,
    model: Model,
    params: tuple,
    gravity: tuple[float, ...],
    dt: float,
    numbers: Numbers = NO_NUMBERS,
) -> Floats:
    """Acceleration and higher derivatives at the present torque, shape (coordinates, levels - 2, spheres).

    The world itself is not touched: a copy, moved back by three small steps of free motion, runs through the
    present; `numbers` has the time now. Zeros above the acceleration where that copy cannot be stepped.
    """
    h = FRACTION * dt
    back = -(SAMPLES - 1) // 2 * h
    scratch = with_levels(with_threads(copy_world(world), 1), 7)
    scratch.motion[:, 0] += back * scratch.motion[:, 1] + 0.5 * back**2 * scratch.motion[:, 2]
    scratch.motion[:, 1] += back * scratch.motion[:, 2]
    then = numbers._replace(time=numbers.time + back, step=int(scratch.counters[STEP_COUNT]))
    step = compose(replace(model, integrator=RK4))
    higher = np.zeros_like(world.motion[:, 2:])
    higher[:, 0] = world.motion[:, 2]
    samples = []
    for _ in range(SAMPLES):
        before = scratch.motion[:, 1].copy()
        while (status := step(scratch, params, gravity, h, 1, then)[1]) == PAIRS_FULL:
            scratch = enlarge_pairs(scratch)  # or the result would depend on the capacity
        if status != OK:
            return higher  # the next regular step fails likewise and reports it
        samples.append((scratch.motion[:, 1] - before) / h)
    # The n-th sample is the mean acceleration over a step, so it belongs to the middle of that step.
    times = (back + (np.arange(SAMPLES) + 0.5) * h) / dt
    taylor = np.tensordot(np.linalg.inv(np.vander(times, SAMPLES, increasing=True)), np.array(samples), axes=1)
    for q in range(higher.shape[1]):
        higher[:, q] = taylor[q] * math.factorial(q) / dt**q
    return higher
