"""Lacey's mixing index of two classes of grains: large and small ones, or those of two kinds.

The grains are divided into compact samples of about `GRAINS` grains each. With the share p of the first class among
all N grains, its share p_k in the sample k of n_k grains, and G samples,

    S_0² = p (1 − p)                        variance between samples of completely segregated grains
    S_R² = p (1 − p) (G − 1)/(N − 1)        variance between samples of a random mixture
    S²   = Σ n_k (p_k − p)² / N             variance between the samples
    M    = (S_0² − S²)/(S_0² − S_R²)

M is 0 if every sample has grains of one class, and 1 on average for a random mixture. For samples of n grains from a
large mixture S_R² is Lacey's p (1 − p)/n; the factor (N − n)/(N − 1) that is left out there is due to drawing without
replacement, so that the mean of M over all permutations of the classes is exactly 1 for any number of grains. The
standard deviation of M over random mixtures is S_R² √(2/(G − 1))/(S_0² − S_R²).

Classes of fewer than `GRAINS` grains have no index. Of a single grain, such as the Brazil nut, S² follows from the
numbers of grains alone, wherever it is: one sample contains it.

Source: P. M. C. Lacey, "Developments in the theory of particle mixing", J. Appl. Chem. 4 (1954) 257,
doi:10.1002/jctb.5010040504.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import in_cell
from repose.sim.engine.world import Floats, World
from repose.sim.measure.display import MIXING
from repose.sim.measure.grains import grain_radii, sums_over_grains
from repose.sim.measure.measurement import Measurement, System
from repose.sim.message import Message, Number, _

Flags = NDArray[np.bool_]

GRAINS = 10
"""Number of grains of a sample [-]."""
APART = 1.2
"""Least ratio of successive radii that separates two sizes; without such a gap the median does [-]."""
DIFFERENT = 1.5
"""Least ratio of the mean radii of large and small grains: below it nobody speaks of two sizes [-]."""


@dataclass(frozen=True)
class Mixing:
    """Mixture of two classes at one time."""

    segregated: float
    """S_0² [-]."""
    random: float
    """S_R² [-]."""
    variance: float
    """S² [-]."""
    samples: int
    """Number of samples G."""

    @property
    def index(self) -> float:
        """Lacey's index M [-]."""
        return (self.segregated - self.variance) / (self.segregated - self.random)

    @property
    def error(self) -> float:
        """Standard deviation of M over random mixtures [-]."""
        return self.random * math.sqrt(2.0 / (self.samples - 1)) / (self.segregated - self.random)


