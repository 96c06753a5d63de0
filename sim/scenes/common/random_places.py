"""Grains placed at random without contacts, one after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats

TRIES = (10, 40, 150, 400, 400)
"""Numbers of positions tried in one block. The filling ends when a grain has no free position in 1000 tries (Duffau
& Lynch 2020, section 4.4)."""

FAR = 1.0 + 5e-10
"""Distance of two centres beyond which no grains touch, with room for rounding [sum of the largest radii]."""

FACTOR = 2.0
"""Largest ratio of the radii of one class of sizes [-]: a search through the cells of a class then meets few empty
ones."""

Owners = NDArray[np.int64]


@dataclass
class SizeClass:
    """Grains with radii from `low` to `high` [m], by the cell of their centre."""

    high: float
    cell: float
    """Edge of a cell, whose diagonal is 2 low: it contains at most one centre [m]."""
    pad: int
    """Empty cells around the region."""
    owner: Owners
    """Number of the grain in each cell; −1 for none."""
    filled: bool = False


def size_classes(low: float, high: float, region: Floats, single: bool) -> list[SizeClass]:
    """Classes of sizes from the largest down; `region` is the size of the box [m], shape (dimension,)."""
    number = 1 if single else max(1, math.ceil(math.log(high / low, FACTOR) - 1e-9))
    edges = np.geomspace(high, low, number + 1)
    edges[[0, -1]] = high, low
    classes = []
    for most, least in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        cell = 2.0 * least / math.sqrt(region.size)
        pad = math.ceil(2.0 * most / cell)
        owner = np.full(np.ceil(region / cell).astype(np.int64) + 2 * pad + 1, -1, np.int64)
        classes.append(SizeClass(most, cell, pad, owner))
    return classes


def place_at_random(
    radii: Iterable[float],
    count: int,
    limits: tuple[float, float],
    box: tuple[Floats, Floats],
    free: Callable[[Floats, float], NDArray[np.bool_]],
    generator: np.random.Generator,
    descending: bool = False,
) -> tuple[Floats, Floats]:
    """Centres, shape (n, dimension), and radii, shape (n,), of grains that do not touch each other [m], in their order;
    n is less than `count` if a grain has no free position in all tries.

    `radii` are between `limits` [m]; `box` is the lowest corner and the size of the region of the centres [m];
    `free(centres, radius)` says whether a grain fits there without regard to the others. A grain has the same radius in
    all its tries: small grains are not preferred. Radii in `descending` order may differ by more than a factor of two.
    """
    corner, size = box
    classes = size_classes(*limits, size, single=not descending)
    position, radius = np.zeros((count, size.size)), np.zeros(count)
    steps: dict[tuple[int, int], Any] = {}
    for grain, own in enumerate(radii):
        mine = max(k for k, one in enumerate(classes) if own <= one.high * (1.0 + 1e-12))
        for tries in TRIES:
            tried = corner + size * generator.uniform(size=(tries, size.size))
            tried = tried[free(tried, own)]
            blocked = np.zeros(len(tried), bool)
            for k, one in enumerate(classes[: mine + 1]):  # smaller ones come later
                if not one.filled:
                    continue
                if (mine, k) not in steps:
                    steps[mine, k] = _steps(one, classes[mine].high)
                at = np.floor((tried - corner) / one.cell).astype(np.int64) + one.pad
                others = one.owner.reshape(-1)[
                    np.ravel_multi_index(tuple(at.T), one.owner.shape)[:, None] + steps[mine, k]
                ]
                row, column = np.nonzero(others >= 0)
                other = others[row, column]
                distance = np.linalg.norm(tried[row] - position[other], axis=-1)
                blocked[row[~(distance > own + radius[other])]] = True
            open_places = np.flatnonzero(~blocked)
            if open_places.size:
                one = classes[mine]
                position[grain], radius[grain] = tried[open_places[0]], own
                at = np.floor((position[grain] - corner) / one.cell).astype(np.int64) + one.pad
                one.owner[tuple(at)], one.filled = grain, True
                break
        else:
            return position[:grain].copy(), radius[:grain].copy()
    return position, radius


def _steps(one: SizeClass, high: float) -> NDArray[np.int64]:
    """Steps in the table of a class to the cells of grains that a grain of at most the radius `high` [m] can touch."""
    reach = math.ceil((high + one.high) / one.cell)
    around = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * one.owner.ndim, indexing="ij"), axis=-1)
    around = around.reshape(-1, one.owner.ndim)
    # Centres in cells that are farther apart than the sum of the largest radii cannot be those of grains that touch.
    least = one.cell * np.linalg.norm(np.maximum(np.abs(around) - 1, 0), axis=1)
    near: NDArray[np.int64] = around[least < FAR * (high + one.high)] @ (
        np.array(one.owner.strides) // one.owner.itemsize
    )
    return near
