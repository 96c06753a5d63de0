"""Pixels of spheres: exact depth, smooth edges, colours of the legend."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from repose.app.render import hidden
from repose.app.render.colours import COLOUR_MAPS, DARK, shades, to_linear, to_srgb
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.render.passes import spheres
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

from tests.app.drawn_pictures import BARE, SIZE, draw, eye, lit, with_view
from tests.app.fake_space import few_spheres
from tests.snapshots import put, with_fields

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker
    from repose.sim.experiment.snapshot import Floats

pytestmark = pytest.mark.gl


def two_colours() -> Snapshot:
    """Two spheres that run into each other, one at each end of the map."""
    snapshot = few_spheres((-0.35, 0.1, 0.0, 0.7), (0.35, -0.1, 0.1, 0.6))
    snapshot.grains.columns["coordination"] = np.array((0.0, 10.0), np.float32)
    return snapshot


def nearest_sphere(snapshot: Snapshot, camera: Camera3D) -> np.ndarray:
    """Which sphere each line of sight meets first, by formula; -1 for none, -2 where an edge is too near to tell."""
    found = np.full((SIZE[1], SIZE[0]), -1)
    for row in range(SIZE[1]):
        for column in range(SIZE[0]):
            start, way = camera.ray((column + 0.5, row + 0.5), SIZE)
            hits = []
            for index, (centre, radius) in enumerate(zip(snapshot.grains.position, snapshot.grains.radius)):
                ahead = float((centre - start) @ way)
                off = float(np.linalg.norm(start + ahead * way - centre))
                if abs(off - radius) < 2.0 * camera.resolution(SIZE):
                    hits.append((-math.inf, -2))
                elif off < radius:
                    hits.append((ahead - math.sqrt(float(radius) ** 2 - off**2), index))
            if len(hits) == 2 and abs(hits[0][0] - hits[1][0]) < 2e-2:
                hits.append((-math.inf, -2))
            if hits:
                found[row, column] = min(hits)[1]
    return found


@pytest.mark.parametrize("name", list(VIEWS))
def test_of_overlapping_spheres_the_nearer_surface_is_visible(picture_maker: PictureMaker, name: str) -> None:
    snapshot, camera = two_colours(), eye(name)
    view = with_view(BARE, colour_by="coordination")
    picture = draw(picture_maker, snapshot, view, camera)
    expected = nearest_sphere(snapshot, camera)
    # The low end of the map is blue, the high end yellow.
    yellow = picture[..., 0] > picture[..., 2]
    for index, is_yellow in ((0, False), (1, True)):
        there = expected == index
        assert there.sum() > 80
        assert (yellow[there] == is_yellow).all()
    assert not lit(picture)[expected == -1].any()


def test_the_order_of_the_rows_does_not_matter(picture_maker: PictureMaker) -> None:
    snapshot = two_colours()
    turned = with_fields(
        snapshot,
        position=snapshot.grains.position[::-1].copy(),
        radius=snapshot.grains.radius[::-1].copy(),
        columns={"coordination": snapshot.grains.columns["coordination"][::-1].copy()},
    )
    view = with_view(BARE, colour_by="coordination")
    assert np.array_equal(draw(picture_maker, snapshot, view), draw(picture_maker, turned, view))


def test_a_sphere_off_the_axis_covers_the_ellipse_that_perspective_makes_of_it(picture_maker: PictureMaker) -> None:
    snapshot, camera = few_spheres((1.0, 0.3, 0.5, 0.4)), eye(distance=4.0, fov=math.radians(50.0))
    touched = lit(draw(picture_maker, snapshot, BARE, camera))
    start = camera.eye()
    for row in range(SIZE[1]):
        for column in range(SIZE[0]):
            _, way = camera.ray((column + 0.5, row + 0.5), SIZE)
            arm = snapshot.grains.position[0] - start
            off = float(np.linalg.norm(arm - (arm @ way) * way))
            if abs(off - 0.4) > 1.2 * camera.resolution(SIZE):
                assert touched[row, column] == (off < 0.4)


@pytest.mark.parametrize("radius", [0.5, 0.12])
def test_the_silhouette_is_smooth(picture_maker: PictureMaker, radius: float) -> None:
    """The light a sphere adds grows evenly with its size: no pixel is all or nothing."""

    def added(size: float) -> float:
        picture = draw(picture_maker, few_spheres((0.003, 0.0, 0.002, size)), BARE, eye(distance=6.0))
        return float((to_linear(picture / 255.0) - to_linear(np.array(DARK.background))).sum())

    sizes = radius * np.linspace(1.0, 1.08, 9)
    light = np.array([added(size) for size in sizes])
    steps = np.diff(light)
    assert (steps > 0.0).all()
    assert steps.max() < 2.5 * steps.min()


def test_a_sphere_smaller_than_a_pixel_gives_its_share_of_light(picture_maker: PictureMaker) -> None:
    def added(size: float) -> float:
        picture = draw(picture_maker, few_spheres((0.01, 0.0, 0.01, size)))
        return float((to_linear(picture / 255.0) - to_linear(np.array(DARK.background))).sum())

    pixel = eye().resolution(SIZE)
    assert added(0.4 * pixel) / added(0.2 * pixel) == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_the_brightest_side_has_the_colour_of_the_legend(picture_maker: PictureMaker, name: str) -> None:
    snapshot = few_spheres((0.0, 0.0, 0.0, 1.0))
    snapshot.grains.columns["coordination"] = np.array((5.0,), np.float32)
    view = with_view(BARE, colour_by="coordination", colour_map=name)
    picture = draw(picture_maker, snapshot, view, eye("three-quarter"))
    promised = to_srgb(shades(0.5, name, DARK)) * 255.0
    best = picture.reshape(-1, 3)[picture.sum(axis=2).argmax()]
    assert np.abs(best - promised).max() <= 6.0
    face = picture[lit(picture)]
    hue = face / np.maximum(face.max(axis=1), 1.0)[:, None]
    bright = face.max(axis=1) > 0.6 * promised.max()
    assert np.abs(hue[bright] - promised / promised.max()).max() < 0.06


def test_colours_are_the_same_numbers_as_in_the_plane(picture_maker: PictureMaker) -> None:
    """Both pictures take the face colours from one place; the legend beside them is the same too."""
    flat, deep = few_spheres((0.0, 0.0, 0.0, 1.0)), few_spheres((0.0, 0.0, 0.0, 1.0))
    put(flat, position=flat.grains.position[:, :2])
    put(flat, box=((-2.0, -2.0), (2.0, 2.0)))
    for snapshot in (flat, deep):
        snapshot.grains.columns["speed"] = np.array((0.02,), np.float32)
    picture_maker.size = (640, 360)
    view = View(shown={"scale_bar": False, "box": False})
    pictures = [picture_maker.draw(snapshot, view) for snapshot in (flat, deep)]
    assert np.array_equal(pictures[0][:80, 400:], pictures[1][:80, 400:])


def test_orientation_marks_are_drawn_only_with_rotation_and_follow_it(picture_maker: PictureMaker) -> None:
    plain = few_spheres((0.0, 0.0, 0.0, 1.0))
    marked, turned = replace(plain), replace(plain)
    put(marked, orientation=np.array(((1.0, 0.0, 0.0, 0.0),), np.float32))
    put(turned, orientation=np.array(((math.cos(0.2), 0.0, 0.0, math.sin(0.2)),), np.float32))
    camera = eye("three-quarter")
    pictures = [draw(picture_maker, snapshot, BARE, camera) for snapshot in (plain, marked, turned)]
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])
    # A quarter turn about an axis swaps the two tones, half a turn brings them back.
    half = with_fields(plain, orientation=np.array(((0.0, 0.0, 0.0, 1.0),), np.float32))
    assert np.abs(draw(picture_maker, half, BARE, camera) - pictures[1]).max() <= 1.0


def test_spheres_around_and_behind_the_camera_or_not_finite_change_no_other_pixel(picture_maker: PictureMaker) -> None:
    lone = few_spheres((0.0, 0.0, 0.0, 0.5))
    cluster = few_spheres(
        (0.0, 0.0, 0.0, 0.5), (0.0, -6.0, 0.0, 0.3), (0.0, -9.0, 0.0, 0.5), (math.nan, math.inf, 0.0, 0.5)
    )
    for snapshot in (lone, cluster):
        put(snapshot, box=((-20.0, -20.0, -20.0), (20.0, 20.0, 20.0)))
    assert np.abs(draw(picture_maker, lone) - draw(picture_maker, cluster)).max() <= 1.0


@pytest.mark.parametrize("distance", [5.0, 3.2])
@pytest.mark.parametrize("name", ["front", "three-quarter"])
def test_spheres_hidden_behind_others_are_left_out_and_the_picture_is_the_same(
    picture_maker: PictureMaker, monkeypatch: pytest.MonkeyPatch, name: str, distance: float
) -> None:
    generator = np.random.default_rng(1)
    packed = few_spheres(
        *np.column_stack((generator.uniform(-1.0, 1.0, (1500, 3)), generator.uniform(0.05, 0.25, 1500)))
    )
    camera, shares, real = eye(name, distance, offset=(13.0, -7.0)), [], hidden.seen_from

    def counted(camera: Camera3D, size: tuple[int, int], position: Floats, radius: Floats) -> np.ndarray:
        found = real(camera, size, position, radius)
        shares.append(found.mean())
        return found

    monkeypatch.setattr(spheres, "seen_from", counted)
    culled = draw(picture_maker, packed, camera=camera)
    monkeypatch.setattr(spheres, "seen_from", lambda camera, size, position, radius: np.ones(len(radius), bool))
    assert (draw(picture_maker, packed, camera=camera) == culled).all()
    assert 0.0 < shares[0] < 0.6
