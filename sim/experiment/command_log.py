"""The log of a run: its first checkpoint, every command with the step it acted at, and hashes to check a replay by.

A command acts at a number of steps and never at a time of day, and a run is the same however it is cut into
batches: so the beginning and this list are the whole experiment.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import NamedTuple

from repose.sim.engine.jit import fingerprint
from repose.sim.experiment.commands import Logged
from repose.sim.experiment.comparison import Point
from repose.sim.experiment.run import Checkpoint


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
    """What has happened since a run began; what lies after the present is cut when another future begins."""

    scene: str
    seed: int
    ready: str | None
    start: Checkpoint
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


@dataclass(frozen=True)
class SavedRun:
    """A run between two steps; nothing in it is ever written to."""

    log: Log
    now: Checkpoint
    measured: list[Point] = field(default_factory=list)
    """What runs of this scene have measured."""
    engine: str = field(default_factory=lambda: f"{fingerprint()} {platform.machine()}")
    """The program that made it, to the letter: another goes on with it, but not bit by bit."""

    @property
    def foreign(self) -> bool:
        """Whether another version of the engine, or another kind of machine, has made it."""
        return self.engine != f"{fingerprint()} {platform.machine()}"
