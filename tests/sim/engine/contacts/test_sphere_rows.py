"""Rows of spheres: compiled code moves and adds the numbers that plain Python moves and adds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine.contacts import sphere_rows
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.workspace import BLOCK, LANES, row_width, sum_width

SPHERES, WIDTH, FIRST = 50, 8, 4


class Candidates(NamedTuple):
    i: NDArray[np.uint32]
    j: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    normal_force: NDArray[np.float64]


def compiled(name: str) -> Any:
    """A function of `sphere_rows`, compiled."""
    function = getattr(sphere_rows, name)

    @numba.njit(**OPTIONS)
    def call(*arguments: Any) -> Any:
        return function(*arguments)

    return call


NAMES = ("fill_rows", "rows_to_columns", "gather_differences", "gather_rows")


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_numbers_of_spheres_are_moved_to_rows_blocks_and_back(length: int) -> None:
    generator = np.random.default_rng(length)
    columns = tuple(generator.normal(size=SPHERES) for _ in range(length))
    pairs = [generator.integers(0, SPHERES, 3 * LANES + 5).astype(np.uint32) for _ in range(2)]
    like = (0.0,) * length
    answers = []
    for choose in (compiled, lambda name: getattr(sphere_rows, name)):
        fill, empty, differences, gather = map(choose, NAMES)
        table = np.zeros(SPHERES * WIDTH)
        back = tuple(np.zeros(SPHERES) for _ in range(length))
        first, second = np.zeros((2, 6 * BLOCK))
        fill(table, WIDTH, FIRST, columns, 0.0, (), 3, 45)
        empty(table, WIDTH, FIRST, back, 5, 44)
        differences(first, 1, like, table, WIDTH, FIRST, *pairs)
        gather(second, 1, like, table, WIDTH, FIRST, pairs[0])
        answers.append((table, np.array(back), first, second))
    for here, there in zip(*answers, strict=True):
        np.testing.assert_array_equal(here, there)
    table, back, first, second = answers[0]
    stored = np.zeros((length, SPHERES))
    stored[:, 3:45] = np.array(columns)[:, 3:45]
    np.testing.assert_array_equal(table.reshape(SPHERES, WIDTH)[:, FIRST : FIRST + length], stored.T)
    np.testing.assert_array_equal(np.array(back)[:, 5:44], stored[:, 5:44])
    size = pairs[0].size
    block = slice(1, 1 + length)
    np.testing.assert_array_equal(first.reshape(6, BLOCK)[block, :size], stored[:, pairs[0]] - stored[:, pairs[1]])
    np.testing.assert_array_equal(second.reshape(6, BLOCK)[block, :size], stored[:, pairs[0]])


@pytest.mark.parametrize("length", [2, 4])
def test_rows_without_a_gap_are_written_and_read_together(length: int) -> None:
    columns = tuple(np.random.default_rng(length).normal(size=SPHERES) for _ in range(length))
    for choose in (compiled, lambda name: getattr(sphere_rows, name)):
        table, back = np.zeros(SPHERES * length), tuple(np.zeros(SPHERES) for _ in range(length))
        choose("fill_rows")(table, length, 0, columns, 0.0, (), 0, SPHERES)
        choose("rows_to_columns")(table, length, 0, back, 0, SPHERES)
        np.testing.assert_array_equal(table.reshape(SPHERES, length), np.array(columns).T)
        np.testing.assert_array_equal(back, columns)


@pytest.mark.parametrize(("length", "changing"), [(4, 2), (4, 1), (2, 2), (3, 3)])
def test_a_multiple_of_other_columns_is_added_to_the_last_columns_of_a_row(length: int, changing: int) -> None:
    generator = np.random.default_rng(7)
    columns, rates = (tuple(generator.normal(size=(n, SPHERES))) for n in (length, changing))
    expected = np.array(columns)
    expected[length - changing :] += -0.5 * np.array(rates)
    for fill in (compiled("fill_rows"), sphere_rows.fill_rows):
        table = np.zeros((SPHERES, 4))
        fill(table.reshape(-1), 4, 0, columns, -0.5, rates, 0, SPHERES)
        np.testing.assert_array_equal(table[:, :length], expected.T)


@pytest.mark.parametrize(("gravity", "spin"), [((0.5, -9.81), ()), ((0.5, -9.81), (0.0,)), ((0.5, 0.1, -9.81), ())])
def test_sums_begin_with_the_weight_and_no_torque(gravity: tuple[float, ...], spin: tuple[float, ...]) -> None:
    width = sum_width(len(gravity), len(spin) > 0)
    mass = np.random.default_rng(3).uniform(1.0, 2.0, SPHERES)
    for fill in (compiled("fill_gravity"), sphere_rows.fill_gravity):
        sums = np.full((SPHERES, width), 7.0)
        fill(sums.reshape(-1), width, mass, gravity, spin, 2, SPHERES - 3)
        own = sums[2:-3]
        np.testing.assert_array_equal(own[:, : len(gravity)], mass[2:-3, None] * np.array(gravity))
        assert not own[:, len(gravity) :].any()
        assert (sums[[0, 1, -3, -2, -1]] == 7.0).all()


def test_columns_of_a_block_are_copied_from_tables_and_back_and_large_numbers_are_noticed() -> None:
    generator = np.random.default_rng(5)
    size = 3 * LANES + 5
    numbers, marks = generator.normal(size=size), generator.integers(0, 2, size).astype(np.uint8)
    for choose in (compiled, lambda name: getattr(sphere_rows, name)):
        block, back, marked = np.zeros(4 * BLOCK), np.zeros(size), np.full(size, 9, np.uint8)
        choose("copy_to_block")(block, (2, 0), (numbers, marks), 3, size)
        columns = block.reshape(4, BLOCK)
        np.testing.assert_array_equal(columns[[0, 2], : size - 3], [marks[3:], numbers[3:]])
        assert not columns[:, size - 3 :].any()
        give_back, smaller = choose("return_listed"), np.ones(size, np.float32)
        most = float(numbers[3:].max())
        assert give_back((back, marked), (2, 2), block, 3, size, 2, smaller, 0.999 * most)
        assert not give_back((back, marked), (2, 2), block, 3, size, 2, smaller, 1.001 * most)
        smaller[3 + int(numbers[3:].argmax())] = 0.5
        assert give_back((back, marked), (2, 2), block, 3, size, 2, smaller, 1.001 * most)
        np.testing.assert_array_equal(back[3:], numbers[3:])
        np.testing.assert_array_equal(marked[3:], numbers[3:] > 0.0)
        assert not back[:3].any()
        assert (marked[:3] == 9).all()


@pytest.mark.parametrize(("dimension", "spin_length"), [(2, 0), (3, 0), (2, 1), (3, 3)])
def test_forces_and_torques_are_added_in_the_order_of_a_sorted_list(dimension: int, spin_length: int) -> None:
    generator = np.random.default_rng(dimension)
    i, j = np.triu_indices(12, 1)
    i, j = i.astype(np.uint32), j.astype(np.uint32)
    block = np.zeros((12, BLOCK))
    block[:, : i.size] = generator.normal(size=(12, i.size)) * 10.0 ** generator.integers(-8, 8, i.size)
    width = sum_width(dimension, spin_length > 0)
    force, torque_i, torque_j = (slice(c, c + n) for c, n in ((1, dimension), (5, spin_length), (8, spin_length)))
    half = slice(width // 2, width // 2 + spin_length)
    expected = np.zeros((12, width))
    for k in range(i.size):  # every sphere gets its forces in the order of the list
        expected[j[k], :dimension] -= block[force, k]
        expected[i[k], :dimension] += block[force, k]
        expected[j[k], half] += block[torque_j, k]
        expected[i[k], half] += block[torque_i, k]
    for add in (compiled("add_forces_of_pairs"), sphere_rows.add_forces_of_pairs):
        sums = np.zeros(12 * width)
        like, spin_like = (0.0,) * dimension, (0.0,) * spin_length
        add(sums, width, like, spin_like, i, j, block.reshape(-1), (1, 5, 8))
        np.testing.assert_array_equal(sums.reshape(12, width), expected)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("reach", [(), (0.0,)])
def test_pairs_within_reach_are_chosen_in_the_order_of_the_list(dimension: int, reach: tuple[float, ...]) -> None:
    generator = np.random.default_rng(dimension)
    table = generator.uniform(0.0, 1.0, SPHERES * row_width(dimension, True))
    size = 5 * LANES + 3
    periods: tuple[Any, ...] = (
        () if reach else ((0.75, *(0.0,) * (dimension - 1)), (4.0 / 3.0, *(0.0,) * (dimension - 1)))
    )
    i, j = generator.integers(0, SPHERES, (2, size)).astype(np.uint32)
    touching = generator.integers(0, 2, size).astype(np.uint8)
    answers = []
    for choose in (compiled("choose_near"), sphere_rows.choose_near):
        pairs = Candidates(i, j, touching.copy(), np.full(size, 2.0))
        chosen = np.zeros((3, BLOCK), np.uint32)
        radius_sum = np.full(size, 0.5)
        count = choose(chosen, 4, (pairs, radius_sum, periods), table, (0.0,) * dimension, reach, 0.1, (2, size - 1))
        answers.append((chosen[:, :count], pairs.touching, pairs.normal_force))
    for here, there in zip(*answers, strict=True):
        np.testing.assert_array_equal(here, there)
    chosen, marked, normal_force = answers[0]
    position = table.reshape(SPHERES, -1)[:, :dimension]
    branch = position[i] - position[j]
    if periods:  # periodic in x
        branch[:, 0] -= 0.75 * np.round(branch[:, 0] / 0.75)
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
