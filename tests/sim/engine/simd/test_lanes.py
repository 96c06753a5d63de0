"""Vector operations: compiled code and plain Python give the same numbers, and these are the expected ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.simd import lanes
from repose.sim.engine.simd.lanes import load, number_at, store
from repose.sim.engine.simd.vectorised import vectorised
from repose.sim.engine.workspace import LANES

NUMBERS = np.random.default_rng(3).normal(size=60)
WHOLE = np.random.default_rng(4).integers(0, 2**32, 60, np.uint32)


def both(body: Callable) -> list[Callable]:
    """A vectorised function in plain Python, and called by compiled code."""

    @numba.njit(**OPTIONS)
    def call(*arguments: Any) -> Any:
        return body(*arguments)

    return [body, call]


@vectorised
def transpose(table, rows, packed, back, like):
    columns = [load(table, c * LANES) for c in range(len(like))]
    for lane, row in enumerate(lanes.rows_of_columns(columns)):
        store(rows, lane * len(like), row)
    for k, eight in enumerate(lanes.packed_rows(columns)):
        store(packed, k * LANES, eight)
    read = [load(rows, lane * len(like), len(like)) for lane in range(LANES)]
    for c, column in enumerate(lanes.columns_of_rows(read)):
        store(back, c * LANES, column)


@pytest.mark.parametrize("length", [2, 4])
def test_columns_become_rows_and_rows_become_columns(length: int) -> None:
    size = LANES * length
    expected = NUMBERS[:size].reshape(length, LANES).T.reshape(-1)
    for call in both(transpose):
        rows, packed, back = np.zeros((3, size))
        call(NUMBERS, rows, packed, back, (0.0,) * length)
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(packed, expected)
        np.testing.assert_array_equal(back, NUMBERS[:size])


@vectorised
def arithmetic(table, out, factor):
    a, b = load(table, 3), load(table, 20)
    results = [
        *(a + b, a - b, a * b, -a, factor * a, a * factor, factor - a, 2.0 * a, a + 1),
        *(lanes.absolute(a), lanes.select(a > b, a, 0.0), lanes.select(a <= factor, a, b)),
    ]
    for row, vector in enumerate(results):
        store(out[row], 1, vector)


def test_arithmetic_is_that_of_the_numbers() -> None:
    a, b, factor = NUMBERS[3:11], NUMBERS[20:28], 0.3
    expected = [
        *(a + b, a - b, a * b, -a, factor * a, a * factor, factor - a, 2.0 * a, a + 1),
        *(np.abs(a), np.where(a > b, a, 0.0), np.where(a <= factor, a, b)),
    ]
    for call in both(arithmetic):
        out = np.zeros((len(expected), LANES + 3))
        call(NUMBERS, out, factor)
        np.testing.assert_array_equal(out[:, 1 : LANES + 1], expected)
        assert not out[:, 0].any()
        assert not out[:, LANES + 1 :].any()


@vectorised(answer=int)
def masks(table, out, marks, limit, number):
    rows = load(table, 2)
    mask = (rows < limit) & lanes.first_lanes(number)
    store(out, 0, lanes.compress(rows, mask))
    store(out, LANES, lanes.rows_from(number))
    store(out, 2 * LANES, lanes.all_lanes(number, out))
    store(marks, 0, mask | ~lanes.first_lanes(number + 1))
    return 1000 * lanes.count(mask) + lanes.bits_of(mask)


@pytest.mark.parametrize("number", [0, 5, 8, 11])
def test_masks_choose_count_and_compress(number: int) -> None:
    limit = int(np.median(WHOLE))
    chosen = (WHOLE[2 : 2 + LANES] < limit) & (np.arange(LANES) < number)
    for call in both(masks):
        out, marks = np.zeros(3 * LANES, np.uint32), np.full(LANES, 9, np.uint8)
        answer = call(WHOLE, out, marks, limit, number)
        assert answer == 1000 * chosen.sum() + sum(2**k for k in np.flatnonzero(chosen))
        np.testing.assert_array_equal(out[: chosen.sum()], WHOLE[2 : 2 + LANES][chosen])
        np.testing.assert_array_equal(out[LANES : 2 * LANES], np.arange(number, number + LANES).astype(np.uint32))
        np.testing.assert_array_equal(out[2 * LANES :], np.full(LANES, number % 2**32))
        np.testing.assert_array_equal(marks, chosen | (np.arange(LANES) >= number + 1))


class Columns(NamedTuple):
    single: np.ndarray
    short: np.ndarray


@vectorised
def converted(columns, out, wide):
    store(out[0], 0, lanes.as_real(load(columns.single, 1)))
    store(out[1], 0, lanes.as_real(load(columns.short, 1)))
    start = number_at(columns.short, 4)
    store(lanes.beginning(lanes.flat(out), 2 * LANES), 0, load(out[0], lanes.smaller(start, 0)))
    lanes.branch(wide == 8, lambda: store(out[3], 0, load(out[0], 0)), lambda: store(out[3], 0, load(out[1], 0)))


@pytest.mark.parametrize("wide", [8, 4])
def test_tables_of_other_types_named_tuples_and_branches(wide: int) -> None:
    columns = Columns(NUMBERS.astype(np.float32), WHOLE.astype(np.uint8))
    for call in both(converted):
        out = np.zeros((4, LANES))
        call(columns, out, wide)
        np.testing.assert_array_equal(out[0], columns.single[1:9])
        np.testing.assert_array_equal(out[1], columns.short[1:9])
        np.testing.assert_array_equal(out[2], out[0])
        np.testing.assert_array_equal(out[3], out[0 if wide == 8 else 1])


@vectorised
def undecided(table, limit):
    if limit > 3:
        store(table, 0, load(table, 8))


def test_a_branch_that_depends_on_a_number_is_refused_by_the_compiler() -> None:
    _, compiled = both(undecided)
    with pytest.raises(Exception, match="A vectorised body has no `if` or `and` of a number"):
        compiled(np.zeros(20), 5)


def test_plain_python_does_not_read_or_write_past_the_end() -> None:
    table = np.arange(10.0)
    np.testing.assert_array_equal(load(table, 7), [7.0, 8.0, 9.0, *[0.0] * 5])
    store(table, 7, np.full(LANES, 5.0))
    np.testing.assert_array_equal(table[7:], 5.0)
    assert number_at(table, 10) == 0
