"""Panels of the window: one module each, with its record `PANEL`; plug-ins add more.

A panel reads snapshot and settings from `Ui` and requests changes by its functions; it stores no state of the
experiment. Widgets that several panels use belong in `repose.app.ui`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, get_args

from repose.app.extensions import offered
from repose.app.render.colours import Ranges
from repose.app.render.orbit import Camera3D
from repose.app.render.passes import Switch, all_switches
from repose.app.storage.view_settings import View
from repose.app.ui.edits import Edits
from repose.app.ui.keys import WINDOW_KEYS, Key
from repose.app.ui.tools import Tool, all_tools, choose_by_key
from repose.app.ui.ui import Ui
from repose.sim.engine.world import Floats
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message, _, plain

Side = Literal["column", "tools", "low", "bottom", "over", "instead"]
"""Position: in the column; in the tabs at its lower end (tools); in these tabs only if the column is too low for the
readings (low); in the bar at the bottom; over the picture; instead of the column while `WindowMode.overlay` names the
panel."""


@dataclass(frozen=True)
class Shown:
    """A picture that replaces the picture of the run."""

    snapshot: Snapshot
    view: View
    camera: Camera3D
    ranges: Ranges
    """Ranges of its colours."""
    corners: Floats
    """Points to keep in view until the user moves the camera [m], shape (points, 3)."""
    foot: float = 0.0
    """Height that the panel covers at the foot of the picture [px]."""


@dataclass(frozen=True)
class Panel:
    """One panel: its position, the function that draws it, and its keys."""

    name: str
    title: Message
    order: int
    side: Side
    draw: Callable[[Ui], None]
    keys: tuple[Key, ...] = ()
    """Keys that work wherever the mouse is, each with its function."""
    picture: Callable[[Ui], Shown | None] = lambda ui: None
    """The picture while the panel replaces the column; None for the picture of the run."""
    beside: Callable[[Ui, float], float] = lambda ui, width: 0.0
    """Width of the panel at the right of a picture of a given width [px] while `WindowMode.overlay` names it [px]."""
    edits: Callable[[Ui], Edits] = lambda ui: ui.control.edits
    """The parameters that the panel changes, with their undo history."""

    def __post_init__(self) -> None:
        if self.side not in get_args(Side):  # a panel without a known side is never drawn
            raise ValueError(
                f"the panel '{self.name}' has the side '{self.side}': use one of {', '.join(get_args(Side))}"
            )


@cache
def all_panels() -> tuple[Panel, ...]:
    """Every panel of this package and of the plug-ins, in order."""
    return tuple(sorted(offered(__name__, "PANEL"), key=lambda panel: panel.order))


def instead(ui: Ui) -> Panel | None:
    """The panel that replaces the column now; None if there is none."""
    return next((panel for panel in all_panels() if panel.side == "instead" and panel.name == ui.mode.overlay), None)


def width_beside(ui: Ui, width: float) -> float:
    """Width at the right of a picture of this width for the panel that `WindowMode.overlay` names [px]."""
    return next((panel.beside(ui, width) for panel in all_panels() if panel.name == ui.mode.overlay), 0.0)


def edits_shown(ui: Ui) -> Edits:
    """The parameters that the window shows: those of the panel that replaces the column, if there is one."""
    panel = instead(ui)
    return panel.edits(ui) if panel is not None else ui.control.edits


@contextmanager
def with_edits(ui: Ui, edits: Edits) -> Iterator[None]:
    """Fields and keys change these parameters during the block."""
    of_run = ui.control.edits
    ui.control.edits = edits
    try:
        yield
    finally:
        ui.control.edits = of_run


@cache
def all_keys() -> tuple[Key, ...]:
    """The keys of the window, of the panels, of the tools, and of the switches of the draw passes."""
    panels = (key for panel in all_panels() for key in panel.keys)
    tools = map(_tool_key, all_tools())
    return (*WINDOW_KEYS, *panels, *tools, *(_switch_key(switch) for switch in all_switches() if switch.key))


def _letters(key: str) -> str:
    """Both cases of a letter; a digit once."""
    return "".join(dict.fromkeys((key.lower(), key.upper())))


def _tool_key(tool: Tool) -> Key:
    letters, words = _letters(tool.key), Message("mouse: {lower}", lower=tool.title)
    return Key(
        f"tool_{tool.name}", plain(tool.key), words, _("Picture"), partial(choose_by_key, tool), characters=letters
    )


def _switch_key(switch: Switch) -> Key:
    letters = _letters(switch.key)
    toggle = partial(_toggle, switch)
    return Key(
        f"show_{switch.name}",
        plain(switch.key),
        Message("{lower} on or off", lower=switch.label),
        _("Picture"),
        toggle,
        characters=letters,
    )


def _toggle(switch: Switch, ui: Ui) -> None:
    switch.set(ui.view, not switch.is_on(ui.view))
