"""The energy that viscous terms dissipate from check to check, for the sound of impacts.

The step loop adds this energy over all contacts at every step (`State.ledger`); the record has its increase over the
steps between two checks. It is no part of the state: no bit of the motion and no state hash depends on it, and the same
run gives the same entries for every batch and number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from repose.sim.experiment.snapshot import ShownDissipation

KEPT = 4096
"""Entries that are kept at least: with 50 steps for each, 200 000 steps, more than lie between two pictures."""


@dataclass
class DissipationRecord:
    """The latest entries."""

    _table: NDArray[np.float64] = field(default_factory=lambda: np.empty((2, 2 * KEPT)))
    """End of each interval [s], and the energy dissipated in it [J]."""
    _count: int = 0
    _step: int = -1
    """Step of the latest check; -1 before the first one."""
    _total: float = 0.0
    """Energy dissipated until then since the world was built [J]."""

    def note(self, step: int, steps: int, time: float, total: float) -> None:
        """Note the total dissipated energy [J] at a check, at a simulated time [s] and `steps` steps after the check
        before. After a jump to another state a new sequence begins: what lies between is no impact."""
        follows, energy = step == self._step + steps, total - self._total
        self._step, self._total = step, total
        if not follows:
            self._count = 0
            return
        if self._count == self._table.shape[1]:
            self._table[:, :KEPT] = self._table[:, -KEPT:]
            self._count = KEPT
        self._table[:, self._count] = time, max(energy, 0.0)
        self._count += 1

    def shown(self) -> ShownDissipation:
        """A copy of the latest entries."""
        time, energy = self._table[:, max(0, self._count - KEPT) : self._count].copy()
        return ShownDissipation(time, energy)
