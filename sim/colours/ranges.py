"""Ranges of the colours of grains: what is wanted for the present values, and what a run keeps."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from repose.sim.experiment.snapshot import Floats, Snapshot


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
    """From zero to one of `ROUND` times a power of ten: such a range seldom changes, and values reach two thirds of it
    at least."""
    power = 10.0 ** math.floor(math.log10(wanted[1] * (1.0 + 1e-9)))
    return 0.0, next(lead * power for lead in ROUND if lead * power >= wanted[1] * (1.0 - 1e-9))


ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)
"""Ends of ranges, which round ticks cut into equal parts."""
