"""Pictures of experiments side by side: their rectangles, and the film that shows them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np
from repose.app.render.camera import Size
from repose.app.render.director import Director, Picture
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.message import Message

Part = tuple[int, int, int, int]
"""Left, bottom, width and height of a part of a window [pixel]."""
GROUND = 30
"""Grey level between the pictures of a film [0 to 255]."""
LINE = 2
"""Distance between two pictures of a film [pixel]."""


def columns_for(count: int, width: float, height: float, shape: float) -> int:
    """Number of columns in which `count` scenes of width over height `shape` are largest in an area of this size."""

    def extent(columns: int) -> float:
        """Width of a scene in its picture, in the unit of the area."""
        return min(width / columns, height / -(-count // columns) * shape)

    return max(range(1, count + 1), key=extent)


def shape_of(snapshot: Snapshot) -> float:
    """Width over height of the scene [-]."""
    low, high = snapshot.geometry.box
    up = len(low) - 1
    return float((high[0] - low[0]) / max(high[up] - low[up], 1e-12))


def places(count: int, columns: int, size: Size) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of every picture in an area of this size; pictures of a last row with fewer pictures
    are wider."""
    rows = -(-count // columns)
    rectangles = []
    for number in range(count):
        row, column = divmod(number, columns)
        in_row = min(columns, count - row * columns)
        x0, x1 = (round(size[0] * position / in_row) for position in (column, column + 1))
        y0, y1 = (round(size[1] * position / rows) for position in (row, row + 1))
        rectangles.append((x0, y0, x1 - x0, y1 - y0))
    return rectangles


def upper_right(parts: Sequence[Part]) -> int:
    """Number of the part at the upper right."""
    return max(range(len(parts)), key=lambda number: (parts[number][1] + parts[number][3], parts[number][0]))


def gaps(parts: Sequence[Part], size: Size) -> list[Part]:
    """The parts of a window that none of `parts` covers."""
    columns = sorted({0, size[0]} | {edge for x, _, width, _ in parts for edge in (x, x + width)})
    rows = sorted({0, size[1]} | {edge for _, y, _, height in parts for edge in (y, y + height)})
    cells = product(pairwise(columns), pairwise(rows))
    return [
        (left, foot, right - left, top - foot)
        for (left, right), (foot, top) in cells
        if not any(x <= left < x + width and y <= foot < y + height for x, y, width, height in parts)
    ]


def joined(parts: Sequence[Picture], rectangles: Sequence[tuple[int, int, int, int]], size: Size) -> Picture:
    """One picture of this size with the pictures in their rectangles; a single picture unchanged."""
    if len(parts) == 1:
        return parts[0]
    whole = np.full((size[1], size[0], 3), GROUND, np.uint8)
    for (x, y, _, _), part in zip(rectangles, parts, strict=True):
        whole[y : y + part.shape[0], x : x + part.shape[1]] = part
    return whole


class Together:
    """The director of a film of experiments side by side: a director for each of them, in parts of one picture.

    `make` makes the director of one part from its size [pixel] and the label of its run.
    """

    def __init__(self, make: Callable[[Size, Message], Director], size: Size) -> None:
        self._make, self._size = make, size
        self._directors: list[Director] = []
        self._places: list[tuple[int, int, int, int]] = []
        self._newest: tuple[Snapshot, ...] = ()

    @property
    def interval(self) -> float:
        """Simulated time of the first run from the newest snapshot to the next wanted one [s]."""
        return self._directors[0].interval

    def take(self, snapshot: Snapshot) -> Iterator[Picture]:
        """The pictures that a snapshot adds to the film; runs that have ended stand still."""
        runs = (snapshot, *snapshot.beside)
        if not self._directors:
            columns = columns_for(len(runs), *self._size, shape_of(snapshot))
            self._places = places(len(runs), columns, self._size)
            self._directors = [
                self._make((position[2] - LINE, position[3] - LINE), run.run.label)
                for position, run in zip(self._places, runs, strict=True)
            ]
        self._newest = (*runs[: len(self._directors)], *self._newest[len(runs) :])
        pairs = zip(self._directors, self._newest, strict=True)
        yield from self._joined([director.take(newest) for director, newest in pairs])

    def ending(self) -> Iterator[Picture]:
        """The pictures of the last snapshot of every run."""
        yield from self._joined([director.ending() for director in self._directors])

    def _joined(self, films: list[Iterator[Picture]]) -> Iterator[Picture]:
        for parts in zip(*films, strict=True):
            yield joined(parts, self._places, self._size)
