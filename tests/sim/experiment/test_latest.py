"""A value is computed again when it is due or when what it was computed of is another, and otherwise not."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from repose.sim.experiment import latest
from repose.sim.experiment.latest import Latest


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The wall time [s], in a list."""
    now = [100.0]
    monkeypatch.setattr(latest.time, "perf_counter", lambda: now[0])
    return now


def test_objects_are_compared_by_identity_and_plain_values_by_value() -> None:
    made, of, numbers = count(), Latest(), np.zeros(3)
    key = (numbers, "heap", 3, ("a", 1.5))
    assert of.get(key, lambda: next(made)) == 0
    assert of.get((numbers, "".join(["he", "ap"]), 3, ("a", float("1.5"))), lambda: next(made)) == 0
    assert of.get((np.zeros(3), *key[1:]), lambda: next(made)) == 1
    assert of.get((*key[:2], 4, key[3]), lambda: next(made)) == 2
    assert of.get(key[:2], lambda: next(made)) == 3


def test_a_value_can_be_none() -> None:
    made, of = [None, "later"], Latest()
    assert of.get((1,), lambda: made.pop(0)) is None
    assert of.get((1,), lambda: made.pop(0)) is None


def test_a_value_is_due_again_after_a_time_that_depends_on_what_it_cost(clock: list[float]) -> None:
    made, of = count(), Latest()

    def make() -> int:
        clock[0] += 2.0
        return next(made)

    values = []
    for _ in range(9):
        values.append(of.get((), make, lambda cost: 3.0 * cost))
        clock[0] += 2.0
    # Made from 100 to 102, due again at 108; made from 108 to 110, due again at 116.
    assert values == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_without_a_time_a_value_is_never_due_again(clock: list[float]) -> None:
    made, of = count(), Latest()
    assert of.get((), lambda: next(made)) == 0
    clock[0] += 1e9
    assert of.get((), lambda: next(made)) == 0
    assert of.get((), lambda: next(made), lambda cost: 0.0) == 0, "until the next computation the former time counts"
