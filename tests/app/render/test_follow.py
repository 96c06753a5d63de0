"""The camera that follows the grains: it frames them, moves smoothly and comes to rest with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from repose.app.render.camera import Camera2D, Inset
from repose.app.render.follow import MARGIN, Following, come_to_rest, follow, without_idle_walls
from repose.app.render.orbit import Camera3D
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.surface_slope import SurfaceSlope

from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.snapshots import snapshot_of, with_fields

SIZE = (1280, 720)
ROOM: Inset = (200.0, 80.0, 100.0, 60.0)
FREE = (SIZE[0] - ROOM[0] - ROOM[2], SIZE[1] - ROOM[1] - ROOM[3])
R = 1e-3


def column(layers: int, across: int = 20, lift: float = 0.0) -> Snapshot:
    """Layers of grains on a base between two walls, the last layer raised by `lift` [m]."""
    width = 2.0 * R * across
    y, x = (v.ravel() for v in np.mgrid[0:layers, 0:across])
    grains = np.column_stack((R * (2.0 * x + 1.0), R * (2.0 * y + 1.0)))
    grains[y == layers - 1, 1] += lift
    posts = R * (2.0 * np.arange(100) + 1.0)
    walls = [np.column_stack((np.full(100, side), posts)) for side in (-R, width + R)]
    position = np.concatenate((*walls, grains)).astype(np.float32)
    count = len(position)
    return snapshot_of(
        serial=1,
        position=position,
        radius=np.full(count, R, np.float32),
        fixed=np.arange(count) < 200,
        sphere_id=np.arange(count),
        orientation=np.empty((count, 0), np.float32),
        velocity=np.zeros((count, 2), np.float32),
        mass=np.ones(count, np.float32),
        body=np.full(count, -1),
        columns={"speed": np.zeros(count, np.float32)},
        box=((-0.01, -0.01), (1.25 * width, 0.2)),
        focus=((-2.0 * R, -R), (width + 2.0 * R, 0.0)),
    )


def settled(snapshot: Snapshot, last: Following | None = None, seconds: float = 20.0) -> Following:
    for _ in range(round(seconds * 60.0)):
        last = follow(last, snapshot, Camera2D(), SIZE, ROOM, 1.0 / 60.0)
    assert last is not None
    return last


def pixels(snapshot: Snapshot, following: Following) -> np.ndarray:
    """Left, top, right and lower end of the grains on the screen."""
    moving = ~snapshot.grains.fixed
    centre = following.camera.world_to_pixel(snapshot.grains.position[moving], SIZE)
    radius = snapshot.grains.radius[moving, None] / following.camera.resolution(SIZE)
    return np.concatenate(((centre - radius).min(axis=0), (centre + radius).max(axis=0)))


@pytest.mark.parametrize("layers", [1, 5, 20, 60])
def test_grains_fill_the_free_part_from_its_lower_edge(layers: int) -> None:
    snapshot = column(layers)
    left, top, right, bottom = pixels(snapshot, settled(snapshot))
    assert ROOM[0] <= left < right <= SIZE[0] - ROOM[2]
    assert ROOM[1] <= top
    foot = SIZE[1] - ROOM[3] - MARGIN * FREE[1]
    radius = 2.0 * R * (right - left) / (40.0 * R)
    assert bottom == pytest.approx(foot, abs=radius)
    assert max((right - left) / FREE[0], (bottom - top) / FREE[1]) > 0.75


def test_the_box_is_in_the_middle_of_the_free_part() -> None:
    left, _, right, _ = pixels(column(20), settled(column(20)))
    assert (left + right) / 2 == pytest.approx(ROOM[0] + FREE[0] / 2, abs=1.0)


def test_the_camera_moves_from_column_to_heap_without_jump_and_overshoot() -> None:
    heap, at_column = column(4), settled(column(60))
    end = settled(heap, at_column)
    scales, feet, step = [at_column.camera.resolution(SIZE)], [], at_column
    for _ in range(600):
        step = follow(step, heap, Camera2D(), SIZE, ROOM, 1.0 / 60.0)
        scales.append(step.camera.resolution(SIZE))
        feet.append(float(step.camera.world_to_pixel((0.0, -R), SIZE)[1]))
    zoom = np.log(scales)
    speed = np.diff(zoom)
    assert zoom[0] - zoom[-1] > 1.0
    assert (speed <= 1e-12).all()
    assert abs(speed[0]) < 0.02 * (zoom[0] - zoom[-1])
    assert np.abs(np.diff(speed)).max() < 0.02 * (zoom[0] - zoom[-1])
    assert np.ptp(feet) < 0.5
    assert zoom[-1] == pytest.approx(math.log(end.camera.resolution(SIZE)), abs=1e-3)


def test_the_motion_of_the_camera_does_not_depend_on_the_frame_rate() -> None:
    heap, start = column(4), settled(column(60))
    coarse = follow(start, heap, Camera2D(), SIZE, ROOM, 0.2)
    fine = start
    for _ in range(8):
        fine = follow(fine, heap, Camera2D(), SIZE, ROOM, 0.025)
    assert fine.camera.resolution(SIZE) == pytest.approx(coarse.camera.resolution(SIZE), rel=1e-9)


def test_a_falling_layer_does_not_make_the_zoom_oscillate() -> None:
    step = settled(column(30, lift=R))
    scale = step.camera.resolution(SIZE)
    for lift in (0.0, 0.5 * R, R, 0.2 * R, 0.0):
        for _ in range(60):
            step = follow(step, column(30, lift=lift), Camera2D(), SIZE, ROOM, 1.0 / 60.0)
    assert step.camera.resolution(SIZE) == pytest.approx(scale, rel=0.005)


@pytest.mark.parametrize("where", [(np.nan, np.nan), (np.inf, 0.0), (0.5, 0.01), (0.01, -3.0)])
def test_the_camera_does_not_follow_a_grain_that_has_left_the_scene(where: tuple[float, float]) -> None:
    snapshot = column(10)
    expected = settled(snapshot)
    snapshot.grains.position[-1] = where
    assert settled(snapshot).camera.resolution(SIZE) == pytest.approx(expected.camera.resolution(SIZE), rel=1e-6)


def test_grains_leave_the_picture_of_a_scene_that_follows_a_part_of_it_until_the_still_at_the_end() -> None:
    snapshot = column(30)
    (left, low), (right, _) = snapshot.geometry.focus or snapshot.geometry.box
    part = with_fields(snapshot, followed=((left, low), (right, 20.0 * R)))
    near = settled(part)
    assert near.camera.resolution(SIZE) < 0.8 * settled(snapshot).camera.resolution(SIZE)
    assert pixels(part, near)[1] < 0.0, "the upper third is outside"
    *_, last = come_to_rest(near, part, Camera2D(), SIZE, ROOM, 1.0, 60)
    assert pixels(part, last)[1] > 0.0


def test_a_few_grains_thrown_up_are_not_followed() -> None:
    snapshot = column(20)
    expected = settled(snapshot)
    snapshot.grains.position[-2:, 1] = 0.15
    assert settled(snapshot).camera.resolution(SIZE) == pytest.approx(expected.camera.resolution(SIZE), rel=1e-6)


def test_walls_end_above_the_column_and_keep_their_height_when_it_collapses() -> None:
    tall, heap = column(40), column(4)
    following = settled(tall)
    shown = without_idle_walls(tall, following.wall_top)
    wall = shown.grains.position[shown.grains.fixed, 1].max()
    grains = tall.grains.position[~tall.grains.fixed, 1].max()
    assert grains < wall < grains + 8.0 * R
    assert (
        len(shown.grains.position)
        == len(shown.grains.radius)
        == len(shown.grains.columns["speed"])
        == len(shown.grains.orientation)
    )
    assert np.array_equal(shown.grains.position[~shown.grains.fixed], tall.grains.position[~tall.grains.fixed])
    after = settled(heap, following)
    assert after.wall_top == following.wall_top
    emptied = with_fields(heap, **{name: getattr(heap.grains, name)[:200] for name in ("position", "radius", "fixed")})
    assert settled(column(2), settled(emptied, after)).wall_top < 0.2 * following.wall_top


def test_fixed_spheres_of_a_scene_without_focus_stay() -> None:
    heap = with_fields(fake_heap(), focus=None)
    assert without_idle_walls(heap, 0.0) is heap


def test_the_camera_converges_from_any_start() -> None:
    snapshot = column(10)
    end = settled(snapshot)
    step: Following | None = Following(Camera2D((0.5, -0.3), 1e-3))
    step = follow(step, snapshot, Camera2D(), SIZE, ROOM, 1.0 / 60.0)
    assert step.camera.resolution(SIZE) == pytest.approx(1e-3, rel=0.05)
    arrived = settled(snapshot, step)
    assert np.allclose(pixels(snapshot, arrived), pixels(snapshot, end), atol=0.03 * SIZE[0])


def in_space(snapshot: Snapshot, camera: Camera3D, seconds: float = 20.0) -> Camera3D:
    following: Following | None = None
    for _ in range(round(seconds * 10.0)):
        following = follow(following, snapshot, camera, SIZE, ROOM, 0.1)
    assert following is not None
    assert isinstance(following.camera, Camera3D)
    return following.camera


@pytest.mark.parametrize("direction", [(-1.0, 0.0), (0.5, 0.35), (-1.5, math.pi / 2)])
def test_in_space_grains_fit_from_every_direction_and_the_direction_is_kept(direction: tuple[float, float]) -> None:
    cone = fake_cone(800, funnel=False)
    camera = in_space(cone, Camera3D(azimuth=direction[0], elevation=direction[1]))
    assert (camera.azimuth, camera.elevation) == direction
    seen = camera.world_to_pixel(cone.grains.position, SIZE)
    assert seen[:, 0].min() >= ROOM[0]
    assert seen[:, 0].max() <= SIZE[0] - ROOM[2]
    assert seen[:, 1].min() >= ROOM[1]
    assert seen[:, 1].max() <= SIZE[1] - ROOM[3]


def test_in_space_the_heap_is_nearer_than_the_whole_scene_and_stands_on_the_lower_edge() -> None:
    cone = with_fields(fake_cone(800, funnel=False), focus=((-0.005, -0.005, 0.0), (0.005, 0.005, 0.0)))
    near, far = (
        in_space(cone, Camera3D(elevation=0.1)),
        in_space(with_fields(cone, focus=None), Camera3D(elevation=0.1)),
    )
    assert near.distance < 0.8 * far.distance
    low_heap = with_fields(
        cone, position=cone.grains.position * np.array((1.0, 1.0, 0.3), np.float32)
    )  # its width fills the part
    lowest = in_space(low_heap, Camera3D(elevation=0.1)).world_to_pixel(low_heap.grains.position, SIZE)[:, 1].max()
    assert lowest > SIZE[1] - ROOM[3] - 0.15 * FREE[1]


def test_the_camera_restarts_when_the_dimension_changes() -> None:
    flat = settled(column(5))
    cone = fake_cone(300)
    deep = follow(flat, cone, flat.camera, SIZE, ROOM, 0.01)
    assert isinstance(deep.camera, Camera3D)
    assert deep.rate == ()


@pytest.mark.parametrize("elevation", [0.1, 0.35])
def test_in_space_the_grains_themselves_fill_the_picture_and_no_empty_corner_of_a_box(elevation: float) -> None:
    cone = with_fields(fake_cone(800, funnel=False), focus=((-0.005, -0.005, 0.0), (0.005, 0.005, 0.0)))
    cone = with_fields(cone, slope=None)
    camera = follow(None, cone, Camera3D(elevation=elevation), SIZE, ROOM, 0.0).camera
    assert isinstance(camera, Camera3D)
    size = cone.grains.radius.max() / camera.resolution(SIZE)
    seen = camera.world_to_pixel(cone.grains.position, SIZE)
    used = (np.ptp(seen, axis=0) + 2.0 * size) / FREE
    assert used.max() > 0.85
    measured = with_fields(cone, slope=SurfaceSlope(0.4, 0.01, -0.42, 0.05, (0.0, 0.1), "line", (1, 2), 3))
    wide = follow(None, measured, Camera3D(elevation=elevation), SIZE, ROOM, 0.0).camera
    assert isinstance(wide, Camera3D)
    foot = wide.world_to_pixel([(0.1, 0.0, 0.008), (-0.1, 0.0, 0.008), (0.0, 0.0, 0.05)], SIZE)
    assert foot[:, 0].min() >= ROOM[0]
    assert foot[:, 0].max() <= SIZE[0] - ROOM[2]
    assert foot[:, 1].min() >= ROOM[1]


def test_at_the_end_the_camera_comes_to_rest_smoothly_where_every_grain_is_in_the_picture() -> None:
    column_at_rest, spread = column(40), column(6, across=60)
    spread = with_fields(spread, focus=column_at_rest.geometry.focus)
    moving = settled(column_at_rest)
    for _ in range(2):
        moving = follow(moving, spread, Camera2D(), SIZE, ROOM, 1.0 / 60.0)
    assert pixels(spread, moving)[2] > SIZE[0] - ROOM[2]
    way = [moving, *come_to_rest(moving, spread, Camera2D(), SIZE, ROOM, 1.0, 60)]
    assert len(way) == 61
    assert way[-1].rate == ()
    left, top, right, bottom = pixels(spread, way[-1])
    assert ROOM[0] <= left < right <= SIZE[0] - ROOM[2]
    assert ROOM[1] <= top < bottom <= SIZE[1] - ROOM[3]
    zoom = np.log([step.camera.resolution(SIZE) for step in way])
    steps = np.abs(np.diff(zoom))
    assert steps.max() < 0.1
    assert steps[-1] < 2e-3
