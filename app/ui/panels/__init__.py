"""Panels of the window: one module each, with its record `PANEL`; plug-ins add more.

A panel reads snapshot and settings from `Ui` and requests changes by its functions; it stores no state of the
experiment. Widgets that several panels use belong in `repose.app.ui`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, get_args

from repose.app.extensions import offered
from repose.app.render.passes import Switch, all_switches
from repose.app.ui.keys import WINDOW_KEYS, Key
from repose.app.ui.ui import Ui

Side = Literal["column", "tools", "low", "bottom", "over"]
"""Position: in the column, in the tabs at the lower end of the column, in these tabs only where the column is too low
for the readings, in the bar at the bottom, or over the picture."""


@dataclass(frozen=True)
class Panel:
    """One panel: its position, the function that draws it, and its keys."""

    name: str
    title: str
    order: int
    side: Side
    draw: Callable[[Ui], None]
    keys: tuple[Key, ...] = ()
    """Keys that work wherever the mouse is, each with its function."""

    def __post_init__(self) -> None:
        if self.side not in get_args(Side):  # a panel without a known side is never drawn
            raise ValueError(
                f"the panel '{self.name}' has the side '{self.side}': use one of {', '.join(get_args(Side))}"
            )


@cache
def all_panels() -> tuple[Panel, ...]:
    """Every panel of this package and of the plug-ins, in order."""
    return tuple(sorted(offered(__name__, "PANEL"), key=lambda panel: panel.order))


@cache
def all_keys() -> tuple[Key, ...]:
    """Every key: those of the window, of the panels, and of the switches of the draw passes."""
    panels = (key for panel in all_panels() for key in panel.keys)
    return (*WINDOW_KEYS, *panels, *(_switch_key(switch) for switch in all_switches() if switch.key))


def _switch_key(switch: Switch) -> Key:
    letters = switch.key.lower() + switch.key.upper()
    toggle = partial(_toggle, switch)
    return Key(
        f"show_{switch.name}", switch.key, f"{switch.label.lower()} on or off", "Picture", toggle, characters=letters
    )


def _toggle(switch: Switch, ui: Ui) -> None:
    switch.set(ui.view, not switch.is_on(ui.view))
