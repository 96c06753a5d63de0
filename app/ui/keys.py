"""Every key of the program in one table: the help overlay prints it, the frame loop obeys it.

Keys come from pygame's own KEYDOWN events. ImGui's shortcuts lose a chord whose letter is pressed and
whose Ctrl is released within one frame, and would swallow Tab and the arrows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pygame

MODIFIERS = pygame.KMOD_CTRL | pygame.KMOD_SHIFT | pygame.KMOD_ALT | pygame.KMOD_META


@dataclass(frozen=True)
class Key:
    """One key or chord and what it does."""

    does: str
    """Name of the deed, as the dispatcher knows it."""
    shown: str
    """The key as printed in the help."""
    help: str
    group: str
    codes: tuple[int, ...] = ()
    """pygame key codes, for keys that carry no character."""
    characters: str = ""
    """Characters that count as this key whatever the keyboard's layout."""
    ctrl: bool = False
    shift: bool = False
    """With `ctrl`, whether Shift must be held too."""


KEYS = (
    Key("fill", "F", "fill the container", "Experiment", characters="fF"),
    Key("open", "O", "open the wall or neck, lift the cylinder", "Experiment", characters="oO"),
    Key("turn", "T", "turn the hourglass over", "Experiment", characters="tT"),
    Key("measure", "M", "measure the angle", "Experiment", characters="mM"),
    Key("reset", "R", "empty the container", "Experiment", characters="rR"),
    Key("run", "A", "run the whole experiment", "Experiment", characters="aA"),
    Key("pause", "Space", "pause or go on", "Time", codes=(pygame.K_SPACE,)),
    Key("step", ".", "one time step", "Time", characters="."),
    Key("faster", "+", "faster", "Time", codes=(pygame.K_KP_PLUS,), characters="+="),
    Key("slower", "−", "slower", "Time", codes=(pygame.K_KP_MINUS,), characters="-_"),
    Key("undo", "Ctrl+Z", "undo a parameter change", "Parameters", codes=(pygame.K_z,), ctrl=True),
    Key("redo", "Ctrl+Y", "redo it", "Parameters", codes=(pygame.K_y,), ctrl=True),
    Key("redo", "Ctrl+Shift+Z", "redo it", "Parameters", codes=(pygame.K_z,), ctrl=True, shift=True),
    Key("halve", "H", "after a fault: a smaller time step", "Parameters", characters="hH"),
    Key("remove", "Del", "after a fault: remove the grain it names", "Parameters", codes=(pygame.K_DELETE,)),
    Key("step_back", ",", "one time step back", "Time", characters=","),
    Key("earlier", "Page Up", "to the moment kept before", "Time", codes=(pygame.K_PAGEUP,)),
    Key("later", "Page Down", "to the moment kept after", "Time", codes=(pygame.K_PAGEDOWN,)),
    Key("save_run", "Ctrl+S", "save the run", "File", codes=(pygame.K_s,), ctrl=True),
    Key("open_run", "Ctrl+O", "open a run", "File", codes=(pygame.K_o,), ctrl=True),
    Key("frame_all", "Home", "see everything", "Picture", codes=(pygame.K_HOME,)),
    Key("look_front", "1", "in space: look from the front", "Picture", codes=(pygame.K_1, pygame.K_KP_1)),
    Key("look_side", "2", "from the side", "Picture", codes=(pygame.K_2, pygame.K_KP_2)),
    Key("look_top", "3", "from the top", "Picture", codes=(pygame.K_3, pygame.K_KP_3)),
    Key("look_three-quarter", "4", "at an angle", "Picture", codes=(pygame.K_4, pygame.K_KP_4)),
    Key("next_colour", "C", "colour by the next quantity", "Picture", characters="cC"),
    Key("force_chains", "L", "force chains on or off", "Picture", characters="lL"),
    Key("record", "V", "start or end a video", "Picture", characters="vV"),
    Key("hide_panels", "Tab", "hide or show all panels", "Window", codes=(pygame.K_TAB,)),
    Key("next_column", "F6", "keyboard to the next column of panels", "Window", codes=(pygame.K_F6,)),
    Key("fullscreen", "F11", "full screen", "Window", codes=(pygame.K_F11,)),
    Key("help", "F1", "this page", "Window", codes=(pygame.K_F1,)),
    Key("close_help", "Esc", "close this page, or an open list", "Window", codes=(pygame.K_ESCAPE,)),
)

PANEL_KEYS = (
    ("arrows", "from row to row; in a list, from choice to choice"),
    ("Enter", "press, tick, open a list, choose, type a value"),
    ("Enter, arrows", "take hold of a bar and move it; Enter or Esc lets go"),
)
"""What the keyboard does in a panel, once F6 has given it to one."""

MOUSE = (
    ("drag", "move the picture; in space: turn it"),
    ("right-drag", "in space: move it (or Shift-drag)"),
    ("Ctrl-drag", "turn the hourglass over by hand"),
    ("wheel", "zoom at the pointer"),
    ("double-click", "on the picture: see everything"),
)
"""What the mouse does over the heap."""

FIELD_MOUSE = (
    ("Ctrl-click", "type a value"),
    ("double-click", "back to the default"),
    ("right-click", "back to the default"),
)
"""What the mouse does on a slider."""


def find_key(code: int, character: str, mod: int) -> Key | None:
    """The key pressed, or None: `code`, `unicode` and `mod` of a pygame KEYDOWN event."""
    ctrl = bool(mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
    for key in KEYS:
        if key.ctrl != ctrl or mod & pygame.KMOD_ALT:
            continue
        if key.ctrl and key.shift != bool(mod & pygame.KMOD_SHIFT):
            continue
        if code in key.codes or (character and not ctrl and character in key.characters):
            return key
    return None


def is_escape(event: pygame.event.Event) -> bool:
    """Whether it is the key that closes: the help here, and whatever list is open in a panel."""
    return event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE


def dispatch(event: pygame.event.Event, actions: dict[str, Callable[[], None]], typing: bool) -> bool:
    """Do what a KEYDOWN asks for, unless a text field has the keyboard; True if it was one of ours."""
    if typing or event.type != pygame.KEYDOWN:
        return False
    key = find_key(event.key, event.unicode, event.mod)
    if key is None or key.does not in actions:
        return False
    actions[key.does]()
    return True
