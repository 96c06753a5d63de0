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
from repose.app.render.framing import MARGIN, picture_room, picture_scale, whole_scene
from repose.app.render.gpu import Instances, Program, RenderTarget
from repose.app.render.imgui_backend import ImguiBackend
from repose.app.render.orbit import Camera, Camera3D
from repose.app.render.passes import Frame, Pass, PlateColumn, all_passes, band, make_frame
from repose.app.render.passes.scale_bar import longest_bar
from repose.app.render.pictures_side_by_side import Part, gaps, upper_right
from repose.app.render.selection_series import SelectionSeries
from repose.app.render.theme import TEXT_SIZE
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
        self._scenes: dict[str, RenderTarget] = {}
        self._picture: RenderTarget | None = None
        self._picture_gui: ImguiBackend | None = None
        self._ranges = Ranges()
        self._series: dict[Message, SelectionSeries] = {}

    def draw(
        self,
        tile: Tile,
        view: View,
        size: Size,
        scale: float = 1.0,
        ranges: Ranges | None = None,
    ) -> None:
        """Draw onto the window between `begin_frame` and `end_frame` of its ImGui backend.

        `size` is that of the framebuffer [pixel], `scale` the pixels per unit of text (`window.content_scale`); a size
        of zero draws nothing. `ranges` are the ranges of the colours, by default those of the run.
        """
        if size[0] <= 0 or size[1] <= 0:
            return
        frame = self._frame_of(tile, view, size, scale, ranges or self._ranges)
        if ranges is None:
            frame = replace(frame, series=self._series_of(tile.snapshot, view))
        self._draw_scene([(frame, (0, 0, *size))], "window", 0)
        self._draw_overlay(frame, self._gui)

    def draw_beside(self, tiles: Sequence[Tile], view: View, size: Size, scale: float, around: Colour) -> None:
        """Draw pictures side by side onto the window, like `draw`, and fill the rest with the colour `around`.

        The panels around the pictures need no background of their own. Pictures with the same scale of colours have one
        legend.
        """
        if size[0] <= 0 or size[1] <= 0:
            return
        pictures = []
        for tile in tiles:
            frame = self._frame_of(tile, view, size, scale, self._ranges)
            frame = replace(frame, series=self._series_of(tile.snapshot, view))
            pictures.append((frame, _part(size, tile.outside)))
        bar = min(longest_bar(frame) for frame, _ in pictures)
        alike = len({repr(frame.scale_of_colours) for frame, _ in pictures}) == 1
        shown = upper_right([part for _, part in pictures])
        pictures = [
            (replace(frame, bar=bar, has_legend=not alike or number == shown), part)
            for number, (frame, part) in enumerate(pictures)
        ]
        parts = [part for _, part in pictures]
        self._draw_scene(pictures, "window", 0)
        _fill(gaps(parts, size), around)
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
        return replace(frame, plate_column=tile.plate_column, band=tile.band, beside=tile.beside)

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
        self._picture = _sized(self._picture, size, linear=False)
        self._draw_scene([(frame, (0, 0, *size))], "picture", self._picture.framebuffer)
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
        for program in self._programs.values():
            program.destroy()
        for instances in self._instances.values():
            instances.destroy()
        for target in (*self._scenes.values(), self._picture):
            if target is not None:
                target.destroy()
        if self._picture_gui is not None:
            current = imgui.get_current_context()
            self._picture_gui.close()
            imgui.set_current_context(current)
        self._programs, self._instances, self._scenes = {}, {}, {}
        self._picture = self._picture_gui = None

    def _series_of(self, snapshot: Snapshot, view: View) -> SelectionSeries:
        """The series of the selection in the run of a snapshot, up to this snapshot; runs side by side have different
        labels."""
        series = self._series.setdefault(snapshot.run.label, SelectionSeries())
        series.follow(snapshot, view)
        return series

    def _draw_scene(self, pictures: Sequence[tuple[Frame, Part]], name: str, framebuffer: int) -> None:
        """Draw all passes of every picture in its part, in linear light, then copy the pictures to `framebuffer`.

        The pictures share one target, which is cleared and shown once: both cost time in a software renderer.
        """
        first, deep = pictures[0][0], any(frame.dimension == 3 for frame, _ in pictures)
        name += " in space" if deep else ""
        scene = self._scenes[name] = _sized(self._scenes.get(name), first.size, linear=True, deep=deep)
        gl.glViewport(0, 0, *first.size)
        gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        gl.glBlendFunc(gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, scene.framebuffer)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glClearColor(*(float(part) for part in to_linear(first.palette.background)), 1.0)
        gl.glDepthMask(gl.GL_TRUE)
        # Clearing the parts one by one would cost a software renderer more.
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT if deep else gl.GL_COLOR_BUFFER_BIT)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        for frame, part in pictures:
            gl.glScissor(*part)
            gl.glDisable(gl.GL_DEPTH_TEST)
            self._draw_passes(frame)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        self._show(scene, framebuffer, [part for _, part in pictures])

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

    def _show(self, scene: RenderTarget, framebuffer: int, parts: Sequence[Part]) -> None:
        """Copy the stored sRGB bytes as they are: with conversion off, OpenGL neither decodes nor encodes."""
        gl.glDisable(gl.GL_FRAMEBUFFER_SRGB)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, scene.framebuffer)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, framebuffer)
        for x, y, width, height in parts:
            corners = x, y, x + width, y + height
            gl.glBlitFramebuffer(*corners, *corners, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, framebuffer)

    def _draw_overlay(self, frame: Frame, gui: ImguiBackend) -> None:
        canvas = Canvas(imgui.get_background_draw_list(), gui.regular, gui.bold, frame.scale, TEXT_SIZE)
        for item in self._written:
            if item.overlay and item.is_drawn(frame):
                item.overlay(frame, canvas)


