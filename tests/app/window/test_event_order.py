"""Letters typed right after a click wait until the field that it opens has the keyboard; nothing changes its order."""

from __future__ import annotations

from typing import Any

import pygame
import pytest
from repose.app.window.event_order import SETTLING, EventOrder


def event(kind: int, **fields: Any) -> pygame.event.Event:
    return pygame.event.Event(kind, **fields)


CLICK = event(pygame.MOUSEBUTTONDOWN, button=1, pos=(5, 5))
UP = event(pygame.MOUSEBUTTONUP, button=1, pos=(5, 5))
MOVE = event(pygame.MOUSEMOTION, pos=(9, 9), rel=(4, 4), buttons=(0, 0, 0))
LETTER = event(pygame.KEYDOWN, key=pygame.K_f, unicode="f", mod=0)
TEXT = event(pygame.TEXTINPUT, text="f")
ENTER = event(pygame.KEYDOWN, key=pygame.K_RETURN, unicode="\r", mod=0)
SEARCH = event(pygame.KEYDOWN, key=pygame.K_f, unicode="\x06", mod=pygame.KMOD_LCTRL)


@pytest.mark.parametrize("opening", [CLICK, ENTER, SEARCH])
def test_letters_of_the_same_frame_come_once_the_field_has_the_keyboard_and_what_follows_them_after_them(
    opening: pygame.event.Event,
) -> None:
    order = EventOrder()
    assert order.due([opening, UP, LETTER, TEXT, MOVE], True) == [opening, UP]
    for _ in range(SETTLING - 1):
        assert order.due([], True) == []
    assert order.due([], True) == [LETTER, TEXT, MOVE]


def test_letters_of_the_next_frames_wait_too_and_keep_their_order() -> None:
    order = EventOrder()
    order.due([CLICK], True)
    assert order.due([LETTER], True) == []
    assert order.due([TEXT], True) == []
    assert [order.due([], True) for _ in range(SETTLING - 2)][-1] == [LETTER, TEXT]


@pytest.mark.parametrize("before", [[], [CLICK, UP]])
def test_keys_after_a_click_on_the_picture_act_at_once(before: list[pygame.event.Event]) -> None:
    assert EventOrder().due([*before, LETTER], False) == [*before, LETTER]


def test_a_pointer_that_has_just_moved_may_be_on_a_panel() -> None:
    assert EventOrder().due([MOVE, CLICK, LETTER], False) == [MOVE, CLICK]


def test_closing_the_window_never_waits() -> None:
    close = event(pygame.WINDOWCLOSE)
    assert EventOrder().due([CLICK, LETTER, close], True) == [CLICK, close]
