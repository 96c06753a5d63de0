"""The log of a run: where it began, every command with the step it acted at, and hashes to check a replay by.

A command acts at a number of steps and never at a time of day, and a run is the same however it is cut into
batches: so the beginning and this list are the whole experiment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from repose.sim.experiment.commands import Logged
from repose.sim.experiment.run import Moment


class Entry(NamedTuple):
    """A command and when it acted."""

    at: int
    """Steps done since the log began."""
    command: Logged


class Mark(NamedTuple):
    """The state hash at some step."""

    at: int
    digest: str


@dataclass
class Log:
    """What has happened since a run began; what lies after the moment at hand is cut when another future begins."""

    scene: str
    seed: int
    ready: str | None
    start: Moment
    entries: list[Entry] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    end: int = 0
    """The furthest step reached."""

    def cut(self, at: int, commands: int) -> None:
        """Forget what came after `at` steps and that many commands."""
        del self.entries[commands:]
        while self.marks and self.marks[-1].at > at:
            self.marks.pop()
        self.end = at

    def mark(self, at: int, digest: str) -> None:
        """Write a state hash down; one that is there already, as when the past is gone through again, stays."""
        if not self.marks or self.marks[-1].at < at:
            self.marks.append(Mark(at, digest))
