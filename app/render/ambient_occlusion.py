"""Ambient occlusion and shadows: light on each sphere and on the ground, from a coarse volume of the packing.

No rays are traced. Spheres are distributed over a grid of cells about a diameter wide; each layer of cells attenuates
the light for the layer below. The result is soft shadows and dark gaps between grains that do not flicker and do not
depend on the direction of view, in a few milliseconds per snapshot.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from repose.app.render.camera import Box
from repose.sim.experiment.snapshot import Floats

LAMP = (-0.42, -0.40, 0.815)
"""Unit vector towards the lamp: from the upper left of the three-quarter view."""
MOST_CELLS = 40
"""Largest number of cells along the longest side of the box: more are slow without a visible effect."""
BLOCKING = 1.8
"""Optical depth of a completely solid layer; a loose packing transmits about a third of the light."""
PACKED = 0.55
"""Packing fraction at which a sphere counts as buried [-]."""
CLEAR = 0.7
"""Height above the centre of a sphere at which its light is sampled [cells]."""
SPILL = 5
"""Number of cells around the box for its shadow."""


@dataclass(frozen=True)
class AmbientOcclusion:
    """Light at every sphere and on the ground, 1 if nothing obstructs it."""

    outward: Floats
    """Direction away from the neighbours, with their asymmetry as length (0 to 1), shape (n, 3)."""
    crowding: Floats
    """Density of neighbours, 0 (isolated) to 1 (buried), shape (n,)."""
    lamp: Floats
    """Fraction of the lamp's light, shape (n,)."""
    sky: Floats
    """Fraction of the sky's light, shape (n,)."""
    ground: Floats
    """Lamp and sky on the lowest plane of the box, at the corners of cells, shape (nx, ny, 2)."""
    origin: tuple[float, float]
    """First corner of `ground` [m]."""
    cell: float
    """Width of a cell [m]."""


def measure_ambient_occlusion(position: Floats, radius: Floats, box: Box) -> AmbientOcclusion:
    """Light on spheres at `position` (n, 3) [m] with `radius` (n,) [m] over the lowest plane of `box`."""
    place = np.ascontiguousarray(position, np.float32)
    corners = tuple(tuple(float(v) for v in corner) for corner in box)
    # A paused scene that is rotated requests the same values in every frame.
    return _measure(place.tobytes(), np.ascontiguousarray(radius, np.float32).tobytes(), corners)


@functools.lru_cache(maxsize=2)
def _measure(position: bytes, radius: bytes, box: Sequence[Sequence[float]]) -> AmbientOcclusion:
    place = np.frombuffer(position, np.float32).reshape(-1, 3)
    sizes = np.frombuffer(radius, np.float32)
    low, high = (np.array(corner, np.float64) for corner in box)
    extent = np.maximum(high - low, 1e-12)
    cell = max(2.0 * float(sizes.mean()) if len(sizes) else 0.0, float(extent.max()) / MOST_CELLS)
    # Values are at the corners of cells; layer 0 is the ground, and a sphere resting on it is in layer 0.5.
    counts = np.ceil(extent / cell).astype(int) + 1 + np.array((2 * SPILL, 2 * SPILL, 1))
    start = np.array((low[0] - SPILL * cell, low[1] - SPILL * cell, low[2]))
    at = (place - start.astype(np.float32)) / np.float32(cell)
    inside = ((at >= 0.0) & (at < counts - 1)).all(axis=1)
    at = np.clip(np.nan_to_num(at), 0.0, (counts - 1.001).astype(np.float32))
    solid = np.zeros(counts, np.float32)
    index, weights = _corners(at, counts)
    volume = np.where(inside, 4.0 / 3.0 * math.pi * (sizes / np.float32(cell)) ** 3, np.float32(0.0))
    for which, share in zip(index, weights):
        solid += np.bincount(which, share * volume, solid.size).astype(np.float32).reshape(solid.shape)
    near = _soften(_soften(solid, (0, 1, 2)), (0, 1, 2))
    lamp, sky = _dim(solid, LAMP, 0.0), _dim(solid, (0.0, 0.0, 1.0), 1.0)
    around = _sample(np.stack((near, *np.gradient(near)), axis=-1), index, weights)
    # Sampled above the sphere, because otherwise it would shade itself.
    above = np.minimum(at + np.array((0.0, 0.0, CLEAR), np.float32), (counts - 1.001).astype(np.float32))
    light = _sample(np.stack((lamp, sky), axis=-1), *_corners(above, counts))
    away = -around[:, 1:]
    length = np.linalg.norm(away, axis=1)
    one_sided = np.minimum(length / (0.35 * PACKED), 1.0) / np.maximum(length, 1e-9)
    return AmbientOcclusion(
        away * one_sided[:, None],
        np.clip(around[:, 0] / PACKED, 0.0, 1.0),
        light[:, 0],
        light[:, 1],
        np.stack((_soften(lamp[..., 0], (0, 1)), _soften(sky[..., 0], (0, 1))), axis=-1),
        (float(start[0]), float(start[1])),
        cell,
    )


