"""Plots of the sizes of grains: the sieve curve and the histogram, wanted and generated."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.measure.display import Axis, Curve, Line
from repose.sim.message import _, joined
from repose.sim.size_distribution import (
    BY,
    SizeDistribution,
    described,
    generated_share,
    share_below,
    sorted_radii,
)

SIEVES = 24
"""Number of sizes at which the generated curve has a mark, and of classes of the histogram."""
FINE = 200
"""Number of sizes of the wanted curve."""
WIDEN = 1.15
"""Factor by which the axis extends beyond the sizes [-]."""
DECADE = 8.0
"""Ratio of the sizes above which the axis is logarithmic: it shows whole decades [-]."""
DIAMETER = Axis(_("diameter"), "mm")
WANTED, GENERATED = _("wanted"), _("generated")


@lru_cache(maxsize=8)
def size_curves(sizes: SizeDistribution, count: int, mean_radius: float) -> tuple[Curve, Curve]:
    """Sieve curve and histogram of so many grains of this mean radius [m]: wanted as lines, generated as marks."""
    radii = sorted_radii(sizes, count, mean_radius)
    scale = mean_radius / sizes.curve.mean
    ends = sizes.curve.size[0] * scale / WIDEN, sizes.curve.size[-1] * scale * WIDEN
    fine = np.union1d(np.geomspace(*ends, FINE), _beside_steps(sizes) * scale)
    sieves = np.geomspace(*ends, SIEVES)
    wanted = Line(WANTED, 2e3 * fine, 100.0 * share_below(sizes, fine, mean_radius))
    generated = Line(GENERATED, 2e3 * sieves, 100.0 * generated_share(radii, sieves, sizes.by), points=True)
    wide = sizes.curve.size[-1] > DECADE * sizes.curve.size[0]
    words = described(sizes)
    passing = Axis(joined((_("passing"), BY[sizes.by]), " "), "%")
    sieve_curve = Curve("sizes", _("Sizes"), DIAMETER, passing, (wanted, generated), words, log_x=bool(wide))
    edges = np.geomspace(*ends, SIEVES + 1)
    stairs = np.repeat(edges, 2)[1:-1]
    parts = np.diff(share_below(sizes, edges, mean_radius)), np.diff(generated_share(radii, edges, sizes.by))
    lines = (
        Line(WANTED, 2e3 * stairs, 100.0 * np.repeat(parts[0], 2)),
        Line(GENERATED, 2e3 * np.sqrt(edges[1:] * edges[:-1]), 100.0 * parts[1], points=True),
    )
    each = Axis(joined((_("in a class"), BY[sizes.by]), " "), "%")
    return sieve_curve, Curve("size_histogram", _("Histogram"), DIAMETER, each, lines, words, log_x=bool(wide))


def _beside_steps(sizes: SizeDistribution) -> Floats:
    """Sizes at which the wanted curve has a corner or a step, and just before each."""
    size = sizes.curve.size
    corners = np.unique(size if size.size <= FINE else size[[0, -1]])
    return np.concatenate([corners * (1.0 - 1e-6), corners])
