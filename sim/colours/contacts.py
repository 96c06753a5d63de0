"""Number of contacts of each grain: those of all members of a rigid body, which has one colour."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.colours.colour import GrainColour
from repose.sim.measure.colour_source import Grains
from repose.sim.message import _

MOST = {2: 6.0, 3: 10.0}
"""End of the range by dimension: equal discs have at most six neighbours; spheres have twelve, and seldom more than
ten that press."""


def values(grains: Grains) -> NDArray[Any]:
    """Contacts of the grain to which each sphere belongs [-]."""
    contacts, body = grains.pushes.contacts, grains.world.body
    members = body >= 0
    if not members.any():
        return contacts
    of_body = np.bincount(body[members], contacts[members])
    return np.where(members, of_body[body], contacts)


COLOUR = GrainColour(
    "coordination",
    _("contacts"),
    "Z",
    "",
    values,
    kind="discrete",
    span=lambda values, snapshot: (0.0, MOST[snapshot.grains.position.shape[1]]),
    of_contacts=True,
    legend=_("Contacts"),
    more=True,
    exported=False,  # as "contacts"
    order=40,
)
