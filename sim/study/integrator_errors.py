"""The same collision with every integrator: the error of the energy after it against the time step.

Two spheres meet along their line of centres on a linear spring with a dashpot. With w = sqrt(K/m*) and the damping
ratio z their distance beyond touching x follows x'' = -w² x - 2 z w x' while x < 0, so that the contact lasts
t_c = pi/(w sqrt(1 - z²)) and they separate with e = exp(-pi z/sqrt(1 - z²)) of the speed. A scheme evaluates the
contact only at the ends of its steps; the error depends on the times in a step at which the contact begins and ends,
and is the root mean square over `PHASES` such times. During the contact, and also without contact, a stage of a scheme
is linear in its levels: the code of the scheme, applied to unit vectors, gives its matrices.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep.stability import stability_limit
from repose.sim.engine.world import Floats

PHASES = 8
"""Number of times in a step at which the contact begins."""
GOLDEN = 0.6180339887498949
"""Fractions of its multiples are evenly spread [-]."""
SHARES = np.geomspace(1.0 / 300.0, 1.0, 40)
"""Time steps, in contact durations [-]."""
SETTLING = 12
"""Steps after the contact, in which higher derivatives of a scheme come to zero."""
TYPICAL = 1.0 / 20.0
"""Time step of the table, in contact durations [-]: about the automatic one."""
LARGEST = 1e3
"""Relative error above which a scheme counts as having lost the collision [-]."""


class Errors(NamedTuple):
    """The errors of one integrator."""

    shares: Floats
    """Time steps, in contact durations [-]."""
    errors: Floats
    """Error of the kinetic energy after the collision over that before it [-]; nan where it is lost."""
    limit: float
    """Largest stable time step, in contact durations [-]."""


def damping_ratio(restitution: float) -> float:
    """The damping ratio of a linear contact with that restitution [-], which is above 0 and at most 1."""
    log = -math.log(restitution)
    return log / math.hypot(math.pi, log)


@lru_cache(maxsize=256)
def collision_errors(integrator: Integrator, restitution: float) -> Errors:
    """Errors of the energy after a collision with that restitution."""
    ratio = damping_ratio(restitution)
    duration = math.pi / math.sqrt(1.0 - ratio**2)
    speeds = speeds_after(integrator, duration / time_steps(1.0 / SHARES), ratio)
    with np.errstate(over="ignore", invalid="ignore"):
        errors = np.sqrt(np.mean((speeds**2 - restitution**2) ** 2, axis=1))
    errors = np.where(errors < LARGEST, errors, np.nan)
    return Errors(SHARES, errors, stability_limit(integrator, ratio) / duration)


def error_at(found: Errors, share: float) -> float:
    """The error at a time step in contact durations, between the computed ones on logarithmic scales [-]."""
    known = np.isfinite(found.errors)
    return float(np.exp(np.interp(math.log(share), np.log(found.shares[known]), np.log(found.errors[known]))))


def time_steps(durations: Floats) -> Floats:
    """Contact durations in time steps [-], shape (durations, PHASES): around each of them, so that the contact ends at
    other times in a step than it begins, as among many collisions."""
    spread = np.modf(np.arange(PHASES) * GOLDEN)[0] - 0.5
    spread_out: Floats = np.maximum(durations[:, None] + spread, 0.5 * durations[:, None])
    return spread_out


def speeds_after(integrator: Integrator, omega_dt: Floats, ratio: float) -> Floats:
    """Speed after over speed before the collision for w dt [-], both of shape (time steps, PHASES)."""
    levels, stages = integrator.levels, range(len(integrator.weights))
    before, free, push = (np.array([_image(integrator, part, stage) for stage in stages]) for part in PARTS)
    stiffness, damping = omega_dt**2, 2.0 * ratio * omega_dt
    force = np.zeros((*omega_dt.shape, 1, levels))
    force[..., 0, 0], force[..., 0, 1] = -stiffness, -damping
    # Units: the time step, and the distance of free flight in one step.
    state = np.zeros((*omega_dt.shape, levels, 1))
    state[..., 0, 0] = (np.arange(PHASES) + 0.5) / PHASES
    state[..., 1, 0] = -1.0
    steps = math.ceil(math.pi / math.sqrt(1.0 - ratio**2) / float(omega_dt.min())) + 2 + SETTLING
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(steps):
            for stage in stages:
                state = before[stage] @ state
                pushed = np.where(state[..., :1, :] < 0.0, force @ state, 0.0)
                state = free[stage] @ state + push[stage] @ pushed
    speeds: Floats = state[..., 1, 0]
    return speeds


PARTS = ("before", "free", "push")


def _image(integrator: Integrator, part: str, stage: int) -> Floats:
    """Matrix of one stage: the results of `before`, and of `after` without force, for unit vectors, shape (levels,
    levels), or of `after` for a unit force, shape (levels, 1)."""
    levels = integrator.levels
    motion = np.zeros((1, levels, 1)) if part == "push" else np.eye(levels)[None, :, :].copy()
    count = motion.shape[2]
    if part == "before":
        integrator.before(motion, 0, count, stage, 1.0)
    else:
        force = np.full((1, count), 1.0 if part == "push" else 0.0)
        integrator.after(motion, force, np.ones((1, count)), 0, count, stage, 1.0)
    matrix: Floats = motion[0]
    return matrix
