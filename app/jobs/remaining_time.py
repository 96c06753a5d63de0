"""Estimate of the remaining steps and wall time of a run."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from repose.app.countdown import CERTAIN
from repose.sim.experiment.experiment import Experiment
from repose.sim.study.run_length import duration


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
