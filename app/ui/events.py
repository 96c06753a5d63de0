"""Events of a run with their steps: phases of the experiment, measurements, changes of parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from repose.app.ui.edits import Edits, Mark
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Capital, Message, plain
from repose.sim.parameters import changes_in

MOST = 300
"""Largest number of events; the oldest are deleted first."""


@dataclass(frozen=True)
class Event:
    """One event: the step since the log began, the simulated time [s], and a text."""

    at: int
    time: float
    kind: Literal["phase", "measured", "changed"]
    text: Message
    mark: Mark | None = None
    """The change of a parameter, if the event is one."""


@dataclass
class Events:
    """The events of the run shown, in the order of their steps. Only this class changes them."""

    shown: list[Event] = field(default_factory=list)
    _last: Snapshot = field(default_factory=Snapshot)
    _mark: Mark | None = None

    def see(self, snapshot: Snapshot, edits: Edits) -> None:
        """Update the events from the newest snapshot; events after a discarded step are deleted."""
        last, self._last = self._last, snapshot
        if snapshot.serial == last.serial:
            return
        if snapshot.log_end < last.log_end or snapshot.scene != last.scene:
            keep = snapshot.at if snapshot.scene == last.scene and snapshot.at else -1
            self.shown = [event for event in self.shown if event.at <= keep]
        self._see_change(snapshot, edits)
        if snapshot.at < snapshot.log_end or not last.serial or snapshot.scene != last.scene:
            return
        if snapshot.phase != last.phase:
            self._add(Event(snapshot.at, snapshot.time, "phase", _sentence(snapshot, last)))
        measured = snapshot.measurement
        if measured is not None and (last.measurement is None or measured.angle != last.measurement.angle):
            self._add(Event(snapshot.at, snapshot.time, "measured", measured.sentence))

    def _see_change(self, snapshot: Snapshot, edits: Edits) -> None:
        """Record the last change of a parameter; during a drag its text is updated."""
        mark = edits.marks[-1] if edits.marks else None
        if mark is None or mark == self._mark:
            return
        before, self._mark = self._mark, mark
        drags_on = before is not None and mark.gesture is not None and before.gesture == mark.gesture
        if drags_on and self.shown and self.shown[-1].mark == before:
            self.shown.pop()
        self._add(Event(snapshot.at, snapshot.time, "changed", mark.text, mark))

    def _add(self, event: Event) -> None:
        self.shown.append(event)
        del self.shown[:-MOST]


def _sentence(snapshot: Snapshot, last: Snapshot) -> Message:
    """The text of a new phase: the message at its beginning, unless it is about a parameter, or the label of the
    phase."""
    if snapshot.message != last.message and not changes_in(snapshot.message):
        return snapshot.message
    return plain(Capital(snapshot.phase_label))
