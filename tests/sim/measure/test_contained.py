"""Facets vertically below a point, for shapes of known inside."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.measure import contained
from repose.sim.measure.contained import facets_beneath
from repose.sim.scenes.vessel.shape import turned


@pytest.mark.parametrize("block", [1 << 22, 100])
def test_number_of_facets_below_a_point_of_a_sphere_mesh(monkeypatch, block: int) -> None:
    monkeypatch.setattr(contained, "BLOCK", block)
    slope = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 15)
    ball = turned(np.column_stack([np.cos(slope).round(12), np.sin(slope)]))
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (400, 3))
    distance, aside = np.linalg.norm(points, axis=1), np.hypot(points[:, 0], points[:, 1])
    # Between the circle and the polygon it is cut into nothing is said.
    clear = (np.abs(distance - 1.0) > 0.04) & (np.abs(aside - 1.0) > 0.04)
    expected = np.where(distance < 1.0, 1, np.where((aside < 1.0) & (points[:, 2] > 0.0), 2, 0))
    found = facets_beneath(ball, points)
    assert (found[clear] == expected[clear]).all()
    assert len(np.unique(expected[clear])) == 3


def test_no_facet_is_below_where_there_are_no_facets_or_points() -> None:
    assert facets_beneath(np.empty((0, 3, 3)), np.ones((2, 3))).tolist() == [0, 0]
    assert facets_beneath(np.ones((2, 3, 3)), np.empty((0, 3))).tolist() == []
