"""Camera in 3D that orbits a point: conversion between metres and pixels, like `repose.app.render.camera` in 2D.

World z points up. The eye looks at `target` from `distance`, `azimuth` counted from +x towards +y and
`elevation` above the horizontal. Pixels are framebuffer pixels, (0, 0) at the top left, y down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.app.render.camera import NO_INSET, Camera2D, Inset, Size

VIEWS: dict[str, tuple[float, float]] = {
    "front": (math.radians(-90.0), 0.0),
    "side": (0.0, 0.0),
    "top": (math.radians(-90.0), math.radians(90.0)),
    "three-quarter": (math.radians(-58.0), math.radians(20.0)),
}
"""Azimuth and elevation of the named views [rad]."""
NEAR = 0.02
"""Objects closer to the eye than this fraction of `distance` are not drawn [-]."""
NEAREST, FARTHEST = 1e-6, 1e4
"""Limits of `distance` [m]: beyond them float32 positions do not distinguish neighbours."""
TURN = math.pi
"""Rotation by a drag over the height of the window [rad]."""


@dataclass
class Camera3D:
    """Position and direction of the view."""

    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """World point that the camera orbits [m]."""
    distance: float = 1.0
    """Distance from the eye to the target [m]."""
    azimuth: float = VIEWS["three-quarter"][0]
    elevation: float = VIEWS["three-quarter"][1]
    fov: float = math.radians(28.0)
    """Angle from the lower to the upper edge of the window [rad]: narrow, so that lengths at different depths can be
    compared."""
    tilt: float = 0.0
    """Angle by which the table is drawn tilted, its side towards +x lower; azimuth and elevation are those of the eye
    in the room [rad]."""
    offset: tuple[float, float] = (0.0, 0.0)
    """Position of the target in the picture, from the middle of the window [pixel]; `frame` moves it to the middle of
    the part that no panel covers."""

    def axes(self) -> NDArray[np.float64]:
        """Unit vectors right, up and back (from target to eye) as rows, shape (3, 3)."""
        sin_a, cos_a = math.sin(self.azimuth), math.cos(self.azimuth)
        sin_e, cos_e = math.sin(self.elevation), math.cos(self.elevation)
        seen = np.array(
            (
                (-sin_a, cos_a, 0.0),
                (-sin_e * cos_a, -sin_e * sin_a, cos_e),
                (cos_e * cos_a, cos_e * sin_a, sin_e),
            )
        )
        if not self.tilt:
            return seen
        cos, sin = math.cos(self.tilt), math.sin(self.tilt)
        turned: NDArray[np.float64] = seen @ np.array(((cos, 0.0, sin), (0.0, 1.0, 0.0), (-sin, 0.0, cos)))
        return turned

    def eye(self) -> NDArray[np.float64]:
        """Position of the eye [m], shape (3,)."""
        eye: NDArray[np.float64] = np.asarray(self.target) + self.distance * self.axes()[2]
        return eye

    def focal(self, size: Size) -> float:
        """Pixels per unit of width / depth."""
        return 0.5 * max(size[1], 1) / math.tan(0.5 * self.fov)

    def resolution(self, size: Size) -> float:
        """Metres per pixel at the target's depth."""
        return self.distance / self.focal(size)

    def uniforms(self, size: Size) -> dict[str, object]:
        """Uniforms of the 3D shaders, by name."""
        return {
            "world_to_view": self.view_matrix(),
            "view_to_clip": self.projection_matrix(size),
            "focal": self.focal(size),
            "near": self.near,
            "framebuffer": size,
        }

    def view_matrix(self) -> NDArray[np.float64]:
        """Matrix from world [m] to the axes right, up, back of the eye [m], shape (4, 4)."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes()
        matrix[:3, 3] = -self.axes() @ self.eye()
        return matrix

    def projection_matrix(self, size: Size) -> NDArray[np.float64]:
        """Matrix from the axes of the eye to OpenGL's clip space, shape (4, 4); without a far plane."""
        width, height, focal = max(size[0], 1), max(size[1], 1), self.focal(size)
        matrix = np.zeros((4, 4))
        matrix[0, 0], matrix[0, 2] = 2.0 * focal / width, -2.0 * self.offset[0] / width
        matrix[1, 1], matrix[1, 2] = 2.0 * focal / height, 2.0 * self.offset[1] / height
        matrix[2, 2], matrix[2, 3] = -1.0, -2.0 * self.near
        matrix[3, 2] = -1.0
        return matrix

    @property
    def near(self) -> float:
        """Depth at which drawing begins [m]; depth d is stored as 1 - near / d."""
        return NEAR * self.distance

    def depth(self, points: ArrayLike) -> NDArray[np.float64]:
        """Distance of points in front of the eye [m]; shape (..., 3) to (...)."""
        ahead: NDArray[np.float64] = (self.eye() - np.asarray(points, np.float64)) @ self.axes()[2]
        return ahead

    def world_to_pixel(self, points: ArrayLike, size: Size) -> NDArray[np.float64]:
        """Pixels of world points, nan behind the eye; shape (..., 3) [m] to (..., 2) [pixel]."""
        seen = (np.asarray(points, np.float64) - self.eye()) @ self.axes().T
        ahead = np.where(-seen[..., 2] > self.near, -seen[..., 2], np.nan)
        spread = self.focal(size) * seen[..., :2] / ahead[..., None] * (1.0, -1.0)
        middle: NDArray[np.float64] = np.array((size[0] / 2, size[1] / 2)) + self.offset
        return middle + spread

    def ray(self, pixel: Sequence[float], size: Size) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The line of sight through a pixel: eye [m] and unit direction, each shape (3,)."""
        x, y = np.asarray(pixel, np.float64) - (size[0] / 2, size[1] / 2) - self.offset
        direction = np.array((x, -y, -self.focal(size))) @ self.axes()
        return self.eye(), direction / np.linalg.norm(direction)

    def pixel_to_world(self, pixel: Sequence[float], size: Size) -> NDArray[np.float64]:
        """The point under a pixel at the target's depth [m], shape (3,)."""
        eye, direction = self.ray(pixel, size)
        ahead = float(-direction @ self.axes()[2])
        return eye + direction * (self.distance / ahead)

    def orbit(self, dx: float, dy: float, size: Size) -> None:
        """Rotate the scene by a drag of (dx, dy) pixels, never past the pole."""
        rate = TURN / max(size[1], 1)
        self.azimuth = math.remainder(self.azimuth - dx * rate, math.tau)
        self.elevation = min(max(self.elevation + dy * rate, -math.pi / 2), math.pi / 2)

    def pan(self, dx: float, dy: float, size: Size) -> None:
        """Drag the world by (dx, dy) pixels: a point at the target's depth stays under the pointer."""
        right, up, _ = self.axes()
        self._move((dy * up - dx * right) * self.resolution(size))

    def zoom(self, factor: float, at: Sequence[float], size: Size) -> None:
        """Magnify by `factor`; the point under pixel `at` at the target's depth does not move."""
        fixed = self.pixel_to_world(at, size)
        before = self.distance
        self.distance = min(max(before / factor, NEAREST), FARTHEST)
        self._move((fixed - self.target) * (1.0 - self.distance / before))

    def frame(self, box: Sequence[Sequence[float]], size: Size, inset: Inset = NO_INSET, margin: float = 0.06) -> None:
        """Show all of `box` (lower and upper corner [m]) in the part of the window no panel covers.

        `margin` is the fraction of this part kept free around the box; the direction of view does not change.
        """
        self.frame_points(list(product(*zip(box[0], box[1]))), size, inset, margin)

    def frame_points(self, points: ArrayLike, size: Size, inset: Inset = NO_INSET, margin: float = 0.06) -> None:
        """Show all these points [m], shape (count, 3), as large as possible; otherwise like `frame`."""
        left, top, right, bottom = inset
        share = 1.0 - 2.0 * margin
        half = np.array((max(size[0] - left - right, 1.0), max(size[1] - top - bottom, 1.0))) / 2 * share
        shown = np.asarray(points, np.float64)
        self.offset = ((left - right) / 2, (top - bottom) / 2)
        middle, focal = (shown.min(axis=0) + shown.max(axis=0)) / 2, self.focal(size)
        seen = (shown - middle) @ self.axes().T
        # A point (x, y, z) appears at f x / (d - z). For |f x / (d - z)| <= half, d must be at least z + f |x| / half.
        # A sideways shift makes both sides need the same distance.
        x, y, z = seen.T
        shift = [_balance(z, focal * side / room) for side, room in zip((x, y), half)]
        needed = max(
            float((z + focal * np.abs(side - by * room / focal) / room).max())
            for side, by, room in zip((x, y), shift, half)
        )
        self.distance = min(max(needed, float(z.max()) / (1.0 - NEAR), NEAREST), FARTHEST)
        right_axis, up_axis, _ = self.axes()
        self.target = (0.0, 0.0, 0.0)
        self._move(middle + (right_axis * shift[0] * half[0] + up_axis * shift[1] * half[1]) / focal)

    def _move(self, by: NDArray[np.float64]) -> None:
        x, y, z = np.asarray(self.target) + by
        self.target = (float(x), float(y), float(z))


def _balance(z: NDArray[np.float64], side: NDArray[np.float64]) -> float:
    """The sideways shift, in units of `side`, at which both sides need the same distance."""
    return float(((z + side).max() - (z - side).max()) / 2)


def facing(look: str) -> Camera3D:
    """A camera in a named direction of view."""
    azimuth, elevation = VIEWS[look]
    return Camera3D(azimuth=azimuth, elevation=elevation)


Camera = Camera2D | Camera3D
