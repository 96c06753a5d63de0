"""Eight at once: compiled code finds what plain Python finds."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.neighbours.candidate_lanes import (
    copy_few,
    count_less,
    repeat_few,
    sort_few,
    write_listed,
    write_near,
)
from repose.sim.engine.neighbours.pair_list import Around
from repose.sim.engine.workspace import LANES


class Slots(NamedTuple):
    position: NDArray[np.float64]
    order: NDArray[np.uint32]


@numba.njit(**OPTIONS)
def write_compiled(rows, filled, search, slots, around):
    return write_near(rows, filled, search, slots, around)


@numba.njit(**OPTIONS)
def listed_compiled(rows, filled, listed, columns, entries, around):
    return write_listed(rows, filled, listed, columns, entries, around)


@numba.njit(**OPTIONS)
def count_compiled(table, first, number, limit):
    return count_less(table, first, number, limit)


@numba.njit(**OPTIONS)
def sort_compiled(rows, first, number, ordered, to):
    return sort_few(rows, first, number, ordered, to)


@numba.njit(**OPTIONS)
def copy_compiled(pairs, pair_buffer, like, old, number, first, last):
    copy_few(pairs, pair_buffer, like, old, number, first, last)


@numba.njit(**OPTIONS)
def repeat_compiled(table, first, last, number):
    repeat_few(table, first, last, number)


class History(NamedTuple):
    """The columns of a pair list and of its buffer that a rebuild copies."""

    j: NDArray[np.uint32]
    touching: NDArray[np.uint8]
    shear_spring: NDArray[np.float64]


@pytest.mark.parametrize("dimension", [2, 3])
def test_near_spheres_of_a_list_are_written_in_their_order(dimension: int) -> None:
    generator = np.random.default_rng(dimension)
    for _ in range(100):
        number = int(generator.integers(1, 30))
        listed = np.sort(generator.choice(1000, 40, replace=False)).astype(np.uint32)
        columns = generator.uniform(0.0, 1.0, (dimension + 1, 40))
        here = tuple(generator.uniform(0.0, 1.0, dimension).tolist())
        first = int(generator.integers(0, number))
        answers = []
        for write in (write_listed, listed_compiled):
            rows = np.zeros(40, np.uint32)
            filled = write(rows, 5, listed, columns.reshape(-1), (first, number), Around(0, here, 0.1))
            answers.append((filled, rows[5:filled].tolist(), rows[:5].tolist()))
        few = np.arange(first, min(number, first + LANES))
        distance = np.sqrt(((columns[:-1, few].T - here) ** 2).sum(axis=1))
        near = listed[few][distance <= 0.1 + columns[-1, few]].tolist()
        assert answers == [(5 + len(near), near, [0] * 5)] * 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_near_candidates_are_written_in_their_order(dimension: int) -> None:
    generator = np.random.default_rng(dimension)
    written = 0
    for _ in range(200):
        slots = int(generator.integers(1, 30))
        search = Slots(generator.uniform(0.0, 1.0, (dimension + 1, slots + LANES)), np.zeros(slots + LANES, np.uint32))
        search.position[-1] *= 0.3
        search.order[:slots] = generator.permutation(slots)
        first = int(generator.integers(0, slots))
        end = int(generator.integers(first, slots + 1))
        here = tuple(generator.uniform(0.0, 1.0, dimension).tolist())
        answers = []
        for write in (write_near, write_compiled):
            rows = np.zeros(40, np.uint32)
            filled = write(rows, 5, search, (first, end), Around(slots // 3, here, 0.5))
            answers.append((filled, rows[5:filled].tolist(), rows[:5].tolist()))
        assert answers[0] == answers[1]
        few = np.arange(first, min(end, first + LANES))
        distance = np.sqrt(((search.position[:-1, few].T - here) ** 2).sum(axis=1))
        near = (distance <= 0.5 + search.position[-1, few]) & (search.order[few] > slots // 3)
        assert answers[0][1] == search.order[few[near]].tolist()
        written += answers[0][0] - 5
    assert written > 100


def test_so_many_entries_are_less_also_at_the_end_of_the_table() -> None:
    generator = np.random.default_rng(1)
    for _ in range(300):
        table = generator.integers(0, 2**32, int(generator.integers(LANES, 40)), np.uint32)
        first = int(generator.integers(0, table.size + 1))
        number = int(generator.integers(0, min(LANES, table.size - first) + 1))
        limit = int(table[generator.integers(0, table.size)])
        less = int((table[first : first + number] < limit).sum())
        assert count_less(table, first, number, limit) == less
        assert count_compiled(table, first, number, limit) == less


def test_every_order_of_zeros_and_ones_is_sorted() -> None:
    # A network of comparisons that sorts every sequence of zeros and ones sorts every sequence (Knuth, vol. 3, 5.3.4).
    for bits in range(2**LANES):
        rows = np.array([bits >> k & 1 for k in range(LANES)], np.uint32)
        ordered = np.zeros(LANES, np.uint32)
        sort_compiled(rows, 0, LANES, ordered, 0)
        assert list(ordered) == sorted(rows)


def test_up_to_eight_rows_are_sorted_and_equal_ones_are_noticed() -> None:
    generator = np.random.default_rng(4)
    equal = 0
    for _ in range(500):
        number = int(generator.integers(0, LANES + 1))
        rows = generator.integers(0, 2**32 - 2, 3 + 2 * LANES).astype(np.uint32)
        if number > 1 and generator.uniform() < 0.3:
            a, b = generator.choice(number, 2, replace=False)
            rows[3 + a] = rows[3 + b]
        expected = np.sort(rows[3 : 3 + number])
        for sort in (sort_few, sort_compiled):
            ordered = np.zeros(5 + LANES, np.uint32)
            different = sort(rows, 3, number, ordered, 5)
            np.testing.assert_array_equal(ordered[5 : 5 + number], expected)
            assert not ordered[:5].any()
            assert different == (np.unique(expected).size == number)
        equal += not different
    assert equal > 50


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs_that_touched_keep_their_history_and_new_ones_have_none(dimension: int) -> None:
    generator = np.random.default_rng(dimension)
    carried = 0
    for _ in range(300):
        old, new = (np.sort(generator.choice(12, generator.integers(0, LANES + 1), replace=False)) for _ in range(2))
        room = 2 * LANES
        before = History(np.zeros(room, np.uint32), np.ones(room, np.uint8), generator.normal(size=(dimension, room)))
        before.j[3 : 3 + old.size] = old
        before.touching[3 : 3 + old.size] = generator.integers(0, 2, old.size)
        answers = []
        for copy in (copy_few, copy_compiled):
            now = History(np.zeros(room, np.uint32), np.full(room, 7, np.uint8), np.full((dimension, room), 7.0))
            now.j[5 : 5 + new.size] = new
            copy(before, now, (0.0,) * dimension, 3, old.size, 5, 5 + new.size)
            assert (now.touching[:5] == 7).all()
            answers.append((now.touching[5 : 5 + new.size], now.shear_spring[:, 5 : 5 + new.size]))
        for here, there in zip(*answers, strict=True):
            np.testing.assert_array_equal(here, there)
        for k, j in enumerate(new):
            (same,) = np.nonzero(old == j)
            touched = same.size > 0 and before.touching[3 + same[0]] > 0
            assert answers[0][0][k] == touched
            kept = before.shear_spring[:, 3 + same[0]] if touched else np.zeros(dimension)
            np.testing.assert_array_equal(answers[0][1][:, k], kept)
            carried += touched
    assert carried > 150


def test_a_row_is_repeated_from_an_entry_on() -> None:
    for repeat in (repeat_few, repeat_compiled):
        table = np.zeros(20, np.uint32)
        repeat(table, 4, 9, 77)
        assert (table[4:9] == 77).all()
        assert not table[:4].any()
        assert not table[4 + LANES :].any()
