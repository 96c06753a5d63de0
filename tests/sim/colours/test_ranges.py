"""Ranges of colours end at round numbers that the values nearly reach."""

from __future__ import annotations

from typing import cast

import pytest
from repose.sim.colours.ranges import to_round
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.scales import nice_ticks

ANY = cast(Snapshot, None)


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (1.0, 1.0),
        (1.01, 1.5),
        (1.4, 1.5),
        (2.5e-3, 3e-3),
        (0.35, 0.4),
        (0.41, 0.6),
        (6.5e7, 8e7),
        (9.0, 10.0),
        (0.1, 0.1),
    ],
)
def test_a_range_ends_at_the_next_round_number(wanted: float, shown: float) -> None:
    assert to_round((0.0, wanted), ANY) == pytest.approx((0.0, shown))


@pytest.mark.parametrize("k", range(200))
def test_values_reach_two_thirds_of_the_range_and_its_end_has_a_tick(k: int) -> None:
    wanted = 1e-4 * 10.0 ** (0.05 * k)
    _, high = to_round((0.0, wanted), ANY)
    assert 2.0 / 3.0 - 1e-9 <= wanted / high <= 1.0 + 1e-9
    assert nice_ticks(0.0, high)[-1] == pytest.approx(high)
