"""Shapes of a saved run: their triangles are stored as tables, and no path in the run file is opened."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from repose.sim.experiment.run import RestartPoint
from repose.sim.io.archive import ArchiveError
from repose.sim.io.mesh import MOST_FACETS, Surface
from repose.sim.io.plain import TABLE, Tables, decode
from repose.sim.message import Message
from repose.sim.parameters import ParameterError, require_local
from repose.sim.wording import value_text


def surfaces_to_plain(points: Iterable[RestartPoint], tables: Tables) -> dict[str, Any]:
    """The shapes of the run, by the paths from which they were read."""
    surfaces = {path: surface for point in points for path, surface in point.parameters.surfaces.items()}
    plain = {}
    for index, (path, surface) in enumerate(surfaces.items()):
        tables[f"surface{index}"] = surface.triangles
        plain[path] = {"digest": surface.digest, "triangles": {TABLE: f"surface{index}"}}
    return plain


def without_remote_paths(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest in which paths of files on other machines are replaced by file names: a restart with these
    parameters must not connect to a machine chosen by the author of the file."""
    remote = {path: re.split(r"[\\/:]", path)[-1] for path in manifest.get("surfaces", {}) if not _is_local(path)}

    def renamed(plain: Any) -> Any:
        if isinstance(plain, dict):
            return {remote.get(key, key): renamed(value) for key, value in plain.items()}
        if isinstance(plain, list):
            return [renamed(value) for value in plain]
        return remote.get(plain, plain) if isinstance(plain, str) else plain

    return cast("dict[str, Any]", renamed(manifest)) if remote else manifest


def _is_local(path: str) -> bool:
    try:
        require_local("mesh", path)
    except ParameterError:
        return False
    return True


def surfaces_from_plain(plain: Any, tables: Tables) -> dict[str, Surface]:
    """The shapes in a file, checked; raises `ArchiveError` or `PlainError`."""
    entries = {}
    for path, said in plain.items():
        triangles = tables[said["triangles"][TABLE]]
        known = triangles.dtype == np.float64 and triangles.ndim == 3 and triangles.shape[1:] == (3, 3)
        if not known or not 0 < len(triangles) <= MOST_FACETS:
            raise ArchiveError(
                Message("The file's shape {path} is not made of triangles: the file is damaged.", path=value_text(path))
            )
        if not np.isfinite(triangles).all():
            raise ArchiveError(
                Message(
                    "The file's shape {path} has corners that are not finite: the file is damaged.",
                    path=value_text(path),
                )
            )
        entries[path] = Surface(triangles, decode(str, said["digest"], tables, "surfaces.digest"))
    return entries
