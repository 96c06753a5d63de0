"""Names of the words that parameters accept and of materials, as the window shows them."""

from __future__ import annotations

from repose.sim.message import Message, _

NAMES = (
    _("aluminium"),
    _("beside"),
    _("box"),
    _("caltrop"),
    _("cundall-strack"),
    _("cylinder"),
    _("disc"),
    _("dumbbell"),
    _("elastic"),
    _("ellipsoid"),
    _("end"),
    _("filled"),
    _("fitted"),
    _("funnel"),
    _("given"),
    _("glass"),
    _("greedy"),
    _("height over base"),
    _("hertz"),
    _("inch"),
    _("lammps"),
    _("leaves"),
    _("left half"),
    _("lee-herrmann"),
    _("limestone"),
    _("line"),
    _("linear"),
    _("lower half"),
    _("magnesium"),
    _("material"),
    _("nothing"),
    _("peanut"),
    _("robust"),
    _("rod"),
    _("rough"),
    _("smooth"),
    _("spring"),
    _("square"),
    _("strikes"),
    _("tetrahedron"),
    _("tetrapod"),
    _("tilt"),
    _("torus"),
    _("total"),
    _("triangle"),
    _("trickle"),
    _("vertebra"),
    _("zero"),
)
"""The words of Repose; those of a plug-in have no translation."""
LAWS = {
    "hertz_mindlin": _("dry: Hertz-Mindlin"),
    "voigt": _("dry: Voigt"),
    "lee_herrmann": _("dry: Lee-Herrmann"),
    "memoryless": _("dry: without memory"),
    "capillary": _("wet: linear bridges"),
    "liquid_bridge": _("wet: liquid bridges"),
    "jkr": _("sticky: JKR"),
    "dmt": _("sticky: DMT"),
}
"""Names of contact laws."""


def choice_name(word: str) -> Message:
    """The name of a choice: of a contact law its title, otherwise the word with blanks."""
    return LAWS.get(word) or Message(word.replace("_", " "))
