"""The log of a run: its first checkpoint, every command with the step at which it acted, and state hashes.

Commands act at a step, never at a wall time, and no result depends on the size of batches: the first checkpoint and
this list determine the whole run.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from repose.sim.direction import Direction
from repose.sim.engine.jit import fingerprint
from repose.sim.experiment.commands import Logged
from repose.sim.experiment.comparison import Point
from repose.sim.experiment.run import Checkpoint
from repose.sim.measure.display import AudienceGuesses


class Entry(NamedTuple):
    """A command and the step at which it acted."""

    at: int
    """Steps done since the log began."""
    command: Logged


class HashMark(NamedTuple):
    """The state hash at a step."""

    at: int
    digest: str


@dataclass
class Log:
    """Commands and state hashes since a run began; those after the present state are discarded by the next command."""

    scene: str
    seed: int
    ready: str | None
    start: Checkpoint
    entries: list[Entry] = field(default_factory=list)
    marks: list[HashMark] = field(default_factory=list)
    end: int = 0
    """Last step reached."""

    def cut(self, at: int, commands: int) -> None:
        """Discard hashes after step `at`, and all commands but the first `commands`."""
        del self.entries[commands:]
        while self.marks and self.marks[-1].at > at:
            self.marks.pop()
        self.end = at

    def mark(self, at: int, digest: str) -> None:
        """Append a state hash, unless the log extends beyond this step, as it does while it is replayed."""
        if not self.marks or self.marks[-1].at < at:
            self.marks.append(HashMark(at, digest))


@dataclass(frozen=True)
class SavedRun:
    """The content of a run file; never changed."""

    log: Log
    now: Checkpoint
    measured: list[Point] = field(default_factory=list)
    """Results of runs of this scene, for comparison."""
    engine: str = field(default_factory=lambda: f"{fingerprint()} {platform.machine()}")
    """Fingerprint of the engine and kind of machine; the rounding of the continued run depends on both."""
    made_of: Any = None
    """`Scene.made_of` of its scene."""
    direction: Direction | None = None
    """How it is shown, if not by the direction of its scene: that of a preset."""
    audience: tuple[AudienceGuesses, ...] = ()
    """What an audience has guessed."""

    @property
    def foreign(self) -> bool:
        """Whether the run was computed by another version of the engine or on another kind of machine."""
        return self.engine != f"{fingerprint()} {platform.machine()}"


@dataclass(frozen=True)
class SavedSideBySide:
    """The content of a file of experiments side by side; never changed."""

    runs: tuple[SavedRun, ...]
    differing: frozenset[str]
    """Names of the parameters in which the runs differ."""
    meetings: tuple[tuple[int, ...], ...]
    """Steps of every run at equal simulated times, counted since its log began."""

    @property
    def log(self) -> Log:
        """The log of the first run."""
        return self.runs[0].log

    @property
    def now(self) -> Checkpoint:
        """The present state of the first run."""
        return self.runs[0].now

    @property
    def foreign(self) -> bool:
        """Whether one of the runs was computed by another version of the engine or on another kind of machine."""
        return any(run.foreign for run in self.runs)
