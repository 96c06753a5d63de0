"""The accurate time step: up to it the ledger of one impact closes to `LARGEST_GAP`.

A stable step need not be accurate. A contact begins and ends within a step, which no scheme sees: at the first
evaluation the overlap is s v dt, with s from 0 to 1. If the force of the spring begins with the slope k, the energy
s² k (v dt)²/2 appears in the spring, while the scheme takes the work of the force over the step from the motion. For
velocity Verlet this is s k (v dt)²/2: of the energy m v²/2 the share s (1 - s) (w dt)², at most (w dt)²/4, is missing
or in excess at either end. Hertz' force begins with the slope 0; therefore its error is small at any stable step. If
the damping force begins with a jump, a w dt is needed that is small beside 1/z, too.

Only the slope of the force at touch and the damping there count. The largest product w dt follows from the scheme
itself, as the limit of stability does: the code of the scheme computes impacts on a damped linear spring that begin at
`PHASES` times within a step, with the damping booked as in the step loop.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from repose.sim.engine.model import Integrator
from repose.sim.engine.timestep.stable_step import RATIO_GRID, stability_limit, stage_images
from repose.sim.engine.world import Floats

LARGEST_GAP = 0.01
"""Largest gap of the ledger after one impact, in units of the energy of the relative motion before it [-]."""

PHASES = 64
"""Number of times in a step at which the impact begins."""

GOLDEN = 0.6180339887498949
"""Fractions of its multiples are evenly spread [-]."""

SETTLING = 12
"""Steps after the impact, in which higher derivatives of a scheme come to zero."""

STRONG = 0.7
"""Damping ratio from which on spheres do not separate, or with less than 0.3 % of their energy [-]."""

FINEST, CANDIDATES = 0.03, 24
"""Smallest product w dt (1 + 2 z) that is tried [-], and number of products up to the limit of stability."""


@lru_cache(maxsize=256)
def accuracy_limit(integrator: Integrator, damping_ratio: float) -> float:
    """Largest w dt up to which the ledger closes to `LARGEST_GAP` after an impact of this damping ratio [-].

    It is at most the limit of stability. From the last ratio of `RATIO_GRID` on it falls as 1/ratio: only the damping
    counts. A scheme that is inaccurate even at the smallest product that is tried gets this product.
    """
    ratio = min(damping_ratio, float(RATIO_GRID[-1]))
    least, stable = FINEST / (1.0 + 2.0 * ratio), stability_limit(integrator, ratio)
    products = np.geomspace(least, max(stable, least), CANDIDATES)
    gaps = np.abs(impact_gaps(integrator, products, ratio)).max(axis=1)
    fine = int(np.append(gaps <= LARGEST_GAP, False).argmin())  # the first one that is inaccurate, or their number
    limit = float(products[max(fine - 1, 0)])
    if 0 < fine < CANDIDATES:  # between two candidates the gap is a power of the product
        below, above = math.log(gaps[fine - 1]), math.log(min(gaps[fine], 1e9))
        limit *= (float(products[fine]) / limit) ** ((math.log(LARGEST_GAP) - below) / (above - below))
    return limit * ratio / max(damping_ratio, ratio) if damping_ratio > 0.0 else limit


def impact_gaps(integrator: Integrator, omega_dt: Floats, damping_ratio: float) -> Floats:
    """Gap of the ledger after an impact, in units of the energy before it [-], shape (products, `PHASES`).

    `omega_dt` are products w dt [-], shape (products,); they vary so that the impact ends at other times in a step than
    it begins, as among many impacts. The units are the time step and the distance of free flight in one step; the mass
    is 1.
    """
    before, free, push = stage_images(integrator)
    lasting, spread = _lasting(damping_ratio), np.modf(np.arange(PHASES) * GOLDEN)[0] - 0.5
    product = (lasting / np.maximum(lasting / omega_dt[:, None] + spread, 1.0)).ravel()
    stiffness, damping = product**2, 2.0 * damping_ratio * product
    state = np.zeros((integrator.levels, product.size))
    state[0], state[1] = np.tile((np.arange(PHASES) + 0.5) / PHASES, len(omega_dt)), -1.0
    heat, velocity_lead = np.zeros(product.size), integrator.velocity_lead
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(math.ceil(lasting / float(omega_dt.min())) + SETTLING):
            for stage, weight in enumerate(integrator.weights):
                state = before[stage] @ state
                touching = state[0] < 0.0
                viscous = np.where(touching, damping * (state[1] + velocity_lead * state[2]), 0.0)
                heat += weight * viscous * (state[1] + velocity_lead * state[2])
                force = np.where(touching, -stiffness * state[0], 0.0) - viscous
                state = free[stage] @ state + push[stage] * force
        velocity = state[1] - velocity_lead * state[2]
        stored = 0.5 * stiffness * np.minimum(state[0], 0.0) ** 2
        gaps: Floats = np.nan_to_num(velocity**2 + 2.0 * (stored + heat) - 1.0, nan=math.inf)
    return gaps.reshape(len(omega_dt), PHASES)


def _lasting(damping_ratio: float) -> float:
    """w t of the impact [-]: until the spheres separate, or until the damping has taken the motion."""
    lasting = math.pi / math.sqrt(1.0 - min(damping_ratio, STRONG) ** 2)
    return lasting * STRONG / max(damping_ratio, STRONG)
