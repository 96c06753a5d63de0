"""Vectors: what compiled code does equals plain Python, bit by bit, for every length."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from repose.sim.engine import vector

A, B = (1.25, -0.3, 7.0e-3), (-4.0, 0.1, 2.5)


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_compiled_vectors_equal_plain_ones(length: int) -> None:
    a, b = A[:length], B[:length]

    @numba.njit
    def compiled(a, b):
        picked = vector.pick(True, a, b), vector.pick(False, a, b)
        return vector.add(a, b), vector.sub(a, b), vector.scale(-1.5, a), vector.dot(a, b), picked

    plain = compiled.py_func(a, b)
    assert compiled(a, b) == plain
    assert plain[0] == tuple(np.add(a, b))
    assert plain[3] == pytest.approx(float(np.dot(a, b)), rel=1e-15)


@pytest.mark.parametrize(("spin_length", "dimension"), [(0, 2), (0, 3), (1, 2), (3, 3)])
def test_velocity_of_rotation_and_torque_are_cross_products(spin_length: int, dimension: int) -> None:
    spin, arm, force = A[:spin_length], B[:dimension], A[:dimension]

    @numba.njit
    def compiled(spin, arm, force):
        return vector.turn(spin, arm), vector.torque(arm, force, spin)

    plain = vector.turn(spin, arm), vector.torque(arm, force, spin)
    assert compiled(spin, arm, force) == plain
    deep = {0: np.zeros(3), 1: np.array([0.0, 0.0, A[0]]), 3: np.array(A)}[spin_length]
    flat = np.zeros(3)
    flat[:dimension] = arm
    pushed = np.zeros(3)
    pushed[:dimension] = force
    assert plain[0] == pytest.approx(np.cross(deep, flat)[:dimension])
    moment = np.cross(flat, pushed)
    assert plain[1] == pytest.approx({0: [], 1: moment[2:], 3: moment}[spin_length])


def test_the_sum_with_an_empty_vector_is_the_other_vector() -> None:
    @numba.njit
    def compiled(a, b):
        return vector.either(a, b), vector.either((), b)

    assert compiled(A, B) == compiled.py_func(A, B) == (A, B)


@pytest.mark.parametrize("length", [2, 3])
def test_the_distance_to_a_box_is_that_to_its_nearest_point(length: int) -> None:
    @numba.njit
    def compiled(x, low, high, reach):
        return vector.outside(x, low, high, reach)

    low, high = (-1.0, 0.0, 2.0)[:length], (1.0, 3.0, 2.5)[:length]
    for x in np.random.default_rng(1).uniform(-4.0, 6.0, (200, length)):
        away = float(np.linalg.norm(x - np.clip(x, low, high)))
        for reach in (0.9 * away, 1.1 * away + 1e-9):
            expected = away > reach
            position = tuple(float(c) for c in x)
            assert compiled(position, low, high, reach) == compiled.py_func(position, low, high, reach) == expected


@pytest.mark.parametrize("normal", [(0.6, -0.8), (0.0, 0.6, -0.8)])
def test_a_tangential_vector_is_what_is_left_without_the_part_along_the_normal(normal: tuple) -> None:
    @numba.njit
    def compiled(a, normal):
        across = vector.tangential(a, vector.dot(a, normal), normal)
        return across, vector.in_coordinates(across, normal), vector.length(across)

    a = A[: len(normal)]
    expected = np.array(a) - np.dot(a, normal) * np.array(normal)
    for find in compiled, compiled.py_func:
        across, there, length = find(a, normal)
        assert len(across) == (1 if len(normal) == 2 else 3)
        assert there == pytest.approx(expected, rel=1e-14, abs=1e-15)
        assert length == pytest.approx(float(np.linalg.norm(expected)), rel=1e-14)


@pytest.mark.parametrize("tangential", [(-3.0,), (0.0,), (3.0, 0.0, -4.0), (0.0, 0.0, 0.0)])
def test_a_tangential_vector_is_shortened_to_the_limit_and_keeps_its_direction(tangential: tuple) -> None:
    @numba.njit
    def compiled(a, longest):
        return vector.limited(a, longest), vector.length_and_inverse(a)

    size = float(np.linalg.norm(tangential))
    for longest in (0.0, 0.5 * size, 2.0 * size):
        expected = np.array(tangential) * (min(1.0, longest / size) if size > 0.0 else 0.0)
        for found in compiled, compiled.py_func:
            shortened, (length, inverse) = found(tangential, longest)
            assert shortened == pytest.approx(expected, rel=1e-15)
            assert length == pytest.approx(size, rel=1e-15)
            assert inverse == pytest.approx(1.0 / size, rel=1e-15) if size > 0.0 else inverse > 1e149
