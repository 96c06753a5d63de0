"""A box with edges along the axes: packing fraction, stress, velocity, granular temperature and contacts in it.

The functions are those of the measurements in the middle of a packing (`repose.sim.measure.bulk`): a box at the same
place reads the same numbers.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from repose.sim.engine.boundaries import in_cell
from repose.sim.engine.world import Floats
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed, Point, Points
from repose.sim.measure.bulk import measure_bulk
from repose.sim.measure.coordination import contacts_per_sphere
from repose.sim.measure.grains import movable_grains, sums_over_grains
from repose.sim.measure.measurement import System
from repose.sim.measure.packing import Box
from repose.sim.measure.stress import STRESS_UNIT, motion_in_box
from repose.sim.message import Message, _

AXES = "xyz"


def box_of(points: Points) -> Box:
    """The box between two opposite corners."""
    corners = np.array(points, float)
    return Box(corners.min(axis=0), corners.max(axis=0))


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """Packing fraction, contacts per grain, grains, pressure, largest shear, stresses, temperature, mean velocity."""
    world, box = system.grains, box_of(instrument.points)
    bulk = measure_bulk(world, system.contacts, box, system.velocity_shift)
    moving = motion_in_box(world, box.lower, box.upper, system.velocity_shift)
    centres = in_cell(movable_grains(world).position, world.boundary)
    inside = ((centres >= box.lower) & (centres <= box.upper)).all(axis=1)
    contacts = sums_over_grains(world, contacts_per_sphere(world))[inside]
    tensor = bulk.stress.tensor
    dimension = len(tensor)
    return (
        bulk.packing_fraction,
        float(contacts.mean()) if contacts.size else math.nan,
        float(inside.sum()),
        bulk.stress.pressure,
        bulk.stress.largest_shear,
        *(float(0.5 * (tensor[a, b] + tensor[b, a])) for a, b in _components(dimension)),
        moving.temperature,
        *map(float, moving.mean),
    )


def _components(dimension: int) -> list[tuple[int, int]]:
    """Rows and columns of the stresses: those on the diagonal, then the shear stresses."""
    pairs = itertools.combinations(range(dimension), 2)
    return [*((c, c) for c in range(dimension)), *pairs]


def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
    """What a box reads, in the order of `read`."""
    names, unit = AXES[:dimension], STRESS_UNIT[dimension]
    stress, velocity = _("stress"), _("mean velocity")
    return (
        InstrumentQuantity("packing_fraction", _("packing fraction"), "φ", tab="φ, Z"),
        InstrumentQuantity("coordination", _("contacts per grain"), "Z", tab="φ, Z"),
        InstrumentQuantity("grains", _("grains"), "n", beside=False),
        InstrumentQuantity("pressure", _("pressure"), "P", unit, tab="σ", axis=stress),
        InstrumentQuantity("largest_shear", _("largest shear"), "τ", unit, tab="σ", axis=stress),
        *(
            InstrumentQuantity(
                f"stress_{names[a]}{names[b]}",
                Message("stress {component}", component=names[a] + names[b]),
                f"σ_{names[a]}{names[b]}",
                unit,
                tab="σ",
                axis=stress,
                beside=False,
            )
            for a, b in _components(dimension)
        ),
        InstrumentQuantity("temperature", _("granular temperature"), "T", "m²/s²", tab="v, T"),
        *(
            InstrumentQuantity(
                f"velocity_{name}",
                Message("mean velocity {component}", component=name),
                f"v_{name}",
                "mm/s",
                1e-3,
                tab="v, T",
                axis=velocity,
            )
            for name in names
        ),
    )


def begin(start: Point, end: Point, axis: int | None, depth: tuple[float, float]) -> Points:
    """The box between the ends of a drag; in space from the front to the back of the scene."""
    if axis is None:
        return start, end
    front, back = (tuple(depth[side] if c == axis else x for c, x in enumerate((start, end)[side])) for side in (0, 1))
    return front, back


def lengths(points: Points) -> list[float]:
    """The edges [m]."""
    return [abs(there - here) for here, there in zip(*points, strict=True)]


def corners_of(points: Points) -> tuple[tuple[int, ...], ...]:
    """Of every corner, which of the two points has its coordinates."""
    return tuple(itertools.product((0, 1), repeat=len(points[0])))


def handles(points: Points) -> Points:
    """Every corner."""
    return tuple(tuple(points[which][c] for c, which in enumerate(corner)) for corner in corners_of(points))


def drag(points: Points, handle: int, by: Point) -> Points:
    """The box with one corner moved; the opposite one stays."""
    moved = [list(point) for point in points]
    for c, which in enumerate(corners_of(points)[handle]):
        moved[which][c] += by[c]
    return tuple(map(tuple, moved))


def outline(points: Points) -> list[Floats]:
    """The edges."""
    box = box_of(points)
    (x0, y0), (x1, y1) = box.lower[:2], box.upper[:2]
    ring = np.array(((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)))
    if len(box.lower) == 2:
        return [ring]
    foot, top = (np.column_stack((ring, np.full(len(ring), height))) for height in (box.lower[2], box.upper[2]))
    return [foot, top, *(np.array(ends) for ends in zip(foot[:4], top[:4], strict=True))]


INSTRUMENT = InstrumentKind(
    "box",
    _("Box"),
    20,
    _(
        "Drag a box: packing fraction, stress, mean velocity, granular temperature and contacts in it. In space it is "
        "as deep as the scene."
    ),
    quantities,
    read,
    {2: 2, 3: 2},
    costly=True,
    begin=begin,
    lengths=lengths,
    outline=outline,
    handles=handles,
    drag=drag,
)
