"""From a snapshot to a picture: the passes, in order, in linear light, then text on top.

Import it only once a window is open (see `repose.app.window.window`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import OpenGL.GL as gl
from imgui_bundle import imgui
from numpy.typing import NDArray
from repose.app.render.camera import Box, Camera2D, Inset, Size
from repose.app.render.canvas import Canvas
from repose.app.render.colours import Colour, Ranges, to_linear
from repose.app.render.film_words import FilmWords
from repose.app.render.follow import directed_camera
from repose.app.render.framing import MARGIN, picture_room, picture_scale, whole_scene
from repose.app.render.gpu import Instances, Program, RenderTarget, blends_linearly, has_depth
from repose.app.render.imgui_backend import ImguiBackend
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.passes import Frame, Pass, Plate, PlateColumn, all_passes, band, make_frame
from repose.app.render.passes.scale_bar import longest_bar
from repose.app.render.pictures_side_by_side import Part, gaps, upper_right
from repose.app.render.selection_series import SelectionSeries
from repose.app.render.text_size import TEXT_SIZE
from repose.app.storage.view_settings import View
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message


class Tile(NamedTuple):
    """The picture of a window, or one of the pictures side by side."""

    snapshot: Snapshot
    camera: Camera
    inset: Inset
    """Edges of the window that panels and buttons cover [pixel]."""
    outside: Inset
    """Edges of the window outside the picture [pixel]."""
    plate_column: PlateColumn | None
    band: float = 0.0
    beside: float = 0.0
    covered: tuple[Plate, ...] = ()
    """`repose.app.render.passes.Frame`."""


class Renderer:
    """Draws snapshots in the current OpenGL context; the renderer owns all OpenGL objects that it uses."""

    def __init__(self, gui: ImguiBackend) -> None:
        self._gui = gui
        self._passes = all_passes()
        self._shaded = [item for item in self._passes if item.shader and item.instances]
        self._written = [item for item in self._passes if item.overlay]
        self._programs = {name: Program(name) for name in {item.shader for item in self._passes if item.shader}}
        self._instances = {item.name: Instances(item.attributes) for item in self._passes if item.shader}
        self._rectangles, self._filled = Program("rectangles"), Instances((4, 3))
        self._scene: RenderTarget | None = None
        """The picture of a window that does not blend in linear light."""
        self._window_is_linear: bool | None = None
        self._picture: RenderTarget | None = None
        self._picture_gui: ImguiBackend | None = None
        self._ranges = Ranges()
        self._series: dict[Message, SelectionSeries] = {}

    def draw(
        self,
        tiles: Sequence[Tile],
        view: View,
        size: Size,
        scale: float,
        around: Colour,
        ranges: Ranges | None = None,
        texts: bool = True,
    ) -> None:
        """Draw pictures onto the window between `begin_frame` and `end_frame` of its ImGui backend, and fill the rest
        with the colour `around`.

        `size` is that of the framebuffer [pixel], `scale` the pixels per unit of text (`window.content_scale`); a size
        of zero draws nothing. `ranges` are the ranges of the colours, by default those of the runs. The panels around
        the pictures need no background of their own. Pictures with the same scale of colours have one legend. Without
        `texts` texts and marks, which ImGui draws, are left out.
        """
        if size[0] <= 0 or size[1] <= 0:
            return
        pictures = []
        for tile in tiles:
            frame = self._frame_of(tile, view, size, scale, ranges or self._ranges)
            if ranges is None:
                frame = replace(frame, series=self._series_of(tile.snapshot, view))
            pictures.append((frame, _part(size, tile.outside)))
        bar = min(longest_bar(frame) for frame, _ in pictures)
        alike = len({repr(frame.scale_of_colours) for frame, _ in pictures}) == 1
        shown = upper_right([part for _, part in pictures])
        pictures = [
            (replace(frame, bar=bar, has_legend=not alike or number == shown), part)
            for number, (frame, part) in enumerate(pictures)
        ]
        self._draw_window(pictures)
        self._fill(gaps([part for _, part in pictures], size), size, around)
        if not texts:
            return
        background = imgui.get_background_draw_list()
        for frame, (x, y, width, height) in pictures:
            foot = size[1] - y
            background.push_clip_rect(imgui.ImVec2(x, foot - height), imgui.ImVec2(x + width, foot))
            self._draw_overlay(frame, self._gui)
            background.pop_clip_rect()

    def _frame_of(self, tile: Tile, view: View, size: Size, scale: float, ranges: Ranges) -> Frame:
        left, top, right, bottom = tile.inset
        camera = _fitting(tile.camera, tile.snapshot, size, (left, top, right + tile.band, bottom))
        frame = make_frame(tile.snapshot, view, camera, size, tile.inset, scale * view.text_scale, ranges)
        return replace(frame, plate_column=tile.plate_column, band=tile.band, beside=tile.beside, covered=tile.covered)

    def read(
        self,
        snapshot: Snapshot,
        view: View,
        size: Size,
        camera: Camera | None = None,
        box: Box | None = None,
        film: FilmWords | None = None,
        plain: bool = False,
    ) -> NDArray[np.uint8]:
        """The picture as a new array, shape (height, width, 3), sRGB, top row first.

        Without a camera `box` is framed, or the whole scene (see `repose.app.render.framing`). A film adds its words;
        `plain` leaves all text and marks out. May be called at any time, also inside a frame of the window: the picture
        has its own framebuffer and ImGui context.
        """
        if size[0] <= 0 or size[1] <= 0:
            raise ValueError(f"a picture of {size[0]} x {size[1]} pixels cannot be drawn: both sides must be positive")
        scale = picture_scale(size) * view.text_scale
        beside = 0.0 if plain else band(snapshot, view, size[0], scale)
        fitting = _fitting(camera, snapshot, size, picture_room(size, view.text_scale, beside), box)
        frame = make_frame(snapshot, view, fitting, size, (0.0, 0.0, beside, 0.0), scale, self._ranges)
        frame = replace(
            frame, film=film, plain=plain, plate_column=PlateColumn(in_band=beside > 0.0, below_legend=not beside)
        )
        if not plain:
            frame = replace(frame, series=self._series_of(snapshot, view))
        self._picture = _sized(self._picture, size, deep=frame.dimension == 3)
        self._draw_scene([(frame, (0, 0, *size))], self._picture.framebuffer)
        current = imgui.get_current_context()
        if self._picture_gui is None:
            self._picture_gui = ImguiBackend()
        self._picture_gui.begin_frame(size, scale, dt=1.0 / 60.0)
        self._draw_overlay(frame, self._picture_gui)
        self._picture_gui.end_frame()
        imgui.set_current_context(current)
        pixels = np.empty((size[1], size[0], 3), np.uint8)
        self._picture.read(pixels)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        return np.ascontiguousarray(pixels[::-1])

    def destroy(self) -> None:
        """Release all OpenGL objects of the renderer."""
        for program in (*self._programs.values(), self._rectangles):
            program.destroy()
        for instances in (*self._instances.values(), self._filled):
            instances.destroy()
        for target in (self._scene, self._picture):
            if target is not None:
                target.destroy()
        if self._picture_gui is not None:
            current = imgui.get_current_context()
            self._picture_gui.close()
            imgui.set_current_context(current)
        self._scene = self._picture = self._picture_gui = None

    def _series_of(self, snapshot: Snapshot, view: View) -> SelectionSeries:
        """The series of the selection in the run of a snapshot, up to this snapshot; runs side by side have different
        labels."""
        series = self._series.setdefault(snapshot.run.label, SelectionSeries())
        series.follow(snapshot, view)
        return series

    def _draw_window(self, pictures: Sequence[tuple[Frame, Part]]) -> None:
        """Draw the pictures onto the window: at once if its framebuffer blends in linear light, otherwise in one that
        does, from which they are copied."""
        size, deep = pictures[0][0].size, any(frame.dimension == 3 for frame, _ in pictures)
        if self._window_is_linear is None:
            self._window_is_linear = blends_linearly()
        if self._window_is_linear and (not deep or has_depth()):
            self._draw_scene(pictures, 0)
            return
        self._scene = _sized(self._scene, size, deep)
        self._draw_scene(pictures, self._scene.framebuffer)
        self._show(self._scene, [part for _, part in pictures])

    def _draw_scene(self, pictures: Sequence[tuple[Frame, Part]], framebuffer: int) -> None:
        """Draw all passes of every picture in its part of a framebuffer that blends in linear light.

        The parts are cleared at once, because clearing them one by one costs a software renderer more.
        """
        first, deep = pictures[0][0], any(frame.dimension == 3 for frame, _ in pictures)
        gl.glViewport(0, 0, *first.size)
        gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, framebuffer)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glClearColor(*(float(part) for part in to_linear(first.palette.background)), 1.0)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT if deep else gl.GL_COLOR_BUFFER_BIT)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        for frame, part in pictures:
            gl.glScissor(*part)
            gl.glDisable(gl.GL_DEPTH_TEST)
            self._draw_passes(frame)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glDisable(gl.GL_FRAMEBUFFER_SRGB)  # texts and panels have colours that are encoded already

    def _draw_passes(self, frame: Frame) -> None:
        """Draw all passes of one picture."""
        uniforms = frame.uniforms()
        for item in self._shaded:
            rows = item.instances(frame) if item.instances and item.is_drawn(frame) else None
            if rows is not None and len(rows):
                program = self._programs[item.shader]
                gl.glUseProgram(program.handle)
                for name, value in uniforms.items():
                    program.set(name, value)
                if frame.dimension == 3:
                    _set_depth(item)
                self._instances[item.name].draw(rows)

    def _fill(self, parts: Sequence[Part], size: Size, colour: Colour) -> None:
        """Fill parts of the window, without blending and without `glClear`: a software renderer waits for all that was
        drawn before it clears a part."""
        if not parts:
            return
        corners = [(x, y, x + width, y + height) for x, y, width, height in parts]
        rows = np.empty((len(parts), 7), np.float32)
        rows[:, :4] = 2.0 * np.array(corners) / np.array([*size, *size]) - 1.0
        rows[:, 4:] = colour[:3]
        gl.glDisable(gl.GL_BLEND)
        gl.glUseProgram(self._rectangles.handle)
        self._filled.draw(rows)

    def _show(self, scene: RenderTarget, parts: Sequence[Part]) -> None:
        """Copy the stored sRGB bytes to the window as they are: with conversion off, OpenGL neither decodes nor
        encodes."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, scene.framebuffer)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, 0)
        for x, y, width, height in parts:
            corners = x, y, x + width, y + height
            gl.glBlitFramebuffer(*corners, *corners, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)

    def _draw_overlay(self, frame: Frame, gui: ImguiBackend) -> None:
        canvas = Canvas(imgui.get_background_draw_list(), gui.regular, gui.bold, frame.scale, TEXT_SIZE)
        for item in self._written:
            if item.overlay and item.is_drawn(frame):
                item.overlay(frame, canvas)


