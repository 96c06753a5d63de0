"""Checkpoints kept while a run goes on, so that it can be rewound: recent ones densely, older ones thinned out."""

from __future__ import annotations

import bisect
import sys
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np
from repose.sim.experiment.run import Checkpoint, Run


@dataclass
class Checkpoints:
    """Checkpoints in the order of their steps, of at most `budget` bytes together; with 0 only the first is kept."""

    budget: int = 0
    kept: list[Checkpoint] = field(default_factory=list)
    shown: tuple[tuple[int, float], ...] = ()
    """Steps since the log began and simulated time [s] of each."""
    bytes: int = 0
    """Memory of all kept together."""
    _sizes: dict[int, tuple[Run, int]] = field(default_factory=dict)
    """Each run that a checkpoint holds, by its id, with its memory without its histories [bytes]."""

    def begin(self, first: Checkpoint) -> None:
        """Forget everything but the checkpoint a log begins with."""
        self.kept = [first]
        self._show()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep one more; one that is there already, as when the past is gone through again, stays."""
        places = [held.at for held in self.kept]
        place = bisect.bisect_left(places, checkpoint.at)
        if self.budget <= 0 or (place < len(places) and places[place] == checkpoint.at):
            return
        self.kept.insert(place, checkpoint)
        self._weigh()
        while self.bytes > self.budget and len(self.kept) > 2:
            self._thin_out()
            self._weigh()
        self._show()

    def before(self, at: int) -> Checkpoint:
        """The last one at or before `at` steps."""
        place = bisect.bisect_right([held.at for held in self.kept], at)
        return self.kept[max(0, place - 1)]

    def cut(self, at: int) -> None:
        """Forget those after `at` steps."""
        while len(self.kept) > 1 and self.kept[-1].at > at:
            self.kept.pop()
        self._show()

    def _thin_out(self) -> None:
        """Drop the one that is missed least: the smallest gap for its age; never the first or the last."""
        newest = self.kept[-1].at
        gaps = [
            (later.at - earlier.at) / (newest - own.at)
            for earlier, own, later in zip(self.kept, self.kept[1:], self.kept[2:], strict=False)
        ]
        del self.kept[1 + gaps.index(min(gaps))]

    def _weigh(self) -> None:
        """Find the memory of what is kept, each run and each table of histories once: kept share them."""
        runs = [point.run for held in self.kept for point in (held.now, held.good, held.before_change)]
        fresh = {id(run): run for run in runs}
        self._sizes = {
            key: self._sizes.get(key) or (run, bytes_of(run, leaving_out=(run.series,))) for key, run in fresh.items()
        }
        histories = {id(run.series.table): run.series.table.nbytes for run in runs}
        self.bytes = sum(size for _, size in self._sizes.values()) + sum(histories.values())

    def _show(self) -> None:
        self._weigh()
        self.shown = tuple((held.at, held.now.run.time) for held in self.kept)


def bytes_of(thing: Any, leaving_out: tuple[Any, ...] = ()) -> int:
    """Memory of an object and of all it holds, each part once, arrays with their numbers."""
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
