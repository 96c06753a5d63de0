"""Clumps of a body with thin parts are in one piece."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.clumps import fitted
from repose.sim.clumps.body import body_of_shape
from repose.sim.clumps.connected import joined, pieces_of
from repose.sim.clumps.making import examined, rows
from repose.sim.clumps.quality import overlap_volumes


def test_pieces_are_spheres_that_touch_directly_or_through_others() -> None:
    centre = np.array([(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (3.0, 0.0, 0.0), (5.5, 0.0, 0.0)])
    assert pieces_of(centre, np.ones(4)).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("members", [14, 20])
def test_a_vertebra_has_no_sphere_that_floats_beside_it(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    body = body_of_shape("vertebra", 32, 0.01)
    whole = fitted.fitted_clump(body, members)
    monkeypatch.setattr(fitted, "joined", lambda body, centre, radius, alone: (centre, radius))
    apart = fitted.fitted_clump(body, members)
    assert pieces_of(apart.centre, apart.radius).any()
    assert not pieces_of(whole.centre, whole.radius).any()
    assert len(whole.radius) == members

    def overlap(clump: fitted.Clump) -> float:
        common, of_clump, of_body = overlap_volumes(body, clump)
        return common / (of_clump + of_body - common)

    assert overlap(whole) > overlap(apart) - 0.01


def test_a_few_spheres_for_four_arms_stay_where_they_overlap_most_and_the_table_says_so() -> None:
    body = body_of_shape("caltrop", 24, 0.01)
    clump = fitted.fitted_clump(body, 5)
    assert len(clump.radius) == 5
    same = joined(body, clump.centre, clump.radius, np.ones(5))
    assert all((a == b).all() for a, b in zip(same, (clump.centre, clump.radius), strict=True))
    made = examined(body, clump)
    assert made.pieces > 1
    assert any(row.name == "pieces" and row.value == str(made.pieces) for row in rows(made, 2500.0))
