"""Functions of SDL that pygame does not offer: drawable size, vsync, text scale, OpenGL version.

The SDL library of pygame is called directly. If it cannot be found, each function returns a default, and the window
works without these features.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pygame

GL_VERSION = 0x1F02
X11 = "libX11.so.6" if sys.platform.startswith("linux") else "libX11.6.dylib"
_called_by_c: list[object] = []
"""Functions that C may call until the program ends; this list keeps Python from discarding them."""


@functools.cache
def library() -> Any:
    """The SDL2 that pygame uses, or None."""
    import pygame

    folder = Path(pygame.__file__).parent
    candidates = [
        *folder.parent.glob("pygame_ce.libs/libSDL2-2*"),
        *folder.glob("SDL2.dll"),
        *folder.glob(".dylibs/libSDL2-2*"),
        *folder.glob(".dylibs/libSDL2.*"),
        Path("libSDL2-2.0.so.0"),
    ]
    for path in candidates:
        try:
            loaded = ctypes.CDLL(str(path))
            loaded.SDL_GetWindowFromID.restype = ctypes.c_void_p
            loaded.SDL_GetWindowFromID.argtypes = [ctypes.c_uint32]
            loaded.SDL_GL_GetDrawableSize.argtypes = [ctypes.c_void_p] + [ctypes.POINTER(ctypes.c_int)] * 2
            loaded.SDL_GL_GetProcAddress.restype = ctypes.c_void_p
            loaded.SDL_GL_GetProcAddress.argtypes = [ctypes.c_char_p]
            return loaded
        except (OSError, AttributeError):
            continue
    return None


def drawable_size(handle: pygame.Window) -> tuple[int, int] | None:
    """Framebuffer size of a window [pixel], which on HiDPI screens is not its size in points."""
    sdl = library()
    pointer = sdl.SDL_GetWindowFromID(handle.id) if sdl else None
    if not pointer:
        return None
    width, height = ctypes.c_int(), ctypes.c_int()
    sdl.SDL_GL_GetDrawableSize(pointer, ctypes.byref(width), ctypes.byref(height))
    return width.value, height.value


class _Rectangle(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int), ("height", ctypes.c_int))


def free_area(handle: pygame.Window) -> tuple[int, int, int, int] | None:
    """Left, top, width and height [points] that a window's content can have on its screen, without the bars of the
    desktop and the frame of the window."""
    sdl = library()
    pointer = sdl.SDL_GetWindowFromID(handle.id) if sdl else None
    if not pointer:
        return None
    window, area = ctypes.c_void_p(pointer), _Rectangle()
    if sdl.SDL_GetDisplayUsableBounds(max(sdl.SDL_GetWindowDisplayIndex(window), 0), ctypes.byref(area)) != 0:
        return None
    top, left, bottom, right = frame = [ctypes.c_int() for _ in range(4)]
    if sdl.SDL_GetWindowBordersSize(window, *map(ctypes.byref, frame)) != 0:
        top, left, bottom, right = [ctypes.c_int() for _ in range(4)]
    return (
        area.x + left.value,
        area.y + top.value,
        area.width - left.value - right.value,
        area.height - top.value - bottom.value,
    )


CENTRED = 0x2FFF0000
"""SDL_WINDOWPOS_CENTERED_DISPLAY(0): a position that names a screen."""


def other_screen(handle: pygame.Window) -> tuple[int, tuple[int, int]] | None:
    """Position that stands for a screen without the window, and the size of this screen [points].

    None if all screens show the same part of the desktop, for example if a projector mirrors the laptop.
    """
    sdl = library()
    pointer = sdl.SDL_GetWindowFromID(handle.id) if sdl else None
    if not pointer:
        return None
    own = max(sdl.SDL_GetWindowDisplayIndex(ctypes.c_void_p(pointer)), 0)
    shown, area = _Rectangle(), _Rectangle()
    if sdl.SDL_GetDisplayBounds(own, ctypes.byref(shown)) != 0:
        return None
    for number in range(sdl.SDL_GetNumVideoDisplays()):
        if sdl.SDL_GetDisplayBounds(number, ctypes.byref(area)) != 0 or _overlap(area, shown):
            continue
        if sdl.SDL_GetDisplayUsableBounds(number, ctypes.byref(area)) == 0:
            return CENTRED | number, (area.width, area.height)
    return None


def _overlap(one: _Rectangle, other: _Rectangle) -> bool:
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    return not (beside or one.y + one.height <= other.y or other.y + other.height <= one.y)


def set_swap_interval() -> bool:
    """Switch vertical synchronisation on, adaptive if possible; False if it is not available."""
    sdl = library()
    return bool(sdl) and any(sdl.SDL_GL_SetSwapInterval(interval) == 0 for interval in (-1, 1))


def gl_version() -> str | None:
    """The version string of the current context, read without PyOpenGL, which refuses very old contexts."""
    sdl = library()
    address = sdl.SDL_GL_GetProcAddress(b"glGetString") if sdl else None
    if not address:
        return None
    get_string = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint)(address)
    text = get_string(GL_VERSION)
    return text.decode(errors="replace") if text else None


def on_lost_display(act: Callable[[], int]) -> None:
    """Call `act` when the X server ends the connection, then end the program with the result of `act` as exit code.

    Xlib would call exit() in the middle of a frame, whose destructors abort the program if another thread is compiling.
    """
    import pygame

    def lost(display: object) -> int:
        code = 1
        try:
            code = act()
            sys.stderr.flush()
        finally:
            os._exit(code)

    if pygame.display.get_init() and pygame.display.get_driver() == "x11":
        try:
            set_handler = ctypes.CDLL(X11).XSetIOErrorHandler
        except (OSError, AttributeError):
            return
        handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lost)
        _called_by_c.append(handler)
        set_handler(handler)


def quit_video() -> None:
    """Stop SDL's video part, so that another driver can be tried."""
    import pygame

    pygame.display.quit()


def system_text_scale(handle: pygame.Window) -> float:
    """Text scale of the system on this screen relative to 96 dpi [-]."""
    import pygame

    driver = pygame.display.get_driver()
    try:
        if driver == "windows":
            return float(ctypes.windll.user32.GetDpiForWindow(handle.handle)) / 96.0  # type: ignore[attr-defined]
        if driver == "x11":
            return _xft_dpi() / 96.0
    except (OSError, AttributeError, ValueError):
        pass
    return 1.0


def _xft_dpi() -> float:
    """The dpi setting of X desktops for text; 96 if there is none."""
    x11 = ctypes.CDLL(X11)
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XResourceManagerString.restype = ctypes.c_char_p
    x11.XResourceManagerString.argtypes = [ctypes.c_void_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(None)
    if not display:
        return 96.0
    text = (x11.XResourceManagerString(display) or b"").decode(errors="replace")
    x11.XCloseDisplay(display)
    for line in text.splitlines():
        if line.startswith("Xft.dpi:"):
            return min(max(float(line.split(":")[1]), 72.0), 480.0)
    return 96.0
