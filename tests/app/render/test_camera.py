"""The camera: pixels and metres are inverse, drags and zooms keep the point under the pointer."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.camera import COARSEST, FINEST, Camera2D

SIZE = (800, 600)


def test_pixels_and_metres_are_inverse() -> None:
    camera = Camera2D((0.3, -0.2), 2e-4)
    points = np.random.default_rng(1).normal(size=(50, 2))
    assert np.allclose(camera.pixel_to_world(camera.world_to_pixel(points, SIZE), SIZE), points, atol=1e-12)


def test_world_y_points_up_on_the_screen() -> None:
    camera = Camera2D((0.0, 0.0), 0.01)
    assert camera.world_to_pixel((1.0, 1.0), SIZE).tolist() == [500.0, 200.0]


def test_a_drag_moves_the_point_under_the_pointer_with_it() -> None:
    camera = Camera2D((0.1, 0.2), 1e-3)
    grabbed = camera.pixel_to_world((300, 200), SIZE)
    camera.pan(25, -40)
    assert np.allclose(camera.world_to_pixel(grabbed, SIZE), (325, 160))


@pytest.mark.parametrize("factor", [0.5, 1.25, 8.0])
def test_zoom_leaves_the_point_under_the_cursor_in_place(factor: float) -> None:
    camera = Camera2D((0.1, 0.2), 1e-3)
    under = camera.pixel_to_world((700, 50), SIZE)
    camera.zoom(factor, (700, 50), SIZE)
    assert camera.metres_per_pixel == pytest.approx(1e-3 / factor)
    assert np.allclose(camera.world_to_pixel(under, SIZE), (700, 50))


def test_zoom_stops_at_its_limits_without_drifting() -> None:
    camera = Camera2D((0.0, 0.0), 1e-3)
    under = camera.pixel_to_world((10, 10), SIZE)
    for _ in range(200):
        camera.zoom(2.0, (10, 10), SIZE)
    assert camera.metres_per_pixel == FINEST
    assert np.allclose(camera.pixel_to_world((10, 10), SIZE), under)
    for _ in range(200):
        camera.zoom(0.5, (10, 10), SIZE)
    assert camera.metres_per_pixel == COARSEST


@pytest.mark.parametrize("inset", [(0, 0, 0, 0), (300, 40, 100, 60)])
@pytest.mark.parametrize("box", [((0, 0), (1, 0.1)), ((-3, -1), (-2, 5))])
def test_framing_puts_the_box_into_the_uncovered_part(inset: tuple, box: tuple) -> None:
    camera = Camera2D()
    camera.frame(box, SIZE, inset)
    (left, bottom), (right, top) = camera.world_to_pixel(box, SIZE)
    assert left >= inset[0]
    assert right <= SIZE[0] - inset[2]
    assert top >= inset[1]
    assert bottom <= SIZE[1] - inset[3]
    assert (left + right) / 2 == pytest.approx(inset[0] + (SIZE[0] - inset[0] - inset[2]) / 2)


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (1, 5000)])
def test_framing_works_in_windows_without_room(size: tuple[int, int]) -> None:
    camera = Camera2D()
    camera.frame(((0, 0), (1, 1)), size, (200, 0, 200, 0))
    assert np.isfinite(camera.centre).all()
    assert camera.metres_per_pixel > 0.0


def test_framing_works_for_a_box_without_extent() -> None:
    camera = Camera2D()
    camera.frame(((2.0, 3.0), (2.0, 3.0)), SIZE)
    assert camera.centre == (2.0, 3.0)
    assert camera.metres_per_pixel == FINEST
