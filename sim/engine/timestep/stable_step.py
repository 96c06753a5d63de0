"""The largest stable time step: the limit of each integrator, and the step that "auto" takes.

The limit is computed from the integrator itself. One step of a damped oscillator x'' = -w² x - 2 z w x' is linear in
the levels of the scheme: the code of the scheme, applied to unit vectors, gives its amplification matrix. The scheme is
stable while no eigenvalue exceeds 1 in magnitude. The stiffness of the contacts comes from
`repose.sim.engine.timestep.survey`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.model import Integrator
from repose.sim.engine.world import Floats

GROWTH = 1e-9
"""Relative growth of an amplitude per step below which a scheme counts as stable [-] (1 % in ten million steps)."""

RATIO_GRID = np.sort(np.concatenate([np.linspace(0.0, 0.2, 21), np.linspace(0.25, 4.0, 16), [1.01, 1.03, 1.06, 1.12]]))
"""Damping ratios at which the limit is tabulated [-], denser where contacts become overdamped and the limit drops;
beyond the last ratio the limit falls as 1/ratio."""

AUTO_SHARE = 0.5
"""Fraction of the stable step that "auto" takes [-]: contacts may become stiffer between two surveys."""

CLASSES_PER_OCTAVE = 4
"""Automatic steps are 2^(n/4) s: the step changes rarely, and each change is reported."""


def amplification(integrator: Integrator, omega_dt: float, damping_ratio: float) -> Floats:
    """Amplification matrix of one step with dt = 1, shape (levels, levels)."""
    motion = _begun(integrator).copy()
    inverse_mass = np.ones((1, integrator.levels))
    for stage in range(len(integrator.weights)):
        if stage > 0:
            integrator.before(motion, 0, motion.shape[2], stage, 1.0)
        velocity = motion[:, 1] + integrator.velocity_lead * motion[:, 2]  # at the time of the position, as in the loop
        force = -(omega_dt**2) * motion[:, 0] - 2.0 * damping_ratio * omega_dt * velocity
        integrator.after(motion, force, inverse_mass, 0, motion.shape[2], stage, 1.0)
    matrix: Floats = motion[0]
    return matrix


def energy_change(integrator: Integrator, omega_dt: float) -> float:
    """Relative change of the energy of an elastic oscillation per step [-]: |λ|² − 1 of the eigenvalue λ of the
    amplification matrix beside exp(i w dt)."""
    values = np.linalg.eigvals(amplification(integrator, omega_dt, 0.0))
    return float(np.abs(values[np.abs(values - np.exp(1j * omega_dt)).argmin()]) ** 2 - 1.0)


@lru_cache(maxsize=16)
def _begun(integrator: Integrator) -> Floats:
    """Unit vectors after the predictor of the first stage, which does not depend on the oscillator; shape (1, levels,
    levels)."""
    motion = np.eye(integrator.levels)[None, :, :].copy()
    integrator.before(motion, 0, motion.shape[2], 0, 1.0)
    return motion


def stage_images(integrator: Integrator) -> tuple[Floats, Floats, Floats]:
    """What the stages of a scheme do with dt = 1: the results of `before`, and of `after` without force, for unit
    vectors, shape (stages, levels, levels), and of `after` for a unit force, shape (stages, levels, 1)."""
    stages, levels, nothing = range(len(integrator.weights)), integrator.levels, np.zeros((1, integrator.levels))
    before, free = (np.tile(np.eye(levels), (len(stages), 1, 1)) for _ in range(2))
    push = np.zeros((len(stages), levels, 1))
    for stage in stages:
        integrator.before(before[None, stage], 0, levels, stage, 1.0)
        integrator.after(free[None, stage], nothing, nothing + 1.0, 0, levels, stage, 1.0)
        integrator.after(push[None, stage], np.ones((1, 1)), np.ones((1, 1)), 0, 1, stage, 1.0)
    return before, free, push


def are_stable(integrator: Integrator, omega_dt: Sequence[float], damping_ratio: float) -> NDArray[np.bool_]:
    """Whether oscillations of these frequencies w dt [-] do not grow."""
    steps = np.array([amplification(integrator, one, damping_ratio) for one in omega_dt])
    stable: NDArray[np.bool_] = np.abs(np.linalg.eigvals(steps)).max(axis=1) <= 1.0 + GROWTH
    return stable


@lru_cache(maxsize=1024)
def stability_limit(integrator: Integrator, damping_ratio: float) -> float:
    """Largest w dt up to which the scheme is stable for a contact of this damping ratio [-]."""
    rising = [1e-2 / max(1.0, damping_ratio)]
    while rising[-1] < 10.0:
        rising.append(rising[-1] * 1.1)
    stable = are_stable(integrator, rising, damping_ratio)
    first = int(np.append(stable[:-1], False).argmin())  # the first unstable entry, or the last entry
    low, high = rising[max(first - 1, 0)], rising[first]
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if are_stable(integrator, [middle], damping_ratio)[0] else (low, middle)
    return low


@lru_cache(maxsize=16)
def damping_fraction(integrator: Integrator) -> float:
    """Largest fraction of velocity that damping may remove per step [-]: half of the stable fraction, at most 1.

    x'' = -a x' alone is stable up to a dt = 2 z w dt, which follows from the limit of a strongly overdamped contact.
    """
    ratio = 1e4
    return min(1.0, 0.5 * 2.0 * ratio * stability_limit(integrator, ratio))


@lru_cache(maxsize=16)
def limit_table(integrator: Integrator) -> Floats:
    """`stability_limit` on RATIO_GRID, shape (len(RATIO_GRID),), for interpolation in compiled code."""
    return np.array([stability_limit(integrator, float(ratio)) for ratio in RATIO_GRID])


def automatic_dt(stable_dt: float) -> float:
    """The time step of "auto" [s] if `stable_dt` [s] is the largest stable step."""
    if not 0.0 < stable_dt < math.inf:
        raise ValueError(f"The largest stable step must be positive and finite, got {stable_dt:g} s.")
    octaves = math.floor(math.log2(AUTO_SHARE * stable_dt) * CLASSES_PER_OCTAVE) / CLASSES_PER_OCTAVE
    return math.pow(2.0, octaves)
