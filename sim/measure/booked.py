"""Energy that did not come from the motion itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Booked:
    """Energy that did not come from the motion itself [J]."""

    poured: float = 0.0
    """Brought in by new grains."""
    removed: float = 0.0
    """Carried away by grains that left."""
    work: float = 0.0
    """Put in by changes of parameters and of walls."""
    shear: float = 0.0
    """Part of all three that went into friction springs."""
