"""The same collision with every integrator: the error of the energy after it against the time step.

Head-on, two spheres meet along their line of centres on a linear spring with a dashpot. With w = sqrt(K/m*) and the
damping ratio z their distance beyond touching x follows x'' = -w² x - 2 z w x' while x < 0, so that the contact lasts
t_c = pi/(w sqrt(1 - z²)) and they separate with e = exp(-pi z/sqrt(1 - z²)) of the speed.

Oblique, the spheres also spin and stick to each other: their material points have the relative tangential speed u = v_n
at first touch. The friction spring with its dashpot acts on this speed with 7/2 of the inverse mass of the centres:
xi'' = -r² w² xi - 2 z sqrt(7/2) r w xi', r² = 7/2 K_t/K_n, with Mindlin's K_t/K_n of the Poisson ratio 1/4. The speed u
has 2/7 of the energy of the same speed of the centres.

A scheme evaluates the contact only at the ends of its steps; the error depends on the times in a step at which the
contact begins and ends, and is the root mean square over `PHASES` such times. During the contact, and also without
contact, a stage of a scheme is linear in its levels: the code of the scheme, applied to unit vectors, gives its
matrices. As in the step loop, velocities in forces are those at the time of the positions, and the friction spring is
the displacement since first touch.
"""

from __future__ import annotations

import cmath
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep.stable_step import stability_limit, stage_images
from repose.sim.engine.world import Floats

PHASES = 8
"""Number of times in a step at which the contact begins."""
LIGHTER = 3.5
"""Inverse mass of the material points of two spheres that may roll over that of their centres [-]."""
STIFFNESS_RATIO = 2.0 * (1.0 - 0.25) / (2.0 - 0.25)
"""K_t / K_n of Mindlin, 2 (1 - nu)/(2 - nu) [-]."""
SHEAR = math.sqrt(LIGHTER * STIFFNESS_RATIO)
"""Frequency of the oscillation across the contact over that along it [-]."""
ROLLING = 1.0 / LIGHTER
"""Energy of the tangential motion of the material points over that of the normal motion at the same speed [-]."""
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
def collision_errors(integrator: Integrator, restitution: float, oblique: bool = False) -> Errors:
    """Errors of the energy after a collision with that restitution, head-on or oblique with spin."""
    ratio = damping_ratio(restitution)
    duration = math.pi / math.sqrt(1.0 - ratio**2)
    normal, tangential = speeds_after(integrator, duration / time_steps(1.0 / SHARES), ratio, oblique)
    share = ROLLING if oblique else 0.0
    expected = restitution**2 + share * tangential_rebound(restitution) ** 2
    with np.errstate(over="ignore", invalid="ignore"):
        after = normal**2 + share * tangential**2
        errors = np.sqrt(np.mean((after - expected) ** 2, axis=1)) / (1.0 + share)
    errors = np.where(errors < LARGEST, errors, np.nan)
    limit = stability_limit(integrator, ratio) / duration
    if oblique:
        limit = min(limit, stability_limit(integrator, shear_ratio(ratio)) / (SHEAR * duration))
    return Errors(SHARES, errors, limit)


def shear_ratio(ratio: float) -> float:
    """Damping ratio of the oscillation across the contact [-] for the damping ratio along it."""
    return math.sqrt(LIGHTER) * ratio


def tangential_rebound(restitution: float) -> float:
    """Tangential speed of the material points after the contact over that before it [-], from the closed form."""
    ratio = damping_ratio(restitution)
    across = shear_ratio(ratio)
    duration = math.pi / math.sqrt(1.0 - ratio**2)
    damped = SHEAR * cmath.sqrt(1.0 - across**2)
    decay = math.exp(-across * SHEAR * duration)
    turn = damped * duration
    return decay * (cmath.cos(turn) - across * SHEAR * cmath.sin(turn) / damped).real


def error_at(errors: Errors, share: float) -> float:
    """The error at a time step in contact durations, between the computed ones on logarithmic scales [-]."""
    known = np.isfinite(errors.errors)
    return float(np.exp(np.interp(math.log(share), np.log(errors.shares[known]), np.log(errors.errors[known]))))


def time_steps(durations: Floats) -> Floats:
    """Contact durations in time steps [-], shape (durations, PHASES): around each of them, so that the contact ends at
    other times in a step than it begins, as among many collisions."""
    spread = np.modf(np.arange(PHASES) * GOLDEN)[0] - 0.5
    spread_out: Floats = np.maximum(durations[:, None] + spread, 0.5 * durations[:, None])
    return spread_out


def speeds_after(
    integrator: Integrator, omega_dt: Floats, ratio: float, oblique: bool = False
) -> tuple[Floats, Floats]:
    """Normal and tangential speeds after over those before the collision for w dt [-], all of shape (time steps,
    PHASES); the tangential speed is 0 head-on."""
    levels, stages = integrator.levels, range(len(integrator.weights))
    before, free, push = stage_images(integrator)
    along = _force(integrator, omega_dt, ratio)
    across = _force(integrator, SHEAR * omega_dt, shear_ratio(ratio))
    # Units: the time step, and the distance of free flight in one step.
    normal = np.zeros((*omega_dt.shape, levels, 1))
    normal[..., 0, 0] = (np.arange(PHASES) + 0.5) / PHASES
    normal[..., 1, 0] = -1.0
    tangential = np.zeros_like(normal)
    tangential[..., 1, 0] = 1.0 if oblique else 0.0
    start = np.zeros((*omega_dt.shape, levels, 1))
    touched = np.zeros(omega_dt.shape, bool)
    last_normal, last_tangential = normal[..., 0, 0], tangential[..., 0, 0]
    steps = math.ceil(math.pi / math.sqrt(1.0 - ratio**2) / float(omega_dt.min())) + 2 + SETTLING
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(steps):
            for stage in stages:
                normal, tangential = before[stage] @ normal, before[stage] @ tangential
                gap, position = normal[..., 0, 0], tangential[..., 0, 0]
                touches = gap < 0.0
                # The contact began between the last evaluation and this one.
                fraction = np.clip(-gap / np.maximum(last_normal - gap, 1e-300), 0.0, 1.0)
                touch = position - fraction * (position - last_tangential)
                start[..., 0, 0] = np.where(touches & ~touched, touch, start[..., 0, 0])
                touched, last_normal, last_tangential = touches, gap, position
                acts = touches[..., None, None]
                normal = free[stage] @ normal + push[stage] @ np.where(acts, along @ normal, 0.0)
                pulled = np.where(acts, across @ (tangential - start), 0.0)
                tangential = free[stage] @ tangential + push[stage] @ pulled
    return normal[..., 1, 0], tangential[..., 1, 0]


def _force(integrator: Integrator, omega_dt: Floats, ratio: float) -> Floats:
    """The force of a damped spring as a row that multiplies the levels, shape (time steps, PHASES, 1, levels)."""
    force = np.zeros((*omega_dt.shape, 1, integrator.levels))
    force[..., 0, 0], force[..., 0, 1] = -(omega_dt**2), -2.0 * ratio * omega_dt
    force[..., 0, 2] = integrator.velocity_lead * force[..., 0, 1]
    return force
