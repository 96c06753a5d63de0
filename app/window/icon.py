"""The icon of the window: a small heap of grains, computed at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from repose.app.render.colours import DARK, shades, to_linear, to_srgb

if TYPE_CHECKING:
    import pygame

ROWS = (4, 3, 2, 1)
"""Grains per row of the heap, from the base up."""
SAMPLES = 4
"""Samples per pixel and direction."""
SIZE = 64
"""Edge of the icon of a window [pixel]."""


def set_icon(handle: pygame.Window) -> None:
    """Give a window this icon instead of pygame's."""
    import pygame

    icon = draw_icon(SIZE)
    handle.set_icon(pygame.image.frombuffer(icon.tobytes(), icon.shape[:2], "RGBA"))


def draw_icon(size: int) -> NDArray[np.uint8]:
    """The icon, shape (size, size, 4), red, green, blue, alpha."""
    fine = size * SAMPLES
    axis = (np.arange(fine) + 0.5) / fine
    x, y = axis[None, :], 1.0 - axis[:, None]
    corner = 0.2
    outside = np.hypot(np.maximum(np.abs(x - 0.5) - 0.5 + corner, 0), np.maximum(np.abs(y - 0.5) - 0.5 + corner, 0))
    alpha = (outside < corner).astype(np.float64)
    light = np.empty((fine, fine, 3))
    light[:] = to_linear(DARK.background)
    radius = 0.105
    for row, count in enumerate(ROWS):
        face = shades(row / (len(ROWS) - 1), "viridis", DARK)
        for k in range(count):
            centre_x = 0.5 + (k - (count - 1) / 2) * 2.0 * radius
            centre_y = 0.2 + row * radius * np.sqrt(3.0)
            distance = np.hypot(x - centre_x, y - centre_y)
            light[distance < radius] = face * DARK.rim
            light[distance < 0.88 * radius] = face
    blocks = (size, SAMPLES, size, SAMPLES)
    alpha = alpha.reshape(blocks).mean((1, 3))
    light = light.reshape(*blocks, 3).mean((1, 3))
    picture = np.dstack((to_srgb(light), alpha))
    return np.rint(picture * 255.0).astype(np.uint8)
