"""The sphere under the pointer: the one drawn there, or a grain whose edge is near."""

from __future__ import annotations

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.render.picking import point_at, sphere_at
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

from tests.snapshots import snapshot_of, with_fields

SIZE = (800, 600)


def spheres(*places: tuple[float, ...], radius: float = 1.0, fixed: tuple[int, ...] = ()) -> Snapshot:
    count = len(places)
    box = tuple(np.min(places, axis=0) - radius), tuple(np.max(places, axis=0) + radius)
    return snapshot_of(
        position=np.array(places, np.float32),
        radius=np.full(count, radius, np.float32),
        fixed=np.isin(np.arange(count), fixed),
        sphere_id=np.arange(count),
        box=box,
    )


def test_a_disc_is_found_inside_its_edge_and_within_reach_of_it() -> None:
    snapshot, camera = spheres((0.0, 0.0), (5.0, 0.0)), Camera2D((0.0, 0.0), 0.01)

    def found(x: float, reach: float = 6.0) -> int | None:
        return sphere_at(snapshot, View(), camera, SIZE, camera.world_to_pixel((x, 0.0), SIZE), reach)

    assert [found(x) for x in (0.0, 0.99, 1.05, 1.07, 3.95, 4.5, 6.05)] == [0, 0, 0, None, 1, 1, 1]
    assert found(1.05, reach=0.0) is None


def test_a_grain_is_found_before_the_wall_that_it_covers_and_no_wall_within_reach() -> None:
    snapshot, camera = spheres((0.0, 0.0), (0.9, 0.0), fixed=(0,)), Camera2D((0.0, 0.0), 0.01)
    places = camera.world_to_pixel(((0.2, 0.0), (-0.5, 0.0), (-1.03, 0.0)), SIZE)
    assert [sphere_at(snapshot, View(), camera, SIZE, position, 6.0) for position in places] == [1, 0, None]


def test_in_space_the_nearest_sphere_that_is_not_cut_away_is_found() -> None:
    snapshot = spheres((0.0, -3.0, 0.0), (0.0, 0.0, 0.0), (0.0, 3.0, 0.0))
    camera = Camera3D((0.0, 0.0, 0.0), 40.0, *VIEWS["front"])
    middle = camera.world_to_pixel((0.0, 0.0, 0.0), SIZE)
    assert sphere_at(snapshot, View(), camera, SIZE, middle, 6.0) == 0
    cut = View(cut_axis="y", cut_position=0.3)
    assert sphere_at(snapshot, cut, camera, SIZE, middle, 6.0) == 1
    assert sphere_at(snapshot, View(), camera, SIZE, middle + np.array((200.0, 0.0)), 6.0) is None


def test_a_sphere_that_is_not_anywhere_is_not_found() -> None:
    snapshot = with_fields(spheres((0.0, 0.0), (5.0, 0.0)), position=np.array(((np.nan, 0.0), (5.0, 0.0)), np.float32))
    camera = Camera2D((0.0, 0.0), 0.01)
    assert sphere_at(snapshot, View(), camera, SIZE, (400.0, 300.0), 6.0) is None
    assert sphere_at(Snapshot(), View(), camera, SIZE, (400.0, 300.0), 6.0) is None


def test_the_point_under_the_pointer_is_in_the_plane_of_the_picture_through_a_grain() -> None:
    camera, grain = Camera3D((0.1, 0.2, 0.3), 5.0, 0.7, 0.4), np.array((0.4, 0.1, 0.9))
    pixel = camera.world_to_pixel(grain, SIZE)
    assert point_at(camera, SIZE, pixel, grain) == pytest.approx(tuple(grain))
    moved = pixel + np.array((50.0, -20.0))
    there = np.array(point_at(camera, SIZE, moved, grain))
    assert camera.world_to_pixel(there, SIZE) == pytest.approx(moved)
    assert (there - grain) @ camera.axes()[2] == pytest.approx(0.0, abs=1e-12)
