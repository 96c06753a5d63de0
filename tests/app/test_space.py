"""Walls, ground and marks of a scene in space; a scene does not change the pictures of the next one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from repose.app.render.camera import Camera2D
from repose.app.render.colours import DARK
from repose.app.render.orbit import VIEWS, Camera3D
from repose.app.storage.view_settings import View

from tests.app.drawn_pictures import BARE, draw, eye, lit, objects, with_view
from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone, few_spheres
from tests.snapshots import put, with_fields

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker

pytestmark = pytest.mark.gl


def test_walls_are_transparent_and_hidden_by_nearer_grains(picture_maker: PictureMaker) -> None:
    sheet = np.array((((-3, 0, -3), (3, 0, -3), (0, 0, 4)),), np.float32)
    grain = few_spheres((0.0, 0.0, 0.0, 0.5))
    view = with_view(BARE, box=True)
    bare = draw(picture_maker, with_fields(grain, facets=sheet[:0]), BARE)
    before = draw(picture_maker, with_fields(grain, facets=sheet - np.float32((0, 1, 0))), view)
    behind = draw(picture_maker, with_fields(grain, facets=sheet + np.float32((0, 1, 0))), view)
    middle = (slice(44, 52), slice(44, 52))
    assert (before[middle] > bare[middle]).any()
    assert np.abs(before[middle] - bare[middle]).max() < 60.0
    assert np.abs(behind[middle] - bare[middle]).max() <= 1.0
    # Beside the grain both sheets tint the background by the same, small amount.
    ground = np.array(DARK.background) * 255.0
    tint = (before[40:44, 20:24] - ground).mean()
    assert 4.0 < tint < 80.0
    assert (behind[40:44, 20:24] - ground).mean() == pytest.approx(tint, abs=1.5)


def test_a_wall_seen_from_behind_is_fainter(picture_maker: PictureMaker) -> None:
    sheet = np.array((((-3, 0, -3), (3, 0, -3), (0, 0, 4)),), np.float32)
    view = with_view(BARE, box=True)
    front, back = (
        draw(picture_maker, with_fields(few_spheres(), facets=facets), view) for facets in (sheet, sheet[:, ::-1])
    )
    assert front[40:44, 44:52].mean() > back[40:44, 44:52].mean() + 2.0


def test_the_cut_away_hides_only_what_is_in_front_of_it(picture_maker: PictureMaker) -> None:
    snapshot = few_spheres((-0.8, -0.5, 0.0, 0.3), (0.8, 0.5, 0.0, 0.3))
    cut = with_view(BARE, cut_axis="y", cut_position=0.5)
    whole, opened = lit(draw(picture_maker, snapshot, BARE)), lit(draw(picture_maker, snapshot, cut))
    assert whole[:, :48].any()
    assert not opened[:, :48].any()
    assert np.array_equal(whole[:, 48:], opened[:, 48:])
    from_behind = lit(draw(picture_maker, snapshot, cut, Camera3D((0.0, 0.0, 0.0), 6.0, math.radians(90.0), 0.0)))
    assert from_behind[:, 48:].any()
    assert not from_behind[:, :48].any()


def test_the_cut_away_cuts_walls_through(picture_maker: PictureMaker) -> None:
    sheet = np.array((((0, -3, -3), (0.02, 3, -3), (0.02, 3, 3)), ((0, -3, -3), (0.02, 3, 3), (0, -3, 3))), np.float32)
    snapshot = with_fields(few_spheres(), facets=sheet)
    camera = Camera3D((0.0, 0.0, 0.0), 6.0, math.radians(-30.0), 0.1)
    whole = lit(draw(picture_maker, snapshot, with_view(BARE, box=True), camera))
    opened = lit(draw(picture_maker, snapshot, with_view(BARE, box=True, cut_axis="y"), camera))
    assert 0 < opened.sum() < 0.8 * whole.sum()


def test_force_chains_are_hidden_by_what_is_nearer(picture_maker: PictureMaker) -> None:
    rod = few_spheres((-1.0, 0.0, 0.0, 0.5), (1.0, 0.0, 0.0, 0.5))
    put(rod, ends=np.array(((-1.0, 0.0, 0.0, 1.0, 0.0, 0.0),), np.float32))
    put(rod, force=np.array((1.0,), np.float32))
    view = with_view(BARE, force_chains=True)
    closer = few_spheres((-1.0, 0.0, 0.0, 0.5), (1.0, 0.0, 0.0, 0.5), (0.0, -1.0, 0.0, 1.2))
    put(closer, ends=rod.contacts.ends, force=rod.contacts.force)
    bare = np.array(DARK.background) * 255.0
    seen, hidden = (draw(picture_maker, snapshot, view)[47:49, 48] - bare for snapshot in (rod, closer))
    # A rod is redder than the background by far, a grain in the colour of sand is not.
    assert (seen[:, 0] > seen[:, 2] + 50.0).all()
    assert (hidden[:, 0] < hidden[:, 2] + 50.0).all()


def test_ghosts_show_and_do_not_hide_the_grain_behind(picture_maker: PictureMaker) -> None:
    grain = few_spheres((0.0, 0.5, 0.0, 0.3))
    ghost = with_fields(grain, ghosts=np.array(((0.0, -0.5, 0.0, 0.8),), np.float32))
    bare, both = draw(picture_maker, grain), draw(picture_maker, ghost)
    assert lit(both).sum() > 2 * lit(bare).sum()
    assert np.abs(both[46:50, 46:50] - bare[46:50, 46:50]).max() < 60.0


def test_the_ground_is_darker_in_the_shadow_and_invisible_from_below(picture_maker: PictureMaker) -> None:
    grain, nothing = few_spheres((0.0, 0.0, -1.5, 0.5)), few_spheres()
    view = with_view(BARE, box=True)
    camera = eye("three-quarter", distance=12.0)
    for snapshot in (grain, nothing):
        put(snapshot, facets=np.array((((-2, -2, -2), (2, -2, -2), (2, 2, -2)),), np.float32))
    with_grain, without = draw(picture_maker, grain, view, camera), draw(picture_maker, nothing, view, camera)
    assert ((without - with_grain).max(axis=2) > 8.0).sum() > 40
    below = Camera3D((0.0, 0.0, 0.0), 12.0, 0.0, math.radians(-60.0))
    seen = draw(picture_maker, with_fields(nothing, facets=nothing.geometry.facets[:0]), view, below)
    assert lit(seen).mean() < 0.2


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("name", list(VIEWS))
def test_all_passes_draw_from_every_side(picture_maker: PictureMaker, name: str, dark: bool) -> None:
    picture_maker.size = (320, 200)
    heap = fake_cone(200)
    put(heap, ghosts=np.array(((0.0, 0.0, 0.05, 0.01),), np.float32))
    for chains in (False, True):
        view = View(dark=dark, cut_axis="x", shown={"force_chains": chains, "caption": True})
        azimuth, elevation = VIEWS[name]
        camera = Camera3D(azimuth=azimuth, elevation=elevation)
        camera.frame(heap.geometry.box, picture_maker.size)
        picture = picture_maker.draw(heap, view, camera)
        assert picture.shape == (200, 320, 3)
        assert len(np.unique(picture)) > 30


def test_a_picture_without_a_camera_shows_the_whole_scene(picture_maker: PictureMaker) -> None:
    picture_maker.size = (320, 200)
    picture = picture_maker.draw(fake_cone(200), View(shown={"legend": False})).astype(float)
    assert lit(picture)[60:150, 100:220].mean() > 0.2


def test_a_camera_of_the_other_dimension_is_not_used(picture_maker: PictureMaker) -> None:
    picture_maker.size = (160, 100)
    view = View(colour_by="layer")
    for snapshot, other in ((fake_cone(60), Camera2D()), (fake_heap(), Camera3D())):
        assert np.array_equal(picture_maker.draw(snapshot, view, other), picture_maker.draw(snapshot, view))


def test_a_picture_in_space_does_not_change_later_pictures_of_the_plane(picture_maker: PictureMaker) -> None:
    picture_maker.size = (200, 120)
    view = View(colour_by="layer", shown={"force_chains": True})
    before = picture_maker.draw(fake_heap(), view)
    picture_maker.draw(fake_cone(100), View())
    assert np.array_equal(picture_maker.draw(fake_heap(), view), before)


def test_the_same_scene_gives_the_same_picture(picture_maker: PictureMaker) -> None:
    picture_maker.size = (200, 120)
    first, second = (picture_maker.draw(fake_cone(100), View(colour_by="layer")) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (641, 61), (900, 40)])
def test_odd_sizes_are_drawn(picture_maker: PictureMaker, size: tuple[int, int]) -> None:
    picture_maker.size = size
    assert picture_maker.draw(fake_cone(60), View()).shape == (size[1], size[0], 3)


def test_alternating_scenes_in_plane_and_space_release_all_resources(picture_maker: PictureMaker) -> None:
    import OpenGL.GL as gl
    from repose.app.render.imgui_backend import ImguiBackend, imgui
    from repose.app.render.renderer import Renderer

    def alive() -> dict[str, int]:
        return objects() | {"renderbuffer": sum(bool(gl.glIsRenderbuffer(name)) for name in range(1, 200))}

    kept = imgui.get_current_context()
    before = alive()
    gui = ImguiBackend()
    renderer = Renderer(gui)
    for size in ((64, 64), (33, 77)):
        renderer.read(fake_cone(60), View(), size)
        renderer.read(fake_heap(), View(), size)
        renderer.read(fake_cone(60), View(shown={"force_chains": True}), size)
    renderer.destroy()
    gui.close()
    imgui.set_current_context(kept)
    assert alive() == before
