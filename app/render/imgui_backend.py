"""ImGui in the window: imgui-bundle's pygame backend with additions, and the fonts.

Import it only after a window is open (see `repose.app.window.window`). ImGui uses framebuffer pixels, like the mouse,
and text is rasterised at its size on the screen, so that it is sharp on every screen.
"""

from __future__ import annotations

import contextlib
import ctypes
import time
from typing import Any

import numpy as np
import OpenGL.GL as gl
import pygame
from imgui_bundle import imgui
from imgui_bundle.python_backends.pygame_backend import PygameRenderer
from repose.app.render.text_size import TEXT_SIZE
from repose.app.render.window_fonts import load_fonts

LONGEST_FRAME = 0.25
"""A frame that lasted longer (window dragged, machine asleep) counts as this [s]."""
NOWHERE = -3.4028234663852886e38
"""ImGui's value for a mouse outside the window."""
BUTTONS = {1: 0, 2: 2, 3: 1, 6: 3, 7: 4}
"""pygame's button to ImGui's; 4 and 5 only repeat the wheel, and ImGui asserts on any other."""


def _keys() -> dict[int, imgui.Key]:
    """Keys of both libraries, by the code of pygame."""
    named = {
        "left": "left_arrow", "right": "right_arrow", "up": "up_arrow", "down": "down_arrow",
        "pageup": "page_up", "pagedown": "page_down", "home": "home", "end": "end", "insert": "insert",
        "delete": "delete", "backspace": "backspace", "space": "space", "return": "enter", "escape": "escape",
        "tab": "tab", "quote": "apostrophe", "comma": "comma", "minus": "minus", "period": "period",
        "slash": "slash", "semicolon": "semicolon", "equals": "equal", "leftbracket": "left_bracket",
        "backslash": "backslash", "rightbracket": "right_bracket", "backquote": "grave_accent",
        "capslock": "caps_lock", "scrollock": "scroll_lock", "numlock": "num_lock", "print": "print_screen",
        "pause": "pause", "menu": "menu", "lctrl": "left_ctrl", "rctrl": "right_ctrl", "lalt": "left_alt",
        "ralt": "right_alt", "lshift": "left_shift", "rshift": "right_shift", "lsuper": "left_super",
        "rsuper": "right_super", "kp_enter": "keypad_enter", "kp_period": "keypad_decimal",
        "kp_divide": "keypad_divide", "kp_multiply": "keypad_multiply", "kp_minus": "keypad_subtract",
        "kp_plus": "keypad_add", "kp_equals": "keypad_equal",
    }  # fmt: skip
    named |= {letter: letter for letter in "abcdefghijklmnopqrstuvwxyz"}
    named |= {digit: f"_{digit}" for digit in "0123456789"}
    named |= {f"kp{digit}": f"keypad{digit}" for digit in "0123456789"}
    named |= {f"f{number}": f"f{number}" for number in range(1, 13)}
    # pygame names letters in small letters, and longer names in capitals.
    code = {ours: ours if len(ours) == 1 else ours.upper() for ours in named}
    return {getattr(pygame, f"K_{code[ours]}"): getattr(imgui.Key, theirs) for ours, theirs in named.items()}


def _cursors() -> dict[int, int]:
    """Mouse cursors of ImGui and the equal ones of pygame."""
    shapes = imgui.MouseCursor_
    return {
        int(shapes.arrow): pygame.SYSTEM_CURSOR_ARROW,
        int(shapes.text_input): pygame.SYSTEM_CURSOR_IBEAM,
        int(shapes.resize_all): pygame.SYSTEM_CURSOR_SIZEALL,
        int(shapes.resize_ns): pygame.SYSTEM_CURSOR_SIZENS,
        int(shapes.resize_ew): pygame.SYSTEM_CURSOR_SIZEWE,
        int(shapes.resize_nesw): pygame.SYSTEM_CURSOR_SIZENESW,
        int(shapes.resize_nwse): pygame.SYSTEM_CURSOR_SIZENWSE,
        int(shapes.hand): pygame.SYSTEM_CURSOR_HAND,
        int(shapes.not_allowed): pygame.SYSTEM_CURSOR_NO,
    }


