"""Ranges of the colours of grains: what is wanted for the present values, and what a run keeps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from repose.sim.experiment.snapshot import Floats, Snapshot
from repose.sim.scales import nice_step


def from_zero(least: float) -> Callable[[Floats, Snapshot], tuple[float, float]]:
    """From zero to the 99th percentile, at least to `least`, so that small values at rest do not use the whole map."""

    def span(values: Floats, snapshot: Snapshot) -> tuple[float, float]:
        return 0.0, max(float(np.percentile(values, 99.0)), least)

    return span


FROM_ZERO = from_zero(1e-6)


def widening(wanted: tuple[float, float], snapshot: Snapshot) -> tuple[float, float]:
    """The wanted range, which a run does not make narrower."""
    return wanted


def to_round(wanted: tuple[float, float], snapshot: Snapshot) -> tuple[float, float]:
    """From zero to 1, 2 or 5 times a power of ten: such a range seldom changes."""
    return 0.0, nice_step(wanted[1], 1)
