"""Profiles of heaps in the plane: the highest points in strips, and the outline that a picture shows."""

from __future__ import annotations

import numpy as np
import pytest
from repose.sim.measure.profile import outline, surface_profile

POSITION, RADIUS = np.array([(0.0, 1.0), (2.0, 1.0), (1.0, 2.5)]), np.array([1.0, 1.0, 0.5])


def test_the_outline_is_the_upper_envelope_of_the_discs_above_their_lowest_point() -> None:
    found = outline(POSITION + np.array((0.0, 7.0)), RADIUS, (-2.0, 4.0))
    x, height = np.array(found["x"]), np.array(found["height"])
    assert x[[0, -1]].tolist() == [-2.0, 4.0]
    assert (height[(x < -1.0) | (x > 3.0)] == 0.0).all()
    alone = (x > -1.0) & (x < 0.5)
    assert height[alone] == pytest.approx(1.0 + np.sqrt(1.0 - x[alone] ** 2))
    above = np.abs(x - 1.0) < 0.5
    assert height[above] == pytest.approx(2.5 + np.sqrt(0.25 - (x[above] - 1.0) ** 2))


def test_the_outline_without_grains_is_flat() -> None:
    assert set(outline(np.empty((0, 2)), np.empty(0), (0.0, 1.0))["height"]) == {0.0}


def test_strips_have_the_highest_point_of_the_grains_whose_centre_they_contain() -> None:
    assert surface_profile(POSITION, RADIUS, (-0.5, 2.5), 1.0).tolist() == [2.0, 3.0, 2.0]
    assert surface_profile(POSITION, RADIUS, (5.0, 6.0), 1.0).tolist() == [0.0]
