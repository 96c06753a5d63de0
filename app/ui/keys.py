"""Keys of the window, the keys that a scene offers, and how a key press finds its function.

Keys come from pygame's KEYDOWN events. ImGui's shortcuts lose a key combination if its letter is pressed and its Ctrl
released within one frame, and do not pass on Tab and the arrows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import pygame
from repose.app.ui.places import toggle_more
from repose.app.ui.scene_actions import RESET, act
from repose.app.ui.ui import Ui
from repose.sim.experiment.snapshot import Action, Snapshot
from repose.sim.message import Clause, Message, _, joined, plain


@dataclass(frozen=True)
class Key:
    """One key or key combination and its function."""

    name: str
    """Name of the function in `Ui.control.actions`."""
    shown: Message
    """The key as printed in the help."""
    help: Message
    group: Message
    act: Callable[[Ui], object] | None = None
    """Its function; None if the window adds a function of this name to `Ui.control.actions`."""
    codes: tuple[int, ...] = ()
    """pygame key codes, for keys that carry no character."""
    characters: str = ""
    """Characters that count as this key on every keyboard layout."""
    ctrl: bool = False
    shift: bool = False
    """With `ctrl`, whether Shift must be pressed too."""
    when: Callable[[Ui], bool] = lambda ui: True
    """Whether the key works now; if not, the next key of the list with the same combination works."""


WINDOW_KEYS = (
    Key("frame_all", _("Home"), _("follow the grains again"), _("Picture"), codes=(pygame.K_HOME,)),
    Key("look_front", plain("1"), _("in 3D: view from the front"), _("Picture"), codes=(pygame.K_1, pygame.K_KP_1)),
    Key("look_side", plain("2"), _("in 3D: view from the side"), _("Picture"), codes=(pygame.K_2, pygame.K_KP_2)),
    Key("look_top", plain("3"), _("in 3D: view from the top"), _("Picture"), codes=(pygame.K_3, pygame.K_KP_3)),
    Key(
        "look_three-quarter", plain("4"), _("in 3D: view at an angle"), _("Picture"), codes=(pygame.K_4, pygame.K_KP_4)
    ),
    Key(
        "save_picture",
        _("Ctrl+P"),
        _("save the picture as PNG and SVG"),
        _("File"),
        codes=(pygame.K_p,),
        ctrl=True,
    ),
    Key("hide_panels", _("Tab"), _("hide or show all panels"), _("Window"), codes=(pygame.K_TAB,)),
    Key("fold", plain("F4"), _("fold or unfold the column at the left"), _("Window"), codes=(pygame.K_F4,)),
    Key(
        "more",
        plain("F12"),
        _("show all controls, or those used most"),
        _("Window"),
        toggle_more,
        codes=(pygame.K_F12,),
    ),
    Key(
        "next_column", plain("F6"), _("move the keyboard to column, bar or actions"), _("Window"), codes=(pygame.K_F6,)
    ),
    Key(
        "manual",
        _("Ctrl+F1"),
        _("the manual, in the browser"),
        _("Window"),
        codes=(pygame.K_F1,),
        ctrl=True,
    ),
    Key("fullscreen", plain("F11"), _("full screen"), _("Window"), codes=(pygame.K_F11,)),
    Key("quit", _("Ctrl+Q"), _("close the window"), _("Window"), codes=(pygame.K_q,), ctrl=True),
)
"""Keys that belong to no panel."""

PANEL_KEYS = (
    (_("arrows"), _("from row to row; in a list, from choice to choice")),
    (_("Enter"), _("press, tick, open a list, choose, type a value")),
    (_("Enter, arrows"), _("select a slider and move it; Enter or Esc ends")),
)
"""Keys inside a panel that has the keyboard focus."""

MOUSE = (
    (_("drag"), _("what the chosen tool does; beside the grains: move the picture, in 3D rotate it")),
    (_("right-drag"), _("in 3D: move it (or Shift-drag)")),
    (_("Ctrl-drag"), _("turn the hourglass with the mouse")),
    (_("wheel"), _("zoom at the pointer")),
    (_("double-click"), _("with Move view: follow the grains again")),
)
"""Mouse on the picture."""

FIELD_MOUSE = (
    (_("Ctrl-click"), _("type a value")),
    (_("double-click"), _("reset to the default")),
    (_("right-click"), _("reset to the default")),
)
"""Mouse on a slider."""


def scene_keys(snapshot: Snapshot) -> tuple[Key, ...]:
    """A key for each action of the scene shown that has one."""
    return tuple(
        Key(
            f"act_{action.name}",
            plain(action.key),
            key_help(action),
            _("Experiment"),
            partial(_act, action),
            characters=action.key.lower() + action.key.upper(),
        )
        for action in snapshot.run.actions
        if action.key
    )


def key_help(action: Action) -> Message:
    """Help text of a key: the label of the action; for a reset also the text of its button."""
    return joined((action.label, Clause(action.help)), ": ") if action.name == RESET else action.label


def _act(action: Action, ui: Ui) -> None:
    act(ui, action)


def find_key(keys: Iterable[Key], code: int, character: str, mod: int) -> Key | None:
    """The first of `keys` that was pressed, or None: `code`, `unicode` and `mod` of a pygame KEYDOWN event."""
    ctrl = bool(mod & (pygame.KMOD_CTRL | pygame.KMOD_META))
    for key in keys:
        if key.ctrl != ctrl or mod & pygame.KMOD_ALT:
            continue
        if key.ctrl and key.shift != bool(mod & pygame.KMOD_SHIFT):
            continue
        if code in key.codes or (character and not ctrl and character in key.characters):
            return key
    return None


def is_letter(event: pygame.event.Event) -> bool:
    """Whether a letter was pressed, which a scene may use."""
    return event.type == pygame.KEYDOWN and event.unicode.isalpha()


def is_escape(event: pygame.event.Event) -> bool:
    """Whether Esc was pressed, which closes the help here and an open list in a panel."""
    return event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE


def dispatch(event: pygame.event.Event, keys: Iterable[Key], ui: Ui, typing: bool) -> bool:
    """Call the function of a KEYDOWN event, unless a text field has the keyboard; True if one of `keys` was pressed."""
    if typing or event.type != pygame.KEYDOWN:
        return False
    key = find_key((key for key in keys if key.when(ui)), event.key, event.unicode, event.mod)
    if key is None or (key.act is None and key.name not in ui.control.actions):
        return False
    key.act(ui) if key.act is not None else ui.control.actions[key.name]()
    return True
