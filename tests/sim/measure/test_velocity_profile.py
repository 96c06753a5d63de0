"""The velocity profile of a layer, and the law of Bagnold fitted to it."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.measure.velocity_profile import (
    BAGNOLD_RATIO,
    bagnold,
    fitted_bagnold,
    fitted_exponent,
    layer_sums,
)

DEEP, FACTOR = 0.04, 60.0
HEIGHT = np.linspace(0.0, DEEP, 41)


def test_velocities_are_averaged_over_the_grains_of_each_layer_by_their_weight() -> None:
    height, velocity = np.array([0.1, 0.9, 1.5, -0.5, 7.0]), np.array([1.0, 4.0, 2.0, 100.0, 100.0])
    weights, moments = layer_sums(height, velocity, np.array([2.0, 1.0, 3.0, 1.0, 1.0]), 1.0, 3)
    np.testing.assert_array_equal(weights, [3.0, 3.0, 0.0])
    np.testing.assert_array_equal(moments / np.maximum(weights, 1.0), [2.0, 2.0, 0.0])


def test_the_profile_of_bagnold_rises_from_the_base_with_no_shear_at_the_surface() -> None:
    shape = bagnold(HEIGHT, DEEP)
    rate = np.gradient(shape, HEIGHT)
    assert shape[0] == 0.0
    assert shape[-1] == pytest.approx(DEEP**1.5)
    assert rate[1:-1] == pytest.approx(1.5 * np.sqrt(DEEP - HEIGHT[1:-1]), rel=0.06)  # second order, near the surface
    assert shape[20] / shape[-1] == pytest.approx(BAGNOLD_RATIO)


def test_the_factor_of_bagnold_is_found_and_a_straight_profile_deviates() -> None:
    factor, deviation = fitted_bagnold(HEIGHT, FACTOR * bagnold(HEIGHT, DEEP), DEEP)
    assert factor == pytest.approx(FACTOR, rel=1e-12)
    assert deviation < 1e-12
    assert fitted_bagnold(HEIGHT, HEIGHT, DEEP)[1] > 0.05


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("slip", [0.0, 0.2])
def test_the_exponent_and_the_slip_of_a_profile_are_found(power: float, slip: float) -> None:
    found = fitted_exponent(HEIGHT, 0.7 * (slip + (1.0 - slip) * (1.0 - (1.0 - HEIGHT / DEEP) ** power)), DEEP)
    assert found.exponent == pytest.approx(power, rel=1e-5)
    assert found.slip == pytest.approx(slip, abs=1e-5)
    assert found.error < 1e-5


def test_the_exponent_of_scattered_velocities_is_within_its_error() -> None:
    scatter = np.random.default_rng(3).normal(0.0, 0.01, (200, HEIGHT.size))
    found = np.array([fitted_exponent(HEIGHT, bagnold(HEIGHT, DEEP) / DEEP**1.5 + row, DEEP) for row in scatter])
    assert found[:, 0].mean() == pytest.approx(1.5, abs=0.02)
    assert found[:, 0].std() == pytest.approx(found[:, 1].mean(), rel=0.2)


def test_a_layer_that_slides_as_a_whole_has_no_exponent() -> None:
    found = fitted_exponent(HEIGHT[1:], np.ones(40), DEEP)
    assert np.isnan(found.exponent)
    assert found.slip == pytest.approx(1.0)
