"""The body that a clump approximates, from the library of shapes, a mesh or a voxel file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.clumps.distance_field import (
    MARGIN,
    DistanceField,
    ShowProgress,
    field_of_triangles,
    field_of_voxels,
    grid_around,
    iso_surface,
    nodes_of,
    part_of,
    silent,
    winding_around,
)
from repose.sim.clumps.shapes import SHAPES
from repose.sim.engine.world import Floats
from repose.sim.io.mesh import SUFFIXES, read_mesh
from repose.sim.message import Joined, Message, Number, _, length_text, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import value_text

LARGEST_VOXEL_FILE = 256 * 2**20
"""Largest size of a voxel file [bytes]."""
SMALLEST, LARGEST = 1e-6, 1e3
"""Bounds of the longest edge of a body [m]."""
LEAST_DEPTH = 0.5
"""Least depth of the deepest node of a body [steps]: a thinner body can lie between the sampling points."""


class Body(NamedTuple):
    """A body in space; its lengths are in m."""

    name: str
    field: DistanceField
    surface: Floats
    """Triangles [m], shape (triangles, 3, 3), anticlockwise seen from outside."""
    volume: float
    """[m³]."""
    notes: tuple[Message, ...] = ()
    """Repairs of a mesh, each in a few words."""


def body_of(
    source: str, cells: int = 64, size: float | None = None, unit: str = "mm", show_progress: ShowProgress = silent
) -> Body:
    """The body named or stored at `source`: a shape of the library, an STL or OBJ file whose lengths are in `unit`, or
    a voxel file (.npy). Its longest edge is `size` [m] long and has `cells` cells.

    Without a size a shape is 10 mm long, a mesh has the lengths of its file, and a voxel is 1 `unit` wide.
    Raises `ParameterError` if the source cannot be used.
    """
    if size is not None and not SMALLEST <= size <= LARGEST:
        raise ParameterError(
            Message(
                "A body {size} m long is refused; choose {smallest} to {largest} m.",
                size=Number(size, format="g"),
                smallest=Number(SMALLEST, format="g"),
                largest=Number(LARGEST, format="g"),
            )
        )
    if source in SHAPES:
        return body_of_shape(source, cells, 0.01 if size is None else size, show_progress)
    suffix = Path(source).suffix.lower()
    if suffix in SUFFIXES:
        show_progress(_("reading the file"), 0.0)
        mesh = read_mesh(source, unit, closed=True, body=True)
        body = body_of_triangles(Path(source).stem, mesh.facets, cells, size, show_progress)
        return body._replace(notes=(*mesh.notes, *body.notes))
    if suffix == ".npy":
        from repose.sim.io.mesh import UNITS

        return body_of_voxels(Path(source), UNITS[unit], size)
    raise ParameterError(
        Message(
            "{source} is neither a shape ({shapes}) nor a file that ends in {suffixes} or .npy.",
            source=value_text(source),
            shapes=Joined(tuple(SHAPES)),
            suffixes=Joined(tuple(SUFFIXES)),
        )
    )


def body_of_shape(name: str, cells: int, size: float, show_progress: ShowProgress = silent) -> Body:
    """A shape of the library, its box `size` [m] long."""
    shape = SHAPES[name]
    scale = 0.5 * size / max(shape.half)
    if shape.triangles is not None:
        return body_of_triangles(name, scale * shape.triangles, cells, None, show_progress)
    assert shape.inside is not None
    half = scale * np.array(shape.half)
    grid = grid_around(-half, half, cells)
    rough = DistanceField(scale * shape.inside(*(axis / scale for axis in nodes_of(grid))), grid.origin, grid.step)
    surface = iso_surface(rough)
    field = field_of_triangles(surface, grid, rough.depth > 0.0, show_progress)
    return Body(name, field, surface, volume_of(surface))


def body_of_triangles(
    name: str, triangles: Floats, cells: int, size: float | None, show_progress: ShowProgress = silent
) -> Body:
    """The body that closed triangles [m] enclose, shape (triangles, 3, 3), scaled to `size` [m] if one is given."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    edge = float((high - low).max())
    if size is not None:
        triangles, low, high = (size / edge * corners for corners in (triangles, low, high))
    elif not SMALLEST <= edge <= LARGEST:
        raise ParameterError(
            Message(
                "A body {edge} m long is refused; choose {smallest} to {largest} m with a size.",
                edge=Number(edge, format="g"),
                smallest=Number(SMALLEST, format="g"),
                largest=Number(LARGEST, format="g"),
            )
        )
    grid = grid_around(low, high, cells)
    winding = winding_around(triangles, grid)
    inside = winding != 0
    notes: tuple[Message, ...] = ()
    if winding.min() < 0 or winding.max() > 1:
        # Facets inside the body do not belong to its surface; a node on such a facet gets a depth of an inner node.
        rough = field_of_triangles(triangles, grid, inside, part_of(show_progress, 0.0, 0.5))
        rough.depth[inside] = np.maximum(rough.depth[inside], 1e-3 * grid.step)
        triangles, show_progress = iso_surface(rough), part_of(show_progress, 0.5, 1.0)
        notes = (_("parts that overlap have been united"),)
    field = field_of_triangles(triangles, grid, inside, show_progress)
    if float(field.depth.max()) < LEAST_DEPTH * field.step:
        raise ParameterError(
            plural(
                "The body {name} is thinner than the step of its grid, {step} for {count} cell along its "
                "longest edge; choose more cells.",
                "The body {name} is thinner than the step of its grid, {step} for {count} cells along its "
                "longest edge; choose more cells.",
                count=cells,
                name=value_text(name),
                step=length_text(field.step),
            )
        )
    return Body(name, field, triangles, volume_of(triangles), notes)


