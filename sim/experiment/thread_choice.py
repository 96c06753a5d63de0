"""Number of threads that step a world: the allowed number, or fewer while other programs use the processors.

Threads that share a processor wait for each other at every barrier of a step, and together are slower than one thread.
No system call gives the number of free processors on every platform; therefore the time of a step is measured. From
time to time, and when steps become slower, another number is tried. Fewer threads are kept if they are faster at all,
more threads if they are faster by a margin. Every number of threads gives the same bits: no result depends on these
measurements.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from repose.sim.message import EMPTY, Message, plural

WINDOW_TIME, WINDOW_STEPS = 0.1, 50
"""Least wall time [s] and number of steps of one measurement: many time slices of the operating system, and at least
one rebuild of the neighbour lists."""

GAIN = 0.9
"""More threads are kept if a step with them takes at most this fraction of the present time [-]."""

SLOWER = 1.3
"""Other numbers are tried early when a step takes this many times as long as after the last trial [-]."""

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 20.0
"""Shortest and longest time of stepping between two trials [s]; the time doubles with each trial that changes nothing.
The very first trial follows the first measurement."""

LARGEST_SHARE = 0.05
"""Largest share of the time of stepping that trials take [-]."""


class ThreadChoice:
    """Chooses the number of threads from measured times of steps."""

    most: int
    """The largest allowed number."""
    used: int
    """The fastest number as measured so far; during a trial another number is in use."""
    _steps: int
    _seconds: float
    """Steps of the present measurement, and their wall time [s]."""
    _tried: int
    """The number on trial; 0 outside a trial."""
    _found: tuple[int, float] | None
    """The number tried last and its time of a step [s], until the number `used` has been measured again."""
    _trials: int
    """Number of trials begun; the candidates are tried in turn."""
    _before: float
    _usual: float
    """Time of a step before the present trial and after the last one [s]."""
    _since: float
    _pause: float
    """Time of stepping since the last trial, and until the next one [s]."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.clock = clock
        """The clock that measures the steps [s]."""
        self._begin(1)

    def number(self, most: int) -> int:
        """The number for the next steps, from one to `most`."""
        if most != self.most:
            self._begin(most)
        return self._tried or self.used

    def record(self, steps: int, seconds: float) -> None:
        """Record the wall time of steps [s] with the number last returned."""
        if self.most == 1:
            return
        self._steps, self._seconds = self._steps + steps, self._seconds + seconds
        if self._steps < WINDOW_STEPS or self._seconds < WINDOW_TIME:
            return
        cost, lasted = self._seconds / self._steps, self._seconds
        self._steps, self._seconds = 0, 0.0
        if self._tried:
            self._found, self._tried = (self._tried, cost), 0
        elif self._found is not None:
            self._compare(cost)
        else:
            self._observe(cost, lasted)

    @property
    def crowded(self) -> Message:
        """A sentence for the user if fewer threads step the grains than are allowed, otherwise empty."""
        if self.used == self.most:
            return EMPTY
        return plural(
            "{count} of {most} threads computes the grains, which is faster now: there are few grains, or other "
            "programs are busy.",
            "{count} of {most} threads compute the grains, which is faster now: there are few grains, or other "
            "programs are busy.",
            count=self.used,
            most=self.most,
        )

    def _begin(self, most: int) -> None:
        self.most = self.used = most
        self._steps, self._seconds = 0, 0.0
        self._tried, self._found, self._trials = 0, None, 0
        self._before = self._usual = math.inf
        self._since = self._pause = 0.0

    def _observe(self, cost: float, lasted: float) -> None:
        """Begin a trial if one is due."""
        self._since += lasted
        shortest = 2.0 * lasted / LARGEST_SHARE if self._trials else 0.0
        if self._since >= shortest and (self._since >= self._pause or cost > SLOWER * self._usual):
            others = [number for number in ladder(self.most) if number != self.used]
            self._tried = others[self._trials % len(others)]
            self._trials += 1
            self._before, self._since = cost, 0.0

    def _compare(self, after: float) -> None:
        """Keep the faster number after a trial and another measurement of the number `used`."""
        assert self._found is not None
        number, cost = self._found
        self._found = None
        # The faster of the two measurements before and after the trial: a pause of the machine has no effect.
        if is_better(number, cost, self.used, min(self._before, after)):
            self.used, self._usual, self._pause = number, cost, FIRST_PAUSE
        else:
            self._usual, self._pause = after, min(max(FIRST_PAUSE, 2.0 * self._pause), LONGEST_PAUSE)


def is_better(number: int, cost: float, present: int, present_cost: float) -> bool:
    """Whether `number` threads with this time of a step replace the present number of threads.

    A further thread takes a processor from other programs: it must save more than the uncertainty of the measurements.
    """
    return cost < (GAIN if number > present else 1.0) * present_cost


def ladder(most: int) -> list[int]:
    """The candidates: 1, `most`, and `most` halved repeatedly."""
    numbers = {1}
    while most > 1:
        numbers.add(most)
        most //= 2
    return sorted(numbers)
