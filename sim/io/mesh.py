"""Walls from a mesh file: triangles are repaired, or refused in one sentence if they cannot be walls.

A wall acts on both of its sides: the orientation of a facet changes no force. Defects that would change forces are
repaired. Corners that nearly coincide are merged, because the engine counts a shared edge once only if its corners are
equal. Facets without area are deleted, because they have no normal. Of equal facets one is kept, because two would act
twice. Each repair is listed in a note. Files are only read, and other files that an OBJ file names are ignored.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats
from repose.sim.io.mesh_files import read_surface as read_file
from repose.sim.message import EMPTY, Joined, Message, Number, _, plural
from repose.sim.parameters import ParameterError
from repose.sim.wording import reason_of, value_text

MOST_FACETS = 20_000
"""Largest number of triangles of a mesh."""
LARGEST_FILE = 64 * 2**20
"""Largest size of a mesh file [bytes]; 20 000 triangles take 1 MB as binary and about 5 MB as text."""
MOST_OF_BODY, LARGEST_BODY_FILE = 700_000, 128 * 2**20
"""Largest number of triangles and largest size of a file [bytes] of a body, whose triangles do not become walls: about
1 GB of memory while it is read. Per triangle, an STL file takes 0.5 kB as binary and 1.4 kB as text, an OBJ file
0.7 kB."""
SUFFIXES = (".stl", ".obj")
UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "inch": 0.0254}
"""Units of length of a file [m]; STL and OBJ files do not contain their unit."""

SAME_CORNER = 1e-6
"""Corners closer than this share of the largest coordinate are merged: files contain seven digits [-]."""
LARGEST = 1e9
"""Largest coordinate [units of the file]."""
FLAT = 1e-6
"""A facet with a smaller height, or a body with a smaller thickness, is degenerate [share of the size of the mesh]."""
NO_END = _("its surface is open; an OBJ file has no end mark, so check that the file is complete")


@dataclass(frozen=True)
class Surface:
    """The triangles of a file, part of a run; they never change and can be shared by several runs."""

    triangles: Floats = field(compare=False)
    """Corners in the file's unit, shape (triangles, 3, 3)."""
    digest: str
    """SHA-256 of the file."""
    content: str = field(init=False)
    """SHA-256 of the triangles: surfaces of equal numbers are equal, also from different files."""

    def __post_init__(self) -> None:
        self.triangles.flags.writeable = False
        object.__setattr__(self, "content", hashlib.sha256(np.ascontiguousarray(self.triangles).data).hexdigest())

    def __deepcopy__(self, memo: Any) -> Surface:
        return self


class Mesh(NamedTuple):
    """A surface read from a file."""

    facets: Floats
    """Corners [m], shape (facets, 3, 3); of a closed mesh anticlockwise seen from outside."""
    closed: bool
    """Whether every edge is shared and the surface has an inside."""
    volume: float
    """Enclosed volume [m³]; 0 for an open mesh."""
    notes: tuple[Message, ...]
    """The repairs, each in a few words."""
    digest: str
    """SHA-256 of the file."""


def read_mesh(path: str | Path, unit: str = "mm", closed: bool = False, body: bool = False) -> Mesh:
    """The surface in an STL (binary or text) or OBJ file, whose lengths are in `unit` (a key of `UNITS`).

    With `body`, up to `MOST_OF_BODY` triangles are read, otherwise `MOST_FACETS`, which a run can have as walls. With
    `closed`, a surface with holes or with some inverted facets is refused. A surface without holes and without
    thickness is always refused. If all facets are inverted, all are turned. Raises `ParameterError` with the file, the
    defect and the remedy.
    """
    most, largest = (MOST_OF_BODY, LARGEST_BODY_FILE) if body else (MOST_FACETS, LARGEST_FILE)
    return mesh_of(read_surface(path, most, largest), path, unit, closed)


def read_surface(path: str | Path, most: int | None = None, largest: int | None = None) -> Surface:
    """The triangles in a file of unknown content, at most `most`, and of at most `largest` bytes; raises
    `ParameterError` like `read_mesh`."""
    path = Path(path)
    with _named(path):
        blob = _bytes_of(path, LARGEST_FILE if largest is None else largest)
        read = read_file(blob, path.suffix.lower(), MOST_FACETS if most is None else most)
        _require_sensible(read.corners)
        if read.unused and not cleaned(read.corners, closed=False).closed:
            raise ParameterError(
                plural(
                    "no face has {unused} of its {count} point and its surface is open: the file is cut off, or "
                    "has loose points; export it again without them.",
                    "no face has {unused} of its {count} points and its surface is open: the file is cut off, or "
                    "has loose points; export it again without them.",
                    count=read.points,
                    unused=read.unused,
                )
            )
        return Surface(read.corners, hashlib.sha256(blob).hexdigest())


