"""Names of the phases of the scenes, as the window shows them where the whole label has no room."""

from __future__ import annotations

from repose.sim.message import Message, _

NAMES = (
    _("clogged"),
    _("counted"),
    _("empty"),
    _("ended"),
    _("filled"),
    _("filling"),
    _("flowing"),
    _("playing"),
    _("rested"),
    _("running"),
    _("sliding"),
    _("tilting"),
    _("trickling"),
)
"""The phases of Repose; those of a plug-in have no translation."""


def phase_name(phase: str) -> Message:
    """The name of a phase."""
    return Message(phase)
