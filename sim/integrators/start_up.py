"""Start-up of the Gear scheme from six small Runge-Kutta steps (thesis app. A).

Seven accelerations h = dt/130 apart are sampled around the present; the polynomial through them gives the third
and higher derivatives. (The thesis' listing mixes samples 3 and 4 and skips index 5 in a copy loop: slips.)
"""

from __future__ import annotations

import numpy as np

from sim.build import with_levels
from sim.engine import Model, compose
from sim.neighbours import OK
from sim.state import World, copy_world

SAMPLES = 7
SHARE = 1.0 / 130.0
"""Of dt, per Runge-Kutta step."""


def higher_derivatives(world: World, model: Model, params: tuple, gravity: tuple[float, ...], dt: float) -> None:
    """Fill the levels above the velocity of `world.motion` at the present moment, in place.

    A sample is the mean acceleration over one step, so it belongs to the middle of that step: the scratch world
    runs forward from 3.5 h ago, extrapolated, and the middle of the fourth step is now.
    """
    h = SHARE * dt
    scratch = with_levels(copy_world(world), 7)
    middle = (SAMPLES - 1) // 2
    ago = (middle + 0.5) * h
    scratch.motion[:, 0] += -ago * scratch.motion[:, 1] + 0.5 * ago**2 * scratch.motion[:, 2]
    scratch.motion[:, 1] += -ago * scratch.motion[:, 2]
    step = compose(Model(model.law, model.rules, "rk4", model.dimension, model.rotation))
    samples = []
    for _ in range(SAMPLES):
        before = scratch.motion[:, 1].copy()
        _, status, _ = step(scratch, params, gravity, h, 1)
        if status != OK:
            return  # the next regular step meets the same trouble and reports it
        samples.append((scratch.motion[:, 1] - before) / h)
    accelerations = np.array(samples)
    levels = world.motion.shape[1]
    offsets = np.arange(SAMPLES) - middle
    # Fit a polynomial through the samples: its coefficients are the Taylor derivatives.
    powers = np.vander(offsets * h / dt, SAMPLES, increasing=True)
    taylor = np.linalg.solve(powers, accelerations.reshape(SAMPLES, -1)).reshape(accelerations.shape)
    factorial = 1.0
    for q in range(2, levels):
        factorial *= max(1, q - 2)
        world.motion[:, q] = taylor[q - 2] * factorial / dt ** (q - 2)
