"""Pictures as textures for panels, read once each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import OpenGL.GL as gl
from imgui_bundle import imgui
from numpy.typing import NDArray
from repose.app.storage.thumbnails import pixels

MOST = 200
"""Largest number of textures; the oldest are released first."""


class Textures:
    """Textures by name, in the current OpenGL context."""

    def __init__(self) -> None:
        self._textures: dict[str, int] = {}
        """Number of the texture by name; 0 if there is no picture, or none that can be read."""

    def texture(self, name: str, read: Callable[[], bytes | NDArray[np.uint8]]) -> imgui.ImTextureRef | None:
        """The texture of the small picture file, or of the pixels (height, width, 4), that `read` returns, called once
        per name; None if there is none."""
        if name not in self._textures:
            while len(self._textures) >= MOST:
                self._free(next(iter(self._textures)))
            self._textures[name] = _upload(read())
        number = self._textures[name]
        return imgui.ImTextureRef(number) if number else None

    def destroy(self) -> None:
        """Release all textures."""
        for name in [*self._textures]:
            self._free(name)

    def _free(self, name: str) -> None:
        if number := self._textures.pop(name):
            gl.glDeleteTextures([number])


def _upload(picture: bytes | NDArray[np.uint8]) -> int:
    rows = pixels(picture) if isinstance(picture, bytes) else picture
    if rows is None:
        return 0
    number = int(gl.glGenTextures(1))
    before = int(gl.glGetIntegerv(gl.GL_TEXTURE_BINDING_2D))
    gl.glBindTexture(gl.GL_TEXTURE_2D, number)
    for name in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        gl.glTexParameteri(gl.GL_TEXTURE_2D, name, gl.GL_LINEAR)
    for name in (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T):
        gl.glTexParameteri(gl.GL_TEXTURE_2D, name, gl.GL_CLAMP_TO_EDGE)
    height, width = rows.shape[:2]
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA8, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, rows)
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 4)
    gl.glBindTexture(gl.GL_TEXTURE_2D, before)
    return number
