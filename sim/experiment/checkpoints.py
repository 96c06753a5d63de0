"""Checkpoints kept while a run goes on, so that it can be rewound: recent ones densely, older ones thinned out."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from repose.sim.experiment.run import Checkpoint
from repose.sim.io.world_tables import tables_of


@dataclass
class Checkpoints:
    """Checkpoints in the order of their steps, of at most `budget` bytes together; with budget 0 only the first is kept."""

    budget: int = 0
    kept: list[Checkpoint] = field(default_factory=list)
    shown: tuple[tuple[int, float], ...] = ()
    """Steps since the log began and simulated time [s] of each."""
    _sizes: list[int] = field(default_factory=list)

    def begin(self, first: Checkpoint) -> None:
        """Forget everything but the checkpoint a log begins with."""
        self.kept, self._sizes = [first], [_bytes(first)]
        self._show()

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep one more; one that is there already, as when the past is gone through again, stays."""
        places = [kept.at for kept in self.kept]
        place = bisect.bisect_left(places, checkpoint.at)
        if self.budget <= 0 or (place < len(places) and places[place] == checkpoint.at):
            return
        self.kept.insert(place, checkpoint)
        self._sizes.insert(place, _bytes(checkpoint))
        while sum(self._sizes) > self.budget and len(self.kept) > 2:
            self._thin_out()
        self._show()

    def before(self, at: int) -> Checkpoint:
        """The last one at or before `at` steps."""
        place = bisect.bisect_right([kept.at for kept in self.kept], at)
        return self.kept[max(0, place - 1)]

    def cut(self, at: int) -> None:
        """Forget those after `at` steps."""
        while len(self.kept) > 1 and self.kept[-1].at > at:
            self.kept.pop()
            self._sizes.pop()
        self._show()

    def _thin_out(self) -> None:
        """Drop the one that is missed least: the smallest gap for its age; never the first or the last."""
        newest = self.kept[-1].at
        gaps = [
            (later.at - earlier.at) / (newest - own.at)
            for earlier, own, later in zip(self.kept, self.kept[1:], self.kept[2:], strict=False)
        ]
        place = 1 + gaps.index(min(gaps))
        del self.kept[place], self._sizes[place]

    def _show(self) -> None:
        self.shown = tuple((kept.at, kept.now.run.time) for kept in self.kept)


def _bytes(checkpoint: Checkpoint) -> int:
    """Memory of the run now; where a fault would go back to is shared with other kept."""
    run = checkpoint.now.run
    return int(sum(table.nbytes for table in tables_of(run.world).values()) + run.series.table.nbytes)
