"""Records that modules offer by name: panels and draw passes, one file each, in a package or in a plug-in."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from repose.sim import registry


def offered(package: str, name: str) -> list[Any]:
    """The record called `name` of every module of `package`, then of every plug-in module that has one."""
    path = importlib.import_module(package).__path__
    modules = [importlib.import_module(f"{package}.{entry.name}") for entry in pkgutil.iter_modules(path)]
    modules += getattr(registry, "extra_modules", tuple)()
    return [getattr(module, name) for module in modules if hasattr(module, name)]
