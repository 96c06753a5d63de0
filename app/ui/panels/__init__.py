"""Panels of the window: one file each, found by being there.

A module with a `PANEL = Panel(...)` in this folder is a panel. It reads the snapshot and the settings
handed to it in a `Ui` and asks for changes through it; it keeps no state of the experiment.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from repose.app.render.orbit import Camera
from repose.app.render.theme import PALETTES, Palette
from repose.app.render.view import View
from repose.app.storage.film import Film
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.settings import Settings
from repose.app.ui.edits import Edits
from repose.app.ui.preset_library import PresetLibrary
from repose.app.ui.transport import Transport
from repose.app.ui.ui_probe import UiProbe
from repose.sim.experiment.commands import Command
from repose.sim.experiment.snapshot import Snapshot

Side = Literal["left", "right", "bottom", "over"]


@dataclass
class Ui:
    """All a panel may see and use while it draws."""

    snapshot: Snapshot
    send: Callable[[Command], None]
    edits: Edits
    transport: Transport
    view: View
    camera: Camera
    settings: Settings
    film: Film
    preset_library: PresetLibrary
    actions: dict[str, Callable[[], None]] = field(default_factory=dict)
    """What each key does, by name, so that a button can do the same."""
    run_saver: RunSaver = field(default_factory=lambda: RunSaver(lambda command: None))
    probe: UiProbe = field(default_factory=UiProbe)
    scale: float = 1.0
    """Size of the interface relative to its design [-]."""
    size: tuple[int, int] = (1280, 720)
    """Of the window [px]."""
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Pixels covered by panels: left, top, right, bottom."""
    bold: Any = None
    """The bold font, where the window has one."""
    fps: float = 0.0
    """Frames drawn per second."""
    help_open: bool = False
    dead: bool = False
    """True when the physics thread has ended by mistake, so that it obeys no command."""
    memory: dict[str, Any] = field(default_factory=dict)
    """What a panel must remember between frames, such as a half-typed text, under its own name."""
    broken: dict[str, str] = field(default_factory=dict)
    """Panels that failed, and how."""

    @property
    def palette(self) -> Palette:
        """The colours of the theme chosen."""
        return PALETTES[self.settings.choices.theme]


@dataclass(frozen=True)
class Panel:
    """One panel: where it stands and the function that draws it."""

    name: str
    title: str
    order: int
    side: Side
    draw: Callable[[Ui], None]
    stretch: bool = False
    """Takes the height its column has left, and scrolls inside it."""
    group: str = ""
    """Panels of one group share their place, one tab each."""


@cache
def all_panels() -> tuple[Panel, ...]:
    """Every panel in this folder, in order."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return tuple(sorted((m.PANEL for m in modules if hasattr(m, "PANEL")), key=lambda panel: panel.order))
