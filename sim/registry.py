"""Laws, integrators, measurements and scenes by name, each found in its package because its file is there.

A module offers what it holds under the names below. This module imports no package of `sim` until it is asked, so that
a scene can be found by layers that scenes themselves build on.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

OFFERS = {"laws": "LAW", "integrators": "INTEGRATORS", "measure": "MEASUREMENT", "scenes": "SCENE"}
"""Package of `sim` and the name under which a module of it offers a record, or a tuple of records."""


@cache
def found(package: str) -> dict[str, Any]:
    """Every record that the modules of a package offer, by its name."""
    root = importlib.import_module(f"repose.sim.{package}")
    records: dict[str, Any] = {}
    for entry in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        offered = getattr(importlib.import_module(entry.name), OFFERS[package], ())
        for record in offered if isinstance(offered, tuple) else (offered,):
            records[record.name] = record
    return records


def scenes() -> dict[str, Any]:
    """Every scene by name."""
    return found("scenes")


def laws() -> dict[str, Any]:
    """Every contact law by name."""
    return found("laws")


def integrators() -> dict[str, Any]:
    """Every integrator by name."""
    return found("integrators")


def measurements() -> dict[str, Any]:
    """Every measurement by name."""
    return found("measure")
