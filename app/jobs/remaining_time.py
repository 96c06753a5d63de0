"""Estimate of the remaining steps and wall time of a run."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from repose.sim.experiment.experiment import Experiment
from repose.sim.study.run_length import duration

CERTAIN = 0.2
"""Wall time after which the rate is accurate enough for a prediction [s]."""
LEAST_SHARE = 0.002
"""Fraction of many runs after which their rate is accurate enough [-]; the first layer of a run is not typical."""


@dataclass
class Outlook:
    """The rate of a run, measured from its first batch on, without the time for compiling."""

    until: float
    """Simulated time at which the run ends [s]; infinity for the end of the experiment."""
    _began: tuple[float, int] | None = None
    """Wall time [s] and step of the first check."""

    def words(self, experiment: Experiment) -> str:
        """Steps done, expected total and remaining wall time: "step 12,000 of about 2,000,000, 3 min left"."""
        now, step = time.monotonic(), experiment.step
        if self._began is None:
            self._began = now, step
        if math.isinf(self.until) or experiment.dt <= 0.0:
            return f"step {step:,}"
        to_do = max(0, math.ceil((self.until - experiment.time) / experiment.dt - 1e-3))
        words = f"step {step:,} of about {step + to_do:,}"
        spent, done = now - self._began[0], step - self._began[1]
        return words if spent < CERTAIN or done <= 0 else f"{words}, {duration(to_do * spent / done)} left"


def time_left(began: float, share: float) -> str:
    """Remaining wall time in words, extrapolated from the fraction `share` [-] done since `began` [s, monotonic clock];
    empty while the estimate is uncertain."""
    spent = time.monotonic() - began
    return f"{duration(spent * (1.0 - share) / share)} left" if spent > CERTAIN and 0.0 < share < 1.0 else ""


@dataclass
class Countdown:
    """Remaining wall time of many runs, measured from their first progress, without the compilation before it."""

    _began: float | None = None

    def words(self, share: float) -> str:
        """Words such as "3 min left" if this fraction of all runs is done [-]; empty while it is uncertain."""
        if self._began is None and share > 0.0:
            self._began = time.monotonic()
        return time_left(self._began, share) if self._began is not None and share >= LEAST_SHARE else ""
