"""OpenGL objects: programs, instance buffers, framebuffers.

Import it only after a window is open (see `repose.app.window.window`). All objects can be released and created again
from a snapshot at any time.
"""

from __future__ import annotations

import ctypes
from importlib.resources import files

import numpy as np
import OpenGL.GL as gl
from numpy.typing import NDArray
from repose.sim.experiment.snapshot import Floats

HALF_ENCODED = 188
"""The byte that stores half of the light of white in sRGB."""


class ShaderError(RuntimeError):
    """A shader that the graphics driver rejects: its name and the message of the driver."""


class Program:
    """A compiled shader file with its uniforms by name."""

    def __init__(self, name: str) -> None:
        source = files("repose.shaders").joinpath(f"{name}.glsl").read_text(encoding="utf-8")
        vertex = _compile(name, source, "VERTEX", gl.GL_VERTEX_SHADER)
        try:
            stages = (vertex, _compile(name, source, "FRAGMENT", gl.GL_FRAGMENT_SHADER))
        except ShaderError:
            gl.glDeleteShader(vertex)
            raise
        self.handle = gl.glCreateProgram()
        for stage in stages:
            gl.glAttachShader(self.handle, stage)
        gl.glLinkProgram(self.handle)
        for stage in stages:
            gl.glDeleteShader(stage)
        if not gl.glGetProgramiv(self.handle, gl.GL_LINK_STATUS):
            words = _text(gl.glGetProgramInfoLog(self.handle))
            gl.glDeleteProgram(self.handle)
            raise ShaderError(f"Shader {name}.glsl does not link: {words}")
        self._places: dict[str, int] = {}
        self._values: dict[str, bytes] = {}
        """Values set last, by name: a program keeps its uniforms, and every call of OpenGL takes time."""

    def place(self, uniform: str) -> int:
        """Location of a uniform; -1 if the shader has no uniform of this name."""
        if uniform not in self._places:
            self._places[uniform] = gl.glGetUniformLocation(self.handle, uniform)
        return self._places[uniform]

    def set(self, uniform: str, value: object) -> None:
        """Set a uniform of the program in use: a number, a vector of 2 to 4 or a matrix of shape (4, 4)."""
        if self.place(uniform) < 0:
            return
        numbers = np.asarray(value, np.float32)
        if self._values.get(uniform) == (data := numbers.tobytes()):
            return
        self._values[uniform] = data
        if numbers.ndim == 2:
            gl.glUniformMatrix4fv(self.place(uniform), 1, gl.GL_TRUE, numbers)
        else:
            put = (gl.glUniform1f, gl.glUniform1f, gl.glUniform2f, gl.glUniform3f, gl.glUniform4f)[numbers.size]
            put(self.place(uniform), *numbers.ravel().tolist())

    def destroy(self) -> None:
        gl.glDeleteProgram(self.handle)


def _compile(name: str, source: str, stage: str, gl_stage: int) -> int:
    shader = gl.glCreateShader(gl_stage)
    # With `#line` the line numbers in the driver's messages are those of the file.
    gl.glShaderSource(shader, f"#version 330 core\n#define {stage}\n#line 1\n{source}")
    gl.glCompileShader(shader)
    if not gl.glGetShaderiv(shader, gl.GL_COMPILE_STATUS):
        words = _text(gl.glGetShaderInfoLog(shader))
        gl.glDeleteShader(shader)
        raise ShaderError(f"Shader {name}.glsl ({stage.lower()} stage) does not compile: {words}")
    return int(shader)


def _text(log: bytes | str) -> str:
    return (log.decode(errors="replace") if isinstance(log, bytes) else log).strip()


class Instances:
    """A buffer of rows, each drawn as one square whose corners the vertex shader computes."""

    def __init__(self, attributes: tuple[int, ...]) -> None:
        self._row = sum(attributes)
        self._array = gl.glGenVertexArrays(1)
        self._buffer = gl.glGenBuffers(1)
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        offset = 0
        for location, count in enumerate(attributes):
            gl.glEnableVertexAttribArray(location)
            gl.glVertexAttribPointer(
                location, count, gl.GL_FLOAT, gl.GL_FALSE, 4 * self._row, ctypes.c_void_p(4 * offset)
            )
            gl.glVertexAttribDivisor(location, 1)
            offset += count
        gl.glBindVertexArray(0)

    def draw(self, rows: Floats) -> None:
        """Upload `rows`, shape (n, sum(attributes)), and draw them with the program in use."""
        rows = np.ascontiguousarray(rows, np.float32)
        if rows.ndim != 2 or rows.shape[1] != self._row:
            raise ValueError(f"instance rows have shape {rows.shape}, the shader needs (n, {self._row})")
        gl.glBindVertexArray(self._array)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._buffer)
        # New memory ("orphaning"): the driver may still be drawing from the old memory.
        gl.glBufferData(gl.GL_ARRAY_BUFFER, rows.nbytes, rows, gl.GL_STREAM_DRAW)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, len(rows))
        gl.glBindVertexArray(0)

    def destroy(self) -> None:
        gl.glDeleteVertexArrays(1, [self._array])
        gl.glDeleteBuffers(1, [self._buffer])


def blends_linearly() -> bool:
    """Whether the window's framebuffer stores sRGB and blends in linear light, as a trial shows: what drivers say about
    it is not always true."""
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)
    gl.glEnable(gl.GL_SCISSOR_TEST)
    gl.glScissor(0, 0, 1, 1)
    gl.glClearColor(0.5, 0.5, 0.5, 1.0)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glDisable(gl.GL_SCISSOR_TEST)
    gl.glDisable(gl.GL_FRAMEBUFFER_SRGB)
    pixel = np.zeros(3, np.uint8)
    gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
    gl.glReadPixels(0, 0, 1, 1, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pixel)
    return bool((abs(pixel.astype(int) - HALF_ENCODED) <= 1).all())


def has_depth() -> bool:
    """Whether the window's framebuffer has a depth for every pixel."""
    depth = gl.glGetFramebufferAttachmentParameteriv(
        gl.GL_FRAMEBUFFER, gl.GL_DEPTH, gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE
    )
    return bool(depth != gl.GL_NONE)


class RenderTarget:
    """A framebuffer that blends in linear light and stores sRGB. With `deep`, every pixel also has a depth."""

    def __init__(self, size: tuple[int, int], deep: bool = False) -> None:
        self.size = size
        self.deep = deep
        self.texture = gl.glGenTextures(1)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self.texture)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_SRGB8_ALPHA8, *size, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
        for side in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, side, gl.GL_NEAREST)
        self.framebuffer = gl.glGenFramebuffers(1)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0)
        self._depth = gl.glGenRenderbuffers(1) if deep else None
        if self._depth is not None:
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._depth)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_DEPTH_COMPONENT32F, *size)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, self._depth)
        complete = gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        if not complete:
            self.destroy()
            raise MemoryError(f"the graphics driver offers no picture of {size[0]} x {size[1]} pixels")

    def read(self, out: NDArray[np.uint8]) -> None:
        """Copy the stored pixels into `out`, shape (height, width, 3), bottom row first."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self.framebuffer)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, *self.size, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, out)

    def destroy(self) -> None:
        gl.glDeleteFramebuffers(1, [self.framebuffer])
        if self._depth is not None:
            gl.glDeleteRenderbuffers(1, [self._depth])
        gl.glDeleteTextures([self.texture])
