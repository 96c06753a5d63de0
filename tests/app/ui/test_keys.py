"""Keys do what the help says, on any layout, and never while a text is being typed."""

from __future__ import annotations

import pygame
import pytest
from repose.app.ui.keys import KEYS, dispatch, find_key


def press(key: int, text: str = "", mod: int = 0) -> pygame.event.Event:
    return pygame.event.Event(pygame.KEYDOWN, key=key, unicode=text, mod=mod)


@pytest.mark.parametrize(
    ("event", "does"),
    [
        (press(pygame.K_SPACE, " "), "pause"),
        (press(pygame.K_PERIOD, "."), "step"),
        (press(pygame.K_f, "f"), "fill"),
        (press(pygame.K_f, "F", pygame.KMOD_LSHIFT), "fill"),
        (press(pygame.K_o, "o"), "open"),
        (press(pygame.K_m, "m"), "measure"),
        (press(pygame.K_r, "r"), "reset"),
        (press(pygame.K_a, "a"), "run"),
        (press(pygame.K_TAB, "\t"), "hide_panels"),
        (press(pygame.K_F1), "help"),
        (press(pygame.K_F11), "fullscreen"),
        (press(pygame.K_HOME), "frame_all"),
        (press(pygame.K_EQUALS, "+", pygame.KMOD_RSHIFT), "faster"),
        (press(pygame.K_KP_PLUS, "+"), "faster"),
        (press(pygame.K_MINUS, "-"), "slower"),
        (press(pygame.K_KP_MINUS, "-"), "slower"),
        (press(pygame.K_z, "\x1a", pygame.KMOD_LCTRL), "undo"),
        (press(pygame.K_z, "\x1a", pygame.KMOD_LCTRL | pygame.KMOD_LSHIFT), "redo"),
        (press(pygame.K_y, "\x19", pygame.KMOD_RCTRL), "redo"),
        (press(pygame.K_z, "z", pygame.KMOD_LMETA), "undo"),
        (press(pygame.K_c, "c", pygame.KMOD_CAPS | pygame.KMOD_NUM), "next_colour"),
        (press(pygame.K_v, "v"), "record"),
    ],
)
def test_a_key_does_its_deed_once(event: pygame.event.Event, does: str) -> None:
    done: list[str] = []
    actions = {key.does: (lambda name=key.does: done.append(name)) for key in KEYS}
    assert dispatch(event, actions, typing=False)
    assert done == [does]


def test_nothing_happens_while_a_text_is_typed() -> None:
    assert not dispatch(press(pygame.K_f, "f"), {"fill": pytest.fail}, typing=True)


@pytest.mark.parametrize(
    "event",
    [
        press(pygame.K_q, "q"),
        press(pygame.K_f, "\x06", pygame.KMOD_LCTRL),
        press(pygame.K_TAB, "\t", pygame.KMOD_LALT),
        press(pygame.K_LSHIFT),
        pygame.event.Event(pygame.KEYUP, key=pygame.K_f, unicode="f", mod=0),
    ],
)
def test_other_keys_are_left_alone(event: pygame.event.Event) -> None:
    assert not dispatch(event, {key.does: pytest.fail for key in KEYS}, typing=False)


def test_no_two_keys_are_the_same() -> None:
    chords = [(code, key.ctrl, key.shift) for key in KEYS for code in (*key.codes, *key.characters)]
    assert len(chords) == len(set(chords))


def test_letters_follow_the_character_not_the_place_on_the_keyboard() -> None:
    found = find_key(pygame.K_q, "a", 0)
    assert found is not None
    assert found.does == "run"
