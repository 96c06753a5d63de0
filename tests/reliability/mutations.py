"""Saved runs changed at random as an attacker could change them, with correct checksums."""

from __future__ import annotations

import copy
import hashlib
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from repose.sim.engine.builder import empty_world
from repose.sim.engine.world import STEP_COUNT
from repose.sim.experiment import saved_run
from repose.sim.io import archive
from repose.sim.io.archive import ArchiveError
from repose.sim.io.world_tables import tables_of
from repose.sim.message import _

NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e300, -1e300, 1e-300, -1.0, 0.0, 1.0, 2.0**62)
PLAIN: tuple[Any, ...] = (
    *(None, True, -1, 0, 7, 10**30, 1e300, -1e300, 0.5, "", "x" * 5000, "../x.stl", "//host/x.stl", "a\0b"),
    *([], {}, [1.0], {"table": "run0.world.mass"}, {"table": "none"}, {"number": "nan"}, {"number": "inf"}),
    "__import__('os').system('touch canary')",
)
"""Values that replace entries of the manifest."""


def mutants(blob: bytes, count: int, seed: int) -> Iterator[bytes]:
    """`count` different changed files; equal seeds give equal files."""
    draw = np.random.default_rng(seed)
    kinds = (_flipped, _cut, _with_another_entry, _with_another_entry, _with_another_table, _with_another_table)
    for number in range(count):
        yield kinds[number % len(kinds)](blob, draw)


def complaint(blob: bytes) -> str:
    """The defect in the handling of a file; empty if the file is read or refused in one sentence."""
    try:
        saved_run.read(io.BytesIO(blob))
    except ArchiveError as error:
        said = str(error)
        return "" if said.endswith(".") and "\n" not in said and len(said) < 600 else f"no sentence: {said[:200]!r}"
    except Exception as error:  # the defect that this test looks for
        return f"{type(error).__name__}: {error}"
    return ""


def closed(manifest: dict[str, Any], tables: dict[str, Any]) -> bytes:
    """The file of a manifest and tables, with the state hash of the changed state."""
    try:
        position = manifest["now"]["now"]["run"]
        run, prefix = manifest["runs"][position], f"run{position}.world."
        step = int(tables[f"{prefix}counters"][STEP_COUNT])
        time = run["clock_time"] + (step - run["clock_step"]) * run["dt"]
        digest = hashlib.sha256(f"{step} {time!r} {run['dt']!r}".encode())
        for name in tables_of(empty_world()):
            digest.update(tables[prefix + name].tobytes())
        manifest["state_hash"] = digest.hexdigest()
    except (KeyError, IndexError, TypeError, OverflowError):
        pass  # the file is refused before its hash is compared
    out = io.BytesIO()
    archive.write(out, manifest, tables)
    return out.getvalue()


def opened(blob: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Manifest and tables of an unchanged file."""
    manifest, tables = archive.read(io.BytesIO(blob), _("a saved run"))
    del manifest["tables"]
    return manifest, tables


def _flipped(blob: bytes, draw: np.random.Generator) -> bytes:
    """Flip one to eight bits."""
    damaged = bytearray(blob)
    for position in draw.integers(len(damaged), size=draw.integers(1, 9)):
        damaged[position] ^= 1 << int(draw.integers(8))
    return bytes(damaged)


def _cut(blob: bytes, draw: np.random.Generator) -> bytes:
    """Cut off the end, or cut out a piece."""
    begin, end = sorted(int(position) for position in draw.integers(len(blob), size=2))
    return blob[:begin] if draw.random() < 0.5 else blob[:begin] + blob[end:]


def _with_another_entry(blob: bytes, draw: np.random.Generator) -> bytes:
    """Replace, remove or repeat one entry of the manifest."""
    manifest, tables = opened(blob)
    places = [*_places(manifest)]
    *way, last = places[int(draw.integers(len(places)))]
    inner: Any = manifest
    for key in way:
        inner = inner[key]
    turn = draw.random()
    if turn < 0.15:
        del inner[last]
    elif turn < 0.25 and isinstance(inner, list):
        inner.append(copy.deepcopy(inner[last]))
    else:
        inner[last] = copy.deepcopy(PLAIN[int(draw.integers(len(PLAIN)))])
    return closed(manifest, tables)


def _with_another_table(blob: bytes, draw: np.random.Generator) -> bytes:
    """Change numbers, shape or type of one table."""
    manifest, tables = opened(blob)
    name = [*tables][int(draw.integers(len(tables)))]
    table, turn = tables[name], draw.random()
    if turn < 0.6 and table.size:
        whole = table.astype(float)
        places = draw.integers(table.size, size=1 if turn < 0.4 else table.size)
        whole.flat[places] = NUMBERS[int(draw.integers(len(NUMBERS)))]
        with np.errstate(invalid="ignore"):
            tables[name] = whole.astype(table.dtype)
    elif turn < 0.7:
        tables[name] = table.astype(np.float32)
    elif turn < 0.8:
        tables[name] = table.astype(table.dtype.newbyteorder(">"))
    elif turn < 0.9:
        tables[name] = table.reshape(-1)[:-1] if table.size else np.zeros(3)
    else:
        tables[name] = table[None]
    return closed(manifest, tables)


def _places(plain: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of keys to every entry."""
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in inner:
        yield (*way, key)
        yield from _places(value, (*way, key))
