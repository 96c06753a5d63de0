"""The angle of a heap in space, on cones whose slope is known."""

from __future__ import annotations

from math import degrees, radians, tan

import numpy as np
import pytest
from repose.sim.measure.angle_of_repose_3d import ConeAngle, measure_cone

RADIUS = 1e-3


def cone(slope: float, axis: tuple[float, float] = (0.0, 0.0), noise: float = 0.0, seed: int = 1) -> ConeAngle | None:
    """Spheres on a square lattice with their tops on a cone 60 mm wide, and as many buried below them."""
    generator = np.random.default_rng(seed)
    side = np.arange(-0.06, 0.06, 1.9 * RADIUS)
    x, y = (grid.ravel() for grid in np.meshgrid(side, side))
    height = 0.06 * tan(slope) - tan(slope) * np.hypot(x - axis[0], y - axis[1]) - RADIUS
    height += noise * generator.normal(size=height.size)
    surface = np.column_stack([x, y, height])[height > 0.0]
    buried = surface * [1.0, 1.0, 0.4]
    position = np.concatenate([buried, surface])
    return measure_cone(position, np.full(len(position), RADIUS), np.arange(len(position)))


@pytest.mark.parametrize("angle", [12.0, 25.0, 38.0])
def test_slope_of_a_cone_is_found_both_ways(angle: float) -> None:
    found = cone(radians(angle))
    assert found is not None
    # The highest grain of a cell is not in its middle: less than a tenth of a degree.
    assert degrees(found.angle) == pytest.approx(angle, abs=0.3)
    assert degrees(found.cone_angle) == pytest.approx(angle, abs=0.1)
    assert degrees(found.standard_error) < 0.5
    assert degrees(found.cone_error) < 0.1
    assert found.height[0] == pytest.approx(0.06 * tan(radians(angle)), abs=2.0 * RADIUS)


def test_only_grains_of_the_surface_are_used() -> None:
    found = cone(radians(30.0))
    assert found is not None
    assert found.used_ids.min() >= found.grains_left // 2


def test_the_cone_fit_does_not_mind_a_shifted_axis() -> None:
    found = cone(radians(30.0), axis=(0.006, -0.004))
    assert found is not None
    assert degrees(found.cone_angle) == pytest.approx(30.0, abs=0.2)
    assert found.angle < found.cone_angle


def test_the_error_is_the_scatter_of_repeated_heaps() -> None:
    found = [cone(radians(25.0), noise=0.5 * RADIUS, seed=seed) for seed in range(20)]
    angles = np.array([entry.angle for entry in found if entry])
    errors = np.array([entry.standard_error for entry in found if entry])
    assert 0.4 < np.std(angles, ddof=1) / errors.mean() < 2.5


def test_a_flat_layer_or_a_few_grains_have_no_angle() -> None:
    generator = np.random.default_rng(2)
    flat = np.column_stack([generator.uniform(-0.05, 0.05, (500, 2)), np.full(500, RADIUS)])
    assert measure_cone(flat, np.full(500, RADIUS), np.arange(500)) is None
    assert measure_cone(flat[:10], np.full(10, RADIUS), np.arange(10)) is None


def test_a_single_layer_around_a_heap_of_clumps_belongs_to_its_foot() -> None:
    # Members of 1 mm radius make grains of 4 mm diameter: the grid is finer than a grain, the layer as high as one.
    diameter, slope = 4.0 * RADIUS, radians(25.0)
    side = np.arange(-0.1, 0.1, 1.2 * RADIUS)
    x, y = (grid.ravel() for grid in np.meshgrid(side, side))
    away = np.hypot(x, y)
    top = np.maximum(0.03 - tan(slope) * away, diameter)
    position = np.column_stack([x, y, top - RADIUS])[away < 0.1]
    found = measure_cone(position, np.full(len(position), RADIUS), np.arange(len(position)), diameter, fineness=2)
    assert found is not None
    assert degrees(found.angle) == pytest.approx(25.0, abs=0.3)
    layer = position[:, 2] < diameter
    assert measure_cone(position[layer], np.full(layer.sum(), RADIUS), np.arange(layer.sum()), diameter, 2) is None
