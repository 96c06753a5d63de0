"""A look at all contacts at once: energies stored, the largest overlap, and the largest stable time step.

For the time step the network of contacts is bounded sphere by sphere. A contact e with stiffness k between
mobilities b_i and b_j alone swings at w_e² = k (b_i + b_j) along its normal n. As (x - y)² <= (1 + t) x² + (1 + 1/t) y²
for any t > 0, with t = b_j/b_i, the stiffest mode of the whole network obeys

    w² <= max over spheres of the largest eigenvalue of  sum over its contacts of w_e² n n^T ,

exact for a single pair and for a triangular lattice, and never too small. Damping is bounded alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from repose.sim.engine.contacts.pair_forces import pair_contact
from repose.sim.engine.contacts.wall_forces import wall_contact
from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.step import Model
from repose.sim.engine.timestep.stability import RATIO_GRID, limit_table
from repose.sim.engine.world import PAIR_COUNT, TOUCH_COUNT, World


class Survey(NamedTuple):
    """What the contacts of a world amount to at one moment."""

    contacts: int
    elastic_energy: float
    """[J]."""
    shear_energy: float
    """Stored in friction springs [J]."""
    largest_overlap: float
    """Overlap / radius of the smaller sphere that can move [-]."""
    stable_dt: float
    """Largest time step the integrator bears [s]; infinite where nothing touches."""
    omega: float
    """Frequency bound of the sphere that sets `stable_dt` [1/s]."""
    damping_ratio: float
    """Its damping ratio bound [-]."""
    stiffest: int
    """Its row, or -1."""


@lru_cache(maxsize=64)
def compose_survey(model: Model) -> Callable[..., Survey]:
    """survey(world, params) -> Survey."""
    law, energy, properties = model.law.stiffness, model.law.energy, model.law.properties
    rule_0, rule_1, rule_2, rule_3 = model.rules
    position_like = (0.0,) * model.dimension
    spin_like = (0.0,) * model.spin_length
    source = fingerprint()

    def look(world, params, ratios, limits, sums):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        rules = (rule_0, rule_1, rule_2, rule_3)
        return _look(world, law, energy, properties, rules, params, position_like, spin_like, ratios, limits, sums)

    look_fast = compiled(look)
    limits = limit_table(model.integrator)

    def survey(world: World, params: tuple) -> Survey:
        sums = np.zeros((2, model.dimension, model.dimension, world.sphere_count))
        return Survey(*look_fast(world, params, RATIO_GRID, limits, sums))

    return survey


@register_jitable
def largest_eigenvalue(matrix, i):
    """Upper bound of the largest eigenvalue of a symmetric matrix: exact in 2D, m + sqrt((d-1)/d) |A - m 1|."""
    dimension = matrix.shape[0]
    mean = 0.0
    for a in range(dimension):
        mean += matrix[a, a, i] / dimension
    spread = 0.0
    for a in range(dimension):
        for b in range(dimension):
            entry = matrix[a, b, i] - (mean if a == b else 0.0)
            spread += entry * entry
    return mean + math.sqrt((dimension - 1) / dimension * spread)


@register_jitable
def interpolate(x, grid, values):
    """Interpolation linear in 1/value; beyond the last grid point the value falls as 1/x.

    Limits of the time step fall about as 1/x: a straight line between grid points would promise too much.
    """
    last = grid.size - 1
    if x >= grid[last]:
        return values[last] * grid[last] / x
    k = np.searchsorted(grid, x, side="right")
    share = (x - grid[k - 1]) / (grid[k] - grid[k - 1])
    return 1.0 / ((1.0 - share) / values[k - 1] + share / values[k])


@register_jitable
def add_stiffness(sums, row, contact, stiff, mobility, turning):
    """Add one contact to the stiffness and damping matrices of a sphere; see the module's first lines."""
    along, across, damped_along, damped_across = stiff
    normal_square = along * mobility
    shear_square = across * (mobility + turning)
    normal_rate = damped_along * contact.effective_mass * mobility
    shear_rate = damped_across * contact.effective_mass * (mobility + turning)
    for a in range(len(contact.normal)):
        for b in range(len(contact.normal)):
            outer = contact.normal[a] * contact.normal[b]
            unit = 1.0 if a == b else 0.0
            sums[0, a, b, row] += normal_square * outer + shear_square * (unit - outer)
            sums[1, a, b, row] += normal_rate * outer + shear_rate * (unit - outer)


@register_jitable
def _look(world, law, energy, properties, rules, params, position_like, spin_like, ratios, limits, sums):
    dimension = len(position_like)
    elastic = 0.0
    sheared = 0.0
    largest = 0.0
    contacts = 0
    for p in range(world.counters[PAIR_COUNT]):
        contact, _ = pair_contact(world, p, properties, params, position_like, spin_like, 0.0)
        if contact.overlap <= 0.0:
            continue
        i = np.int64(world.pairs.i[p])
        j = np.int64(world.pairs.j[p])
        contacts += 1
        stored, spring = energy(params, rules, contact)
        elastic += stored
        sheared += spring
        size_i = world.radius[i] if world.mobility[0, i] > 0.0 else np.inf
        size_j = world.radius[j] if world.mobility[0, j] > 0.0 else np.inf
        largest = max(largest, contact.overlap / min(size_i, size_j))
        mobility = world.mobility[0, i] + world.mobility[0, j]
        turning = 0.0
        if len(spin_like) > 0:
            turning = (
                world.radius[i] ** 2 * world.mobility[dimension, i]
                + world.radius[j] ** 2 * world.mobility[dimension, j]
            )
        stiff = law(params, rules, contact)
        for row in (i, j):
            if world.mobility[0, row] > 0.0:
                add_stiffness(sums, row, contact, stiff, mobility, turning)
    for t in range(world.counters[TOUCH_COUNT]):
        i = world.touches.sphere[t]
        if world.touches.normal_force[t] == 0.0 or world.touches.touching[t] == 0.0:
            continue
        contact, _ = wall_contact(world, t, properties, params, position_like, spin_like, 0.0)
        if contact.overlap <= 0.0:
            continue
        contacts += 1
        stored, spring = energy(params, rules, contact)
        elastic += stored
        sheared += spring
        largest = max(largest, contact.overlap / world.radius[i])
        turning = 0.0
        if len(spin_like) > 0:
            turning = world.radius[i] ** 2 * world.mobility[dimension, i]
        add_stiffness(sums, i, contact, law(params, rules, contact), world.mobility[0, i], turning)
    stable = np.inf
    omega = 0.0
    ratio = 0.0
    stiffest = -1
    for row in range(world.radius.size):
        square = largest_eigenvalue(sums[0], row)
        if square > 0.0:
            w = math.sqrt(square)
            z = largest_eigenvalue(sums[1], row) / (2.0 * w)
            dt = interpolate(z, ratios, limits) / w
            if dt < stable:
                stable, omega, ratio, stiffest = dt, w, z, row
    return contacts, elastic, sheared, largest, stable, omega, ratio, stiffest
