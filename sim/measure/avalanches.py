"""The other angles of a heap (Lee & Herrmann 1993): the tilting angle, and the angle of marginal stability.

The tilting angle θ_T is the angle of the table at which the flow of a heap at rest starts. The angle of marginal
stability θ_MS is the slope before an avalanche of a heap to which grains are added one by one, the mean over the
avalanches that move at least `LARGE_SHARE` of the heap; the slope after them is an angle of repose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.rate_integral import RateIntegral

LARGE_SHARE = 0.25
"""Fraction of the grains that must move by more than a mean radius for a flow or a large avalanche [-]. The choice is
clear: grains added to a heap of 160, friction 0.2, moved up to 22 others, or 64 and more."""


@dataclass(frozen=True)
class Tilting:
    """A heap that was tilted until it flowed; slopes are relative to the horizontal [rad]."""

    angle: float
    """Angle of the table at which the flow started, θ_T [rad]."""
    before: float | None
    """Slope when the flow started; None if it could not be measured."""
    after: float | None = None
    """Slope once the grains rest again; None before."""
    left: int = 0
    """Grains that left the base in the flow."""


@dataclass(frozen=True)
class Avalanche:
    """The motion caused by one added grain."""

    grain: int
    """Number of grains added until then."""
    before: float | None
    """Slope before the grain was added [rad]; None if it could not be measured."""
    after: float | None
    """Slope once all grains rest again [rad]; None if it could not be measured."""
    displaced: int
    """Number of grains, without the added one, that moved by more than a mean radius or left the base."""
    left: int
    """Number of grains that left the base, including the added one."""
    duration: float
    """Time from the first motion of another grain to the last motion of any grain [s]."""
    heap: int
    """Number of grains in the heap before the grain was added."""

    @property
    def large(self) -> bool:
        """Whether the avalanche moved at least `LARGE_SHARE` of the heap."""
        return self.displaced >= LARGE_SHARE * self.heap


@dataclass
class OtherAngles:
    """State of the experiments on a heap at rest."""

    turned: float = 0.0
    """Angle by which the table has been tilted, in addition to the parameter [rad]."""
    turned_before: float = 0.0
    """That angle at the beginning of the present tilt [rad]."""
    turn: RateIntegral = field(default_factory=RateIntegral)
    """That angle over the simulated time of the present tilt [rad]; of the rate 0 in files of older versions."""
    watched: list[int] = field(default_factory=list)
    """`id` of the grains whose motion is watched."""
    places: list[list[float]] = field(default_factory=list)
    """Positions of these grains at the beginning of the motion [m]."""
    stirred: float | None = None
    """Angle of the table [rad], or time [s], at which the present motion began; None without motion."""
    slope: float | None = None
    """Slope relative to the horizontal at the beginning of the motion [rad]; None if it could not be measured."""
    removed: int = 0
    """Number of grains that had left at the beginning of the motion."""
    last_motion: float = 0.0
    """Latest time at which a grain was faster than the settle speed [s]."""
    tilts: list[Tilting] = field(default_factory=list)
    trickled: int = 0
    """Number of grains added one by one."""
    trickle_to: int = 0
    """Number of grains to add."""
    avalanches: list[Avalanche] = field(default_factory=list)


def watch(angles: OtherAngles, world: World) -> None:
    """Store ids and positions of all grains."""
    moving = ~world.fixed
    angles.watched = world.sphere_id[moving].tolist()
    angles.places = world.motion[:2, 0, moving].T.tolist()


def displaced(angles: OtherAngles, world: World, distance: float) -> int:
    """Number of watched grains that have moved by more than `distance` [m], or are no longer in the world."""
    watched, ids = np.array(angles.watched, np.int64), world.sphere_id
    here = np.isin(watched, ids)
    order = np.argsort(ids)
    rows = order[np.searchsorted(ids, watched[here], sorter=order)]
    moved = world.motion[:2, 0, rows].T - np.reshape(angles.places, (-1, 2))[here]
    return int((~here).sum() + (np.hypot(*moved.T) > distance).sum())


def is_any_faster(angles: OtherAngles, world: World, speed: float) -> tuple[bool, bool]:
    """Whether a watched grain, and whether any grain, is faster than `speed` [m/s]."""
    fast = (np.hypot(*world.motion[:2, 1]) > speed) & ~world.fixed
    return bool(np.isin(world.sphere_id[fast], angles.watched).any()), bool(fast.any())


def flaws(angles: OtherAngles) -> dict[str, bool]:
    """Complaints about a state read from a file."""
    numbers = (
        angles.turned,
        angles.turned_before,
        *vars(angles.turn).values(),
        angles.last_motion,
        angles.stirred or 0.0,
    )
    return {
        "turned table": not all(math.isfinite(number) for number in numbers) or abs(angles.turned) > math.pi,
        "watched grains": np.shape(angles.places) not in ((len(angles.watched), 2), (0,)),
        "added grains": not 0 <= angles.trickled <= angles.trickle_to,
        "avalanches": not all(0 <= entry.displaced <= entry.heap + 1 for entry in angles.avalanches),
    }


class Mean(NamedTuple):
    """A mean with its standard error, from `number` values."""

    value: float
    error: float
    number: int


def mean_of(values: Iterable[float | None]) -> Mean:
    """Mean and standard error of the values that are not None; nan for too few values."""
    result = np.array([value for value in values if value is not None])
    error = float(result.std(ddof=1)) / math.sqrt(result.size) if result.size > 1 else math.nan
    return Mean(float(result.mean()) if result.size else math.nan, error, int(result.size))


def marginal_stability(avalanches: Sequence[Avalanche]) -> Mean:
    """θ_MS: the slope before large avalanches [rad]."""
    return mean_of([entry.before for entry in avalanches if entry.large])


def repose_after(avalanches: Sequence[Avalanche]) -> Mean:
    """The slope after large avalanches, an angle of repose [rad]."""
    return mean_of([entry.after for entry in avalanches if entry.large])


def drop_of(avalanches: Sequence[Avalanche]) -> Mean:
    """Mean decrease of the slope in a large avalanche [rad]."""
    slopes = [(entry.before, entry.after) for entry in avalanches if entry.large]
    return mean_of([before - after for before, after in slopes if before is not None and after is not None])


def as_large_as(sizes: Sequence[float]) -> tuple[Floats, Floats]:
    """Cumulative distribution of sizes: the sizes in ascending order, and the fraction of avalanches of at least this
    size."""
    result, counts = np.unique(np.array(sizes, float), return_counts=True)
    return result, np.cumsum(counts[::-1])[::-1] / max(1, len(sizes))
