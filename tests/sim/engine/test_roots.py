"""Inverse roots without the root of the processor."""

from __future__ import annotations

import math
from fractions import Fraction

import numba
import numpy as np
import pytest
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.roots import TINY, inverse_cube_root, inverse_root

NUMBERS = 10.0 ** np.random.default_rng(4).uniform(-300.0, 300.0, 2000)


@numba.njit(**OPTIONS)
def inverse_roots(numbers, answers):
    for k in range(numbers.size):
        answers[k] = inverse_root(numbers[k])


def relative_error(number: float, root: float) -> float:
    """Of root against 1/sqrt(number), to first order: root² number = 1 + 2 e."""
    return float(abs(Fraction(root) ** 2 * Fraction(number) - 1) / 2)


def test_an_inverse_root_errs_by_less_than_two_units_of_rounding_in_compiled_and_in_plain_code() -> None:
    compiled = np.empty_like(NUMBERS)
    inverse_roots(NUMBERS, compiled)
    for number, root in zip(NUMBERS.tolist(), compiled.tolist(), strict=True):
        assert relative_error(number, root) < 2.0 * 2.0**-53
        assert relative_error(number, float(inverse_root(number))) < 2.0 * 2.0**-53


@numba.njit(**OPTIONS)
def inverse_cube_roots(numbers, answers):
    for k in range(numbers.size):
        answers[k] = inverse_cube_root(numbers[k])


def test_an_inverse_cube_root_errs_by_less_than_three_units_of_rounding_in_compiled_and_in_plain_code() -> None:
    compiled = np.empty_like(NUMBERS)
    inverse_cube_roots(NUMBERS, compiled)
    for number, root in zip(NUMBERS.tolist(), compiled.tolist(), strict=True):
        for found in (root, float(inverse_cube_root(number))):
            assert abs(Fraction(found) ** 3 * Fraction(number) - 1) / 3 < 3.0 * 2.0**-53


@pytest.mark.parametrize("number", [0.0, TINY])
def test_the_inverse_root_of_next_to_nothing_is_huge_and_finite(number: float) -> None:
    assert 1e149 < inverse_root(number) < math.inf


def test_what_is_not_a_number_has_no_inverse_root() -> None:
    assert math.isnan(inverse_root(math.nan))
