"""Beverloo's law fitted to artificial rates with known answers."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.measure.beverloo import beverloo, fit_beverloo, fit_exponent

FACTS = {"density": 81_400.0, "gravity": 9.81, "radius": 0.0125}
WIDTHS = np.array([0.1, 0.125, 0.15])


def test_the_fit_of_exact_rates_returns_their_constant():
    fit = fit_beverloo(WIDTHS, beverloo(WIDTHS, 4.2, **FACTS), **FACTS)
    assert fit.c == pytest.approx(4.2, abs=1e-6)
    assert fit.residual == pytest.approx(0.0, abs=1e-3)


def test_the_error_of_c_covers_the_truth_as_often_as_it_should():
    generator = np.random.default_rng(2)
    exact = beverloo(WIDTHS, 4.2, **FACTS)
    off = []
    for _ in range(200):
        error = 0.05 * exact
        fit = fit_beverloo(WIDTHS, exact + error * generator.normal(size=3), error=error, **FACTS)
        off.append((fit.c - 4.2) / fit.standard_error)
    assert np.std(off) == pytest.approx(1.0, abs=0.15)


def test_the_published_rates_give_the_published_c():
    fit = fit_beverloo(WIDTHS, [110.07, 355.54, 761.97], **FACTS)
    assert fit.c == pytest.approx(4.208, abs=0.02)


def test_nothing_passes_an_orifice_narrower_than_the_ring():
    assert beverloo(0.04, 4.0, **FACTS) == 0.0


def test_one_orifice_is_refused():
    with pytest.raises(ValueError, match="two orifices"):
        fit_beverloo([0.1], [100.0], **FACTS)


def test_the_exponent_of_exact_rates_is_found():
    widths = np.array([0.08, 0.1, 0.12, 0.15])
    fit = fit_exponent(widths, 3000.0 * (widths - 0.02) ** 2.5, 0.02)
    assert fit.exponent == pytest.approx(2.5, abs=1e-9)
    assert fit.factor == pytest.approx(3000.0, rel=1e-6)


@pytest.mark.parametrize(
    ("widths", "rates"),
    [([0.1, 0.12], [5.0, 9.0]), ([0.01, 0.1, 0.12], [1.0, 5.0, 9.0]), ([0.1, 0.12, 0.15], [0, 1, 2])],
)
def test_an_exponent_from_too_little_is_refused(widths, rates):
    with pytest.raises(ValueError, match="three flowing orifices"):
        fit_exponent(widths, rates, 0.02)
