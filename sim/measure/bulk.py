"""Measurements in a box inside the packing: packing fraction, stress and coordination."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from repose.sim.engine.boundaries import with_images
from repose.sim.engine.contacts.contact_table import ContactTable
from repose.sim.engine.world import World
from repose.sim.measure.coordination import Coordination
from repose.sim.measure.display import PACKING
from repose.sim.measure.grains import own_shares
from repose.sim.measure.measurement import Measurement, System
from repose.sim.measure.packing import Box, packing_box, packing_fraction
from repose.sim.measure.stress import STRESS_UNIT, Stress, mean_stress
from repose.sim.message import EMPTY, Message, Number, _, joined


@dataclass(frozen=True)
class Bulk:
    """Results in a box well inside the packing."""

    box: Box
    packing_fraction: float
    """[-]; overlaps of members of a rigid body count once."""
    stress: Stress


def measure_bulk(world: World, contacts: ContactTable, box: Box, velocity_shift: float = 0.0) -> Bulk:
    """Results in the given box of a world; `velocity_shift` as in `repose.sim.measure.stress`."""
    reach = float(world.radius.max(initial=0.0))
    rows, position = with_images(world.motion[: len(box.lower), 0].T, world.boundary, reach)
    fraction = packing_fraction(position, world.radius[rows], box.lower, box.upper, own_shares(world)[rows])
    return Bulk(box, fraction, mean_stress(world, contacts, box.lower, box.upper, velocity_shift))


def bulk_of(system: System) -> Bulk | None:
    """Packing fraction and stress well inside the packing; None if the packing is too small."""
    box = system.derived(packing_box)
    return None if box is None else measure_bulk(system.grains, system.contacts, box, system.velocity_shift)


def bulk_results(bulk: Bulk | None, coordination: Coordination) -> dict[str, Any]:
    """Entry in result.json; null if the packing is too small."""
    entries = (
        None
        if bulk is None
        else {"box": {"lower": bulk.box.lower.tolist(), "upper": bulk.box.upper.tolist()}, **bulk.stress.as_dict()}
    )
    return {
        "packing_fraction": None if bulk is None else bulk.packing_fraction,
        "stress": entries,
        "coordination": {
            "mean": coordination.mean,
            "without_rattlers": coordination.without_rattlers,
            "rattlers": coordination.rattlers,
            "distribution": np.asarray(coordination.distribution).tolist(),
        },
    }


def _in_bulk(value: Callable[[Bulk], float]) -> Callable[[System], float]:
    """A sample that is nan if the packing is too small."""

    def sample(system: System) -> float:
        bulk = system.derived(bulk_of)
        return math.nan if bulk is None else value(bulk)

    return sample


def _help(what: Message) -> Callable[[System], Message]:
    def words(system: System) -> Message:
        bulk = system.derived(bulk_of)
        if bulk is None:
            return EMPTY
        edges = joined([Number(1e3 * float(edge), format=".3g") for edge in bulk.box.upper - bulk.box.lower], " × ")
        return Message("{what}, in a box of {edges} mm in the middle of the packing.", what=what, edges=edges)

    return words


MEASUREMENT = (
    Measurement(
        "packing_fraction",
        _("packing fraction"),
        "φ",
        "",
        _in_bulk(lambda bulk: bulk.packing_fraction),
        costly=True,
        of_grains=True,
        help=_help(_("Fraction of the volume filled by grains")),
        plot=PACKING,
        order=20,
        from_zero=False,
    ),
    Measurement(
        "pressure",
        _("pressure"),
        "P",
        STRESS_UNIT,
        _in_bulk(lambda bulk: bulk.stress.pressure),
        costly=True,
        of_grains=True,
        help=_help(_("Mean normal stress")),
        plot=PACKING,
        order=21,
    ),
    Measurement(
        "largest_shear",
        _("largest shear"),
        "τ",
        STRESS_UNIT,
        _in_bulk(lambda bulk: bulk.stress.largest_shear),
        costly=True,
        of_grains=True,
        help=_help(_("Largest shear stress; ± because grains that do not rotate make the stress unsymmetric")),
        error=_in_bulk(lambda bulk: bulk.stress.asymmetry),
        error_of=_("half the difference of σ_xy and σ_yx"),
        plot=None,
        order=22,
    ),
)
