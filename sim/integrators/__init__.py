"""Integrators: how coordinates move from step to step, one scheme per file, found by being there.

A scheme is two plain functions around the force evaluation, `before(motion, first, last, stage, dt)` and
`after(motion, force, mobility, first, last, stage, dt)`, run once per stage for spheres `first` to `last` - 1, each
sphere on its own. Nothing else knows which scheme runs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Integrator:
    """A scheme and what the engine must know of it."""

    name: str
    title: str
    levels: int
    """Rows of `World.motion` it keeps: position, velocity, acceleration, and its own."""
    before: Callable
    after: Callable
    weights: tuple[float, ...] = (1.0,)
    """One entry per stage: the share of dt each force evaluation stands for (energy ledger)."""
    velocity_lead: float = 0.0
    """By how many dt the stored velocity is ahead of the stored position."""


@lru_cache(maxsize=1)
def integrators() -> dict[str, Integrator]:
    """Every integrator by name."""
    found: dict[str, Integrator] = {}
    for module in pkgutil.iter_modules(__path__):
        for scheme in getattr(importlib.import_module(f"{__name__}.{module.name}"), "INTEGRATORS", ()):
            found[scheme.name] = scheme
    return found
