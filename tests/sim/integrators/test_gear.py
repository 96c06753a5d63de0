"""Gear predictor-corrector: eight spheres at once, one by one, and the Taylor series itself give the same numbers."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.model import Integrator
from repose.sim.integrators.gear import COEFFICIENTS, INTEGRATORS

SPHERES, FIRST, LAST, DT = 30, 3, 24, 1e-3
"""Two times eight spheres, and five more."""


def compiled(scheme: Integrator) -> Any:
    before, after = scheme.before, scheme.after

    @numba.njit(**OPTIONS)
    def step(motion: Any, force: Any, inverse_mass: Any) -> None:
        before(motion, FIRST, LAST, 0, DT)
        after(motion, force, inverse_mass, FIRST, LAST, 0, DT)

    return step


@pytest.mark.parametrize("scheme", INTEGRATORS, ids=lambda scheme: scheme.name)
def test_a_step_predicts_by_taylor_and_corrects_by_the_printed_coefficients(scheme: Integrator) -> None:
    generator = np.random.default_rng(scheme.levels)
    begin = generator.normal(size=(2, scheme.levels, SPHERES))
    begin[1, 3:] = 1e-220  # as in long free flight
    force, inverse_mass = generator.normal(size=(2, 2, SPHERES))
    force[1] = inverse_mass[1] * 0.0
    begin[1, 2] = 0.0
    once = begin.copy()
    compiled(scheme)(once, force, inverse_mass)
    plain = begin.copy()
    scheme.before(plain, FIRST, LAST, 0, DT)
    scheme.after(plain, force, inverse_mass, FIRST, LAST, 0, DT)
    np.testing.assert_array_equal(once, plain)
    expected = begin.copy()
    for q in range(scheme.levels):
        terms = [DT ** (p - q) / math.factorial(p - q) * begin[:, p] for p in range(q, scheme.levels)]
        expected[:, q] = sum(terms)
    deviation = force * inverse_mass - expected[:, 2]
    for q in range(scheme.levels):
        alpha = COEFFICIENTS[scheme.levels - 4, q]
        expected[:, q] += alpha * math.factorial(q) / 2.0 * DT ** (2 - q) * deviation
    expected[1, 3:] = 0.0
    own = slice(FIRST, LAST)
    np.testing.assert_allclose(once[:, :, own], expected[:, :, own], rtol=1e-12, atol=1e-12)
    assert (once[1, 3:, own] == 0.0).all()
    others = np.delete(np.arange(SPHERES), np.arange(FIRST, LAST))
    np.testing.assert_array_equal(once[:, :, others], begin[:, :, others])
