"""Streams of columns: what is read is what was written, quantities within half a quantum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.app.page.columns import LARGEST, Stream, read, whole

NUMBERS = st.lists(st.lists(st.integers(-LARGEST, LARGEST), min_size=3, max_size=3), max_size=6)


@given(NUMBERS, st.integers(0, 2))
def test_whole_numbers_come_back_exactly(rows: list[list[int]], order: int) -> None:
    stream = Stream({"words": "ä</script>"})
    stream.add("numbers", np.reshape(rows, (-1, 3)), order)
    stream.add_floats("time", [0.5, np.nan])
    data, columns = read(stream.packed())
    assert data == {"words": "ä</script>"}
    np.testing.assert_array_equal(columns["numbers"], np.reshape(rows, (-1, 3)))
    np.testing.assert_array_equal(columns["time"], [0.5, np.nan])


@given(st.floats(-1e3, 1e3), st.floats(1e-4, 1.0))
def test_a_quantity_comes_back_within_half_a_quantum(value: float, quantum: float) -> None:
    assert abs(float(whole(value, quantum)) * quantum - value) <= (0.5 + 1e-9) * quantum


def test_numbers_that_have_no_room_are_bounded_or_refused() -> None:
    assert whole([np.nan, np.inf, -np.inf], 0.1).tolist() == [0, LARGEST, -LARGEST]
    with pytest.raises(ValueError, match="at most"):
        Stream().add("far", [LARGEST + 1])


def test_rest_takes_no_room() -> None:
    at_rest, moving = Stream(), Stream()
    rows = np.random.default_rng(1).integers(0, 2**15, (1, 1000))
    at_rest.add("x", np.repeat(rows, 100, axis=0), 2)
    moving.add("x", rows)
    assert len(at_rest.packed()) < 1.3 * len(moving.packed())
