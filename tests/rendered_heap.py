"""Pictures of heaps of known shape, as a camera takes them: tilt, perspective, blur, noise, low contrast, shadows.

The heap is a wall of discs in the plane z = 0, seen by a pinhole camera. A point (X, Y) of this plane [m] is at the
pixel K (R (X, Y, 0) + t) with the rotation R of the camera by roll, pitch and yaw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]

FOCAL = 1.2
"""Focal length of the camera [widths of the picture], about that of a telephone at twice its shortest zoom."""


@dataclass(frozen=True)
class Camera:
    """Position and errors of a camera."""

    size: tuple[int, int] = (960, 540)
    """Width and height of the picture [pixel]."""
    share: float = 0.6
    """Width of the heap over that of the picture [-]."""
    roll: float = 0.0
    """[°]."""
    pitch: float = 0.0
    yaw: float = 0.0
    blur: float = 0.7
    """Standard deviation of the blur [pixel]."""
    noise: float = 3.0
    """Standard deviation of the noise of each channel [0 to 255]."""


@dataclass(frozen=True)
class Light:
    """Colours and shadows."""

    backdrop: tuple[float, float, float] = (205.0, 208.0, 212.0)
    heap: tuple[float, float, float] = (168.0, 128.0, 78.0)
    table: tuple[float, float, float] = (112.0, 100.0, 92.0)
    gradient: float = 0.12
    """Relative fall of the brightness from the left to the right of the picture [-]."""
    shadow: float = 0.0
    """Share of the light that the heap takes from the backdrop behind it [-]."""
    shadow_to: tuple[float, float] = (0.06, -0.02)
    """Displacement of this shadow [widths of the heap]."""
    shadow_blur: float = 0.015
    """Its softness [widths of the heap]."""
    grain_contrast: float = 0.15
    """Relative scatter of the brightness of grains [-]."""


@dataclass(frozen=True)
class Heap:
    """Discs above the table y = 0 [m]."""

    position: Floats
    """Shape (n, 2)."""
    radius: Floats

    @property
    def reach(self) -> tuple[float, float]:
        """Left and right end [m]."""
        return float((self.position[:, 0] - self.radius).min()), float((self.position[:, 0] + self.radius).max())

    @cached_property
    def surface(self) -> tuple[Floats, Floats]:
        """Abscissas and heights of the outline from above [m], 0 beside the heap."""
        low, high = self.reach
        x = np.linspace(low - 0.01 * (high - low), high + 0.01 * (high - low), 6000)
        height = np.zeros(x.size)
        for (at, up), size in zip(self.position, self.radius):
            first, last = np.searchsorted(x, (at - size, at + size))
            height[first:last] = np.maximum(
                height[first:last], up + np.sqrt(np.maximum(size**2 - (x[first:last] - at) ** 2, 0.0))
            )
        return x, height


def triangle(angle: float, seed: int = 0, across: int = 120) -> Heap:
    """Grains whose surface has this slope [°] on both sides, `across` grains wide; its base is 0.2 m."""
    random, half = np.random.default_rng(seed), 0.1
    radius, slope = half / across, math.tan(math.radians(angle))
    columns = np.linspace(-half, half, 2 * across + 1)
    rows = np.arange(0.0, half * slope + radius, 1.6 * radius)
    x, y = (part.ravel() for part in np.meshgrid(columns, rows))
    x, y = x + 0.3 * radius * random.standard_normal(x.size), y + 0.3 * radius * random.standard_normal(x.size)
    size = radius * random.uniform(0.8, 1.2, x.size)
    inside = y + size < slope * (half - np.abs(x))
    top = columns + 0.2 * radius * random.standard_normal(columns.size)
    on_top = slope * (half - np.abs(top)) - radius * random.uniform(1.0, 1.6, top.size)
    position = np.concatenate([np.column_stack([x, y])[inside], np.column_stack([top, on_top])])
    sizes = np.concatenate([size[inside], np.full(top.size, radius)])
    return Heap(position[position[:, 1] > -radius], sizes[position[:, 1] > -radius])


def matrix(camera: Camera, heap: Heap) -> Floats:
    """The matrix (3, 3) that takes (X, Y, 1) [m] to the pixel (column, row, 1) times its depth."""
    width, height = camera.size
    low, high = heap.reach
    focal = FOCAL * width
    distance = (high - low) / camera.share * FOCAL
    roll, pitch, yaw = (math.radians(angle) for angle in (camera.roll, camera.pitch, camera.yaw))
    turn_z = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    turn_x = np.array([[1, 0, 0], [0, math.cos(pitch), -math.sin(pitch)], [0, math.sin(pitch), math.cos(pitch)]])
    turn_y = np.array([[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]])
    turn = turn_z @ turn_x @ turn_y @ np.diag([1.0, -1.0, 1.0])  # rows of a picture count downwards
    centre = np.array([0.5 * (low + high), 0.35 * float(heap.surface[1].max()), 0.0])
    shift = np.array([0.0, 0.0, distance]) - turn @ centre
    inner = np.array([[focal, 0, 0.5 * width], [0, focal, 0.55 * height], [0, 0, 1]])
    made: Floats = inner @ np.column_stack([turn[:, 0], turn[:, 1], shift])
    return made


def pixel_of(point: tuple[float, float], camera: Camera, heap: Heap) -> tuple[float, float]:
    """Column and row of a point of the plane [m]."""
    column, row, depth = matrix(camera, heap) @ np.array([*point, 1.0])
    return float(column / depth), float(row / depth)


def render(heap: Heap, camera: Camera = Camera(), light: Light = Light(), seed: int = 0) -> NDArray[np.uint8]:
    """The picture, shape (height, width, 3)."""
    random = np.random.default_rng(seed)
    width, height = camera.size
    column, row = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    seen = np.linalg.inv(matrix(camera, heap)) @ np.stack([column.ravel(), row.ravel(), np.ones(column.size)])
    x, y = (seen[:2] / seen[2]).reshape(2, height, width)
    low, high = heap.reach
    pixel = (high - low) / (camera.share * width)
    outline = np.interp(x, *heap.surface, left=0.0, right=0.0)
    covered = np.clip(0.5 + (outline - y) / pixel, 0.0, 1.0) * (outline > 0.0) * (y > -0.5 * pixel)
    colour = np.ones((height, width, 3)) * light.backdrop
    if light.shadow:
        across = light.shadow_to[0] * (high - low), light.shadow_to[1] * (high - low)
        shade = np.clip(
            0.5 + (np.interp(x - across[0], *heap.surface, left=0.0, right=0.0) + across[1] - y) / pixel, 0, 1
        )
        shade = gaussian_filter(shade, light.shadow_blur * (high - low) / pixel)
        colour *= (1.0 - light.shadow * shade)[..., None]
    on_table = np.clip(0.5 - y / pixel, 0.0, 1.0)[..., None]
    colour = on_table * light.table + (1.0 - on_table) * colour
    grains = np.zeros((height, width))
    inside = covered > 0.0
    tree = cKDTree(heap.position)
    away, nearest = tree.query(np.column_stack([x[inside], y[inside]]))
    bright = 1.0 + light.grain_contrast * random.standard_normal(heap.radius.size)
    grains[inside] = bright[nearest] * (1.0 - 0.35 * np.minimum(away / heap.radius[nearest], 1.2) ** 2)
    of_heap = grains[..., None] * light.heap
    colour = covered[..., None] * of_heap + (1.0 - covered[..., None]) * colour
    colour *= (1.0 + light.gradient * (0.5 - column / width))[..., None]
    colour = gaussian_filter(colour, (camera.blur, camera.blur, 0.0))
    colour += camera.noise * random.standard_normal(colour.shape)
    picture: NDArray[np.uint8] = np.clip(np.round(colour), 0, 255).astype(np.uint8)
    return picture