def _fitting(camera: Camera | None, snapshot: Snapshot, size: Size, inset: Inset, box: Box | None = None) -> Camera:
    """The camera, if it has the dimension of the snapshot; otherwise a camera that frames `box` or the whole scene."""
    kind = Camera3D if snapshot.grains.position.shape[1] == 3 else Camera2D
    if isinstance(camera, kind):
        return camera
    fitting = directed_camera(snapshot)
    fitting.frame(box or whole_scene(snapshot), size, inset, margin=MARGIN)
    return fitting


def _part(size: Size, inset: Inset) -> Part:
    """The part of the window inside `inset`."""
    left, top, right, bottom = map(round, inset)
    return left, bottom, max(size[0] - left - right, 0), max(size[1] - top - bottom, 0)


def _sized(target: RenderTarget | None, size: Size, deep: bool) -> RenderTarget:
    """The target, if it has this size, and depth where it is needed; otherwise a new one."""
    if target is not None and target.size == size and target.deep >= deep:
        return target
    if target is not None:
        target.destroy()
    return RenderTarget(size, deep)


def _set_depth(item: Pass) -> None:
    """Set depth test and depth writing of a pass."""
    if item.depth == "ignored":
        gl.glDisable(gl.GL_DEPTH_TEST)
        return
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glDepthFunc(gl.GL_LEQUAL)
    gl.glDepthMask(gl.GL_TRUE if item.depth == "kept" else gl.GL_FALSE)
