"""Undo and redo of parameter changes: two stacks of exact values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from repose.sim.experiment.commands import Command
from repose.sim.parameters import Value

DEPTH = 1000
"""Largest number of stored changes; the oldest are deleted first."""


@dataclass(frozen=True)
class UndoStep:
    """One undoable step: the same parameters before and after it, SI."""

    before: Mapping[str, Value]
    after: Mapping[str, Value]
    gesture: object = None
    """Identifies one drag, whose changes count as one step."""
    at: int = 0
    """Step at which the change was requested, counted from the beginning of the log."""
    deed: str = ""
    """Name of the change in `TakeBack` and `DoAgain`; empty for a change of parameters."""
    run: int = 0
    """Number of the changed experiment, of those side by side."""
    commands: tuple[Command, Command] | None = None
    """The commands that undo and redo a `deed` which changed no bit of the motion, without going back in time; None:
    `TakeBack` and `DoAgain`."""


@dataclass
class UndoHistory:
    """Changes that can be undone and redone, newest last."""

    undoable: list[UndoStep] = field(default_factory=list)
    redoable: list[UndoStep] = field(default_factory=list)
    to_come: list[UndoStep] = field(default_factory=list)
    """Changes made after the step shown, while an earlier state is shown; the next one last."""
    _asked_at: int | None = None
    """Step of the newest change until the run has answered: its log may still extend beyond this step."""

    def follow(self, at: int, end: int) -> None:
        """Follow a seek in the history: changes after step `at` of `end` cannot be undone there."""
        if at == self._asked_at and at < end:
            return  # the newest change is not a later one: its command is about to cut the log here
        self._asked_at = None
        while self.undoable and at < end and at <= self.undoable[-1].at <= end:
            self.to_come.append(self.undoable.pop())
        while self.to_come and (at == end or self.to_come[-1].at < at):
            self.undoable.append(self.to_come.pop())

    def leave_later(self) -> None:
        """Delete the changes made after the step shown: the run continues there, or a copy of the run ends there."""
        if self.to_come:
            self.to_come.clear()
            self.redoable.clear()
        self._asked_at = None

    def record(
        self,
        before: Mapping[str, Value],
        after: Mapping[str, Value],
        gesture: object = None,
        at: int = 0,
        run: int = 0,
    ) -> None:
        """Store a change; a change with the same `gesture` extends the last one."""
        self.redoable.clear()
        last = self.undoable[-1] if self.undoable else None
        if last is not None and gesture is not None and last.gesture == gesture:
            self.undoable.pop()
            before, after = {**before, **last.before}, {**last.after, **after}
        if dict(before) != dict(after):
            self.undoable.append(UndoStep(dict(before), dict(after), gesture, at, run=run))
            self._asked_at = at
            del self.undoable[:-DEPTH]

    def note(self, deed: str, at: int = 0, run: int = 0, commands: tuple[Command, Command] | None = None) -> None:
        """Store a change that is not one of parameters."""
        self.redoable.clear()
        self.undoable.append(UndoStep({}, {}, at=at, deed=deed, run=run, commands=commands))
        self._asked_at = at
        del self.undoable[:-DEPTH]

    def undo(self) -> Mapping[str, Value] | None:
        """The values to restore, or None if nothing is left to undo."""
        if not self.undoable:
            return None
        self.redoable.append(self.undoable.pop())
        return self.redoable[-1].before

    def redo(self, at: int = 0) -> UndoStep | None:
        """The change to make again, now at step `at`, or None if nothing was undone."""
        if not self.redoable:
            return None
        self.undoable.append(replace(self.redoable.pop(), at=at))
        return self.undoable[-1]

    def clear(self) -> None:
        """Delete all changes, for example when another preset is loaded."""
        self.undoable.clear()
        self.redoable.clear()
        self.to_come.clear()
