"""Strict reader of STL and OBJ files: a file that was cut off or damaged is refused, never read in part.

Every line must be valid: other readers skip lines that they cannot read, and grains pass through a wall with a hole.
(trimesh and meshio, tried in November 2026, read an OBJ file that ends within its last face with 3 and 4 of its 4
triangles; trimesh reads a text STL cut off in the third of four facets as an empty shape.)
STL: www.fabbers.com/tech/STL_Format; OBJ: Wavefront's Advanced Visualizer manual, B1.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from repose.sim.engine.world import Floats
from repose.sim.message import Message, _, plural
from repose.sim.parameters import ParameterError

HEADER, FACET = 84, 50
"""Sizes in a binary STL file [bytes]: header and number of facets, and one facet."""
ABSURD = 100_000_000
"""Larger than the number of triangles of any STL file: a larger value in its place means that the file is not binary
STL."""
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
"""A coordinate; the caller refuses those that are not finite."""
LINE = ("facet normal 3", "outer loop", "vertex 3", "vertex 3", "vertex 3", "endloop", "endfacet")
"""The lines of one facet in a text STL: words, then the count of numbers."""
CORNER = re.compile(r"(-?[1-9][0-9]{0,8})(?:/(-?[1-9][0-9]{0,8})?(?:/(-?[1-9][0-9]{0,8})?)?)?")
"""A corner of an OBJ face: the index of its point, then optionally of its texture point and of its normal."""
OTHER = frozenset(("vp", "deg", "bmat", "step", "cstype", "p", "l", "curv", "curv2", "surf", "parm", "trim", "hole"))
OTHER |= {"scrv", "sp", "end", "con", "g", "s", "mg", "o", "bevel", "c_interp", "d_interp", "lod", "maplib", "usemap"}
OTHER |= {"usemtl", "mtllib", "shadow_obj", "trace_obj", "ctech", "stech", "call", "csh"}
"""Statements of an OBJ file that do not change its triangles."""
LOOSE = frozenset(("p", "l", "curv", "surf"))
"""The ignored statements that use points."""


class MeshContent(NamedTuple):
    """The content of a file."""

    corners: Floats
    """Corners of all triangles in the unit of the file, shape (triangles, 3, 3)."""
    points: int = 0
    """Number of points of an OBJ file, which lists them separately from its faces."""
    unused: int = 0
    """Points that belong to no face, for example because the file was cut off among its faces."""


def read_surface(blob: bytes, suffix: str, most: int) -> MeshContent:
    """All triangles of a file; raises `ParameterError`.

    `suffix` is ".stl" or ".obj"; more than `most` triangles are refused.
    """
    if suffix == ".obj":
        return _obj(_text(blob, "OBJ"), most)
    if _is_binary(blob):
        return MeshContent(_binary_stl(blob, most))
    return MeshContent(_text_stl(_text(blob, "STL"), most))


def require_few(count: int, most: int) -> None:
    """Raise `ParameterError` without triangles and for too many."""
    if count == 0:
        raise ParameterError(_("it contains no triangles; export a surface."))
    if count > most:
        raise ParameterError(
            plural(
                "it has {count} triangle, at most {most} are allowed; simplify the mesh.",
                "it has {count} triangles, at most {most} are allowed; simplify the mesh.",
                count=count,
                most=most,
            )
        )


def _text(blob: bytes, kind: str) -> str:
    """The file as text; its names can have any encoding, because keywords and numbers are ASCII."""
    if b"\0" in blob:
        raise ParameterError(
            Message("this is not an {kind} file: it has bytes that are not text; export it again.", kind=kind)
        )
    return blob.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")


def _is_binary(blob: bytes) -> bool:
    """Whether an STL file is binary; a file that is neither binary nor text is refused."""
    count = int.from_bytes(blob[80:HEADER], "little") if len(blob) >= HEADER else 0
    needed = HEADER + FACET * count
    if needed == len(blob):
        return True
    if blob.lstrip()[:5].lower() == b"solid" and b"\0" not in blob:
        return False
    if len(blob) < HEADER or needed < len(blob) or count > ABSURD:
        raise ParameterError(_("this is not an STL file: neither text nor a table of triangles; export it again."))
    raise ParameterError(
        plural(
            "it announces {count} triangle, which takes {needed} bytes, but has {present}: the file is "
            "cut off; copy or export it again.",
            "it announces {count} triangles, which take {needed} bytes, but has {present}: the file is "
            "cut off; copy or export it again.",
            count=count,
            needed=needed,
            present=len(blob),
        )
    )


def _binary_stl(blob: bytes, most: int) -> Floats:
    count = (len(blob) - HEADER) // FACET
    require_few(count, most)
    row = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    return np.frombuffer(blob, row, count, HEADER)["corners"].astype(float)


def _text_stl(text: str, most: int) -> Floats:
    """The facets of all solids, each solid between `solid` and `endsolid`."""
    count = len(re.findall(r"^\s*facet\b", text, re.IGNORECASE | re.MULTILINE))
    require_few(count, most)
    numbers: list[float] = []
    position: int | None = None
    """Index in `LINE` of the expected line; None between solids."""
    for at, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words:
            continue
        first = words[0].lower()
        if position is None and first == "solid":
            position = 0
        elif position == 0 and first == "endsolid":
            position = None
        elif position is not None and (coordinates := _numbers_after(words, LINE[position])) is not None:
            if first == "vertex":
                numbers.extend(coordinates)
            position = (position + 1) % len(LINE)
        else:
            wanted = "solid" if position is None else LINE[position].rstrip(" 3")
            wanted = f"{wanted} or endsolid" if position == 0 else wanted
            raise ParameterError(
                Message(
                    "this is not an STL file: line {at} is {line} instead of {wanted}; export it again.",
                    at=at,
                    line=_short(line),
                    wanted=wanted,
                )
            )
    if position is not None:
        raise ParameterError(_("the file is cut off: its last solid has no endsolid; copy or export it again."))
    return np.array(numbers).reshape(-1, 3, 3)


def _numbers_after(words: list[str], wanted: str) -> list[float] | None:
    """The numbers on a line of a text STL; None if the line is another."""
    *names, last = wanted.split()
    count = int(last) if last.isdecimal() else 0
    names = names if count else [*names, last]
    if len(words) != len(names) + count or [word.lower() for word in words[: len(names)]] != names:
        return None
    return _floats(words[len(names) :])


def _floats(words: list[str]) -> list[float] | None:
    """The words as numbers, or None if one is not a number."""
    return [float(word) for word in words] if all(NUMBER.fullmatch(word) for word in words) else None


def _obj(text: str, most: int) -> MeshContent:
    """The faces, each cut into triangles from its first corner."""
    require_few(len(re.findall(r"^fo?[ \t]", text, re.MULTILINE)), most)
    announced = len(re.findall(r"^v[ \t]", text, re.MULTILINE))
    if announced > 3 * most:
        raise ParameterError(
            plural(
                "it has {count} point, at most {most} are read; remove those without a face.",
                "it has {count} points, at most {most} are read; remove those without a face.",
                count=announced,
                most=3 * most,
            )
        )
    points: list[list[float]] = []
    faces: list[tuple[int, list[int]]] = []
    """Number of the line, and the corners counted from 0."""
    besides = {"vt": 0, "vn": 0}
    farthest: dict[str, tuple[int, int]] = {}
    """The largest texture point and normal that a face names, with the line."""
    count, others = 0, set[str]()
    text = re.sub(r"\\[ \t]*\n", " ", text)  # a backslash continues a line
    for at, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        kind, *rest = words
        if kind == "v":
            point = _floats(rest)
            if point is None or not 3 <= len(point) <= 8:
                raise _unreadable(at, line, "v with three numbers")
            points.append(point[:3])
        elif kind in ("f", "fo"):
            corners = []
            for word in rest:
                named = CORNER.fullmatch(word)
                if named is None:
                    raise _unreadable(at, line, "f with numbers of points")
                corners.append(_counted(int(named[1]), len(points)))
                for name, number in zip(besides, (named[2], named[3])):
                    if number is not None:
                        counted = _counted(int(number), besides[name])
                        farthest[name] = max(farthest.get(name, (0, at)), (counted if counted >= 0 else ABSURD, at))
            if len(corners) < 3:
                raise _unreadable(at, line, "f with three points or more")
            faces.append((at, corners))
            count += len(corners) - 2
        elif kind in besides:
            if not rest or _floats(rest) is None:
                raise _unreadable(at, line, f"{kind} with numbers")
            besides[kind] += 1
        elif kind in OTHER:
            others.add(kind)
        else:
            raise _unreadable(at, line, "a statement of the format")
    require_few(count, most)
    for at, corners in faces:
        if not 0 <= min(corners) <= max(corners) < len(points):
            raise ParameterError(
                Message(
                    "line {at} names a point that is not among its {points}: the file is cut off or "
                    "damaged; copy or export it again.",
                    at=at,
                    points=len(points),
                )
            )
    for name, (number, at) in farthest.items():
        if number >= besides[name]:
            raise ParameterError(
                Message(
                    "line {at} names a {name} that is not among its {besides}: the file is cut off or "
                    "damaged; copy or export it again.",
                    at=at,
                    name=name,
                    besides=besides[name],
                )
            )
    used = len({corner for _, corners in faces for corner in corners})
    rows = [[c[0], c[k], c[k + 1]] for _, c in faces for k in range(1, len(c) - 1)]
    unused = 0 if others & LOOSE else len(points) - used
    return MeshContent(np.array(points)[rows], len(points), unused)


def _counted(number: int, so_far: int) -> int:
    """Index of a point, from 0; a negative number counts back from the last point before the line."""
    return number - 1 if number > 0 else so_far + number


def _unreadable(at: int, line: str, wanted: str) -> ParameterError:
    return ParameterError(
        Message(
            "this OBJ file cannot be read: line {at} is {line} instead of {wanted}; export it again.",
            at=at,
            line=_short(line),
            wanted=wanted,
        )
    )


def _short(line: str) -> str:
    shown = ascii(line.strip())
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
