"""Parameter changes by the user: checked by the parameter set, sent once, undoable, refused with a sentence.

A change appears in a snapshot one batch later. Until then the requested value is shown, so that a slider under the
mouse never jumps back. A value that the engine does not use is discarded after `PATIENCE` snapshots.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from repose.app.ui.undo import UndoHistory
from repose.sim.experiment.commands import (
    ADDED,
    DRAWN,
    INSTRUMENT,
    PULLED,
    PUSHED,
    REMOVED,
    SHAKEN,
    Command,
    DoAgain,
    From,
    Recover,
    SetParameters,
    TakeBack,
)
from repose.sim.experiment.parameter_values import parameters_of
from repose.sim.experiment.snapshot import ShownRun, Snapshot, WallCurve
from repose.sim.message import EMPTY, Capital, Message, _, joined, plain, with_prefix
from repose.sim.parameter_curves import CURVE_KINDS, ParameterCurve, is_curve, read_curve
from repose.sim.parameters import ParameterError, ParameterSet, Value

PATIENCE = 3
"""Number of snapshots after which a requested value that none of them shows is discarded."""
DEEDS = {
    PULLED: _("pulled grain"),
    PUSHED: _("pushed grains"),
    SHAKEN: _("shaken table"),
    REMOVED: _("removed grain"),
    ADDED: _("added grains"),
    DRAWN: _("drawn wall"),
    INSTRUMENT: _("instrument"),
}
"""Names of the changes that are not changes of parameters."""
UNMARKED = (INSTRUMENT,)
"""Those of them that change no bit of the motion: the plots do not mark them."""
MOST_MARKS = 200
"""Largest number of changes stored for the plots."""


@dataclass(frozen=True)
class EditMark:
    """One parameter change: simulated time [s], old and new value in words."""

    time: float
    text: Message
    before: Mapping[str, Value]
    """Values before the change, SI."""
    requested: tuple[Mapping[str, Value], ...] = ()
    """Values requested one after the other, SI: several during a drag."""
    gesture: object = None


MOST_POINTS = 40
"""Largest number of points of a curve that are marked each; of a longer one only the first and the last."""


def curve_marks(parameters: ParameterSet | None, walls: Sequence[WallCurve] = ()) -> list[EditMark]:
    """The points of the curves of a run, which parameters or walls follow, or the beginning of a curve without
    points."""
    marks = []
    if parameters is not None:
        entries = parameters.in_units()
        for name, curve in parameters.curves.items():
            marks += _marks_of(curve, entries[name].named)
    for wall in walls:
        marks += _marks_of(read_curve(wall.text), partial(_named_value, wall))
    return marks


def _marks_of(curve: ParameterCurve, named: Callable[[float], Message]) -> list[EditMark]:
    points = curve.points or ((curve.times[0], curve.at(curve.times[0])),)
    chosen = points if len(points) <= MOST_POINTS else (points[0], points[-1])
    kind = CURVE_KINDS[curve.kind].label
    return [EditMark(time, joined((kind, named(value)), ", "), {}) for time, value in chosen]


def _named_value(wall: WallCurve, value: float) -> Message:
    return joined((wall.label, with_prefix(value, wall.unit)), ": ")


@dataclass(frozen=True)
class Aside:
    """Undo history and marks of a run that another run replaces in the window for a while."""

    history: UndoHistory
    marks: list[EditMark]


@dataclass
class Edits:
    """Requested values that no snapshot shows yet, refusals, and the undo history."""

    send: Callable[[Command], None]
    history: UndoHistory = field(default_factory=UndoHistory)
    find: Callable[[ShownRun], ParameterSet | None] = parameters_of
    """The parameters of a run in a snapshot."""
    run: int = 0
    """Number of the experiment, of those side by side, that the user has chosen."""
    refusals: dict[str, Message] = field(default_factory=dict)
    """Why a parameter's last edit was refused, by parameter name."""
    waits: Callable[[Callable[[], object]], bool] = lambda act: False
    """Whether what is asked for has to wait; then it is called later. Written by the window."""
    refused: int = 0
    """Number of refused edits."""
    busy: Message = EMPTY
    """Why no value can be changed now: the run in the window is about to be replaced. Written by the window."""
    marks: list[EditMark] = field(default_factory=list)
    """Changes of this run, for the plots."""
    _wanted: dict[str, tuple[Value, int]] = field(default_factory=dict)
    _snapshot: Snapshot = field(default_factory=Snapshot)
    _edited: str = ""
    _gestures: int = 0
    """Number of gestures so far."""
    _noted: tuple[int, int] | None = None
    """Serial and number of refusals of the snapshot before the latest `note`; None once its command has acted."""

    def see(self, snapshot: Snapshot) -> None:
        """Compare with the newest snapshot: drop values that have arrived, assign a refusal to its field."""
        if snapshot.history.cuts != self._snapshot.history.cuts:
            self.history.leave_later()
            self.marks[:] = [mark for mark in self.marks if mark.time <= snapshot.run.time]
        self.history.follow(snapshot.history.at, snapshot.history.log_end)
        self._snapshot = copy.copy(snapshot)  # physics fills the record again as soon as there is a newer one
        if self._noted is not None:
            serial, refusals = self._noted
            if snapshot.messages.refusals > refusals and self.history.undoable and self.history.undoable[-1].deed:
                self.history.undoable.pop()
            elif snapshot.serial >= serial + PATIENCE and self.history.undoable:
                deed = self.history.undoable[-1].deed
                if deed and deed not in UNMARKED:
                    self.marks.append(EditMark(snapshot.run.time, plain(Capital(DEEDS[deed])), {}))
            if snapshot.messages.refusals > refusals or snapshot.serial >= serial + PATIENCE:
                self._noted = None
        if snapshot.messages.refusal and self._edited and self._edited in self._wanted:
            self.refusals[self._edited] = snapshot.messages.refusal
            self._wanted.clear()
        for name, (value, serial) in list(self._wanted.items()):
            present = self.parameters
            arrived = present is not None and name in present.declared() and present.given(name) == value
            if arrived or snapshot.serial >= serial + PATIENCE:
                del self._wanted[name]

    @property
    def all_marks(self) -> list[EditMark]:
        """The changes of this run and the points of its curves."""
        return [*self.marks, *curve_marks(self.parameters, self._snapshot.run.wall_curves)]

    @property
    def parameters(self) -> ParameterSet | None:
        """The parameters in effect, as of the last snapshot."""
        return self.find(self._snapshot.run)

    def value(self, name: str) -> Value:
        """The value to show for one parameter, SI; of one with a curve the present one."""
        wanted = self._wanted.get(name, (None, 0))[0]
        if wanted is not None and not is_curve(wanted):
            return wanted
        value: Value = getattr(self.parameters, name)
        return value

    def given(self, name: str) -> Value:
        """The value as it was given: the text of the curve of a parameter that has one."""
        if name in self._wanted:
            return self._wanted[name][0]
        assert self.parameters is not None
        return self.parameters.given(name)

    def set(self, values: Mapping[str, Value], gesture: object = None) -> bool:
        """Request new values (SI, raw as typed); False, with a refusal to show, if the parameter set rejects them.

        Edits with the same `gesture`, such as the drag of a slider, are undone together until the next `begin_gesture`.
        """
        parameters = self.parameters
        if parameters is None:
            return False
        if self.waits(partial(self.set, dict(values), gesture)):
            return True
        before = {name: self.given(name) for name in values}
        self.refusals.clear()
        if self.busy:
            self.refusals.update(dict.fromkeys(values, self.busy))
            self.refused += 1
            return False
        try:
            checked = parameters.changed(**{name: value for name, (value, _) in self._wanted.items()} | dict(values))
        except ParameterError as error:
            self.refusals.update(dict.fromkeys(values, error.in_units))
            self.refused += 1
            return False
        after: dict[str, Value] = {name: checked.given(name) for name in values}
        gesture = None if gesture is None else (gesture, self._gestures)
        if after != before:
            self.history.record(before, after, gesture, self._snapshot.history.at, self.run)
            self._ask(after, gesture)
        return True

    def begin_gesture(self) -> None:
        """Begin another drag: its edits are a separate change."""
        self._gestures += 1

    def note(self, deed: str, commands: tuple[Command, Command] | None = None) -> None:
        """Add a change that is not one of parameters to the undo history, unless the command that is sent now is
        refused; undo and redo send these commands, or `TakeBack(deed)` and `DoAgain(deed)`."""
        if self.waits(partial(self.note, deed, commands)):
            return
        self.history.note(deed, self._snapshot.history.at, self.run, commands)
        self._noted = self._snapshot.serial, self._snapshot.messages.refusals

    def to_undo(self) -> Mapping[str, Value] | None:
        """The values that `undo` would restore, or None if there is nothing to undo."""
        if self.history.undoable:
            return self.history.undoable[-1].before
        fault = self._snapshot.messages.fault
        if fault is None or fault.parameter is None or fault.previous is None:
            return None
        return {fault.parameter: fault.previous}

    def undo(self) -> None:
        """Undo the last change; after a fault, return to the last good state with the old values.

        A change that restarted the experiment is undone too: the grains that were present are restored.
        """
        if self.waits(self.undo):
            return
        values = self.to_undo()
        run = self.history.undoable[-1].run if self.history.undoable else self.run
        if self.history.undoable and (deed := self.history.undoable[-1].deed):
            commands = self.history.undoable[-1].commands
            self.history.undo()
            self._send(TakeBack(deed) if commands is None else commands[0], run)
        elif values is not None and self.history.undoable and (anew := self._began_anew(values)):
            self._send(TakeBack(anew), run)
        elif values is not None:
            self.history.undo()
            self._ask(values, run=run)

    def _began_anew(self, values: Mapping[str, Value]) -> str:
        """Name of one of these parameters whose change restarts the experiment, or an empty string."""
        declared = self.parameters.declared() if self.parameters is not None else {}
        return next((name for name in values if name in declared and declared[name].quantity.effect == "anew"), "")

    def redo(self) -> None:
        """Repeat the change undone last."""
        if self.waits(self.redo):
            return
        change = self.history.redo(self._snapshot.history.at)
        if change is not None and change.deed:
            self._send(DoAgain(change.deed) if change.commands is None else change.commands[1], change.run)
        elif change is not None:
            self._ask(change.after, run=change.run)

    def forget(self) -> None:
        """Delete history, requests and marks, for example when another preset is loaded."""
        self.history.clear()
        self.refusals.clear()
        self._wanted.clear()
        self.marks.clear()

    def suspend(self) -> Aside:
        """Begin an empty undo history for a run that replaces the user's run for a while; returns the history and marks
        of the user's run."""
        aside = Aside(self.history, self.marks)
        self.history, self.marks = UndoHistory(), []
        self.forget()
        return aside

    def resume(self, aside: Aside, snapshot: Snapshot) -> None:
        """Restore history and marks from `suspend`; `snapshot` is the first one of the user's run."""
        self.forget()
        self.history, self.marks = aside.history, aside.marks
        self.history.leave_later()
        self._snapshot = snapshot

    def _send(self, command: Command, run: int) -> None:
        """Send a command to the experiment number `run` of those side by side."""
        self.send(command if run == self.run else From(run, command))

    def _ask(self, values: Mapping[str, Value], gesture: object = None, run: int | None = None) -> None:
        self._edited = next(iter(values), "")
        before = {name: self.given(name) for name in values} if self.parameters is not None else {}
        for name, value in values.items():
            self._wanted[name] = (value, self._snapshot.serial)
        stopped = self._snapshot.messages.fault is not None
        self._send(Recover(dict(values)) if stopped else SetParameters(dict(values)), self.run if run is None else run)
        self._mark(before, values, gesture)

    def _mark(self, before: Mapping[str, Value], values: Mapping[str, Value], gesture: object) -> None:
        parameters = self.parameters
        if parameters is None:
            return
        declared = parameters.in_units()
        requested: tuple[Mapping[str, Value], ...] = (dict(values),)
        if gesture is not None and self.marks and self.marks[-1].gesture == gesture:
            drag = self.marks.pop()
            before, requested = {**before, **drag.before}, (*drag.requested, *requested)
        text = joined([declared[name].change(before[name], value) for name, value in values.items()])
        self.marks.append(EditMark(self._snapshot.run.time, text, before, requested, gesture))
        del self.marks[:-MOST_MARKS]
