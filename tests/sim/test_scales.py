"""Ticks: at least three on every axis, at round numbers, with different labels."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some
from repose.sim.scales import FEWEST, linear_ticks, log_ticks, round_below


@given(low=some.floats(-1e6, 1e6), share=some.floats(1e-5, 1e3), most=some.floats(0.0, 12.0))
def test_every_span_has_three_ticks_inside_it_with_labels_of_their_own(low: float, share: float, most: float) -> None:
    high = low + share * max(abs(low), 1e-6)
    values, labels = linear_ticks(low, high, most)
    assert len(values) >= FEWEST
    assert low - 1e-9 * abs(low) <= values[0] <= values[-1] <= high + 1e-9 * abs(high)
    steps = {b - a for a, b in pairwise(values)}
    assert max(steps) == pytest.approx(min(steps), rel=1e-3)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("low", "high", "most", "labels"),
    [
        (0.0, 1.0, 3.0, ["0.0", "0.5", "1.0"]),
        (0.0, 1.729, 5.0, ["0.0", "0.5", "1.0", "1.5"]),
        (-1.0, 1.0, 6.0, ["-1.0", "-0.5", "0.0", "0.5", "1.0"]),
        (0.0, 9.9, 3.0, ["0", "4", "8"]),
        (0.0, 3.2e-7, 4.0, ["0", "1e-7", "2e-7", "3e-7"]),
    ],
)
def test_labels_are_short(low: float, high: float, most: float, labels: list[str]) -> None:
    assert linear_ticks(low, high, most)[1] == labels


def test_an_empty_or_infinite_range_has_no_ticks() -> None:
    for low, high in ((1.0, 1.0), (math.nan, 1.0), (0.0, math.inf)):
        assert linear_ticks(low, high, 5.0) == ([], [])


@given(decades=some.floats(3.4, 9.0), top=some.floats(-12.0, 6.0), most=some.floats(1.0, 8.0))
def test_a_logarithmic_axis_has_three_powers_of_ten(decades: float, top: float, most: float) -> None:
    values, labels = log_ticks(10.0 ** (top - decades), 10.0**top, most)
    assert len(values) >= FEWEST
    assert len(set(labels)) == len(labels)
    assert len(values) <= max(most + 2.0, 5.0)


@given(size=some.floats(1e-9, 1e9))
def test_a_round_length_is_the_largest_that_fits(size: float) -> None:
    below = round_below(size)
    assert below <= size * (1.0 + 1e-9)
    assert size < 2.5 * below * (1.0 + 1e-9)
    assert f"{below:.6e}"[:8] in ("1.000000", "2.000000", "5.000000")
