"""The packing as a whole: how densely it is filled, what it carries, how many contacts its grains have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from repose.sim.engine.contacts.force_table import ContactTable
from repose.sim.engine.world import World
from repose.sim.experiment.snapshot import Reading
from repose.sim.measure.coordination import HELD_BY, Coordination
from repose.sim.measure.packing import Box, packing_fraction
from repose.sim.measure.stress import Stress, mean_stress


@dataclass(frozen=True)
class Bulk:
    """What is measured in a box well inside the packing."""

    box: Box
    packing_fraction: float
    """[-]."""
    stress: Stress


def measure_bulk(world: World, contacts: ContactTable, box: Box, velocity_shift: float = 0.0) -> Bulk:
    """The bulk of a world in the box given; `velocity_shift` as in `repose.sim.measure.stress`."""
    position = world.motion[: len(box.lower), 0].T
    fraction = packing_fraction(position, world.radius, box.lower, box.upper)
    return Bulk(box, fraction, mean_stress(world, contacts, box.lower, box.upper, velocity_shift))


def bulk_readings(bulk: Bulk | None, coordination: Coordination) -> tuple[Reading, ...]:
    """What to show of it beside the picture; nothing where there is no packing."""
    if bulk is None:
        return ()
    stress, edges = bulk.stress, bulk.box.upper - bulk.box.lower
    place = f"in a box of {' × '.join(f'{1e3 * edge:.3g}' for edge in edges)} mm in the middle of the packing"
    loose = f"{100.0 * coordination.rattlers:.0f} % have fewer than {HELD_BY} and count as rattlers"
    if coordination.without_rattlers is not None:
        loose += f"; without them Z = {coordination.without_rattlers:.2f}"
    return (
        Reading("packing fraction φ", bulk.packing_fraction, help=f"Share of space that is grain, {place}."),
        Reading("pressure P", stress.pressure, stress.unit, help=f"Mean normal stress, {place}."),
        Reading("largest shear τ", stress.largest_shear, stress.unit, help=f"Largest shear stress, {place}."),
        Reading("contacts per grain Z", coordination.mean, help=f"Mean over all grains; {loose}."),
    )


def bulk_results(bulk: Bulk | None, coordination: Coordination) -> dict[str, Any]:
    """What result.json says of it; null where there is no packing to measure."""
    found = (
        None
        if bulk is None
        else {"box": {"lower": bulk.box.lower.tolist(), "upper": bulk.box.upper.tolist()}, **bulk.stress.as_dict()}
    )
    return {
        "packing_fraction": None if bulk is None else bulk.packing_fraction,
        "stress": found,
        "coordination": {
            "mean": coordination.mean,
            "without_rattlers": coordination.without_rattlers,
            "rattlers": coordination.rattlers,
            "distribution": np.asarray(coordination.distribution).tolist(),
        },
    }
