"""Checkpoints for rewinding a run, within a memory budget: dense for recent steps, sparse for older ones."""

from __future__ import annotations

import bisect
import sys
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np
from repose.sim.experiment.run import Checkpoint, Run


@dataclass
class Checkpoints:
    """Checkpoints in the order of their steps, of at most `budget` bytes together.

    If the budget is smaller than two checkpoints, only the first is kept: it is the beginning of the log.
    """

    budget: int = 0
    kept: list[Checkpoint] = field(default_factory=list)
    shown: tuple[tuple[int, float], ...] = ()
    """Step, counted since the log began, and simulated time [s] of each checkpoint."""
    bytes: int = 0
    """Memory of all checkpoints [bytes]."""
    _sizes: dict[int, tuple[Run, int]] = field(default_factory=dict)
    """Runs in the checkpoints, by `id`, with their memory without the series [bytes]."""

    def begin(self, first: Checkpoint) -> None:
        """Discard all checkpoints but the first of a new log."""
        self.kept = [first]
        self._update_shown()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Add a checkpoint, unless a checkpoint of the same step exists, as it does while a log is replayed."""
        steps = [other.at for other in self.kept]
        index = bisect.bisect_left(steps, checkpoint.at)
        if self.budget <= 0 or (index < len(steps) and steps[index] == checkpoint.at):
            return
        self.kept.insert(index, checkpoint)
        self._update_bytes()
        while self.bytes > self.budget and len(self.kept) > 1:
            self._thin_out()
            self._update_bytes()
        self._update_shown()

    def before(self, at: int) -> Checkpoint:
        """The last checkpoint at or before step `at`."""
        index = bisect.bisect_right([other.at for other in self.kept], at)
        return self.kept[max(0, index - 1)]

    def cut(self, at: int) -> None:
        """Discard checkpoints after step `at`."""
        while len(self.kept) > 1 and self.kept[-1].at > at:
            self.kept.pop()
        self._update_shown()

    def _thin_out(self) -> None:
        """Discard the checkpoint with the smallest ratio of the distance between its neighbours to its age; never the
        first one, and the last one only if there are two."""
        if len(self.kept) == 2:
            del self.kept[1]
            return
        newest = self.kept[-1].at
        gaps = [
            (later.at - earlier.at) / (newest - own.at)
            for earlier, own, later in zip(self.kept, self.kept[1:], self.kept[2:], strict=False)
        ]
        del self.kept[1 + gaps.index(min(gaps))]

    def _update_bytes(self) -> None:
        """Update `bytes`; runs and tables of series that several checkpoints share are counted once."""
        apart = [[point.run for point in (kept.now, kept.good, kept.before_change)] for kept in self.kept]
        runs = [run for own in apart for run in own]
        records = sum(bytes_of(kept, leaving_out=tuple(own)) for kept, own in zip(self.kept, apart, strict=True))
        fresh = {id(run): run for run in runs}
        self._sizes = {
            key: self._sizes.get(key) or (run, bytes_of(run, leaving_out=(run.series,))) for key, run in fresh.items()
        }
        series = {id(run.series.table): run.series.table.nbytes for run in runs}
        self.bytes = records + sum(size for _, size in self._sizes.values()) + sum(series.values())

    def _update_shown(self) -> None:
        self._update_bytes()
        self.shown = tuple((kept.at, kept.now.run.time) for kept in self.kept)


def bytes_of(thing: Any, leaving_out: tuple[Any, ...] = ()) -> int:
    """Memory of an object and of everything that it refers to, arrays with their data, each part counted once
    [bytes]."""
    seen = {id(part) for part in leaving_out}
    waiting, total = [thing], 0
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        total += sys.getsizeof(part)
        if isinstance(part, np.ndarray):
            total += 0 if part.flags.owndata else part.nbytes
        elif isinstance(part, dict):
            waiting += [*part, *part.values()]
        elif isinstance(part, list | tuple | set):
            waiting += part
        elif is_dataclass(part):
            waiting.append(vars(part))
    return total