def _corners(at: Floats, counts: NDArray[np.int_]) -> tuple[list[NDArray[np.intp]], list[Floats]]:
    """The eight corners around each point, as flat indices, and the weight of each."""
    whole = np.floor(at).astype(np.intp)
    after = (at - whole).T.astype(np.float32)
    before = np.float32(1.0) - after
    first = (whole[:, 0] * counts[1] + whole[:, 1]) * counts[2] + whole[:, 2]
    index, weights = [], []
    for i, j, k in product((0, 1), repeat=3):
        index.append(first + ((i * counts[1] + j) * counts[2] + k))
        weights.append((after if i else before)[0] * (after if j else before)[1] * (after if k else before)[2])
    return index, weights


def _sample(fields: NDArray, index: list[NDArray[np.intp]], weights: list[Floats]) -> Floats:
    """Fields, shape (nx, ny, nz, k), at the points, interpolated, shape (n, k)."""
    flat = fields.reshape(-1, fields.shape[-1])
    total = np.zeros((len(index[0]), flat.shape[1]), np.float32)
    for which, share in zip(index, weights):
        total += flat.take(which, axis=0) * share[:, None]
    return total


def _soften(field: NDArray, axes: tuple[int, ...]) -> NDArray:
    """Weighted mean of each value (1/2) and its two neighbours (1/4 each) along `axes`."""
    for axis in axes:
        line = np.moveaxis(field, axis, 0)
        mixed = 0.5 * line
        mixed[1:] += 0.25 * line[:-1]
        mixed[:-1] += 0.25 * line[1:]
        mixed[0] += 0.25 * line[0]
        mixed[-1] += 0.25 * line[-1]
        field = np.moveaxis(mixed, 0, axis)
    return field


def _dim(solid: NDArray, towards: tuple[float, float, float], spread: float) -> NDArray:
    """Light in each layer, from the top down along a direction; `spread` smooths it layer by layer."""
    passes = np.exp(-BLOCKING * solid)
    light = np.ones_like(solid)
    dx, dy = towards[0] / towards[2], towards[1] / towards[2]
    for layer in range(solid.shape[2] - 2, -1, -1):
        # The layer above attenuates the light, not the layer itself: a sphere must not shade itself.
        above = light[..., layer + 1] * passes[..., layer + 1]
        above = _shift(above, dx, dy)
        light[..., layer] = (1.0 - spread) * above + spread * _soften(above, (0, 1)) if spread else above
    return light


def _shift(field: NDArray, dx: float, dy: float) -> NDArray:
    """Values at (x + dx, y + dy), interpolated; full light outside. Both shifts are within one cell."""
    for axis, step in ((0, dx), (1, dy)):
        if step == 0.0:
            continue
        line = np.moveaxis(field, axis, 0)
        beside = np.ones_like(line)
        if step > 0:
            beside[:-1] = line[1:]
        else:
            beside[1:] = line[:-1]
        field = np.moveaxis((1.0 - abs(step)) * line + abs(step) * beside, 0, axis)
    return field
