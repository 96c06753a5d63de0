"""Pixels of the off-screen renderer: discs at any zoom, light, resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from repose.app.render.camera import NO_INSET, Camera2D
from repose.app.render.colours import COLOUR_MAPS, COLOURINGS, DARK, to_linear, to_srgb
from repose.app.render.follow import first_camera
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot

from tests.app.drawn_pictures import BARE, objects, with_view
from tests.app.fake_heap import fake_heap
from tests.app.fake_space import fake_cone
from tests.snapshots import snapshot_of

if TYPE_CHECKING:
    from repose.app.window.picture import PictureMaker

pytestmark = pytest.mark.gl


def draw(
    picture_maker: PictureMaker, snapshot: Snapshot, view: View, pixel: float, size: tuple[int, int] = (64, 64)
) -> Any:
    picture_maker.size = size
    return picture_maker.draw(snapshot, view, Camera2D((0.0, 0.0), pixel)).astype(float)


def one_disc(radius: float, at: tuple[float, float] = (0.0, 0.0)) -> Snapshot:
    return snapshot_of(
        position=np.array([at], np.float32),
        radius=np.array([radius], np.float32),
        fixed=np.array([False]),
        sphere_id=np.array([0]),
    )


def background() -> np.ndarray:
    return np.array(DARK.background) * 255.0


def covered(picture: np.ndarray) -> np.ndarray:
    """Share of each pixel's light that is not background, from the red channel in linear light."""
    ground, face = (float(to_linear(colour[0])) for colour in (DARK.background, DARK.grain))
    return (to_linear(picture[..., 0] / 255.0) - ground) / (face - ground)


def test_an_empty_picture_is_exactly_the_background(picture_maker: PictureMaker) -> None:
    picture = draw(picture_maker, Snapshot(), BARE, 1.0)
    assert picture.shape == (64, 64, 3)
    assert np.abs(picture - background()).max() <= 0.51


def test_a_disc_has_its_colour_and_covers_its_area(picture_maker: PictureMaker) -> None:
    picture = draw(picture_maker, one_disc(20.0), BARE, 1.0)
    assert np.abs(picture[31:33, 31:33] - np.array(DARK.grain) * 255).max() <= 2.0
    touched = (np.abs(picture - background()) > 2.0).any(axis=2)
    assert touched.sum() == pytest.approx(np.pi * 20.0**2, rel=0.06)
    assert not touched[:10].any()
    assert not touched[:, :10].any()


def test_up_is_up_and_right_is_right(picture_maker: PictureMaker) -> None:
    picture = draw(picture_maker, one_disc(4.0, at=(20.0, 12.0)), BARE, 1.0)
    rows, columns = np.nonzero((np.abs(picture - background()) > 20).any(axis=2))
    assert rows.mean() == pytest.approx(31.5 - 12, abs=0.6)
    assert columns.mean() == pytest.approx(31.5 + 20, abs=0.6)


@pytest.mark.parametrize("pixel", [1e-3, 1e-6, 0.5, 37.0])
def test_the_edge_is_one_pixel_wide_at_any_zoom(picture_maker: PictureMaker, pixel: float) -> None:
    """Straight across the rim: the pixel that the true edge cuts gets its share of light, the next one none."""
    picture = draw(picture_maker, one_disc(20.3 * pixel, at=(0.5 * pixel, 0.5 * pixel)), BARE, pixel)
    row = picture[31, 32:, 0]
    outside = np.abs(row - background()[0]) < 0.6
    first = int(np.argmax(outside))
    assert first == 21, "a radius of 20.3 pixels about a pixel's middle reaches into the 20th pixel beyond it"
    rim, ground = DARK.rim * to_linear(DARK.grain[0]), to_linear(DARK.background[0])
    edge = to_linear(row[first - 1] / 255.0)
    assert (edge - ground) / (rim - ground) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("radius", [0.05, 0.2, 0.45])
def test_a_disc_smaller_than_a_pixel_gives_its_share_of_light(picture_maker: PictureMaker, radius: float) -> None:
    picture = draw(picture_maker, one_disc(radius, at=(0.5, 0.5)), BARE, 1.0)
    assert float(covered(picture).sum()) == pytest.approx(np.pi * radius**2, rel=0.5, abs=0.02)


