"""The notes of a lecture in a second window, on a screen that the audience does not see.

The window has no OpenGL: SDL copies a picture that pygame draws, and only when its content changes.
"""

from __future__ import annotations

import os
import re
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from repose.app.language import current_language, translated
from repose.app.render.film_words import wrapped
from repose.app.ui.ui import Ui
from repose.app.window import sdl
from repose.app.window.icon import set_icon
from repose.sim.message import _

if TYPE_CHECKING:
    import pygame
    from repose.app.window.window import Window

GROUND, INK, FAINT = (16, 19, 24), (232, 236, 240), (140, 150, 162)
ACCENT, WARNING = (90, 169, 240), (240, 136, 120)
"""Colours, sRGB."""
WIDE = 0.85
"""Share of the screen that the window takes in width and height [-]."""
SIZE = 0.034
"""Height of ordinary letters [share of the height of the window]."""
JAPANESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
RUN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]+|[^\u3000-\u9fff\uff00-\uffef]+")
"""A Japanese character; consecutive characters of one of the two fonts."""
MARGIN = 1.2
"""Margin of the page [heights of letters]."""


class NotesWindow:
    """The window of the notes, open during a lecture if there is a second screen; call `see` once per frame."""

    def __init__(self, window: Window) -> None:
        self._main = window
        self._handle: pygame.Window | None = None
        self._drawn: object = None
        self._refused = False
        """Whether the user has closed the window, or the system has refused it, in this lecture."""

    @property
    def handle(self) -> pygame.Window | None:
        """The window as pygame knows it; None while it is closed."""
        return self._handle

    def see(self, ui: Ui) -> None:
        """Open, draw or close the window, as the lecture and the screens require."""
        if not ui.mode.lecture.on:
            self.close()
            self._refused = False
        elif self._handle is None and not self._refused:
            self._open()
        ui.mode.lecture.notes_beside = self._handle is not None
        if self._handle is not None:
            self._draw(ui, self._handle)

    def takes(self, event: pygame.event.Event) -> bool:
        """Whether an event belongs to this window and not to the main window; keys belong to both."""
        import pygame

        if self._handle is None or getattr(event, "window", None) is not self._handle:
            return False
        if event.type == pygame.WINDOWCLOSE:
            self.close()
            self._refused = True
        if event.type in (pygame.WINDOWRESIZED, pygame.WINDOWEXPOSED, pygame.WINDOWSHOWN):
            self._drawn = None
        return event.type not in (pygame.KEYDOWN, pygame.KEYUP)

    def close(self) -> None:
        """Close the window; a second call does nothing."""
        if self._handle is not None:
            self._handle.destroy()
            self._handle, self._drawn = None, None

    def _open(self) -> None:
        import pygame

        other = sdl.other_screen(self._main.handle)
        if other is None:
            return
        if sys.platform != "darwin":
            # SDL would copy the picture with an OpenGL context of its own, which would become the current one.
            os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
        position, (width, height) = other
        try:
            size = round(WIDE * width), round(WIDE * height)
            self._handle = pygame.Window(translated(_("Repose: notes")), size, (position, position), resizable=True)
            set_icon(self._handle)
            self._main.handle.focus()
        except pygame.error:
            self._refused = True

    def _draw(self, ui: Ui, handle: pygame.Window) -> None:
        mode = ui.mode.lecture
        seconds = int(time.monotonic() - mode.began)
        clock = f"{seconds // 60}:{seconds % 60:02d}"
        now = (mode.number, mode.unanswered, clock, handle.size, current_language())
        if now == self._drawn:
            return
        self._drawn = now
        surface = handle.get_surface()
        write_page(surface, ui, clock)
        handle.flip()


def write_page(surface: pygame.Surface, ui: Ui, clock: str) -> None:
    """Write step and time, question and answer, notes, and the title of the next step."""
    mode = ui.mode.lecture
    assert mode.lecture is not None
    steps, step = mode.lecture.steps, mode.step
    surface.fill(GROUND)
    width, height = surface.get_size()
    unit = max(SIZE * height, 8.0)
    left, room = MARGIN * unit, width - 2.0 * MARGIN * unit
    y = MARGIN * unit
    y = _write(surface, f"{mode.number + 1} / {len(steps)}  ·  {clock}", (left, y), room, unit, FAINT)
    y = _write(surface, mode.text(step.title), (left, y), room, 1.5 * unit, INK, bold=True)
    for text, colour in ((step.question, ACCENT), (step.answer, FAINT)):
        if words := mode.text(text):
            y = _write(surface, words, (left, y), room, unit, colour)
    if mode.unanswered:
        y = _write(surface, translated(mode.unanswered), (left, y), room, unit, WARNING)
    y += 0.5 * unit
    foot = height - 3.0 * unit
    notes = mode.text(step.notes)
    size = unit
    while size > 0.5 * unit and y + _height(notes, room, size) > foot:
        size *= 0.92
    _write(surface, notes, (left, y), room, size, INK)
    if mode.number + 1 < len(steps):
        _write(surface, f"→ {mode.text(steps[mode.number + 1].title)}", (left, foot + 0.6 * unit), room, unit, FAINT)


class Letters:
    """Fonts of one size: Inter, and Noto Sans JP for Japanese characters."""

    def __init__(self, size: float, bold: bool = False) -> None:
        import pygame

        pygame.font.init()
        self.size, self.bold = size, bold
        """Height of the letters [pixel], and whether they are bold."""
        names = ("Inter-SemiBold.otf" if bold else "Inter-Regular.otf", "NotoSansJP-Regular.otf")
        folder, height = files("repose.assets").joinpath("fonts"), max(round(size), 6)
        self._fonts = [pygame.font.Font(Path(str(folder.joinpath(name))), height) for name in names]
        self.line = 1.15 * self._fonts[0].get_linesize()
        """Height of a line [pixel]."""

    def _runs(self, text: str) -> list[tuple[str, pygame.font.Font]]:
        runs = [(run, self._fonts[bool(JAPANESE.match(run))]) for run in RUN.findall(text)]
        return [(run, font) for run, font in runs if run]

    def width(self, text: str) -> float:
        """Width of a line [pixel]."""
        return float(sum(font.size(run)[0] for run, font in self._runs(text)))

    def lines(self, text: str, room: float) -> list[str]:
        """The text in lines of at most `room` [pixel]."""
        return [line for paragraph in text.splitlines() for line in wrapped(paragraph, self.width, room)]

    def write(self, surface: pygame.Surface, line: str, x: float, y: float, colour: tuple[int, int, int]) -> None:
        """Write a line whose upper left corner is at (x, y) [pixel]."""
        base = y + self._fonts[0].get_ascent()
        for run, font in self._runs(line):
            surface.blit(font.render(run, True, colour), (round(x), round(base - font.get_ascent())))
            x += font.size(run)[0]


def _height(text: str, room: float, size: float) -> float:
    letters = Letters(size)
    return len(letters.lines(text, room)) * letters.line


def _write(
    surface: pygame.Surface,
    text: str,
    at: tuple[float, float],
    room: float,
    size: float,
    colour: tuple[int, int, int],
    bold: bool = False,
) -> float:
    """Write lines from the upper left corner `at`; returns y of their lower edge [pixel]."""
    letters, y = Letters(size, bold), at[1]
    for line in letters.lines(text, room):
        letters.write(surface, line, at[0], y, colour)
        y += letters.line
    return y
