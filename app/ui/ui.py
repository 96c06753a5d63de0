"""The record that every panel gets: snapshot, settings, and functions that request changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from repose.app.lectures.mode import LectureMode
from repose.app.render.orbit import Camera
from repose.app.render.theme import PALETTES, Palette
from repose.app.storage.film import Film
from repose.app.storage.run_saver import RunSaver
from repose.app.storage.settings import Settings
from repose.app.storage.view import View
from repose.app.ui.edits import Edits
from repose.app.ui.events import Events
from repose.app.ui.preset_library import PresetLibrary
from repose.app.ui.recent_runs import RecentRuns
from repose.app.ui.repeats import Repeats
from repose.app.ui.states import States
from repose.app.ui.studies import Studies
from repose.app.ui.transport import Transport
from repose.app.ui.ui_probe import UiProbe
from repose.app.ui.workshop import Workshop
from repose.sim.experiment.commands import Command
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message


@dataclass
class Ui:
    """Data that panels read while they are drawn, and functions that request changes."""

    snapshot: Snapshot
    send: Callable[[Command], None]
    edits: Edits
    transport: Transport
    camera: Camera
    settings: Settings
    film: Film
    preset_library: PresetLibrary
    runs: tuple[Snapshot, ...] = ()
    """Snapshots of the experiments side by side; `snapshot` is the chosen one. Empty for a single experiment."""
    chosen: int = 0
    """Number of the experiment on which panels, tools and keys act, unless they act on all."""
    actions: dict[str, Callable[[], object]] = field(default_factory=dict)
    """Functions of the keys and of the window, by name, also for buttons."""
    repeats: Repeats = field(default_factory=lambda: Repeats(lambda command: None))
    studies: Studies = field(default_factory=lambda: Studies(lambda command: None))
    workshop: Workshop = field(default_factory=Workshop)
    run_saver: RunSaver = field(default_factory=lambda: RunSaver(lambda command: None))
    probe: UiProbe = field(default_factory=UiProbe)
    scale: float = 1.0
    """Scale of the interface; 1 is its designed size [-]."""
    size: tuple[int, int] = (1280, 720)
    """Size of the window [px]."""
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Pixels covered by panels: left, top, right, bottom."""
    bold: Any = None
    """The bold font, or None."""
    preparing: Message = EMPTY
    """Message about engines that are compiled in the background, or empty."""
    fps: float = 0.0
    """Frames drawn per second."""
    help_open: bool = False
    overlay: str = ""
    """Name of the panel that is open over the picture or in place of the column: the choice of scenes, the large plot,
    or the workshop; empty for none."""
    tool: str = ""
    """Name of the tool of the left mouse button on the picture; empty for the first one. Written by
    `repose.app.ui.tools`."""
    presenting: bool = False
    """True in the presentation: picture, title, parameters of the lecture and the large number only."""
    lecture: LectureMode = field(default_factory=LectureMode)
    events: Events = field(default_factory=Events)
    """Events of this run for the bar of time."""
    dead: bool = False
    """True after the physics thread has ended because of a program error; it carries out no commands."""
    states: States = field(default_factory=States)
    """State of panels and tools between frames, such as a half-typed text."""
    broken: dict[str, str] = field(default_factory=dict)
    """Panels that failed, with the message of the error."""
    texture: Callable[[str, Callable[[], bytes]], Any] = lambda name, read: None
    """texture(name, function that reads the picture) -> texture of a small picture, or None."""
    recent_runs: RecentRuns = field(init=False)

    def __post_init__(self) -> None:
        self.recent_runs = RecentRuns(self.settings)

    @property
    def view(self) -> View:
        """Settings of the picture; during a lecture the settings of the lecture."""
        return self.lecture.view or self.settings.choices.view

    @property
    def palette(self) -> Palette:
        """The colours of the selected theme."""
        return PALETTES[self.settings.choices.theme]
