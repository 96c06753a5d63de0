"""A world as a file: checked tables in an .npz archive, with a manifest that says what they must be.

The manifest (JSON) names every table with its shape, type and SHA-256, and carries the scene's own state. Reading
checks the size first, then the manifest, then every table against it; nothing is unpickled or executed.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import asdict
from typing import Any

import numpy as np

from sim.build import empty_world, fitted
from sim.state import PAIR_COUNT, TOUCH_COUNT, Pairs, Walls, World, empty_touches

FORMAT = 1
LARGEST_FILE = 256 * 2**20
"""Bytes a file, and what it unpacks to, may have."""

TABLES = (
    "motion",
    "force",
    "mobility",
    "mass",
    "radius",
    "sphere_id",
    "layer",
    "material",
    "orientation",
    "turned",
    "ledger",
    "counters",
)


class StoreError(ValueError):
    """A file that cannot be used: one sentence."""


def to_bytes(world: World, state: Any, facts: dict[str, Any]) -> bytes:
    """The world, the scene's state (a dataclass of plain data) and further JSON-ready facts as one archive."""
    tables = _tables_of(world)
    manifest = {
        "format": FORMAT,
        "state": asdict(state),
        "facts": facts,
        "tables": {
            name: {
                "shape": table.shape,
                "dtype": table.dtype.str,
                "sha256": hashlib.sha256(table.tobytes()).hexdigest(),
            }
            for name, table in tables.items()
        },
    }
    blob = io.BytesIO()
    text = np.frombuffer(json.dumps(manifest).encode(), np.uint8)
    np.savez_compressed(blob, manifest=text, **tables)
    return blob.getvalue()


def from_bytes(blob: bytes, state_type: type) -> tuple[World, Any, dict[str, Any]]:
    """World, scene state and facts of an archive; raises `StoreError`."""
    if len(blob) > LARGEST_FILE:
        raise StoreError(f"The file has {len(blob)} bytes; at most {LARGEST_FILE} are read.")
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise StoreError(f"The file unpacks to more than {LARGEST_FILE} bytes; it is not read.")
        with np.load(io.BytesIO(blob), allow_pickle=False) as archive:
            manifest = json.loads(archive["manifest"].tobytes())
            if manifest["format"] != FORMAT:
                raise StoreError(f"The file has format {manifest['format']}; this program reads {FORMAT}.")
            tables = {name: archive[name] for name in manifest["tables"]}
        for name, said in manifest["tables"].items():
            table = tables[name]
            found = (list(table.shape), table.dtype.str, hashlib.sha256(table.tobytes()).hexdigest())
            if found != (said["shape"], said["dtype"], said["sha256"]):
                raise StoreError(f"Table '{name}' of the file is not what its manifest says: the file is damaged.")
        return _world_of(tables), state_type(**manifest["state"]), manifest["facts"]
    except StoreError:
        raise
    except Exception as error:  # whatever a damaged archive provokes in the readers below us
        raise StoreError(f"The file cannot be read as a saved world: {error}.") from None


def _tables_of(world: World) -> dict[str, Any]:
    used = int(world.counters[PAIR_COUNT])
    tables = {name: getattr(world, name) for name in TABLES}
    tables |= {f"pairs.{name}": np.ascontiguousarray(getattr(world.pairs, name)[..., :used]) for name in Pairs._fields}
    tables |= {f"walls.{name}": getattr(world.walls, name) for name in Walls._fields}
    near = int(world.counters[TOUCH_COUNT])
    for name in ("sphere", "wall", "touching", "anchor", "normal_force"):
        tables[f"touches.{name}"] = np.ascontiguousarray(getattr(world.touches, name)[..., :near])
    return tables | {f"search.{name}": getattr(world.search, name) for name in ("reference", "near_reference", "skin")}


def _world_of(tables: dict[str, Any]) -> World:
    coordinates, levels, count = tables["motion"].shape
    dimension = tables["search.reference"].shape[0]
    used = int(tables["counters"][PAIR_COUNT])
    pairs = Pairs(*(tables[f"pairs.{name}"] for name in Pairs._fields))
    if used != pairs.i.size or (used and max(pairs.i.max(), pairs.j.max()) >= count):
        raise StoreError("The pair list of the file names spheres that are not there: the file is damaged.")
    if not np.isfinite(tables["motion"]).all() or not (tables["radius"] > 0.0).all():
        raise StoreError("The file holds positions that are not finite or radii that are not positive.")
    blank = empty_world(dimension, coordinates - dimension, levels)
    world = blank._replace(**{name: tables[name] for name in TABLES})
    near = int(tables["counters"][TOUCH_COUNT])
    touches = empty_touches(near, 0, dimension)
    for name in ("sphere", "wall", "touching", "anchor", "normal_force"):
        getattr(touches, name)[...] = tables[f"touches.{name}"]
    walls = Walls(*(tables[f"walls.{name}"] for name in Walls._fields))
    world = world._replace(walls=walls, touches=touches)
    whole = fitted(world._replace(search=world.search._replace(skin=tables["search.skin"])), pairs, max(64, 2 * used))
    whole.search.reference[:] = tables["search.reference"]
    whole.search.near_reference[:] = tables["search.near_reference"]
    return whole
