"""The window and its off-screen version; one clear sentence if neither can be opened."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from repose.app.window.icon import draw_icon


def outcome(code: str, **environment: str) -> str:
    """What a fresh process prints; each needs its own, since a process can choose its display only once."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


REFUSED = """
from repose.app.window.window import WindowError, {opener}
try:
    {opener}()
except WindowError as error:
    print(error)
"""


def is_one_sentence(text: str) -> bool:
    return text.endswith(".") and "\n" not in text and "Traceback" not in text


@pytest.mark.case("G01")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only here can a display be taken away")
def test_without_a_display_the_refusal_says_what_works_without_one() -> None:
    text = outcome(REFUSED.format(opener="open_window"))
    assert is_one_sentence(text)
    assert "display" in text
    assert "repose run heap" in text


@pytest.mark.case("G05")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only here can a display be taken away")
def test_a_display_that_does_not_answer_is_refused_in_one_sentence() -> None:
    text = outcome(REFUSED.format(opener="open_window"), DISPLAY=":4711", SDL_VIDEODRIVER="x11")
    assert is_one_sentence(text)
    assert "x11" in text
    assert "repose run heap" in text


LOST = """
import os, pygame
from repose.app.window.sdl import on_lost_display

pygame.display.init()
on_lost_display(lambda: print("kept", flush=True) or 3)
server = int(input())
os.kill(server, 9)
while True:
    pygame.event.get()
    pygame.display.set_caption("still here")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only here is there an X server")
def test_the_end_of_the_x_server_is_answered_and_ends_the_program_with_an_exit_code() -> None:
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp"], pass_fds=(writing,), stderr=subprocess.DEVNULL
    )
    os.close(writing)
    with os.fdopen(reading) as answer:
        display = f":{answer.readline().strip()}"
    environment = os.environ | {"DISPLAY": display, "SDL_VIDEODRIVER": "x11"}
    words = [sys.executable, "-c", LOST]
    done = subprocess.run(
        words, input=f"{server.pid}\n", capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    server.wait(10)
    assert (done.returncode, done.stderr) == (3, "")
    assert "kept" in done.stdout


@pytest.mark.case("G03")
@pytest.mark.gl
def test_an_old_opengl_is_refused_with_both_versions() -> None:
    text = outcome(REFUSED.format(opener="open_offscreen"), MESA_GL_VERSION_OVERRIDE="2.1")
    if not text:
        pytest.skip("this OpenGL cannot pretend to be older than it is")
    assert is_one_sentence(text)
    assert "3.3" in text
    assert "2.1" in text
    assert "repose run heap" in text


def test_the_window_module_loads_neither_opengl_nor_imgui() -> None:
    code = (
        "import repose.app.window.window, repose.app.window.picture, sys; "
        "print('OpenGL' in sys.modules, 'imgui_bundle' in sys.modules)"
    )
    assert outcome(code) == "False False"


@pytest.mark.gl
def test_the_off_screen_window_has_the_same_interface() -> None:
    code = """
import os
from repose.app.window.window import open_offscreen
window = open_offscreen((320, 200))
print(window.size, window.content_scale, window.vsync, bool(window.gl_renderer), window.gl_version[0] >= "3")
window.poll(); print(window.resized)
window.resize((100, 50)); window.poll(); print(window.size)
window.swap(); window.set_title("x"); window.close(); window.close()
print(os.environ.get("SDL_VIDEODRIVER"))
"""
    assert outcome(code).splitlines() == ["(320, 200) 1.0 False True True", "False", "(100, 50)", "None"]


@pytest.mark.gl
def test_a_minimised_window_has_no_size_until_it_is_restored() -> None:
    code = """
from repose.app.window.window import open_offscreen
import pygame
window = open_offscreen((320, 200))
for kind in (pygame.WINDOWMINIMIZED, pygame.WINDOWRESTORED):
    window.poll(); pygame.event.post(pygame.event.Event(kind)); window.poll(); print(window.size)
"""
    assert outcome(code).splitlines() == ["(0, 0)", "(320, 200)"]


@pytest.mark.case("G12")
@pytest.mark.gl
def test_mouse_positions_are_pixels_where_the_system_counts_points() -> None:
    code = """
import pygame
from repose.app.window.window import _in_pixels
moved = pygame.event.Event(pygame.MOUSEMOTION, pos=(10, 20), rel=(1, -2), buttons=(0, 0, 0))
print(_in_pixels(moved, 2.0).pos, _in_pixels(moved, 2.0).rel)
key = pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a)
print(_in_pixels(key, 2.0) is key)
"""
    assert outcome(code).splitlines() == ["(20.0, 40.0) (2.0, -4.0)", "True"]


def test_the_icon_has_grains_on_a_rounded_plate() -> None:
    icon = draw_icon(32)
    assert icon.shape == (32, 32, 4)
    assert icon[0, 0, 3] == 0
    assert icon[16, 16, 3] == 255
    assert len(np_unique_rows(icon)) > 20


def np_unique_rows(icon):
    """Distinct colours of a picture."""
    import numpy as np

    return np.unique(icon.reshape(-1, 4), axis=0)
