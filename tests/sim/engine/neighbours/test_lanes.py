"""Eight at once: compiled code finds what plain Python finds."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.neighbours.lanes import count_less, write_near
from repose.sim.engine.workspace import LANES


class Slots(NamedTuple):
    place: NDArray[np.float64]
    order: NDArray[np.uint32]


@numba.njit(**OPTIONS)
def write_compiled(rows, found, search, slots, here, reach, i):
    return write_near(rows, found, search, slots, here, reach, i)


@numba.njit(**OPTIONS)
def count_compiled(table, first, number, limit):
    return count_less(table, first, number, limit)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_same_candidates_are_written_in_the_same_order(dimension: int) -> None:
    generator = np.random.default_rng(dimension)
    written = 0
    for _ in range(200):
        slots = int(generator.integers(1, 30))
        search = Slots(generator.uniform(0.0, 1.0, (dimension + 1, slots + LANES)), np.zeros(slots + LANES, np.uint32))
        search.place[-1] *= 0.3
        search.order[:slots] = generator.permutation(slots)
        first = int(generator.integers(0, slots))
        end = int(generator.integers(first, slots + 1))
        here = tuple(generator.uniform(0.0, 1.0, dimension).tolist())
        answers = []
        for write in (write_near, write_compiled):
            rows = np.zeros(40, np.uint32)
            found = write(rows, 5, search, (first, end), here, 0.5, slots // 3)
            answers.append((found, rows[5:found].tolist(), rows[:5].tolist()))
        assert answers[0] == answers[1]
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
