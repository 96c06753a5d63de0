"""The picture shows everything until the user moves it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pygame
import pytest

from app.aim import Aim
from app.camera import Camera2D
from sim.snapshot import Snapshot

SIZE = (1280, 720)


@pytest.fixture
def ui() -> Any:
    snapshot = Snapshot(serial=1, box=((0.0, 0.0), (0.1, 0.2)))
    return SimpleNamespace(snapshot=snapshot, camera=Camera2D(), size=SIZE, inset=(300.0, 0.0, 300.0, 46.0), scale=1.0)


def obey(aim: Aim, ui: Any, kind: int, free: bool = True, **fields: Any) -> None:
    aim.obey(pygame.event.Event(kind, **fields), ui.camera, ui.size, (640.0, 300.0), free)


def corners(ui: Any) -> Any:
    return ui.camera.world_to_pixel(ui.snapshot.box, ui.size)


def test_the_whole_scene_stands_between_the_panels(ui: Any) -> None:
    Aim().follow(ui)
    (x0, y0), (x1, y1) = corners(ui)
    assert 300 < x0 < x1 < 980
    assert 84 < y1 < y0 < 720 - 46 - 52


def test_it_stays_whole_when_the_window_changes(ui: Any) -> None:
    aim = Aim()
    aim.follow(ui)
    ui.size = (900, 500)
    aim.follow(ui)
    (x0, y0), (x1, y1) = corners(ui)
    assert 300 < x0 < x1 < 600
    assert 84 < y1 < y0 < 500 - 46 - 52


def test_a_drag_moves_the_picture_and_it_then_stays_there(ui: Any) -> None:
    aim = Aim()
    aim.follow(ui)
    before = corners(ui)
    obey(aim, ui, pygame.MOUSEBUTTONDOWN, button=1)
    obey(aim, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(1, 0, 0))
    obey(aim, ui, pygame.MOUSEBUTTONUP, button=1)
    obey(aim, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(0, 0, 0))
    ui.inset = (0.0, 0.0, 0.0, 0.0)
    aim.follow(ui)
    assert corners(ui) - before == pytest.approx(np.array([[10.0, -5.0]] * 2))
    aim.show_everything()
    aim.follow(ui)
    assert not aim.for_film(ui, (640, 360))


def test_a_drag_that_began_on_a_panel_moves_nothing(ui: Any) -> None:
    aim = Aim()
    aim.follow(ui)
    before = ui.camera.centre
    obey(aim, ui, pygame.MOUSEBUTTONDOWN, free=False, button=1)
    obey(aim, ui, pygame.MOUSEMOTION, rel=(10, -5), buttons=(1, 0, 0))
    obey(aim, ui, pygame.MOUSEWHEEL, free=False, precise_y=3.0)
    assert ui.camera.centre == before
    assert aim.everything


def test_the_wheel_zooms_at_the_pointer(ui: Any) -> None:
    aim = Aim()
    aim.follow(ui)
    under = ui.camera.pixel_to_world((640.0, 300.0), SIZE)
    obey(aim, ui, pygame.MOUSEWHEEL, precise_y=2.0)
    assert ui.camera.pixel_to_world((640.0, 300.0), SIZE) == pytest.approx(under)
    assert not aim.everything


def test_a_film_shows_what_the_window_shows_between_its_panels(ui: Any) -> None:
    aim = Aim()
    aim.follow(ui)
    obey(aim, ui, pygame.MOUSEWHEEL, precise_y=2.0)
    size = (1920, 1080)
    camera = aim.for_film(ui, size)
    assert camera is not None
    for pixel in ((300.0, 0.0), (980.0, 674.0)):
        x, y = camera.world_to_pixel(ui.camera.pixel_to_world(pixel, SIZE), size)
        assert -1e-6 <= x <= size[0] + 1e-6
        assert -1e-6 <= y <= size[1] + 1e-6
