"""Events of a run with their steps: phases of the experiment, measurements, changes of parameters."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Literal

from repose.app.ui.edits import EditMark, Edits, curve_marks
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Capital, Message, plain
from repose.sim.parameters import changes_in

Kind = Literal["phase", "measured", "changed"]
MOST = 300
"""Largest number of events; the oldest are deleted first."""


@dataclass(frozen=True)
class Event:
    """One event: the step since the log began, the simulated time [s], and a text."""

    at: int
    time: float
    kind: Kind
    text: Message
    mark: EditMark | None = None
    """The change of a parameter, if the event is one."""
    ends: bool = False
    """Whether the experiment ends with this phase, if the event is one."""
    runs: bool = False
    """Whether this phase ends by itself, if the event is one."""


@dataclass
class Events:
    """The events of the run shown, in the order of their steps. Only this class changes them."""

    shown: list[Event] = field(default_factory=list)
    _last: Snapshot = field(default_factory=Snapshot)
    _live: Snapshot = field(default_factory=Snapshot)
    """The last snapshot of the end of the log, with which the next one is compared: its events are known, also after
    an earlier step has been shown meanwhile."""
    _mark: EditMark | None = None

    def see(self, snapshot: Snapshot, edits: Edits) -> None:
        """Update the events from the newest snapshot; events after a discarded step are deleted."""
        # A copy, because physics fills the record again as soon as there is a newer one.
        last, self._last = self._last, copy.copy(snapshot)
        if snapshot.serial == last.serial:
            return
        if snapshot.history.log_end < last.history.log_end or snapshot.run.scene != last.run.scene:
            keep = snapshot.history.at if snapshot.run.scene == last.run.scene and snapshot.history.at else -1
            self.shown = [event for event in self.shown if event.at <= keep]
        self._see_change(snapshot, edits)
        if snapshot.history.cuts != last.history.cuts:
            self._live = last  # what came after it is discarded
        if snapshot.history.at < snapshot.history.log_end:
            return
        last, self._live = self._live, self._last
        if not last.serial or snapshot.run.scene != last.run.scene:
            return
        for mark in curve_marks(edits.parameters, snapshot.run.wall_curves):
            if last.run.time < mark.time <= snapshot.run.time:
                self._add(Event(snapshot.history.at, mark.time, "changed", mark.text))
        if snapshot.run.phase != last.run.phase:
            phase, words = snapshot.run.phase, _sentence(snapshot, last)
            event = Event(snapshot.history.at, snapshot.run.time, "phase", words, ends=phase.ends, runs=phase.runs)
            self._add(event)
        measured = snapshot.results.slope
        if measured is not None and (last.results.slope is None or measured.angle != last.results.slope.angle):
            self._add(Event(snapshot.history.at, snapshot.run.time, "measured", measured.sentence))

    def _see_change(self, snapshot: Snapshot, edits: Edits) -> None:
        """Record the last change of a parameter; during a drag its text is updated."""
        mark = edits.marks[-1] if edits.marks else None
        if mark is None or mark == self._mark:
            return
        before, self._mark = self._mark, mark
        if any(event.mark == mark for event in self.shown):
            return  # the changes after it were discarded
        drags_on = before is not None and mark.gesture is not None and before.gesture == mark.gesture
        if drags_on and self.shown and self.shown[-1].mark == before:
            self.shown.pop()
        self._add(Event(snapshot.history.at, snapshot.run.time, "changed", mark.text, mark))

    def _add(self, event: Event) -> None:
        self.shown.append(event)
        del self.shown[:-MOST]


def _sentence(snapshot: Snapshot, last: Snapshot) -> Message:
    """The text of a new phase: the message at its beginning, unless it is about a parameter, or the label of the
    phase."""
    if snapshot.messages.latest != last.messages.latest and not changes_in(snapshot.messages.latest):
        return snapshot.messages.latest
    return plain(Capital(snapshot.run.phase_label))
