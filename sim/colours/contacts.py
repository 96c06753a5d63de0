"""Number of contacts of each grain."""

from __future__ import annotations

from repose.sim.colours.colour import GrainColour
from repose.sim.message import _

MOST = {2: 6.0, 3: 10.0}
"""End of the range by dimension: equal discs have at most six neighbours; spheres have twelve, and seldom more than
ten that press."""

COLOUR = GrainColour(
    "coordination",
    _("contacts"),
    "Z",
    "",
    lambda grains: grains.pushes.contacts,
    kind="discrete",
    span=lambda values, snapshot: (0.0, MOST[snapshot.grains.position.shape[1]]),
    of_contacts=True,
    legend=_("Contacts"),
    more=True,
    exported=False,  # as "contacts"
    order=40,
)
