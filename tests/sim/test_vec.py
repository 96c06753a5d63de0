"""Vectors: what compiled code does equals plain Python, bit by bit, for every length."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from sim import vec

A, B = (1.25, -0.3, 7.0e-3), (-4.0, 0.1, 2.5)


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_compiled_vectors_equal_plain_ones(length: int) -> None:
    a, b = A[:length], B[:length]

    @numba.njit
    def compiled(a, b):
        picked = vec.pick(True, a, b), vec.pick(False, a, b)
        return vec.add(a, b), vec.sub(a, b), vec.scale(-1.5, a), vec.dot(a, b), picked

    plain = compiled.py_func(a, b)
    assert compiled(a, b) == plain
    assert plain[0] == tuple(np.add(a, b))
    assert plain[3] == pytest.approx(float(np.dot(a, b)), rel=1e-15)


@pytest.mark.parametrize(("spin_length", "dimension"), [(0, 2), (0, 3), (1, 2), (3, 3)])
def test_turning_and_moment_are_cross_products(spin_length: int, dimension: int) -> None:
    spin, arm, force = A[:spin_length], B[:dimension], A[:dimension]

    @numba.njit
    def compiled(spin, arm, force):
        return vec.turn(spin, arm), vec.moment(arm, force, spin)

    plain = vec.turn(spin, arm), vec.moment(arm, force, spin)
    assert compiled(spin, arm, force) == plain
    deep = {0: np.zeros(3), 1: np.array([0.0, 0.0, A[0]]), 3: np.array(A)}[spin_length]
    flat = np.zeros(3)
    flat[:dimension] = arm
    pushed = np.zeros(3)
    pushed[:dimension] = force
    assert plain[0] == pytest.approx(np.cross(deep, flat)[:dimension])
    moment = np.cross(flat, pushed)
    assert plain[1] == pytest.approx({0: [], 1: moment[2:], 3: moment}[spin_length])


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_compiled_tables_equal_plain_ones(length: int) -> None:
    like = (0.0,) * length

    @numba.njit
    def compiled(buffer, table, like, a):
        vec.save(buffer, 1, 4, 2, a)
        vec.deposit(vec.rows(table, like), 1, a)
        return vec.load(buffer, 1, 4, 2, like), vec.at(vec.rows(table, like), 1)

    answers, tables = [], []
    for function in (compiled.py_func, compiled):
        buffer, table = np.zeros(16), np.arange(12.0).reshape(4, 3)
        answers.append(function(buffer, table, like, A[:length]))
        tables.append((buffer, table))
    assert answers[0] == answers[1]
    assert answers[0][0] == A[:length]
    assert np.array_equal(tables[0][0], tables[1][0])
    assert np.array_equal(tables[0][1], tables[1][1])
    assert np.count_nonzero(tables[0][0]) == length
