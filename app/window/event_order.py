"""Keys after a click or key that may open a text field wait until the field has the keyboard.

ImGui opens a field some frames after the event, and reports only then that letters are text. On a slow machine a person
types the first letters earlier: without waiting they would be lost, or act as keys of the scene.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pygame

SETTLING = 4
"""Frames after which a field that an event opens has the keyboard: ImGui sees the press in the first, the field is
drawn in the second, has the keyboard in the third and says so in the fourth."""


@dataclass
class EventOrder:
    """Events that wait, in the order in which they came."""

    _waiting: list[pygame.Event] = field(default_factory=list)
    _left: int = 0
    """Number of frames still to wait."""

    def due(self, events: list[pygame.Event], on_panel: bool) -> list[pygame.Event]:
        """The events to handle in this frame, in their order; call it once per frame. `on_panel`: whether the pointer
        was on a panel in the last frame."""
        import pygame

        self._left = max(0, self._left - 1)
        coming, self._waiting = [*self._waiting, *events], []
        ready: list[pygame.Event] = []
        moved = False
        for event in coming:
            key = event.type in (pygame.KEYDOWN, pygame.KEYUP, pygame.TEXTINPUT)
            if event.type not in (pygame.QUIT, pygame.WINDOWCLOSE) and (self._waiting or (key and self._left)):
                self._waiting.append(event)
                continue
            ready.append(event)
            moved = moved or event.type == pygame.MOUSEMOTION
            pressed = event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and (on_panel or moved)
            if pressed or (event.type == pygame.KEYDOWN and opens_field(event)):
                self._left = SETTLING
        return ready


def opens_field(event: pygame.Event) -> bool:
    """Whether a key may open a text field: Enter on a slider, Ctrl with a letter."""
    import pygame

    enter = event.key in (pygame.K_RETURN, pygame.K_KP_ENTER)
    return enter or (bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)) and event.key == pygame.K_f)
