"""Remaining wall time of work whose done fraction is known, extrapolated from the part that was watched."""

from __future__ import annotations

import time
from dataclasses import dataclass

from repose.sim.study.run_length import duration

CERTAIN = 0.2
"""Wall time after which the rate is accurate enough for a prediction [s]."""
LEAST_SHARE = 0.002
"""Fraction of many runs after which their rate is accurate enough [-]; the first layer of a run is not typical."""


@dataclass
class Countdown:
    """Remaining wall time, assuming that the rest goes on like the part done. It is measured from the first progress,
    without the compilation before it and without what had been done before."""

    _began: float | None = None
    _before: float = 0.0
    """Fraction that was done at that time [-]."""

    def time(self, share: float) -> str:
        """A time such as "3 min" if this fraction of all runs is done [-]; empty while it is uncertain."""
        if self._began is None and share > 0.0:
            self._began, self._before = time.monotonic(), share
        if self._began is None or share >= 1.0 or (done := share - self._before) < LEAST_SHARE:
            return ""
        spent = time.monotonic() - self._began
        return duration(spent * (1.0 - share) / done) if spent > CERTAIN else ""

    def words(self, share: float) -> str:
        """Words such as "3 min left" for the terminal."""
        return f"{left} left" if (left := self.time(share)) else ""
