"""A line that divides the grains into two classes at one moment: Lacey's index says how they mix from then on.

The classes are the grains on both sides of the line, and of its extension beyond both ends, at the moment at which the
instrument is placed or moved, or at its `time`, or later as soon as there are grains. Grains that come after this
moment belong to no class and do not count. The index and its scatter are those of `repose.sim.measure.mixing`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.boundaries import in_cell
from repose.sim.engine.world import Floats
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed
from repose.sim.instruments.line import begin, drag, edges_of, handles, outline
from repose.sim.measure.grains import movable_grains
from repose.sim.measure.measurement import System
from repose.sim.measure.mixing import mixing_of
from repose.sim.message import _


def beyond(instrument: Instrument, position: Floats) -> NDArray[np.bool_]:
    """Which of these centres [m], shape (n, dimension), are on the side to which the arrow points, shape (n,)."""
    normal = edges_of(instrument.points)[1]
    side: NDArray[np.bool_] = (position - np.array(instrument.points[0])) @ normal >= 0.0
    return side


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """Lacey's index, its standard deviation over random mixtures, and the numbers of grains of both classes that are
    still there; nan before the grains are marked, and for classes of too few grains."""
    world = system.grains
    grains = movable_grains(world)
    first, second = np.isin(grains.ids, passed.marked), np.isin(grains.ids, passed.others)
    known = first | second
    mixing = mixing_of(in_cell(grains.position[known], world.boundary), first[known])
    index = (math.nan, math.nan) if mixing is None else (mixing.index, mixing.error)
    return (*index, float(first.sum()), float(second.sum()))


def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
    """What it reads, in the order of `read`."""
    return (
        InstrumentQuantity("mixing", _("mixing index"), "M", tab="M"),
        InstrumentQuantity("scatter", _("scatter of random mixtures"), beside=False),
        InstrumentQuantity("marked", _("marked grains"), "n_1", beside=False),
        InstrumentQuantity("others", _("other grains"), "n_2", beside=False),
    )


INSTRUMENT = InstrumentKind(
    "halves",
    _("Halves"),
    15,
    _(
        "Drag a line: it marks the grains on the side of its arrow, also beyond its ends. Lacey's index says how they "
        "mix with the others from then on: 0 segregated, 1 a random mixture."
    ),
    quantities,
    read,
    {2: 2, 3: 3},
    costly=True,
    marks=beyond,
    begin=begin,
    outline=outline,
    handles=handles,
    drag=drag,
)
