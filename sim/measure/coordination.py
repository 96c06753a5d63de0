"""Number of contacts per grain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from repose.sim.engine.world import Floats, World
from repose.sim.measure.contact_sums import pushes
from repose.sim.measure.display import CONTACTS
from repose.sim.measure.grains import sums_over_grains
from repose.sim.measure.measurement import Measurement, System
from repose.sim.measure.packing import packing_box
from repose.sim.message import Message, Number, _

HELD_BY = 2
"""A grain with fewer contacts carries no load and is a rattler (Thornton, Geotechnique 50 (2000) 43)."""


@dataclass(frozen=True)
class Coordination:
    """Contacts of the movable grains, including contacts with fixed spheres and walls. All contacts of the members of a
    rigid body are contacts of one grain."""

    mean: float
    """Mean contacts per grain, rattlers included [-]."""
    without_rattlers: float | None
    """Mean over the grains with `HELD_BY` contacts or more; None if there are none [-]."""
    rattlers: float
    """Share of the grains that are rattlers [-]."""
    distribution: Floats
    """Share of the grains with 0, 1, 2, ... contacts [-]."""


def contacts_per_sphere(world: World) -> Floats:
    """Number of contacts of every sphere, shape (count,)."""
    return pushes(world).contacts


def coordination_number(world: World) -> Coordination:
    """The coordination number of a world; 0 without movable grains."""
    contacts = sums_over_grains(world, contacts_per_sphere(world))
    bearing = contacts[contacts >= HELD_BY]
    return Coordination(
        mean=float(contacts.mean()) if contacts.size else 0.0,
        without_rattlers=float(bearing.mean()) if bearing.size else None,
        rattlers=1.0 - bearing.size / contacts.size if contacts.size else 0.0,
        distribution=np.bincount(contacts.astype(np.int64)) / max(contacts.size, 1),
    )


def coordination_of(system: System) -> Coordination:
    """The present coordination number of an experiment."""
    return coordination_number(system.grains)


def _help(system: System) -> Message:
    coordination = system.derived(coordination_of)
    words = Message(
        "{rattlers} % have fewer than {held_by} and count as rattlers",
        rattlers=Number(100.0 * coordination.rattlers, format=".0f"),
        held_by=HELD_BY,
    )
    if coordination.without_rattlers is not None:
        words += Message(
            "; without them Z = {without_rattlers}",
            without_rattlers=Number(coordination.without_rattlers, format=".2f"),
        )
    return Message("Mean over all grains; {words}.", words=words)


MEASUREMENT = Measurement(
    "coordination",
    _("contacts per grain"),
    "Z",
    "",
    lambda system: system.derived(coordination_of).mean,
    shown=lambda system: system.derived(packing_box) is not None,
    of_grains=True,
    help=_help,
    plot=CONTACTS,
    order=40,
)
