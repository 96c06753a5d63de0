"""The angle of a heap's flank in space, on heaps whose flank is known."""

from __future__ import annotations

from math import degrees, radians, tan

import numpy as np
import pytest
from repose.sim.measure.flank_angle import FlankAngle, measure_flank

RADIUS = 1e-3


def heap(angle: float, top: float = 0.0, high: float = 0.06, seed: int = 1, count: int = 4000) -> FlankAngle | None:
    """Spheres at random in a heap with this flank [rad], this radius of its flat top and this height [m]."""
    generator = np.random.default_rng(seed)
    place = generator.uniform(-1.0, 1.0, (20 * count, 3)) * [1.0, 1.0, 0.5] + [0.0, 0.0, 0.5]
    place *= [top + high / tan(angle), top + high / tan(angle), high]
    inside = np.hypot(place[:, 0], place[:, 1]) < top + (high - place[:, 2]) / tan(angle)
    position = place[inside][:count]
    return measure_flank(position, np.full(len(position), RADIUS), np.arange(len(position)))


@pytest.mark.parametrize("top", [0.0, 0.04])
@pytest.mark.parametrize("angle", [30.0, 60.0, 85.0])
def test_flank_of_a_cone_is_found_with_and_without_its_tip(angle: float, top: float) -> None:
    found = heap(radians(angle), top)
    assert found is not None
    assert degrees(found.angle) == pytest.approx(angle, abs=2.0)
    assert degrees(found.standard_error) < 3.0
    # The line lies on the flank.
    distance = np.array(found.fitted).mean()
    at_flank = 0.06 - (distance - top) * tan(radians(angle))
    assert found.intercept - tan(found.angle) * distance == pytest.approx(at_flank, abs=3e-3)


def test_column_counts_as_almost_vertical() -> None:
    found = heap(radians(89.999), top=0.03)
    assert found is not None
    assert degrees(found.angle) > 86.0
    assert found.distance == pytest.approx(0.03, rel=0.05)
    assert np.isfinite([found.intercept, *found.fitted]).all()


def test_error_is_the_scatter_of_repeated_heaps() -> None:
    found = [heap(radians(60.0), 0.04, seed=seed, count=1000) for seed in range(20)]
    angles = np.array([entry.angle for entry in found if entry])
    errors = np.array([entry.standard_error for entry in found if entry])
    assert len(angles) == 20
    assert 0.4 < np.std(angles, ddof=1) / errors.mean() < 2.5


def test_a_flat_layer_or_a_few_grains_have_no_flank() -> None:
    flat = np.column_stack([np.random.default_rng(2).uniform(-0.05, 0.05, (500, 2)), np.full(500, RADIUS)])
    assert measure_flank(flat, np.full(500, RADIUS), np.arange(500)) is None
    assert measure_flank(flat[:10], np.full(10, RADIUS), np.arange(10)) is None
    assert measure_flank(flat[:0], np.zeros(0), np.arange(0)) is None
