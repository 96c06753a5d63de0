"""The window and its off-screen twin: an OpenGL 3.3 core context, events in pixels, swap, close.

Every length and mouse position that leaves this file is in framebuffer pixels, also on screens where
the system counts in points; `content_scale` is the only thing left to know about HiDPI.
OpenGL and ImGui's backend may be imported only once a window is open: PyOpenGL decides at its first
import between GLX and EGL, and only SDL knows which of them the context really uses.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app import sdl
from app.icon import draw_icon

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pygame

Size = tuple[int, int]
REQUIRED = (3, 3)
WITHOUT_WINDOW = "`repose run heap` does the experiment without a window"


class WindowError(RuntimeError):
    """Why there is no window: one sentence with the cause and what to do."""


class Window:
    """An open window with a current OpenGL context."""

    def __init__(self, handle: pygame.Window, vsync: bool) -> None:
        self._handle = handle
        self._minimised = False
        self._fullscreen = False
        self._seen = self._measure()
        self._dpi_scale = sdl.system_text_scale(handle)
        self.vsync = vsync
        """True if `swap` waits for the screen; otherwise the frame loop has to pace itself."""
        self.resized = False
        """True if the last `poll` found another size than the one before."""
        self.gl_version = ""
        self.gl_renderer = ""

    @property
    def size(self) -> Size:
        """Framebuffer size [pixel]; (0, 0) while minimised: then draw nothing."""
        return (0, 0) if self._minimised else self._seen

    @property
    def content_scale(self) -> float:
        """Pixels per unit of text and line width: 1 on an ordinary screen, 2 on a HiDPI one."""
        return max(self._pixel_ratio(), self._dpi_scale)

    def poll(self) -> list[pygame.Event]:
        """Events since the last call, mouse positions in pixels."""
        import pygame

        events = pygame.event.get()
        for event in events:
            if event.type == pygame.WINDOWMINIMIZED:
                self._minimised = True
            elif event.type in (pygame.WINDOWRESTORED, pygame.WINDOWMAXIMIZED, pygame.WINDOWSHOWN):
                self._minimised = False
            elif event.type == pygame.WINDOWDISPLAYCHANGED:
                self._dpi_scale = sdl.system_text_scale(self._handle)
        before, self._seen = self._seen, self._measure()
        self.resized = before != self._seen
        ratio = self._pixel_ratio()
        return events if ratio == 1.0 else [_in_pixels(event, ratio) for event in events]

    def swap(self) -> None:
        """Show what was drawn."""
        self._handle.flip()

    def close(self) -> None:
        """Give window and context back; the second call does nothing."""
        if self._handle is not None:
            self._handle.destroy()
            self._handle = None  # type: ignore[assignment]

    def resize(self, size: Size) -> None:
        """Ask for another size [pixel]."""
        ratio = self._pixel_ratio()
        self._handle.size = (max(1, round(size[0] / ratio)), max(1, round(size[1] / ratio)))
        self._seen = self._measure()

    def toggle_fullscreen(self) -> None:
        """Fill the screen, or go back to a window."""
        self._fullscreen = not self._fullscreen
        if self._fullscreen:
            self._handle.set_fullscreen(True)
        else:
            self._handle.set_windowed()

    def fit_screen(self, share: float | None = None) -> None:
        """Never reach beyond the screen; with `share`, take that part of it, but no less than asked for."""
        area = sdl.free_area(self._handle)
        if area is None or min(area[2:]) <= 0:
            return
        wanted = [max(side, round(room * (share or 0.0))) for side, room in zip(self._handle.size, area[2:])]
        size = tuple(min(side, room) for side, room in zip(wanted, area[2:]))
        if size == tuple(self._handle.size):
            return
        self._handle.size = size
        self._handle.position = tuple(start + (room - side) // 2 for start, room, side in zip(area[:2], area[2:], size))
        self._seen = self._measure()

    def set_title(self, title: str) -> None:
        """Write `title` into the title bar."""
        self._handle.title = title

    def _measure(self) -> Size:
        return sdl.drawable_size(self._handle) or self._handle.size

    def _pixel_ratio(self) -> float:
        points = self._handle.size[0]
        return self._seen[0] / points if points else 1.0


def open_window(title: str = "Repose", size: Size = (1280, 800), visible: bool = True) -> Window:
    """Open a resizable window; raises `WindowError`."""
    if visible:
        _init_video(None)
        if _driver() in ("offscreen", "dummy") and not os.environ.get("SDL_VIDEODRIVER"):
            sdl.quit_video()
            raise WindowError(f"No display was found, so no window can be opened; {WITHOUT_WINDOW}.")
    else:
        _init_video("offscreen" if sys.platform.startswith("linux") else None)
    return _open(title, size, visible)


def open_offscreen(size: Size = (64, 64)) -> Window:
    """Open the off-screen twin: the same context and calls, nothing on any display; raises `WindowError`."""
    return open_window("Repose", size, visible=False)


def _init_video(driver: str | None) -> None:
    """Start SDL's video part, with `driver` if it is not running yet and that driver works."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")
    # pygame, if it was imported first, has named the window after the script.
    os.environ["SDL_VIDEO_X11_WMCLASS"] = "repose"
    os.environ.setdefault("SDL_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR", "0")
    import pygame

    if pygame.display.get_init():
        return
    if driver is not None:
        with _environment("SDL_VIDEODRIVER", driver):
            try:
                pygame.display.init()
                return
            except pygame.error:
                pass
    try:
        pygame.display.init()
    except pygame.error as error:
        raise WindowError(
            f"No display could be used ({error}), so no window can be opened; {WITHOUT_WINDOW}."
        ) from None


