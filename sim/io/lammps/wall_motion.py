"""How a scene moves its walls, as data that an export can write for any later time."""

from __future__ import annotations

from typing import NamedTuple


class TurningWalls(NamedTuple):
    """All walls turn about an axis."""

    centre: tuple[float, ...]
    """A point of the axis [m]."""
    rate: float
    """[rad/s]."""
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)
    """Unit vector."""


class ShakingWalls(NamedTuple):
    """All walls are at A (1 - cos φ) along a direction, with φ = φ_0 + 2π f t."""

    direction: tuple[float, ...]
    """Unit vector."""
    amplitude: float
    """A [m]."""
    phase: float
    """φ_0, at the export [rad]."""
    rate: float
    """2π f [rad/s]."""


WallMotion = TurningWalls | ShakingWalls | None
"""How all walls move together; None for constant velocities, those of the table of walls."""
