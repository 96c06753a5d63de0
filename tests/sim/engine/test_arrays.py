"""Vectors in tables: what compiled code does equals plain Python, bit by bit, for every length."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from repose.sim.engine import arrays

A = (1.25, -0.3, 7.0e-3)


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_compiled_tables_equal_plain_ones(length: int) -> None:
    like = (0.0,) * length

    @numba.njit
    def compiled(buffer, table, like, a):
        arrays.write_block(buffer, 1, 4, 2, a)
        arrays.add_at(arrays.rows(table, like), 1, a)
        return arrays.read_block(buffer, 1, 4, 2, like), arrays.at(arrays.rows(table, like), 1)

    answers, filled = [], []
    for function in (compiled.py_func, compiled):
        buffer, table = np.zeros(16), np.arange(12.0).reshape(4, 3)
        answers.append(function(buffer, table, like, A[:length]))
        filled.append((buffer, table))
    assert answers[0] == answers[1]
    assert answers[0][0] == A[:length]
    assert np.array_equal(filled[0][0], filled[1][0])
    assert np.array_equal(filled[0][1], filled[1][1])
    assert np.count_nonzero(filled[0][0]) == length


@pytest.mark.parametrize("length", [2, 3])
def test_positions_in_space_are_read_and_written_unchanged(length: int) -> None:
    like = (0.0,) * length

    @numba.njit
    def compiled(table, deep, like, a):
        arrays.write_at(arrays.rows(table, like), 2, a)
        return arrays.read_entry(deep, (1, 0), like), arrays.read_row(table, 1, like)

    for function in (compiled.py_func, compiled):
        table, deep = np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
        entry, row = function(table, deep, like, A[:length])
        assert entry == tuple(deep[1, 0, :length])
        assert row == tuple(table[1, :length])
        assert tuple(table[:length, 2]) == A[:length]


def test_a_row_of_materials_is_stored_completely() -> None:
    row = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)

    @numba.njit
    def compiled(buffer, a):
        arrays.write_block(buffer, 1, 4, 2, a)
        return arrays.read_block(buffer, 1, 4, 2, a)

    for function in (compiled.py_func, compiled):
        buffer = np.zeros(32)
        assert function(buffer, row) == row
        assert tuple(buffer[6::4][:6]) == row


def test_a_row_is_filled_and_its_neighbours_stay() -> None:
    @numba.njit
    def compiled(buffer):
        arrays.fill_row(buffer, 1, 4, -1.5)

    for function in (compiled.py_func, compiled):
        buffer = np.arange(12.0)
        function(buffer)
        assert buffer.tolist() == [0.0, 1.0, 2.0, 3.0, -1.5, -1.5, -1.5, -1.5, 8.0, 9.0, 10.0, 11.0]
