"""Pictures without a window: the same renderer, off-screen, for `heap.png` and headless films."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import Box, Size
from repose.app.render.director import Read
from repose.app.render.orbit import Camera
from repose.app.signals import held
from repose.app.storage.view_settings import View
from repose.app.window.window import Window, open_offscreen
from repose.sim.experiment.snapshot import Snapshot


class PictureMaker:
    """Draws snapshots at one size, off-screen; one OpenGL context for many pictures.

    Raises `repose.app.window.window.WindowError` without OpenGL.
    """

    def __init__(self, size: Size = (1920, 1080)) -> None:
        self.size = size
        self._window: Window | None = open_offscreen()
        with held():
            import imgui_bundle  # noqa: F401
        from repose.app.render.imgui_backend import ImguiBackend
        from repose.app.render.renderer import Renderer

        self._gui = ImguiBackend()
        self._renderer = Renderer(self._gui)

    def draw(
        self, snapshot: Snapshot, view: View, camera: Camera | None = None, box: Box | None = None
    ) -> NDArray[np.uint8]:
        """The picture, shape (height, width, 3), sRGB, top row first.

        Drawn with `camera`; without a camera, `box` is framed; without both, the whole scene.
        """
        return self._renderer.read(snapshot, view, self.size, camera, box)

    @property
    def read(self) -> Read:
        """The function that draws a picture for a director of films (repose.app.render.director)."""
        return self._renderer.read

    def close(self) -> None:
        """Release all OpenGL objects; a second call does nothing."""
        if self._window is not None:
            self._renderer.destroy()
            self._gui.close()
            self._window.close()
            self._window = None

    def __enter__(self) -> PictureMaker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