def samples_of(position: Floats, grains: int = GRAINS) -> NDArray[np.int64]:
    """The sample of each grain, for centres (n, dimension) [m]: groups of `grains` grains or a few more, made by
    halving along the longest side, shape (n,)."""
    sample = np.zeros(len(position), np.int64)
    parts, done = [(np.arange(len(position)), max(1, len(position) // grains))], 0
    while parts:
        rows, groups = parts.pop()
        if groups == 1:
            sample[rows] = done
            done += 1
            continue
        axis = int(np.ptp(position[rows], axis=0).argmax())
        ordered = rows[np.argsort(position[rows, axis], kind="stable")]
        first = groups // 2
        cut = len(rows) * first // groups
        parts += [(ordered[:cut], first), (ordered[cut:], groups - first)]
    return sample


def mixing_of(position: Floats, first: Flags, grains: int = GRAINS) -> Mixing | None:
    """Mixture of the grains of a class with all others: centres (n, dimension) [m], and whether each grain is in the
    class, shape (n,). None if there are fewer than two samples, or fewer grains of one class than a sample has: then M
    says nothing."""
    count, members = first.size, int(first.sum())
    if count < 2 * grains or min(members, count - members) < grains:
        return None
    sample = samples_of(position, grains)
    size = np.bincount(sample)
    share, p = np.bincount(sample, first) / size, members / count
    whole = p * (1.0 - p)
    variance = float((size * (share - p) ** 2).sum() / count)
    return Mixing(whole, whole * (size.size - 1) / (count - 1), variance, size.size)


def large_grains(radius: Floats) -> Flags | None:
    """Which grains of these radii [m] are large, shape (n,): those above the widest gap between successive radii, or
    above the median. None if they hardly differ."""
    if radius.size < 2 or not radius.max() > DIFFERENT * radius.min():
        return None
    ascending = np.sort(radius)
    steps = ascending[1:] / ascending[:-1]
    widest = int(steps.argmax())
    large = radius > (ascending[widest] if steps[widest] > APART else float(np.median(radius)))
    if large.all() or not large.any() or radius[large].mean() < DIFFERENT * radius[~large].mean():
        return None
    return large


def grain_positions(world: World) -> Floats:
    """Centre of each grain that can move [m], in a periodic world in the cell, shape (grains, dimension)."""
    mass = sums_over_grains(world, world.own_mass)
    sums = [sums_over_grains(world, world.own_mass * x) for x in world.motion[: world.dimension, 0]]
    return in_cell(np.column_stack(sums) / mass[:, None], world.boundary)


def second_kind(world: World) -> Flags | None:
    """Which grains that can move are of the second of two kinds, shape (grains,): of another material, bodies among
    loose spheres, or of another layer. None if there are not two kinds."""
    spheres = sums_over_grains(world, np.ones(world.sphere_count))
    for kind in (world.material, world.body >= 0, world.layer):
        each = sums_over_grains(world, kind.astype(float)) / spheres
        if each.size and len(kinds := np.unique(each)) == 2:
            second: Flags = each == kinds[1]
            return second
    return None


def mixing_of_sizes(world: World) -> Mixing | None:
    """Mixture of large and small grains; None where there are not two sizes."""
    large = large_grains(grain_radii(world))
    return None if large is None else mixing_of(grain_positions(world), large)


def size_mixing(system: System) -> Mixing | None:
    """`mixing_of_sizes` of a system."""
    return mixing_of_sizes(system.grains)


def mixing_of_kinds(world: World) -> Mixing | None:
    """Mixture of two kinds of grains; None where there are not two kinds."""
    second = second_kind(world)
    return None if second is None else mixing_of(grain_positions(world), second)


def kind_mixing(system: System) -> Mixing | None:
    """`mixing_of_kinds` of a system."""
    return mixing_of_kinds(system.grains)


def _index(mixing: Mixing | None) -> float:
    return math.nan if mixing is None else mixing.index


def _error(mixing: Mixing | None) -> float:
    return math.nan if mixing is None else mixing.error


def _help(mixing: Mixing | None) -> Message:
    """What the number means."""
    assert mixing is not None  # without it there is no reading
    return Message(
        "Lacey's index (S_0² − S²)/(S_0² − S_R²) of {samples} samples of {grains} grains: 0 segregated, 1 a random "
        "mixture. S_0² = {segregated}, S_R² = {random}, S² = {variance}.",
        samples=mixing.samples,
        grains=GRAINS,
        segregated=Number(mixing.segregated, format=".3g"),
        random=Number(mixing.random, format=".3g"),
        variance=Number(mixing.variance, format=".3g"),
    )


AXIS = _("mixing index")
ERROR_OF = _("scatter of random mixtures")

MEASUREMENT = (
    Measurement(
        "mixing_of_sizes",
        _("mixing of sizes"),
        "M",
        "",
        lambda system: _index(system.derived(size_mixing)),
        costly=True,
        of_grains=True,
        help=lambda system: _help(system.derived(size_mixing)),
        error=lambda system: _error(system.derived(size_mixing)),
        error_of=ERROR_OF,
        plot=MIXING,
        axis=AXIS,
        order=46,
    ),
    Measurement(
        "mixing_of_kinds",
        _("mixing of kinds"),
        "M",
        "",
        lambda system: _index(system.derived(kind_mixing)),
        costly=True,
        of_grains=True,
        help=lambda system: _help(system.derived(kind_mixing)),
        error=lambda system: _error(system.derived(kind_mixing)),
        error_of=ERROR_OF,
        plot=MIXING,
        axis=AXIS,
        order=47,
    ),
)
