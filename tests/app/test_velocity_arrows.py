"""Velocity arrows: along the velocity, as long as the speed says, in the plane and in space, switched off at first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import Ranges
from repose.app.render.orbit import Camera3D
from repose.app.render.passes import Frame, make_frame
from repose.app.render.passes.velocity_arrows import LONGEST, PASS, VELOCITY_ARROWS
from repose.app.storage.view_settings import View

from tests.snapshots import snapshot_of, with_fields

PLANE, SPACE = PASS


def frame(velocity: list[tuple[float, ...]]) -> Frame:
    count, dimension = np.shape(velocity)
    position = np.zeros((count, dimension), np.float32)
    position[:, 0] = np.arange(count)
    snapshot = snapshot_of(
        position=position,
        radius=np.full(count, 0.4, np.float32),
        fixed=np.zeros(count, bool),
        sphere_id=np.arange(count),
        velocity=np.array(velocity, np.float32),
        columns={"speed": np.linalg.norm(velocity, axis=1).astype(np.float32)},
        box=((-1.0,) * dimension, (float(count),) * dimension),
    )
    camera = Camera2D() if dimension == 2 else Camera3D()
    camera.frame(snapshot.geometry.box, (640, 360))
    return make_frame(snapshot, View(), camera, (640, 360), NO_INSET, 1.0, Ranges())


@pytest.mark.parametrize(("item", "velocity"), [(PLANE, (0.3, -0.4)), (SPACE, (0.3, -0.4, 1.2))])
def test_an_arrow_points_along_the_velocity_with_a_length_proportional_to_the_speed(item, velocity) -> None:
    dimension = len(velocity)
    assert item.instances is not None
    rows = item.instances(frame([velocity, tuple(0.5 * v for v in velocity), (0.0,) * dimension]))
    assert rows is not None
    assert rows.shape == (6, sum(item.attributes))  # two arrows of a shaft and two strokes of the head
    shafts = rows[:2, dimension : 2 * dimension] - rows[:2, :dimension]
    assert np.cross(np.r_[shafts[0], 0.0][:3], np.r_[velocity, 0.0][:3]) == pytest.approx(0.0, abs=1e-5)
    assert shafts[0] @ np.array(velocity) > 0.0
    assert shafts[0] == pytest.approx(2.0 * shafts[1], rel=1e-5)
    assert np.linalg.norm(shafts[0]) <= 2.0 * LONGEST * 0.4
    assert (rows[2:4, :dimension] == rows[:2, dimension : 2 * dimension]).all()  # heads begin at the tips


def test_no_arrow_where_nothing_moves_and_none_without_velocities() -> None:
    assert PLANE.instances is not None
    still = frame([(0.0, 0.0), (0.0, 0.0)])
    assert PLANE.instances(still) is None
    old = replace(still, snapshot=with_fields(still.snapshot, velocity=np.empty((0, 2), np.float32)))
    assert PLANE.instances(old) is None
    assert not VELOCITY_ARROWS.is_on(View())


@pytest.mark.parametrize(("speed", "shown"), [(0.04, False), (0.06, True)])
def test_no_arrow_for_grains_that_come_to_rest_on_the_scale_of_the_scene(speed: float, shown: bool) -> None:
    assert PLANE.instances is not None
    moving = frame([(speed, 0.0), (speed, 0.0)])
    direction = replace(moving.snapshot.run.direction, colour="speed", span=(0.0, 2.5))
    of_flow = replace(moving, snapshot=with_fields(moving.snapshot, direction=direction))
    assert (PLANE.instances(of_flow) is not None) == shown
    assert PLANE.instances(moving) is not None, "without a scale of speeds they are as long as ever"
