"""The lecture in the window as data; `repose.app.ui.lecture_mode` is its only writer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from repose.app.language import current_language
from repose.app.lectures.lecture_file import Lecture, Step, text_in
from repose.app.lectures.step_course import LectureCourse
from repose.app.storage.view_settings import View
from repose.sim.measure.display import Answer
from repose.sim.message import EMPTY, Message

QUESTION = 6.0
"""Least wall time for which a question is shown, even if the run answers at once, such as a measurement [s]."""


@dataclass
class Holder:
    """A copy of a run, which the physics thread fills in between two batches."""

    saved: Any = None
    """A `SavedRun` or a `SavedSideBySide`; None before the copy is made."""

    def take(self, saved: Any) -> None:
        """Store the copy; called on the physics thread."""
        self.saved = saved


@dataclass
class Kept:
    """State of the window before the lecture."""

    run: Holder
    edits: Any
    """What `Edits.suspend` returned."""
    pictures: object
    presenting: bool
    overlay: str
    speed: int
    directed: float | None
    """As `repose.app.ui.pause_and_speed.Transport` had them."""
    paused: bool
    preset: str
    resumed: bool = False
    """Whether the run has been sent back to the physics thread."""


@dataclass
class Beginning:
    """State at the beginning of a step that continues a run."""

    run: Holder
    carried: tuple[str, ...]
    """Actions that earlier steps have left undone."""


@dataclass
class LectureMode:
    """The opened lecture, the step that is shown, and the state of the window to restore afterwards."""

    lecture: Lecture | None = None
    """The opened lecture, which F5 starts or continues."""
    on: bool = False
    """Whether the lecture is shown."""
    number: int = 0
    """Number of the step, from 0."""
    course: LectureCourse | None = None
    wishes: list[str] = field(default_factory=list)
    """Requests of keys and buttons, in their order."""
    view: View | None = None
    """How the picture is drawn during the lecture, in place of the settings."""
    notes_shown: bool = False
    """Whether the window shows the notes."""
    notes_beside: bool = False
    """Whether a second window on another screen shows the notes."""
    began: float = 0.0
    """Wall time at which the lecture was begun [s, clock of `time.monotonic`]."""
    kept: Kept | None = None
    beginnings: dict[int, Beginning] = field(default_factory=dict)
    """States at the beginning of steps, by the number of the step."""
    awaited: int = 0
    """Least `Snapshot.logs` of a snapshot of this step."""
    refusals: int = 0
    """`Snapshot.refusals` of the last snapshot seen."""
    entered: bool = False
    """Whether the speed of this step is set."""
    frames: int = 0
    """Number of frames of this step in which the cameras were set."""
    asked: tuple[tuple[int, int, int], int] | None = None
    """Logs, commands and refusals before the last action, and the serial of the snapshot then."""
    since: float = 0.0
    """Wall time at which this step was shown first [s, clock of `time.monotonic`]."""
    over: bool = False
    """Whether the step has come to its end."""
    answer: Answer | None = None
    """The answer of the run to the guess of the step at its end, which a run that begins anew does not change."""
    unanswered: Message = EMPTY
    """Why the guess of the step has no answer at its end; empty otherwise."""
    hindered: bool = False
    """Whether the window has said that the next action of the step is not possible."""
    suspend: Callable[[], object] = lambda: None
    """Store the cameras of the window before the lecture, and return them."""
    resume: Callable[[Any], None] = lambda kept: None
    """Restore the cameras that `suspend` has returned."""
    turn_to: Callable[[str], None] = lambda look: None
    """Turn every camera in space to a named view."""
    frame_box: Callable[[Any], None] = lambda box: None
    """Fill the picture with a box [m]; None follows the grains. Call it after `turn_to`, which follows the grains."""

    @property
    def answered(self) -> bool:
        """Whether the answer takes the place of the question: once the step is over and the question has been read."""
        return self.over and time.monotonic() - self.since >= QUESTION

    @property
    def step(self) -> Step:
        """The step that is shown; only while a lecture is opened."""
        assert self.lecture is not None
        return self.lecture.steps[self.number]

    def text(self, text: Any) -> str:
        """A text of the lecture in the language of the window."""
        return text_in(text, current_language())
