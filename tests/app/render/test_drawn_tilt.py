"""A tilted table is drawn tilted: gravity points down in the picture, in the plane and in space."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from repose.app.render.camera import Camera2D, Size
from repose.app.render.follow import drawn_tilt, first_camera
from repose.app.render.orbit import VIEWS, Camera3D
from repose.sim.experiment.snapshot import Snapshot

from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.snapshots import with_fields

SIZE: Size = (900, 500)
TILT = math.radians(20.0)


def tilted(snapshot: Snapshot, drawn: bool = True) -> Snapshot:
    """The snapshot with gravity turned towards x; it is drawn tilted unless its direction says otherwise."""
    gravity = [0.0] * snapshot.grains.position.shape[1]
    gravity[0], gravity[-1] = 9.81 * math.sin(TILT), -9.81 * math.cos(TILT)
    direction = replace(snapshot.run.direction, tilted=drawn)
    return with_fields(snapshot, gravity=tuple(gravity), direction=direction)


@pytest.mark.parametrize("fake", [fake_heap, lambda: fake_cone(60)])
def test_gravity_points_down_in_the_picture_unless_the_scene_stands_upright(fake) -> None:
    for drawn in (True, False):
        snapshot = tilted(fake(), drawn)
        assert drawn_tilt(snapshot) == pytest.approx(TILT if drawn else 0.0)
        camera = first_camera(snapshot, SIZE, (0.0, 0.0, 0.0, 0.0))
        if isinstance(camera, Camera3D):
            camera.azimuth, camera.elevation = VIEWS["front"]
        middle = np.mean(snapshot.geometry.box, axis=0)
        below = middle + 1e-3 * np.array(snapshot.geometry.gravity) / 9.81
        across, down = camera.world_to_pixel(below, SIZE) - camera.world_to_pixel(middle, SIZE)
        assert down > 0.0
        assert abs(across) < 1e-6 * down if drawn else across == pytest.approx(down * math.tan(TILT), rel=1e-2)


@pytest.mark.parametrize("camera", [Camera2D((0.02, 0.01), 1e-4, TILT), Camera3D((0.0, 0.1, 0.2), 0.5, tilt=TILT)])
def test_pixels_and_points_of_a_tilted_camera_correspond(camera: Camera2D | Camera3D) -> None:
    pixel = (700.0, 120.0)
    held = camera.pixel_to_world(pixel, SIZE)
    assert camera.world_to_pixel(held, SIZE) == pytest.approx(pixel)
    camera.zoom(1.5, pixel, SIZE)
    assert camera.world_to_pixel(held, SIZE) == pytest.approx(pixel)
    camera.pan(30.0, -20.0, SIZE)
    assert camera.world_to_pixel(held, SIZE) == pytest.approx((730.0, 100.0))


def test_the_whole_of_a_tilted_box_is_in_the_picture() -> None:
    camera, box = Camera2D(tilt=TILT), ((-0.01, 0.0), (0.03, 0.02))
    camera.frame(box, SIZE, (100.0, 0.0, 0.0, 50.0))
    seen = camera.world_to_pixel(np.array(list(product(*zip(*box)))), SIZE)
    assert (seen.min(axis=0) > (100.0, 0.0)).all()
    assert (seen.max(axis=0) < (900.0, 450.0)).all()
    assert np.ptp(seen, axis=0).max() > 0.8 * 450.0
