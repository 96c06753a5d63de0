"""The lecture in the window as data; `repose.app.ui.lecture` is its only writer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from repose.app.language import current_language
from repose.app.lectures.course import Course
from repose.app.lectures.lecture_file import Lecture, Step, said
from repose.app.storage.view import View

QUESTION = 6.0
"""Least time for which a question is shown, also where the run answers at once, as a measurement does [s]."""


@dataclass
class Holder:
    """A copy of a run, which the physics thread fills in between two batches."""

    saved: Any = None
    """A `SavedRun` or a `SavedSideBySide`; None before the copy is made."""

    def take(self, saved: Any) -> None:
        """Called on the physics thread."""
        self.saved = saved


@dataclass
class Kept:
    """What was in the window before the lecture."""

    run: Holder
    edits: Any
    """What `Edits.set_aside` returned."""
    pictures: object
    presenting: bool
    overlay: str
    speed: int
    paused: bool
    preset: str
    resumed: bool = False
    """Whether the run has been sent back to the physics thread."""


@dataclass
class Beginning:
    """The state in which a step that goes on with a run began."""

    run: Holder
    carried: tuple[str, ...]


@dataclass
class LectureMode:
    """The lecture that is opened, the step that is shown, and what comes back after it."""

    lecture: Lecture | None = None
    """Opened, to be started or continued with F5."""
    on: bool = False
    """Whether the lecture is shown."""
    number: int = 0
    """Of the step, from 0."""
    course: Course | None = None
    wishes: list[str] = field(default_factory=list)
    """Changes that keys and buttons have asked for."""
    view: View | None = None
    """How the picture is drawn during the lecture, in place of the settings."""
    notes_shown: bool = False
    """Whether the notes stand in the window."""
    notes_beside: bool = False
    """Whether the notes have a window of their own on another screen."""
    began: float = 0.0
    """Wall time at which the lecture was begun [s, clock of `time.monotonic`]."""
    kept: Kept | None = None
    beginnings: dict[int, Beginning] = field(default_factory=dict)
    """By the number of the step."""
    awaited: int = 0
    """`Snapshot.logs` from which on the snapshots are those of this step."""
    refusals: int = 0
    """`Snapshot.refusals` seen last."""
    entered: bool = False
    """Whether the speed of this step is set."""
    frames: int = 0
    """Frames of this step so far in which the cameras were set."""
    asked: tuple[tuple[int, int, int], int] | None = None
    """Logs, commands and refusals before the last action, and the serial of the snapshot then."""
    since: float = 0.0
    """Wall time at which this step was shown first [s, clock of `time.monotonic`]."""
    over: bool = False
    """Whether the step has come to its end."""
    set_aside: Callable[[], object] = lambda: None
    bring_back: Callable[[Any], None] = lambda kept: None
    """Cameras of the window before the lecture."""
    turn_to: Callable[[str], None] = lambda look: None
    """Turn every camera in space to a named view."""
    frame_box: Callable[[Any], None] = lambda box: None
    """Fill the picture with a box [m], or with None follow the grains; after `turn_to`, which follows them."""

    @property
    def answered(self) -> bool:
        """Whether the answer takes the place of the question: once the step is over and the question has been read."""
        return self.over and time.monotonic() - self.since >= QUESTION

    @property
    def step(self) -> Step:
        """The step that is shown; only while a lecture is opened."""
        assert self.lecture is not None
        return self.lecture.steps[self.number]

    def said(self, text: Any) -> str:
        """A text of the lecture in the language of the window."""
        return said(text, current_language())
