"""Undo and redo of parameter changes: two stacks of plain values, kept exactly as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.parameters import Value

DEPTH = 1000
"""Changes kept; the oldest are forgotten first."""


@dataclass(frozen=True)
class Change:
    """One undoable step: the same parameters before and after it, SI."""

    before: Mapping[str, Value]
    after: Mapping[str, Value]
    gesture: object = None
    """What made it; changes of one drag share it and count as one step."""


@dataclass
class History:
    """What can be undone and redone, newest last."""

    undoable: list[Change] = field(default_factory=list)
    redoable: list[Change] = field(default_factory=list)

    def record(self, before: Mapping[str, Value], after: Mapping[str, Value], gesture: object = None) -> None:
        """Remember a change; the next of the same `gesture` widens it instead of adding another."""
        self.redoable.clear()
        last = self.undoable[-1] if self.undoable else None
        if last is not None and gesture is not None and last.gesture == gesture:
            self.undoable.pop()
            before, after = {**before, **last.before}, {**last.after, **after}
        if dict(before) != dict(after):
            self.undoable.append(Change(dict(before), dict(after), gesture))
            del self.undoable[:-DEPTH]

    def seal(self) -> None:
        """End the gesture under way: what follows is a step of its own."""
        if self.undoable and self.undoable[-1].gesture is not None:
            last = self.undoable[-1]
            self.undoable[-1] = Change(last.before, last.after)

    def undo(self) -> Mapping[str, Value] | None:
        """The values to go back to, or None when nothing is left to undo."""
        if not self.undoable:
            return None
        self.redoable.append(self.undoable.pop())
        return self.redoable[-1].before

    def redo(self) -> Mapping[str, Value] | None:
        """The values to go forward to, or None when nothing was undone."""
        if not self.redoable:
            return None
        self.undoable.append(self.redoable.pop())
        return self.undoable[-1].after

    def clear(self) -> None:
        """Forget everything, as when another preset is loaded."""
        self.undoable.clear()
        self.redoable.clear()
