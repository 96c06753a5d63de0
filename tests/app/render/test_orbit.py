"""The camera in space: round trips, drags, framing."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from repose.app.render.orbit import FARTHEST, NEAREST, VIEWS, Camera3D

SIZE = (1000, 600)
BOX = ((-0.05, -0.03, 0.0), (0.05, 0.03, 0.08))


def tilted() -> Camera3D:
    return Camera3D((0.01, -0.02, 0.03), 0.4, 0.7, 0.4, offset=(40.0, -25.0))


def test_the_axes_are_orthonormal_and_right_handed_for_every_view() -> None:
    for azimuth, elevation in (*VIEWS.values(), (2.0, -1.2)):
        axes = Camera3D(azimuth=azimuth, elevation=elevation).axes()
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(axes) == pytest.approx(1.0)


def test_matrices_and_formula_put_points_on_the_same_pixels() -> None:
    camera = tilted()
    points = np.random.default_rng(1).uniform(-0.05, 0.05, (50, 3))
    clip = np.column_stack((points, np.ones(50))) @ (camera.projection_matrix(SIZE) @ camera.view_matrix()).T
    ndc = clip[:, :3] / clip[:, 3:]
    pixels = (ndc[:, :2] * (0.5, -0.5) + 0.5) * SIZE
    assert pixels == pytest.approx(camera.world_to_pixel(points, SIZE))
    assert ndc[:, 2] * 0.5 + 0.5 == pytest.approx(1.0 - camera.near / camera.depth(points))


def test_the_ray_through_the_pixel_of_a_point_meets_it() -> None:
    camera = tilted()
    for point in np.random.default_rng(2).uniform(-0.05, 0.05, (20, 3)):
        eye, direction = camera.ray(camera.world_to_pixel(point, SIZE), SIZE)
        assert np.cross(point - eye, direction) == pytest.approx(np.zeros(3), abs=1e-12)
        assert (point - eye) @ direction > 0.0


def test_pixels_and_the_plane_through_the_target_are_inverse() -> None:
    camera = tilted()
    for pixel in ((0.0, 0.0), (999.0, 20.0), (500.0, 300.0)):
        assert camera.world_to_pixel(camera.pixel_to_world(pixel, SIZE), SIZE) == pytest.approx(pixel)


def test_points_behind_the_camera_have_no_pixel() -> None:
    camera = tilted()
    assert np.isnan(camera.world_to_pixel(camera.eye() + 0.1 * camera.axes()[2], SIZE)).all()


def test_the_target_is_in_the_middle_of_the_free_part() -> None:
    assert tilted().world_to_pixel(tilted().target, SIZE) == pytest.approx((540.0, 275.0))


def test_metres_per_pixel_hold_at_the_depth_of_the_target() -> None:
    camera = tilted()
    beside = np.asarray(camera.target) + 0.01 * camera.axes()[0]
    across = camera.world_to_pixel(beside, SIZE)[0] - camera.world_to_pixel(camera.target, SIZE)[0]
    assert 0.01 / camera.resolution(SIZE) == pytest.approx(across)


@pytest.mark.parametrize(
    ("name", "right", "up"),
    [("front", (1, 0, 0), (0, 0, 1)), ("side", (0, 1, 0), (0, 0, 1)), ("top", (1, 0, 0), (0, 1, 0))],
)
def test_named_views_look_along_the_axes(name: str, right: tuple, up: tuple) -> None:
    azimuth, elevation = VIEWS[name]
    axes = Camera3D(azimuth=azimuth, elevation=elevation).axes()
    assert axes[0] == pytest.approx(np.array(right, float), abs=1e-12)
    assert axes[1] == pytest.approx(np.array(up, float), abs=1e-12)


def test_a_drag_over_the_window_turns_half_round_and_stops_at_the_pole() -> None:
    camera = Camera3D(azimuth=0.0, elevation=0.0)
    camera.orbit(SIZE[1] / 2, 0.0, SIZE)
    assert camera.azimuth == pytest.approx(-math.pi / 2)
    camera.orbit(0.0, 5000.0, SIZE)
    assert camera.elevation == math.pi / 2
    for _ in range(100):
        camera.orbit(SIZE[1] / 3, 0.0, SIZE)
    assert abs(camera.azimuth) <= math.pi


def test_an_orbit_keeps_target_and_distance() -> None:
    camera = tilted()
    camera.orbit(31.0, -17.0, SIZE)
    assert camera.target == tilted().target
    assert np.linalg.norm(camera.eye() - camera.target) == pytest.approx(0.4)


def test_a_pan_moves_the_point_under_the_pointer_with_it() -> None:
    camera = tilted()
    grabbed = camera.pixel_to_world((300, 200), SIZE)
    camera.pan(25, -40, SIZE)
    assert camera.world_to_pixel(grabbed, SIZE) == pytest.approx((325, 160))


@pytest.mark.parametrize("factor", [0.5, 1.25, 8.0])
def test_zoom_leaves_the_point_under_the_cursor_in_place(factor: float) -> None:
    camera = tilted()
    under = camera.pixel_to_world((700, 50), SIZE)
    camera.zoom(factor, (700, 50), SIZE)
    assert camera.distance == pytest.approx(0.4 / factor)
    assert camera.world_to_pixel(under, SIZE) == pytest.approx((700, 50))


def test_zoom_stops_at_its_limits_without_drifting() -> None:
    camera = tilted()
    for _ in range(100):
        camera.zoom(2.0, (10, 10), SIZE)
    assert camera.distance == NEAREST
    target = camera.target
    camera.zoom(2.0, (10, 10), SIZE)
    assert camera.target == target
    for _ in range(100):
        camera.zoom(0.5, (10, 10), SIZE)
    assert camera.distance == FARTHEST


@pytest.mark.parametrize("view", list(VIEWS))
@pytest.mark.parametrize("inset", [(0, 0, 0, 0), (300, 40, 100, 60)])
@pytest.mark.parametrize("box", [BOX, ((0, 0, 0), (1, 0.1, 0.1)), ((-3, -1, 2), (-2, 5, 3))])
def test_framing_fills_the_uncovered_part_with_the_box(view: str, inset: tuple, box: tuple) -> None:
    azimuth, elevation = VIEWS[view]
    camera = Camera3D(azimuth=azimuth, elevation=elevation)
    camera.frame(box, SIZE, inset, margin=0.0)
    pixels = camera.world_to_pixel(np.array(list(product(*zip(*box)))), SIZE)
    (left, top), (right, bottom) = pixels.min(axis=0), pixels.max(axis=0)
    near = 1e-6
    assert left >= inset[0] - near
    assert right <= SIZE[0] - inset[2] + near
    assert top >= inset[1] - near
    assert bottom <= SIZE[1] - inset[3] + near
    fills = (right - left) / (SIZE[0] - inset[0] - inset[2]), (bottom - top) / (SIZE[1] - inset[1] - inset[3])
    assert max(fills) > 0.95


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (1, 5000)])
def test_framing_works_with_empty_windows_and_boxes(size: tuple[int, int]) -> None:
    camera = Camera3D()
    for box in (BOX, ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))):
        camera.frame(box, size, (200, 0, 200, 0))
        assert np.isfinite((*camera.target, camera.distance)).all()
        assert NEAREST <= camera.distance <= FARTHEST
