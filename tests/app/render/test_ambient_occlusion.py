"""Light on a packing: full light without obstacles, dark inside the packing."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.ambient_occlusion import LAMP, measure_ambient_occlusion

from tests.app.fake_space import RADIUS, fake_cone

BOX = ((-1.0, -1.0, 0.0), (1.0, 1.0, 2.0))


def light_of(*spheres: tuple[float, float, float, float]):
    rows = np.array(spheres, np.float32).reshape(-1, 4)
    return measure_ambient_occlusion(rows[:, :3], rows[:, 3], BOX)


def test_the_direction_to_the_lamp_points_up_and_has_unit_length() -> None:
    assert np.linalg.norm(LAMP) == pytest.approx(1.0, abs=5e-3)
    assert LAMP[2] > 0.7


def test_a_single_sphere_is_not_darkened() -> None:
    day = light_of((0.0, 0.0, 1.0, 0.1))
    assert day.lamp[0] > 0.9
    assert day.sky[0] > 0.9
    assert day.crowding[0] < 0.2


def test_grains_inside_the_heap_are_dark_and_those_on_top_are_not() -> None:
    heap = fake_cone(3000, funnel=False)
    day = measure_ambient_occlusion(heap.grains.position, heap.grains.radius, heap.geometry.box)
    across = np.hypot(heap.grains.position[:, 0], heap.grains.position[:, 1])
    deep = (across < 6 * RADIUS) & (heap.grains.position[:, 2] < 3 * RADIUS)
    rim = across > 0.9 * across.max()
    assert day.sky[deep].mean() < 0.15
    assert day.crowding[deep].mean() > 0.8
    assert day.sky[rim].mean() > 0.6
    assert day.crowding[rim].mean() < day.crowding[deep].mean()


def test_outward_points_away_from_the_heap() -> None:
    heap = fake_cone(3000, funnel=False)
    day = measure_ambient_occlusion(heap.grains.position, heap.grains.radius, heap.geometry.box)
    across = np.hypot(heap.grains.position[:, 0], heap.grains.position[:, 1])
    slope = (across > 0.4 * across.max()) & (day.sky > 0.8)
    radial = heap.grains.position[slope, :2] / across[slope, None]
    assert (day.outward[slope, 2] > 0.0).mean() > 0.95
    assert ((day.outward[slope, :2] * radial).sum(axis=1) > 0.0).mean() > 0.9
    assert np.linalg.norm(day.outward, axis=1).max() <= 1.0 + 1e-5


def test_the_shadow_on_the_ground_lies_away_from_the_lamp() -> None:
    stack = [(0.0, 0.0, 0.1 + 0.2 * k, 0.1) for k in range(6)]
    day = light_of(*stack)
    x, y = (start + day.cell * np.arange(n) for start, n in zip(day.origin, day.ground.shape))
    dark = 1.0 - day.ground[..., 0]
    middle = np.array((dark.sum(axis=1) @ x, dark.sum(axis=0) @ y)) / dark.sum()
    assert middle @ LAMP[:2] < 0.0
    assert day.ground.min() >= 0.0
    assert day.ground.max() <= 1.0 + 1e-6


def test_spheres_outside_the_box_and_empty_worlds_are_handled() -> None:
    far = light_of((0.0, 0.0, 0.5, 0.1), (1e6, -1e6, 1e6, 0.1), (0.0, 0.0, -50.0, 0.1))
    assert np.isfinite(far.lamp).all()
    assert np.isfinite(far.ground).all()
    nothing = light_of()
    assert nothing.lamp.shape == (0,)
    assert nothing.ground.min() == 1.0
