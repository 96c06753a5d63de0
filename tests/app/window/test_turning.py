"""The glass turned with the mouse: the picture follows; after a release beyond 90° the experiment is turned."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pygame
import pytest
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.ui.ui import WindowArea
from repose.app.window.turning import Turning, swept, turned
from repose.sim.experiment.commands import Act
from repose.sim.experiment.snapshot import Action, Snapshot

from tests.snapshots import put, snapshot_of

PIVOT = (0.0, 0.0, 0.75)
BOX = ((-0.2, -0.2, 0.0), (0.2, 0.2, 1.5))
TURN = Action("turn", "Turn over", "T", True, "", pivot=PIVOT)
SIZE = (1000, 800)


def scene(enabled: bool = True) -> Snapshot:
    return snapshot_of(
        serial=1,
        box=BOX,
        position=np.array(((0.1, 0.05, 0.2),), np.float32),
        orientation=np.array(((1.0, 0.0, 0.0, 0.0),), np.float32),
        facets=np.zeros((1, 3, 3), np.float32),
        ends=np.array(((0.1, 0.05, 0.2, 0.0, 0.0, 0.75),), np.float32),
        actions=(replace(TURN, enabled=enabled),),
    )


@pytest.fixture
def ui() -> Any:
    camera = Camera3D(azimuth=VIEWS["side"][0], elevation=0.0)
    camera.frame(BOX, SIZE)
    sent: list[Any] = []
    return SimpleNamespace(
        snapshot=scene(), camera=camera, window=WindowArea(SIZE), sent=sent, control=SimpleNamespace(send=sent.append)
    )


def ctrl_drag(turning: Turning, ui: Any, angle: float, steps: int = 20, held: bool = True) -> None:
    """Sweep the pointer about the pivot, clockwise as seen, by `angle` [rad], and release the button."""
    centre = ui.camera.world_to_pixel(PIVOT, ui.window.size)
    way = [centre + 200.0 * np.array((math.sin(a), -math.cos(a))) for a in np.linspace(0.0, angle, steps)]
    turning.handle(pygame.event.Event(pygame.KEYDOWN, mod=pygame.KMOD_CTRL if held else 0), ui, True)
    taken = turning.handle(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=1), ui, True)
    assert taken == (held and ui.snapshot.run.actions[0].enabled)
    for before, now in pairwise(way):
        event = pygame.event.Event(pygame.MOUSEMOTION, pos=tuple(now), rel=tuple(now - before))
        turning.handle(event, ui, True)
        turning.update(ui)
    turning.handle(pygame.event.Event(pygame.MOUSEBUTTONUP, button=1), ui, True)


def test_a_turn_released_beyond_half_way_turns_the_experiment_once(ui: Any) -> None:
    turning = Turning()
    ctrl_drag(turning, ui, 2.0)
    assert turning.angle == pytest.approx(-2.0, abs=1e-6)
    for _ in range(60):
        turning.update(ui)
    assert ui.sent == [Act("turn")]
    assert abs(turning.angle) == math.pi  # until the experiment itself is turned
    ui.snapshot = scene(enabled=False)
    turning.update(ui)
    assert turning.angle == 0.0


def test_a_turn_released_before_half_way_returns(ui: Any) -> None:
    turning = Turning()
    ctrl_drag(turning, ui, 1.4)
    for _ in range(60):
        turning.update(ui)
    assert (turning.angle, ui.sent) == (0.0, [])


def test_a_drag_without_ctrl_or_at_the_wrong_time_moves_the_camera(ui: Any) -> None:
    turning = Turning()
    ctrl_drag(turning, ui, 2.0, held=False)
    ui.snapshot = scene(enabled=False)
    ctrl_drag(turning, ui, 2.0)
    assert (turning.angle, ui.sent) == (0.0, [])
    assert turning.picture(ui.snapshot) is ui.snapshot


def test_after_a_refused_turn_the_picture_shows_the_experiment_again(ui: Any) -> None:
    turning = Turning()
    ctrl_drag(turning, ui, 3.0)
    for _ in range(400):
        turning.update(ui)
    assert (turning.angle, ui.sent) == (0.0, [Act("turn")])


@pytest.mark.parametrize("name", ["front", "three-quarter"])
def test_seen_from_the_side_the_near_face_follows_the_mouse(name: str) -> None:
    camera = Camera3D(azimuth=VIEWS[name][0], elevation=VIEWS[name][1])
    camera.frame(BOX, SIZE)
    angle = swept(camera, SIZE, PIVOT, (500.0, 400.0), (0.0, 10.0), BOX)
    assert 0.0 < angle < 0.2
    near = scene()
    put(near, position=np.array(((0.0, -0.2, 0.75),), np.float32))
    after = turned(near, PIVOT, angle)
    assert (
        camera.world_to_pixel(after.grains.position, SIZE)[0, 1]
        > camera.world_to_pixel(near.grains.position, SIZE)[0, 1]
    )


def test_a_half_turn_of_the_picture_equals_the_turn_of_the_scene() -> None:
    after = turned(scene(), PIVOT, math.pi)
    assert after.grains.position == pytest.approx(np.array(((0.1, -0.05, 1.3),)), abs=1e-6)
    assert after.contacts.ends[0] == pytest.approx((0.1, -0.05, 1.3, 0.0, 0.0, 0.75), abs=1e-6)
    assert after.grains.orientation[0] == pytest.approx((0.0, 1.0, 0.0, 0.0), abs=1e-6)
