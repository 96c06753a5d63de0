"""Flow rate through a neck, from the times at which the grains passed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from repose.sim.engine.world import Floats

LAST_SHARE = 0.9
"""Fraction of grains that have passed at the end of steady flow, when the vessel is nearly empty [-]."""

BLOCKS = 8
"""Number of blocks of equal numbers of passages, from whose scatter the error of the mean is computed."""


@dataclass(frozen=True)
class FlowRate:
    """The mean flow rate during steady flow."""

    mean: float
    """Mean rate [1/s]."""
    standard_error: float
    """Standard error of the mean, from the scatter of `BLOCKS` blocks [1/s]; nan for too few passages."""
    spread: float
    """Standard deviation of the moving-window rate [1/s]; nan for too few passages."""
    passages: int
    """Number of grains that passed in this time."""
    begin: float
    """Time of the first passage [s]."""
    end: float
    """Time of the last passage [s]."""


def moving_rate(passages: Sequence[float] | Floats, window: int) -> tuple[Floats, Floats]:
    """Middle of each window [s] and the rate in it [1/s], Q_i = N / (t_(i+N) - t_i), shape (passages - window,)."""
    times = np.asarray(passages, float)
    if times.size <= window:
        return np.empty(0), np.empty(0)
    first, last = times[:-window], times[window:]
    # Two samples give N grains the same time only if all of them passed within one step.
    span = np.maximum(last - first, 1e-12)
    return 0.5 * (first + last), window / span


def steady_part(passages: Sequence[float] | Floats, from_time: float, grains: int) -> Floats:
    """The passages [s] from `from_time` on, the beginning of steady flow, to the fraction `LAST_SHARE` of all
    `grains`."""
    times = np.asarray(passages, float)[: math.floor(LAST_SHARE * grains)]
    steady: Floats = times[times >= from_time]
    return steady


def mean_rate(passages: Sequence[float] | Floats, window: int = 100, blocks: int = BLOCKS) -> FlowRate | None:
    """Mean rate of these passages and its error, or None with fewer than three passages."""
    times = np.asarray(passages, float)
    if times.size < 3 or times[-1] <= times[0]:
        return None
    error = math.nan
    if times.size > 2 * blocks:
        marks = np.linspace(0, times.size - 1, blocks + 1).round().astype(np.int64)
        # The mean rate is the number of passages over time; therefore the durations of the blocks are compared.
        taken = np.diff(times[marks]) / np.diff(marks)
        relative = float(taken.std(ddof=1) / taken.mean()) / math.sqrt(blocks)
        error = relative * (times.size - 1) / float(times[-1] - times[0])
    _, rates = moving_rate(times, window)
    return FlowRate(
        mean=(times.size - 1) / float(times[-1] - times[0]),
        standard_error=error,
        spread=float(rates.std()) if rates.size else math.nan,
        passages=int(times.size),
        begin=float(times[0]),
        end=float(times[-1]),
    )


def is_clogged(passages: Sequence[float] | Floats, began: float, now: float, left: int, patience: float) -> bool:
    """Whether grains are left and none has passed for `patience` [s] since the last one or since the flow `began`."""
    last = max(began, float(passages[-1])) if len(passages) else began
    return left > 0 and now - last > patience