def test_half_coverage_of_a_pixel_gives_half_the_linear_light(picture_maker: PictureMaker) -> None:
    """Black and white mixed half and half in linear light are stored as 188, not 128."""
    import OpenGL.GL as gl
    from repose.app.render.gpu import Instances, Program, RenderTarget

    program, instances, target = Program("lines"), Instances((4, 1, 4)), RenderTarget((8, 8))
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target.framebuffer)
    gl.glViewport(0, 0, 8, 8)
    gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)
    gl.glEnable(gl.GL_BLEND)
    gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
    gl.glClearColor(0.0, 0.0, 0.0, 1.0)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glUseProgram(program.handle)
    gl.glUniform2f(program.place("camera_centre"), 0.0, 0.0)
    gl.glUniform1f(program.place("metres_per_pixel"), 1.0)
    gl.glUniform2f(program.place("framebuffer"), 8.0, 8.0)
    instances.draw(np.array([[-9.0, 0.0, 9.0, 0.0, 30.0, 1.0, 1.0, 1.0, 0.5]], np.float32))
    gl.glDisable(gl.GL_FRAMEBUFFER_SRGB)
    stored = np.zeros((8, 8, 3), np.uint8)
    target.read(stored)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    for thing in (program, instances, target):
        thing.destroy()
    assert np.abs(stored.astype(int) - 188).max() <= 1


def test_a_uniform_is_passed_on_when_it_changes_and_if_the_shader_has_it(
    picture_maker: PictureMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    import OpenGL.GL as gl
    from repose.app.render.gpu import Program

    program, passed = Program("lines"), list[float]()
    gl.glUseProgram(program.handle)
    monkeypatch.setattr(gl, "glUniform1f", lambda place, value: passed.append(value))
    for name, value in (
        ("metres_per_pixel", 1.0),
        ("metres_per_pixel", 1.0),
        ("no_such", 2.0),
        ("metres_per_pixel", 3.0),
    ):
        program.set(name, value)
    program.destroy()
    assert passed == [1.0, 3.0]


def test_a_line_is_as_wide_as_asked(picture_maker: PictureMaker) -> None:
    heap = snapshot_of(
        position=np.array([[-20.0, 0.0], [20.0, 0.0]], np.float32),
        radius=np.array([1e-3, 1e-3], np.float32),
        fixed=np.zeros(2, np.bool_),
        sphere_id=np.arange(2),
        ends=np.array([[-20.0, 0.0, 20.0, 0.0]], np.float32),
        force=np.array([1.0], np.float32),
    )
    heap.grains.radius[:] = 4.0 / 0.12
    lines_only = draw(picture_maker, heap, with_view(BARE, force_chains=True), 1.0)
    column = to_linear(lines_only[:, 32, 0] / 255.0)
    bright = column > 0.5 * column.max()
    assert int(bright.sum()) == 4


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("colour_by", list(COLOURINGS))
def test_every_colouring_draws_with_everything_switched_on(
    picture_maker: PictureMaker, colour_by: str, dark: bool
) -> None:
    picture_maker.size = (320, 200)
    view = View(colour_by=colour_by, dark=dark, shown={"force_chains": True, "caption": True})
    for snapshot in (fake_heap(), Snapshot()):
        picture = picture_maker.draw(snapshot, view)
        assert picture.shape == (200, 320, 3)
        assert picture.dtype == np.uint8
        assert len(np.unique(picture)) > 10


@pytest.mark.case("G06")
@pytest.mark.parametrize(
    ("stage", "source"),
    [
        ("vertex", "void main() { nonsense }"),
        ("fragment", "#ifdef VERTEX\nvoid main() {}\n#endif\n#ifdef FRAGMENT\n!\n#endif"),
    ],
)
def test_a_broken_shader_is_named_and_leaves_nothing_behind(
    picture_maker: PictureMaker, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, stage: str, source: str
) -> None:
    from repose.app.render import gpu

    (tmp_path / "broken.glsl").write_text(source, encoding="utf-8")
    monkeypatch.setattr(gpu, "files", lambda _: tmp_path)
    before = objects()
    with pytest.raises(gpu.ShaderError, match=rf"broken\.glsl \({stage} stage\)"):
        gpu.Program("broken")
    assert objects() == before


@pytest.mark.parametrize("name", COLOUR_MAPS)
def test_grains_have_the_colour_of_the_legend(picture_maker: PictureMaker, name: str) -> None:
    from repose.app.render.colours import shades

    disc = one_disc(20.0)
    disc.grains.columns["coordination"] = np.array([3.0], np.float32)
    view = with_view(BARE, colour_by="coordination", colour_map=name)
    middle = draw(picture_maker, disc, view, 1.0)[32, 32]
    assert np.abs(middle - to_srgb(shades(0.5, name, DARK)) * 255).max() <= 2.5


def test_the_same_snapshot_gives_the_same_picture(picture_maker: PictureMaker) -> None:
    picture_maker.size = (200, 120)
    first, second = (picture_maker.draw(fake_heap(), View(colour_by="layer")) for _ in range(2))
    assert np.array_equal(first, second)


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (641, 361), (2000, 40)])
def test_odd_sizes_are_drawn(picture_maker: PictureMaker, size: tuple[int, int]) -> None:
    picture_maker.size = size
    assert picture_maker.draw(fake_heap(), View()).shape == (size[1], size[0], 3)


