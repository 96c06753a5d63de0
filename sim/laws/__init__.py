"""Contact laws, one per file, found by being there; `lee_herrmann.py` is the manual for writing one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from repose.sim.laws.materials import COLUMN_COUNT, no_row, row_of
from repose.sim.parameters import ParameterSet


@dataclass(frozen=True)
class Law:
    """A contact law: plain functions of one contact, and the parameters they read."""

    name: str
    parameters: type[ParameterSet]
    force: Callable
    """force(params, rules, contact) -> Response."""
    energy: Callable
    """energy(params, rules, contact) -> (elastic, in the friction spring) [J]."""
    stiffness: Callable
    """stiffness(params, rules, contact) -> stiffness along the normal and across it [N/m],
    damping along and across [1/s]."""
    numbers: Callable
    """ParameterSet -> the tuple of floats handed to the compiled loop."""
    rules: Callable
    """ParameterSet -> the tuple of plain functions the law is put together from, at most four."""
    needs_material: bool = False
    """Whether it reads `material` and `effective_radius` of a contact, which cost a little to provide; its numbers
    then have a `table` (repose.sim.laws.materials.pair_table)."""

    @property
    def properties(self) -> Callable:
        """properties(params, kind) -> `Contact.material`."""
        chosen: Callable = row_of if self.needs_material else no_row
        return chosen

    @property
    def material_like(self) -> tuple[float, ...]:
        """A row of materials, for the type only."""
        return (0.0,) * COLUMN_COUNT if self.needs_material else ()


@lru_cache(maxsize=1)
def laws() -> dict[str, Law]:
    """Every law by name."""
    found: dict[str, Law] = {}
    for module in pkgutil.iter_modules(__path__):
        law = getattr(importlib.import_module(f"{__name__}.{module.name}"), "LAW", None)
        if law is not None:
            found[law.name] = law
    return found