def _is_mask(values: NDArray[Any]) -> bool:
    """Whether zeros are outside the body: for integers, booleans, and floats that are all 0 or 1. The zeros of a
    density are not a mask."""
    kind = values.dtype.kind
    return kind in "biu" or (kind == "f" and bool(((values == 0.0) | (values == 1.0)).all()))


def body_of_voxels(path: Path, voxel: float, size: float | None) -> Body:
    """The body of the nonzero voxels of a numpy file. The edge of a voxel is `voxel` [m], or such that the longest edge
    of the body is `size` [m]."""
    try:
        if path.stat().st_size > LARGEST_VOXEL_FILE:
            raise ParameterError(
                Message(
                    "Voxel file {path} is larger than {largest_voxel_file} MB.",
                    path=value_text(path),
                    largest_voxel_file=LARGEST_VOXEL_FILE // 2**20,
                )
            )
        values = np.load(path, allow_pickle=False)
    except ParameterError:
        raise
    except FileNotFoundError:
        raise ParameterError(
            Message("Voxel file {path}: there is no such file; check the path.", path=value_text(path))
        ) from None
    except (OSError, ValueError, EOFError, MemoryError) as error:  # MemoryError: the header announces too many numbers
        reason = getattr(error, "strerror", None) or _("it is no numpy array of numbers, or is cut off")
        raise ParameterError(
            Message("Voxel file {path} cannot be read: {reason}.", path=value_text(path), reason=reason)
        ) from None
    if not isinstance(values, np.ndarray) or values.ndim != 3 or not _is_mask(values):
        entries = (
            Message("shape {shape}, type {dtype}", shape=values.shape, dtype=values.dtype)
            if isinstance(values, np.ndarray)
            else _("an archive")
        )
        raise ParameterError(
            Message(
                "Voxel file {path} is refused ({found}): an array of three axes of whole numbers or truth "
                "values is needed, zero outside the body; save a density as a mask, such as `density > "
                "0.5`.",
                path=value_text(path),
                found=entries,
            )
        )
    filled = values != 0
    if not filled.any():
        raise ParameterError(Message("Voxel file {path} has no voxel that is not zero.", path=value_text(path)))
    for axis in range(3):  # `nonzero` would take 24 bytes per voxel
        rows = np.flatnonzero(filled.any(axis=tuple(c for c in range(3) if c != axis)))
        filled = np.take(filled, np.arange(rows[0], rows[-1] + 1), axis)
    if min(filled.shape) < 3:
        raise ParameterError(
            Message("The body in {path} is thinner than 3 voxels; use a finer grid.", path=value_text(path))
        )
    step = voxel if size is None else size / max(filled.shape)
    field = field_of_voxels(filled, step)
    return Body(path.stem, field, iso_surface(field), step**3 * int(filled.sum()))


def volume_of(triangles: Floats) -> float:
    """Volume that closed triangles [m] enclose [m³]."""
    arm = triangles - triangles[:, :1].mean(axis=0)
    return abs(float((arm[:, 0] * np.cross(arm[:, 1], arm[:, 2])).sum())) / 6.0


def box_of(body: Body) -> tuple[Floats, Floats]:
    """Lowest and highest corner of the grid of a body without its margin [m]."""
    field = body.field
    edge = field.step * (np.array(field.depth.shape) - 1.0 - 2 * MARGIN)
    low = field.origin + MARGIN * field.step
    return low, low + edge
