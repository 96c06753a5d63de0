"""Moments kept on the way, so that a run can be taken back: the last ones densely, older ones thinned out."""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

from repose.sim.experiment.run import Moment
from repose.sim.io.world_tables import tables_of


@dataclass
class RestartPoints:
    """Moments in the order of their steps, of at most `budget` bytes together; with none only the first is kept."""

    budget: int = 0
    moments: list[Moment] = field(default_factory=list)
    shown: tuple[tuple[int, float], ...] = ()
    """Steps since the log began and simulated time [s] of each."""
    _sizes: list[int] = field(default_factory=list)

    def begin(self, first: Moment) -> None:
        """Forget everything but the moment a log begins with."""
        self.moments, self._sizes = [first], [_bytes(first)]
        self._show()

    def keep(self, moment: Moment) -> None:
        """Keep one more; one that is there already, as when the past is gone through again, stays."""
        places = [kept.at for kept in self.moments]
        place = bisect.bisect_left(places, moment.at)
        if self.budget <= 0 or (place < len(places) and places[place] == moment.at):
            return
        self.moments.insert(place, moment)
        self._sizes.insert(place, _bytes(moment))
        while sum(self._sizes) > self.budget and len(self.moments) > 2:
            self._thin_out()
        self._show()

    def before(self, at: int) -> Moment:
        """The last one at or before `at` steps."""
        place = bisect.bisect_right([kept.at for kept in self.moments], at)
        return self.moments[max(0, place - 1)]

    def cut(self, at: int) -> None:
        """Forget those after `at` steps."""
        while len(self.moments) > 1 and self.moments[-1].at > at:
            self.moments.pop()
            self._sizes.pop()
        self._show()

    def _thin_out(self) -> None:
        """Drop the one that is missed least: the smallest gap for its age; never the first or the last."""
        newest = self.moments[-1].at
        gaps = [
            (later.at - earlier.at) / (newest - own.at)
            for earlier, own, later in zip(self.moments, self.moments[1:], self.moments[2:], strict=False)
        ]
        place = 1 + gaps.index(min(gaps))
        del self.moments[place], self._sizes[place]

    def _show(self) -> None:
        self.shown = tuple((kept.at, kept.now.run.time) for kept in self.moments)


def _bytes(moment: Moment) -> int:
    """Memory of the run now; where a fault would go back to is shared with other moments."""
    run = moment.now.run
    return int(sum(table.nbytes for table in tables_of(run.world).values()) + run.series.table.nbytes)