class ImguiBackend(PygameRenderer):
    """One ImGui context with its fonts, fed with pygame events and drawn with OpenGL."""

    def __init__(self) -> None:
        self.context = imgui.create_context()
        imgui.set_current_context(self.context)
        super().__init__()  # type: ignore[no-untyped-call]
        self.io.set_ini_filename("")
        self.io.set_log_filename("")
        self.io.config_flags |= int(imgui.ConfigFlags_.nav_enable_keyboard)
        self.io.backend_flags |= int(imgui.BackendFlags_.has_mouse_cursors)
        self.regular, self.bold = load_fonts(self.io)
        imgui.get_style().font_size_base = TEXT_SIZE
        self._cursor_of = _cursors()
        self._shown_cursor = int(imgui.MouseCursor_.arrow)
        self._time = 0.0
        self._alive = True

    def begin_frame(self, size: tuple[int, int], scale: float = 1.0, dt: float | None = None) -> None:
        """Start a frame of `size` pixels with text magnified by `scale`; `dt` [s] is measured if not given."""
        imgui.set_current_context(self.context)
        now = time.perf_counter()
        elapsed = now - self._time if dt is None else dt
        self._time = now
        self.io.delta_time = min(max(elapsed, 1e-6), LONGEST_FRAME)
        self.io.display_size = imgui.ImVec2(float(size[0]), float(size[1]))
        self.io.display_framebuffer_scale = imgui.ImVec2(1.0, 1.0)
        imgui.get_style().font_scale_dpi = scale
        imgui.new_frame()

    def end_frame(self) -> None:
        """Finish the frame and draw it into the framebuffer bound now."""
        imgui.render()
        self.render(imgui.get_draw_data())

    def draw_again(self) -> None:
        """Draw the last frame once more into the framebuffer bound now."""
        imgui.set_current_context(self.context)
        self.render(imgui.get_draw_data())

    def process_event(self, event: pygame.Event) -> bool:
        """Pass one event to ImGui; True if ImGui handles events of this kind."""
        io, kind = self.io, event.type
        if kind == pygame.MOUSEMOTION:
            io.add_mouse_pos_event(float(event.pos[0]), float(event.pos[1]))
        elif kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            if event.button not in BUTTONS:
                return False
            io.add_mouse_pos_event(float(event.pos[0]), float(event.pos[1]))
            io.add_mouse_button_event(BUTTONS[event.button], kind == pygame.MOUSEBUTTONDOWN)
        elif kind == pygame.MOUSEWHEEL:
            io.add_mouse_wheel_event(-float(event.precise_x), float(event.precise_y))
        elif kind in (pygame.KEYDOWN, pygame.KEYUP):
            self._key(event, kind == pygame.KEYDOWN)
        elif kind == pygame.TEXTINPUT:
            io.add_input_characters_utf8(event.text)
        elif kind == pygame.WINDOWFOCUSGAINED:
            io.add_focus_event(True)
        elif kind == pygame.WINDOWFOCUSLOST:
            io.add_focus_event(False)
        elif kind == pygame.WINDOWLEAVE:
            # While a button is held the system keeps sending positions: a slider can be dragged past the edge.
            if not any(pygame.mouse.get_pressed()):
                io.add_mouse_pos_event(NOWHERE, NOWHERE)
        else:
            return False
        return True

    def update_cursor(self) -> None:
        """Set the mouse cursor that ImGui requests; the off-screen driver has none."""
        wanted = int(imgui.get_mouse_cursor())
        if wanted == self._shown_cursor or wanted not in self._cursor_of:
            return
        self._shown_cursor = wanted
        try:
            pygame.mouse.set_cursor(self._cursor_of[wanted])
        except pygame.error:
            self._cursor_of = {}

    def render(self, draw_data: imgui.ImDrawData) -> None:
        """Draw ImGui's triangles, encoded as they are; leaves blending on and scissoring off."""
        self._update_textures()
        width, height = (round(side) for side in self.io.display_size)
        if width <= 0 or height <= 0:
            return
        gl.glDisable(gl.GL_FRAMEBUFFER_SRGB)
        gl.glEnable(gl.GL_BLEND)
        gl.glBlendEquation(gl.GL_FUNC_ADD)
        # Colour is blended by alpha, but alpha itself must stay 1: some compositors show the desktop through it.
        gl.glBlendFuncSeparate(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glActiveTexture(gl.GL_TEXTURE0)
        gl.glViewport(0, 0, width, height)
        projection = np.zeros((4, 4), np.float32)
        projection[0, 0], projection[1, 1], projection[2, 2] = 2.0 / width, -2.0 / height, -1.0
        projection[3] = (-1.0, 1.0, 0.0, 1.0)
        gl.glUseProgram(self._shader_handle)
        gl.glUniform1i(self._attrib_location_tex, 0)
        gl.glUniformMatrix4fv(self._attrib_proj_mtx, 1, gl.GL_FALSE, projection)
        gl.glBindVertexArray(self._vao_handle)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, self._vbo_handle)
        gl.glBindBuffer(gl.GL_ELEMENT_ARRAY_BUFFER, self._elements_handle)
        for commands in draw_data.cmd_lists:
            self._render_list(commands, width, height)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glBindVertexArray(0)
        gl.glUseProgram(0)

    def close(self) -> None:
        """Release textures, buffers and the context; a second call does nothing."""
        if not self._alive:
            return
        self._alive = False
        imgui.set_current_context(self.context)
        self.shutdown()
        imgui.destroy_context(self.context)

    def _render_list(self, commands: Any, width: int, height: int) -> None:
        vertices, indices = commands.vtx_buffer, commands.idx_buffer
        _stream(gl.GL_ARRAY_BUFFER, vertices.size() * imgui.VERTEX_SIZE, vertices.data_address())
        _stream(gl.GL_ELEMENT_ARRAY_BUFFER, indices.size() * imgui.INDEX_SIZE, indices.data_address())
        index_type = gl.GL_UNSIGNED_SHORT if imgui.INDEX_SIZE == 2 else gl.GL_UNSIGNED_INT
        for command in commands.cmd_buffer:
            rectangle = command.clip_rect
            x0, y0 = max(int(rectangle.x), 0), max(int(rectangle.y), 0)
            x1, y1 = min(int(rectangle.z), width), min(int(rectangle.w), height)
            if x1 <= x0 or y1 <= y0:
                continue
            gl.glScissor(x0, height - y1, x1 - x0, y1 - y0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, command.tex_ref.get_tex_id())
            offset = ctypes.c_void_p(command.idx_offset * imgui.INDEX_SIZE)
            gl.glDrawElements(gl.GL_TRIANGLES, command.elem_count, index_type, offset)

    def _key(self, event: pygame.Event, down: bool) -> None:
        modifiers = (
            (imgui.Key.mod_ctrl, pygame.KMOD_CTRL),
            (imgui.Key.mod_shift, pygame.KMOD_SHIFT),
            (imgui.Key.mod_alt, pygame.KMOD_ALT),
            (imgui.Key.mod_super, pygame.KMOD_GUI),
        )
        for key, mask in modifiers:
            self.io.add_key_event(key, bool(event.mod & mask))
        if event.key in self.key_map:
            self.io.add_key_event(self.key_map[event.key], down)

    def _map_keys(self) -> None:
        self.key_map = _keys()

    def _init_clipboard(self) -> None:
        """The system's clipboard, or a private one if there is none."""
        kept = {"text": ""}

        def read(_context: object) -> str:
            try:
                return str(pygame.scrap.get_text())
            except pygame.error:
                return kept["text"]

        def write(_context: object, text: str) -> None:
            kept["text"] = text
            with contextlib.suppress(pygame.error):
                pygame.scrap.put_text(text)

        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = read
        platform.platform_set_clipboard_text_fn = write


def _stream(target: int, byte_count: int, address: int) -> None:
    """Upload into new memory, so that the driver need not wait for the previous frame."""
    gl.glBufferData(target, byte_count, ctypes.c_void_p(address), gl.GL_STREAM_DRAW)
