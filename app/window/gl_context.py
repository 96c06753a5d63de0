"""The OpenGL context of the window: request, version, and the reason if there is none.

Import OpenGL only after a window is open: PyOpenGL decides at its first import between GLX and EGL, and only
SDL knows which of them the context uses.
"""

from __future__ import annotations

import os
import sys

from repose.app.errors import WindowError
from repose.app.window import sdl
from repose.sim.wording import reason_of

REQUIRED = (3, 3)
WITHOUT_WINDOW = "`repose run heap` runs the experiment without a window"


def driver() -> str:
    """SDL's name for the video system in use."""
    import pygame

    return str(pygame.display.get_driver())


def ask_for_core(flags: int) -> None:
    """Request a core context of the required version before the window is opened; `flags` are those of SDL."""
    import pygame

    attributes = {
        pygame.GL_CONTEXT_MAJOR_VERSION: REQUIRED[0],
        pygame.GL_CONTEXT_MINOR_VERSION: REQUIRED[1],
        pygame.GL_CONTEXT_PROFILE_MASK: pygame.GL_CONTEXT_PROFILE_CORE,
        pygame.GL_CONTEXT_FLAGS: flags,
        pygame.GL_DOUBLEBUFFER: 1,
        pygame.GL_DEPTH_SIZE: 24,  # scenes in space
        pygame.GL_ALPHA_SIZE: 0,
        # Shaders compute smooth edges of discs and lines at any zoom; multisampling would only cost time.
        pygame.GL_MULTISAMPLESAMPLES: 0,
    }
    for attribute, value in attributes.items():
        pygame.display.gl_set_attribute(attribute, value)


def read_context() -> tuple[str, str]:
    """Import OpenGL for the platform in use and read its version and renderer; raises `WindowError`."""
    if sys.platform.startswith("linux"):
        glx = driver() == "x11" and os.environ.get("SDL_VIDEO_X11_FORCE_EGL") != "1"
        os.environ["PYOPENGL_PLATFORM"] = "glx" if glx else "egl"
    try:
        from OpenGL import GL

        version, renderer = (GL.glGetString(name) for name in (GL.GL_VERSION, GL.GL_RENDERER))
    except (ImportError, AttributeError, OSError) as error:
        raise WindowError(
            f"The OpenGL library could not be loaded ({reason_of(error, 'no library was found')}); install it "
            f"(Debian: apt install libgl1 libegl1), or go without: {WITHOUT_WINDOW}."
        ) from None
    offered = version.decode(errors="replace")
    if tuple(int(part) for part in offered.split()[0].split(".")[:2]) < REQUIRED:
        raise WindowError(_too_old(offered))
    return offered, renderer.decode(errors="replace")


def why_no_context(reason: str) -> str:
    """One sentence about a context that could not be created, with the version that the machine offers, if any."""
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