def _driver() -> str:
    import pygame

    return str(pygame.display.get_driver())


def _open(title: str, size: Size, visible: bool) -> Window:
    import pygame

    handle, reason = None, ""
    # A first context may fail on drivers that know no forward-compatible contexts: ask again without that flag.
    for flags in (pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG, 0):
        _ask_for_core(*REQUIRED, flags)
        try:
            handle = pygame.Window(title, size, opengl=True, allow_high_dpi=True, resizable=True, hidden=not visible)
            break
        except pygame.error as error:
            reason = str(error)
    if handle is None:
        sentence = _why_no_context(reason)
        sdl.quit_video()
        raise WindowError(sentence)
    handle.minimum_size = (64, 64) if visible else (1, 1)
    if visible:
        icon = draw_icon(64)
        handle.set_icon(pygame.image.frombuffer(icon.tobytes(), icon.shape[:2], "RGBA"))
    window = Window(handle, vsync=visible and sdl.set_swap_interval())
    try:
        _check_context(window)
    except WindowError:
        window.close()
        sdl.quit_video()
        raise
    return window


def _ask_for_core(major: int, minor: int, flags: int) -> None:
    import pygame

    attributes = {
        pygame.GL_CONTEXT_MAJOR_VERSION: major,
        pygame.GL_CONTEXT_MINOR_VERSION: minor,
        pygame.GL_CONTEXT_PROFILE_MASK: pygame.GL_CONTEXT_PROFILE_CORE,
        pygame.GL_CONTEXT_FLAGS: flags,
        pygame.GL_DOUBLEBUFFER: 1,
        pygame.GL_DEPTH_SIZE: 0,
        pygame.GL_ALPHA_SIZE: 0,
        # Discs and lines carry their own analytic edges, which stay smooth at any zoom: samples would only cost time.
        pygame.GL_MULTISAMPLESAMPLES: 0,
    }
    for attribute, value in attributes.items():
        pygame.display.gl_set_attribute(attribute, value)


def _check_context(window: Window) -> None:
    """Import OpenGL for the platform in use and read the version; raises `WindowError`."""
    if sys.platform.startswith("linux"):
        glx = _driver() == "x11" and os.environ.get("SDL_VIDEO_X11_FORCE_EGL") != "1"
        os.environ["PYOPENGL_PLATFORM"] = "glx" if glx else "egl"
    try:
        from OpenGL import GL

        version, renderer = (GL.glGetString(name) for name in (GL.GL_VERSION, GL.GL_RENDERER))
    except (ImportError, AttributeError, OSError) as error:
        raise WindowError(
            f"The OpenGL library could not be loaded ({error}); install it (Debian: apt install libgl1 libegl1), "
            f"or go without: {WITHOUT_WINDOW}."
        ) from None
    window.gl_version, window.gl_renderer = (text.decode(errors="replace") for text in (version, renderer))
    found = tuple(int(part) for part in window.gl_version.split()[0].split(".")[:2])
    if found < REQUIRED:
        raise WindowError(_too_old(window.gl_version))


def _why_no_context(reason: str) -> str:
    """One sentence for a context that could not be had, with the version the machine does offer, if any."""
    import pygame

    if "load" in reason.lower() or "not available" in reason.lower():
        return (
            f"OpenGL could not be loaded ({reason.rstrip('.')}); install it (Debian: apt install libgl1 libegl1), "
            f"or go without: {WITHOUT_WINDOW}."
        )
    version = None
    pygame.display.gl_set_attribute(pygame.GL_CONTEXT_PROFILE_MASK, 0)
    _ask_for_any()
    try:
        probe = pygame.Window("Repose", (16, 16), opengl=True, hidden=True)
        version = sdl.gl_version()
        probe.destroy()
    except pygame.error:
        pass
    return (
        _too_old(version)
        if version
        else (
            f"No OpenGL {REQUIRED[0]}.{REQUIRED[1]} context could be created ({reason.rstrip('.')}); "
            f"update the graphics driver, or go without: {WITHOUT_WINDOW}."
        )
    )


def _ask_for_any() -> None:
    import pygame

    for attribute, value in (
        (pygame.GL_CONTEXT_MAJOR_VERSION, 1),
        (pygame.GL_CONTEXT_MINOR_VERSION, 1),
        (pygame.GL_CONTEXT_PROFILE_MASK, 0),
        (pygame.GL_CONTEXT_FLAGS, 0),
    ):
        pygame.display.gl_set_attribute(attribute, value)


def _too_old(version: str) -> str:
    return (
        f"OpenGL {REQUIRED[0]}.{REQUIRED[1]} is needed but this machine offers {version}; "
        f"update the graphics driver, or go without: {WITHOUT_WINDOW}."
    )


def _in_pixels(event: pygame.Event, ratio: float) -> pygame.Event:
    """The event with its mouse position, counted in points by the system, in pixels."""
    import pygame

    fields = {name: tuple(v * ratio for v in event.dict[name]) for name in ("pos", "rel") if name in event.dict}
    return pygame.event.Event(event.type, event.dict | fields) if fields else event


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Set a variable only for SDL's start, so that child processes do not inherit it."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
