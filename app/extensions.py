"""Records that modules offer by name: panels and draw passes, one file each, in a package or in a plug-in."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from repose.sim import registry


def offered(package: str, name: str) -> list[Any]:
    """The records called `name`, one or a tuple, of every module of `package`, then of every plug-in module."""
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{entry.name}") for entry in pkgutil.iter_modules(path)]
    modules += getattr(registry, "extra_modules", tuple)()
    return [record for module in modules for record in registry.records_in(module, name)]
