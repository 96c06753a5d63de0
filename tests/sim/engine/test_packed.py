"""Numbers handed over by address: compiled code reads what was given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from repose.sim.engine.jit import OPTIONS
from repose.sim.engine.packed import coefficients_at, likeness, packed, while_same


class Given(NamedTuple):
    table: Any
    stiffness: float
    sphere: int
    place: tuple


GIVEN = Given(np.arange(6.0).reshape(2, 3), 2.5, -(2**60), (-1.0, 1e-300))
LIKE = likeness(GIVEN)
GRAVITY = (0.0, 0.0, -9.81)


@numba.njit(**OPTIONS)
def read(numbers, gravity, nothing):
    """Every number, as read."""
    given = coefficients_at(numbers, LIKE)
    down = coefficients_at(gravity, (0.0, 0.0, 0.0))
    table = given.table
    shape = table.shape[0], table.shape[1], table[1, 2], table[0, 1]
    return shape, given.stiffness, given.sphere, given.place, down, len(coefficients_at(nothing, ()))


def test_compiled_code_reads_tables_tuples_and_whole_numbers_at_their_addresses() -> None:
    memory, addresses = packed(GIVEN, GRAVITY, ())
    assert read(*addresses) == ((2, 3, 5.0, 1.0), 2.5, -(2**60), (-1.0, 1e-300), GRAVITY, 0)
    assert memory.size >= 3


def test_a_table_is_not_copied() -> None:
    memory, addresses = packed(GIVEN, GRAVITY, ())
    GIVEN.table[1, 2] = 7.0
    try:
        assert read(*addresses)[0] == (2, 3, 7.0, 1.0)
    finally:
        GIVEN.table[1, 2] = 5.0
    assert memory.size >= 3


def test_likeness_tells_types_but_no_values() -> None:
    assert Given((None, None), 0.0, 0, (0.0, 0.0)) == LIKE
    assert type(LIKE) is Given
    assert [type(x) for x in (LIKE.stiffness, LIKE.sphere)] == [float, int]
    assert hash(LIKE) == hash(likeness(GIVEN._replace(stiffness=3.0, sphere=4)))


@pytest.mark.parametrize("table", [np.zeros((2, 3), np.float32), np.zeros((3, 2)).T])
def test_a_table_that_compiled_code_would_misread_is_refused(table: np.ndarray) -> None:
    with pytest.raises(TypeError, match="float64 in C order"):
        likeness((table,))


def test_equal_numbers_in_another_object_are_packed_again() -> None:
    asked: list[tuple[Any, ...]] = []
    made = while_same(lambda *given: asked.append(given) or len(asked))
    first, equal = ((1.0, 2.0), (0.0,)), ((1.0, 2.0), (float("0"),))
    assert [made(*first), made(*first), made(*equal), made(*equal), made(*first)] == [1, 1, 2, 2, 3]