def mesh_of(
    surface: Surface, path: str | Path, unit: str = "mm", closed: bool = False, option: Message = EMPTY
) -> Mesh:
    """The surface of a file that has been read, as walls, see `read_mesh`; the file is not opened.

    `option` is the part of a message that names the way to allow a surface that is not closed.
    """
    with _named(path):
        mesh = cleaned(UNITS[unit] * surface.triangles, closed, surface.digest, option)
        doubtful = Path(path).suffix.lower() == ".obj" and not mesh.closed
        return mesh._replace(notes=(*mesh.notes, NO_END)) if doubtful else mesh


@contextmanager
def _named(path: str | Path) -> Iterator[None]:
    """Prefix the refusal by the name of the file."""
    name = Message("Mesh {path}", path=value_text(path))
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f"{name}: {error}") from None


def _require_sensible(corners: Floats) -> None:
    """Raise `ParameterError` for coordinates that are not finite or beyond `LARGEST`."""
    if not np.isfinite(corners).all():
        wrong = (~np.isfinite(corners)).any(axis=2)
        raise ParameterError(
            plural(
                "not a finite number: {wrong} of its {count} corner; export it again.",
                "not a finite number: {wrong} of its {count} corners; export it again.",
                count=wrong.size,
                wrong=wrong.sum(),
            )
        )
    largest = float(np.abs(corners).max())
    if largest > LARGEST:
        raise ParameterError(
            Message(
                "it has a coordinate of {largest}, larger than {largest2}; export it again.",
                largest=Number(largest, format="g"),
                largest2=Number(LARGEST, format="g"),
            )
        )


def _bytes_of(path: Path, largest: int) -> bytes:
    """The content of a file of at most `largest` bytes."""
    if path.suffix.lower() not in SUFFIXES:
        raise ParameterError(
            Message(
                "the name must end in {suffixes}; convert the file to STL.", suffixes=Joined(tuple(SUFFIXES), " or ")
            )
        )
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise ParameterError(_("this is a folder; name a file in it."))
        if not stat.S_ISREG(status.st_mode):
            raise ParameterError(_("this is not a regular file."))
        with path.open("rb") as file:
            blob = file.read(largest + 1)
    except ParameterError:
        raise
    except FileNotFoundError:
        raise ParameterError(_("there is no such file; check the path.")) from None
    except (OSError, ValueError) as error:
        raise ParameterError(Message("it cannot be read: {error}.", error=reason_of(error))) from None
    if not blob.strip():
        raise ParameterError(_("the file is empty."))
    if len(blob) > largest:
        size, limit = status.st_size / 2**20, largest // 2**20
        raise ParameterError(
            Message(
                "the file has {size} MB, at most {limit} MB are read; simplify the mesh.",
                size=Number(size, format=".0f"),
                limit=limit,
            )
        )
    return blob


def cleaned(triangles: Floats, closed: bool, digest: str = "", option: Message = EMPTY) -> Mesh:
    """The mesh of triangles [m], shape (triangles, 3, 3), repaired and checked as by `mesh_of`."""
    points, corner = _welded(triangles)
    size = float(np.ptp(points, axis=0).max())
    if size <= 0.0:
        raise ParameterError(_("it has no extent: all its corners are at one point."))
    read = len(corner)
    # Equal triangles of equal orientation, each from its smallest corner on; two of opposite orientation can be the
    # sides of a sheet.
    turns = (np.argmin(corner, axis=1)[:, None] + np.arange(3)) % 3
    corner = corner[_first_of_each(np.take_along_axis(corner, turns, axis=1))]
    holes, askew = _edges(corner)
    facets = points[corner]
    across = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    area = 0.5 * np.linalg.norm(across, axis=1)
    longest = np.linalg.norm(facets - np.roll(facets, 1, axis=1), axis=2).max(axis=1)
    flat = 2.0 * area <= FLAT * size * longest
    if flat.all():
        raise ParameterError(_("none of its triangles has an area; export a surface."))
    # The sum of signed tetrahedra with one vertex at a corner of the box: the rounding error is that of the size.
    arm = facets[:, 0] - points.min(axis=0)
    volume = float((arm * across).sum() / 6.0)
    thick = 2.0 * abs(volume) / float(area.sum()) > FLAT * size
    if holes == 0 and askew == 0 and not thick:
        extent = " × ".join(f"{1e3 * side:.4g}" for side in np.ptp(points, axis=0))
        raise ParameterError(
            Message(
                "it has no thickness ({extent} mm), so that both of its sides would act; give it a "
                "thickness or keep one side.",
                extent=extent,
            )
        )
    if closed:
        _require_closed(holes, askew, Message(", or {option}", option=option) if option else EMPTY)
    notes = []
    inside = holes == 0 and askew == 0 and thick
    if inside and volume < 0.0:
        facets = facets[:, ::-1]
        notes.append(_("all facets were inverted and have been turned"))
    kept = _first_of_each(np.sort(corner, axis=1)) & ~flat
    if flat.any():
        notes.append(Message("triangles without area deleted: {sum}", sum=int(flat.sum())))
    twice = read - int(flat.sum()) - int(kept.sum())
    if twice:
        notes.append(Message("triangles equal to another one deleted: {twice}", twice=twice))
    return Mesh(np.ascontiguousarray(facets[kept]), inside, abs(volume) if inside else 0.0, tuple(notes), digest)


