"""Rows of spheres: compiled code moves and adds the numbers that plain Python moves and adds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine.contacts import sphere_rows
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.workspace import BLOCK, LANES, row_width

SPHERES, WIDTH, FIRST = 50, 8, 4


class Candidates(NamedTuple):
    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    radius_sum: NDArray[np.float64]
    touching: NDArray[np.uint8]
    normal_force: NDArray[np.float64]


def compiled(name: str) -> Any:
    """A function of `sphere_rows`, compiled."""
    function = getattr(sphere_rows, name)

    @numba.njit(**OPTIONS)
    def call(*arguments: Any) -> Any:
        return function(*arguments)

    return call


NAMES = ("fill_rows", "rows_to_columns", "gather_differences", "gather_rows", "add_to_rows", "write_to_rows")


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_numbers_of_spheres_are_moved_to_rows_blocks_and_back(length: int) -> None:
    generator = np.random.default_rng(length)
    columns = tuple(generator.normal(size=SPHERES) for _ in range(length))
    pairs = [generator.integers(0, SPHERES, 3 * LANES + 5).astype(np.uint32) for _ in range(2)]
    like = (0.0,) * length
    answers = []
    for choose in (compiled, lambda name: getattr(sphere_rows, name)):
        fill, empty, differences, gather, add, write = map(choose, NAMES)
        table, sums, written = np.zeros((3, SPHERES * WIDTH))
        back = tuple(np.zeros(SPHERES) for _ in range(length))
        first, second = np.zeros((2, 6 * BLOCK))
        fill(table, WIDTH, FIRST, columns, 3, 45)
        empty(table, WIDTH, FIRST, back, 5, 44)
        differences(first, 1, like, table, WIDTH, FIRST, *pairs)
        gather(second, 1, like, table, WIDTH, FIRST, pairs[0])
        if length < 4:
            add(sums, WIDTH, 2, like, pairs[0], first, 1, -1.0)
            write(written, WIDTH, 1, like, pairs[0], second, 1)
        answers.append((table, np.array(back), first, second, sums, written))
    for here, there in zip(*answers, strict=True):
        np.testing.assert_array_equal(here, there)
    table, back, first, second, sums, written = answers[0]
    stored = np.zeros((length, SPHERES))
    stored[:, 3:45] = np.array(columns)[:, 3:45]
    np.testing.assert_array_equal(table.reshape(SPHERES, WIDTH)[:, FIRST : FIRST + length], stored.T)
    np.testing.assert_array_equal(np.array(back)[:, 5:44], stored[:, 5:44])
    size = pairs[0].size
    block = slice(1, 1 + length)
    np.testing.assert_array_equal(first.reshape(6, BLOCK)[block, :size], stored[:, pairs[0]] - stored[:, pairs[1]])
    np.testing.assert_array_equal(second.reshape(6, BLOCK)[block, :size], stored[:, pairs[0]])
    if length < 4:
        entries = np.zeros((SPHERES, WIDTH))
        entries[np.unique(pairs[0]), 1 : 1 + length] = stored.T[np.unique(pairs[0])]
        np.testing.assert_array_equal(written.reshape(SPHERES, WIDTH), entries)
        expected = np.zeros((SPHERES, length))
        np.subtract.at(expected, pairs[0], first.reshape(6, BLOCK)[block, :size].T)
        np.testing.assert_allclose(sums.reshape(SPHERES, WIDTH)[:, 2 : 2 + length], expected, atol=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("reach", [(), (0.0,)])
def test_pairs_within_reach_are_chosen_in_the_order_of_the_list(dimension: int, reach: tuple[float, ...]) -> None:
    generator = np.random.default_rng(dimension)
    table = generator.uniform(0.0, 1.0, SPHERES * row_width(dimension, True))
    size = 5 * LANES + 3
    i, j = generator.integers(0, SPHERES, (2, size)).astype(np.uint32)
    touching = generator.integers(0, 2, size).astype(np.uint8)
    answers = []
    for choose in (compiled("choose_near"), sphere_rows.choose_near):
        pairs = Candidates(i, j, np.full(size, 0.5), touching.copy(), np.full(size, 2.0))
        chosen = np.zeros((3, BLOCK), np.uint32)
        count = choose(chosen, 4, pairs, table, (0.0,) * dimension, reach, 0.1, 2, size - 1)
        answers.append((chosen[:, :count], pairs.touching, pairs.normal_force))
    for here, there in zip(*answers, strict=True):
        np.testing.assert_array_equal(here, there)
    chosen, marked, normal_force = answers[0]
    place = table.reshape(SPHERES, -1)[:, :dimension]
    branch = place[i] - place[j]
    near = np.sqrt((branch**2).sum(axis=1)) < 0.5 + (0.1 if reach else 0.0)
    if reach:
        near |= touching > 0
    examined = np.zeros(size, bool)
    examined[2:-1] = True
    expected = np.flatnonzero(near & examined)
    assert 5 < expected.size < size - 5
    np.testing.assert_array_equal(chosen[:, 4:], np.array([expected, i[expected], j[expected]]))
    np.testing.assert_array_equal(marked, np.where(examined & ~near, 0, touching))
    np.testing.assert_array_equal(normal_force, np.where(examined, 0.0, 2.0))
