"""Energy changes that are not due to the motion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Booked:
    """Energy changes that are not due to the motion [J]."""

    poured: float = 0.0
    """Energy of new grains."""
    removed: float = 0.0
    """Energy of grains that have been removed."""
    work: float = 0.0
    """Energy added by changes of parameters and of walls."""
    shear: float = 0.0
    """Part of these three that is stored in friction springs."""
