"""Number of contacts of each grain."""

from __future__ import annotations

from repose.sim.colours.colour import GrainColour
from repose.sim.message import _

COLOUR = GrainColour(
    "coordination",
    _("contacts"),
    "Z",
    "",
    lambda grains: grains.pushes.contacts,
    kind="discrete",
    span=lambda values, snapshot: (0.0, 6.0),
    of_contacts=True,
    legend=_("Contacts"),
    more=True,
    exported=False,  # as "contacts"
    order=40,
)