def _require_closed(holes: int, askew: int, option: Message) -> None:
    if holes:
        raise ParameterError(
            plural(
                "it must be closed but has {count} open edge; fill its holes{option}.",
                "it must be closed but has {count} open edges; fill its holes{option}.",
                count=holes,
                option=option,
            )
        )
    if askew:
        raise ParameterError(
            plural(
                "some of its facets are inverted: along {count} edge two neighbours have opposite "
                "orientations; recalculate its normals{option}.",
                "some of its facets are inverted: along {count} edges two neighbours have opposite "
                "orientations; recalculate its normals{option}.",
                count=askew,
                option=option,
            )
        )


def _welded(triangles: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Nearly coincident corners merged: points [m], shape (points, 3), and their rows, shape (triangles, 3)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    points, row = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    near = KDTree(points).query_pairs(SAME_CORNER * float(np.abs(points).max()), output_type="ndarray")
    links = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(len(points), len(points)))
    _, group = connected_components(links, directed=False)
    _, first = np.unique(group, return_index=True)
    return points[first], group[row.reshape(-1, 3)].astype(np.int64)


def _first_of_each(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True for rows that differ from all earlier rows, shape (rows,)."""
    first = np.zeros(len(rows), bool)
    first[np.unique(rows, axis=0, return_index=True)[1]] = True
    return first


def _edges(corner: NDArray[np.int64]) -> tuple[int, int]:
    """Numbers of edges with an odd number of facets (holes), and of edges that two facets have in the same direction.

    A triangle with two coinciding corners contains its edge in both directions, which cancel.
    """
    ends = corner[:, ((0, 1), (1, 2), (2, 0))].reshape(-1, 2)
    ends = ends[ends[:, 0] != ends[:, 1]]
    forward = ends[:, 0] < ends[:, 1]
    _, edge = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
    facets = np.bincount(edge.ravel())
    net = np.bincount(edge.ravel(), np.where(forward, 1.0, -1.0))
    return int((facets % 2 == 1).sum()), int(((facets % 2 == 0) & (net != 0.0)).sum())


_kept: ContextVar[tuple[Mapping[str, Surface], bool]] = ContextVar("_kept", default=({}, False))
"""Surfaces read before, by path, and True if no other file may be opened."""


@contextmanager
def kept_surfaces(surfaces: Mapping[str, Surface], only: bool = False) -> Iterator[None]:
    """Inside the block these paths denote these surfaces; with `only` every other path is refused."""
    token = _kept.set((surfaces, only))
    try:
        yield
    finally:
        _kept.reset(token)


def surfaces_with(path: str, read: Callable[[str], Surface] | None = None, name: str = "mesh") -> dict[str, Surface]:
    """The surfaces read before, and that of the file at `path` if it is not one of them, read by `read` or as a mesh;
    raises `ParameterError`, in which the parameter is called `name`."""
    surfaces, only = _kept.get()
    if not path or path in surfaces:
        return dict(surfaces)
    if only:
        raise ParameterError(
            Message(
                "{name} = {path} is refused: the saved run does not contain this shape (a run of an older "
                "version does not); start again with the same parameters and seed.",
                name=name,
                path=value_text(path),
            )
        )
    return {**surfaces, path: _read(path, _stamp(path)) if read is None else read(path)}


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=4)
def _read(path: str, stamp: tuple[int, int]) -> Surface:
    return read_surface(path)
