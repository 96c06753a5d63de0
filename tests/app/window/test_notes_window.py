"""The notes of the speaker on another screen."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest
from repose.app.lectures.lecture_file import load
from repose.app.lectures.mode import LectureMode
from repose.app.ui.ui import WindowMode
from repose.app.window import notes_window
from repose.app.window.notes_window import NotesWindow, write_page
from repose.app.window.window import open_offscreen


def speaking() -> Any:
    """What the notes need of the window: a lecture that is shown."""
    return SimpleNamespace(mode=WindowMode(lecture=LectureMode(load("heap-slope"), on=True, began=time.monotonic())))


def test_the_page_fits_every_step_of_a_lecture_and_differs_from_step_to_step() -> None:
    import pygame

    pygame.font.init()
    ui, pages = speaking(), set()
    for number in range(len(ui.mode.lecture.lecture.steps)):
        ui.mode.lecture.number = number
        page = pygame.Surface((640, 480))
        write_page(page, ui, "0:10")
        pages.add(pygame.image.tobytes(page, "RGB"))
    assert len(pages) == len(ui.mode.lecture.lecture.steps)


@pytest.mark.gl
def test_the_window_lives_with_the_lecture_and_leaves_the_keys_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import pygame

    monkeypatch.setattr(notes_window.sdl, "other_screen", lambda handle: (0, (640, 480)))
    window, ui = open_offscreen(), speaking()
    notes = NotesWindow(window)
    try:
        notes.see(ui)
        assert ui.mode.lecture.notes_beside
        mine: dict[str, Any] = {"window": notes.handle}
        assert not notes.takes(pygame.Event(pygame.KEYDOWN, {**mine, "key": pygame.K_PAGEDOWN}))
        assert notes.takes(pygame.Event(pygame.MOUSEBUTTONDOWN, {**mine, "pos": (1, 1), "button": 1}))
        assert not notes.takes(
            pygame.Event(pygame.MOUSEBUTTONDOWN, {"window": window.handle, "pos": (1, 1), "button": 1})
        )
        assert notes.takes(pygame.Event(pygame.WINDOWCLOSE, mine))
        notes.see(ui)
        assert not ui.mode.lecture.notes_beside  # closed by the user: not again in this lecture
        ui.mode.lecture.on = False
        notes.see(ui)
        ui.mode.lecture.on = True
        notes.see(ui)
        assert ui.mode.lecture.notes_beside
        ui.mode.lecture.on = False
        notes.see(ui)
        assert not ui.mode.lecture.notes_beside
    finally:
        notes.close()
        window.close()


@pytest.mark.gl
def test_with_one_screen_there_is_no_second_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes_window.sdl, "other_screen", lambda handle: None)
    window, ui = open_offscreen(), speaking()
    try:
        NotesWindow(window).see(ui)
        assert not ui.mode.lecture.notes_beside
    finally:
        window.close()


@pytest.mark.parametrize(("left", "wanted"), [(1280, 1), (0, None), (640, None)])
def test_the_notes_are_on_a_screen_that_does_not_show_what_the_audience_sees(
    monkeypatch: pytest.MonkeyPatch, left: int, wanted: int | None
) -> None:
    """A projector that mirrors the laptop is a second display for SDL, at the same place."""

    def bounds(number: int, area: Any) -> int:
        rectangle = area._obj
        rectangle.x, rectangle.y, rectangle.width, rectangle.height = number * left, 0, 1280, 720
        return 0

    two = SimpleNamespace(
        SDL_GetWindowFromID=lambda number: 1,
        SDL_GetWindowDisplayIndex=lambda window: 0,
        SDL_GetNumVideoDisplays=lambda: 2,
        SDL_GetDisplayBounds=bounds,
        SDL_GetDisplayUsableBounds=bounds,
    )
    monkeypatch.setattr(notes_window.sdl, "library", lambda: two)
    found = notes_window.sdl.other_screen(cast("Any", SimpleNamespace(id=1)))
    assert found == (None if wanted is None else (notes_window.sdl.CENTRED | wanted, (1280, 720)))
