"""Numbers beside the picture: counts have all their digits, quantities four and a suitable prefix."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.sim.measure.display import TIME, Axis, Curve, Line, Reading
from repose.sim.message import plain


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (11412.0, "", "11412"),
        (1100.0, "", "1100"),
        (0.0, "", "0"),
        (4.6283, "", "4.628"),
        (271.04, "N/m", "271"),
        (2e9, "", "2e+09"),
        (math.nan, "", "nan"),
    ],
)
def test_a_count_is_written_with_all_its_digits_and_a_quantity_with_four(value: float, unit: str, words: str) -> None:
    assert Reading("grains_left", "grains left", value, unit).digits == words


@pytest.mark.parametrize(("axis", "count", "drawn"), [(TIME, 600, 75), (TIME, 80, 80), (Axis(plain("D/d")), 600, 600)])
def test_many_points_over_time_are_drawn_as_few_marks(axis: Axis, count: int, drawn: int) -> None:
    line = Line("e = 1", np.arange(float(count)), np.zeros(count), points=True)
    assert len(line.x[:: Curve("height", plain("Height"), axis, Axis(plain("y")), (line,)).stride(line)]) == drawn