def _fill(parts: Sequence[Part], colour: Colour) -> None:
    """Fill parts of the framebuffer bound now: a software renderer clears faster than it blends."""
    gl.glClearColor(*(float(part) for part in colour[:3]), 1.0)
    gl.glEnable(gl.GL_SCISSOR_TEST)
    for part in parts:
        gl.glScissor(*part)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glDisable(gl.GL_SCISSOR_TEST)


def _fitting(camera: Camera | None, snapshot: Snapshot, size: Size, inset: Inset, box: Box | None = None) -> Camera:
    """The camera, if it has the dimension of the snapshot; otherwise a camera that frames `box` or the whole scene."""
    kind = Camera3D if snapshot.grains.position.shape[1] == 3 else Camera2D
    if isinstance(camera, kind):
        return camera
    fitting = kind()
    fitting.frame(box or whole_scene(snapshot), size, inset, margin=MARGIN)
    return fitting


def _part(size: Size, inset: Inset) -> Part:
    """The part of the window inside `inset`."""
    left, top, right, bottom = map(round, inset)
    return left, bottom, max(size[0] - left - right, 0), max(size[1] - top - bottom, 0)


def _sized(target: RenderTarget | None, size: Size, linear: bool, deep: bool = False) -> RenderTarget:
    """The target, if it has this kind and size; otherwise a new one."""
    if target is not None and target.size == size and target.deep == deep:
        return target
    if target is not None:
        target.destroy()
    return RenderTarget(size, linear, deep)


def _set_depth(item: Pass) -> None:
    """Set depth test and depth writing of a pass."""
    if item.depth == "ignored":
        gl.glDisable(gl.GL_DEPTH_TEST)
        return
    gl.glEnable(gl.GL_DEPTH_TEST)
    gl.glDepthFunc(gl.GL_LEQUAL)
    gl.glDepthMask(gl.GL_TRUE if item.depth == "kept" else gl.GL_FALSE)
