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
from repose.app.storage.view_settings import View
from repose.app.ui.clump_recipe import Workshop
from repose.app.ui.edits import Edits
from repose.app.ui.events import Events
from repose.app.ui.pause_and_speed import Transport
from repose.app.ui.preset_library import PresetLibrary
from repose.app.ui.recent_runs import RecentRuns
from repose.app.ui.states import States
from repose.app.ui.studies import Studies, StudyForm
from repose.app.ui.ui_probe import UiProbe
from repose.app.ui.whole_film import WholeFilm
from repose.sim.experiment.commands import Command
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import EMPTY, Message


@dataclass
class RunsBeside:
    """The experiments side by side."""

    runs: tuple[Snapshot, ...] = ()
    """Their snapshots; `Ui.snapshot` is the chosen one. Empty for a single experiment."""
    chosen: int = 0
    """Number of the experiment on which panels, tools and keys act, unless they act on all."""


@dataclass
class Control:
    """The ways to request changes."""

    send: Callable[[Command], None]
    edits: Edits
    transport: Transport
    actions: dict[str, Callable[[], object]] = field(default_factory=dict)
    """Functions of the keys and of the window, by name, also for buttons."""


@dataclass
class WindowArea:
    """Size and letters of the window in this frame."""

    size: tuple[int, int] = (1280, 720)
    """[px]."""
    scale: float = 1.0
    """Scale of the interface; 1 is its designed size [-]."""
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    """Pixels covered by panels: left, top, right, bottom."""
    beside: float = 0.0
    """Width of a panel beside the picture [px], contained in `inset`; the strip of actions is below it."""
    band: float = 0.0
    """Width at the right of the picture that plates cover [px]; the scene is shown beside it."""
    bold: Any = None
    """The bold font, or None."""
    texture: Callable[[str, Callable[[], Any]], Any] = lambda name, read: None
    """texture(name, function that returns a small picture as a file, or pixels) -> its texture, or None."""
    fps: float = 0.0
    """Frames drawn per second."""


@dataclass
class WindowMode:
    """What the user has opened."""

    overlay: str = ""
    """Name of the panel that is open over the picture or in place of the column: the choice of scenes, the large plot,
    or the workshop; empty for none."""
    help_open: bool = False
    tool: str = ""
    """Name of the tool of the left mouse button on the picture; empty for the first one. Written by
    `repose.app.ui.tools`."""
    presenting: bool = False
    """True in the presentation: picture, title, parameters of the lecture and the large number only."""
    lecture: LectureMode = field(default_factory=LectureMode)


@dataclass
class Work:
    """Files and long work beside the run."""

    film: Film
    whole_film: WholeFilm
    page: WholeFilm
    """The page of the run for browsers."""
    preset_library: PresetLibrary
    recent_runs: RecentRuns
    run_saver: RunSaver = field(default_factory=lambda: RunSaver(lambda command: None))
    repeats: Studies = field(default_factory=lambda: Studies(lambda command: None))
    study_form: StudyForm = field(default_factory=StudyForm)
    studies: Studies = field(default_factory=lambda: Studies(lambda command: None))
    workshop: Workshop = field(default_factory=Workshop)


@dataclass
class ProgramState:
    """What the program itself is doing, and what has failed in it."""

    preparing: Message = EMPTY
    """Message about engines that are compiled in the background, or empty."""
    dead: bool = False
    """True after the physics thread has ended because of a program error; it carries out no commands."""
    broken: dict[str, str] = field(default_factory=dict)
    """Panels that failed, with the message of the error."""


@dataclass
class Ui:
    """Data that panels read while they are drawn, and functions that request changes."""

    snapshot: Snapshot
    control: Control
    camera: Camera
    settings: Settings
    work: Work
    beside: RunsBeside = field(default_factory=RunsBeside)
    window: WindowArea = field(default_factory=WindowArea)
    mode: WindowMode = field(default_factory=WindowMode)
    program: ProgramState = field(default_factory=ProgramState)
    events: Events = field(default_factory=Events)
    """Events of this run for the bar of time."""
    probe: UiProbe = field(default_factory=UiProbe)
    states: States = field(default_factory=States)
    """State of panels and tools between frames, such as a half-typed text."""

    @property
    def view(self) -> View:
        """Settings of the picture; during a lecture the settings of the lecture."""
        return self.mode.lecture.view or self.settings.choices.view

    @property
    def palette(self) -> Palette:
        """The colours of the selected theme."""
        return PALETTES[self.settings.choices.theme]
