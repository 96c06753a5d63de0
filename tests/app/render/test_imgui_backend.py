"""ImGui gets every event, in pixels, and draws with the shipped font."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.gl

NEEDED = "µμγωθσαΔΣ²³·×°±−–≤≥√⁻₀ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"


@pytest.fixture
def backend() -> Iterator[Any]:
    from repose.app.window.window import open_offscreen

    window = open_offscreen((64, 64))
    from repose.app.render.imgui_backend import ImguiBackend

    backend = ImguiBackend()
    yield backend
    backend.close()
    backend.close()
    window.close()


def frame(backend: Any, draw: Any = None) -> None:
    backend.begin_frame((64, 64), 1.0, dt=1 / 60)
    if draw:
        draw()
    backend.end_frame()


def test_the_font_has_greek_polish_and_mathematical_signs(backend: Any) -> None:
    for font in (backend.regular, backend.bold):
        missing = [sign for sign in NEEDED if not font.is_glyph_in_font(ord(sign))]
        assert missing == []


def test_digits_have_one_width(backend: Any) -> None:
    from imgui_bundle import imgui

    widths: set[float] = set()
    frame(backend, lambda: widths.update(imgui.calc_text_size(digit * 8).x for digit in "0123456789"))
    assert len(widths) == 1


@pytest.mark.parametrize("button", range(1, 12))
def test_every_mouse_button_is_processed_without_an_error(backend: Any, button: int) -> None:
    import pygame

    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        backend.process_event(pygame.event.Event(kind, button=button, pos=(3, 4)))
    frame(backend)


def test_right_and_middle_mouse_buttons_are_distinguished(backend: Any) -> None:
    import pygame
    from imgui_bundle import imgui

    for button, expected in ((1, 0), (3, 1), (2, 2)):
        backend.process_event(pygame.event.Event(pygame.MOUSEBUTTONDOWN, button=button, pos=(3, 4)))
        frame(backend)
        assert [imgui.is_mouse_down(k) for k in range(3)] == [k == expected for k in range(3)]
        backend.process_event(pygame.event.Event(pygame.MOUSEBUTTONUP, button=button, pos=(3, 4)))
        frame(backend)


@pytest.mark.parametrize("name", ["K_SPACE", "K_F1", "K_F11", "K_m", "K_7", "K_PERIOD", "K_KP_PLUS", "K_MINUS"])
def test_keys_that_do_not_edit_text_are_handled(backend: Any, name: str) -> None:
    import pygame
    from imgui_bundle import imgui

    key = getattr(pygame, name)
    backend.process_event(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
    seen: list[bool] = []
    frame(backend, lambda: seen.append(imgui.is_key_down(backend.key_map[key])))
    assert seen == [True]


def test_typed_text_arrives_with_its_accents(backend: Any) -> None:
    import pygame
    from imgui_bundle import imgui

    text = [""]

    def field() -> None:
        imgui.set_next_window_pos((0, 0))
        imgui.begin("w")
        imgui.set_keyboard_focus_here()
        text[0] = imgui.input_text("##t", text[0])[1]
        imgui.end()

    for _ in range(3):
        frame(backend, field)
    backend.process_event(pygame.event.Event(pygame.TEXTINPUT, text="zażółć"))
    for _ in range(8):
        frame(backend, field)
    assert text[0] == "zażółć"


def test_the_mouse_leaves_with_the_window(backend: Any) -> None:
    import pygame
    from imgui_bundle import imgui

    backend.process_event(pygame.event.Event(pygame.MOUSEMOTION, pos=(10, 10), rel=(0, 0), buttons=(0, 0, 0)))
    frame(backend)
    assert imgui.is_mouse_pos_valid()
    backend.process_event(pygame.event.Event(pygame.WINDOWLEAVE))
    frame(backend)
    assert not imgui.is_mouse_pos_valid()


@pytest.mark.case("G14")
def test_nothing_is_written_into_the_current_folder(
    backend: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imgui_bundle import imgui

    monkeypatch.chdir(tmp_path)

    def window() -> None:
        imgui.begin("w")
        imgui.end()

    for _ in range(3):
        frame(backend, window)
    imgui.save_ini_settings_to_memory()
    backend.close()
    assert list(tmp_path.iterdir()) == []


def test_a_window_without_size_is_not_drawn(backend: Any) -> None:
    backend.begin_frame((0, 0), 1.0, dt=1 / 60)
    backend.end_frame()


def test_missing_cursors_raise_no_error(backend: Any) -> None:
    from imgui_bundle import imgui

    frame(backend, lambda: imgui.set_mouse_cursor(imgui.MouseCursor_.hand))
    backend.update_cursor()
    backend.update_cursor()


def test_the_clipboard_returns_what_was_put_in(backend: Any) -> None:
    from imgui_bundle import imgui

    frame(backend, lambda: imgui.set_clipboard_text("μ = 0,2 zażółć"))
    read: list[str] = []
    frame(backend, lambda: read.append(imgui.get_clipboard_text()))
    assert read == ["μ = 0,2 zażółć"]
