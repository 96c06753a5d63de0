"""Start-up of the Gear scheme from six small Runge-Kutta steps (thesis app. A).

Seven accelerations h = dt/130 apart are sampled around the present; the polynomial through them gives the third
and higher derivatives. (The listing of the thesis mixes samples 3 and 4 and skips index 5 in a copy loop, by mistake.)
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from repose.sim.engine.bodies import turned
from repose.sim.engine.builder import enlarge_pairs, with_levels, with_threads
from repose.sim.engine.composition import compose
from repose.sim.engine.model import NO_COEFFICIENTS, Coefficients, Model
from repose.sim.engine.neighbours.verlet_list import OK, PAIRS_FULL
from repose.sim.engine.world import STEP_COUNT, BodyTable, Floats, World, copy_world, motions
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
    coefficients: Coefficients = NO_COEFFICIENTS,
) -> tuple[Floats, ...]:
    """Present acceleration and higher derivatives for each table of `motions`, shape (coordinates, levels - 2, spheres
    or bodies); zero for members of bodies, because their bodies move them.

    The world does not change: a copy is moved back by three small steps of free motion and then stepped through the
    present. `coefficients` has the present time. If the copy cannot be stepped, the higher derivatives are zero.
    """
    h = FRACTION * dt
    back = -(SAMPLES - 1) // 2 * h
    scratch = with_levels(with_threads(copy_world(world), 1), 7)
    if scratch.bodies:
        turn_back(scratch.bodies, back)
    for motion in motions(scratch):
        motion[:, 0] += back * motion[:, 1] + 0.5 * back**2 * motion[:, 2]
        motion[:, 1] += back * motion[:, 2]
    then = coefficients._replace(time=coefficients.time + back, step=int(scratch.counters[STEP_COUNT]))
    step = compose(replace(model, integrator=RK4))
    higher = tuple(np.zeros_like(motion[:, 2:]) for motion in motions(world))
    for derivatives, motion in zip(higher, motions(world), strict=True):
        derivatives[:, 0] = motion[:, 2]
    samples: list[list[Floats]] = [[] for _ in higher]
    for _ in range(SAMPLES):
        before = [motion[:, 1].copy() for motion in motions(scratch)]
        while (status := step(scratch, params, gravity, h, 1, then)[1]) == PAIRS_FULL:
            scratch = enlarge_pairs(scratch)  # otherwise the result would depend on the capacity
        if status != OK:
            return higher  # the next regular step fails likewise and reports it
        for accelerations, motion, velocity in zip(samples, motions(scratch), before, strict=True):
            accelerations.append((motion[:, 1] - velocity) / h)
    # The n-th sample is the mean acceleration over a step, which belongs to the middle of that step.
    times = (back + (np.arange(SAMPLES) + 0.5) * h) / dt
    to_taylor = np.linalg.inv(np.vander(times, SAMPLES, increasing=True))
    for derivatives, accelerations in zip(higher, samples, strict=True):
        taylor = np.tensordot(to_taylor, np.array(accelerations), axes=1)
        for q in range(derivatives.shape[1]):
            derivatives[:, q] = taylor[q] * math.factorial(q) / dt**q
    higher[0][:, :, world.body >= 0] = 0.0
    return higher


def turn_back(bodies: BodyTable, elapsed: float) -> None:
    """Rotate bodies in space by their present angular momentum and torque over `elapsed` [s], which is negative; in the
    plane the angle is an ordinary coordinate."""
    if not bodies.unequal.size:
        return
    for b in range(bodies.motion.shape[2]):
        now, slope = bodies.motion[3:, 1, b], bodies.motion[3:, 2, b]
        q, unequal = tuple(bodies.reference[:, b]), tuple(bodies.unequal[:, b])
        bodies.reference[:, b] = turned(q, elapsed, tuple(now), tuple(now + elapsed * slope), unequal)
