"""A probe on one grain: its place, speed, spin, force and contacts."""

from __future__ import annotations

import math

import numpy as np
from repose.sim.instruments.instrument import Instrument, InstrumentKind, InstrumentQuantity, Passed
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.measurement import System
from repose.sim.message import Message, _


def read(instrument: Instrument, system: System, passed: Passed) -> tuple[float, ...]:
    """Speed [m/s], spin [rad/s], sum of the normal forces [N], contacts and place [m] of the grain; nan once it has
    left."""
    world, dimension = system.world, system.dimension
    row = np.flatnonzero(world.sphere_id == instrument.grain)
    if not row.size:
        return (math.nan,) * len(quantities(dimension))
    turning = world.motion[dimension:, :, row[0]]
    spin = turning[:, 1] - system.velocity_shift * turning[:, 2]
    rows, motion = row, world.motion[:, :, row]
    if world.bodies and world.body[row[0]] >= 0:  # the grain is the rigid body
        rows, motion = np.flatnonzero(world.body == world.body[row[0]]), world.bodies.motion[:, :, world.body[row]]
    velocity = motion[:dimension, 1, 0] - system.velocity_shift * motion[:dimension, 2, 0]
    sums = pushes(world)
    return (
        float(np.linalg.norm(velocity)),
        float(np.linalg.norm(spin)) if system.rotates else math.nan,
        float(sums.force[rows].sum()),
        float(sums.contacts[rows].sum()),
        *map(float, motion[:dimension, 0, 0]),
    )


def quantities(dimension: int) -> tuple[InstrumentQuantity, ...]:
    """What a probe reads, in the order of `read`."""
    place = _("position")
    return (
        InstrumentQuantity("speed", _("speed"), "v", "mm/s", 1e-3, tab="v, F"),
        InstrumentQuantity("spin", _("spin"), "ω", "rad/s", tab="v, F"),
        InstrumentQuantity("force", _("sum of normal forces"), "F", "N", tab="v, F"),
        InstrumentQuantity("contacts", _("contacts"), "z", beside=False),
        *(
            InstrumentQuantity(
                f"position_{name}",
                Message("position {component}", component=name),
                name,
                "mm",
                1e-3,
                tab="x",
                axis=place,
                beside=False,
            )
            for name in "xyz"[:dimension]
        ),
    )


INSTRUMENT = InstrumentKind(
    "probe",
    _("Probe"),
    50,
    _("Click a grain: its speed, spin, force and place from then on."),
    quantities,
    read,
    {2: 0, 3: 0},
    of_grain=True,
)
