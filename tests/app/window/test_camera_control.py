"""The picture shows everything until the user moves it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pygame
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.framing import LEGEND_ROOM, SCALE_BAR_ROOM
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.render.passes import legend
from repose.app.storage.view_settings import View
from repose.app.ui.places import GuessArea, TaskArea, ToolArea, high_scene
from repose.app.ui.states import States
from repose.app.ui.ui import RunsBeside, WindowArea
from repose.app.window import camera_control
from repose.app.window.camera_control import CameraControl

from tests.snapshots import snapshot_of, with_fields

SIZE = (1280, 720)


@pytest.fixture
def ui() -> Any:
    snapshot = snapshot_of(serial=1, box=((0.0, 0.0), (0.1, 0.2)))
    inset = (300.0, 0.0, 300.0, 46.0)
    return SimpleNamespace(
        beside=RunsBeside(),
        snapshot=snapshot,
        camera=Camera2D(),
        window=WindowArea(SIZE, inset=inset),
        states=States(),
        view=View(),
    )


def handle(control: CameraControl, ui: Any, kind: int, free: bool = True, **fields: Any) -> None:
    control.handle(pygame.event.Event(kind, **fields), ui.camera, ui.window.size, (640.0, 300.0), free)


def corners(ui: Any) -> Any:
    return ui.camera.world_to_pixel(ui.snapshot.geometry.box, ui.window.size)


def test_the_whole_scene_is_between_the_panels(ui: Any) -> None:
    CameraControl().update(ui)
    (x0, y0), (x1, y1) = corners(ui)
    assert 300 < x0 < x1 < 980
    assert 84 < y1 < y0 < 720 - 46 - 52


def test_the_whole_scene_is_below_its_task(ui: Any) -> None:
    ui.states[TaskArea].foot = 250.0
    CameraControl().update(ui)
    assert corners(ui)[1][1] > 250.0


def test_the_scene_is_beside_or_below_the_guess_where_it_is_larger(ui: Any) -> None:
    ui.states[GuessArea].place = 700.0, 200.0
    CameraControl().update(ui)
    assert corners(ui)[1][0] < 700.0, "a high scene is beside it"
    ui.snapshot = with_fields(ui.snapshot, box=((0.0, 0.0), (0.3, 0.1)))
    CameraControl().update(ui)
    assert corners(ui)[1][1] > 200.0, "a wide scene is below it"
    assert corners(ui)[1][0] > 700.0
    ui.states[GuessArea].place = 310.0, 600.0
    assert camera_control._room(ui) == _without_guess(ui), "a guess that leaves no room is in front of the scene"


def test_a_high_scene_is_beside_its_task_and_the_legend_and_not_below_them(ui: Any) -> None:
    ui.states[TaskArea].foot = 250.0
    ui.snapshot = with_fields(ui.snapshot, box=((0.0, 0.0), (0.1, 0.5)))
    CameraControl().update(ui)
    (x0, y0), (x1, y1) = corners(ui)
    assert y1 < 84.0, "it begins beside the legend"
    assert y0 <= 720 - 46 - 52, "its foot is above the actions"
    assert 516.0 < x0 < x1 < legend.left_edge(980.0, 1.0)
    ui.states[GuessArea].place = 660.0, 200.0
    CameraControl().update(ui)
    assert corners(ui)[1][0] < 660.0, "it is beside the guess too"
    ui.states[GuessArea].place = None
    spreading = with_fields(ui.snapshot, focus=((0.0, 0.0), (0.1, 0.1)))
    assert high_scene(SimpleNamespace(**(vars(ui) | {"snapshot": spreading}))) is None, "a heap will be wide"
    ui.snapshot = with_fields(ui.snapshot, box=((0.0, 0.0), (0.3, 0.5)))
    CameraControl().update(ui)
    assert corners(ui)[1][1] > 250.0, "the control: a wide scene is below its task"


def _without_guess(ui: Any) -> Any:
    ui.states[GuessArea].place = None
    return camera_control._room(ui)


def test_a_low_picture_side_by_side_keeps_room_beside_task_and_legend(space: Any) -> None:
    space.beside.runs = (space.snapshot, space.snapshot)
    space.window.inset = 320.0, 40.0, 480.0, space.window.size[1] - 160.0  # a picture of 120 px
    space.states[TaskArea].foot = 170.0
    _left, above, _right, bottom = camera_control._room(space)
    assert 40.0 <= above <= 40.0 + camera_control.MOST_TASK * 120.0
    assert above < space.window.size[1] - bottom
    space.beside.runs = ()
    assert camera_control._room(space)[1] >= 170.0, "the control: a picture alone begins below its task"


def test_the_panel_fits_after_the_window_changes_its_size(ui: Any) -> None:
    control = CameraControl()
    control.update(ui)
    ui.window.size = (900, 500)
    control.update(ui)
    (x0, y0), (x1, y1) = corners(ui)
    assert 300 < x0 < x1 < 600
    assert 84 < y1 < y0 < 500 - 46 - 52


def test_a_drag_moves_the_picture_and_ends_following(ui: Any) -> None:
    control = CameraControl()
    control.update(ui)
    before = corners(ui)
    handle(control, ui, pygame.MOUSEBUTTONDOWN, button=1)
    handle(control, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(1, 0, 0))
    handle(control, ui, pygame.MOUSEBUTTONUP, button=1)
    handle(control, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(0, 0, 0))
    ui.window.inset = (0.0, 0.0, 0.0, 0.0)
    control.update(ui)
    assert corners(ui) - before == pytest.approx(np.array([[10.0, -5.0]] * 2))
    control.follow_grains()
    control.update(ui)
    assert not control.for_film(ui, (640, 360))


def test_a_drag_that_began_on_a_panel_moves_nothing(ui: Any) -> None:
    control = CameraControl()
    control.update(ui)
    before = ui.camera.centre
    handle(control, ui, pygame.MOUSEBUTTONDOWN, free=False, button=1)
    handle(control, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(1, 0, 0))
    handle(control, ui, pygame.MOUSEWHEEL, free=False, precise_y=3.0)
    assert ui.camera.centre == before
    assert control.follows_grains


def test_the_wheel_zooms_at_the_pointer(ui: Any) -> None:
    control = CameraControl()
    control.update(ui)
    under = ui.camera.pixel_to_world((640.0, 300.0), SIZE)
    handle(control, ui, pygame.MOUSEWHEEL, precise_y=2.0)
    assert ui.camera.pixel_to_world((640.0, 300.0), SIZE) == pytest.approx(under)
    assert not control.follows_grains


def test_a_film_shows_what_the_window_shows_between_its_panels(ui: Any) -> None:
    control = CameraControl()
    control.update(ui)
    handle(control, ui, pygame.MOUSEWHEEL, precise_y=2.0)
    size = (1920, 1080)
    camera = control.for_film(ui, size)
    assert camera is not None
    for pixel in ((300.0, 0.0), (980.0, 674.0)):
        x, y = camera.world_to_pixel(ui.camera.pixel_to_world(pixel, SIZE), size)
        assert -1e-6 <= x <= size[0] + 1e-6
        assert -1e-6 <= y <= size[1] + 1e-6


@pytest.mark.parametrize(("wide", "beside"), [(0.02, True), (0.3, False)])
def test_a_box_is_beside_the_legend_unless_the_legend_would_cover_it(ui: Any, wide: float, beside: bool) -> None:
    ui.window.inset, control = (0.0, 0.0, 0.0, 0.0), CameraControl()
    control.frame_box(((-wide, 0.0), (wide, 0.2)))
    control.update(ui)
    (_, foot), (right, top) = ui.camera.world_to_pixel(((-wide, 0.0), (wide, 0.2)), SIZE)
    assert bool(top < LEGEND_ROOM) is beside
    assert bool(right < legend.left_edge(SIZE[0], ui.window.scale)) is beside
    assert 0.0 < top < foot < SIZE[1] - SCALE_BAR_ROOM


@pytest.fixture
def space(ui: Any) -> Any:
    ui.snapshot = snapshot_of(
        serial=1, position=np.zeros((1, 3), np.float32), box=((-0.05, -0.05, 0.0), (0.05, 0.05, 0.1))
    )
    return ui


def test_the_dimension_of_the_snapshot_decides_on_the_camera(space: Any) -> None:
    control, flat = CameraControl(), snapshot_of(serial=2, box=((0.0, 0.0), (0.1, 0.2)))
    deep = space.snapshot
    control.update(space)
    assert isinstance(space.camera, Camera3D)
    handle(control, space, pygame.MOUSEWHEEL, precise_y=2.0)
    space.snapshot = flat
    control.update(space)
    assert isinstance(space.camera, Camera2D)
    assert control.follows_grains
    space.snapshot = deep
    control.update(space)
    assert isinstance(space.camera, Camera3D)


def test_a_scene_in_space_is_complete_between_the_panels(space: Any) -> None:
    CameraControl().update(space)
    pixels = space.camera.world_to_pixel(list(product(*zip(*space.snapshot.geometry.box))), SIZE)
    (left, top), (right, bottom) = pixels.min(axis=0), pixels.max(axis=0)
    assert 300 < left < right < 980
    assert 84 < top < bottom < 720 - 46 - 52


@pytest.mark.parametrize(
    ("buttons", "shift", "turns"),
    [((1, 0, 0), False, True), ((1, 0, 0), True, False), ((0, 0, 1), False, False), ((0, 1, 0), False, False)],
)
def test_a_left_drag_turns_the_scene_and_others_move_it(space: Any, buttons: tuple, shift: bool, turns: bool) -> None:
    control = CameraControl()
    control.update(space)
    before = replace(space.camera)
    if shift:
        handle(control, space, pygame.KEYDOWN, key=pygame.K_LSHIFT, mod=pygame.KMOD_LSHIFT)
    handle(control, space, pygame.MOUSEBUTTONDOWN, button=buttons.index(1) + 1)
    handle(control, space, pygame.MOUSEMOTION, rel=(10, -5), buttons=buttons)
    after = space.camera
    assert (after.azimuth != before.azimuth) == turns
    assert (after.target != before.target) == (not turns)
    assert not control.follows_grains


def test_a_named_view_is_reached_by_the_smaller_angle_and_shows_everything(space: Any) -> None:
    control = CameraControl()
    control.update(space)
    space.camera.azimuth = math.radians(170.0)
    control.turn_to("front")
    seen = []
    for _ in range(100):
        control.update(space)
        seen.append(space.camera.azimuth)
    assert (space.camera.azimuth, space.camera.elevation) == VIEWS["front"]
    turned = np.abs(np.diff(np.unwrap(seen))).sum()
    assert turned < math.radians(101.0)
    assert control.follows_grains


def test_a_drag_ends_the_rotation_to_a_named_view(space: Any) -> None:
    control = CameraControl()
    control.update(space)
    control.turn_to("top")
    control.update(space)
    handle(control, space, pygame.MOUSEBUTTONDOWN, button=1)
    handle(control, space, pygame.MOUSEMOTION, rel=(10, 0), buttons=(1, 0, 0))
    kept = replace(space.camera)
    control.update(space)
    assert space.camera == kept


@pytest.mark.parametrize("moved", [False, True])
def test_a_film_in_space_shows_what_the_window_shows_between_its_panels(space: Any, moved: bool) -> None:
    control = CameraControl()
    control.update(space)
    if moved:
        handle(control, space, pygame.MOUSEWHEEL, precise_y=2.0)
    film = control.for_film(space, (1920, 1080))
    assert isinstance(film, Camera3D)
    points = np.random.default_rng(1).uniform(-0.02, 0.05, (20, 3))
    window = space.camera.world_to_pixel(points, SIZE) - (640.0, 337.0)
    shown = film.world_to_pixel(points, (1920, 1080)) - (960.0, 540.0)
    scale = min(1920 / 680.0, 1080 / 674.0)
    assert shown == pytest.approx(window * scale)


def test_a_wall_that_comes_below_the_buttons_of_the_tools_moves_the_picture_aside_once(ui: Any) -> None:
    """The grains of a column spread: the picture shows more, and its left wall gets below the buttons."""
    ui.states[ToolArea].right, ui.states[ToolArea].corner = 428.0, (428.0, 600.0)

    def spread(width: float, step: int) -> None:
        wall = [(0.0, 0.005 * k) for k in range(40)]
        grains = [(0.05 + width * k / 39, 0.005) for k in range(40)] + [(0.05, 0.005 * k) for k in range(1, 40)]
        position = np.array(wall + grains, np.float32)
        fixed = np.arange(len(position)) < len(wall)
        radius = np.full(len(position), 0.005, np.float32)
        ui.snapshot = snapshot_of(
            serial=1, step=step, position=position, radius=radius, fixed=fixed, box=((0.0, 0.0), (0.1 + width, 0.2))
        )

    def left_of_wall() -> float:
        return float(ui.camera.world_to_pixel((-0.005, 0.19), ui.window.size)[0])

    control = CameraControl()
    spread(0.02, 0)
    control.update(ui)
    assert left_of_wall() > 428.0
    for step in range(1, 200):
        spread(0.6, step)
        control.update(ui, 0.1)
    assert left_of_wall() > 427.0


def test_a_column_of_grains_does_not_begin_below_the_buttons_of_the_tools(ui: Any) -> None:
    ui.states[ToolArea].right, ui.states[ToolArea].corner = 428.0, (428.0, 400.0)
    column = np.array([(0.005, 0.005 * k) for k in range(1, 40)], np.float32)
    alike = {"radius": np.full(39, 0.005, np.float32), "fixed": np.zeros(39, bool)}
    ui.snapshot = snapshot_of(serial=1, position=column, box=((0.0, 0.0), (0.4, 0.2)), **alike)
    control = CameraControl()
    control.update(ui)
    begun = ui.camera.world_to_pixel((0.0, 0.0), ui.window.size)
    assert 428 < begun[0] < 460
    ui.snapshot = with_fields(ui.snapshot, step=1)
    control.update(ui, 0.02)
    assert ui.camera.world_to_pixel((0.0, 0.0), ui.window.size) == pytest.approx(
        begun
    )  # the first step moves no picture
    ui.snapshot = with_fields(ui.snapshot, step=0, position=column + np.float32((0.3, 0.0)))
    CameraControl().update(ui)
    assert (
        ui.camera.world_to_pixel((0.0, 0.0), ui.window.size)[0] < 328
    )  # nothing is below them: the picture keeps its size


@pytest.mark.parametrize("what", ["grains", "walls"])
def test_a_picture_in_space_moves_aside_for_the_buttons_of_the_tools(space: Any, what: str) -> None:
    rim = np.array([(-0.05, y, z) for y in (-0.05, 0.05) for z in (0.0, 0.1)], np.float32)
    grains = rim if what == "grains" else np.zeros((1, 3), np.float32)
    facets = np.concatenate([rim[None, :3], rim[None, 1:]]) if what == "walls" else np.empty((0, 3, 3))
    alike = {"radius": np.full(len(grains), 0.002, np.float32), "fixed": np.zeros(len(grains), bool)}
    box = ((-0.05, -0.05, 0.0), (0.05, 0.05, 0.1))
    space.snapshot = snapshot_of(serial=1, position=grains, facets=facets, box=box, **alike)
    CameraControl().update(space)
    before = space.camera.world_to_pixel(rim, SIZE)[:, 0].min()
    space.states[ToolArea].right, space.states[ToolArea].corner = before + 40.0, (before + 40.0, 600.0)
    CameraControl().update(space)
    assert space.camera.world_to_pixel(rim, SIZE)[:, 0].min() > before + 38.0
    space.states[ToolArea].corner = (before + 40.0, 20.0)
    CameraControl().update(space)
    assert space.camera.world_to_pixel(rim, SIZE)[:, 0].min() == pytest.approx(before), (
        "above the picture they are free"
    )


def test_a_narrow_picture_goes_below_the_buttons_of_the_tools_where_it_is_larger(ui: Any) -> None:
    """Beside a plot the tools leave a strip beside them, in which a heap would be tiny."""
    ui.window.inset = (300.0, 0.0, 700.0, 46.0)
    ui.states[ToolArea].right, ui.states[ToolArea].corner = 428.0, (428.0, 260.0)
    grains = np.array([(0.01 * k, 0.005 + 0.02 * j) for k in range(11) for j in range(8)], np.float32)
    alike = {"radius": np.full(88, 0.005, np.float32), "fixed": np.zeros(88, bool)}
    ui.snapshot = snapshot_of(serial=1, position=grains, box=((0.0, 0.0), (0.1, 0.2)), **alike)
    CameraControl().update(ui)
    x, y = ui.camera.world_to_pixel(grains, SIZE).T
    assert y.min() - 0.005 / ui.camera.metres_per_pixel > 259.0
    assert x.min() < 428.0
    assert x.max() - x.min() > 152.0, "wider than all that is free beside the buttons"


def test_walls_that_would_reach_the_buttons_above_the_grains_put_the_picture_beside_them(ui: Any) -> None:
    ui.window.inset = (300.0, 0.0, 700.0, 46.0)
    ui.states[ToolArea].right, ui.states[ToolArea].corner = 340.0, (340.0, 260.0)
    grains = [(0.01 * k, 0.005 + 0.02 * j) for k in range(11) for j in range(8)]
    wall = [(0.0, 0.01 * j) for j in range(60)]
    ui.snapshot = snapshot_of(
        serial=1,
        position=np.array(grains + wall, np.float32),
        box=((0.0, 0.0), (0.1, 0.6)),
        focus=((0.0, 0.0), (0.1, 0.1)),
        radius=np.full(148, 0.005, np.float32),
        fixed=np.arange(148) >= 88,
    )
    CameraControl().update(ui)
    assert ui.camera.world_to_pixel((-0.005, 0.0), SIZE)[0] > 339.0


@pytest.fixture
def in_space() -> Any:
    grains = {"position": np.zeros((1, 3)), "radius": np.ones(1), "fixed": np.zeros(1, bool)}
    return SimpleNamespace(
        beside=RunsBeside(),
        snapshot=snapshot_of(serial=1, box=((0.0, 0.0, 0.0), (0.1, 0.1, 0.2)), facets=np.empty((0, 3, 3)), **grains),
        camera=Camera2D(),
        window=WindowArea(SIZE),
        states=States(),
        view=View(),
    )


def angles(ui: Any) -> tuple[float, float]:
    return ui.camera.azimuth, ui.camera.elevation


def shown(control: CameraControl, ui: Any, frames: int = 80) -> tuple[float, float]:
    """The direction of view once the camera has turned."""
    for _ in range(frames):
        control.update(ui, 0.02)
    return angles(ui)


@pytest.mark.parametrize(("own", "other"), [("three-quarter", "side"), ("side", "three-quarter")])
def test_a_replay_is_seen_from_another_side_than_that_of_the_user(in_space: Any, own: str, other: str) -> None:
    control = CameraControl()
    shown(control, in_space, 1)
    control.turn_to(own)
    assert shown(control, in_space) == VIEWS[own]
    control.look_aside(in_space.camera)
    assert shown(control, in_space) == VIEWS[other]
    in_space.camera = control.look_back(in_space.camera)
    assert shown(control, in_space) == VIEWS[own], "not the view of the direction of the scene"
    assert control.follows_grains


def test_after_a_replay_a_camera_that_the_user_has_moved_is_where_it_was(in_space: Any) -> None:
    control = CameraControl()
    shown(control, in_space)
    handle(control, in_space, pygame.MOUSEBUTTONDOWN, button=1)
    handle(control, in_space, pygame.MOUSEMOTION, rel=(60, -40), buttons=(1, 0, 0))
    handle(control, in_space, pygame.MOUSEBUTTONUP, button=1)
    handle(control, in_space, pygame.MOUSEWHEEL, precise_y=3.0)
    own = replace(in_space.camera)
    control.look_aside(in_space.camera)
    assert shown(control, in_space) != (own.azimuth, own.elevation)
    in_space.camera = control.look_back(in_space.camera)
    shown(control, in_space)
    assert in_space.camera == own
    assert not control.follows_grains


def test_after_a_replay_in_which_everything_was_framed_the_view_is_that_of_the_user_again(in_space: Any) -> None:
    control = CameraControl()
    own = shown(control, in_space)
    control.look_aside(in_space.camera)
    assert shown(control, in_space) != own
    control.follow_grains()  # Home, or a double click
    in_space.camera = control.look_back(in_space.camera)
    assert shown(control, in_space) == pytest.approx(own)
    handle(control, in_space, pygame.MOUSEWHEEL, precise_y=3.0)
    control.look_aside(in_space.camera)
    control.follow_grains()
    in_space.camera = control.look_back(in_space.camera)
    assert shown(control, in_space) == pytest.approx(own)
    assert control.follows_grains, "and it follows the grains, as was asked for"


def test_a_view_that_the_user_chooses_in_a_replay_stays(in_space: Any) -> None:
    control = CameraControl()
    shown(control, in_space)
    control.look_aside(in_space.camera)
    control.turn_to("top")
    in_space.camera = control.look_back(in_space.camera)
    assert shown(control, in_space) == VIEWS["top"]
    control.look_aside(in_space.camera)
    handle(control, in_space, pygame.MOUSEWHEEL, precise_y=3.0)
    moved = replace(in_space.camera)
    in_space.camera = control.look_back(in_space.camera)
    assert in_space.camera == moved
    assert not control.follows_grains