def test_a_picture_without_pixels_is_refused_with_its_size(picture_maker: PictureMaker) -> None:
    picture_maker.size = (0, 720)
    with pytest.raises(ValueError, match="0 x 720"):
        picture_maker.draw(fake_heap(), View())
    picture_maker.size = (64, 64)


def test_positions_that_are_not_finite_disturb_no_other_grain(picture_maker: PictureMaker) -> None:
    two = snapshot_of(
        position=np.array([[0.0, 0.0], [np.nan, np.inf]], np.float32),
        radius=np.array([10.0, 10.0], np.float32),
        fixed=np.zeros(2, np.bool_),
        sphere_id=np.arange(2),
    )
    assert np.array_equal(draw(picture_maker, two, BARE, 1.0), draw(picture_maker, one_disc(10.0), BARE, 1.0))


@pytest.mark.case("G20")
def test_all_opengl_objects_are_released(picture_maker: PictureMaker) -> None:
    from repose.app.render.imgui_backend import ImguiBackend, imgui
    from repose.app.render.renderer import Renderer

    kept = imgui.get_current_context()
    before = objects()
    for size in ((64, 64), (100, 40), (33, 77)):
        gui = ImguiBackend()
        renderer = Renderer(gui)
        renderer.read(fake_heap(), View(), size)
        renderer.read(fake_heap(), View(shown={"force_chains": True}), (size[1], size[0]))
        assert objects() != before
        renderer.destroy()
        gui.close()
    imgui.set_current_context(kept)
    assert objects() == before


def test_a_window_of_zero_size_draws_nothing(picture_maker: PictureMaker) -> None:
    from repose.app.render.renderer import Tile

    tile = Tile(fake_heap(), Camera2D(), NO_INSET, NO_INSET, None)
    picture_maker._renderer.draw([tile], View(), (0, 0), 1.0, (0.0, 0.0, 0.0))
    picture_maker._renderer.draw([tile], View(), (300, 0), 1.0, (0.0, 0.0, 0.0))


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("flat", [True, False])
def test_a_window_that_cannot_blend_in_linear_light_shows_the_same_picture(
    picture_maker: PictureMaker, flat: bool, dark: bool
) -> None:
    import OpenGL.GL as gl
    from repose.app.render.renderer import Tile

    renderer, size = picture_maker._renderer, (64, 48)
    snapshot = fake_heap() if flat else fake_cone(100)
    tile = Tile(snapshot, first_camera(snapshot, size, NO_INSET), NO_INSET, (0.0, 0.0, 24.0, 0.0), None)
    shown, said = [], renderer._window_is_linear
    for linear in (None, False):
        renderer._window_is_linear = linear
        renderer.draw([tile], with_view(BARE, dark=dark), size, 1.0, (0.2, 0.4, 0.6), texts=False)
        pixels = np.zeros((size[1], size[0], 3), np.uint8)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, *size, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pixels)
        shown.append(pixels.astype(int))
    renderer._window_is_linear = said
    assert np.abs(shown[0] - shown[1]).max() <= 1
    assert shown[0][:, :40].std() > 5.0  # grains on a ground
    assert (shown[0][:, 40:] == [51, 102, 153]).all()  # the colour beside the picture


def test_rows_of_the_wrong_width_are_refused(picture_maker: PictureMaker) -> None:
    from repose.app.render.gpu import Instances

    instances = Instances((2, 1))
    with pytest.raises(ValueError, match="shape"):
        instances.draw(np.zeros((5, 4), np.float32))
    instances.destroy()


def test_a_hundred_thousand_discs_are_drawn_in_one_picture(picture_maker: PictureMaker) -> None:
    side = 320
    position = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2) - 0.5 * (side - 1)
    many = snapshot_of(
        position=position.astype(np.float32),
        radius=np.full(side**2, 0.5, np.float32),
        fixed=np.zeros(side**2, bool),
        sphere_id=np.arange(side**2),
    )
    picture = draw(picture_maker, many, BARE, 1.0, (400, 400))
    inside, outside = covered(picture)[60:-60, 60:-60], covered(picture)[:30]
    # Touching discs cover pi/4 of the plane, each pixel half as much again or less where rims are darker.
    assert 0.3 < inside.mean() < 1.0
    assert inside.min() > 0.1
    assert outside.max() < 0.01
