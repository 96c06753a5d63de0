"""The window and its off-screen version: an OpenGL 3.3 core context, events in pixels, swap, close.

Every length and mouse position that leaves this file is in framebuffer pixels, also on screens where
the system counts in points; apart from these only `content_scale` depends on HiDPI.
OpenGL and ImGui's backend may be imported only once a window is open (see `repose.app.window.gl_context`).
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from repose.app.window import sdl
from repose.app.window.gl_context import WITHOUT_WINDOW, WindowError, ask_for_core, driver, read_context, why_no_context
from repose.app.window.icon import set_icon
from repose.sim.engine.thread_count import available

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pygame

Size = tuple[int, int]

FEW_PROCESSORS = 2
"""Number of processors up to which a software renderer uses no threads."""


class Window:
    """An open window with a current OpenGL context."""

    def __init__(self, handle: pygame.Window, vsync: bool) -> None:
        self._handle = handle
        self._minimised = False
        self._seen = self._measure()
        self._dpi_scale = sdl.system_text_scale(handle)
        self.vsync = vsync
        """True if `swap` waits for the screen; otherwise the frame loop limits its rate."""
        self.fullscreen = False
        """True while the window fills the screen without a frame."""
        self.resized = False
        """True if the size has changed between the last two calls of `poll`."""
        self.gl_version = ""
        self.gl_renderer = ""

    @property
    def size(self) -> Size:
        """Framebuffer size [pixel]; (0, 0) while minimised: then draw nothing."""
        return (0, 0) if self._minimised else self._seen

    @property
    def handle(self) -> pygame.Window:
        """The window as pygame knows it."""
        return self._handle

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
        """Close window and context; a second call does nothing."""
        if self._handle is not None:
            self._handle.destroy()
            self._handle = None  # type: ignore[assignment]

    def resize(self, size: Size) -> None:
        """Request another size [pixel]."""
        ratio = self._pixel_ratio()
        self._handle.size = (max(1, round(size[0] / ratio)), max(1, round(size[1] / ratio)))
        self._seen = self._measure()

    def toggle_fullscreen(self) -> None:
        """Fill the screen, or go back to a window."""
        self.fullscreen = not self.fullscreen
        if self.fullscreen:
            self._handle.set_fullscreen(True)
        else:
            self._handle.set_windowed()

    def fit_screen(self, share: float | None = None, position: tuple[int, int] | None = None) -> None:
        """Fit the window into the screen; with `share`, use that part of the screen, but at least the requested size.

        The content is at `position` [screen points] if possible, otherwise as near to it as the screen allows, and in
        the middle of the screen without `position`.
        """
        if position is not None:
            self._handle.position = position  # this position determines the screen of the window
        area = sdl.free_area(self._handle)
        if area is None or min(area[2:]) <= 0:
            return
        wanted = [max(side, round(room * (share or 0.0))) for side, room in zip(self._handle.size, area[2:])]
        size = tuple(min(side, room) for side, room in zip(wanted, area[2:]))
        if size != tuple(self._handle.size):
            self._handle.size = size
        spare = [room - side for room, side in zip(area[2:], size)]
        wished = position or [start + left // 2 for start, left in zip(area, spare)]
        self._handle.position = tuple(min(max(at, start), start + left) for at, start, left in zip(wished, area, spare))
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
        use_display()
    else:
        _init_video("offscreen" if sys.platform.startswith("linux") else None)
    return _open(title, size, visible)


def use_display() -> str:
    """Start SDL's video part on the display of the user; returns its name for the system; raises `WindowError`."""
    _init_video(None)
    if driver() in ("offscreen", "dummy") and not os.environ.get("SDL_VIDEODRIVER"):
        sdl.quit_video()
        raise WindowError(f"No display was found, so no window can be opened; {WITHOUT_WINDOW}.")
    return driver()


def open_offscreen(size: Size = (64, 64)) -> Window:
    """Open an off-screen window with the same context and methods; raises `WindowError`."""
    return open_window("Repose", size, visible=False)


def _init_video(driver: str | None) -> None:
    """Start SDL's video part if it is not running; with `driver` if this driver works."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault("SDL_WINDOWS_DPI_AWARENESS", "permonitorv2")
    # An earlier import of pygame has named the window after the script.
    os.environ["SDL_VIDEO_X11_WMCLASS"] = "repose"
    os.environ.setdefault("SDL_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR", "0")
    if available() <= FEW_PROCESSORS:
        # Mesa's software renderer would take every processor for a picture, also the one that physics runs on.
        os.environ.setdefault("LP_NUM_THREADS", "0")
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


def _open(title: str, size: Size, visible: bool) -> Window:
    import pygame

    handle, reason = None, ""
    # Some drivers refuse forward-compatible contexts: try again without that flag.
    for flags in (pygame.GL_CONTEXT_FORWARD_COMPATIBLE_FLAG, 0):
        ask_for_core(flags)
        try:
            handle = pygame.Window(title, size, opengl=True, allow_high_dpi=True, resizable=True, hidden=not visible)
            break
        except pygame.error as error:
            reason = str(error)
    if handle is None:
        sentence = why_no_context(reason)
        sdl.quit_video()
        raise WindowError(sentence)
    handle.minimum_size = (64, 64) if visible else (1, 1)
    if visible:
        set_icon(handle)
    window = Window(handle, vsync=visible and sdl.set_swap_interval())
    try:
        window.gl_version, window.gl_renderer = read_context()
    except WindowError:
        window.close()
        sdl.quit_video()
        raise
    return window


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
