"""Camera in 2D with pan and zoom: conversion between metres and pixels.

World x points right and y up, unless the table is drawn tilted. Pixels are framebuffer pixels, (0, 0) at the top left,
y down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Size = tuple[int, int]
Inset = tuple[float, float, float, float]
"""Pixels covered by panels: (left, top, right, bottom)."""

NO_INSET: Inset = (0.0, 0.0, 0.0, 0.0)
Box = tuple[tuple[float, ...], tuple[float, ...]]
"""Lower and upper corner [m]."""
FINEST, COARSEST = 1e-9, 10.0
"""Limits of `metres_per_pixel`: beyond them float32 positions do not distinguish neighbours."""


@dataclass
class Camera2D:
    """Position and magnification of the view."""

    centre: tuple[float, float] = (0.0, 0.0)
    """World point in the middle of the window [m]."""
    metres_per_pixel: float = 1e-4
    tilt: float = 0.0
    """Angle by which the table is drawn tilted, clockwise [rad]."""

    def resolution(self, size: Size) -> float:
        """Metres per pixel."""
        return self.metres_per_pixel

    def uniforms(self, size: Size) -> dict[str, object]:
        """Uniforms of the 2D shaders, by name."""
        return {
            "camera_centre": self.centre,
            "camera_turn": (math.cos(self.tilt), math.sin(self.tilt)),
            "metres_per_pixel": self.metres_per_pixel,
            "framebuffer": size,
        }

    def axes(self) -> NDArray[np.float64]:
        """Unit vectors to the right and up in the picture, in the frame of the table, as rows, shape (2, 2)."""
        cos, sin = math.cos(self.tilt), math.sin(self.tilt)
        return np.array(((cos, sin), (-sin, cos)))

    def world_to_pixel(self, points: ArrayLike, size: Size) -> NDArray[np.float64]:
        """Pixels of world points; shape (..., 2) [m] to (..., 2) [pixel]."""
        offset = (np.asarray(points, np.float64) - self.centre) @ self.axes().T / self.metres_per_pixel
        return np.array((size[0] / 2, size[1] / 2)) + offset * (1.0, -1.0)

    def pixel_to_world(self, pixels: ArrayLike, size: Size) -> NDArray[np.float64]:
        """World points under pixels; shape (..., 2) [pixel] to (..., 2) [m]."""
        offset = (np.asarray(pixels, np.float64) - (size[0] / 2, size[1] / 2)) * (1.0, -1.0)
        return np.asarray(self.centre) + offset @ self.axes() * self.metres_per_pixel

    def pan(self, dx: float, dy: float, size: Size = (0, 0)) -> None:
        """Move the world by (dx, dy) pixels."""
        self._move(np.array((-dx, dy)) * self.metres_per_pixel)

    def zoom(self, factor: float, at: Sequence[float], size: Size) -> None:
        """Magnify by `factor`; the world point under pixel `at` does not move."""
        fixed = self.pixel_to_world(at, size)
        before = self.metres_per_pixel
        self.metres_per_pixel = min(max(before / factor, FINEST), COARSEST)
        ratio = self.metres_per_pixel / before
        x, y = fixed + (np.asarray(self.centre) - fixed) * ratio
        self.centre = (float(x), float(y))

    def frame(self, box: Sequence[Sequence[float]], size: Size, inset: Inset = NO_INSET, margin: float = 0.06) -> None:
        """Show all of `box` (lower and upper corner [m]) in the part of the window that no panel covers.

        `margin` is the fraction of that part that stays free around the box.
        """
        left, top, right, bottom = inset
        free = (max(size[0] - left - right, 1.0), max(size[1] - top - bottom, 1.0))
        corners = np.array([(x, y) for x in (box[0][0], box[1][0]) for y in (box[0][1], box[1][1])]) @ self.axes().T
        (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
        share = 1.0 - 2.0 * margin
        needed = max((x1 - x0) / (free[0] * share), (y1 - y0) / (free[1] * share))
        self.metres_per_pixel = min(max(float(needed), FINEST), COARSEST)
        shift = np.array(((left - right) / 2, (bottom - top) / 2)) * self.metres_per_pixel
        self.centre = (0.0, 0.0)
        self._move(np.array(((x0 + x1) / 2, (y0 + y1) / 2)) - shift)

    def _move(self, by: NDArray[np.float64]) -> None:
        """Move the middle of the window to the right and up in the picture [m]."""
        x, y = np.asarray(self.centre) + by @ self.axes()
        self.centre = (float(x), float(y))
